"""Random binning features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rfviz import bounds, kernels
from rfviz.backend import Device, check_memory, memory_budget, to_host
from rfviz.bounds import BoundStatement
from rfviz.errors import ParameterError
from rfviz.features import bins
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.cost import Counts
from rfviz.features.draws import uniform, whole_chunks
from rfviz.features.hashing import CollisionLaw, HashingMap, row_sums
from rfviz.features.law import BY_COLUMN, ProductLaw
from rfviz.features.look import Look
from rfviz.features.pitches import PROFILES, HatMixture, LaplacianHats, as_mixture
from rfviz.features.sparse_map import SparseFeatureMap, on_device_or_host
from rfviz.features.widths import check_widths, known_width, l1_gamma, warn_of_lost_bins, width_in_use
from rfviz.params import Param

__all__ = ["RandomBinning"]

_PITCH_STREAM, _SHIFT_STREAM, _HASH_STREAM = 0, 1, 2
# Pitches and shifts in double precision.
_BYTES_A_COLUMN = 2 * 8
_SMALLEST_PITCH = 1e-200


class RandomBinning(HashingMap, SparseFeatureMap):
    r"""Which bin of a randomly shifted grid a point lies in, for many grids: for the kernel exp(−γ‖x − z‖₁) and others.

    .. math::
        b_{pj}(x) = \lceil (x_j - u_{pj}) / \delta_{pj} \rceil, \quad
        \delta_{pj} \sim p, \; u_{pj} \sim U[0, \delta_{pj}], \qquad
        \langle\Phi(x), \Phi(z)\rangle = \tfrac1P \#\{p : b_p(x) = b_p(z)\}

    A repetition divides space into boxes by one grid for each column of the data; its features are 1/√P for the box
    that the point is in and 0 for all others. Two points share a box with probability Π_j k(γ|x_j − z_j|), where k is
    the mixture of hats whose law of pitches is p: see :mod:`rfviz.features.pitches`. For exp(−t) it is Gamma(2, 1).

    **Output.** One column for each box of each repetition that a row in `fit` lies in, so the output is a CSR matrix
    with P entries a row at most, never dense; :meth:`columns` says how many columns the first repetitions take. A point
    in a box that was not seen in `fit` has no entry in that repetition. Inner products with the rows of `fit` lose
    nothing by that; those of two new points miss the boxes that only new points share. :meth:`codes` counts those too.

    Cost: O(n·P·d) to map, O(P) numbers a row. Caveats: estimates are shares of P boxes, so a small kernel value is most
    often 0; in many dimensions a kernel that is not small needs a small gamma, and then most points share their boxes.

    Boxes are computed in double precision whatever `dtype`, the type of the output. They are told apart by 64-bit
    codes; that two boxes share one is as good as impossible: see :mod:`rfviz.features.bins`.

    Parameters
    ----------
    n_components : int
        Number of repetitions P. ``prefix(P')`` is the map of the first P' of them, and its columns are the first.
    gamma : float, "scale", "median" or array of shape (n_features,)
        γ, one over a length. ``"scale"`` is 1/(n_features · standard deviation of X), ``"median"`` one over the median
        of ‖x − z‖₁; an array has a γ for each column.
    profile : {"laplacian", "hat", "rational"} or HatMixture
        k: exp(−t), max(0, 1 − t), 1/(1 + t), or a mixture of one's own.
    random_state : int, None, RandomState or Generator
    device : {"auto", "cpu", "cuda", "cuda:<index>"}
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

    label: ClassVar[str] = "Random binning"
    look: ClassVar[Look | None] = Look("#bd2d3f", "longdash", "square-cross")
    from_data: ClassVar[tuple[str, ...]] = ("gamma_", "bins_", "ends_")
    _law_missing: ClassVar[str] = BY_COLUMN
    summary: ClassVar[str] = "Boxes of randomly shifted grids; points that share many have a large Laplacian kernel."
    formula: ClassVar[str] = (
        r"\Phi_{p,b}(x)=\tfrac{1}{\sqrt P}\,[\lceil(x_j-u_{pj})/\delta_{pj}\rceil=b_j\;\forall j],"
        r"\quad\delta_{pj}\sim\mathrm{Gamma}(2,\tfrac1\gamma),\;u_{pj}\sim U[0,\delta_{pj}]"
    )
    cost: ClassVar[str] = "O(n·P·d)"
    reference: ClassVar[str] = "Rahimi, Recht 2007"
    rank: ClassVar[int] = 90
    feature_norm: ClassVar[float | None] = 1.0
    plane_params: ClassVar[Mapping[str, Any]] = {"gamma": 0.5}
    hash_label: ClassVar[str] = "Boxes (binning)"
    params: ClassVar[tuple[Param, ...]] = (
        replace(
            COMMON_PARAMS[0], ui_high=2000, symbol="P", label="Grids",
            help="How many random grids. Each adds as many columns as it has boxes with points in them.",
        ),
        *COMMON_PARAMS[1:],
        Param(
            "gamma", "scale", "float", low=0.0, open_low=True, choices=("scale", "median"), ui_low=0.01,
            ui_high=100.0, log=True, symbol=r"\gamma", label="Gamma",
            help="Inverse length scale of the kernel exp(−γ‖x−z‖₁). A larger γ makes smaller boxes.",
        ),
        Param(
            "profile", "laplacian", "choice", choices=tuple(PROFILES), label="Kernel",
            titles=tuple(name.capitalize() for name in PROFILES),
            help="What the chance to share a bin is in each column: exp(−γt), max(0, 1 − γt), or 1/(1 + γt).",
        ),
    )  # fmt: skip
    _weights: ClassVar[tuple[str, ...]] = ("pitches_", "shifts_", "multipliers_", "ends_", "bins_")

    def __init__(
        self,
        n_components: int = 1000,
        *,
        gamma: Any = "scale",
        profile: str | HatMixture = "laplacian",
        random_state: Any = 0,
        device: str | Device = "auto",
        dtype: str = "float32",
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.profile = profile
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

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
                yield from map(to_host, bins.different(device, X, self._grids))

        each = on_device_or_host(self.device, found)
        self.bins_ = np.concatenate(each)
        self.ends_ = np.cumsum([0, *map(len, each)])

    @property
    def mixture(self) -> HatMixture:
        """Return the kernel of one column, as a mixture of hats."""
        return as_mixture(self.profile)

    @property
    def _grids(self) -> bins.Grids:
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
            return bins.on_gpu(X, self._grids, to_host, device) if device.is_gpu else bins.on_host(X, self._grids)

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
            return bins.csr_on_gpu(X, self._grids, known, device, scale, self.dtype, block_rows)
        finish = partial(bins.as_csr, bins=self.bins_, ends=self.ends_, scale=scale, dtype=self.dtype)
        return bins.on_host(X, self._grids, finish, block_rows)

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
        self, n_pairs: int, dimension: int, diameter: float, variance: float | None = None
    ) -> list[BoundStatement]:
        # Every built-in mixture of hats has E[1/δ] = L_k = γ; where each column has its own, the largest serves all.
        uniform = bounds.binning_uniform(dimension, diameter, float(np.max(known_width(self))))
        extra = [BoundStatement("one pair", bounds.bernstein(variance, 1.0), drawn=False)] if variance else []
        pairs = bounds.pair_statements(bounds.binning_pair(), n_pairs)
        return [*extra, *pairs, BoundStatement("everywhere", uniform)]

    def largest_error(self) -> float:
        return 1.0


def _any_integers(generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return generator.integers(-(2**63), 2**63, shape, dtype=np.int64)
