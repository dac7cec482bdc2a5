"""A curve that was drawn, compared with the right one."""

import pytest

from rfviz.expressions import parse_expression
from rfviz.lessons import Curve, Gap, compare_curve, gap_words, right_heights

FACTS = {"twice": lambda x: 2 * x}


def curve(truth="twice(x)", factors=False, places=(1.0, 2.0, 3.0)):
    return Curve("time", "way", places, parse_expression(truth, FACTS, of_x=True), factors)


def compared(curve, drawn):
    return compare_curve(curve, drawn, right_heights(curve, FACTS))


def test_the_gap_is_the_mean_difference_and_says_where_it_is_largest():
    gap = compared(curve(), [(3, 6.5), (1, 2), (2, 4)])
    assert gap.mean == pytest.approx(0.5 / 3)
    assert (gap.place, gap.drawn, gap.right) == (3, 6.5, 6)
    assert gap.grade == "close"  # 0.17 of a range of 4


@pytest.mark.parametrize(("up", "grade"), [(0.0, "close"), (0.3, "close"), (0.8, "near"), (1.2, "off")])
def test_grades_go_by_the_range_of_the_right_curve(up, grade):
    assert compared(curve(), [(x, 2 * x + up) for x in (1, 2, 3)]).grade == grade


@pytest.mark.parametrize(("factor", "grade"), [(1.1, "close"), (0.6, "near"), (3.0, "off"), (0.3, "off")])
def test_on_a_logarithmic_axis_factors_count(factor, grade):
    gap = compared(curve(factors=True), [(x, 2 * x * factor) for x in (1, 3)])
    assert gap.grade == grade and gap.mean == pytest.approx(max(factor, 1 / factor), rel=0.1)


def test_only_places_that_were_drawn_count():
    assert compared(curve(), [(1.9, 3.8), (3, 6)]).mean == pytest.approx(0.0)
    assert compared(curve(), [(2.4, 100.0), (3, 6)]) is None  # a single place
    assert compared(curve(), []) is None


def test_on_a_long_axis_places_before_the_drawing_do_not_count():
    long = curve(factors=True, places=(10.0, 30.0, 100.0, 2000.0))
    gap = compared(long, [(45, 90), (2000, 4000)])
    assert gap.mean == pytest.approx(1.0)


def test_a_curve_drawn_down_to_zero_is_off_by_a_finite_factor():
    gap = compared(curve(factors=True), [(1, 0.0), (3, -1.0)])
    assert gap.grade == "off"


def test_large_numbers_are_written_in_full():
    words = gap_words(curve(factors=True), Gap(13.0, "off", 10_000.0, 1_234.0, 0.0123))
    assert words == "off by a factor of 13 on average. Most at 10,000 (time): you drew 1,200, right is 0.012."
