"""How numbers are written in sentences."""

import math

import numpy as np
import pytest

from rfviz.words import counted, join, number, per_cent, seconds, times


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0543, 3, "0.0543"),
        (76_272, 2, "76,000"),
        (1476, 4, "1,476"),
        (1.2e7, 2, "1.2·10⁷"),
        (-0.9699, 2, "−0.97"),
        (9.996, 3, "10.0"),
        (0.9, 3, "0.900"),
        (3.2e-5, 2, "3.2·10⁻⁵"),
        (1e-4, 1, "0.0001"),
        (0, 3, "0"),
        (math.inf, 3, "∞"),
        (-math.inf, 2, "−∞"),
        (math.nan, 2, "–"),
        (np.float32(0.5), 2, "0.50"),
        (100, 3, "100"),
        (0.0004, 2, "0.00040"),
        (9_999_999, 7, "9,999,999"),
    ],
)
def test_numbers_have_so_many_significant_digits_and_no_letters(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.00891, 3, "0.891%"),
        (0.372, 2, "37%"),
        (1.0, 3, "100%"),
        (0.0, 3, "0%"),
        (0.9997, 3, "99.97%"),
        (0.99999, 2, "99.999%"),
        (0.951, 3, "95.1%"),
        (1.25, 2, "120%"),
        (0.0352112, 3, "3.52%"),
        (0.5, 2, "50%"),
    ],
)
def test_shares_say_all_or_nothing_only_where_it_is_so(share, digits, text):
    assert per_cent(share, digits) == text


def test_shares_below_1_are_never_written_as_all_of_it():
    rng = np.random.default_rng(0)
    for share in 1 - 10.0 ** -rng.uniform(0, 7, 500):
        text = per_cent(share, 2)
        assert text != "100%" and abs(float(text[:-1]) / 100 - share) < 0.51 * (1 - share) + 0.006


def test_durations_ratios_counts_and_lists():
    assert [seconds(value) for value in (0.0123, 0.0994, 1.26, 99.4, 230.4)] == [
        "12 ms",
        "99 ms",
        "1.3 s",
        "99 s",
        "230 s",
    ]
    assert [times(ratio) for ratio in (1.0234, 4.61, 48.2, 481, 0.5)] == ["1.02", "4.6", "48", "480", "0.50"]
    assert (counted(1, "row"), counted(2000, "row"), counted(0, "row")) == ("1 row", "2,000 rows", "0 rows")
    assert (counted(1, "box", "boxes"), counted(3, "box", "boxes")) == ("1 box", "3 boxes")
    assert (join(["a"]), join(["a", "b"]), join(["a", "b", "c"], "or")) == ("a", "a and b", "a, b or c")
