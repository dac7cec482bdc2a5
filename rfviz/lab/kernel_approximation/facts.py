"""Facts about errors of kernel estimates that lessons quote and check."""

from __future__ import annotations

import functools
import math

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.features import CompositionalFeatures, FeatureMap, HybridCompositional, MapSpec, RandomFourier, RandomMaxout
from rfviz.lab.facts import at, fact
from rfviz.lab.kernel_approximation.compute import kernel_errors
from rfviz.lab.maps import told_the_shape
from rfviz.skeleton import preset

__all__: list[str] = []


@functools.lru_cache(maxsize=16)
def _rmse(spec: MapSpec[FeatureMap]) -> dict[int, float]:
    photographs = datasets.load("photo_patches")
    sample = prepare_sample(photographs, "none", 64)
    result = kernel_errors(sample, told_the_shape(spec, photographs.image_shape), error_grid(2000), 5)
    return dict(zip(map(int, result.m_grid), map(float, result.errors.average("rmse")), strict=True))


@fact
def skeleton_rmse(name: str, m: int, once: float) -> float:
    """Return the RMS error of a compositional kernel by m features, 64 photographs; once = 1 keeps equal ones once."""
    return at(_rmse(MapSpec(CompositionalFeatures, skeleton=name, turn=0.5, deduplicate=bool(once))), m)


@fact
def hybrid_rmse(name: str, m: int) -> float:
    """Return the same for the hybrid baseline: Fourier features on top of compositional ones."""
    return at(_rmse(MapSpec(HybridCompositional, skeleton=name, turn=0.5, paired=False)), m)


@functools.lru_cache(maxsize=32)
def _relative(name: str, spec: MapSpec[FeatureMap]) -> dict[int, float]:
    how = "none" if name == "moons" else "unit norm"
    result = kernel_errors(prepare_sample(datasets.load(name), how, 64), spec, error_grid(2000), 20)
    errors = result.errors.average("rmse") / result.unit
    return dict(zip(map(int, result.m_grid), map(float, errors), strict=True))


@fact
def fourier_rmse(name: str, draw: str, gamma: float, m: int) -> float:
    """Return the RMS error of m Fourier features, drawn in one of the map's ways, over 64 rows of digits or moons."""
    return at(_relative(name, MapSpec(RandomFourier, gamma=float(gamma), draw=draw)), m)


@fact
def maxout_rmse(q: int, m: int) -> float:
    """Return the RMS error, relative to k(x, x), of m maxout features with pools of q, over 64 digits."""
    return at(_relative("digits", MapSpec(RandomMaxout, pool_size=q)), m)


@fact
def paths(name: str) -> float:
    """Return the expected number of pixels that a feature of a skeleton multiplies: its complexity."""
    return preset(name, (24, 24, 3)).complexity


@fact
def exp(value: float) -> float:
    """Return the exponential function."""
    return math.exp(value)
