"""BLAS threads, whose limit is one for the whole process, and the ordered map over our own."""

import gc
import threading
import time
from collections import deque, namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.linalg.blas  # noqa: F401 – its own BLAS is limited too
from threadpoolctl import ThreadpoolController

from rfviz.backend import blas_info, get_device, map_ordered, over_rows, single_threaded_blas, threads, worker_count
from rfviz.progress import stoppable


def controller():
    return ThreadpoolController().select(user_api="blas")


def blas_threads():
    return [library["num_threads"] for library in controller().info()]


def test_blas_info_and_worker_count():
    info = blas_info()
    assert info["threads"] >= 1 and info["cores"] == worker_count() >= 1
    assert get_device("cpu").describe().startswith(f"CPU, cores: {info['cores']}, {info['library']} ")


def in_a_thread(function):
    """Run in a thread that ends: while the thread that set a limit lives, threadpoolctl obeys nobody else."""
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


@pytest.fixture
def two_blas_threads(monkeypatch):
    libraries = controller().lib_controllers
    before = blas_threads()
    monkeypatch.setattr(threads, "_blas_full", [])
    in_a_thread(lambda: [library.set_num_threads(2) for library in libraries])
    yield blas_threads()
    in_a_thread(lambda: [library.set_num_threads(n) for library, n in zip(libraries, before, strict=True)])


def test_single_threaded_blas_restores(two_blas_threads):
    with single_threaded_blas():
        assert set(blas_threads()) == {1}
        with single_threaded_blas():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == two_blas_threads
    with pytest.raises(ZeroDivisionError), single_threaded_blas():
        raise ZeroDivisionError
    assert blas_threads() == two_blas_threads


def test_a_blas_of_one_thread_needs_no_limit(two_blas_threads):
    in_a_thread(lambda: [library.set_num_threads(1) for library in controller().lib_controllers])
    n_threads = threading.active_count()
    with single_threaded_blas():
        assert threading.active_count() == n_threads and set(blas_threads()) == {1}


def test_single_threaded_blas_overlapping(two_blas_threads):
    # The first in is the first out, which plain limiters do not survive.
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == two_blas_threads


def test_single_threaded_blas_of_two_sessions(two_blas_threads):
    # The first session's thread set the limit, leaves early and lives on; the second has to lift it all the same.
    first_in, both_in, first_out, end = (threading.Event() for _ in range(4))

    def first():
        with single_threaded_blas():
            first_in.set()
            both_in.wait()
        first_out.set()
        end.wait()

    session = threading.Thread(target=first)
    session.start()
    first_in.wait()
    with single_threaded_blas():
        both_in.set()
        first_out.wait()
        assert set(blas_threads()) == {1}
    assert blas_threads() == two_blas_threads
    end.set()
    session.join()


def test_single_threaded_blas_within_another_librarys_limit(two_blas_threads):
    with single_threaded_blas():
        pass
    foreign = controller().limit(limits=1)  # as scikit-learn's neighbours do, in another session
    foreign.__enter__()
    ours = single_threaded_blas()
    ours.__enter__()
    foreign.__exit__(None, None, None)
    ours.__exit__(None, None, None)
    assert blas_threads() == two_blas_threads


def test_single_threaded_blas_from_many_threads(two_blas_threads):
    seen = set()

    def use():
        for _ in range(20):
            with single_threaded_blas():
                seen.update(blas_threads())

    sessions = [threading.Thread(target=use) for _ in range(6)]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    assert seen == {1}
    assert blas_threads() == two_blas_threads


@pytest.mark.parametrize("workers", [0, 1, 2, 5])
@pytest.mark.parametrize("length", [0, 1, 2, 30])
def test_map_keeps_the_order(workers, length):
    def work(item):
        time.sleep(0.002 * (item % 3 == 0))
        return item * item

    assert list(map_ordered(work, range(length), workers)) == [i * i for i in range(length)]


