"""Results are kept by key, the longest unused go first, and failures are not kept."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from rfviz.ui.results import kept, watched


@pytest.fixture
def shelf():
    """A shelf of its own, so that tests do not see each other's results."""
    return f"test-{uuid.uuid4()}"


def test_computed_once(shelf):
    calls = []
    results = [kept(shelf, ("a", 1), lambda: calls.append(1) or object()) for _ in range(3)]
    assert len(calls) == 1
    assert results[0] is results[1] is results[2]


def test_shelves_are_apart(shelf):
    assert kept(shelf, "key", lambda: 1) == 1
    assert kept(shelf + "-other", "key", lambda: 2) == 2


def test_result_that_is_none_or_false_is_kept(shelf):
    calls = []
    for _ in range(2):
        assert kept(shelf, "none", lambda: calls.append(1)) is None
    assert len(calls) == 1


def test_longest_unused_goes_first(shelf):
    for key in "abc":
        kept(shelf, key, lambda key=key: key, most=3)
    kept(shelf, "a", lambda: pytest.fail("a is kept"), most=3)
    kept(shelf, "d", lambda: "d", most=3)
    assert kept(shelf, "b", lambda: "again", most=10) == "again"
    for key in "acd":
        kept(shelf, key, lambda: pytest.fail("still kept"), most=10)


def test_failure_is_not_kept(shelf):
    with pytest.raises(ZeroDivisionError):
        kept(shelf, "key", lambda: 1 / 0)
    assert kept(shelf, "key", lambda: "now it works") == "now it works"


def test_a_long_computation_does_not_hold_up_another(shelf):
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go_on.wait(10)
        return "slow"

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(kept, shelf, "slow", slow)
        assert begun.wait(10)
        assert kept(shelf, "quick", lambda: "quick") == "quick"
        go_on.set()
        assert future.result(10) == "slow"


def test_many_threads_agree(shelf):
    def use(i):
        return kept(shelf, i % 7, lambda: i % 7, most=5) == i % 7

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(2000)))


def test_watched_hands_on_results_and_failures():
    assert watched("test", 1, lambda progress: [progress(0.5, "half"), progress(None, "who knows"), 42][-1]) == 42
    assert watched("test", 1, lambda progress: 43) == 42
    with pytest.raises(KeyError):
        watched("test", 2, lambda progress: {}["missing"])
