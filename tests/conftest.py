"""Fixtures for more than one test folder."""

import os
import sys

# Beside other workers each has its share of the cores; with as many BLAS threads as cores in each they would wait for
# one another. Set before anything imports NumPy.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from rfviz import backend
from tests import fake_cupy


@pytest.fixture
def fake_gpu(monkeypatch):
    """One fake GPU in place of whatever there is; gives the fake ``cupy`` module, whose ``memory`` can be limited."""
    modules = fake_cupy.build()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    backend._probe_gpus.cache_clear()
    yield modules["cupy"]
    backend._probe_gpus.cache_clear()
