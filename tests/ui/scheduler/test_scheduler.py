"""The scheduler: fair among sessions, cancels what nobody waits for, one thread for a GPU, and its failures."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from rfviz import backend
from rfviz.datasets import memory
from rfviz.errors import DeviceError, MemoryBudgetError, capture_warnings
from rfviz.features import RandomMaxout
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.linear_model import RidgePathRegressor
from rfviz.ui import scheduler
from rfviz.ui.scheduler import Request, Target, cpu_pool, gpu_worker
from rfviz.ui.scheduler.requests import FairQueue, Job
from tests.fake_cupy import CUDARuntimeError, CUSOLVERError

GPU = Target("cuda:0")
EVERYWHERE = pytest.mark.parametrize("target", [Target("cpu"), GPU], ids=["cpu", "gpu"])
DEADLINE = 20


@pytest.fixture(autouse=True)
def lanes(fake_gpu, monkeypatch):
    """Give each test lanes of its own; on the processor one computation at a time, as on a GPU."""
    monkeypatch.setattr(scheduler, "CpuPool", lambda n_slots: cpu_pool.CpuPool(1))
    scheduler.close()
    yield fake_gpu
    scheduler.close()


class Asking(threading.Thread):
    """A thread that asks for a computation, and what came of it."""

    def __init__(self, origin, work, draw=lambda share, words: None):
        super().__init__(daemon=True)
        self.asked, self.result, self.error = (work, origin, draw), None, None
        self.start()

    def run(self):
        try:
            self.result = scheduler.run(*self.asked)
        except BaseException as error:
            self.error = error

    def end(self):
        self.join(DEADLINE)
        assert not self.is_alive()
        return self


def until(condition):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


class Blocked:
    """A computation that holds the only slot until it is let go."""

    def __init__(self, target, background=False):
        self.begun, self.go = threading.Event(), threading.Event()
        self.reports = 0
        self.thread = Asking(Request("blocking", target, background), self.work)
        assert self.begun.wait(DEADLINE)

    def work(self, report):
        self.begun.set()
        while not self.go.wait(0.002):
            self.reports += 1
            report(0.5, "half")

    def end(self):
        self.go.set()
        self.thread.end()


def queued(target, sessions, served, background=False, **more):
    """Queue one computation after the other, each of which says whose it was."""
    threads = []
    for session in sessions:
        before = scheduler.queue_state(target.device)[1]
        threads.append(
            Asking(Request(session, target, background, **more), lambda report, session=session: served.append(session))
        )
        until(lambda before=before: scheduler.queue_state(target.device)[1] == before + 1)
    return threads


def hold(target):
    """Start a computation that makes no report, so that it lets nobody pass."""
    begun, go = threading.Event(), threading.Event()
    thread = Asking(Request("holding", target), lambda report: (begun.set(), go.wait(DEADLINE)))
    assert begun.wait(DEADLINE)
    return go, thread


# --- turns ------------------------------------------------------------------------------------------------------------


@EVERYWHERE
def test_result_and_error_come_back(target):
    assert scheduler.run(lambda report: 42, Request("a", target)) == 42
    with pytest.raises(ZeroDivisionError):
        scheduler.run(lambda report: 1 / 0, Request("a", target))
    assert scheduler.queue_state(target.device) == (0, 0)


@EVERYWHERE
def test_sessions_are_served_in_rounds(target):
    served = []
    go, holding = hold(target)
    threads = queued(target, "aaaabbc", served)
    assert scheduler.queue_state(target.device) == (1, 7)
    go.set()
    for thread in (holding, *threads):
        thread.end()
    assert "".join(served) == "abcabaa"


def test_background_waits_behind_readers_but_is_not_forgotten():
    served = []
    go, holding = hold(GPU)
    behind = queued(GPU, "xx", served, background=True)
    front = queued(GPU, "abcdefgh", served)
    go.set()
    for thread in (holding, *behind, *front):
        thread.end()
    assert "".join(served) in ("abcdxefghx", "abcxdefgxh")  # whether the one that held the target counts or not


def test_readers_compute_while_a_gpu_works_in_the_background():
    blocked = Blocked(GPU, background=True)
    assert scheduler.run(lambda report: threading.current_thread().name, Request("reader", GPU)) == "rfviz-cuda:0"
    assert not blocked.go.is_set() and blocked.thread.is_alive()
    seen = blocked.reports
    until(lambda: blocked.reports > seen)  # it goes on
    blocked.end()


def test_a_long_computation_on_the_processor_hands_its_target_on():
    blocked = Blocked(Target("cpu"))
    assert scheduler.run(lambda report: "quick", Request("reader")) == "quick"
    assert blocked.thread.is_alive(), "it has not waited for the long one"
    blocked.end()


def test_a_long_computation_on_a_gpu_lets_others_pass():
    blocked = Blocked(GPU)
    assert scheduler.run(lambda report: threading.current_thread().name, Request("reader", GPU)) == "rfviz-cuda:0"
    assert blocked.thread.is_alive() and not blocked.go.is_set()
    blocked.end()


@EVERYWHERE
def test_computing_within_a_computation_does_not_wait(target):
    def outer(report):
        inner = scheduler.run(lambda report: (report(0.5, ""), threading.get_ident())[1], Request("other", target))
        return inner == threading.get_ident()

    assert scheduler.run(outer, Request("a", target))
    assert scheduler.current_request() is None


@EVERYWHERE
def test_reports_are_drawn_by_the_thread_that_asks(target):
    drawn = []

    def work(report):
        report(0.25, "a quarter")
        until(lambda: drawn)

    scheduler.run(work, Request("a", target), lambda *news: drawn.append((*news, threading.get_ident())))
    assert drawn[0] == (0.25, "a quarter", threading.get_ident())


# --- cancelling -------------------------------------------------------------------------------------------------------


class Gone(BaseException):
    """The reader has moved on."""


@EVERYWHERE
def test_request_that_is_outdated_leaves_the_queue(target):
    served, outdated = [], threading.Event()

    def check():
        if outdated.is_set():
            raise Gone

    go, holding = hold(target)
    (waiting,) = queued(target, "a", served, check=check)
    outdated.set()
    assert isinstance(waiting.end().error, Gone)
    assert scheduler.queue_state(target.device) == (1, 0)
    go.set()
    holding.end()
    assert scheduler.run(lambda report: "next", Request("b", target)) == "next" and not served


@EVERYWHERE
def test_computation_that_is_outdated_ends_at_its_next_report(target):
    ended, begun, outdated = [], threading.Event(), threading.Event()

    def work(report):
        begun.set()
        try:
            while True:
                report(0.5, "half")
                time.sleep(0.002)
        except BaseException as error:
            ended.append(type(error))
            raise

    def leave(*news):
        if outdated.is_set():
            raise Gone

    asking = Asking(Request("a", target, check=leave), work, leave)
    assert begun.wait(DEADLINE)
    outdated.set()
    assert isinstance(asking.end().error, Gone)
    until(lambda: ended)
    assert ended == [Gone if target.device == "cpu" else scheduler.Superseded]
    until(lambda: scheduler.queue_state(target.device) == (0, 0))


@EVERYWHERE
def test_a_draw_that_nobody_waits_for_ends_in_its_midst(target):
    begun, outdated, drawn = threading.Event(), threading.Event(), []

    def leave(*news):
        if outdated.is_set():
            raise Gone

    class Slow(RandomMaxout):
        def _draw(self, n_features):
            begun.set()
            super()._draw(n_features)
            drawn.append(True)

    def work(report):
        return Slow(60_000, pool_size=8, device="cpu").fit(np.zeros((1, 128)))  # half a second of two cores

    asking = Asking(Request("a", target, check=leave), work, leave)
    assert begun.wait(DEADLINE)
    outdated.set()
    assert isinstance(asking.end().error, Gone)
    until(lambda: scheduler.queue_state(target.device) == (0, 0))
    assert not drawn


@EVERYWHERE
def test_many_sessions_at_once(target):
    def ask(session, number):
        def work(report):
            report(0.5, "")
            return session, number

        return lambda: scheduler.run(work, Request(session, target)) == (session, number)

    right, threads = [], []
    for session in range(8):
        calls = [ask(session, number) for number in range(40)]
        threads.append(threading.Thread(target=lambda calls=calls: right.extend(call() for call in calls)))
        threads[-1].start()
    for thread in threads:
        thread.join(DEADLINE)
    assert len(right) == 320 and all(right)
    assert scheduler.queue_state(target.device) == (0, 0)


# --- the thread of a GPU ----------------------------------------------------------------------------------------------


def features(m=50, n=30, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 7))
    return lambda report: RandomMaxout(m, random_state=seed).fit_transform(X)


def test_one_thread_owns_the_gpu(fake_gpu):
    expected = RandomMaxout(50, random_state=0, device="cpu").fit_transform(
        np.random.default_rng(0).normal(size=(30, 7))
    )
    backend.available_devices()  # who looks for GPUs first tries them
    fake_gpu.memory.threads.clear()
    threads = [Asking(Request(session, GPU), features()) for session in range(6)]
    for thread in threads:
        np.testing.assert_allclose(thread.end().result, expected, rtol=1e-5)
    assert len(fake_gpu.memory.threads) == 1 and threading.get_ident() not in fake_gpu.memory.threads


def test_the_session_chooses_among_gpus(two_gpus):
    names = [
        scheduler.run(lambda report: backend.get_device().name, Request("a", Target(name)))
        for name in ("cuda:1", "cuda:0", "cpu")
    ]
    assert names == ["cuda:1", "cuda:0", "cpu"]


def test_idle_gpu_gives_its_memory_back_and_its_thread_ends(fake_gpu, monkeypatch):
    monkeypatch.setattr(gpu_worker, "_IDLE_S", 0.05)
    others = set(threading.enumerate())  # one of an earlier test may wait for its own time
    scheduler.run(features(), Request("a", GPU))
    before = fake_gpu.memory.released
    until(lambda: not any(thread.name == "rfviz-cuda:0" for thread in {*threading.enumerate()} - others))
    assert fake_gpu.memory.released == before + 1 and fake_gpu.memory.used == 0
    assert scheduler.run(lambda report: "again", Request("a", GPU)) == "again"


@pytest.mark.slow
def test_process_ends_while_a_gpu_computes():
    code = """
