"""All feature maps: those of this package, in the order of menus, and those that users define."""

from __future__ import annotations

from rfviz.errors import ParameterError
from rfviz.features.base import FeatureMap, labelled
from rfviz.features.binning import RandomBinning
from rfviz.features.compositional import CompositionalFeatures
from rfviz.features.convolution import RandomConvolution
from rfviz.features.fourier import LinearFourier, RandomFourier
from rfviz.features.gaussian import RandomActivation, RandomProjection, RandomReLU
from rfviz.features.hybrid_compositional import HybridCompositional
from rfviz.features.maxout import RandomMaxout, StructuredMaxout
from rfviz.features.random_pool import RandomPool
from rfviz.features.shared_pool_maxout import SharedPoolMaxout
from rfviz.features.sigmoidal import SigmoidalRidge
from rfviz.features.stumps import DecisionStumps

__all__ = ["MAPS", "map_class", "registry"]

#: The feature maps of this package, in the order of menus. :func:`registry` adds labelled subclasses of users.
MAPS: tuple[type[FeatureMap], ...] = (
    RandomBinning,
    CompositionalFeatures,
    RandomConvolution,
    RandomFourier,
    HybridCompositional,
    LinearFourier,
    RandomMaxout,
    RandomProjection,
    RandomActivation,
    RandomPool,
    RandomReLU,
    SharedPoolMaxout,
    SigmoidalRidge,
    StructuredMaxout,
    DecisionStumps,
)


def registry() -> dict[str, type[FeatureMap]]:
    """Return every feature map with a label by class name: those of this package, then those that users define."""
    return {cls.__name__: cls for cls in MAPS} | labelled()


def map_class(name: str) -> type[FeatureMap]:
    """Return the feature map whose class has this name.

    Raises
    ------
    ParameterError
        For any other name.
    """
    known = registry()
    if name not in known:
        raise ParameterError("feature map", f"must be one of {', '.join(known)}", name)
    return known[name]
