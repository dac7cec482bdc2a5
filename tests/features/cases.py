"""Every feature map in every kind of setting, made from what the maps declare: a new map is tested by existing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz.features import COMMON_PARAMS, FeatureMap, registry

__all__ = ["APPROXIMATE", "CASES", "DEFAULTS", "IDS", "Case", "dense", "drawn_weights", "make", "unit_rows"]

# Where the bound of one parameter is another parameter: as few projections as the default pool takes, and some.
_FEWEST = {"n_projections": 8}

Case = tuple[str, dict[str, Any]]


def _variants(scheme: type[FeatureMap]) -> list[dict[str, Any]]:
    """Return the defaults, and each parameter of the map's own changed once."""
    settings: list[dict[str, Any]] = [{}]
    for param in scheme.params:
        if param.name in {common.name for common in COMMON_PARAMS}:
            continue
        if param.kind == "bool":
            settings.append({param.name: not param.default})
        elif param.kind == "choice":
            settings += [{param.name: choice} for choice in param.choices if choice != param.default]
        elif param.kind == "int":
            settings.append({param.name: _FEWEST.get(param.name, int(param.low))})
        elif param.kind == "range":
            settings.append({param.name: (1, 2)})
        elif param.choices:  # a number where the default is a word
            settings.append({param.name: 0.3})
    return settings


CASES: list[Case] = [(name, setting) for name, scheme in registry().items() for setting in _variants(scheme)]
# One of each map: for what no parameter changes.
DEFAULTS: list[Case] = [case for case in CASES if not case[1]]
# Cases whose kernel is that of the map only nearly.
APPROXIMATE: list[Case] = [
    case for case in CASES if case[0] == "StructuredMaxout" or case[1].get("draw") == "structured"
]
IDS = [f"{name}-{'-'.join(f'{k}={v}' for k, v in setting.items()) or 'default'}" for name, setting in CASES]


def make(case: Case, n_components: int = 64, **keywords: Any) -> FeatureMap:
    """Build an unfitted map."""
    name, setting = case
    return registry()[name](n_components, **{"device": "cpu", **setting, **keywords})


def unit_rows(n_samples: int, n_features: int, seed: int = 0) -> np.ndarray:
    """Draw points on the unit sphere."""
    X = np.random.default_rng(seed).standard_normal((n_samples, n_features))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def drawn_weights(feature_map: FeatureMap) -> dict[str, np.ndarray]:
    """Return what was drawn for a fitted map, by name."""
    names = feature_map._weights  # noqa: SLF001 – the one place where tests ask for it
    return {name: getattr(feature_map, name) for name in names if hasattr(feature_map, name)}


def dense(features: Any) -> np.ndarray:
    """Return features as a dense array on the host, whatever a map gives."""
    features = features.get() if hasattr(features, "get") else features
    return features.toarray() if sparse.issparse(features) else features