import sys, threading, time
from tests import fake_cupy
for name, module in fake_cupy.build().items():
    sys.modules[name] = module
from rfviz.ui import scheduler
begun = threading.Event()
def work(report):
    begun.set()
    while True:
        report(0.5, ""), time.sleep(0.01)
ask = lambda: scheduler.run(work, scheduler.Request("a", scheduler.Target("cuda:0")))
threading.Thread(target=ask, daemon=True).start()
assert begun.wait(20)
scheduler.close()
print("ends")
"""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "ends\n")


# --- failures of the GPU ----------------------------------------------------------------------------------------------


def test_full_memory_is_released_and_tried_again(fake_gpu):
    shares = []

    def work(report):
        shares.append(backend.block_share())
        if len(shares) == 1:
            fake_gpu.memory.limit = 0
            try:
                fake_gpu.ones(8)
            finally:
                fake_gpu.memory.limit = 1e11
        return float(fake_gpu.ones(8).sum())

    with capture_warnings() as heard:
        assert scheduler.run(work, Request("a", GPU)) == 8.0
    assert shares[0] == 1.0 and shares[1] < 1.0
    assert heard.messages == (("Out of memory on cuda:0: tried again with smaller blocks.", DeviceFallbackWarning),)
    assert fake_gpu.memory.released == 1


def test_what_does_not_fit_is_computed_on_the_cpu(fake_gpu):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    grid = np.array([20, 60])

    def work(report):
        path = RidgePathRegressor(RandomMaxout(60, random_state=1), m_grid=grid, alphas=1.0).fit(X, y)
        return path.predict(X), backend.get_device().name

    expected, _ = scheduler.run(work, Request("a"))
    fake_gpu.memory.limit = fake_gpu.memory.used + 20_000  # less than the Gram matrix takes
    with capture_warnings() as heard:
        found, where = scheduler.run(work, Request("a", GPU))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert where == "cpu"
    (said,) = heard.messages
    assert said[0] == "Too large for the memory of cuda:0: computed on the CPU instead."


def test_what_never_fits_is_computed_on_the_cpu(fake_gpu):
    def work(report):
        device = backend.get_device()
        return device.name, float(device.xp.ones(1000).sum())

    backend.available_devices()
    fake_gpu.memory.limit = 10
    with capture_warnings() as heard:
        assert scheduler.run(work, Request("a", GPU)) == ("cpu", 1000.0)
    assert heard.messages[-1][0] == "Out of memory on cuda:0: computed on the CPU instead."
    assert fake_gpu.memory.released >= 2


def test_what_the_cpu_computes_instead_blocks_no_gpu(fake_gpu):
    go, begun = threading.Event(), threading.Event()

    def work(report):
        if backend.get_device().is_gpu:
            raise CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")  # outside of CuPy's pool
        begun.set()
        go.wait(DEADLINE)
        return "done"

    large = Asking(Request("a", GPU), work)
    assert begun.wait(DEADLINE)
    assert scheduler.run(lambda report: backend.get_device().name, Request("b", GPU)) == "cuda:0"
    go.set()
    assert large.end().result == "done"


def test_a_failure_of_one_computation_keeps_the_gpu(fake_gpu):
    def work(report):
        if backend.get_device().is_gpu:
            raise CUSOLVERError("CUSOLVER_STATUS_INVALID_VALUE")
        return backend.get_device().name

    with capture_warnings() as heard:
        assert scheduler.run(work, Request("a", GPU)) == "cpu"
    assert heard.messages[0][0] == "CUSOLVERError on cuda:0: computed on the CPU instead."
    assert backend.get_device().name == "cuda:0"


def test_a_host_that_is_too_small_is_not_the_gpus_fault(fake_gpu, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    runs = []

    def work(report):
        runs.append(1)
        backend.check_memory(10**9, "cpu", "This", "Use less.")

    with capture_warnings() as heard, pytest.raises(MemoryBudgetError, match="budget on cpu"):
        scheduler.run(work, Request("a", GPU))
    assert len(runs) == 1 and not heard.messages

    def load(report):
        runs.append(1)
        memory.check(10**12, "A table", "Keep fewer rows")

    with capture_warnings() as heard, pytest.raises(MemoryBudgetError, match="A table needs about"):
        scheduler.run(load, Request("a", GPU))
    assert len(runs) == 2 and not heard.messages


def test_warnings_of_smaller_blocks_reach_the_reader(fake_gpu):
    X = np.random.default_rng(0).normal(size=(4000, 6)).astype(np.float32)

    def work(report):
        fake_gpu.memory.limit = fake_gpu.memory.used + 1_500_000
        return RandomMaxout(100, random_state=0).fit_transform(X)

    with capture_warnings() as heard:
        scheduler.run(work, Request("a", GPU))
    assert any("blocks of" in text for text, _ in heard.messages)


def test_driver_that_vanishes_ends_in_one_sentence_and_the_cpu_goes_on(fake_gpu):
    ask = features()
    before = scheduler.run(ask, Request("a", GPU))
    go, holding = hold(GPU)
    waiting = Asking(Request("b", GPU), lambda report: backend.get_device().name)
    failing = threading.Event()

    def work(report):
        failing.set()
        fake_gpu.memory.failure = CUDARuntimeError("cudaErrorUnknown: unknown error\nmore of it")
        return ask(report)

    until(lambda: scheduler.queue_state("cuda:0")[1] == 1)
    lost = Asking(Request("c", GPU), work)
    until(lambda: scheduler.queue_state("cuda:0")[1] == 2)
    after = Asking(Request("d", GPU), lambda report: backend.get_device().name)
    until(lambda: scheduler.queue_state("cuda:0")[1] == 3)
    go.set()
    assert holding.end().error is None and waiting.end().result == "cuda:0"
    error = lost.end().error
    assert isinstance(error, DeviceError)
    assert str(error) == (
        "The GPU cuda:0 failed in the middle of a computation (CUDARuntimeError: cudaErrorUnknown: unknown error). "
        "From now on everything is computed on the CPU, until the laboratory is started again."
    )
    assert after.end().result == "cpu"  # it waited for the GPU
    assert [device.name for device in backend.available_devices()] == ["cpu"]
    assert "failed in the middle" in backend.gpu_status()
    np.testing.assert_allclose(scheduler.run(ask, Request("a", GPU)), before, rtol=1e-5)
    assert fake_gpu.memory.used == 0


def test_error_of_the_computation_is_not_taken_for_the_gpus(fake_gpu):
    with pytest.raises(ValueError, match="mine"):
        scheduler.run(lambda report: (_ for _ in ()).throw(ValueError("mine")), Request("a", GPU))
    assert backend.get_device().name == "cuda:0"


def test_a_thread_may_ask_how_many_wait_while_others_come_and_go():
    queue, stop = FairQueue(), threading.Event()
    jobs = [Job(Request(session, background=session % 2 == 1), lane=None) for session in range(8)]

    def come_and_go():
        while not stop.is_set():
            for job in jobs:
                queue.put(job)
            queue.drop(jobs[3])
            while queue.take() is not None:
                pass

    others, before = threading.Thread(target=come_and_go, daemon=True), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    others.start()
    try:
        assert all(0 <= len(queue) <= len(jobs) for _ in range(20_000))
    finally:
        sys.setswitchinterval(before)
        stop.set()
        others.join(10.0)
    assert len(queue) == 0
