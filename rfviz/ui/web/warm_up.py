"""Importing and building once, when the server starts, what every page needs, and then what single pages need."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import numpy as np

from rfviz import backend, kernels
from rfviz.datasets.files import MAX_BYTES
from rfviz.features import RandomMaxout
from rfviz.features.draws import remember_normals
from rfviz.figures.template import styled
from rfviz.ui.cache import DRAWS_BYTES
from rfviz.ui.device_use import measure_when_idle
from rfviz.ui.streamlit_private import (
    ignore_impossible_values,
    keep_answers,
    keep_caches,
    keep_uploads_in_memory,
    share_session_locks,
)
from rfviz.ui.web.preload import preloaded

__all__ = ["import_pages", "warm_up"]

# The pages, and what they compute and draw with.
_PACKAGES = ("rfviz.analysis", "rfviz.figures", "rfviz.datasets", "rfviz.lab")
# What that imports, here or only when first used: packages with circles among their modules.
_PRELOADED = (
    "numpy", "pandas", "pyarrow", "scipy.linalg", "scipy.spatial.distance", "scipy.stats", "sklearn.decomposition",
    "sklearn.ensemble", "sklearn.impute", "sklearn.neighbors", "sklearn.preprocessing", "sklearn.svm", "PIL.Image",
    "plotly.graph_objects", "plotly.validator_cache", "rfviz.ui.page",
)  # fmt: skip


def warm_up() -> None:
    """Import what every page needs, build kernels' tables, look for a GPU, and freeze all that for garbage collection.

    A full collection walks every object of the scientific stack, which holds the interpreter for 0.1 s; frozen, those
    objects are walked no more.
    """
    for name in _PRELOADED:
        importlib.import_module(name)
    preloaded("/")
    keep_uploads_in_memory(MAX_BYTES)
    ignore_impossible_values()
    share_session_locks()
    keep_caches()
    keep_answers()
    backend.available_devices()
    backend.blas_info()
    kernels.expected_max(2)
    kernels.maxout_plateau(8)
    styled([{"type": "heatmap"}, {"type": "scatter"}], x="", y="", height=100, revision="").to_json()
    remember_normals(DRAWS_BYTES)
    # The draws behind Figure 2, whose slider is the first that many will move.
    RandomMaxout(10_000, pool_size=28).fit(np.zeros((1, 33)))
    gc.collect()
    gc.freeze()


def import_pages() -> None:
    """Import what single pages need, while others are served, and then measure the device.

    A page that is opened meanwhile imports what it needs itself: there are no circles among our modules.
    """
    for package in map(importlib.import_module, _PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    measure_when_idle()
