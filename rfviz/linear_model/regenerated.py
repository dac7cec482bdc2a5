"""Random features that are never stored: blocks of them, each drawn again from the seed and its number."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from rfviz.backend import array_namespace, to_host
from rfviz.errors import ParameterError

__all__ = ["BLOCK", "RegeneratedFeatures"]

#: Features that are drawn at a time, from one child of the seed.
BLOCK = 256
_PROBE_ROWS = 512


class RegeneratedFeatures:
    """Features number 0, 1, 2, … of a map without end.

    Parameters
    ----------
    feature_map : FeatureMap
        Its number of features and its seed are not used.
    seed : int
    X : array or CSR matrix of shape (n_samples, n_features)
        What the map learns its statistics from (``gamma="scale"``); a few of its rows are stored to fit blocks with.

    Raises
    ------
    ParameterError
        For a map whose features do not all count the same.
    """

    def __init__(self, feature_map: Any, seed: int, X: Any) -> None:
        self.seed, self.probe = seed, X[: min(_PROBE_ROWS, X.shape[0])]
        words = [
            p.name for p in getattr(feature_map, "params", ())
            if p.kind == "float" and isinstance(getattr(feature_map, p.name), str)
        ]  # fmt: skip
        self._map: Any = clone(feature_map)
        if words:  # learnt from all rows, once
            probe: Any = clone(feature_map)
            fitted = probe.set_params(n_components=1).fit(X)
            self._map.set_params(**{name: getattr(fitted, f"{name}_") for name in words})
        if np.ndim(self.block(0).shares(BLOCK)):
            raise ParameterError(
                "feature_map", "must have features that all count the same", type(feature_map).__name__,
                "Set deduplicate=False where the map has it, or choose another map.",
            )  # fmt: skip

    def block(self, number: int) -> Any:
        """Return the fitted map of features 256·number to 256·number + 255, drawn anew; the same each time."""
        child = np.random.SeedSequence(self.seed, spawn_key=(number,))
        seed = int(child.generate_state(1, np.uint64)[0] >> 1)
        fresh: Any = clone(self._map)
        return fresh.set_params(n_components=BLOCK, random_state=seed).fit(self.probe)

    def values(self, X: Any, block: Any) -> np.ndarray:
        """Return unscaled features of the rows of `X` by one block's map, shape (n_samples, 256), on the host."""
        return np.concatenate([to_host(part) for part in block.transform_blocks(X, scaled=False)])

    def add_scores(self, scores: np.ndarray, X: Any, coef: np.ndarray, block: Any) -> None:
        """Add what a block's first features contribute to `scores` of the rows of `X`; `coef` is (at most 256, k)."""
        done = 0
        for part in block.transform_blocks(X, scaled=False):
            here = scores[done : done + part.shape[0]]
            here += to_host(part[:, : len(coef)] @ array_namespace(part).asarray(coef.astype(part.dtype)))
            done += part.shape[0]
