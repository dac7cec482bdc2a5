"""Computation skeletons: which inputs meet where in a compositional kernel, and by which dual activations."""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.skeleton.activations import ACTIVATIONS, Activation, activation
    from rfviz.skeleton.bases import BASES, Base, base
    from rfviz.skeleton.builders import (
        ARCHITECTURES,
        PRESETS,
        as_skeleton,
        convolutions,
        flat,
        graph,
        image_shape_of,
        preset,
    )
    from rfviz.skeleton.graph import InputGroup, Layer, Skeleton
    from rfviz.skeleton.network import SkeletonNetwork, SkeletonNetworkClassifier
    from rfviz.skeleton.occurrence import (
        CoOccurrence,
        co_occurrence,
        lowest_meetings,
        occurrence,
        pixel_groups,
        sparsity,
    )
    from rfviz.skeleton.patches import PatchPCA
    from rfviz.skeleton.schemes import SCHEMES, Scheme

__all__ = [
    "ACTIVATIONS",
    "ARCHITECTURES",
    "BASES",
    "PRESETS",
    "SCHEMES",
    "Activation",
    "Base",
    "CoOccurrence",
    "InputGroup",
    "Layer",
    "PatchPCA",
    "Scheme",
    "Skeleton",
    "SkeletonNetwork",
    "SkeletonNetworkClassifier",
    "activation",
    "as_skeleton",
    "base",
    "co_occurrence",
    "convolutions",
    "flat",
    "graph",
    "image_shape_of",
    "lowest_meetings",
    "occurrence",
    "pixel_groups",
    "preset",
    "sparsity",
]

import_when_asked(__name__)
