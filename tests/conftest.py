"""Fixtures for more than one test folder."""

import functools
import logging
import os
import sys
import threading
from contextlib import nullcontext

# Beside other workers each has its share of the cores; with as many BLAS threads as cores in each they would wait for
# one another. Set before anything imports NumPy.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests compute by themselves what they check, and leave no results in the developer's home.
os.environ["RFVIZ_DISK_MB"] = "0"

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

from rfviz import backend
from rfviz.cuda import plain_kernels
from rfviz.ui import scheduler
from tests import fake_cuda, fake_cupy

# Streamlit's test client looks through all installed packages for components at each run of a page, which takes as long
# as most pages do.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
# It also asks a thousand times a second whether the page has run, going through all that has happened so far; the page
# has to pause for each answer.
give_up = local_script_runner.require_widgets_deltas


# Streamlit's limit is 3 seconds by the clock, which a busy machine may need for any page.
PATIENCE = 120.0


def wait_for_the_end(runner, timeout=PATIENCE):
    """Sleep until the page has run; after the time limit, let Streamlit say so."""
    ended = threading.Event()

    def look_at(_, event, **_data):
        if event.name == "SHUTDOWN":
            ended.set()

    runner.on_event.connect(look_at, weak=False)
    if not runner.script_stopped() and not ended.wait(max(timeout, PATIENCE)):
        give_up(runner, 0)


local_script_runner.require_widgets_deltas = wait_for_the_end
# Pytest adds a handler to each logger that keeps its messages to itself, and takes it away again, six times a test;
# Streamlit has seventy of them. What they say reaches pytest through the root as well.
for logger in logging.root.manager.loggerDict.values():
    if isinstance(logger, logging.Logger):
        logger.propagate = True


@pytest.fixture
def fake_gpu(monkeypatch):
    """Put a fake GPU in place of whatever there is; give its ``cupy`` module, whose ``memory`` can be limited."""
    modules = fake_cupy.build()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    backend.look_for_gpus_again()
    # Without a compiler for its kernels the fake GPU computes by array operations; where tests count, there is one.
    compiles = fake_cuda.HOST_COMPILER or os.environ.get("CI")
    with nullcontext() if compiles else plain_kernels():
        yield modules["cupy"]
    scheduler.close()
    backend.look_for_gpus_again()


@pytest.fixture
def no_cupy(monkeypatch):
    """Let there be no GPU, for want of its package."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    backend.look_for_gpus_again()
    yield
    backend.look_for_gpus_again()


@pytest.fixture
def two_gpus(fake_gpu):
    """Put two fake GPUs in place, which share their memory."""
    fake_gpu.memory.devices = 2
    backend.look_for_gpus_again()
    return fake_gpu
