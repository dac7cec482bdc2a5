"""Settings of every page that tests compute: the defaults, and others that are small enough to be computed at once."""

from functools import cache
from typing import Any

from rfviz.cache import Cache
from rfviz.lab.index import PAGES, find_page
from rfviz.lab.page import Computed, compute
from rfviz.lab.preset import Preset

SLUGS = tuple(page.slug for page in PAGES)
OTHERS = {
    "quick-inspection": [
        {"data": "xor", "data.n_samples": 60, "normalise": "none", "seed": 3, "colour": "c2", "row": 5,
         "map": "RandomReLU", "n_components": 50},
    ],
    "zoo": [{"m": 10, "x": -1.5, "y": 0.3, "feature": 7, "seed": 2}],
    "guarantees": [
        {"data": "sphere", "data.n_samples": 50, "map": "RandomBinning", "points": 8, "draws": 20, "dimension": 12,
         "about": ["one pair"], "eps": 0.2, "delta": 0.1, "normalise": "none"},
        {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": "maxout", "pool_size": 2, "size": 3.0,
         "rows": 1000},
        {"view": "Learning", "data": "moons", "data.n_samples": 60, "theorem": "compositional", "loss": "ramp"},
        {"view": "Function", "data": "moons", "data.n_samples": 60, "points": 16, "draws": 20, "eps": 0.3,
         "map": "CompositionalFeatures"},
    ],
    "errata": [
        {"statement": "copies of stumps", "seed": 3},
        {"statement": "longest projection", "dimension": 3, "pool_size": 8, "m": 30},
        {"statement": "recursive calls"},
    ],
    "hashing": [
        {"data": "sphere", "data.n_samples": 50, "map": "RandomBinning", "n_components": 32, "seed": 3,
         "look": "Near and far", "k": 5, "metric": "euclidean"},
        {"data": "turning_head", "n_components": 48, "with_simhash": False, "look": "Recall", "pools": [4],
         "longest": 32, "draws": 1, "axis": "bits"},
        {"data": "turning_head", "n_components": 16, "map": "RandomProjection", "first": 3, "second": 9},
    ],
    "binning": [
        {"data": "xor", "data.n_samples": 40, "view": "All pairs", "p": 3, "shown": 4, "gamma": 5.0, "profile": "hat",
         "point": 7, "seed": 2},
        {"p": 10},
    ],
    "kernel-approximation": [
        {"data": "sphere", "points": 16, "m_max": 100, "m": 38, "odd": False, "draws": 2, "metric": "maximum",
         "maps": ["RandomMaxout", "RandomFourier"], "pools": [8], "relative": False, "draw": ["orthogonal"]},
        {"points": 16, "m_max": 100, "odd": True, "draws": 1, "maps": ["CompositionalFeatures"], "both": True},
    ],
    "build-a-map": [
        {"what": "kernel", "kernel": "max(0, 1 - x^2)", "m": 40, "seed": 3},
        {"what": "density", "m": 10},
        {"what": "pool", "rule": "range", "pool_size": 6},
        {"function": "sin(3*x)", "length": 2.0},
        {"what": "base", "base": "sphere", "dimension": 5, "m": 40, "seed": 3},
        {"what": "base", "base": "categorical", "categories": 3},
    ],
    "accuracy": [
        {"data": "digits", "maps": ["RandomMaxout", "RandomProjection"], "pools": [2], "m_max": 40, "seeds": 2,
         "references": ["linear_ridge"], "doubly": True, "test": 40, "loss": "ridge", "alpha": 1.0},
        {"data": "moons", "maps": ["RandomFourier"], "m_max": 20, "seeds": 1, "references": [], "grow": "rows",
         "gamma": 1.0},
    ],
    "learning-curve": [
        {"data": "moons", "data.n_samples": 120, "normalise": "standardise", "map": "RandomMaxout", "n": 30, "m": 21,
         "alpha": 0.1, "noise": 0.1, "draws": 2, "seed": 3},
        {"data": "moons", "data.n_samples": 80, "n": 20, "tuned": True, "draws": 1},
    ],
    "decision-surfaces": [
        {"data": "moons", "data.n_samples": 100, "map": "RandomMaxout", "n_components": 20, "creases": 2, "C": 1.0,
         "svm_gamma": 1.0, "normalise": "standardise", "loss": "hinge", "seed": 3},
        {"points_from": "own", "points": ["-1/0/1", "1/0.25/2", "0.5/0.5/2"], "n_components": 10},
    ],
    "distance-saturation": [
        {"data": "sphere", "data.n_samples": 50, "map": "RandomFourier", "n_components": 200, "gamma": 0.5,
         "compare": [2.0], "normalise": "standardise"},
        {"map": "RandomProjection", "n_components": 200},
    ],
    "kitchen-sinks": [
        {"k_max": 50, "stumps": 20, "draws": 2, "learners": ["SigmoidalRidge"], "scale": 0.5, "test": 40},
        {"view": "weights", "data": "moons", "learners": ["RandomFourier"], "gamma": 0.5, "k_max": 20, "runs": 5},
        {"view": "constraint", "learners": ["SigmoidalRidge"], "scale": 0.5, "k_max": 60, "runs": 5, "test": 40},
    ],
    "speech": [
        {"speakers": 4, "sentences": 2, "families": ["SharedPoolMaxout", "RandomFourier"], "pools": [2], "epochs": 2,
         "n_projections": 40, "m_max": 160, "m": 40, "utterance": 2, "of": "Random Fourier",
         "measure": "frame error %", "seed": 3},
    ],
    "pixel-cooccurrence": [
        {"features": 2000, "side": 8, "skeleton": "own", "layers": ["3/1/relu", "exponential/2"], "row": 2,
         "colour": True},
        {"view": "Figure 4", "side": 12, "features": 2000, "seed": 3},
    ],
    "maxout-pca": [
        {"data": "sphere", "data.n_samples": 60, "map": "RandomReLU", "n_components": 200, "dimensions": "3"},
        {"data": "circle", "n_components": 200, "point": 8},
        {"n_components": 200, "point": 33},
    ],
}  # fmt: skip
CASES = tuple((slug, number) for slug in SLUGS for number in range(len(OTHERS[slug]) + 1))


def values_of(slug: str, number: int) -> dict[str, Any]:
    """Return the settings of a case: number 0 stands for the defaults of the page."""
    return OTHERS[slug][number - 1] if number else {}


@cache
def computed(slug: str, number: int) -> Computed:
    """Compute a page for the settings of a case; each case once in a process."""
    page, preset = find_page(slug), Preset(values_of(slug, number))
    source = page.source(preset)
    settings = page.settings(preset, source)
    assert preset.unasked() == []
    return compute(page, source, settings, Cache())
