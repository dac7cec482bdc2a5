"""Results are kept by key, the longest unused go first, and failures are not kept."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.errors import capture_warnings, warn
from rfviz.ui.results import kept, known, warnings_of, watched


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


# --- warnings ---------------------------------------------------------------------------------------------------------


def test_warnings_come_with_the_result_each_time(shelf):
    def compute():
        warn("doubtful", UserWarning)
        return 1

    for _ in range(2):
        with capture_warnings() as heard:
            assert kept(shelf, "outer", lambda: kept(shelf, "inner", compute) + 1) == 2
        assert heard.messages == (("doubtful", UserWarning),)
    with capture_warnings() as heard:  # not again with another result
        assert kept(shelf, "other", lambda: 3) == 3
    assert not heard.messages and known(shelf, "other") == 3


def test_warnings_of_many_results_are_the_last_of_each_kind(shelf):
    def compute(number):
        warn(f"condition {number}", UserWarning)
        if number == 1:
            warn("slow", RuntimeWarning)

    with capture_warnings():
        for number in range(3):
            kept(shelf, number, lambda number=number: compute(number))
    assert warnings_of(shelf, range(5)) == "condition 2 slow"
    assert warnings_of(shelf, [7]) == ""


def _page_with_warnings():
    import streamlit as st

    from rfviz.errors import warn
    from rfviz.ui.results import kept, watched

    gamma = st.slider("gamma", 1, 9, 5)

    def compute(progress=None):
        if gamma > 3:
            warn(f"gamma={gamma} is large", UserWarning)

    @st.fragment
    def laboratory():
        st.button("again")
        watched("page", ("one", gamma), compute)
        watched("page", ("two", gamma), compute)
        kept("page", ("three", gamma), compute)
        if gamma > 6:
            kept("page", ("four", gamma), lambda: warn("and then some", RuntimeWarning))

    laboratory()


def test_a_page_shows_each_warning_once_also_from_memory():
    at = AppTest.from_function(_page_with_warnings).run()
    assert [w.value for w in at.warning] == ["gamma=5 is large"]
    for value, texts in [(2, []), (5, ["gamma=5 is large"]), (7, ["gamma=7 is large", "and then some"])]:
        at.slider[0].set_value(value).run()
        assert [w.value for w in at.warning] == texts
        at.button[0].click().run()
        assert [w.value for w in at.warning] == texts and not at.exception


def test_a_failure_shows_no_bar_and_no_warning(shelf):
    def compute(progress):
        warn("doubtful", UserWarning)
        raise KeyError

    with capture_warnings() as heard, pytest.raises(KeyError):
        watched(shelf, 1, compute)
    assert not heard.messages
