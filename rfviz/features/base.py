"""The contract of a feature map, and what schemes share of fitting: validation, memory, nested prefixes, registry."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import check_memory, get_device, memory_budget
from rfviz.errors import ParameterError
from rfviz.features.draws import seed_from
from rfviz.features.law import DistanceLaw, ProductLaw
from rfviz.features.mapping import BlockTransformer
from rfviz.params import Param

__all__ = ["COMMON_PARAMS", "FeatureMap", "registry"]

COMMON_PARAMS = (
    Param(
        "n_components", 1000, "int", low=1, high=10_000_000, ui_low=10, ui_high=20_000, log=True, symbol="m",
        label="Features", help="How many random features. The error of the kernel estimate falls as 1/√m.",
    ),
    Param(
        "dtype", "float32", "choice", choices=("float32", "float64"), label="Precision",
        help="float32 is twice as fast; its rounding stays far below the sampling error of the features.",
    ),
)  # fmt: skip

_registry: dict[str, type[FeatureMap]] = {}


def registry() -> dict[str, type[FeatureMap]]:
    """Every scheme, by class name, in the order of definition."""
    return dict(_registry)


class FeatureMap(ClassNamePrefixFeaturesOutMixin, BlockTransformer, BaseEstimator):
    """Base of all schemes; a scheme is a subclass that declares `label` and `params` and fills in the hooks.

    Hooks
    -----
    ``_draw(n_features)``
        Draw the weights on the host and store them as fitted attributes named in `_weights`.
    ``_slice_weights(n_components)``
        The weights of the first features, by attribute name.
    ``_map_block(xp, X, weights, scale, out, scratch)``
        Write the features of the rows `X`, times `scale`, to `out`. Not for a scheme with `sparse_output`: that one
        gives its own ``transform`` and ``transform_blocks``, and says how many ``columns`` its first features take.
    ``_unit_scale``
        Scale of one feature: the map is that times 1/√m, unless `_scale` gives each feature its own.
    """

    label: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    #: Time to map n samples of d columns to m features.
    cost: ClassVar[str] = ""
    #: Who described it, and when.
    reference: ClassVar[str] = ""
    params: ClassVar[tuple[Param, ...]] = COMMON_PARAMS
    #: Whether the law is unchanged when the data are rotated or written in a basis of their span. Ask an instance.
    rotation_invariant: bool = False
    #: Fitted attributes that come from the data and not from the seed: see :mod:`rfviz.features.portable`.
    from_data: ClassVar[tuple[str, ...]] = ()
    law_missing: str = "No law of distances is known for this map."  #: why `distance_law` is None, if it is

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("label"):
            _registry[cls.__name__] = cls

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the dtype is a parameter, not the input's
        return tags

    # --- fitting ------------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> FeatureMap:
        """Draw the map for data with as many columns as `X`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Only its shape is used, the statistics that a scheme's parameters ask for (``gamma="scale"``), and by a
            scheme with sparse output the rows themselves, which say what columns there are.
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
        """
        self._check_params()
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._check_fit_memory(X)
        self.seed_ = seed_from(self.random_state)
        self._fit_statistics(X)
        self._draw(X.shape[1])
        self._learn(X)
        return self

    def _check_params(self) -> None:
        for param in self.params:
            given = getattr(self, param.name)
            value = self._check_param(param, given)
            if isinstance(given, np.generic):  # a NumPy integer overflows in the sizes that are computed from it
                setattr(self, param.name, value)
        get_device(self.device)

    def _check_param(self, param: Param, value: Any) -> Any:
        return param.validate(value)  # a scheme that accepts more than is declared says so here

    def _fit_statistics(self, X: Any) -> None:
        """Learn what the scheme's parameters ask of the data; nothing by default."""

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
        """By halving, since weights that come in blocks do not grow in proportion to their number."""
        probe, low, high = copy.copy(self), 0, self.n_components
        while high - low > 1:
            probe.n_components = (low + high) // 2
            if probe.weight_bytes(n_features) <= budget:
                low = probe.n_components
            else:
                high = probe.n_components
        return low

    def weight_bytes(self, n_features: int) -> int:
        """Bytes of weights that fitting on `n_features` columns would store."""
        return self._numbers_per_feature(n_features) * self.n_components * np.dtype(self.dtype).itemsize

    def _numbers_per_feature(self, n_features: int) -> int:
        return n_features

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        """Multiply-adds of the matrix products that map `n_samples` rows: the floor of the cost."""
        return self._numbers_per_feature(n_features) * self.n_components * n_samples

    def _work(self, n_samples: int, n_features: int) -> int:
        return self.multiply_adds(n_samples, n_features)  # the time that mapping takes, in the same unit

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    def prefix(self, n_components: int) -> FeatureMap:
        """The fitted map of the first features, sharing memory with this one.

        Equal to fitting with ``n_components`` set so and the same `random_state`, at no cost.

        Parameters
        ----------
        n_components : int
            From 1 to this map's number of features.

        Raises
        ------
        ParameterError
            Where it is out of that range, or breaks a rule of the scheme.
        """
        check_is_fitted(self)
        smaller = copy.copy(self)
        smaller.n_components = self._validate_prefix("n_components", n_components, self.n_components)
        smaller._check_params()
        for name, value in self._slice_weights(smaller.n_components).items():
            setattr(smaller, name, value)
        return smaller

    @staticmethod
    def _validate_prefix(name: str, value: int, largest: int) -> int:
        return Param(name, largest, "int", low=1, high=largest).validate(value)

    def shares(self, n_components: int) -> float | np.ndarray:
        """What each of the first m unscaled features counts in the kernel's estimate: one number, or shape (m,).

        With F the unscaled features, ``F[:, :m] * shares(m) @ F[:, :m].T`` is the estimate by ``prefix(m)``.
        """
        return 1.0 / n_components

    def kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        """The closed-form kernel whose estimate the inner products of features are.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features)
        Y : array-like of shape (n_samples_Y, n_features), optional
            `X` where it is not given.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y), float64
        """
        raise ParameterError("kernel", "must have a closed form", type(self).__name__, "This scheme has none.")

    def distance_law(self) -> DistanceLaw | None:
        """How the map treats distances, in closed form; None where there is no such law for the scheme."""
        return None

    def product_law(self, X: Any) -> ProductLaw | None:
        """How the kernel estimate errs for all pairs of rows of `X`, in closed form; None where that is not known."""

    def _draw(self, n_features: int) -> None:
        raise TypeError(f"{type(self).__name__} does not say how its weights are drawn")

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        raise TypeError(f"{type(self).__name__} does not say which weights belong to its first features")
