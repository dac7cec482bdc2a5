"""What is planted in a table is found in it and named by its place in the file; clean tables stay without a warning."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rfviz
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.datasets.files import read_upload
from rfviz.errors import DataError
from rfviz.inspection.finding import records
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.interactions import plot_acting, plot_importances
from rfviz.inspection.questions import QUESTIONS
from rfviz.inspection.splits import group_columns, inspect_splits
from rfviz.inspection.structure import Gain, agreement_of, inspect_structure, stratified_folds
from rfviz.lab.quick_inspection.animation import over_rounds

KEYS = {question.name: question.key for question in QUESTIONS}


def columns(seed, n, d=4):
    return {f"x{i}": np.random.default_rng((seed, i)).standard_normal(n).round(6) for i in range(d)}


def upload_of(frame, **changes):
    upload = read_upload("table.csv", pd.DataFrame(frame).to_csv(index=False).encode())
    return upload, upload.prepare(upload.suggestion.replace(changes))


def inspected(frame, **changes):
    return Inspection(upload_of(frame, **changes)[1])


def finding(frame, name, **changes):
    """Return one finding of a table, without computing the others."""
    return inspected(frame, **changes).finding(KEYS[name])


def clean(seed=0, n=600):
    generator, table = np.random.default_rng((seed, 99)), columns(seed, n)
    signal = table["x0"] + table["x1"] + generator.logistic(size=n)
    return table | {"kind": generator.choice(["red", "green", "blue"], n), "label": np.where(signal > 0, "yes", "no")}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_a_clean_table_is_fine(seed):
    found = {one.name: one for one in inspected(clean(seed)).findings()}
    silent = ["Columns", "Missing values", "Odd values", "Leaks", "Exact copies", "Near copies", "Linear or not",
              "Unseen groups and times", "Dependence", "Drift"]  # fmt: skip
    assert found["Label errors"].status in ("fine", "unknown")
    assert {name: found[name].text for name in silent if found[name].status != "fine"} == {}
    assert all(not len(found[name].rows) for name in silent)
    assert "No column is constant" in found["Columns"].text
    assert "are not too optimistic" in found["Unseen groups and times"].text


# --- rows of the file -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_rows_are_those_of_the_file_however_few_are_kept_and_others_dropped():
    frame = pd.DataFrame(columns(1, 3000, 6))
    frame.loc[2990] = frame.loc[2501] + 1e-4  # near copies at the end of the file
    frame.loc[2701] = 12.0  # an outlier
    frame.loc[::100, "x0"] = np.nan  # rows that are dropped
    frame["label"] = np.where(frame["x1"] > 0.3, "a", "b")
    _, dataset = upload_of(frame, missing="drop rows", max_samples=200)
    frame = frame.drop(columns="label")
    np.testing.assert_allclose(
        dataset.X[:, 1],
        (
            (frame["x1"] - frame["x1"][frame["x0"].notna()].mean()) / frame["x1"][frame["x0"].notna()].std(ddof=0)
        ).to_numpy()[dataset.row_numbers],
        atol=1e-5,
    )
    found = {one.name: one for one in Inspection(dataset).findings()}
    assert found["Rows and labels"].text.startswith("3,000 rows of 6 columns")
    assert "of 2,970 different rows without gaps (of 3,000)" in found["Outliers"].text
    assert {2502, 2991} <= set(inspection_pairs(dataset)) and 2702 in found["Outliers"].rows
    assert "30 rows of 3,000" in found["Missing values"].text
    assert found["Missing values"].rows.tolist() == list(range(1, 3000, 100))


def inspection_pairs(dataset):
    return (Inspection(dataset).answer("near-copies").pairs + 1).ravel().tolist()


def test_copies_are_counted_in_all_rows_and_listed():
    frame = pd.DataFrame(columns(2, 5000, 3))
    frame.loc[4000:4249] = frame.loc[:249].to_numpy()
    frame["label"] = "a"
    frame.loc[::3, "label"] = "b"
    found = finding(frame, "Exact copies", max_samples=100)
    assert "250 rows of 5,000 (5.0%) are copies of earlier rows" in found.text
    assert found.rows.tolist() == list(range(4001, 4251))
    n_other = int(np.sum(frame["label"][:250].to_numpy() != frame["label"][4000:4250].to_numpy()))
    assert f"{2 * n_other} rows are equal to one with another label" in found.text and found.status == "warning"


def test_rows_that_differ_in_words_that_nothing_uses_are_no_copies():
    n = 3000
    generator = np.random.default_rng(3)
    frame = {"colour": generator.choice(["r", "g"], n), "size": generator.integers(0, 3, n)}
    frame |= {"merchant": [f"m{i}" for i in range(n)], "label": generator.choice(["u", "v"], n)}
    found = finding(frame, "Exact copies")
    assert found.status == "fine" and found.text == "No two of the 3,000 rows are equal."
    # Numbers of rows tell nothing apart: the copies are found in spite of them.
    table = columns(3, 300)
    table |= {name: np.concatenate([values, values[:20]]) for name, values in table.items()}
    keyed = finding(table | {"id": np.arange(320)}, "Exact copies")
    assert "20 rows of 320" in keyed.text and "apart from “id”" in keyed.text


def test_records_are_plain_and_hold_rows_and_columns():
    frame = columns(4, 200) | {"flat": 1.0}
    frame = {name: np.append(values, values[:1]) if np.ndim(values) else values for name, values in frame.items()}
    held = {one["name"]: one for one in records(list(inspected(frame).findings()))}
    assert held["columns"]["columns"] == ["flat"] and held["copies"]["rows"] == [200]
    assert set(held["columns"]) == {"name", "status", "text", "rows", "columns", "remedy", "claims"}


# --- columns, missing and odd values ----------------------------------------------------------------------------------


def test_numberings_are_seen_in_the_file_though_columns_are_standardised():
    n = 1500
    generator = np.random.default_rng(5)
    frame = columns(5, n) | {"id": np.arange(n), "customer_no": generator.choice(10**6, n, replace=False)}
    frame |= {"salary": generator.choice(10**6, n, replace=False), "label": generator.choice(["a", "b"], n)}
    found = finding(frame, "Columns", scale="standardise")
    assert "“id” and “customer_no” number the rows" in found.text and found.columns == ("id", "customer_no")


def test_nearly_constant_columns_and_those_that_are_not_used_are_named():
    n = 4000
    frame = columns(6, n) | {"almost": np.where(np.arange(n) < 2, 7.0, 1.0), "name": [f"name {i}" for i in range(n)]}
    frame |= {"day": [f"2020-01-{1 + i % 28:02d}" for i in range(n)]}
    found = finding(frame, "Columns")
    assert "“almost” is 1 in 99.950% of the rows" in found.text and found.status == "look"
    assert "“name” and “day” (many different words or dates)" in found.text


def test_gaps_that_depend_on_the_label_are_told_from_those_that_do_not():
    n = 1000
    generator = np.random.default_rng(7)
    y = generator.integers(0, 2, n)
    frame = pd.DataFrame(columns(7, n) | {"label": np.where(y, "ill", "well")})
    frame.loc[generator.random(n) < 0.2, "x1"] = np.nan
    found = finding(frame, "Missing values")
    assert found.status == "look" and "depends on the label" not in found.text and "“x1”" in found.text
    frame.loc[(y == 1) & (generator.random(n) < 0.6), "x2"] = np.nan
    frame["gone"] = np.nan
    found = finding(frame, "Missing values")
    assert found.status == "warning" and "Whether “x2” is empty depends on the label" in found.text
    assert "of “ill” and 0% of “well”" in found.text and "“gone” is completely empty" in found.text


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("age", lambda g, n: np.where(g.random(n) < 0.1, -999, g.normal(40, 12, n).round(1)), "is −999 in"),
        ("pressure", lambda g, n: np.where(g.random(n) < 0.1, 0, g.normal(90, 8, n).round()), "is 0 in"),
        ("gross", lambda g, n: np.where(np.arange(n) == 7, 1e6, g.standard_normal(n)), "is 1,000,000 in 1 row"),
        ("answer", lambda g, n: g.choice(["yes", "Yes", "YES", "y", "no"], n), "spells what is probably one word as"),
        ("stamp", lambda g, n: g.integers(1577836800, 1650000000, n), "may hold Unix times (2020-01-"),
        ("price", lambda g, n: [f"{'$€'[i % 2]}{v:.2f}" for i, v in enumerate(g.random(n))], "several currencies"),
        (
            "mixed",
            lambda g, n: [("2020-03-%02d", "%02d/03/2020")[i % 2] % (1 + i % 28) for i in range(n)],
            "dates written in several ways",
        ),
        ("total", lambda g, n: ["Total", *map(str, g.random(n - 1))], "1 cell that is no number (such as 'Total')"),
    ],
)
def test_odd_values_are_found_in_their_column(column, values, said):
    n = 800
    found = finding(columns(8, n) | {column: values(np.random.default_rng(8), n)}, "Odd values")
    assert f"“{column}” " in found.text and said in found.text and found.columns == (column,)


@pytest.mark.parametrize(
    "values",
    [
        lambda g, n: np.exp(2 * g.standard_normal(n)),  # a long tail
        lambda g, n: g.poisson(0.3, n),  # many zeros
        lambda g, n: g.integers(0, 2, n),
        lambda g, n: np.where(g.random(n) < 0.4, 0.0, g.exponential(size=n)),
        lambda g, n: g.integers(1950, 2020, n),  # years
        lambda g, n: g.choice(["yes", "no", "maybe"], n),
        lambda g, n: g.choice(["0.5", "-0.5", "05", "5 %", "red"], n),  # numbers among words, each itself
        lambda g, n: [*g.choice(["n/a", "NA", "null"], n // 4), *map(str, g.standard_normal(n - n // 4))],
    ],
)
def test_honest_values_are_left_alone(values):
    for seed in range(5):
        frame = columns(seed, 800) | {"column": values(np.random.default_rng(seed), 800)}
        assert finding(frame, "Odd values").status == "fine"


# --- leaks ------------------------------------------------------------------------------------------------------------


def test_leaks_by_a_category_by_a_difference_and_by_gaps():
    n = 900
    generator = np.random.default_rng(9)
    y = generator.integers(0, 6, n)
    words = np.array([f"code {i}" for i in generator.permutation(18)])
    category = columns(9, n) | {"dept": words[3 * y + generator.integers(0, 3, n)], "label": [f"k{v}" for v in y]}
    found = finding(category, "Leaks")
    assert found.status == "warning" and found.columns == ("dept",) and "100% of 450 rows" in found.text
    honest = category | {"dept": words[generator.integers(0, 18, n)]}
    assert finding(honest, "Leaks").status == "fine"

    two, base = y % 2, 5 * generator.standard_normal(n)
    pair = columns(9, n) | {"a": base + two, "b": base, "label": two}
    found = finding(pair, "Leaks")
    assert found.status == "warning" and set(found.columns) == {"a", "b"} and " − " in found.text
    assert finding(pair | {"a": base + generator.standard_normal(n)}, "Leaks").status == "fine"

    gaps = pd.DataFrame(columns(9, n) | {"label": two})
    gaps.loc[two == 1, "x3"] = np.nan
    found = finding(gaps, "Leaks", missing="impute")
    assert found.status == "warning" and found.text.startswith("Whether “x3” is empty")


def test_a_column_that_nearly_gives_the_label_away_is_worth_a_look():
    n = 1300
    generator = np.random.default_rng(10)
    y = (generator.random(n) < 0.4).astype(int)
    boat = np.where(generator.random(n) < np.where(y, 0.92, 0.02), generator.integers(1, 17, n).astype(float), np.nan)
    found = finding(columns(10, n) | {"boat": boat, "label": y}, "Leaks", missing="impute")
    assert found.status == "look" and found.columns == ("boat",) and "is empty alone tells the label in 9" in found.text


def test_a_rare_class_can_be_judged():
    n = 20_000
    y = (np.arange(n) % 1000 == 0).astype(int)
    frame = columns(11, n)
    assert finding(frame | {"label": y}, "Leaks").status == "fine"
    frame["x2"] = frame["x2"] + 8.0 * y
    found = finding(frame | {"label": y}, "Leaks")
    assert found.columns == ("x2",) and "others of the largest class were left out" in found.text


# --- outliers ---------------------------------------------------------------------------------------------------------


def test_rare_words_are_no_outliers_and_gross_rows_are():
    n = 1300
    generator = np.random.default_rng(12)
    frame = pd.DataFrame(columns(12, n) | {"cabin": [f"C{i}" if i < 80 else "deck" for i in range(n)]})
    frame["cabin"] = generator.permutation(frame["cabin"].tolist())
    assert inspected(frame).answer("outliers").is_outlying.sum() <= 1
    frame.loc[[100, 700], ["x0", "x1"]] = [[9.0, -9.0], [-11.0, 8.0]]
    found = finding(frame, "Outliers")
    assert {101, 701} <= set(found.rows.tolist()) and len(found.rows) <= 5 and "columns of numbers" in found.text


def test_many_rows_in_sparse_regions_are_a_property_of_the_data():
    X = np.random.default_rng(13).standard_cauchy((1500, 3))
    found = finding({f"x{i}": X[:, i] for i in range(3)}, "Outliers")
    assert found.status == "look" and "So many are hardly errors" in found.text and not len(found.rows)


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_groups_that_random_folds_put_on_both_sides():
    n = 1200
    generator = np.random.default_rng(14)
    patient = generator.integers(0, 100, n)
    place, label = generator.standard_normal((100, 5)), generator.integers(0, 2, 100)
    X = place[patient] + 0.2 * generator.standard_normal((n, 5))
    frame = {f"x{i}": X[:, i] for i in range(5)} | {"patient_id": patient, "label": label[patient]}
    found = {one.name: one for one in inspected(frame).findings()}
    together = found["Interactions"]
    assert together.status == "fine" and "rows with other values of “patient_id” than those searched" in together.text
    split = found["Unseen groups and times"]
    assert split.status == "warning" and "Random folds are too optimistic" in split.text
    assert split.columns == ("patient_id",)
    assert (
        "There is structure" not in found["Linear or not"].text and "judge models there" in found["Linear or not"].text
    )
    # The same groups, of people who are as different from themselves as from others.
    X = generator.standard_normal((n, 5))
    honest = {f"x{i}": X[:, i] for i in range(5)} | {"patient_id": patient, "label": (X[:, 0] > 0).astype(int)}
    assert finding(honest, "Unseen groups and times").status == "fine"
    # People who are alike, and two columns that do act together.
    alike = frame | {"label": np.where(generator.random(n) < 0.8, X[:, 0] * X[:, 1] > 0, label[patient])}
    alike |= {f"x{i}": X[:, i] for i in range(2)}
    together = finding(alike, "Interactions")
    assert together.status == "look" and set(together.columns) == {"x0", "x1"}, together


@pytest.mark.slow
@pytest.mark.parametrize("has_time", [True, False])
def test_rows_that_follow_each_other_are_alike(has_time):
    n = 1500
    generator = np.random.default_rng(15)
    X = np.cumsum(generator.standard_normal((n, 4)), axis=0)
    frame = {f"x{i}": X[:, i] for i in range(4)} | {"label": (np.sin(np.arange(n) / 40) > 0).astype(int)}
    frame |= {"time": np.arange(n)} if has_time else {}
    findings = {one.name: one for one in inspected(frame).findings()}
    found, together = findings["Unseen groups and times"], findings["Interactions"]
    assert found.status == "warning" and "Random folds are too optimistic" in found.text
    assert ("stretches of “time”" if has_time else "stretches of the file") in found.text
    assert together.status == "fine"
    assert ("with a later “time” than" if has_time else "further down the file than") in together.text


@pytest.mark.slow
def test_a_weak_signal_is_no_plain_guess():
    for seed in range(3):
        generator = np.random.default_rng(seed)
        X = generator.standard_normal((460, 9))
        y = (X @ [0.6, 0.5, 0.5, 0.3, 0.3, 0.2, 0, 0, 0] + generator.logistic(size=460) > 0.7).astype(int)
        text = finding({f"x{i}": X[:, i] for i in range(9)} | {"label": y}, "Linear or not").text
        assert text.startswith("The columns tell something about the label: ") and "no better than" not in text
    text = finding(columns(18, 460, 9) | {"label": np.random.default_rng(18).integers(0, 2, 460)}, "Linear or not").text
    assert "are no better than a guess" in text


@pytest.mark.slow
def test_where_rows_are_too_few_to_tell_a_large_gain_from_none_that_is_said():
    X = np.random.default_rng(3).standard_normal((1200, 3))
    noise = np.random.default_rng(4).standard_t(2.5, 1200)

    def told(n, target):
        return finding({f"x{i}": X[:n, i] for i in range(3)} | {"label": target[:n]}, "Linear or not").text

    bent = X[:, 0] + 0.8 * X[:, 1] ** 2 + noise
    few = told(120, bent)
    assert "which may be chance: only more rows can tell" in few and "linear model is enough" not in few
    assert "structure that a linear model misses" in told(1200, bent)
    clean = told(1200, X[:, 0] + noise)
    assert (
        clean.startswith("The columns tell something about the target: ") and "points would have been noticed" in clean
    )
    assert "which may be chance" in clean and ", so a linear model is enough" in clean


@pytest.mark.slow
def test_models_that_make_no_error_have_no_noise():
    place = np.random.default_rng(5).choice([-3.0, 3.0], 300)
    table = {"x": place + np.random.default_rng(6).uniform(-1, 1, 300), "label": np.where(place > 0, "up", "down")}
    text = finding(table, "Linear or not").text
    assert "reaches 100%" in text and "Random features get the same rows right" in text and "± 0.0" not in text


@pytest.mark.slow
def test_a_linear_model_sees_a_class_between_two_others():
    generator = np.random.default_rng(0)
    k = generator.integers(0, 3, 600)
    frame = {"x": 2.5 * k + 0.6 * generator.normal(size=600), "z": generator.normal(size=600)}
    frame |= {"label": np.array(["low", "mid", "high"])[k]}
    inspection = inspected(frame)
    found = {one.name: one for one in inspection.findings()}
    assert found["Linear or not"].status == "fine" and "a linear model reaches 98%" in found["Linear or not"].text
    assert inspection.answer("structure").linear == pytest.approx(
        inspection.answer("interactions").found.linear, abs=0.02
    )
    assert found["Interactions"].status == "fine" and "No sign" in found["Interactions"].text


@pytest.mark.slow
def test_the_gain_that_is_said_to_be_noticed_is_nine_times_in_ten():
    draws = np.random.default_rng(0).normal(size=20_000)
    gain = Gain(0.0, 0.02)
    size = gain.noticed(2)
    real = np.mean([Gain(size + 0.02 * one, 0.02).is_real(2) for one in draws])
    assert real == pytest.approx(0.9, abs=0.01) and not Gain(0.5 * size, 0.02).is_real(2)


@pytest.mark.slow
def test_where_nothing_is_learnt_random_folds_do_not_flatter():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": generator.normal(size=300), "b": generator.normal(size=300), "label": np.arange(300) / 7}
    )
    found = {one.name: one for one in inspected(frame, target="numbers").findings()}
    assert "Unseen groups and times" not in found and "unseen" not in found["Linear or not"].text
    # A class of three quarters is a guess, too.
    label = np.where(generator.random(400) < 0.76, "most", "few")
    frame = pd.DataFrame({"a": generator.normal(size=400), "b": generator.normal(size=400), "label": label})
    assert "Unseen groups and times" not in {one.name for one in inspected(frame).findings()}


@pytest.mark.slow
def test_rows_that_were_sorted_by_their_target_may_be_shuffled():
    generator = np.random.default_rng(1)
    x = generator.normal(size=500)
    frame = pd.DataFrame({"x": x, "z": generator.normal(size=500), "label": x**2 + 0.3 * generator.normal(size=500)})
    found = finding(frame.sort_values("label"), "Unseen groups and times", target="numbers")
    assert "if they were sorted later, shuffle them" in found.text
    drawn = finding(frame, "Unseen groups and times", target="numbers").text
    assert "not too optimistic" in drawn and "points would have been noticed" in drawn and "shuffle" not in drawn


@pytest.mark.slow
def test_a_loss_that_may_be_chance_is_not_denied():
    generator = np.random.default_rng(1)
    x = generator.normal(size=500)
    frame = pd.DataFrame({"x": x, "z": generator.normal(size=500), "label": x**3 + 0.3 * generator.normal(size=500)})
    found = finding(frame.sort_values("label"), "Unseen groups and times", target="numbers")
    assert found.status == "unknown" and found.text.startswith("Random folds may be too optimistic: R² 0.9")
    assert "may be chance: only more rows can tell" in found.text


def test_a_quantity_and_a_column_that_is_mostly_empty_name_no_groups():
    generator = np.random.default_rng(2)
    reading = generator.integers(0, 200, 800)
    frame = pd.DataFrame({"reading": reading, "x": generator.normal(size=800), "label": reading / 20.0})
    assert group_columns(inspected(frame, target="numbers").raw) == []
    shuffled = generator.permutation(200)[reading]  # the same numbers as mere names
    assert group_columns(inspected(frame.assign(reading=shuffled), target="numbers").raw) == ["reading"]
    answers = np.where(generator.random(600) < 0.7, "", generator.choice([f"app {i}" for i in range(40)], 600))
    frame = pd.DataFrame({"x": generator.normal(size=600), "group": answers})
    frame["label"] = np.where(frame["x"] + generator.logistic(size=600) > 0, "yes", "no")
    inspection = inspected(frame, missing="impute")
    assert "group" in group_columns(inspection.raw)
    assert all(one.column != "group" for one in inspection.answer("groups").scores)


@pytest.mark.slow
def test_where_models_are_worse_than_a_guess_interactions_cannot_be_judged():
    generator = np.random.default_rng(0)
    n = 600
    t = np.linspace(0, 1, n)
    frame = pd.DataFrame({"a": generator.normal(size=n) + 9 * t, "b": generator.normal(size=n)})
    frame["c"] = generator.normal(size=n)
    frame["label"] = frame.a * frame.b + (t > 0.5) * 20 * np.cos(9 * t) + 0.1 * generator.normal(size=n)
    found = finding(frame, "Interactions", target="numbers")
    assert found.status == "unknown" and "cannot be judged: the models that are to be improved are worse" in found.text
    assert "these rows are unlike those that were searched. On 300 rows further down the file" in found.text
    frame["label"] = frame.b + 0.1 * generator.normal(size=n)
    found = finding(frame, "Interactions", target="numbers")
    assert found.status == "fine" and "No sign" in found.text
    assert "of the squared error that is left would not have been noticed" in found.text


def test_a_leak_that_was_not_looked_for_is_not_denied():
    frame = clean() | {"note": [f"free text {i}" for i in range(600)]}
    assert finding(frame, "Leaks").text.endswith("1 column that nothing is computed from was not looked at.")
    assert "not looked at" not in finding(clean(), "Leaks").text


@pytest.mark.slow
def test_features_that_are_worse_are_said_to_be():
    generator = np.random.default_rng(19)
    X = generator.standard_normal((400, 60))
    y = (X @ generator.standard_normal(60) + 0.5 * generator.standard_normal(400) > 0).astype(int)
    text = finding({f"x{i}": X[:, i] for i in range(60)} | {"label": y}, "Linear or not").text
    assert "points less" in text and "may be chance" not in text and "is enough" not in text


@pytest.mark.slow
def test_a_target_with_zeros_and_a_long_tail_is_tried_by_its_ranks():
    generator = np.random.default_rng(20)
    X = generator.standard_normal((900, 4))
    y = np.where(generator.random(900) < 0.25, 0.0, np.exp(3 * X[:, 0] + generator.standard_normal(900)))
    y[:5] = 1e6
    frame = {f"x{i}": X[:, i] for i in range(4)} | {"label": y}
    found = {one.name: one for one in inspected(frame, target="numbers").findings()}
    assert "predict its rank" in found["Linear or not"].text  # 0 has no logarithm
    positive = finding(frame | {"label": np.where(y == 0, 0.01, y)}, "Linear or not", target="numbers")
    assert "predict its logarithm or its rank" in positive.text and "zeros" not in positive.text
    assert "zeros" in found["Linear or not"].text and "label" in found["Odd values"].columns
    plain = finding(frame | {"label": X[:, 0] + 0.1 * X[:, 1]}, "Linear or not", target="numbers")
    assert "logarithm" not in plain.text


def test_agreement_is_that_of_shuffled_labels():
    generator = np.random.default_rng(21)
    for is_classes in (True, False):
        z = []
        for _ in range(300):
            y = generator.integers(0, 3, 90) if is_classes else generator.standard_normal(90)
            p = generator.choice([0, 0, 1, 2], 90) if is_classes else generator.standard_normal(90)
            z.append(agreement_of(p, y, np.arange(90) % 3, is_classes))
        assert abs(np.mean(z)) < 4 / np.sqrt(300) and 0.85 < np.std(z) < 1.15
    y = np.arange(60) % 2
    assert agreement_of(y, y, stratified_folds(y, 5), True) > 7


def test_splits_need_something_that_says_what_belongs_together():
    inspection = inspected(columns(22, 200) | {"label": np.arange(200) % 2})
    dataset = inspection.dataset
    plain = type(dataset)("plain", dataset.X, dataset.y, dataset.target_names)
    assert inspect_splits(Inspection(plain).raw, plain, inspect_structure(plain)) is None


# --- labels -----------------------------------------------------------------------------------------------------------


def with_classes(n=900, overlap=False):
    generator, table = np.random.default_rng(3), columns(3, n)
    label = generator.choice(["ash", "beech", "oak"], n)
    table["x1"] = table["x1"] + np.where(label == "oak", 8.0, 0.0)
    table["x2"] = table["x2"] + np.where(label == "ash", 1.5 if overlap else 8.0, 0.0)
    return pd.DataFrame(table | {"label": label})


def test_wrong_labels_are_named_by_their_rows_and_by_what_they_should_be():
    frame = with_classes()
    wrong = np.arange(20, 900, 100)
    frame.loc[wrong, "label"] = frame.loc[wrong, "label"].map({"ash": "beech", "beech": "oak", "oak": "ash"})
    frame.loc[5, "x0"] = np.nan  # a row that is dropped shifts those behind it
    inspection = inspected(frame, missing="drop rows")
    found = next(one for one in inspection.findings() if one.name == "Label errors")
    assert found.status == "look"
    assert set(found.rows) <= set(wrong + 1)
    assert len(found.rows) >= 6
    assert f"{len(found.rows)} labels of 899 " in found.text
    listed, right = inspection.answer("labels").to_frame(), with_classes()["label"]
    table = listed[listed["contradicted"]]
    assert set(table["row"]) == set(found.rows) == set(listed["row"][: len(found.rows)])
    assert table["like the rows of"].tolist() == right[table["row"] - 1].tolist()
    assert table["label"].tolist() == frame["label"][table["row"] - 1].tolist()


def test_right_labels_are_not_contradicted():
    found = finding(with_classes(), "Label errors")
    assert (found.status, len(found.rows)) == ("fine", 0)
    recognised = inspected(with_classes()).answer("labels").errors.recognised
    assert f"of single wrong labels about {100 * recognised:.0f}% would be" in found.text and 0.8 < recognised < 0.905


def test_doubtful_labels_are_listed_though_none_is_contradicted():
    # Two discs that touch: some rows of one lie in the other, as deep as the others say.
    generator = np.random.default_rng(5)
    X, y = generator.standard_normal((600, 2)), np.arange(600) % 2
    X[:, 0] += 3.4 * y
    inspection = inspected({"x0": X[:, 0], "x1": X[:, 1], "label": np.where(y == 1, "a", "b")})
    listed = inspection.answer("labels").to_frame()
    assert 3 <= len(listed) <= 100 and not listed["contradicted"].any()
    assert (listed["label"] != listed["like the rows of"]).all() and listed["margin"].is_monotonic_increasing
    rows = listed["row"] - 1
    assert (listed["margin"] < 0).all() and ((X[rows, 0] > 1.7) != (y[rows] == 1)).mean() > 0.8
    found = finding(pd.DataFrame(X).rename(columns=str).assign(label=y), "Label errors")
    assert found.status == "unknown" and "but a single wrong label would hardly be, either" in found.text


@pytest.mark.parametrize(("label", "wrong"), [("label", "a"), ("target", 60.0)])
def test_a_row_that_lacks_most_of_its_values_is_not_told_for_what_was_filled_in(label, wrong):
    generator, names = np.random.default_rng(1), list("vwxyz")
    group, X = generator.integers(0, 2, 300), generator.normal(size=(300, 5))
    X += 4.0 * group[:, None] if label == "label" else 0.0
    frame = pd.DataFrame(X, columns=names).mask(generator.random(X.shape) < 0.05)
    frame[label] = np.where(group, "b", "a") if label == "label" else X.sum(axis=1) + 3 * generator.normal(size=300)
    frame.loc[[40, 80, 120], label] = wrong
    if label == "label":
        frame.loc[[40, 80, 120], names] = 4.0  # far within the other class
    assert {41, 81, 121} <= set(finding(frame, "Label errors").rows)
    n_told = len(finding(frame, "Label errors").rows)
    frame.loc[40, names[:2]] = np.nan
    assert 41 in finding(frame, "Label errors").rows
    frame.loc[40, names[:3]] = np.nan  # what is left of the row is more than half filled in
    found = finding(frame, "Label errors")
    assert 41 not in found.rows and 81 in found.rows and len(found.rows) == n_told - 1


def test_classes_that_overlap_are_named_and_their_rows_left_alone():
    found = finding(with_classes(overlap=True), "Label errors")
    assert not len(found.rows)
    assert found.status == "unknown" and "“ash” and “beech” overlap with others" in found.text


def test_where_all_classes_overlap_nothing_is_said_of_labels():
    frame = pd.DataFrame(columns(4, 500))
    frame["label"] = np.random.default_rng(4).choice(["a", "b"], 500)
    found = finding(frame, "Label errors")
    assert found.status == "unknown" and not len(found.rows)
    assert "the classes overlap, or seem to, for many labels are wrong" in found.text


def test_wrong_numbers_to_predict_are_named_and_right_ones_left_alone():
    generator, frame = np.random.default_rng(99), pd.DataFrame(columns(5, 300))
    frame["target"] = 40 + 1.5 * frame["x0"] + 0.5 * generator.normal(size=300)
    said = finding(frame, "Label errors").text
    assert said.startswith("No target of 300 rows is contradicted by the other rows: the farthest is off by 3.")
    assert said.endswith(" times the usual difference; from 4.1 times on one would be outlying.")  # Φ⁻¹(1 − 0.01/600)
    frame.loc[[7, 80, 151], "target"] += [9.0, -8.0, 8.5]
    found = finding(frame, "Label errors")
    assert (found.status, found.rows.tolist(), found.columns) == ("look", [8, 81, 152], ("target",))
    assert f"3 targets of 300 rows are contradicted by the other rows: row 8 has {frame['target'][7]:.4g}" in found.text
    # Of a heavy tail no single number can be called wrong; what has no noise has no errors.
    frame["target"] = 1.5 * frame["x0"] + generator.standard_t(2, 300)
    assert finding(frame, "Label errors").status == "unknown"
    frame["target"] = 1.5 * frame["x0"] + 0.1
    assert not len(finding(frame, "Label errors").rows)


@pytest.mark.slow
def test_a_rare_class_is_judged_by_all_of_its_rows_and_a_guess_is_right_half_of_the_time():
    generator = np.random.default_rng(8)
    n, n_rare = 30_000, 40
    frame = {f"x{i}": generator.normal(size=n) for i in range(4)} | {"label": np.full(n, "no", dtype=object)}
    rare = generator.choice(n, n_rare, replace=False)
    frame["label"][rare] = "yes"
    clean = finding(frame, "Linear or not")
    assert "are no better than a guess (50%)" in clean.text
    frame["x2"][rare] += 2.5
    found = finding(frame, "Linear or not")
    assert f"Judged by {2 * n_rare} rows" in found.text and "half of them of the largest class" in found.text
    assert found.text.startswith("The columns predict the label: ") and "; a guess, 50%. " in found.text


def test_what_the_largest_class_has_of_the_rows_used_is_told_where_some_are_left_out():
    g = np.random.default_rng(9)
    frame = {f"x{i}": g.normal(size=1000) for i in range(3)} | {"label": np.where(np.arange(1000) % 66, "no", "yes")}
    found = finding(frame, "Linear or not")
    assert found.text.endswith("Judged by 46 rows (drawn from 1,000), 65% of them of the largest class.")
    assert found.claims.value("largest class share") == 30 / 46 and found.claims.value("score") == 30 / 46
    assert found.claims.get("score").of["model"] == "guess" and found.claims.get("score").n_rows == 46


@pytest.mark.slow
def test_rows_of_wide_tables_are_fewer_but_of_all_classes():
    wide = inspect_structure(
        Dataset("wide", np.random.default_rng(0).normal(size=(320, 13_000)), np.arange(320) % 2, ("a", "b"))
    )
    assert wide.n_rows < 320 and wide.largest is None


def test_gains_and_losses_are_claimed_with_their_errors_and_what_would_have_been_noticed():
    g = np.random.default_rng(2)
    x = g.normal(size=(400, 2))
    found = finding(
        {"x": x[:, 0], "z": x[:, 1], "label": np.where(x[:, 0] + 0.5 * x[:, 1] > 0, "a", "b")}, "Linear or not"
    )
    scores = found.claims.of("score")
    assert [claim.of["model"] for claim in scores] == [
        "guess",
        "linear",
        *(c.of["model"] for c in found.claims.of("gain")),
    ]
    for score, gain in zip(scores[2:], found.claims.of("gain"), strict=True):
        assert gain.value == pytest.approx(score.value - scores[1].value)
        assert gain.least == pytest.approx((norm.isf(0.005) + norm.isf(0.1)) * gain.of["error"], rel=1e-3)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=10.0))
    again = cross_val_score(model, x, x @ [1, 0.5] > 0, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean()
    assert abs(again - scores[1].value) < 4 * scores[1].of["error"]


# --- columns that act together ----------------------------------------------------------------------------------------


def test_where_single_columns_tell_every_label_nothing_more_is_said_to_be_noticed():
    frame = columns(33, 1000)
    apart = frame | {"x0": frame["x0"] + 0.5 * np.sign(frame["x0"])}
    found = finding(apart | {"label": np.where(frame["x0"] > 0, "a", "b")}, "Interactions")
    assert found.status == "fine" and "Single columns tell nearly every label" in found.text
    assert "noticed" not in found.text and found.claims.get("joint gain").least is None
    noisy = np.where(frame["x0"] + 0.5 * frame["x1"] * np.sign(frame["x2"]) > 0, "a", "b")
    assert "Single columns tell nearly" not in finding(frame | {"label": noisy}, "Interactions").text


def season(seed, n=240):
    """Return a table whose second half has later months than the first, with the same weather."""
    g, t = np.random.default_rng(seed), np.linspace(0, 1, n)
    noisy = np.sin(np.pi * t) + 0.3 * g.normal(size=(3, n))
    months = np.floor(12 * t).clip(0, 11) + 1
    return {"month": months, "a": noisy[0], "b": noisy[1], "label": (10 * noisy[2]).round(3)}


def test_that_no_column_bends_is_not_said_where_curves_take_much_away_though_not_beyond_chance():
    found = finding(season(1), "Interactions")
    together, bent = found.claims.get("joint gain"), found.claims.get("bent gain")
    assert (together.value, bent.value) == (0.0, None) and bent.of["gain"] > bent.least
    line, curve = (found.claims.value(f"{name} score") for name in ("line", "curve"))
    # R² shares its denominator between lines and curves.
    assert bent.of["gain"] == pytest.approx(1 - (1 - curve) / (1 - line), abs=1e-3)
    assert found.status == "unknown" and "No sign that columns act together. Whether a column acts" in found.text
    assert f"curves take away {100 * bent.of['gain']:.0f}% of the squared error that lines leave" in found.text
    assert "would not have been noticed" not in found.text


def test_of_models_worse_than_a_guess_no_gain_is_claimed():
    found = finding(season(0), "Interactions")
    assert found.status == "unknown" and "worse than a guess" in found.text
    assert [found.claims.value(what, 0) for what in ("joint gain", "bent gain")] == [None, None]
    # Of which columns the gain is that cannot be told from chance.
    assert {*found.claims.get("joint gain").columns} <= {"month", "a", "b"} and found.claims.get("joint gain").columns
    judged = finding(clean(), "Interactions")
    assert judged.status == "fine" and "No sign of interactions or curved effects: " in judged.text
    assert [judged.claims.value(what) for what in ("joint gain", "bent gain")] == [0.0, 0.0]


@pytest.mark.slow
def test_columns_that_act_together_are_named_and_shown_with_the_categories_among_them():
    frame = columns(31, 1500) | {"kind": np.random.default_rng(31).choice(["red", "green"], 1500)}
    sign = np.where(frame["kind"] == "red", 1, -1)
    flipped = np.random.default_rng(32).random(1500) < 0.05
    frame["label"] = np.where((sign * frame["x2"] > 0) != flipped, "yes", "no")
    inspection = inspected(frame)
    found = next(one for one in inspection.findings() if one.name == "Interactions")
    assert (found.status, found.key, set(found.columns)) == ("look", "interactions", {"kind", "x2"})
    assert "“x2” and “kind=" in found.text and "so do" not in found.text
    result = inspection.answer("interactions")
    assert f"with them together {100 * result.found.joint:.0f}%" in found.text and result.found.joint > 0.85
    picture, cells = plot_acting(result), result.surface_frame()
    assert cells.iloc[:, 2].max() > 0.8 and cells.iloc[:, 2].min() < 0.2 and picture.data[0].z.shape == (12, 2)[::-1]
    played = over_rounds(result, "bars", "data").render(Cache(), 1.0)
    shares = [frame["bars"].data[0].y[:2].sum() for frame in played.frames]
    assert shares[-1] > shares[0] + 2
    assert all(str(int(shown)) in words for shown, words in zip(shares, played.captions, strict=True))
    bars = plot_importances(result).data[-1]
    assert {"x2"} <= set(bars.hovertext[:3]) and any(name.startswith("kind=") for name in bars.hovertext[:3])


@pytest.mark.slow
def test_a_bend_is_told_from_an_interaction_and_a_line_from_both():
    frame, noise = columns(32, 1500), np.random.default_rng(32).standard_normal(1500)

    def said(target):
        return inspected(frame | {"target": target}).finding("interactions")

    bent = said(frame["x0"] ** 2 + frame["x1"] + 0.3 * noise)
    assert bent.status == "look" and bent.columns == ("x0",)
    assert "“x0” acts on the label along a curve, not a line; no columns act together" in bent.text
    line = said(frame["x0"] + frame["x1"] + noise)
    assert (line.status, line.columns) == ("fine", ()) and "No sign of interactions or curved effects: " in line.text


@pytest.mark.slow
def test_what_a_leak_leaves_over_is_no_interaction():
    frame = columns(34, 900) | {"const": np.ones(900), "city": np.random.default_rng(34).choice(["Bern", "Genf"], 900)}
    frame |= {"leak": (frame["x0"] > 0).astype(int), "label": np.where(frame["x0"] > 0, "yes", "no")}
    assert finding(frame, "Interactions").status == "fine" and not inspected(frame).answer("interactions").shown


def test_labels_of_several_classes_are_refused_and_single_ones_with_commas_are_not():
    n = 300
    generator = np.random.default_rng(31)
    several = generator.choice(["news", "sport", "news;sport", "sport;art", "news;art", "art"], n)
    found = finding(columns(31, n) | {"label": several}, "Rows and labels")
    assert found.status == "warning" and "Split the column at “;”" in found.text and found.columns == ("label",)
    for names in (["Bern, Switzerland", "Genf, Switzerland", "Rome, Italy"], ["red", "green", "blue"]):
        found = finding(columns(32, n) | {"label": generator.choice(names, n)}, "Rows and labels")
        assert found.status == "fine" and "several classes" not in found.text
    frame = pd.DataFrame(columns(33, n)).assign(one=several, two=several)
    with pytest.raises(DataError, match="one is predicted at a time"):
        rfviz.inspect(frame, label=["one", "two"])
