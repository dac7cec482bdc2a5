"""Work done once when the server starts, so that no visitor waits for it."""

from __future__ import annotations

import gc
import importlib
import logging
import os
import pkgutil
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import streamlit as st

from rfviz.datasets.files import MAX_BYTES
from rfviz.errors import RfvizError
from rfviz.ui import scheduler
from rfviz.ui.device_use import measure_when_idle
from rfviz.ui.streamlit_private import keep_uploads_in_memory
from rfviz.ui.web.preload import preloaded

__all__ = ["disable_nagle", "lifespan", "report_script_error"]

_DRAWS_KEPT = 800_000_000
_log = logging.getLogger("rfviz")
# What pages compute and draw with, and what that imports only when first used.
_PACKAGES = ("rfviz.analysis", "rfviz.figures", "rfviz.datasets")
_PRELOADED = (
    "numpy", "pandas", "pyarrow", "scipy.linalg", "scipy.spatial.distance", "scipy.stats", "sklearn.decomposition",
    "sklearn.ensemble", "sklearn.impute", "sklearn.neighbors", "sklearn.preprocessing", "sklearn.svm", "PIL.Image",
    "plotly.graph_objects", "plotly.validator_cache",
)  # fmt: skip


@asynccontextmanager
async def lifespan(app: Any) -> AsyncGenerator[dict[str, Any], None]:
    """Import what pages need, build the kernels' tables, look for a GPU, and freeze all that for garbage collection.

    A full collection walks every object of the scientific stack, which holds the interpreter for 0.1 s; frozen, those
    objects are walked no more.
    """
    for name in _PRELOADED:
        importlib.import_module(name)
    for package in map(importlib.import_module, _PACKAGES):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    from rfviz import backend, kernels
    from rfviz.features import RandomMaxout
    from rfviz.features.draws import remember_normals
    from rfviz.figures.template import styled

    disable_nagle()
    preloaded("/")
    keep_uploads_in_memory(MAX_BYTES)
    backend.available_devices()
    backend.blas_info()
    kernels.expected_max(2)
    kernels.maxout_plateau(8)
    styled([{"type": "heatmap"}, {"type": "scatter"}], x="", y="", height=100, revision="").to_json()
    remember_normals(min(_DRAWS_KEPT, backend.memory_budget("cpu") // 16))
    # The draws behind Figure 2, whose slider is the first that many will move.
    RandomMaxout(10_000, pool_size=28).fit(np.zeros((1, 33)))
    gc.collect()
    gc.freeze()
    measure_when_idle()
    yield {}
    scheduler.close()


def disable_nagle() -> None:
    """Set ``TCP_NODELAY`` on this process's listening sockets, from which accepted connections inherit it.

    Asyncio sets it on sockets that it has made itself, but Streamlit binds its own. Every file after a connection's
    first, and every message after a run's first, then waits for the client's delayed acknowledgement: 40 ms on Linux.
    Does nothing on Windows, where open files have no folder.
    """
    names = os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else []
    for number in map(int, names):
        try:
            found = socket.socket(fileno=number)
        except OSError:
            continue  # a file, or closed meanwhile
        try:
            is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
            if is_tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            _log.debug("Socket %d takes no options", number)
        finally:
            found.detach()  # it belongs to the server


def report_script_error(error: Exception) -> bool:
    """Show one sentence where a page fails; the traceback goes to the server's log.

    Returns
    -------
    bool
        True: Streamlit is not to show the exception itself.
    """
    if isinstance(error, RfvizError):
        st.error(str(error))
    elif isinstance(error, MemoryError):
        st.error("This computation does not fit into memory. Choose fewer features or fewer points.")
    else:
        _log.exception("A page failed", exc_info=error)
        st.error(
            "Something went wrong on this page; the server's log has the details. Change a setting, or reload the page "
            "without what follows the question mark in its address."
        )
    return True
