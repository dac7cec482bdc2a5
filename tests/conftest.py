"""Fixtures for more than one test folder."""

import sys

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
