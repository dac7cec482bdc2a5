"""Sentences on values, gaps, copies, outliers and the rows used: where they are true, and where they would not be."""

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz.datasets import Dataset
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.raw import RowCounts, count_rows
from rfviz.inspection.words import r_squared, share

N = 300


def draw(seed=0):
    return np.random.default_rng(seed)


def inspected(frame, **changes):
    upload = upload_of_frame(pd.DataFrame(frame))
    return Inspection(upload.prepare(upload.suggestion.replace({"label": None} | changes)))


def beside(column):
    return {"x": draw(1).normal(size=len(column)), "z": draw(2).normal(size=len(column)), "column": column}


def odd(column):
    return inspected(beside(column)).finding("values")


# --- values -----------------------------------------------------------------------------------------------------------

DIFFERENT = [
    ["<=50K", ">50K"], ["A+", "A", "A-", "B+"], ["AB+", "AB-", "A-B"], ["C", "C++", "C#"], ["'-1'", "'1'"],
    ["<1", ">1"], ["1/15/2009 0:00:00", "11/5/2009 0:00:00"], ["v1.10", "v11.0", "v1.1"], ["mW", "MW", "kW"],
    ["Masse", "Maße"], ["1-2", "12", "x"], ["5'", '5"', "x"], ["yes", "yes?"], ["R&D", "RD"], ["a+b", "a-b"],
    ["10%", "10", "x"], ["कि", "की"], ["👍", "👎"], [*"abcdefgABCDEFG"], ["type 1 1", "type 11"], ["1_0", "10", "x"],
]  # fmt: skip
ALIKE = [
    ["yes", "Yes", "no"], ["YES", "yes", "no"], ["New York", "new  york"], ["non-smoker", "Non smoker"],
    ["e-mail", "Email"], ["Acme Inc.", "Acme Inc"], ["O’Neil", "O'Neil"], ["New_York", "New York"], ["1", "1.0", "x"],
    ["'red'", "red"], ["Route 1", "route1"], ["m", "M", "f"], ["5 %", "5%", "x"], ["male", "m", "female"],
    ["kind, and loyal", "kind and loyal"],
]  # fmt: skip


@pytest.mark.parametrize("words", DIFFERENT, ids=lambda words: words[0])
def test_words_that_differ_in_a_sign_are_words_of_their_own(words):
    assert "probably one word" not in odd(draw(3).choice(words, N)).text


@pytest.mark.parametrize("words", ALIKE, ids=lambda words: words[0])
def test_words_that_differ_in_capitals_blanks_or_marks_are_probably_one(words):
    column = draw(4).choice(np.array(words, dtype=object), N, p=[0.6, 0.4] if len(words) == 2 else [0.5, 0.3, 0.2])
    found = odd(column)
    first, second = (" ".join(word.split()) for word in words[:2])  # blanks are one when a file is read
    assert f"spells what is probably one word as “{first}”, “{second}”." in found.text
    assert (found.rows - 1).tolist() == np.flatnonzero(column == words[1]).tolist()


@pytest.mark.parametrize(
    ("value", "others", "is_told"),
    [
        (-200, lambda g: g.normal(1100, 200, N).round(), True),
        (88, lambda g: g.integers(1, 31, N), True),
        (-1, lambda g: g.integers(0, 30, N), False),  # next to 0, 1, 2
        (0, lambda g: g.normal(90, 8, N).round(), True),
        (41.5, lambda g: g.integers(1, 31, N), False),  # not a code, nor far
    ],
)
def test_a_repeated_number_farther_off_than_all_others_reach_is_told(value, others, is_told):
    column = others(draw(5)).astype(float)
    column[::20] = value
    said = f"“column” is {value} in {int((column == value).sum())} rows (1, 21, 41, …), while all".replace("-", "−")
    assert (said in odd(column).text) == is_told
    assert ("No number lies far beyond all others" in odd(column).text) == (not is_told)


def test_times_since_1970_are_told_by_their_name_or_their_span_and_of_all_rows():
    stamps = draw(6).integers(1_600_000_000, 1_650_000_000, 9000)
    stamps[8999], stamps[17] = 1_577_836_800, 1_672_444_800  # 2020-01-01 and 2022-12-31
    assert "“column” may hold Unix times (2020-01-01 to 2022-12-31)." in odd(stamps).text
    revenue = draw(7).lognormal(20.8, 0.3, N).astype(np.int64)  # from 400 million to 2 billion
    assert revenue.min() > 3e8 and revenue.max() < 2.2e9 and "Unix" not in odd(revenue).text
    named = pd.DataFrame(beside(revenue)).rename(columns={"column": "created"})
    assert "“created” may hold Unix times" in inspected(named).finding("values").text


