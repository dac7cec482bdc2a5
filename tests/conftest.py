"""Fixtures for more than one test folder."""

import sys

import pytest

from rfviz import backend, worker
from tests import fake_cupy


@pytest.fixture
def fake_gpu(monkeypatch):
    """One fake GPU in place of whatever there is; gives the fake ``cupy`` module, whose ``memory`` can be limited."""
    modules = fake_cupy.build()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    backend._probe_gpus.cache_clear()
    yield modules["cupy"]
    worker.close()
    backend.forget_failures()
    backend._probe_gpus.cache_clear()


@pytest.fixture
def two_gpus(fake_gpu):
    """Two fake GPUs that share their memory."""
    fake_gpu.memory.devices = 2
    backend._probe_gpus.cache_clear()
    return fake_gpu
