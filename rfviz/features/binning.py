r"""Random binning features: kernels that are mixtures of hats, the map, and the codes of joint bins.

A grid of pitch δ, shifted at random, puts two numbers that are t apart into one bin with probability max(0, 1 − t/δ), a
*hat*. Where the pitch is random with density p, that probability is

.. math:: k(t) = \int_0^\infty \max(0, 1 - t/\delta)\, p(\delta)\, d\delta, \quad p(\delta) = \delta\,k''(\delta)

for every convex k that falls from k(0) = 1 to 0. A kernel of one's own is a subclass of :class:`HatMixture` with both
sides of that equation; for example the mean of a narrow and a wide hat::

    @dataclass(frozen=True)
    class TwoHats(HatMixture):
        wide: float = 3.0

        def value(self, t):
            return 0.5 * (1.0 - t).clip(0.0) + 0.5 * (1.0 - t / self.wide).clip(0.0)

        def pitches(self, generator, shape):
            return generator.choice([1.0, self.wide], shape)

    RandomBinning(profile=TwoHats(wide=5.0))

A frozen dataclass in a module of its own compares by its values, and is cloned and pickled as scikit-learn asks.

A joint bin is a vector of d integers, b_j = ⌈(x_j − u_j)/δ_j⌉. Its code is Σ_j a_j·b_j modulo 2⁶⁴ with random 64-bit
multipliers a_j. Two different joint bins share a code with probability at most 2^(v−64), where 2^v is the largest power
of two that divides all differences b_j − b'_j; v is 0 unless all are even. So a million pairs of different joint bins
collide somewhere with a probability of about 1e-13, and even bins that all lie a multiple of 65,536 apart with 1e-8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, cast

import numpy as np
from scipy import sparse
from sklearn.utils._set_output import _get_output_config  # pyright: ignore[reportPrivateUsage] - it has no public name

from rfviz import backend, bounds, cuda, kernels
from rfviz.backend import (
    Device,
    array_namespace,
    check_memory,
    get_device,
    map_ordered,
    memory_budget,
    to_host,
    worker_count,
)
from rfviz.errors import DataError, ParameterError
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import fits_on_gpu, halving
from rfviz.features.cost import Counts
from rfviz.features.description import BY_COLUMN, Look, ProductLaw
from rfviz.features.draws import uniform, whole_chunks
from rfviz.features.hashing import CollisionLaw, HashingMap, row_sums
from rfviz.features.precision import warn_of_lost_bins
from rfviz.features.widths import check_widths, known_width, l1_gamma, width_in_use
from rfviz.formula import parse_formula
from rfviz.params import Param, parameter

__all__ = [
    "LARGEST_PITCH",
    "PROFILES",
    "HatMixture",
    "LaplacianHats",
    "OwnHats",
    "RandomBinning",
    "RationalHats",
    "SingleHat",
    "SparseFeatureMap",
    "as_mixture",
    "joint_codes",
    "pitch_law",
]

_PITCH_STREAM, _SHIFT_STREAM, _HASH_STREAM = 0, 1, 2
# Pitches and shifts in double precision.
_BYTES_A_COLUMN = 2 * 8
_SMALLEST_PITCH = 1e-200
#: Where an own density of pitches ends, at γ = 1.
LARGEST_PITCH = 20.0
_PITCHES = 4000
# Codes of a tile: its buffers take 1 MB and stay in the cache.
_TILE_ROWS, _TILE_REPETITIONS = 1024, 64
# A 64-bit integer holds the numbers of bins up to here.
_FARTHEST = 2.0**62
# Additions of a hash below which one thread is as fast as several.
_PARALLEL_FROM = 20_000_000
_BLOCK_BYTES, _FEWEST_ROWS = 32_000_000, 16
# Bytes of a code on a GPU with all that is made of it; those of a block; and its rows.
_GPU_BYTES, _GPU_BLOCK_BYTES, _GPU_ROWS = 48, 1_000_000_000, 16_384
# Bytes of the codes that are sorted at a time.
_SORTED_BYTES = 64_000_000


class HatMixture(ABC):
    """One column's kernel k(t) as a mixture of hats; `gamma` multiplies t, so that k is given at γ = 1."""

    #: The kernel of several columns in LaTeX, of their distances δ_j.
    formula: ClassVar[str] = r"\prod_j k(\gamma|\delta_j|)"
    #: E[1/δ] at γ = 1, which is −k'(0) and also the Lipschitz constant of k, or None if it is unknown.
    inverse_pitch: ClassVar[float | None] = None

    @abstractmethod
    def value(self, t: Any) -> Any:
        """Return k(t) of an array of distances t ≥ 0, NumPy or CuPy, element by element; k(0) = 1."""

    @abstractmethod
    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        """Draw independent pitches, positive, of that shape."""


