"""Columns that depend on each other without correlating are named; others are not."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, spearmanr

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError
from rfviz.inspection.dependence import AtTheSame, inspect_dependence, plot_dependence, plot_pair
from rfviz.inspection.inspection import Inspection


def table(seed=0, n=800):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(generator.standard_normal((n, 5)), columns=list("abcde"))
    frame["hue"] = generator.choice(["red", "green", "blue"], n)
    return frame


def inspected(frame):
    upload = upload_of_frame(frame)
    return Inspection(upload.prepare(upload.suggestion.replace({"label": None})))


@pytest.mark.parametrize("seed", range(4))
def test_independent_columns_and_correlated_ones_are_no_news(seed):
    frame = table(seed)
    finding = inspected(frame).finding("dependence")
    assert (finding.status, finding.columns) == ("fine", ())
    assert finding.text.startswith("No dependence shows between 15 pairs of columns (800 rows). The strongest, “")
    assert "may be chance; one of 0.2" in finding.text and finding.text.endswith("would almost surely show.")
    frame["b"] = np.exp(frame["a"] + 0.3 * frame["b"])  # their ranks correlate
    finding = inspected(frame).finding("dependence")
    assert finding.status == "fine" and finding.text.startswith("1 of 15 pairs of columns depends on each other by 0.3")
    r = spearmanr(frame["a"], frame["b"]).statistic
    assert ": “a” and “b” (dependence 0.9" in finding.text and f", rank correlation {r:.2f})" in finding.text
    assert "Numbers that depend by 0.5 or more correlate, too." in finding.text


def test_columns_that_depend_without_correlating_are_named():
    frame = table(5)
    frame["b"] = frame["a"] ** 2 + 0.1 * frame["b"]
    frame["d"] = np.sin(3 * frame["c"]) + 0.3 * frame["d"]
    inspection = inspected(frame)
    finding, dependence = inspection.finding("dependence"), inspection.answer("dependence")
    assert finding.status == "look" and set(finding.columns) >= {"a", "b"}
    said = "depend on each other though their columns hardly correlate: “a” and “b” (dependence above 0.99, rank "
    assert said in finding.text and "correlate, too" not in finding.text
    assert dependence.to_frame().iloc[0, :2].tolist() == ["a", "b"]
    heat, pair = plot_dependence(dependence), plot_pair(dependence)
    assert heat.data[0].z[0][1] > 0.9 and pair.layout.xaxis.title.text == "a"


def test_words_that_tell_of_numbers_are_measured_and_drawn():
    frame = table(6)
    frame["e"] += 4.0 * (frame["hue"] == "red")
    inspection = inspected(frame)
    assert "1 of 15 pairs of columns depends on each other by 0.3 or more: “e” and “hue” (dependence 0.9" in str(
        inspection.finding("dependence")
    )
    assert set(plot_pair(inspection.answer("dependence")).data[0].y) == {"red", "green", "blue"}


def test_a_weak_dependence_is_told_as_such():
    generator, n = np.random.default_rng(0), 20_000
    start = generator.integers(0, 8, n)
    end = np.where(generator.random(n) < 0.15, start * 3 % 8, generator.integers(0, 8, n))
    frame = pd.DataFrame({"from": start, "to": end, "km": generator.normal(size=n)})
    frame[["from", "to"]] = "town " + frame[["from", "to"]].astype(str)
    assert chi2_contingency(pd.crosstab(frame["from"], frame["to"])).pvalue < 1e-100
    finding = inspected(frame).finding("dependence")
    assert finding.status == "fine" and finding.text.startswith("No two columns depend by 0.3 or more. 1 of 3 pairs ")
    assert "depends weakly on each other: “from” and “to” (dependence 0.1" in finding.text


def test_a_strong_dependence_that_may_be_chance_is_told_next_to_a_weak_one_that_is_sure():
    generator = np.random.default_rng(112)
    frame = pd.DataFrame(generator.normal(size=(250, 4)), columns=list("abcd"))
    frame["b"] += 0.36 * frame["a"]
    frame = frame.assign(**{name: generator.choice(list("ABCDEFGHIJKL"), 250) for name in "uvw"})
    finding = inspected(frame).finding("dependence")
    assert finding.text.startswith("No two columns are sure to depend by 0.3 or more. 1 of 21 pairs depends weakly")
    assert finding.text.endswith("The strongest, “a” and “w” (dependence 0.33), may be chance.")
    none = finding.claims.get("dependent pairs")
    assert none.value == 0 and none.of == {"from": 0.3} and 0.3 <= none.least < 1.0


def test_a_row_with_words_of_its_own_makes_no_dependence():
    generator = np.random.default_rng(1)
    frame = pd.DataFrame({f"q{i}": generator.choice(["yes", "no"], 400) for i in range(3)})
    frame.loc[0] = "Response"
    finding = inspected(frame).finding("dependence")
    assert finding.text.startswith("No dependence shows between 3 pairs of columns (400 rows). The strongest, “")


def test_dependence_is_that_of_the_rows_that_know_both():
    frame = table(9, n=3000)[["a", "b", "c"]]
    frame["b"] = frame["a"] + 0.4 * frame["b"]
    frame.loc[frame["a"] < 1.0, "b"] = np.nan
    frame.loc[39:, "c"] = np.nan
    both = frame[["a", "b"]].dropna()
    r = spearmanr(both["a"], both["b"]).statistic
    finding = inspected(frame).finding("dependence")
    assert "“a” and “b” (dependence 0.7" in finding.text and f", rank correlation {r:.2f})" in finding.text
    assert "2 other pairs cannot be compared: too few rows know both, or one hardly varies." in finding.text
    nothing = inspected(frame.assign(b=np.where(frame.index < 39, frame["b"], np.nan)).drop(columns="c")).finding(
        "dependence"
    )
    assert nothing.status == "unknown" and "No two columns can be compared" in nothing.text


def test_time_series_depend_by_chance_and_that_is_said():
    generator = np.random.default_rng(0)
    walks = pd.DataFrame(np.cumsum(generator.standard_normal((800, 4)), axis=0), columns=list("abcd"))
    finding = inspected(walks).finding("dependence")
    assert finding.status == "fine" and "that alone can look like dependence" in finding.text


def test_a_single_column_depends_on_none():
    with pytest.raises(DataError, match="two columns"):
        inspect_dependence(inspected(table()[["a"]]).raw)


def held(frame, given):
    return inspected(frame).answer(AtTheSame(given))


def test_pairs_are_looked_at_again_among_rows_with_the_same_third_column():
    frame = table(7, n=2000)[list("abcd")]
    frame["b"] = frame["a"] + 0.5 * frame["b"]
    frame["c"] = frame["a"] ** 2 + 0.5 * frame["c"]
    found = held(frame, "a")
    assert "The pair shows no dependence among rows with the same “a”: “b” and “c”" in str(found)
    assert "“a” may be all that makes them go together." in str(found)
    frame["d"] = frame["b"] - frame["a"] + 0.1 * frame["d"]
    some = held(frame, "a")
    assert "1 of 2 pairs still depends on each other among rows with the same “a”: “b” and “d”" in str(some)
    assert "No dependence shows between “b” and “c” (dependence 0." in str(some)
    first = some.to_frame().iloc[0]
    assert {first["column"], first["other column"]} == {"b", "d"} and first["at the same a"] > 0.8
    assert "there is no pair to look at" in str(held(table(8)[list("abc")], "a"))
