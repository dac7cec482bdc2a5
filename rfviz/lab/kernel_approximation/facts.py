"""Facts about compositional kernels that lessons quote and check."""

from __future__ import annotations

import functools
import math

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.features import CompositionalFeatures, FeatureMap, HybridCompositional, MapSpec
from rfviz.lab.facts import at, fact
from rfviz.lab.kernel_approximation.compute import kernel_errors
from rfviz.skeleton import preset

__all__: list[str] = []


@functools.lru_cache(maxsize=16)
def _rmse(spec: MapSpec[FeatureMap]) -> dict[int, float]:
    sample = prepare_sample(datasets.load("photo_patches"), "none", 64)
    result = kernel_errors(sample, spec, error_grid(2000), 5)
    return dict(zip(map(int, result.m_grid), map(float, result.errors.average("rmse")), strict=True))


@fact
def skeleton_rmse(name: str, m: int, once: float) -> float:
    """Return the RMS error of a compositional kernel by m features, 64 photographs; once = 1 keeps equal ones once."""
    return at(_rmse(MapSpec(CompositionalFeatures, skeleton=name, turn=0.5, deduplicate=bool(once))), m)


@fact
def hybrid_rmse(name: str, m: int) -> float:
    """Return the same for the hybrid baseline: Fourier features on top of compositional ones."""
    return at(_rmse(MapSpec(HybridCompositional, skeleton=name, turn=0.5, paired=False)), m)


@fact
def paths(name: str) -> float:
    """Return the expected number of pixels that a feature of a skeleton multiplies: its complexity."""
    return preset(name, (24, 24, 3)).complexity


@fact
def exp(value: float) -> float:
    """Return the exponential function."""
    return math.exp(value)