def test_columns_that_are_not_named_are_counted():
    frame = pd.DataFrame({f"c{i}": ["***" if i == j else str(0.5 * j) for j in range(N)] for i in range(5)})
    assert "2 more columns have odd values." in inspected(frame).finding("values").text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0%"),
        (1e-6, "less than 0.1%"),
        (0.0004, "less than 0.1%"),
        (0.0006, "0.1%"),
        (0.37, "37%"),
        (0.996, "99.6%"),
        (0.9996, "more than 99.9%"),
        (1 - 1e-9, "more than 99.9%"),
        (1.0, "100%"),
    ],
)
def test_a_share_is_nothing_or_all_only_if_it_is(value, said):
    assert share(value) == said


@pytest.mark.parametrize(
    ("score", "said"), [(-0.004, "R² 0.00"), (-0.006, "R² −0.01"), (0.0, "R² 0.00"), (1, "R² 1.00")]
)
def test_a_score_has_a_minus_only_if_it_shows(score, said):
    assert r_squared(score, 2) == said


# --- gaps and labels --------------------------------------------------------------------------------------------------


def test_gaps_of_other_columns_are_compared_with_those_that_are_named():
    frame = pd.DataFrame(draw(8).normal(size=(200, 6)), columns=list("abcdef"))
    frame.loc[:3] = np.nan
    said = inspected(frame).finding("missing").text
    assert "4 rows of 200 (2.0%) lack some value: “a” 2.0%, “b” 2.0%, “c” 2.0% and 3 other columns as much." in said
    frame.loc[3, ["d", "f"]] = 1.0
    assert "and 3 other columns as much or less." in inspected(frame).finding("missing").text
    frame.loc[3, "e"] = 1.0
    assert "and 3 other columns less." in inspected(frame).finding("missing").text
    many = frame.assign(**dict.fromkeys("uvwxyz", np.nan))
    assert "6 of 12 columns are completely empty." in inspected(many).finding("missing").text


def test_infinite_values_are_told_apart_from_missing_ones():
    ratio = draw(9).normal(size=N)
    ratio[:3], ratio[7] = np.inf, np.nan
    said = inspected({"x": draw(1).normal(size=N), "ratio": ratio}).finding("missing").text
    assert "4 rows of 300 (1.3%) lack some value: “ratio” 1.3%. “ratio” holds 3 infinite values, which count as" in said


def balance(target):
    return inspected(beside(np.arange(len(target)) % 7) | {"y": target}, label="y").finding("balance").text


def test_shares_of_classes_are_of_the_rows_with_a_label_and_dates_are_dates():
    words = np.array(["a"] * 101 + ["b"] * 99 + [None] * 200, dtype=object)
    assert (
        balance(words)
        == "400 rows of 3 columns, 200 of them with a label, in 2 classes: “a” has 50% of these, “b” 50%."
    )
    assert balance(words[:200]) == "200 rows of 3 columns in 2 classes: “a” has 50% of the rows, “b” 50%."
    days = pd.Series(pd.date_range("2020-01-01", periods=300))
    assert balance(days).endswith("the target is a date from 2020-01-01 to 2020-10-26.")
    assert balance(np.append(draw(10).integers(0, 10**6, 299) + 0.5, 1_234_567)).endswith(" to 1,234,567.")
    one = np.where(np.arange(200) < 150, "only", None)
    assert balance(one) == "200 rows of 3 columns, 150 of them with a label; these are of the class “only”."


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (1 + 1e-8 * np.arange(N), "a number from 1.0 to 1.00000299."),
        (-1 - 1e-8 * np.arange(N), "a number from −1.00000299 to −1.0."),
        (np.full(N, 1.25), "1.25 in every row, so nothing can be learnt."),
        (
            pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N), "min"),
            "a date from 2020-01-01 00:00:00 to 2020-01-01 04:59:00.",
        ),
        (
            pd.Timestamp("2020-01-01") + pd.to_timedelta(np.zeros(N), "D"),
            "2020-01-01 in every row, so nothing can be learnt.",
        ),
    ],
)
def test_a_target_is_the_same_in_every_row_only_if_it_is_and_not_as_it_is_written(target, said):
    text = inspected(beside(target), label="column", target="numbers").finding("balance").text
    assert text.endswith(f"; the target is {said}")


# --- rows -------------------------------------------------------------------------------------------------------------


def copies(frame, **changes):
    return inspected(frame, **changes).finding("copies")