@dataclass(frozen=True)
class LaplacianHats(HatMixture):
    """k(t) = exp(−t): pitches of the law Gamma(2, 1), of density δ·exp(−δ)."""

    formula: ClassVar[str] = r"e^{-\gamma\lVert\delta\rVert_1}"
    inverse_pitch: ClassVar[float | None] = 1.0

    def value(self, t: Any) -> Any:
        return array_namespace(t).exp(-t)

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return generator.standard_gamma(2.0, shape)


@dataclass(frozen=True)
class SingleHat(HatMixture):
    """k(t) = max(0, 1 − t): every pitch is 1."""

    formula: ClassVar[str] = r"\prod_j\max(0,1-\gamma|\delta_j|)"
    inverse_pitch: ClassVar[float | None] = 1.0

    def value(self, t: Any) -> Any:
        return array_namespace(t).maximum(1.0 - t, 0.0)

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return np.ones(shape)


@dataclass(frozen=True)
class RationalHats(HatMixture):
    """k(t) = (1 + t)^(−a), which is far from 0 where the others vanish.

    The density of the pitch is a(a + 1)·δ·(1 + δ)^(−a − 2): a ratio of a Gamma(2) and an independent Gamma(a) variate.

    Parameters
    ----------
    power : float
        a > 0; the smaller, the longer the tail.
    """

    power: float = 1.0
    formula: ClassVar[str] = r"\prod_j(1+\gamma|\delta_j|)^{-a}"

    def __post_init__(self) -> None:
        if not (isinstance(cast(object, self.power), (int, float)) and 0 < self.power < np.inf):
            raise ParameterError("power", "must be a finite number greater than 0", self.power, "Try power=1.0.")

    @property
    def inverse_pitch(self) -> float:  # type: ignore[override]
        return float(self.power)

    def value(self, t: Any) -> Any:
        return (1.0 + t) ** -self.power

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        above, below = generator.standard_gamma(2.0, shape), generator.standard_gamma(self.power, shape)
        return above / np.maximum(below, 1e-300)