@pytest.mark.parametrize("workers", [2, 4])
def test_map_is_bounded(workers):
    state = namedtuple("State", "begun taken")([], [])
    lock = threading.Lock()
    most = 0

    def work(item):
        nonlocal most
        with lock:
            state.begun.append(item)
            most = max(most, len(state.begun) - len(state.taken))
        return item

    for item in map_ordered(work, iter(range(50)), workers):
        time.sleep(0.001)
        state.taken.append(item)
    # Those begun and not yet taken, and the one that the caller is busy with.
    assert most <= workers + 2


def test_map_abandoned_starts_nothing_more(two_blas_threads):
    begun = []
    results = map_ordered(lambda item: begun.append(item) or item, range(1000), 2)
    assert next(results) == 0
    assert set(blas_threads()) == {1}
    results.close()
    count = len(begun)
    assert count <= 5 and blas_threads() == two_blas_threads
    time.sleep(0.02)
    assert len(begun) == count


def test_map_not_begun_limits_nothing(two_blas_threads):
    results = map_ordered(str, range(10), 2)
    assert blas_threads() == two_blas_threads
    del results
    gc.collect()
    assert blas_threads() == two_blas_threads


def test_map_passes_on_an_exception(two_blas_threads):
    begun = []

    def work(item):
        begun.append(item)
        return 1 / (3 - item)

    results = map_ordered(work, range(100), 2)
    assert [next(results) for _ in range(3)] == [1 / 3, 1 / 2, 1.0]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert len(begun) <= 8 and blas_threads() == two_blas_threads


@pytest.mark.parametrize("workers", [1, 3])
def test_a_computation_is_stopped_between_results(workers):
    class Stop(BaseException):
        pass

    def check():
        if len(got) == 4:
            raise Stop

    got, begun = deque(), []

    def work(item):
        begun.append(item)
        return item

    with pytest.raises(Stop), stoppable(check):
        got.extend(map_ordered(work, range(1000), workers))
    assert list(got) == [0, 1, 2, 3] and len(begun) <= 4 + workers + 1
    assert list(map_ordered(work, range(5), workers)) == [0, 1, 2, 3, 4]  # nothing of it is left


def test_who_is_stopped_does_not_wait_for_what_has_begun():
    class Stop(BaseException):
        pass

    go, begun, ended = threading.Event(), threading.Event(), []

    def work(item):
        begun.set()
        go.wait(20)
        ended.append(item)

    def check():
        if begun.is_set():
            raise Stop

    with pytest.raises(Stop), stoppable(check):
        list(map_ordered(work, range(8), 2))
    assert not ended
    go.set()
    # An error is another matter: what the others hold may be needed for a second try.
    with pytest.raises(ZeroDivisionError):
        list(map_ordered(lambda item: (time.sleep(0.05 * item), ended.append(9), 1 / item), range(3), 2))
    assert ended.count(9) >= 2


@pytest.mark.parametrize(("n_rows", "n_bytes"), [(0, 0), (1, 10**9), (5, 10), (7, 10**9), (1000, 5_000_000)])
def test_rows_in_slices_are_all_rows_once(monkeypatch, n_rows, n_bytes):
    monkeypatch.setattr(threads, "worker_count", lambda: 4)
    seen, calls = np.zeros(n_rows, dtype=int), []

    def count(rows):
        seen[rows] += 1
        calls.append(rows)

    with ThreadPoolExecutor(4) as executor:
        over_rows(executor, count, n_rows, n_bytes)
    assert (seen == 1).all()
    assert len(calls) == max(min(4, n_rows, n_bytes // 2_000_000), 1)


def test_an_error_in_a_slice_is_the_callers():
    def fail(rows):
        raise ZeroDivisionError("in a slice")

    with ThreadPoolExecutor(2) as executor, pytest.raises(ZeroDivisionError):
        over_rows(executor, fail, 10, 10**9)


@pytest.mark.parametrize(
    ("limit", "expected"), [("", 4), ("1", 1), ("3", 3), ("64", 4), ("2,1", 2), ("0", 4), ("many", 4)]
)
def test_a_limit_of_threads_is_one_of_cores(monkeypatch, limit, expected):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda process: range(4), raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert worker_count() == expected
