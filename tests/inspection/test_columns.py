"""What is said of columns holds in the table: constants, repeats, what goes together, identifiers, what is sorted."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection

N = 400


def draw(seed=0):
    return np.random.default_rng(seed)


def said(frame, **changes):
    upload = upload_of_frame(pd.DataFrame(frame))
    changes = {"label": None} | changes
    return Inspection(upload.prepare(upload.suggestion.replace(changes))).finding("columns")


def other():
    return draw(99).normal(size=N)


# --- repeats ----------------------------------------------------------------------------------------------------------

celsius = draw(1).normal(15, 6, N).round(1)
names = np.array(["Bern", "Genf", "Rome", "Oslo"])[draw(2).integers(0, 4, N)]
ids = 716_277_643_516_076_032 + draw(3).integers(0, 10**6, N)
x = draw(4).normal(size=N)
REPEATS = {
    "another unit": (x, x / 2.54),
    "another sign and offset": (x.round(6), 1e4 - 3 * x.round(6)),
    "a unit that is rounded": (celsius, (1.8 * celsius + 32).round(1)),
    "whole numbers of another unit": (celsius.round(), (1.8 * celsius.round() + 32).round()),
    "long identifiers": (ids, ids + 1),
    "single precision": (x.astype(np.float32), (100 - 2.54 * x.astype(np.float32)).astype(np.float32)),
    "the same gaps": (np.where(x > 1, np.nan, x), np.where(x > 1, np.nan, 2 * x)),
    "dates and days": (pd.Timestamp("2024-01-01") + pd.to_timedelta(celsius.round(), "D"), celsius.round()),
    "a code and its name": (pd.Series(names).map({"Bern": 1, "Genf": 2, "Rome": 5, "Oslo": 9}), names),
    "a name and its code": (names, pd.Series(names).str[0]),
    "yes or no as numbers": (x > 0, (x > 0).astype(int)),
    "the same text": ([f"text {i}" for i in range(N)], [f"text {i}" for i in range(N)]),
}
minutes = pd.to_timedelta(draw(5).integers(120, 3000, N), "s")
pickup = pd.Timestamp("2019-03-01") + pd.to_timedelta(draw(6).integers(0, 31 * 86_400, N), "s")
county, days = draw(7).integers(1001, 56_045, N), draw(8).choice(3650, N, replace=False)
twice = np.tile(draw(9).normal(size=(2, N // 2)), 2)
DIFFER = {
    "times that are minutes apart": (pickup, pickup + minutes),
    "codes within codes": (county * 10**6 + draw(10).integers(1, 9999, N) * 100, county),
    "hours that are one apart or none": (days % 24, (days + draw(11).integers(0, 2, N)) % 24),
    "days that are one apart or none": (days, days + draw(11).integers(0, 2, N)),
    "identifiers that differ in their last digit": (ids, ids + draw(12).integers(0, 2, N)),
    "a number and its decade": (county // 1000, county // 10_000),
    "a value in two roundings": (x, x.round(2)),
    "two numbers in rows that occur twice": (twice[0], twice[1]),
    "a name that stands for two": (names, pd.Series(names).replace("Oslo", "Rome")),
    "other gaps": (np.where(x > 2, np.nan, x), x),
    "text that differs": ([f"text {i}" for i in range(N)], [f"text {N - i}" for i in range(N)]),
    "a logarithm": (np.exp(x), x),
}


@pytest.mark.parametrize("pair", REPEATS.values(), ids=REPEATS)
def test_a_column_that_says_what_an_earlier_one_says_repeats_it(pair):
    found = said({"one": pair[0], "z": other(), "two": pair[1]})
    assert "“two” repeats an earlier column (“one”). Leave it out." in found.text
    assert found.status == "look" and found.columns == ("two",)


@pytest.mark.parametrize("pair", DIFFER.values(), ids=DIFFER)
def test_a_column_that_says_something_else_repeats_none(pair):
    found = said({"one": pair[0], "z": other(), "two": pair[1]})
    assert "none repeats another" in found.text and found.status == "fine" and not found.columns


def test_few_numbers_that_tell_the_same_groups_of_rows_apart_are_named_and_repeat_none():
    image = draw(20).integers(0, 5, N)
    depth, width = np.array([5.07, 9.24, 12.06, 14.78, 3.83]), np.array([82.5, 78.1, 85.2, 64.3, 102.4])
    found = said(
        {"depth": depth[image], "z": other(), "width": width[image], "other": depth[draw(21).integers(0, 5, N)]}
    )
    assert "none repeats another" in found.text and found.status == "fine"
    assert (
        "“depth” and “width” tell the same 5 groups of rows apart: each number of one goes with one of the other."
        in (found.text)
    )
    assert [(c.value, c.columns) for c in found.claims.of("same groups")] == [(5, ("depth", "width"))]
    gap = np.where(np.arange(N) == 3, 64.3, width[image])  # in one row another one
    assert not said({"depth": depth[image], "z": other(), "width": gap}).claims.of("same groups")


def test_repeats_are_looked_for_in_all_rows_of_many_columns():
    X = draw(13).normal(size=(300, 400))
    X[:, 350] = 3 * X[:, 40] - 1
    X[:, 351], X[7, 351] = X[:, 41], X[7, 41] + 1  # but for one row
    found = said({f"x{i}": column for i, column in enumerate(X.T)})
    assert found.columns == ("x350",)


# --- what goes together -----------------------------------------------------------------------------------------------


def test_correlations_are_those_of_the_rows_that_know_both_and_have_their_sign():
    y = -x + 0.05 * other()
    gaps = np.where(draw(14).random(N) < 0.3, np.nan, y)
    frame = pd.DataFrame({"x": x, "z": other(), "y": gaps})
    r = frame["x"].corr(frame["y"])
    assert f"“y” and “x” go together (correlation −{abs(r):.3f})." in said(frame).text and -0.9995 < r < -0.99
    assert "(correlation above 0.999)" in said({"x": x, "z": other(), "y": x + 1e-3 * other()}).text


def test_a_correlation_is_not_that_of_a_single_row_or_of_the_gaps():
    one, two = x.copy(), other()
    one[3] = two[3] = 1e6
    assert np.corrcoef(one, two)[0, 1] > 0.999 and "go together" not in said({"one": one, "two": two}).text
    empty = np.arange(N) % 50 > 0
    assert "go together" not in said({"one": np.where(empty, np.nan, x), "two": np.where(empty, np.nan, two)}).text


def test_the_correlation_of_a_large_table_is_that_of_all_its_rows():
    a, noise = draw(15).normal(size=(2, 12_000))
    b = a + np.where(np.arange(12_000) % 2, 0.12, 0.01) * noise
    r = np.corrcoef(a, b)[0, 1]
    assert f"“b” and “a” go together (correlation {r:.3f})." in said({"a": a, "z": a[::-1] ** 2, "b": b}).text


# --- single values ----------------------------------------------------------------------------------------------------


def test_boxes_that_are_ticked_or_not_are_no_constants():
    tea, coffee = draw(16).random((2, N)) < 0.5
    frame = {"age": x, "tea": np.where(tea, "Tea", None), "coffee": np.where(coffee, 1.0, np.nan), "flat": 3}
    found = said(frame)
    assert found.columns == ("flat",) and "“flat” has a single value" in found.text
    assert "“tea” and “coffee” hold one value or nothing, as boxes that are ticked or not" in found.text
    alone = said({"age": x, "z": other(), "tea": frame["tea"]})
    assert "“tea” holds one value (“Tea”) or nothing, as a box that is ticked or not." in alone.text
    assert "No column is constant" in alone.text and alone.status == "fine"


@pytest.mark.parametrize("value", ["word", "$5", 5.0])
def test_nearly_all_rows_are_nearly_all_rows_of_the_table(value):
    rare = {"word": "other", "$5": "$7", 5.0: 7.0}[value]
    column = np.array([value] * 999 + [rare], dtype=object)
    frame = pd.DataFrame({"x": draw(17).normal(size=1000), "z": draw(18).normal(size=1000), "nearly": column})
    assert "in 99.900% of the rows. Leave it out." in said(frame).text and said(frame).columns == ("nearly",)
    frame.loc[:499, "nearly"] = None
    assert not said(frame).columns and "of the rows." not in said(frame).text


# --- identifiers, and what the rows are sorted by ---------------------------------------------------------------------


def test_a_year_for_each_row_is_their_time_and_no_identifier():
    frame = {"Year": np.arange(1600, 1600 + N), "x": x, "z": other()}
    found = said(frame)
    assert (
        found.status == "fine"
        and found.text == "No column is constant and none repeats another. “Year” gives the order."
    )
    found = said(frame, order=None)
    assert found.status == "fine" and "The rows are sorted by “Year”." in found.text
    assert "numbers the rows" not in found.text
    shuffled = said(frame | {"Year": draw(19).permutation(frame["Year"])})
    assert shuffled.status == "fine" and "sorted" not in shuffled.text and "order" not in shuffled.text


@pytest.mark.parametrize(
    "values",
    [
        np.sort(draw(31).integers(0, 12, 150)),
        -np.sort(draw(31).integers(0, 12, 150)),
        np.sort(draw(32).choice(["a", "b", "c"], 150)),
        pd.Series(pd.date_range("2020-01-01", periods=75)).repeat(2).to_numpy(),
    ],
    ids=["rises", "falls", "words", "dates"],
)
def test_rows_sorted_by_a_column_with_repeated_values_are_told(values):
    def text(some):
        return said({"v": some, "z": draw(33).normal(size=150)}).text

    assert "The rows are sorted by “v”." in text(values)
    assert "sorted" not in text(draw(34).permutation(values))
    assert "sorted" not in text(np.where(np.arange(150) == 149, 2, 1))  # once in 150 orders


def test_a_measurement_by_which_the_rows_are_sorted_is_no_identifier():
    people = np.sort(draw(20).choice(10**6, N, replace=False))
    for column in (people, people[::-1], np.sort(x)):
        found = said({"people": column, "y": other(), "z": draw(21).normal(size=N)})
        assert found.status == "fine" and "The rows are sorted by “people”." in found.text
    assert "sorted" not in said({"people": draw(22).permutation(people), "z": other()}).text


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rank", np.arange(1, N + 1)),
        ("nr", draw(23).permutation(N) + 4000),
        ("customer_id", draw(24).choice(10**6, N, replace=False)),
    ],
)
def test_numbers_of_the_rows_are_told(name, values):
    found = said({name: values, "x": x, "z": other()})
    assert f"“{name}” numbers the rows, as an identifier does. Leave it out." in found.text
    assert (found.status, found.columns) == ("warning", (name,))


def test_of_few_rows_nothing_is_said_that_was_not_looked_at():
    few = pd.DataFrame({"id": np.arange(1, 13), "z": draw(25).normal(size=12)})
    assert said(few).text == "No column is constant and none repeats another."
    assert said(few[:3].assign(twice=2 * few["z"])).text == "No column is constant."
    assert said(pd.DataFrame({"x": other(), "z": x})).text.endswith("and no column of numbers is a row number.")
    assert said({"index": np.arange(N), "x": x, "z": other()}, order="index").claims.get("numbering columns") is None


def test_absences_are_claims_and_so_is_what_is_found():
    none = said({"x": x, "z": other()}).claims
    assert [none.value(kind) for kind in ("constant columns", "repeating columns", "numbering columns")] == [0, 0, 0]
    frame = {"x": x, "w": x + 0.05 * draw(26).normal(size=N)}
    assert "and so do 2 other pairs (−0.99 or less)." in said(frame | {"z": -x + 0.09 * other()}).text
    opposite = said(frame | {"z": -x + 0.01 * other()})
    assert "and so do 2 other pairs (0.99 or more or −0.99 or less)." in opposite.text
    assert opposite.claims.value("correlated pairs") == 3 and opposite.claims[-3].what == "correlation"
    few = said({"x": x, "z": -x + 0.05 * other()}).claims.get("correlation")
    assert few.columns == ("z", "x") and few.value == pytest.approx(
        np.corrcoef(x, -x + 0.05 * other())[0, 1], abs=1e-12
    )
    repeated = said({"x": x, "z": other(), "inch": x / 2.54, "tick": np.where(x > 0, 1.0, np.nan)}).claims
    assert repeated.get("repeat").columns == ("inch", "x") and repeated.value("only value") == 1.0