@lru_cache(maxsize=64)
def pitch_law(density: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the pitches that a density stands for, 4,000 of them from 0 to 20, and the probability of each.

    Raises
    ------
    ParameterError
        If it is negative somewhere, or zero everywhere.
    """
    pitches = (np.arange(_PITCHES) + 0.5) * (LARGEST_PITCH / _PITCHES)
    heights = parse_formula(density, 0.0)(pitches)
    if not (np.isfinite(heights).all() and heights.min() >= 0 and heights.max() > 0):
        lowest = int(np.argmin(np.where(np.isfinite(heights), heights, -np.inf)))
        rule = f"must be a density: finite, nowhere below 0 for x from 0 to {LARGEST_PITCH:g}, and not 0 everywhere"
        value = f"{heights[lowest]:.3g} at x = {pitches[lowest]:.3g}"
        raise ParameterError("pitch_density", rule, value, "Write max(0, …) around it.")
    return pitches, heights / heights.sum()


@dataclass(frozen=True)
class OwnHats(HatMixture):
    """A mixture of hats whose pitches have a density that a formula in x gives, from 0 to 20, up to a factor."""

    density: str = "x*exp(-x)"

    @property
    def inverse_pitch(self) -> float:  # type: ignore[override]
        pitches, masses = pitch_law(self.density)
        return float(np.sum(masses / pitches))

    def value(self, t: Any) -> Any:
        # Hats that are wider than t: the sum of their probabilities, less t times that of probability over pitch.
        pitches, masses = pitch_law(self.density)
        above, rates = (np.append(np.cumsum(part[::-1])[::-1], 0.0) for part in (masses, masses / pitches))
        xp = array_namespace(t)
        place = xp.searchsorted(xp.asarray(pitches), t, side="right")
        return xp.asarray(above)[place] - t * xp.asarray(rates)[place]

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        pitches, masses = pitch_law(self.density)
        place = np.searchsorted(np.cumsum(masses), generator.random(shape), side="right")
        return pitches[np.minimum(place, _PITCHES - 1)]


PROFILES: dict[str, HatMixture] = {"laplacian": LaplacianHats(), "hat": SingleHat(), "rational": RationalHats()}


def as_mixture(profile: str | HatMixture, density: str = OwnHats.density) -> HatMixture:
    """Return the mixture of a name, or the mixture itself; `density` is that of the pitches of an own one."""
    if isinstance(profile, str):
        return OwnHats(density) if profile == "own" else PROFILES[profile]
    return profile


class SparseFeatureMap(FeatureMap):
    """Base of feature maps with CSR output, of at most one entry a row and component.

    Hooks in addition to those of :class:`FeatureMap`, ``_map_block`` apart:

    ``columns(n_components)``
        Columns that the first components take; those of fewer components come first.
    ``_blocks(X, block_rows, scale, device)``
        CSR matrices of consecutive rows of `X`, on the device.
    """

    sparse_output = True

    def transform(self, X: Any) -> Any:
        """Map `X` to its random features.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        CSR matrix of shape (n_samples, n_columns)
            On the host, of dtype `dtype`.

        Raises
        ------
        DataError
            After ``set_output(transform="pandas")``: tables are dense.
        MemoryBudgetError
            Where the result would not fit in memory; :meth:`transform_blocks` has no such limit.
        """
        X = self._check_input(X)
        container = str(_get_output_config("transform", self)["dense"])
        if container != "default":
            raise DataError(
                f"{container.capitalize()} output does not support sparse data, which {type(self).__name__} gives. "
                "Use set_output(transform='default')."
            )
        self._check_result(X.shape[0], np.dtype(self.dtype).itemsize + 8, "A sparse feature matrix")
        parts = on_device_or_host(self.device, lambda d: map(to_host, self._blocks(X, None, self._scale(), d)))
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def _check_result(self, n_samples: int, n_bytes: int, what: str) -> None:
        """Refuse `n_bytes` for each row and component, if there is not room for them."""
        fits = int(memory_budget("cpu") / (n_bytes * n_samples))
        remedy = f"The largest n_components that fits is about {fits}; or use transform_blocks."
        needed = n_bytes * n_samples * self.n_components
        check_memory(needed, "cpu", f"{what} of {n_samples} × {self.n_components}", remedy)

    def _blocks(self, X: Any, block_rows: int | None, scale: Any, device: Device, out: Any = None) -> Iterator[Any]:
        raise TypeError(f"{type(self).__name__} does not say how it maps")


def on_device_or_host(name: str | Device, compute: Callable[[Device], Iterator[Any]]) -> list[Any]:
    """Collect all of what ``compute(device)`` yields; on the host where the device runs out of memory."""
    device, found = get_device(name), []
    if device.is_gpu and fits_on_gpu(lambda: found.append(list(compute(device))), device):
        return found[0]
    return list(compute(get_device("cpu")))


class RandomBinning(HashingMap, SparseFeatureMap):
    r"""Which bin of a randomly shifted grid a point lies in, for many grids: for the kernel exp(−γ‖x − z‖₁) and others.

    .. math::
        b_{pj}(x) = \lceil (x_j - u_{pj}) / \delta_{pj} \rceil, \quad
        \delta_{pj} \sim p, \; u_{pj} \sim U[0, \delta_{pj}], \qquad
        \langle\Phi(x), \Phi(z)\rangle = \tfrac1P \#\{p : b_p(x) = b_p(z)\}

    A repetition divides space into boxes by one grid for each column of the data; its features are 1/√P for the box
    that the point is in and 0 for all others. Two points share a box with probability Π_j k(γ|x_j − z_j|), where k is
    the mixture of hats whose law of pitches is p: see :mod:`rfviz.features.binning`. For exp(−t) it is Gamma(2, 1).

    **Output.** One column for each box of each repetition that a row in `fit` lies in, so the output is a CSR matrix
    with P entries a row at most, never dense; :meth:`columns` says how many columns the first repetitions take. A point
    in a box that was not seen in `fit` has no entry in that repetition. Inner products with the rows of `fit` lose
    nothing by that; those of two new points miss the boxes that only new points share. :meth:`codes` counts those too.

    Cost: O(n·P·d) to map, O(P) numbers a row. Caveats: estimates are shares of P boxes, so a small kernel value is most
    often 0; in many dimensions a kernel that is not small needs a small gamma, and then most points share their boxes.

    Boxes are computed in double precision whatever `dtype`, the type of the output. They are told apart by 64-bit
    codes; that two boxes share one is as good as impossible: see :mod:`rfviz.features.binning`.

    Parameters
    ----------
    n_components : int
        Number of repetitions P. ``prefix(P')`` is the map of the first P' of them, and its columns are the first.
    gamma : float, "scale", "median" or array of shape (n_features,)
        γ, one over a length. ``"scale"`` is 1/(n_features · standard deviation of X), ``"median"`` one over the median
        of ‖x − z‖₁; an array has a γ for each column.
    profile : {"laplacian", "hat", "rational", "own"} or HatMixture
        k: exp(−t), max(0, 1 − t), 1/(1 + t), or a mixture of one's own.
    pitch_density : str
        A formula in x, the density of the pitches at γ = 1, up to a factor, of an own mixture: see
        :func:`rfviz.formula.parse_formula`.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    pitches_, shifts_ : ndarray of shape (n_components, n_features)
        δ and u.
    multipliers_ : ndarray of shape (n_features,), int64
        Of the codes.
    bins_ : ndarray of shape (n_columns,), int64
        Codes of the boxes seen in `fit`, repetition by repetition.
    ends_ : ndarray of shape (n_components + 1,)
        Where each repetition's columns begin and end.
    gamma_ : float or ndarray of shape (n_features,)
    seed_ : int

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007.
    """

    label = "Random binning"
    look = Look("#bd2d3f", "longdash", "square-cross")
    from_data = ("gamma_", "bins_", "ends_")
    _law_missing = BY_COLUMN
    summary = "Boxes of randomly shifted grids; points that share many have a large Laplacian kernel."
    formula = (
        r"\Phi_{p,b}(x)=\tfrac{1}{\sqrt P}\,[\lceil(x_j-u_{pj})/\delta_{pj}\rceil=b_j\;\forall j],"
        r"\quad\delta_{pj}\sim\mathrm{Gamma}(2,\tfrac1\gamma),\;u_{pj}\sim U[0,\delta_{pj}]"
    )
    cost = "O(n·P·d)"
    reference = "Rahimi, Recht 2007"
    rank = 90
    feature_norm = 1.0
    plane_params: ClassVar[Mapping[str, Any]] = {"gamma": 0.5}
    hash_label = "Boxes (binning)"
    n_components: int = parameter(
        default=1000,
        kind="int",
        kw_only=False,
        low=1,
        high=10_000_000,
        ui_low=10,
        ui_high=2000,
        log=True,
        symbol="P",
        label="Grids",
        help="How many random grids. Each adds as many columns as it has boxes with points in them.",
    )
    gamma: Any = parameter(
        default="scale",
        kind="float",
        low=0.0,
        open_low=True,
        choices=("scale", "median"),
        ui_low=0.01,
        ui_high=100.0,
        log=True,
        symbol=r"\gamma",
        compared=(0.1, 0.5, 1.0, 2.0, 5.0, 10.0),
        label="Gamma",
        help="Inverse length scale of the kernel exp(−γ‖x−z‖₁). A larger γ makes smaller boxes.",
    )
    profile: str | HatMixture = parameter(
        default="laplacian",
        kind="choice",
        choices=(*PROFILES, "own"),
        label="Kernel",
        titles=(*(name.capitalize() for name in PROFILES), "Own mixture of hats"),
        help="What the chance to share a bin is in each column: exp(−γt), max(0, 1 − γt), 1/(1 + γt), or any mixture "
        "of hats.",
    )
    pitch_density: str = parameter(
        default=OwnHats.density,
        kind="formula",
        low=0.0,
        label="Density of pitches p(x)",
        when=("profile", ("own",)),
        help="A formula in x, the width of a bin at γ = 1, from 0 to 20; nowhere negative. The kernel is the mixture "
        "of the hats max(0, 1 − t ÷ x).",
    )
    _weights = ("pitches_", "shifts_", "multipliers_", "ends_", "bins_")

    # --- drawing, and learning which boxes there are ------------------------------------------------------------------

    def _check_param(self, param: Param, value: Any) -> Any:
        if param.name == "gamma" and np.ndim(value):
            return check_widths(param, value)
        if param.name == "profile" and isinstance(value, HatMixture):
            return value
        return super()._check_param(param, value)

    def _fit_statistics(self, X: Any) -> None:
        self.gamma_ = width_in_use(self.gamma, X.shape[1], lambda rule: l1_gamma(rule, X))

    def _check_range(self, X: Any) -> None:
        pass  # boxes are computed in double precision, and told apart wherever they are

    def _check_precision(self, X: Any) -> None:
        warn_of_lost_bins(X, self.gamma_)

    def _check_fit_memory(self, X: Any) -> None:
        one = _BYTES_A_COLUMN * X.shape[1] + 8 * X.shape[0]
        what = (
            f"The grids and boxes of RandomBinning with n_components={self.n_components} on {X.shape[1]} input features"
        )
        fits = int(memory_budget("cpu") / one)
        check_memory(one * self.n_components, "cpu", what, f"The largest n_components that fits is about {fits}.")

    def weight_bytes(self, n_features: int) -> int:
        """Return the bytes of the grids; with those of the boxes once these are known."""
        return _BYTES_A_COLUMN * n_features * self.n_components + (8 * len(self.bins_) if hasattr(self, "bins_") else 0)

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        # A difference, a quotient and a rounding for each column of each grid; a product and a sum of the code.
        others = 5 * n_samples * self.n_components * n_features
        if self._is_drawn_for(n_features):  # with the boxes, which are known then
            return Counts(0, others, self._stored_bytes(n_features, 0))
        return Counts(0, others, 8 * (2 * self.n_components * n_features + n_features))

    def _computes_in_double(self) -> bool:
        return True

    def _draw(self, n_features: int) -> None:
        shape = (self.n_components, n_features)
        mixture = self.mixture
        pitches = whole_chunks(self.seed_, _PITCH_STREAM, mixture.pitches, np.empty(shape))
        if not (np.isfinite(pitches) & (pitches > 0.0)).all():
            raise ParameterError(
                "profile", "must draw finite pitches greater than 0", mixture, "Correct its pitches()."
            )
        with np.errstate(over="ignore"):
            pitches /= self.gamma_
        if not (np.isfinite(pitches) & (pitches > _SMALLEST_PITCH)).all():
            rule = "must make boxes whose sides and their inverses are finite in double precision"
            raise ParameterError("gamma", rule, self.gamma_, "Scale the data, and gamma with them.")
        self.pitches_ = pitches
        self.shifts_ = uniform(self.seed_, _SHIFT_STREAM, 1.0, out=np.empty(shape)) * pitches
        multipliers = np.empty((n_features, 1), dtype=np.int64)
        self.multipliers_ = whole_chunks(self.seed_, _HASH_STREAM, _any_integers, multipliers)[:, 0]

    def _learn(self, X: Any) -> None:
        def found(device: Device) -> Iterator[np.ndarray]:
            with device.activate():
                yield from map(to_host, _different_codes(device, X, self._grids))

        each = on_device_or_host(self.device, found)
        self.bins_ = np.concatenate(each)
        self.ends_ = np.cumsum([0, *map(len, each)])

    @property
    def mixture(self) -> HatMixture:
        """Return the kernel of one column, as a mixture of hats."""
        return as_mixture(self.profile, self.pitch_density)

    @property
    def _grids(self) -> Grids:
        return self.pitches_, self.shifts_, self.multipliers_

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        sliced = {name: getattr(self, name)[:n_components] for name in ("pitches_", "shifts_")}
        return sliced | {"ends_": self.ends_[: n_components + 1], "bins_": self.bins_[: self.columns(n_components)]}

    def columns(self, n_components: int) -> int:
        """Return the columns of the boxes of the first `n_components` repetitions."""
        return int(self.ends_[n_components])

    # --- mapping ------------------------------------------------------------------------------------------------------

    def codes(self, X: Any) -> np.ndarray:
        """Return each row's box in each repetition, as a number: equal if the box is the same, seen in `fit` or not.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components), int64
            Codes of one repetition mean nothing in another. The share of equal codes of two rows estimates the kernel.

        Raises
        ------
        MemoryBudgetError
            Where the result would not fit.
        """
        X = self._check_input(X)
        self._check_result(X.shape[0], 8, "Codes")

        def blocks(device: Device) -> Iterator[np.ndarray]:
            return _codes_on_gpu(X, self._grids, to_host, device) if device.is_gpu else _codes_on_host(X, self._grids)

        out = np.empty((X.shape[0], self.n_components), dtype=np.int64)
        start = 0
        for block in on_device_or_host(self.device, blocks):
            out[start : start + block.shape[1]] = block.T
            start += block.shape[1]
        return out

    def _blocks(self, X: Any, block_rows: int | None, scale: Any, device: Device, out: Any = None) -> Iterator[Any]:
        if device.is_gpu:
            with device.activate():
                known = device.asarray(self.bins_), device.asarray(self.ends_)
            return _csr_on_gpu(X, self._grids, known, device, scale, self.dtype, block_rows)
        finish = partial(_as_csr, bins=self.bins_, ends=self.ends_, scale=scale, dtype=self.dtype)
        return _codes_on_host(X, self._grids, finish, block_rows)

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    @property
    def fold_meaning(self) -> str:
        return "the edges of the bins: points in one bin are alike to this feature"

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        gamma = known_width(self)
        mixture = self.mixture
        if isinstance(mixture, LaplacianHats) and np.ndim(gamma) == 0:
            return kernels.laplacian(X, Y, gamma=float(gamma))
        return kernels.columnwise(X, Y, profile=mixture.value, gamma=gamma)

    def _n_symbols(self) -> int:
        return 2**63

    def _collision(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._kernel(X, Y)  # the chance to share a box

    def collision_law(self) -> CollisionLaw | None:
        """Return exp(−γ‖x − z‖₁); None for another kernel or a γ for each column, where no one distance tells."""
        gamma = known_width(self)
        if np.ndim(gamma) or not isinstance(as_mixture(self.profile), LaplacianHats):
            return None
        title = "sum of the differences of all columns, ‖x − z‖₁"
        return CollisionLaw(row_sums, lambda distance: np.exp(-gamma * distance), title, None)

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        # For rows whose boxes were seen in `fit`: a share of P independent events of probability k.
        k = self._kernel(X, None)
        one = k * (1.0 - k)
        return ProductLaw(lambda m: one / m, None, lambda m, p: np.sqrt(np.log(2.0 / p) / (2.0 * m)), "Hoeffding")

    def applicable_bounds(
        self, n_pairs: int, dimension: int, diameter: float, variance: float | None = None, norm: float = 1.0
    ) -> list[bounds.BoundStatement]:
        # Every built-in mixture of hats has E[1/δ] = L_k = γ; where each column has its own, the largest serves all.
        uniform = bounds.binning_uniform(dimension, diameter, float(np.max(known_width(self))))
        extra = [bounds.BoundStatement("one pair", bounds.bernstein(variance, 1.0), drawn=False)] if variance else []
        pairs = bounds.pair_statements(bounds.binning_pair(), n_pairs)
        return [*extra, *pairs, bounds.BoundStatement("everywhere", uniform)]

    def largest_error(self) -> float:
        return 1.0


def _any_integers(generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return generator.integers(-(2**63), 2**63, shape, dtype=np.int64)


# Pitches and shifts, float64 of shape (P, d), and multipliers, int64 of shape (d,); on the host.
Grids = tuple[np.ndarray, np.ndarray, np.ndarray]


def _dense_rows(X: Any, start: int, stop: int) -> np.ndarray:
    """Return rows of `X`, an array or a CSR matrix, as doubles whatever their type: a bin is the same in any."""
    rows = X[start:stop]
    return (rows.toarray() if sparse.issparse(rows) else rows).astype(np.float64, copy=False)


def joint_codes(X: np.ndarray, pitches: np.ndarray, shifts: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Return the codes of the joint bins of the rows of `X` in every repetition, on the host.

    Parameters
    ----------
    X : ndarray of shape (n, d), float64
    pitches, shifts : ndarray of shape (P, d), float64
    multipliers : ndarray of shape (d,), int64

    Returns
    -------
    ndarray of shape (P, n), int64
    """
    codes = np.zeros((pitches.shape[0], X.shape[0]), dtype=np.int64)
    columns = np.ascontiguousarray(X.T)
    for start in range(0, codes.shape[0], _TILE_REPETITIONS):
        part = slice(start, start + _TILE_REPETITIONS)
        rates = 1.0 / pitches[part]
        offsets = shifts[part] * rates
        if _add_cut_columns(columns, rates, offsets, multipliers, codes[part]):
            continue
        place, number = np.empty(codes[part].shape), np.empty(codes[part].shape, dtype=np.int64)
        for j in range(columns.shape[0]):
            np.multiply(rates[:, j, None], columns[j], out=place)
            np.subtract(place, offsets[:, j, None], out=place)
            _number(place, out=number)
            np.multiply(number, multipliers[j], out=number)  # modulo 2⁶⁴, as the sum
            codes[part] += number
    return codes


def _number(place: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return the number of each place's bin, int64; `place` is overwritten.

    A bin that is too far for an integer to number has the bits of its floating-point number, with its sign: they are
    beyond all other numbers, and different where the floating-point numbers are.
    """
    np.ceil(place, out=place)
    number = np.empty(place.shape, dtype=np.int64) if out is None else out
    far = np.abs(place) >= _FARTHEST
    if not far.any():
        number[...] = place
        return number
    number[...] = np.where(far, 0.0, place)
    number[far] = np.abs(place[far]).view(np.int64) * np.sign(place[far]).astype(np.int64)
    return number


def _add_cut_columns(columns: np.ndarray, rates: np.ndarray, offsets: np.ndarray, multipliers: Any, out: Any) -> bool:
    """Add the codes, by the columns that a grid cuts within the data; False, undone, where that is most of them.

    In many dimensions most pitches are wider than the data, and all rows are in one bin of those columns.
    """
    low, high = (_number(extreme * rates - offsets) for extreme in (columns.min(axis=1), columns.max(axis=1)))
    repetition, column = np.nonzero(low != high)
    if 3 * len(column) > low.size:
        return False
    out += (low * multipliers).sum(axis=1)[:, None]
    together = max(_TILE_ROWS * _TILE_REPETITIONS // max(columns.shape[1], 1), 1)
    for start in range(0, len(column), together):
        p, j = repetition[start : start + together], column[start : start + together]
        place = columns[j]
        place *= rates[p, j, None]
        place -= offsets[p, j, None]
        number = _number(place)
        number -= low[p, j, None]
        number *= multipliers[j, None]
        firsts = np.flatnonzero(np.diff(p, prepend=-1))
        out[p[firsts]] += np.add.reduceat(number, firsts, axis=0)
    return True


def _codes_on_host(
    X: Any, grids: Grids, finish: Callable[[Any], Any] | None = None, block_rows: int | None = None
) -> Iterator[Any]:
    """Yield ``finish(codes)``, or the codes, of consecutive rows of `X`, on all cores of the host if they are many."""
    n_samples, (n_repetitions, n_columns) = X.shape[0], grids[0].shape
    parallel = n_samples * n_repetitions * n_columns >= _PARALLEL_FROM
    workers = min(worker_count(), n_samples) if parallel else 1
    fitting = max(_BLOCK_BYTES // (8 * n_repetitions), _FEWEST_ROWS)
    rows = block_rows or max(min(_TILE_ROWS, fitting, -(-n_samples // workers)), 1)

    def compute(start: int) -> Any:
        codes = joint_codes(_dense_rows(X, start, start + rows), *grids)
        return codes if finish is None else finish(codes)

    return map_ordered(compute, range(0, n_samples, rows), workers)


def _codes_on_gpu(
    X: Any, grids: Grids, finish: Callable[[Any], Any], device: Device, block_rows: int | None = None
) -> Iterator[Any]:
    """Yield ``finish(codes)`` for consecutive rows of `X` on a GPU, fewer at a time where memory does not suffice."""

    def compute(xp: Any, rows: Any, arrays: tuple[Any, Any, Any]) -> Any:
        codes = xp.empty((arrays[0].shape[1], rows.shape[0]), dtype=np.int64)
        cuda.BIN_CODES(xp, rows, *arrays, codes)
        return finish(codes)

    return _gpu_blocks(X, grids, compute, device, block_rows)


def _csr_on_gpu(
    X: Any, grids: Grids, known: tuple[Any, Any], device: Device, scale: float, dtype: str, block_rows: int | None
) -> Iterator[Any]:
    """Yield CSR matrices of consecutive rows of `X` on a GPU; as :func:`_as_csr`, known bins on the device."""
    n_columns = known[0].shape[0]

    def compute(xp: Any, rows: Any, arrays: tuple[Any, Any, Any]) -> Any:
        columns = xp.empty((rows.shape[0], arrays[0].shape[1]), dtype=np.int64)
        cuda.BIN_COLUMNS(xp, rows, *arrays, *known, columns)
        seen = columns >= 0
        starts = xp.zeros(rows.shape[0] + 1, dtype=np.int64)
        starts[1:] = xp.cumsum(seen.sum(axis=1))
        index = np.int32 if max(n_columns, columns.size) < 2**31 else np.int64
        indices = columns[seen].astype(index)
        ones = xp.full(indices.shape, scale, dtype=dtype)
        return device.csr_matrix((ones, indices, starts.astype(index)), (rows.shape[0], n_columns))

    return _gpu_blocks(X, grids, compute, device, block_rows)


def _gpu_blocks(
    X: Any, grids: Grids, compute: Callable[..., Any], device: Device, block_rows: int | None
) -> Iterator[Any]:
    """Yield ``compute(xp, rows, arrays)`` for consecutive rows.

    The arrays are one over the pitches, the shifts times that, both of shape (d, P), and the multipliers.
    """
    fitting = max(_GPU_BLOCK_BYTES // (_GPU_BYTES * grids[0].shape[0]), _FEWEST_ROWS)
    with device.activate():
        rates = 1.0 / device.asarray(grids[0])
        offsets = device.asarray(grids[1]) * rates
        turned = (device.xp.ascontiguousarray(array.T) for array in (rates, offsets))
        arrays = *turned, device.asarray(grids[2])
        del rates, offsets
    stream = backend.RowStream(X, device, np.float64)

    def block(start: int, stop: int) -> Any:
        with device.activate():
            rows = device.asarray(_dense_rows(X, start, stop)) if sparse.issparse(X) else stream.block(start, stop)
            return compute(device.xp, rows, arrays)

    rows = min(block_rows or min(_GPU_ROWS, fitting), X.shape[0])
    try:
        yield from halving(block, X.shape[0], rows, device, stream.close)
    finally:
        stream.close()


def _places(codes: np.ndarray, bins: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the columns of codes among the bins that are known, on the host.

    Parameters
    ----------
    codes : ndarray of shape (P, n), int64
    bins : ndarray of shape (n_bins,), int64
        Those of every repetition one after another, each repetition's rising.
    ends : ndarray of shape (P + 1,)
        Where each repetition's bins begin and end.

    Returns
    -------
    columns : ndarray of shape (P, n), int64
        Positions in `bins`, arbitrary where the bin is not known.
    known : ndarray of shape (P, n), bool
    """
    columns, known = np.empty(codes.shape, dtype=np.int64), np.empty(codes.shape, dtype=bool)
    for p in range(codes.shape[0]):
        own = bins[int(ends[p]) : int(ends[p + 1])]
        place = np.minimum(np.searchsorted(own, codes[p]), own.shape[0] - 1)
        known[p] = own[place] == codes[p]
        columns[p] = place + int(ends[p])
    return columns, known


def _as_csr(codes: np.ndarray, bins: np.ndarray, ends: np.ndarray, scale: float, dtype: str) -> Any:
    """Convert codes of shape (P, rows) to a CSR matrix of shape (rows, n_bins): `scale` for each bin that is known."""
    columns, known = _places(codes, bins, ends)
    starts = np.zeros(codes.shape[1] + 1, dtype=np.int64)
    starts[1:] = np.cumsum(known.sum(axis=0))
    index = np.int32 if max(len(bins), codes.size) < 2**31 else np.int64
    indices = np.ascontiguousarray(columns.T)[np.ascontiguousarray(known.T)].astype(index)
    ones = np.full(indices.shape, scale, dtype=dtype)
    return sparse.csr_matrix((ones, indices, starts.astype(index)), (codes.shape[1], int(ends[-1])))


def _different_codes(device: Device, X: Any, grids: Grids) -> Iterator[Any]:
    """Return the different codes of the rows of `X` in each repetition, rising: an array on the device for each."""
    n_samples, n_repetitions = X.shape[0], grids[0].shape[0]
    together = max(_SORTED_BYTES // (8 * n_samples), 1)
    for start in range(0, n_repetitions, together):
        part = grids[0][start : start + together], grids[1][start : start + together], grids[2]
        codes = list(_codes_on_gpu(X, part, lambda codes: codes, device) if device.is_gpu else _codes_on_host(X, part))
        whole = codes[0] if len(codes) == 1 else device.xp.concatenate(codes, axis=1)
        yield from map(device.xp.unique, whole)
