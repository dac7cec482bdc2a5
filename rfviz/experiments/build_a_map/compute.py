"""A map of one's own: the kernel of a function, a density or a kernel that the user wrote or drew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import pandas as pd

from rfviz.backend import single_threaded_blas, to_host
from rfviz.errors import ParameterError
from rfviz.features import FeatureMap, MapSpec, RandomActivation, RandomFourier, RandomPool
from rfviz.features.frequencies import LARGEST_FREQUENCY
from rfviz.features.placement import placed
from rfviz.formula import drawn_formula, parse_formula
from rfviz.kernels import order_weights

__all__ = [
    "DRAWS",
    "MOST",
    "Built",
    "Transform",
    "What",
    "build",
    "cosine_transform",
    "density_spec",
    "line_of_points",
]

What = Literal["function", "pool", "density", "kernel"]

#: Draws of the features that the error is measured over.
DRAWS = 16
#: Features of a draw.
MOST = 4096
_PLACES = 181
_FARTHEST = 6.0
# Of a kernel that was written: how far it is looked at, and how finely.
_REACH, _STEP = 400.0, 0.005
_PADDED = 2**18
# A transform that goes less below zero than this share of its largest value does so by rounding.
_ROUNDING = 2e-3
# Heights by which the nearest density is written down, and the share of it that they hold.
_HEIGHTS, _HELD = 64, 0.999


@dataclass(frozen=True, eq=False)
class Transform:
    """The cosine transform of a kernel, by which it is one or not (Bochner's theorem).

    Attributes
    ----------
    frequencies, values : ndarray of shape (k,)
        The transform, divided by its largest value.
    lowest : float
        Its smallest value.
    where : float
        The frequency of that.
    """

    frequencies: np.ndarray
    values: np.ndarray

    @property
    def lowest(self) -> float:
        """Its smallest value."""
        return float(self.values.min())

    @property
    def where(self) -> float:
        """The frequency of that."""
        return float(self.frequencies[self.values.argmin()])

    @property
    def is_positive(self) -> bool:
        """Whether it is nowhere below zero by more than rounding: the kernel is positive definite."""
        return self.lowest > -_ROUNDING

    def to_frame(self) -> pd.DataFrame:
        """Return the transform, one row a frequency."""
        return pd.DataFrame({"frequency": self.frequencies, "transform": self.values})

    def density(self) -> str:
        """Return the positive part as the formula of a density, up to the frequency that holds nearly all of it."""
        values = np.maximum(self.values, 0.0)
        shares = np.cumsum(values) / values.sum()
        end = float(self.frequencies[min(np.searchsorted(shares, _HELD) + 1, len(values) - 1)])
        places = np.linspace(0.0, end, _HEIGHTS)
        heights = np.interp(places, self.frequencies, values)
        heights[-1] = 0.0  # beyond it there is nothing
        return drawn_formula(0.0, round(end, 4), heights)


def cosine_transform(kernel: str) -> Transform:
    """Compute the transform of a kernel that a formula gives as a function of the distance.

    It is multiplied by 1 − δ/400 first, which is a kernel itself. The product of two kernels is one, so that a
    transform below zero proves that the formula gives none.

    Raises
    ------
    ParameterError
        For a formula that is none, or a kernel that is not positive at distance 0.
    """
    distances = np.arange(0.0, _REACH, _STEP)
    values = parse_formula(kernel, 0.0)(distances)
    if not values[0] > 0:
        rule = "must be positive at x = 0: a point is like itself"
        raise ParameterError("kernel", rule, f"{values[0]:.3g} at x = 0", "Try exp(-x).")
    if not np.isfinite(values).all():
        where = distances[~np.isfinite(values)][0]
        raise ParameterError(
            "kernel",
            f"must be finite for x from 0 to {_REACH:g}",
            f"none at x = {where:.3g}",
            "A kernel is nowhere larger than at x = 0.",
        )
    values = values * (1.0 - distances / _REACH)
    values[0] *= 0.5  # the trapezoidal rule
    transform = np.fft.rfft(values, _PADDED).real
    frequencies = np.arange(len(transform)) * 2 * np.pi / (_PADDED * _STEP)
    seen = frequencies <= LARGEST_FREQUENCY
    return Transform(frequencies[seen], transform[seen] / np.abs(transform[seen]).max())


def density_spec(density: str, **params: Any) -> MapSpec[RandomFourier]:
    """Return random Fourier features whose frequencies have a density."""
    return MapSpec(RandomFourier, spectrum="own", density=density, gamma=1.0, **params)


def line_of_points(what: What, length: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return points to try a map on, the first of which all others are compared with, and where they are.

    Parameters
    ----------
    what : {"function", "pool", "density", "kernel"}
    length : float
        Norm of the points that a function is tried on.

    Returns
    -------
    X : ndarray of shape (181, d)
        A half circle of this radius for a function or a pool, a line for the others.
    places : ndarray of shape (181,)
        The angle to the first point in degrees, or the distance.
    """
    if what in ("density", "kernel"):
        places = np.linspace(0.0, _FARTHEST, _PLACES)
        return places[:, None], places
    places = np.linspace(0.0, 180.0, _PLACES)
    angles = np.deg2rad(places)
    return length * np.column_stack([np.cos(angles), np.sin(angles)]), places


@dataclass(frozen=True, eq=False)
class Built:
    """A map that was built, its kernel along a line of points, and how well features estimate it.

    Attributes
    ----------
    what : {"function", "pool", "density", "kernel"}
        Kind of the curve that was written or drawn.
    spec : MapSpec
        The map.
    places : ndarray of shape (n,)
        Angles in degrees, or distances, to the first point.
    exact : ndarray of shape (n,)
        The kernel between the first point and each.
    variance : ndarray of shape (n,)
        Variance of its estimate by m features, times m: exact, but of a pool measured.
    sums : ndarray of shape (n, MOST)
        Sums of products of the first m features of one draw.
    m_grid : ndarray of shape (k,)
    errors : ndarray of shape (draws, k)
        Root mean square over the places of estimate − kernel, by draw and number of features.
    wanted : ndarray of shape (n,) or None
        The kernel that was written, 1 at distance 0, if a kernel was written.
    transform : Transform or None
        The same.
    """

    what: What
    spec: MapSpec[FeatureMap]
    places: np.ndarray
    exact: np.ndarray
    variance: np.ndarray
    sums: np.ndarray
    m_grid: np.ndarray
    errors: np.ndarray
    wanted: np.ndarray | None = None
    transform: Transform | None = None

    @staticmethod
    def class_of(what: What) -> type[FeatureMap]:
        """Return the class of the map that is built."""
        return {"function": RandomActivation, "pool": RandomPool}.get(what, RandomFourier)

    @property
    def is_kernel(self) -> bool:
        """Whether what was written is a kernel; a function and a density always have one."""
        return self.transform is None or self.transform.is_positive

    def estimate(self, m: int) -> np.ndarray:
        """Return the kernel as the first m features of one draw estimate it."""
        return self.sums[:, m - 1] / m

    def deviation(self, m: int) -> np.ndarray:
        """Return the standard deviation of such an estimate."""
        return np.sqrt(self.variance / m)

    def error(self, m: int) -> float:
        """Return the root mean square over the places of estimate − kernel, in the draw that is shown."""
        return float(np.sqrt(np.mean((self.estimate(m) - self.exact) ** 2)))

    def predicted(self, m: Any) -> Any:
        """Return what the variance predicts for that: its root mean square over draws."""
        return np.sqrt(self.variance.mean() / m)

    def kernel_frame(self, m: int) -> pd.DataFrame:
        """Return kernel, estimate by m features, and its standard deviation, one row a place."""
        name = "angle" if self.what in ("function", "pool") else "distance"
        frame = pd.DataFrame(
            {name: self.places, "kernel": self.exact, "estimate": self.estimate(m), "s.d.": self.deviation(m)}
        )
        return frame if self.wanted is None else frame.assign(written=self.wanted)

    def formula_frame(self, text: str) -> pd.DataFrame:
        """Return the values of a formula of this kind, one row an x; of a rule its weights, one row a rank."""
        if self.what == "pool":
            weights = order_weights(self.spec.params["pool_size"], text)
            return pd.DataFrame({"rank": np.arange(1, len(weights) + 1), "weight": weights})
        x = np.linspace(-4.0 if self.what == "function" else 0.0, _FARTHEST if self.what == "kernel" else 8.0, 401)
        return pd.DataFrame({"x": x, self.what: parse_formula(text, min(float(x[0]), 0.0))(x)})

    def error_frame(self) -> pd.DataFrame:
        """Return the error for every number of features: mean and spread over draws, and the prediction."""
        mean, spread = self.errors.mean(axis=0), self.errors.std(axis=0, ddof=1)
        predicted = self.predicted(self.m_grid)
        return pd.DataFrame({"m": self.m_grid, "RMS error": mean, "s.d. of draws": spread, "predicted": predicted})


def build(
    what: What, text: str, seed: int = 0, length: float = 1.0, pool_size: int = 4, weights: str = "gaussian"
) -> Built:
    """Build a map from a formula and try it.

    Parameters
    ----------
    what : {"function", "pool", "density", "kernel"}
        What the formula gives: a function of ⟨w, x⟩, the density of frequencies, or the kernel as a function of the
        distance. Of a kernel that is none, the negative part of the transform is left out.
    text : str
        The formula, see :mod:`rfviz.formula`; or the rule, see :class:`rfviz.features.RandomPool`.
    seed : int
        Of the draw that is shown.
    length : float
        Norm of the points that a function is tried on.
    weights : str
        How those of a function are distributed, see :class:`rfviz.features.RandomActivation`.

    Raises
    ------
    ExpressionError, ParameterError
        For a formula that is none, or that gives no density, or nothing like a kernel.
    """
    if what == "function":
        return _try_out(what, MapSpec(RandomActivation, function=text, weights=weights), seed, length)
    if what == "pool":
        return _try_out(what, MapSpec(RandomPool, pool_size=pool_size, rule=text), seed, length)
    if what == "density":
        return _try_out(what, density_spec(text), seed)
    transform = cosine_transform(text)
    built, formula = _try_out(what, density_spec(transform.density()), seed), parse_formula(text, 0.0)
    return replace(built, wanted=formula(built.places) / formula(np.zeros(1)), transform=transform)


def _try_out(what: What, spec: MapSpec[Any], seed: int, length: float = 1.0) -> Built:
    """Compare a map's kernel with estimates by several draws."""
    X, places = line_of_points(what, length)
    fitted = spec.make(n_components=2, device="cpu").fit(X)
    exact, law = fitted.kernel(X[:1], X)[0], fitted.product_law(X)
    m_grid = np.unique(2 * np.rint(np.geomspace(4, MOST, 24) / 2).astype(int))
    with single_threaded_blas():
        first = _sums(spec, X, seed)
        others = (_sums(spec, X, seed + number) for number in range(1, DRAWS))
        errors = [
            np.sqrt(np.mean((sums[:, m_grid - 1] / m_grid - exact[:, None]) ** 2, axis=0))
            for sums in chain([first], others)
        ]
    variance = np.diff(first, prepend=0.0).var(axis=1) if law is None else np.maximum(2.0 * law.variance(2)[0], 0.0)
    return Built(what, spec.replace(random_state=seed), places, exact, variance, first, m_grid, np.array(errors))


def _sums(spec: MapSpec[Any], X: np.ndarray, seed: int) -> np.ndarray:
    """Return the sums of products of the first features of each point and the first, for all their numbers."""
    fitted = placed(spec.make(n_components=MOST, random_state=seed), *X.shape).fit(X)
    features = np.concatenate([to_host(block) for block in fitted.transform_blocks(X, scaled=False)])
    return np.cumsum(features * features[0], axis=1, dtype=np.float64)
