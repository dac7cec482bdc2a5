"""Facts about errors of kernel estimates that lessons quote and check."""

from __future__ import annotations

import functools
import math

import pandas as pd

from rfviz import datasets
from rfviz.experiments import KernelApproximation
from rfviz.features import CompositionalFeatures, FeatureMap, HybridCompositional, MapSpec, RandomFourier, RandomMaxout
from rfviz.lab.facts import at, fact
from rfviz.lab.maps import told_the_shape
from rfviz.skeleton import preset

__all__: list[str] = []


@functools.lru_cache(maxsize=16)
def _rmse(spec: MapSpec[FeatureMap]) -> dict[int, float]:
    photographs = datasets.load("photo_patches")
    spec = told_the_shape(spec, photographs.image_shape)
    result = KernelApproximation(maps=[spec], normalise="none", points=64, draws=5, relative=False).run(photographs)
    return _by_m(result.to_frame(), "RMSE")


def _by_m(frame: pd.DataFrame, column: str) -> dict[int, float]:
    return dict(zip(map(int, frame["m"]), map(float, frame[column]), strict=True))


@fact
def skeleton_rmse(name: str, m: int, once: float) -> float:
    """Return the RMS error of a compositional kernel by m features, 64 photographs; once = 1 keeps equal ones once."""
    return at(_rmse(MapSpec(CompositionalFeatures, skeleton=name, turn=0.5, deduplicate=bool(once))), m, "m")


@fact
def hybrid_rmse(name: str, m: int) -> float:
    """Return the same for the hybrid baseline: Fourier features on top of compositional ones."""
    return at(_rmse(MapSpec(HybridCompositional, skeleton=name, turn=0.5, paired=False)), m, "m")


@functools.lru_cache(maxsize=32)
def _relative(name: str, spec: MapSpec[FeatureMap]) -> dict[int, float]:
    how = "none" if name == "moons" else "unit norm"
    result = KernelApproximation(maps=[spec], normalise=how, points=64).run(name)
    return _by_m(result.to_frame(), "RMSE ÷ mean k(x, x)")


@fact
def fourier_rmse(name: str, draw: str, gamma: float, m: int) -> float:
    """Return the RMS error of m Fourier features, drawn in one of the map's ways, over 64 rows of digits or moons."""
    return at(_relative(name, MapSpec(RandomFourier, gamma=float(gamma), draw=draw)), m, "m")


@fact
def maxout_rmse(q: int, m: int) -> float:
    """Return the RMS error, relative to k(x, x), of m maxout features with pools of q, over 64 digits."""
    return at(_relative("digits", MapSpec(RandomMaxout, pool_size=q)), m, "m")


@fact
def paths(name: str) -> float:
    """Return the expected number of pixels that a feature of a skeleton multiplies: its complexity."""
    return preset(name, (24, 24, 3)).complexity


@fact
def exp(value: float) -> float:
    """Return the exponential function."""
    return math.exp(value)
