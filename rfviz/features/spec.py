"""A feature map with its parameters before it is made: hashable, so that it can be the key of a cache."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from rfviz.errors import ParameterError
from rfviz.features.base import FeatureMap

__all__ = ["MapSpec"]

M = TypeVar("M", bound=FeatureMap, covariant=True)  # noqa: PLC0105 - used in this module alone


class MapSpec(Generic[M]):
    """A class of feature maps and some of its parameters; the others have their defaults.

    Specifications are equal if the maps are, whichever parameters were given and in whichever order; equal ones have
    equal hashes. The parameters are not checked: ``make().fit(X)`` does that, as for any scikit-learn estimator.

    Parameters
    ----------
    cls : type of FeatureMap
    **params
        Keyword arguments of the class. Lists become tuples, NumPy scalars Python numbers.

    Raises
    ------
    ParameterError
        For a parameter that the class does not have.

    Examples
    --------
    >>> from rfviz.features import MapSpec, RandomMaxout
    >>> spec = MapSpec(RandomMaxout, pool_size=8)
    >>> spec.replace(n_components=100)
    MapSpec(RandomMaxout, n_components=100, pool_size=8)
    >>> spec.make(n_components=100).get_params()["pool_size"]
    8
    """

    __slots__ = ("_items", "_key", "_values", "cls")

    cls: type[M]
    _items: tuple[tuple[str, Any], ...]
    _key: tuple[Any, ...]
    _values: dict[str, Any]

    def __init__(self, cls: type[M], /, **params: Any) -> None:
        signature = inspect.signature(cls).parameters
        names = list(signature)
        for name in params:
            if name not in names:
                raise ParameterError(
                    name, f"must be a parameter of {cls.__name__}", name, f"Known: {', '.join(names)}."
                )
        # In the order of the signature, so that equal specifications have equal items.
        items = tuple((name, _frozen(params[name])) for name in names if name in params)
        object.__setattr__(self, "cls", cls)
        object.__setattr__(self, "_items", items)
        object.__setattr__(self, "_values", {name: signature[name].default for name in names} | dict(items))
        object.__setattr__(self, "_key", (cls, tuple(self._values.items())))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"MapSpec is immutable; use replace({name}=…)")

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self.cls, self.params)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        """Return Python source that makes an equal specification."""
        return f"MapSpec({', '.join([self.cls.__name__, *(f'{name}={value!r}' for name, value in self._items)])})"

    @property
    def params(self) -> dict[str, Any]:
        """Return the given parameters, a new dictionary."""
        return dict(self._items)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a parameter, given or the class's own; `default` if the class has no such parameter."""
        return self._values.get(name, default)

    def replace(self, **params: Any) -> MapSpec[M]:
        """Return a specification with these parameters set."""
        return MapSpec(self.cls, **(self.params | params))

    def without(self, *names: str) -> MapSpec[M]:
        """Return a specification without these parameters, whether they were given or not."""
        return MapSpec(self.cls, **{name: value for name, value in self._items if name not in names})

    def make(self, **params: Any) -> M:
        """Make the feature map, not fitted, with further parameters set."""
        return self.cls(**(self.params | params))

    def resolve(self, X: np.ndarray) -> MapSpec[M]:
        """Return the specification with words that stand for a number (``gamma="scale"``) replaced for these points.

        Such a number is learnt from the points as they are, not from their coordinates in another basis.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)

        Raises
        ------
        ParameterError
            For a value that breaks its rule, where there is a word to be replaced.
        """
        words = [p.name for p in self.cls.params if p.kind == "float" and isinstance(self.get(p.name, p.default), str)]
        if not words:
            return self
        fitted = self.make(n_components=1).fit(X)
        return self.replace(**{name: getattr(fitted, f"{name}_") for name in words})

    @staticmethod
    def of(feature_map: FeatureMap) -> MapSpec[FeatureMap]:
        """Return the specification of a feature map, fitted or not: its parameters that are not at their defaults."""
        given, cls = feature_map.get_params(deep=False), type(feature_map)
        defaults = {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}
        return MapSpec(cls, **{name: given[name] for name in given if repr(given[name]) != repr(defaults[name])})

    def to_json(self) -> str:
        """Return the specification as JSON: ``{"map": "RandomMaxout", "params": {"pool_size": 8}}``."""
        return json.dumps({"map": self.cls.__name__, "params": self.params}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> MapSpec[Any]:
        """Return the specification that :meth:`to_json` has written.

        Raises
        ------
        ParameterError
            For text that is none, an unknown map, or a parameter that it does not have.
        """
        from rfviz.features.maps import map_class  # which imports every map

        try:
            held = json.loads(text)
            name, params = held["map"], dict(held["params"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ParameterError("specification", 'must be JSON with "map" and "params"', text) from None
        return MapSpec(map_class(str(name)), **params)


def _remake(cls: type[FeatureMap], params: Mapping[str, Any]) -> MapSpec[Any]:
    return MapSpec(cls, **params)


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    if isinstance(value, np.ndarray):
        return _frozen(value.tolist())
    return value.item() if isinstance(value, np.generic) else value
