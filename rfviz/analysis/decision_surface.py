"""What a classifier on random features says everywhere in a plane, for every number of features at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.calibration import calibration_rows, fit_slope
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.progress import Progress, silent
from rfviz.analysis.splits import Split
from rfviz.analysis.surface import Surface, class_count, made_surface, tested_rows
from rfviz.backend import check_memory, single_threaded_blas
from rfviz.features import map_class, registry
from rfviz.features.sparse_map import SparseFeatureMap
from rfviz.linear_model import RidgePath, StochasticPath

__all__ = [
    "M_GRID", "SchemeSurfaces", "Surface", "grid_of", "scheme_surfaces", "takes_constant", "with_constant",
]  # fmt: skip

#: Numbers of features that are drawn; even, so that cosines have their sines.
M_GRID = (2, 4, 6, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
# Sparse features are solved by iterations, and each repetition of a binning has many columns.
_MOST_SPARSE = 200
# Per row, where there are too few rows to choose.
_FEW_ROWS_PENALTY = 0.01


@dataclass(frozen=True, eq=False)
class SchemeSurfaces:
    """Surfaces of one map for every number of features of a grid.

    Attributes
    ----------
    m_grid : tuple of int
    surfaces : tuple of Surface
    gamma : float or None
        Width of the kernel in use, where the scheme has one.
    constant : bool
        Whether the inputs had a constant 1 beside them.
    alphas : ndarray of shape (len(m_grid),)
        Penalty on the unscaled features.
    """

    m_grid: tuple[int, ...]
    surfaces: tuple[Surface, ...]
    gamma: float | None
    constant: bool
    alphas: np.ndarray

    def at(self, m: int) -> Surface:
        """The surface of the first `m` features."""
        return self.surfaces[self.m_grid.index(m)]


def grid_of(scheme: str) -> tuple[int, ...]:
    """The numbers of features that are drawn of a scheme: :data:`M_GRID`, or its beginning for sparse features."""
    sparse = issubclass(registry()[scheme], SparseFeatureMap)
    return tuple(m for m in M_GRID if not sparse or m <= _MOST_SPARSE)


def takes_constant(scheme: str) -> bool:
    """Whether a constant input changes a scheme: projections without an offset of their own see directions only."""
    return map_class(scheme).takes_constant


def with_constant(X: np.ndarray) -> np.ndarray:
    """The rows with a 1 beside them, so that projections have an offset: ⟨w, (x, 1)⟩ = ⟨w', x⟩ + b."""
    return np.column_stack([X, np.ones(len(X), dtype=X.dtype)])


def scheme_surfaces(
    split: Split,
    plane: Plane,
    scheme: str,
    setting: Mapping[str, Any],
    *,
    m_grid: Sequence[int] | None = None,
    loss: str = "ridge",
    constant: bool = False,
    resolution: int = RESOLUTION,
    progress: Progress = silent,
) -> SchemeSurfaces:
    """Train on the first m features of a map, for every m, and ask for the decision values everywhere in the plane.

    The features of the cells are computed once, for the largest m; the answer for each m is a product of their first m
    columns.

    Parameters
    ----------
    split : Split
        Of classes.
    plane : Plane
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments but for the number of features.
    m_grid : sequence of int, optional
        :func:`grid_of` the scheme where it is not given.
    loss : {"ridge", "logistic", "hinge"}
    constant : bool
        Whether to put a 1 beside the inputs, where that changes the scheme.
    resolution : int
        Cells a side.
    progress : callable
        May raise to stop.

    Raises
    ------
    DataError
        For targets that are no classes.
    MemoryBudgetError
        Where the decision values, or what training takes, would not fit.
    """
    k = class_count(split)
    grid = tuple(int(m) for m in m_grid or grid_of(scheme))
    check_memory(
        8 * resolution**2 * k * len(grid), "cpu", f"Decision values of {resolution}² cells", "Choose fewer classes."
    )
    cls = registry()[scheme]
    setting = settled(cls, setting, split.X_train)
    constant = constant and takes_constant(scheme)
    lift = with_constant if constant else (lambda X: X)
    loss = LOSS.validate(loss)
    slopes, calibrated = np.ones(len(grid)), ""

    fitted = _fitter(split, cls, setting, grid, loss, lift, progress)
    with single_threaded_blas():
        path = fitted(slice(None), 0.0, 0.4)
        if loss != "logistic":
            slopes, calibrated = _path_slopes(fitted, path, split, lift)
        progress(0.7, "Decision values in the plane")
        tested = path.decision_path(lift(tested_rows(split)[0]))
        scores = path.decision_path(lift(plane.grid(resolution)))
    surfaces = tuple(
        made_surface(cls.label, s, slope, t, path.classes_, split, calibrated)
        for s, slope, t in zip(scores, slopes, tested, strict=True)
    )
    return SchemeSurfaces(grid, surfaces, setting.get("gamma"), constant, np.asarray(path.alpha_))


def _fitter(
    split: Split, cls: Any, setting: dict[str, Any], grid: tuple[int, ...], loss: str, lift: Any, progress: Progress
) -> Callable[[Any, float, float], Any]:
    """``fitted(rows, start, stop)``: the path on these training rows, reporting progress from `start` to `stop`."""

    def fitted(rows: Any, start: float, stop: float) -> Any:
        features = cls(**{**setting, "n_components": grid[-1]})
        if loss == "ridge":
            path: Any = RidgePath(features, m_grid=grid, alphas=_penalties(split))
        else:
            path = StochasticPath(features, m_grid=grid, loss=loss)

        def report(share: float, text: str) -> None:
            progress(start + (stop - start) * share, text)

        return path.fit(lift(split.X_train[rows]), split.y_train[rows], progress=report)

    return fitted


def _penalties(split: Split) -> Any:
    """Chosen on held-out rows, or where those would be one or two: small, beside features of the size 1."""
    return "auto" if calibration_rows(split.y_train) else _FEW_ROWS_PENALTY * len(split.y_train)


def _path_slopes(fitted: Any, path: Any, split: Split, lift: Any) -> tuple[np.ndarray, str]:
    """The slope for every m, by rows that the classifier has not seen where there are enough."""
    parts = calibration_rows(split.y_train)
    learn, held = parts if parts else (slice(None), slice(None))
    judge = fitted(learn, 0.4, 0.7) if parts else path
    labels = np.searchsorted(judge.classes_, split.y_train[held])
    slopes = [fit_slope(scores, labels) for scores in judge.decision_path(lift(split.X_train[held]))]
    return np.array(slopes), "held-out" if parts else "training"
