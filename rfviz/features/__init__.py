"""Feature maps: every module of this package that defines a scheme registers it on import."""

import importlib
import pkgutil

from rfviz.features.base import COMMON_PARAMS, FeatureMap, registry
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.features.hashing import CollisionLaw, HashingMap
from rfviz.features.law import DistanceLaw, ProductLaw
from rfviz.features.portable import from_json, to_json

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "COMMON_PARAMS", "CollisionLaw", "DeviceFallbackWarning", "DistanceLaw", "FeatureMap", "HashingMap", "ProductLaw",
    "from_json", "registry", "to_json", *registry(),
]  # fmt: skip
globals().update(registry())
