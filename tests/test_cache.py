"""Results are computed once, the longest unused go first where bytes are short, and failures are not remembered."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rfviz.cache import Cache, Store, default_budget, size_of
from rfviz.errors import capture_warnings, warn


def array_of(number, *, cache):
    """Return a new kilobyte."""
    return np.full(125, float(number))


def test_computed_once():
    cache = Cache()
    assert cache.call(array_of, 1) is cache.call(array_of, 1)
    assert cache.call(array_of, 1) is not cache.call(array_of, 2)


def test_functions_do_not_share_results():
    def other(number, *, cache):
        return "other"

    cache = Cache()
    assert cache.call(array_of, 1)[0] == 1 and cache.call(other, 1) == "other"


def test_a_result_of_none_is_remembered():
    calls, cache = [], Cache()

    def nothing(*, cache):
        calls.append(1)

    assert cache.call(nothing) is None and cache.call(nothing) is None
    assert calls == [1]


def test_the_longest_unused_goes_first():
    store = Store(max_bytes=3 * size_of(array_of(0, cache=None)))
    cache = Cache(store)
    first = {number: cache.call(array_of, number) for number in range(3)}
    assert cache.call(array_of, 0) is first[0]
    cache.call(array_of, 3)
    assert [cache.peek(array_of, number) is not None for number in range(4)] == [True, False, True, True]
    assert store.n_bytes <= store.max_bytes


def test_a_result_larger_than_the_budget_is_held_alone():
    store = Store(max_bytes=10)
    cache = Cache(store)
    cache.call(array_of, 1)
    assert cache.peek(array_of, 1) is not None and len(store) == 1
    cache.call(array_of, 2)
    assert cache.peek(array_of, 1) is None and len(store) == 1


def test_what_is_unused_for_too_long_goes():
    cache = Cache(Store(max_age_s=0.0))
    cache.call(array_of, 1)
    cache.call(array_of, 2)
    assert cache.peek(array_of, 1) is None and cache.peek(array_of, 2) is not None


def test_a_store_can_be_made_smaller_for_a_while():
    store = Store()
    cache = Cache(store)
    for number in range(4):
        cache.call(array_of, number)
    store.shrink(2 * size_of(array_of(0, cache=None)))
    assert [cache.peek(array_of, number) is not None for number in range(4)] == [False, False, True, True]


def test_the_budget_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("RFVIZ_CACHE_MB", "7")
    assert default_budget() == 7_000_000 == Store().max_bytes
    monkeypatch.setenv("RFVIZ_CACHE_MB", "many")
    assert default_budget() > 7_000_000


def test_the_budget_of_a_container_is_a_quarter_of_what_it_leaves_free(monkeypatch, tmp_path):
    monkeypatch.delenv("RFVIZ_CACHE_MB", raising=False)
    monkeypatch.setattr("rfviz.backend.devices._CGROUP", str(tmp_path))
    for name, text in {"max": "9000\n", "current": "1000\n", "stat": "inactive_file 0\n"}.items():
        (tmp_path / f"memory.{name}").write_text(text)
    assert default_budget() == 2000
    (tmp_path / "memory.max").write_text("900000000000\n")
    monkeypatch.setattr("rfviz.backend.devices._free_memory", lambda: 9e11)
    assert default_budget() == 1_000_000_000


def test_a_failure_is_not_remembered():
    attempts = []

    def fragile(*, cache):
        attempts.append(1)
        if len(attempts) == 1:
            raise ZeroDivisionError
        return "now it works"

    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.call(fragile)
    assert cache.call(fragile) == "now it works"


def test_a_long_computation_does_not_hold_up_another():
    begun, go_on, cache = threading.Event(), threading.Event(), Cache()

    def slow(*, cache):
        begun.set()
        assert go_on.wait(10)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(cache.call, slow)
        assert begun.wait(10)
        assert cache.call(array_of, 1)[0] == 1
        go_on.set()
        assert future.result(10) == "slow"


def test_many_threads_agree():
    cache = Cache(Store(max_bytes=5 * size_of(array_of(0, cache=None))))
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda i: cache.call(array_of, i % 7)[0] == i % 7, range(2000)))


def test_warnings_come_with_the_result_each_time():
    def inner(*, cache):
        warn("doubtful", UserWarning)
        return 1

    def outer(*, cache):
        return cache.call(inner) + 1

    cache = Cache()
    for _ in range(2):
        with capture_warnings() as log:
            assert cache.call(outer) == 2
        assert log.messages == (("doubtful", UserWarning),)
    with capture_warnings() as log:  # not again with another result
        cache.call(array_of, 3)
    assert not log.messages


def test_warnings_of_many_results_are_the_last_of_each_kind():
    def compute(number, *, cache):
        warn(f"condition {number}", UserWarning)
        if number == 1:
            warn("slow", RuntimeWarning)

    cache = Cache()
    with capture_warnings():
        for number in range(3):
            cache.call(compute, number)
    assert cache.warnings(compute, [(number,) for number in range(5)]) == "condition 2 slow"
    assert cache.warnings(compute, [(7,)]) == ""


def test_a_result_that_grows_while_it_is_measured_is_measured():
    grown = {}

    class Lazy:
        @property
        def __dict__(self):  # as where another thread comes in between
            grown[len(grown)] = 0
            return {}

    grown["lazy"] = Lazy()
    assert size_of(grown) > 0