def test_rows_that_few_values_make_equal_are_no_copies_next_to_an_identifier():
    g = draw(11)
    rate = g.integers(20, 160, 1000) / 1000
    assert copies({"id": np.arange(1000) + 7, "rate": rate}).text == "No two of the 1,000 rows are equal."
    answers = {"id": np.arange(1000) + 7, "q": g.choice(["yes", "no"], 1000), "r": g.integers(1, 6, 1000)}
    assert copies(answers).status == "fine"
    found = copies({"q": answers["q"], "r": answers["r"]})
    assert found.status == "fine" and "990 rows of 1,000 (99%) are copies of earlier rows, as chance" in found.text
    # Copies that chance does not bring are told in spite of the identifiers.
    frame = pd.DataFrame(g.normal(size=(200, 3)).round(2), columns=list("abc"))
    frame = pd.concat([frame, frame.iloc[[3, 3, 4]]], ignore_index=True).assign(
        row=np.arange(203), nr=np.arange(203)[::-1]
    )
    found = copies(frame)
    assert "3 rows of 203 (1.5%) are copies of earlier rows apart from “row” and “nr”: they count more" in found.text
    assert found.status == "look" and (found.rows - 1).tolist() == [200, 201, 202]


def test_rows_that_are_all_equal_are_told_with_their_labels():
    X, y = np.ones((20, 4), dtype=np.float32), np.array([0] * 19 + [1])
    found = Inspection(Dataset("equal", X, y, ("a", "b"))).finding("copies")
    assert (
        found.text == "All 20 rows are equal; 20 rows are equal to one with another label."
        and found.status == "warning"
    )
    found = Inspection(Dataset("equal", X, None)).finding("copies")
    assert found.text == "All 20 rows are equal."
    said = {finding.name: finding for finding in Inspection(Dataset("equal", X, y, ("a", "b"))).findings()}
    assert said["Columns"].text == "No column has more than a single value: all rows are equal."
    assert said["Distances"].status == said["Outliers"].status == "unknown"


def outliers(frame):
    findings = {finding.name: finding for finding in first_findings(inspected(frame), "Outliers")}
    return findings["Outliers"], findings


def first_findings(inspection, last):
    for finding in inspection.findings():
        yield finding
        if finding.name == last:
            return


def test_an_absurd_value_hides_no_others_and_different_rows_are_counted_exactly():
    age = draw(12).integers(18, 68, 500).astype(float)
    age[0] = 99_999_999_999
    frame = {"age": age, "who": draw(13).choice(["m", "f"], 500)}
    found, _ = outliers(frame)
    said = f"1 of {len(np.unique(age))} rows that differ in the columns of numbers is an outlier. It is row 1: "
    assert found.text == f"{said}it is more than 1,000 times as isolated as its neighbours."
    assert found.rows.tolist() == [1]
    # Another outlier, which only the other rows of its column show.
    frame["height"] = draw(14).normal(170, 8, 500).round(1)
    frame["height"][9] = 320.0
    assert {1, 10} <= set(outliers(frame)[0].rows.tolist())


def test_long_identifiers_are_told_apart():
    ids = 716_277_643_516_076_032 + draw(15).permutation(100)
    found, findings = outliers({"code": ids, "flag": draw(16).integers(0, 2, 100)})
    assert found.text.startswith("No outliers among 100 rows that differ in the columns of numbers.")
    assert not any("need at least 5 different rows" in finding.text for finding in findings.values())
    few, _ = outliers({"flag": np.arange(60) % 3, "other": 1.0})
    assert few.status == "unknown" and "5 different rows in the columns used, and there are 3" in few.text


@pytest.mark.slow
def test_sentences_say_which_rows_were_used():
    frame = pd.DataFrame({"x": draw(17).normal(size=398), "z": draw(18).normal(size=398)})
    frame["y"] = frame["x"] + draw(19).normal(size=398)
    frame.loc[:5, "z"] = np.nan
    findings = rfviz.inspect(frame, label="y").findings.set_index("name")["text"]
    used = ["near-copies", "distances", "outliers", "labels", "uncertainty", "structure", "interactions"]
    assert all(
        "392 rows without gaps (of 398)" in findings[name]
        or "392 different rows without gaps (of 398)" in findings[name]
        for name in used
    )
    assert "drawn" not in " ".join(findings)
    assert count_rows(inspected(frame, label="y").source.dataset) == RowCounts(398, 392, "without gaps")
    unlabelled = frame.assign(y=np.where(np.arange(398) < 20, np.nan, frame["y"]))
    counts = count_rows(inspected(unlabelled, label="y", missing="drop rows").source.dataset)
    assert counts == RowCounts(398, 378, "with a label and without gaps")
    assert counts.of_all(378) == " with a label and without gaps (of 398)" and counts.of_all(398) == ""
    assert counts.of_all(50) == " (drawn from 378 with a label and without gaps, of 398)"
    assert RowCounts(2100, 2100).of_all(2000) == " (drawn from 2,100)"
