"""Results are computed once, within a budget of bytes; they go with the upload that they come from."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz.errors import capture_warnings, warn
from rfviz.lab.cache import Cache, Cached, Store, size_of
from rfviz.lab.panel import Data, ScaledData

KILOBYTES = 10_000


class Calls:
    """A cached function that counts how often it computes."""

    def __init__(self, compute=lambda *args: args):
        self.compute, self.made = compute, []

    def __call__(self, *args, cache):
        self.made.append(args)
        return self.compute(*args)


def array_of(size):
    return Calls(lambda number: np.full(size // 8, number, dtype=float))


def test_computed_once_for_equal_arguments():
    cache, function = Cache(), Calls(lambda *args: None)
    for _ in range(3):
        assert cache.call(function, "a", (1, 2.0)) is None
    cache.call(function, "a", (1, 3.0))
    assert function.made == [("a", (1, 2.0)), ("a", (1, 3.0))]


def test_functions_have_results_of_their_own():
    cache = Cache()
    assert cache.call(Calls(lambda x: x + 1), 1) == 2
    assert cache.call(Calls(lambda x: x - 1), 1) == 0


def test_a_failure_is_not_remembered():
    cache, answers = Cache(), iter([ZeroDivisionError, 5])

    def compute():
        answer = next(answers)
        if answer is ZeroDivisionError:
            raise answer
        return answer

    function = Calls(compute)
    with pytest.raises(ZeroDivisionError):
        cache.call(function)
    assert cache.call(function) == 5


def test_peek_computes_nothing():
    cache, function = Cache(), Calls()
    assert cache.peek(function, 1) is None
    cache.call(function, 1)
    assert cache.peek(function, 1) == (1,)
    assert len(function.made) == 1


def test_the_longest_unused_goes_where_the_budget_is_full():
    store = Store(3 * KILOBYTES + 1000)
    cache, function = Cache(store), array_of(KILOBYTES)
    for number in (1, 2, 3):
        cache.call(function, number)
    cache.call(function, 1)
    cache.call(function, 4)
    assert [cache.peek(function, number) is not None for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert len(store) == 3 and store.n_bytes <= store.max_bytes


def test_a_result_beyond_the_budget_is_there_until_the_next():
    store = Store(1000)
    cache, function = Cache(store), array_of(KILOBYTES)
    cache.call(function, 1)
    assert cache.peek(function, 1) is not None
    cache.call(function, 2)
    assert len(store) == 1 and cache.peek(function, 1) is None


def test_bytes_are_counted_while_results_come_and_go():
    store = Store(10**9)
    for _ in range(2):
        store.put("key", Cached(np.zeros(1000)))
    assert store.n_bytes == size_of(np.zeros(1000))
    store.put("other", Cached(np.zeros(10)), {"someone"})
    assert store.drop_owner("someone") == 1
    assert store.n_bytes == size_of(np.zeros(1000))
    store.clear()
    assert store.n_bytes == len(store) == 0


@dataclass(frozen=True)
class Nested:
    """Settings that hold a source somewhere inside."""

    parts: tuple
    remark: object = field(default=None, compare=False)


def uploaded(stamp):
    return Data("own:table", (("scale", "none"),), stamp, dataset=None)


@pytest.mark.parametrize(
    "argument",
    [uploaded("mine"), ScaledData(uploaded("mine"), "none"), Nested((1, (uploaded("mine"), "x"))),
     frozenset({uploaded("mine")})],
)  # fmt: skip
def test_results_go_with_the_upload_however_deep_it_is_in_their_key(argument):
    cache, function = Cache(), Calls(lambda *args: 1)
    other = ScaledData(uploaded("theirs"), "none")
    public = Data("circle", (), "mine", dataset=None)  # a stamp of a file in the folder makes nobody its owner
    for args in ((argument, 3), (other, 3), (public, 3)):
        cache.call(function, *args)
    assert cache.store.drop_owner("mine") == 1
    assert cache.peek(function, argument, 3) is None
    assert cache.peek(function, other, 3) == cache.peek(function, public, 3) == 1
    assert cache.store.drop_owner("") == cache.store.drop_owner("mine") == 0


def test_warnings_come_with_the_result_each_time_and_through_the_results_that_use_it():
    def inner(*, cache):
        warn("Careful.", UserWarning)
        return 1

    def outer(*, cache):
        return 1 + cache.call(inner)

    cache = Cache()
    for function in (outer, outer, inner):
        with capture_warnings() as log:
            cache.call(function)
        assert [text for text, _ in log.messages] == ["Careful."]
    assert cache.warnings(outer, [()]) == "Careful."


def test_progress_goes_elsewhere_over_the_same_results():
    heard, cache = [], Cache()
    reporting = cache.with_progress(lambda share, text: heard.append((share, text)))

    def compute(number, *, cache):
        cache.progress(0.5, f"number {number}")
        return number

    assert reporting.call(compute, 1) == cache.peek(compute, 1) == 1
    assert heard == [(0.5, "number 1")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.zeros(1000), 8000),
        (np.zeros((1000, 10))[:, 0], 80_000),  # a view keeps the whole array
        ([np.zeros(1000)] * 5, 8000),  # one array, however often it is named
        ({"a": np.zeros(1000), "b": (np.zeros(1000),)}, 16_000),
        (Cached(np.zeros(1000)), 8000),
        (sparse.random(1000, 100, 0.1, format="csr", random_state=0), 10_000 * 12 + 4 * 1001),
        (pd.DataFrame({"a": np.zeros(1000), "b": np.zeros(1000)}), 16_000),
        ("x" * 5000, 5000),
    ],
)
def test_size_is_about_that_of_the_arrays(value, expected):
    assert expected <= size_of(value) <= 1.1 * expected + 200
