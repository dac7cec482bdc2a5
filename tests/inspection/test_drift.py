"""Drift is named where it is, between whatever is compared, and nothing is said where there is none."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, norm

from rfviz import datasets
from rfviz.datasets.files import compare_with, read_upload
from rfviz.errors import DataError
from rfviz.inspection.drift import Drift, plot_drift
from rfviz.inspection.finding import Claims
from rfviz.inspection.inspection import Inspection


def table(seed=0, n=1200):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(generator.standard_normal((n, 4)).round(6), columns=["x0", "x1", "x2", "x3"])
    frame["kind"] = generator.choice(["red", "green", "blue"], n)
    frame["label"] = np.where(frame["x0"] + generator.logistic(size=n) > 0, "yes", "no")
    return frame


def read(frame, name="table.csv"):
    return read_upload(name, frame.to_csv(index=False).encode())


def inspected(frame, compare="automatic", **changes):
    upload = read(frame)
    return Inspection(upload.prepare(upload.suggestion.replace(changes)), compare=compare)


def found(frame, compare="automatic", **changes):
    return inspected(frame, compare, **changes).finding("drift")


def test_clean_tables_are_silent():
    frames = [table(seed) for seed in range(3)]
    frames += [table(6).drop(columns="label"), table(7).assign(id=np.arange(1200))]
    frames.append(table(8).assign(x3=lambda frame: np.exp(frame["x0"] + frame["x3"])))  # dependent, with a long tail
    for frame in frames:
        inspection = inspected(frame)
        finding = inspection.finding("drift")
        assert (finding.status, finding.columns, len(finding.rows)) == ("fine", (), 0)
        assert finding.text.startswith("Nothing differs between the first and the second half of the file")
        assert inspection.answer("drift").shown()[0] == ()


def by_class(n=300, seed=0):
    generator = np.random.default_rng(seed)
    label = np.repeat(["a", "b"], n // 2)
    frame = pd.DataFrame({"x": generator.normal(size=n) + 3 * (label == "b"), "z": generator.normal(size=n)})
    return frame.round(6).assign(label=label)


def test_a_file_that_is_sorted_by_its_classes_is_told_from_classes_that_change():
    frame = by_class()
    finding = found(frame)
    assert finding.status == "look" and set(finding.columns) == {"label", "x"}
    assert finding.text.startswith(
        "Nothing differs between the first and the second half of each class (300 rows, 2 of"
    )
    assert "“a” is 100% of the first half of the file and 0% of the second" in finding.text
    distance = ks_2samp(frame["x"][:150], frame["x"][150:]).statistic
    said = re.search(r"These halves differ in 1 of 2 columns: “x” \((0\.\d\d)\)", finding.text)
    assert float(said[1]) == pytest.approx(distance, abs=0.02) and "Shuffle" in finding.text  # at 63 quantiles
    assert plot_drift(inspected(frame).answer("drift")).layout.xaxis.title.text == "label"
    # What changes within each class may leave the halves of the file alike.
    frame.loc[[*range(75), *range(150, 225)], "z"] += 2.0
    finding = found(frame)
    assert finding.columns[0] == "z" and "half of each class, by the largest difference" in finding.text
    assert "“z”" not in finding.text.partition("The classes are spread unevenly")[2]
    # Of classes in any order the halves of the file are compared, once.
    finding = found(frame.sample(frac=1.0, random_state=1))
    assert finding.status == "fine" and "half of the file (300 rows, 3 columns)" in finding.text
    assert "each class" not in finding.text and "unevenly" not in finding.text


def test_shares_of_classes_are_of_the_rows_with_a_label_and_that_is_said():
    frame = by_class()
    labels = frame["label"].copy()
    frame["label"] = np.where(np.arange(300) % 5 < 2, "", labels)
    finding = found(frame)
    assert "“a” is 100% of the first half of the file and 0% of the second, of the rows with a label." in finding.text
    claim = finding.claims.get("class shares")
    assert claim.n_rows == 180 and claim.of["rows"] == 300 and claim.value == (1.0, 0.0)
    assert "of the rows with a label" not in found(by_class()).text


def test_rows_that_were_used_are_told_where_these_are_not_all():
    few, many = table(6, 60).assign(site="a"), table(7, 1200).assign(site="b")
    said = found(pd.concat([few, many]), "site").text
    assert "the rows with “site” a and the rows with “site” b (540 of 1,260 rows, 6 of 7 columns)" in said
    differing = found(pd.concat([few, many.assign(x1=many["x1"] + 5.0)]), "site").claims
    assert differing.value("differing columns") == 1 and differing.get("differing columns").n_rows == 540
    assert differing.get("compared columns").n_rows == 1260
    long = pd.DataFrame({"x": np.random.default_rng(0).normal(size=24_000)})
    long.loc[12_000:, "x"] += 1.0
    finding = found(long)
    assert "Of 10,000 rows of the second half of the file, row " in finding.text and finding.rows.min() > 12_000
    assert finding.claims.value("distance") == pytest.approx(
        ks_2samp(long["x"][:12_000], long["x"][12_000:])[0], abs=0.03
    )


def test_differences_too_small_to_be_told_are_said_to_be_so():
    clean = found(table(6).drop(columns="label"))
    tiny = {"p-value": 1e-4, "largest difference": 0.004}
    claims = Claims(replace(claim, value=tiny.get(claim.what, claim.value)) for claim in clean.claims)
    said = Drift().describe(claims, inspected(table(6)))
    assert said.status == "fine" and said.text.startswith("Only small differences between the first and the second")
    assert said.text.endswith("columns): all are below 0.01.")


def test_halves_by_a_time_hold_the_rows_that_have_one():
    frame = table(14).assign(when=pd.date_range("2024-01-01", periods=1200, freq="h").astype(str))
    frame.loc[600:, "x2"] += 1.0
    frame.loc[frame.index[::3], "when"] = ""
    finding = found(frame.sample(frac=1.0, random_state=0))
    assert "half of the rows by “when”" in finding.text and finding.columns == ("x2",)
    assert inspected(frame).answer("drift").result.n_rows == (400, 400)


@pytest.mark.parametrize("step", [1, -1])
def test_columns_that_are_left_out_are_named(step):
    frame = table(10).drop(columns="label").assign(year=1900 + np.arange(1200)[::step] // 12)
    frame["malic_acid"] = np.random.default_rng(0).normal(size=1200)
    frame = frame.assign(
        customer_id=np.random.default_rng(1).permutation(1200), note=[f"note {i}" for i in range(1200)]
    )
    finding = found(frame)
    assert finding.status == "fine" and "(1,200 rows, 6 of 9 columns)" in finding.text
    assert finding.text.endswith(
        "Not compared: “year”, by which the rows are sorted; “customer_id”, named like a number of the row."
    )
    with pytest.raises(DataError, match="nothing to compare but “year”, by which the rows are sorted"):
        inspected(frame[["year", "note"]]).answer("drift")


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 1200])
def test_what_is_said_to_be_noticed_is(n):
    def drift(shift):
        frames = [table(20 + seed, n).drop(columns="label") for seed in range(10)]
        for frame in frames:
            frame.loc[n // 2 :, "x3"] += shift
        return [(one.answer("drift").noticed, one.finding("drift")) for one in map(inspected, frames)]

    clean = drift(0.0)
    assert all(f"differ by about {noticed:.2f} would have been noticed" in found.text for noticed, found in clean)
    shift = 2.0 * norm.ppf((np.mean([noticed for noticed, _ in clean]) + 1.0) / 2.0)
    assert sum("x3" in found.columns for _, found in drift(shift)) >= 7  # of 9 in 10, less once in 100
    assert sum("x3" in found.columns for _, found in drift(0.3 * shift)) <= 3


def test_small_changes_of_all_columns_are_no_denial():
    generator = np.random.default_rng(0)
    X = generator.standard_normal((1200, 30))
    X[600:] += 0.1
    finding = found(pd.DataFrame(X.round(6)).add_prefix("x"))
    assert finding.status == "look" and finding.text.startswith("Many small differences between the first and the")
    assert "no column stands out, but all of them together do; the largest is 0.1" in finding.text


def test_a_difference_of_gaps_is_not_told_as_one_of_values():
    generator = np.random.default_rng(1)
    X = generator.standard_normal((1200, 30)).round(6)
    X[600:] += 0.1
    X[:80, 4] = np.nan  # a single stretch, which chance may put into one half
    frame = pd.DataFrame(X).add_prefix("x")
    finding = found(frame)
    most = max(ks_2samp(X[:600, c], X[600:, c], nan_policy="omit").statistic for c in range(30))
    said = finding.claims.get("largest difference")
    assert said.value == pytest.approx(most, abs=0.03) and said.value <= most
    assert finding.claims.value("largest difference of gaps") == pytest.approx(80 / 600, abs=0.01)
    assert f"the largest of known values is {most:.1g}" in finding.text and said.columns != ("x4",)
    # Columns whose values differ come first, however many gaps others have.
    X = generator.standard_normal((1200, 4)).round(6)
    X[:500, 0] = np.nan
    X[600:, 0] += 1.0
    X[600:, 1] += 3.0
    X[:400, 2] = np.nan
    answer = inspected(pd.DataFrame(X).add_prefix("x")).answer("drift")
    assert [answer.names[c] for c in answer.columns] == ["x1", "x0", "x2"] and answer.shown()[0] == ("x1",)
    assert [answer.names[c] for c in answer.in_values] == ["x1", "x0"]


@pytest.mark.slow
def test_the_column_that_changes_is_named_with_the_rows_that_show_it():
    frame = table(1)
    frame.loc[600:, "x3"] += 0.6
    finding = found(frame)
    assert finding.status == "look" and finding.columns == ("x3",)
    assert finding.text.startswith(
        "1 of 6 columns differs between the first and the second half of the file,"
    ) and "“x3” (0." in (finding.text)
    assert np.all(frame["x3"].to_numpy()[finding.rows - 1] > 0.6) and finding.rows.min() > 500
    figure = plot_drift(inspected(frame).answer("drift"))
    assert len(figure.data) == 2 and figure.layout.xaxis.title.text == "x3"
    frame = table(2)
    frame.loc[700:, "kind"] = "red"
    frame.loc[frame.index[700:][::2], "x1"] = np.nan
    finding = found(frame, missing="impute")
    assert set(finding.columns) == {"kind", "x1"}
    assert "Only the gaps of “x1” (missing 0% and 42%) differ, not the known values" in finding.text
    assert "“kind” (0." in finding.text and "“x1” (0." not in finding.text
    bars = plot_drift(inspected(frame, missing="impute").answer("drift")).data
    assert bars[0].x == ("red", "green", "blue") and bars[1].y[0] > 80 and bars[0].y[0] < 40


@pytest.mark.slow
def test_a_change_of_the_combination_is_told_from_one_of_single_columns():
    frame = table(3, 3000)
    frame.loc[1500:, "x2"] = 0.8 * frame["x1"] + 0.6 * frame["x2"]
    finding = found(frame)
    assert finding.status == "look" and set(finding.columns) == {"x1", "x2"}
    assert "no column differs by itself" in finding.text and "part and 0.8" in finding.text
    assert len(plot_drift(inspected(frame).answer("drift")).data) == 2
    # Dependent columns of which one is stretched: their ranks go together as before.
    frame = table(4, 3000)
    frame["x2"] = 0.8 * frame["x1"] + 0.6 * frame["x2"]
    frame.loc[1500:, "x2"] = 2 * frame["x2"] + 1
    finding = found(frame)
    assert finding.columns == ("x2",) and "go together" not in finding.text


def test_rows_that_wander_are_no_proof():
    walk = pd.DataFrame(np.cumsum(np.random.default_rng(0).standard_normal((1500, 3)), axis=0), columns=list("abc"))
    assert "this is no proof" in found(walk).text
    step = table(9)
    step.loc[600:, "x3"] += 2.0
    assert "no proof" not in found(step).text


def test_training_and_test_rows_are_compared_where_there_is_a_split():
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((900, 3)), generator.integers(0, 2, 900)

    def told(values):
        dataset = datasets.Dataset("d", values.astype(np.float32), y, ("a", "b"), n_train=600)
        return Inspection(dataset).finding("drift")

    assert told(X).text.startswith("Nothing differs between the training rows and the test rows (900 rows")
    X[600:, 1] *= 2
    assert "between the training rows and the test rows" in told(X).text and told(X).columns == ("column 2",)


@pytest.mark.slow
def test_rows_are_compared_by_a_column():
    frame = table(5).assign(site=np.where(np.arange(1200) % 3, "A", "B"), when=np.arange(1200) // 2)
    assert found(frame, "site").status == "fine"
    frame["x1"] += 0.7 * (frame["site"] == "B")
    finding = found(frame, "site")
    assert finding.columns == ("x1",) and "the rows with “site” A and the rows with “site” B" in finding.text
    assert found(frame).status == "fine"  # the halves hold as many of both sites
    by_label = found(frame.assign(x3=frame["x3"] + (frame["label"] == "yes")), "label")
    assert "x3" in by_label.columns and "label" not in by_label.columns
    frame.loc[600:, "x2"] -= 0.7
    assert found(frame, "when").columns == ("x2",) and "“when” up to 299 and" in found(frame, "when").text
    with pytest.raises(DataError, match="There is no column “nobody”"):
        inspected(frame, "nobody").answer("drift")
    with pytest.raises(DataError, match="from 40 rows on"):
        inspected(frame.assign(rare=np.where(np.arange(1200) < 9, "u", "v")), "rare").answer("drift")


def test_two_files_are_compared_by_the_columns_that_they_share():
    def told(other):
        return Inspection(compare_with(read(table(6)).prepare(), read(other, "new.csv"))).finding("drift")

    other = table(7).assign(more=1.5)
    assert told(other).text.startswith("Nothing differs between the rows of this file and those of new.csv")
    other["kind"] = other["kind"].replace("blue", "violet")
    other = other[["kind", "x3", "x2", "x1", "x0", "label", "more"]]  # the order of columns does not matter
    assert told(other).columns == ("kind",)
    nothing = told(pd.DataFrame({"else": np.arange(100.0) % 7}))
    assert nothing.status == "unknown" and "no column to compare" in nothing.text


def test_columns_that_are_not_in_both_files_or_of_another_kind_are_named():
    upload, other = read(table(11)), table(12).rename(columns={"x1": "y1"})
    other["x2"] = np.where(other["x2"] > 0, "high", "low")
    dataset = compare_with(upload.prepare(), read(other, "later.csv"))
    finding = Inspection(dataset).finding("drift")
    assert finding.status == "look" and set(finding.columns) == {"x1", "x2"}
    assert finding.text.startswith("Nothing differs between the rows of this file and those of later.csv")
    assert "Not compared: only this file has “x1”; only the other one has “y1”; “x2”: numbers in one" in finding.text
    same = compare_with(upload.prepare(), read(table(13), "later.csv"))
    assert Inspection(same).finding("drift").status == "fine"


def images(folder, change=None, seed=0):
    """Return the drift of digits in any order whose second half is changed."""
    digits = datasets.load("digits")
    rows = np.random.default_rng(seed).permutation(digits.n_samples)
    X, y = digits.X[rows].reshape(-1, 8, 8), digits.y[rows]
    if change is not None:
        X = np.concatenate([X[:898], change(X[898:])])
    np.savez(folder / "images.npz", X=np.clip(255 * X, 0, 255).astype(np.uint8), y=y)
    datasets.set_folder(folder)
    try:
        return Inspection(datasets.load("folder:images", max_samples=2000)).finding("drift")
    finally:
        datasets.set_folder(None)


@pytest.mark.slow
def test_images_that_only_change_places_are_silent(tmp_path):
    said = [images(tmp_path, seed=seed) for seed in range(8)]
    assert {finding.status for finding in said} == {"fine"}
    assert "the second half of the file (1,797 rows, 12 measures). A measure whose" in said[0].text
    # The rows of a data set that comes with the package have no order.
    assert Inspection(datasets.load("digits")).answer("drift") is None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda X: 0.9 * X, "“brightness”"),
        (lambda X: np.clip(X + 0.15 * np.random.default_rng(0).standard_normal(X.shape), 0, 1), "“contrast”"),
        (lambda X: np.roll(X, 1, axis=2), "“direction 1”"),
    ],
    ids=["darker", "noisy", "shifted"],
)
def test_images_that_change_are_told_by_what_changes(tmp_path, change, named):
    finding = images(tmp_path, change)
    assert finding.status == "look" and named in finding.text and "measures differ" in finding.text
    assert len(finding.rows) and finding.rows.min() > 898 and finding.columns == ()
