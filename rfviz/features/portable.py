"""A fitted map as JSON: parameters, seed, and what it learnt of the data; the weights are drawn again from these.

So a map of a million weights is a file of a few hundred bytes, that any program can read and nothing can hide in.
"""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np

from rfviz._version import __version__
from rfviz.errors import DataError, RfvizError
from rfviz.features.base import FeatureMap
from rfviz.skeleton import Skeleton

__all__ = ["from_json", "to_json"]

_FORMAT = "rfviz feature map 1"
# Where a map is computed belongs to the machine, not to the map.
_LEFT_OUT = ("device", "random_state")
_DTYPES = ("float64", "float32", "int64", "int32", "uint64", "uint32")
_MOST_COLUMNS = 100_000_000


def to_json(feature_map: FeatureMap) -> str:
    """Write a fitted map as text.

    Parameters
    ----------
    feature_map : FeatureMap

    Returns
    -------
    str
        What :func:`from_json` takes. It names no file, no machine and no row of the data.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    DataError
        If a parameter has no form in JSON: a function, say.
    """
    fitted: Any = feature_map
    fitted._check_fitted()
    params = {name: value for name, value in feature_map.get_params(deep=False).items() if name not in _LEFT_OUT}
    held: dict[str, Any] = {
        "format": _FORMAT,
        "rfviz": __version__,
        "scheme": type(feature_map).__name__,  # the name in stored files
        "parameters": {name: _encode(name, value) for name, value in params.items()},
        "n_features": int(feature_map.n_features_in_),
        # JavaScript and others read integers as doubles; a seed of entropy has 128 bits.
        "seed": str(feature_map.seed_),
        "learnt": {name: _encode(name, getattr(feature_map, name)) for name in feature_map.from_data},
    }
    names = getattr(feature_map, "feature_names_in_", None)
    if names is not None:
        held["columns"] = [str(name) for name in names]
    return json.dumps(held, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> FeatureMap:
    """Read the fitted map that :func:`to_json` wrote: it gives the same features, bit for bit.

    Raises
    ------
    DataError
        If the text does not describe a feature map.
    ParameterError, MemoryBudgetError
        If a parameter is not legal, or the weights would not fit.
    """
    from rfviz.features.maps import registry  # which imports every map

    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"A map must be JSON text; this is not ({error}).") from None
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        raise DataError(f'This is no feature map: it must be an object with "format": "{_FORMAT}".')
    cls = registry().get(str(held.get("scheme")))
    if cls is None:
        raise DataError(f"There is no feature map {held.get('scheme')!r}. Known: {', '.join(registry())}.")
    try:
        return _restored(cls, held)
    except RfvizError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"This map of {cls.__name__} is damaged ({type(error).__name__}: {error}).") from None


def _restored(cls: type[FeatureMap], held: dict[str, Any]) -> FeatureMap:
    seed, n_features = int(held["seed"]), held["n_features"]
    if seed < 0 or type(n_features) is not int or not 1 <= n_features <= _MOST_COLUMNS:
        raise DataError(f"A map needs a seed of at least 0 and 1 to {_MOST_COLUMNS:,} columns.")
    parameters = {name: _decode(value) for name, value in held["parameters"].items()}
    make: Any = cls  # each map has a constructor of its own
    found: Any = make(**parameters, random_state=seed)
    found._check_params()
    found._check_weight_memory(n_features)
    found.seed_, found.n_features_in_ = seed, n_features
    learnt = {name: _decode(held["learnt"][name]) for name in found.from_data}
    for name, value in learnt.items():
        if not np.isfinite(value).all():
            raise DataError(f"{name} of a map must be finite.")
        setattr(found, name, value)
    found._draw(n_features)
    found._fitted_with = found._lasting_params()
    if "columns" in held:
        found.feature_names_in_ = np.array(held["columns"], dtype=object)
    return found


def _encode(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.name in _DTYPES:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"dtype": value.dtype.name, "shape": list(value.shape), "base64": data}
    if isinstance(value, Skeleton):
        return {"skeleton": value.form}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_encode(name, part) for part in value]
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise DataError(f"{name} has no form in JSON; got {type(value).__name__}. Choose a word, a number or an array.")


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(part) for part in value)
    if isinstance(value, dict) and "skeleton" in value:
        return Skeleton(json.dumps(value["skeleton"]))
    if isinstance(value, dict):
        if value["dtype"] not in _DTYPES:
            raise DataError(f"An array of a map must be of {', '.join(_DTYPES)}; got {value['dtype']!r}.")
        data = base64.b64decode(value["base64"], validate=True)
        return np.frombuffer(data, value["dtype"]).reshape(value["shape"]).copy()
    return value
