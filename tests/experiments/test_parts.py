"""Experiments that come in parts: a result after each part, the last of which is that of `run`."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError, capture_warnings
from rfviz.experiments import ExperimentInParts, as_data, experiment
from rfviz.experiments.base import Chart
from rfviz.experiments.work import Part, Work

MADE = []


def moment(data, order, *, cache):
    """Return the mean of a power of all numbers."""
    MADE.append(order)
    if order > 3:
        raise ParameterError("order", "must be at most 3", order)
    cache.progress(0.5, "half")
    return float(np.mean(data.dataset.X.astype(float) ** order))


@experiment
class Moments(ExperimentInParts):
    """Moments of all numbers; the labels of the parts are curves."""

    orders: tuple = (1, 2, 3)
    labels: tuple = ("a", "b", "c")
    question = "How large are the moments?"

    def work(self, data, cache):
        return Work([Part(label, moment, (data, n)) for label, n in zip(self.labels, self.orders, strict=True)], cache)

    def collect(self, data, work, cache):
        return [work.result(part) for part in work.parts]

    def charts(self, data, numbers, cache):
        return (Chart("moments", lambda: None, lambda: pd.DataFrame({"moment": numbers}), f"{numbers}"),)


X = np.array([[1.0, 2.0], [3.0, 5.0]])
X_DATA = as_data(X)


@pytest.fixture(autouse=True)
def nothing_made():
    MADE.clear()


def test_a_result_comes_after_each_part_and_nothing_is_computed_before_it_is_asked_for():
    found = Moments().parts(X)
    assert isinstance(found, Iterator) and not MADE
    assert next(found).numbers == [2.75, None, None] and MADE == [1]
    assert [result.numbers for result in found] == [[2.75, 9.75, None], [2.75, 9.75, 40.25]]
    assert MADE == [1, 2, 3]


def test_the_last_result_is_that_of_run():
    *_, last = Moments().parts(X)
    pd.testing.assert_frame_equal(last.to_frame(), Moments().run(X).to_frame())
    assert last.summary() == "[2.75, 9.75, 40.25]"


def test_what_a_cache_has_is_in_the_first_result():
    cache = Cache()
    next(Moments().parts(X_DATA, cache=cache))
    first, _ = Moments().parts(X_DATA, cache=cache)
    assert first.numbers == [2.75, 9.75, None]
    assert MADE == [1, 2, 3]
    (whole,) = Moments().parts(X_DATA, cache=cache)
    assert whole.numbers == [2.75, 9.75, 40.25] and MADE == [1, 2, 3]


def test_a_part_that_fails_is_told_at_the_end_and_the_others_are_computed():
    with capture_warnings() as log:
        found = [result.numbers for result in Moments(orders=(4, 1, 2), labels=("a", "b", "b")).parts(X)]
    assert found == [[None, 2.75, None], [None, 2.75, 9.75]]
    assert [text for text, _ in log.messages] == ["a stopped: order must be at most 3; got 4."]


def test_where_no_part_can_be_computed_it_is_an_error():
    hopeless = Moments(orders=(4, 5), labels=("a", "b"))
    for run in (hopeless.run, lambda data: list(hopeless.parts(data))):
        with pytest.raises(DataError, match=r"a stopped: order must be at most 3; got 4\. b stopped: "):
            run(X)


def test_progress_covers_all_parts_and_stops():
    told = []
    list(Moments().parts(X, progress=lambda share, text: told.append((share, text))))
    assert [round(6 * share) for share, _ in told] == [0, 1, 2, 3, 4, 5] and told[1][1] == "a: half"

    def stop(share, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(Moments().parts(X, progress=stop))
