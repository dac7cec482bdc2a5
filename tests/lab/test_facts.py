"""Facts that lessons quote: they know what was measured, and refuse other numbers and words in one sentence."""

import re

import pytest

from rfviz.errors import ParameterError
from rfviz.lab.facts import FACTS, at


def slow(*case):
    """Return a case that takes seconds."""
    return pytest.param(*case, marks=pytest.mark.slow)


def test_a_value_that_was_measured_is_found_by_a_number_or_a_word():
    assert at({1: 0.5, 3: 0.25}, 3, "m") == 0.25
    with pytest.raises(ParameterError, match=re.escape("m must be one of 1, 3; got 2. Choose the nearest.")):
        at({1: 0.5, 3: 0.25}, 2, "m")
    with pytest.raises(ParameterError, match=re.escape("kind must be one of flat, deep; got 'high'. Choose one of")):
        at({"flat": 1.0, "deep": 2.0}, "high", "kind")


@pytest.mark.parametrize(
    ("name", "known", "other", "named"),
    [
        slow("kitchen_sinks.boosted_error", (34,), (33,), "k must be one of 1, 2, 3, .*34, .*; got 33"),
        slow("kitchen_sinks.weight_slope", (10,), (33,), "first must be one of .*; got 33"),
        slow("kitchen_sinks.largest_weight", (10,), (33,), "k must be one of .*; got 33"),
        ("accuracy.paper_error", (4, 1000), (4, 2001), "m must be one of .*1000.*; got 2001"),
        ("accuracy.paper_error", (4, 1000), (5, 1000), "q must be one of .*4.*; got 5"),
        ("accuracy.cancer_error", ("linear", 10), ("cubic", 10), "kind must be one of linear, fourier; got 'cubic'"),
    ],
)
def test_what_was_not_measured_is_refused_in_a_sentence(name, known, other, named):
    assert isinstance(FACTS[name](*known), float)
    with pytest.raises(ParameterError, match=named):
        FACTS[name](*other)
