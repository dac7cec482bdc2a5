"""The Rademacher complexity of the functions that m random features make: how well they follow random signs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.features import FeatureMap, MapSpec
from rfviz.progress import Progress, silent

__all__ = ["Complexity", "measure_complexity"]

_DRAWS, _SIGNS, _ROWS, _PLACES = 40, 32, 2000, 12


@dataclass(frozen=True, eq=False)
class Complexity:
    """Mean over rows, signs and features of the largest |Σ σ_i f(x_i)|/n of a class of functions f.

    Attributes
    ----------
    n_grid : ndarray of shape (G,), int
        Numbers of rows.
    mean, error : ndarray of shape (G,)
        With its standard error.
    bound : ndarray of shape (G,)
        That of the proof.
    size : float
        C of |α| ≤ C/m, or B of ‖w‖ ≤ B.
    n_draws : int
        Of rows and features, each with 32 draws of the signs.
    """

    n_grid: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    bound: np.ndarray
    size: float
    n_draws: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of rows."""
        return pd.DataFrame(
            {"rows n": self.n_grid, "measured": self.mean, "standard error": self.error, "bound": self.bound}
        )


def measure_complexity(
    X: np.ndarray,
    spec: MapSpec[FeatureMap],
    size: float,
    root_mean_square: float,
    *,
    is_norm: bool = False,
    n_draws: int = _DRAWS,
    progress: Progress = silent,
) -> Complexity:
    """Measure the Rademacher complexity of a class for growing numbers of rows.

    With g the mean products of signs and features, the supremum has a closed form, the dual norm of the ball of
    coefficients: C times the mean magnitude of the m numbers g for coefficients of at most C/m, and B‖g‖ for a norm of
    at most B. Its mean is estimated, from rows without repetition. By Jensen's inequality it is at most Cσ/√n, with σ
    the root mean square of a feature, or B√(E k(x, x))/√n.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        At most 2,000 of the rows are used at a time.
    spec : MapSpec
        Its number of features counts, its seed does not.
    size : float
        C, for features divided by the map's `unit_scale`; or B.
    root_mean_square : float
        σ, or √(E k(x, x)), or what the proof has in its place.
    is_norm : bool
        Whether the class has a bounded norm.
    """
    last = min(len(X), _ROWS)
    grid = np.unique(np.rint(np.geomspace(min(10, last), last, _PLACES)).astype(int))
    values = np.empty((n_draws, len(grid)))
    for draw in range(n_draws):
        progress(draw / n_draws, f"Draw {draw + 1} of {n_draws}")
        rng = np.random.default_rng((7, draw))
        rows = rng.permutation(len(X))[:last]
        feature_map = spec.make(random_state=draw).fit(X[rows])
        H = np.concatenate([np.asarray(block) for block in feature_map.transform_blocks(X[rows], scaled=is_norm)])
        signs = rng.choice((-1.0, 1.0), (_SIGNS, last))
        for place, n in enumerate(grid.tolist()):
            g = signs[:, :n] @ H[:n].astype(np.float64) / n
            found = np.linalg.norm(g, axis=1) if is_norm else np.abs(g).mean(axis=1) / feature_map.unit_scale
            values[draw, place] = found.mean()
    values *= size
    error = values.std(axis=0, ddof=1) / np.sqrt(n_draws)
    return Complexity(grid, values.mean(axis=0), error, size * root_mean_square / np.sqrt(grid), size, n_draws)
