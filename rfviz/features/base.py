"""The contract of a feature map, with what all maps share of fitting: validation, memory, prefixes, registry."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz import bounds
from rfviz.backend import Device, check_memory, get_device, memory_budget, to_host
from rfviz.errors import DataError, ParameterError, SlowKernelError, warn
from rfviz.features.cost import INDEX_BYTES, Counts
from rfviz.features.description import DistanceLaw, Look, ProductLaw, Step, number
from rfviz.features.mapping import BlockTransformer
from rfviz.features.precision import check_offsets, largest_entry
from rfviz.params import Declared, Param, parameter
from rfviz.random_state import seed_from

__all__ = ["COMMON_PARAMS", "FeatureMap", "SlowKernelError", "labelled"]

# Parameters that a fitted map does not depend on.
_PASSING = ("device", "random_state")
_registry: dict[str, type[FeatureMap]] = {}


def labelled() -> dict[str, type[FeatureMap]]:
    """Return every feature map with a label that has been defined by now, by class name."""
    return dict(_registry)


class FeatureMap(ClassNamePrefixFeaturesOutMixin, BlockTransformer, Declared, BaseEstimator):
    """Base of all feature maps: subclasses that declare `label` and their parameters and fill in the hooks.

    Hooks
    -----
    ``_draw(n_features)``
        Draw the weights on the host and store them as fitted attributes named in `_weights`.
    ``_slice_weights(n_components)``
        The weights of the first features, by attribute name.
    ``_map_block(xp, X, weights, scale, out, scratch)``
        Write the features of the rows `X`, times `scale`, to `out`. Not for a map with `sparse_output`: that one
        gives its own ``transform`` and ``transform_blocks``, and says how many ``columns`` its first features take.
    ``unit_scale``
        Scale of one feature: the map is that times 1/√m, unless `_scale` gives each feature its own.
    ``_kernel(X, Y)``, ``_product_law(X)``
        The closed forms of :meth:`kernel` and :meth:`product_law`, of finite matrices of doubles; `Y` may be None.
    """

    n_components: int = parameter(
        default=1000,
        kind="int",
        kw_only=False,
        low=1,
        high=10_000_000,
        ui_low=10,
        ui_high=20_000,
        log=True,
        symbol="m",
        label="Features",
        help="How many random features. The error of the kernel estimate falls as 1/√m.",
    )
    random_state: Any = 0
    device: str | Device = "auto"
    dtype: str = parameter(
        default="float32",
        kind="choice",
        choices=("float32", "float64"),
        label="Precision",
        help="float32 is twice as fast; its rounding stays far below the sampling error of the features.",
    )

    label: ClassVar[str] = ""
    #: Look of its curves in charts; a map without one gets a look by its name.
    look: ClassVar[Look | None] = None
    summary: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    #: Time to map n samples of d columns to m features.
    cost: ClassVar[str] = ""
    #: Paper that described it, and when.
    reference: ClassVar[str] = ""
    #: Rank in overviews, which go from linear to the most structured; maps that declare none come last.
    rank: ClassVar[int] = 1000
    #: Parameters that suit points of a plane, where the defaults are made for data of another size.
    plane_params: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    # See `rotation_invariant`, and `law_missing`.
    _rotation_invariant: ClassVar[bool] = False
    #: Whether a constant 1 next to the inputs changes it: its projections have no offset of their own.
    takes_constant: ClassVar[bool] = False
    #: Largest absolute value of an unscaled feature, the C of Theorem 3, or None if features are unbounded.
    feature_norm: ClassVar[float | None] = None
    #: Whether the theorem of random kitchen sinks on learning applies: features are at most `unit_scale`.
    is_kitchen_sink: ClassVar[bool] = False
    #: Whether it makes sense for images only, so that menus offer it where the data are images.
    needs_images: ClassVar[bool] = False
    #: Fitted attributes that come from the data and not from the seed: see :mod:`rfviz.features.portable`.
    from_data: ClassVar[tuple[str, ...]] = ()
    _law_missing: ClassVar[str] = "No law of distances is known for this map."

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("label"):
            _registry[cls.__name__] = cls

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the dtype is a parameter, not the input's
        return tags

    # --- fitting ------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the map for data with as many columns as `X`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Only its shape is used, the statistics that parameters ask for (``gamma="scale"``), and by a map with sparse
            output the rows themselves, which say what columns there are.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            For a parameter that breaks its rule.
        MemoryBudgetError
            Where the weights would not fit; the message names the largest number of features that does.
        DataError
            For values so large that features would overflow, or so small that weights would.

        Warns
        -----
        PrecisionWarning
            If `dtype` has too few digits for these rows.
        """
        self._check_params()
        X = _canonical(validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32]))
        self._check_range(X)
        self._warn_of_guess(X.shape[1])
        self._check_fit_memory(X)
        self.seed_ = seed_from(self.random_state)
        self._fit_statistics(X)
        with np.errstate(over="ignore", invalid="ignore"):  # which the check of the weights tells in words
            self._draw(X.shape[1])
        self._check_weights(X)
        self._learn(X)
        self._fitted_with = self._lasting_params()
        self._check_precision(X)
        return self

    def _check_params(self) -> None:
        for param in self.params:
            given = getattr(self, param.name)
            value = self._check_param(param, given)
            if isinstance(given, np.generic):  # a NumPy integer overflows in the sizes that are computed from it
                setattr(self, param.name, value)
        get_device(self.device)

    def _check_param(self, param: Param, value: Any) -> Any:
        return param.validate(value)  # overridden by maps that accept more than is declared

    @classmethod
    def compared(cls) -> Param | None:
        """Return the parameter whose values charts draw next to each other, or None if there is none."""
        return next((param for param in cls.params if param.compared), None)

    @classmethod
    def for_images(cls, param: Param, image_shape: Sequence[int], values: Mapping[str, Any]) -> Param:
        """Return a parameter as images of a shape bound it, given the `values` of those declared before it."""
        return param

    def guessed_image(self, n_features: int) -> tuple[int, ...] | None:
        """Return the shape that is guessed of images with this number of columns, or None if none is guessed."""
        return None

    def _warn_of_guess(self, n_features: int) -> None:
        shape = self.guessed_image(n_features)
        if shape is None:
            return
        height, width, *channels = shape
        if height == width and channels in ([], [1]):
            return
        sides = [height, width, *(channels if channels != [1] else [])]
        warn(
            f"Rows of {n_features} columns are taken for images of {' × '.join(map(str, sides))}. If they are others, "
            "give image_shape=(height, width) or (height, width, channels).",
            UserWarning,
        )

    def _check_weights(self, X: Any) -> None:
        """Refuse weights that overflow, as those of data far below the smallest numbers of the map do.

        Raises
        ------
        DataError
        """
        with np.errstate(over="ignore"):
            if all(np.isfinite(factors).all() for factors in self._factors()):
                return
        double = ", or use dtype='float64'" if self.dtype == "float32" else ""
        raise DataError(
            f"{self.dtype} cannot hold the weights that suit X, whose largest value is {largest_entry(X):.2g}. Scale "
            f"the data{double}."
        )

    def _factors(self) -> list[np.ndarray]:
        """Return what the map multiplies rows by, in its precision."""
        return [getattr(self, name) for name in self._weights if hasattr(self, name)]

    def _check_precision(self, X: Any) -> None:
        """Warn where the map's numbers have too few digits for the rows that it is fitted on."""
        check_offsets(X, self.dtype)

    def _fit_statistics(self, X: Any) -> None:
        """Learn what the parameters ask of the data; nothing by default."""

    def learnt_parameters(self) -> list[str]:
        """Return the parameters whose values come from the rows that it is fitted on: ``["gamma='scale'"]``."""
        given = [(p.name, getattr(self, p.name)) for p in self.params if p.kind == "float"]
        return [f"{name}={value!r}" for name, value in given if isinstance(value, str)]

    def _learn(self, X: Any) -> None:
        """Learn, once the weights are drawn, what the output looks like on these rows; nothing by default."""

    def _check_fit_memory(self, X: Any) -> None:
        self._check_weight_memory(X.shape[1])

    def _check_weight_memory(self, n_features: int) -> None:
        needed, budget = self.weight_bytes(n_features), memory_budget("cpu")
        if needed > budget:
            remedy = f"The largest n_components that fits is about {self._largest_that_fits(n_features, budget)}."
            what = f"{type(self).__name__} with n_components={self.n_components} on {n_features} input features"
            check_memory(needed, "cpu", f"The weights of {what}", remedy)

    def _largest_that_fits(self, n_features: int, budget: int) -> int:
        """Find the largest map that fits by halving, since weights that come in blocks do not grow in proportion."""
        probe, low, high = copy.copy(self), 0, self.n_components
        while high - low > 1:
            probe.n_components = (low + high) // 2
            if probe.weight_bytes(n_features) <= budget:
                low = probe.n_components
            else:
                high = probe.n_components
        return low

    def weight_bytes(self, n_features: int) -> int:
        """Return the bytes of weights that fitting on `n_features` columns would store."""
        return self._numbers_per_feature(n_features) * self.n_components * np.dtype(self.dtype).itemsize

    def _numbers_per_feature(self, n_features: int) -> int:
        return n_features

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        """Return the multiply-adds of the matrix products that map `n_samples` rows: the floor of the cost."""
        return self._numbers_per_feature(n_features) * self.n_components * n_samples

    def _work(self, n_samples: int, n_features: int) -> int:
        return self.multiply_adds(n_samples, n_features)  # the time that mapping takes, in the same unit

    # --- the least cost of mapping: see rfviz.features.cost -----------------------------------------------------------

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        """Count the operations of mapping: by default those of the matrix products, and one a feature."""
        numbers = self._numbers_per_feature(n_features) * self.n_components
        products = 2 * self.multiply_adds(n_samples, n_features)
        return Counts(products, n_samples * self.n_components, self._stored_bytes(n_features, numbers))

    def _is_drawn_for(self, n_features: int) -> bool:
        return getattr(self, "n_features_in_", None) == n_features

    def _stored_bytes(self, n_features: int, numbers: float, indices: float = 0) -> float:
        """Return the bytes of the weights as they were drawn, or of arrays with these numbers of values and indices."""
        if self._is_drawn_for(n_features):
            return sum(getattr(self, name).nbytes for name in self._weights if hasattr(self, name))
        return numbers * np.dtype(self.dtype).itemsize + indices * INDEX_BYTES

    def _computes_in_double(self) -> bool:
        return self.dtype == "float64"

    def _columns_read(self, n_features: int) -> int:
        return n_features

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    def _lasting_params(self) -> dict[str, Any]:
        """Return the parameters that the fitted map depends on."""
        return {name: getattr(self, name) for name in self._get_param_names() if name not in _PASSING}

    def _adopt(self, **params: Any) -> None:
        """Set parameters of a copy of a fitted map that is as if fitted with them."""
        self._fitted_with = {**self._fitted_with, **params}
        for name, value in params.items():
            setattr(self, name, value)

    def _check_fitted(self) -> None:
        """Refuse a map that is not fitted, or whose parameters have been changed since.

        Raises
        ------
        NotFittedError, ParameterError
        """
        check_is_fitted(self)
        for name, value in getattr(self, "_fitted_with", {}).items():
            now = getattr(self, name)
            if now is not value and not np.array_equal(now, value):
                remedy = f"The map was fitted with {value!r}: call fit again, or set it back."
                raise ParameterError(name, "of a fitted map takes effect at the next fit", now, remedy)

    def prefix(self, n_components: int) -> Self:
        """Return the fitted map of the first features, sharing memory with this one.

        Equal to fitting with ``n_components`` set so and the same `random_state`, at no cost.

        Parameters
        ----------
        n_components : int
            From 1 to this map's number of features.

        Raises
        ------
        ParameterError
            Where it is out of that range, or breaks a rule of the map.
        """
        self._check_fitted()
        smaller = copy.copy(self)
        smaller._adopt(n_components=self._validate_prefix("n_components", n_components, self.n_components))
        smaller._check_params()
        for name, value in self._slice_weights(smaller.n_components).items():
            setattr(smaller, name, value)
        return smaller

    @staticmethod
    def _validate_prefix(name: str, value: int, largest: int) -> int:
        return Param(name, largest, "int", low=1, high=largest).validate(value)

    def shares(self, n_components: int) -> float | np.ndarray:
        """Return the weights of the first m unscaled features in the kernel's estimate: one number, or shape (m,).

        With F the unscaled features, ``F[:, :m] * shares(m) @ F[:, :m].T`` is the estimate by ``prefix(m)``.
        """
        return 1.0 / n_components

    def kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the closed-form kernel that the inner products of features estimate.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples_X, n_features)
        Y : array-like or CSR matrix of shape (n_samples_Y, n_features), optional
            `X` where it is not given.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y), float64

        Raises
        ------
        DataError
            If the argument is not a finite matrix, or has other columns than the rows that the map was fitted on.
        ParameterError
            For a parameter that is still to be learnt from data; or a map without a closed form.
        NotFittedError
            Before :meth:`fit`, from a map whose kernel depends on the rows that it is fitted on.
        SlowKernelError
            Where it would take minutes.
        MemoryBudgetError
            Where the result would not fit.
        """
        return self._kernel(self._rows(X, "X"), None if Y is None else self._rows(Y, "Y"))

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        raise ParameterError("kernel", "must have a closed form", type(self).__name__, "This map has none.")

    @property
    def rotation_invariant(self) -> bool:
        """Return whether the law is unchanged when the data are rotated or written in a basis of their span."""
        return self._rotation_invariant

    @property
    def law_missing(self) -> str:
        """Return why :meth:`distance_law` is None, in one sentence, if it is."""
        return self._law_missing

    def distance_law(self) -> DistanceLaw | None:
        """Return how the map treats distances, in closed form, or None if it has no such law."""
        return None

    def product_law(self, X: Any) -> ProductLaw | None:
        """Return the law of the kernel estimate for all pairs of rows of `X`, in closed form; None if unknown.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Raises
        ------
        DataError, ParameterError, NotFittedError, SlowKernelError, MemoryBudgetError
            As :meth:`kernel`.
        """
        return self._product_law(self._rows(X))

    def _product_law(self, X: np.ndarray) -> ProductLaw | None:
        return None

    @property
    def estimates_gaussian(self) -> bool:
        """Return whether the kernel is exp(−γ‖x − z‖²) with the map's own γ, that of an RBF-SVM."""
        return False

    # --- one feature, step by step ------------------------------------------------------------------------------------

    def explain(self, X: Any, feature: int) -> tuple[Step, ...]:
        """Return how one feature of one point comes about, with the numbers of the point in each place.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (1, n_features)
        feature : int
            From 0 to one less than the map's number of columns.

        Returns
        -------
        tuple of Step
            The value of the last is that of ``transform(X)`` to rounding.

        Raises
        ------
        ParameterError
            For more rows than one, or a feature that there is not.
        """
        row = self.transform(X)
        if row.shape[0] != 1:
            raise ParameterError("X", "must be one row", f"{row.shape[0]} rows", "Give one row, such as X[:1].")
        feature = Param("feature", 0, "int", low=0, high=row.shape[1] - 1).validate(feature)
        x = self._rows(X)[0].astype(self.dtype)
        steps = self._explain(x, feature)
        if steps:
            return tuple(steps)
        value = float(row[0, feature])
        return (Step("The map gives this feature of the point.", rf"\Phi_\ell={number(value)}", value),)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        """Return the steps of one feature; none by default, so that only its value is told."""
        return []

    # --- bounds on the kernel estimate --------------------------------------------------------------------------------

    def applicable_bounds(
        self, n_pairs: int, dimension: int, diameter: float, variance: float | None = None, norm: float = 1.0
    ) -> list[bounds.BoundStatement]:
        """Return the bounds on the error of the kernel estimate; an empty list if :meth:`why_no_bound` gives a reason.

        Parameters of the map must be numbers (see :meth:`rfviz.features.MapSpec.resolve`), or the map be fitted.

        Parameters
        ----------
        n_pairs : int
            For the union over all pairs.
        dimension : int
            d of the bounds for a region.
        diameter : float
            Of the region.
        variance : float, optional
            m times the largest exact variance of an estimate, for Bernstein's inequality.
        norm : float
            Of the longest of the points, for features that grow with them.
        """
        bound = None if self.why_no_bound() else self._pair_bound(norm)
        return [] if bound is None else bounds.pair_statements(bound, n_pairs)

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        """Return the bound for one pair of points no longer than `norm`, or None if none is known."""
        return None if self.feature_norm is None else bounds.bounded_products(self.feature_norm)

    def why_no_bound(self) -> str:
        """Return why no bound with all its constants applies, as a sentence, or an empty string if one applies."""
        if self._pair_bound(1.0) is not None:
            return ""
        return "Its features are unbounded, so that Hoeffding’s inequality does not hold; no other bound is known."

    def largest_feature(self) -> float | None:
        """Return the largest absolute value of an unscaled feature, C, or None if there is none."""
        return self.feature_norm

    def largest_error(self) -> float | None:
        """Return an error that no draw can exceed, above which a bound says nothing, or None if there is none."""
        return None if self.feature_norm is None else self.feature_norm**2 + 1.0

    # --- where features fold ------------------------------------------------------------------------------------------

    @property
    def fold_meaning(self) -> str:
        """Return what a fold of a feature is, in a few words to follow “lines show”; empty for linear features."""
        return "where a feature changes its sign"

    def pieces(self, X: Any) -> np.ndarray | None:
        """Return on which piece of each feature each row lies; a fold runs where that changes.

        By default the sign of the feature: the bend of a ReLU, the jump of a stump, the zero line of a wave.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components), integers or booleans, or None
            None if features are linear and have no folds.
        """
        return self._above(X, 0.0)

    def _above(self, X: Any, threshold: float) -> np.ndarray:
        """Return where unscaled features are above a threshold."""
        return np.concatenate([to_host(block) > threshold for block in self.transform_blocks(X, scaled=False)])

    def _draw(self, n_features: int) -> None:
        raise TypeError(f"{type(self).__name__} does not say how its weights are drawn")

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        raise TypeError(f"{type(self).__name__} does not say which weights belong to its first features")


#: The parameters that all maps have.
COMMON_PARAMS = FeatureMap.params


def _canonical(X: Any) -> Any:
    """Return a matrix each of whose entries is stored once: a copy of a sparse one that has duplicates, or unsorted."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()  # of the caller's, which may be read-only
        X.sum_duplicates()
    return X
