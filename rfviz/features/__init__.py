"""Feature maps.

Every map is a class that :data:`~rfviz.features.maps.MAPS` lists.
"""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.features.base import COMMON_PARAMS, FeatureMap
    from rfviz.features.binning import RandomBinning
    from rfviz.features.blocks import DeviceFallbackWarning
    from rfviz.features.compositional import CompositionalFeatures
    from rfviz.features.convolution import RandomConvolution
    from rfviz.features.description import DistanceLaw, Look, ProductLaw, Step
    from rfviz.features.fourier import LinearFourier, RandomFourier
    from rfviz.features.gaussian import RandomActivation, RandomProjection, RandomReLU
    from rfviz.features.hashing import CollisionLaw, HashingMap
    from rfviz.features.hybrid_compositional import HybridCompositional
    from rfviz.features.maps import MAPS, map_class, registry
    from rfviz.features.maxout import RandomMaxout, StructuredMaxout
    from rfviz.features.portable import from_json, to_json
    from rfviz.features.random_pool import RandomPool
    from rfviz.features.shared_pool_maxout import SharedPoolMaxout
    from rfviz.features.sigmoidal import SigmoidalRidge
    from rfviz.features.spec import MapSpec
    from rfviz.features.stumps import DecisionStumps

__all__ = [
    "COMMON_PARAMS",
    "MAPS",
    "CollisionLaw",
    "CompositionalFeatures",
    "DecisionStumps",
    "DeviceFallbackWarning",
    "DistanceLaw",
    "FeatureMap",
    "HashingMap",
    "HybridCompositional",
    "LinearFourier",
    "Look",
    "MapSpec",
    "ProductLaw",
    "RandomActivation",
    "RandomBinning",
    "RandomConvolution",
    "RandomFourier",
    "RandomMaxout",
    "RandomPool",
    "RandomProjection",
    "RandomReLU",
    "SharedPoolMaxout",
    "SigmoidalRidge",
    "Step",
    "StructuredMaxout",
    "from_json",
    "map_class",
    "registry",
    "to_json",
]

import_when_asked(__name__)
