"""Claims about distances and leaks are those that SciPy and scikit-learn compute again, as the kinds of claims say."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import LocalOutlierFactor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection

N = 320


@pytest.fixture(scope="module")
def frame():
    """Return numbers with an equal row, six near copies of rows, and a row that lies alone."""
    g = np.random.default_rng(0)
    frame = pd.DataFrame(g.normal(size=(N, 3)), columns=list("xyz"))
    frame.loc[10:15] = frame.loc[20:25].to_numpy() + 1e-4
    frame.loc[30] = frame.loc[31]
    frame.loc[40] = [5.0, -5.0, 5.0]
    return frame


@pytest.fixture(scope="module")
def inspection(frame):
    return inspected(frame)


@pytest.fixture(scope="module")
def scaled(frame):
    X = frame.to_numpy()
    return (X - X.mean(axis=0)) / X.std(axis=0)


def inspected(frame, **changes):
    upload = upload_of_frame(frame)
    return Inspection(upload.prepare(upload.suggestion.replace({"label": None} | changes)))


def test_distances_are_those_of_scipy(inspection, scaled):
    claims, r = inspection.finding("distances").claims, pdist(scaled)
    assert claims.value("median distance") == pytest.approx(np.median(r))
    assert claims.value("largest distance") == pytest.approx(r.max())
    assert claims.value("spread of distances") == pytest.approx(r.std() / r.mean())
    assert claims.value("width") == pytest.approx(np.median(r) ** -2.0)
    reach = claims.value("saturation")
    assert np.sqrt(1.0 - np.exp(-claims.value("width") * reach**2)) == pytest.approx(0.9)
    assert claims.value("pairs beyond saturation") == np.mean(r > reach)
    assert {claim.n_rows for claim in claims} == {N}


def to_nearest(X):
    """Return the distances of each different row to all others, nearest first."""
    X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    return np.sort(cdist(X, X), axis=1)[:, 1:]


def test_the_dimension_is_that_of_both_formulas(inspection, scaled):
    claims, T = inspection.finding("dimension").claims, to_nearest(scaled)
    n = len(T)
    kept = int(0.9 * n)
    logs = np.sort(np.log(T[:, 1] / T[:, 0]))[:kept]
    by = {claim.of["estimate"]: claim.value for claim in claims.of("dimension")}
    assert by["TwoNN"] == pytest.approx((kept - 1) / (logs.sum() + (n - kept) * logs[-1]))
    assert by["maximum likelihood"] == pytest.approx(1.0 / np.log(T[:, 9:10] / T[:, :9]).mean())
    assert {claim.n_rows for claim in claims} == {n} == {N - 1}


def test_features_of_words_are_not_called_columns(inspection, frame):
    assert inspection.finding("dimension").text.endswith("in 3 columns.")
    words = frame.assign(kind=np.random.default_rng(1).choice(list("abcd"), N))
    found = inspected(words).finding("dimension")
    assert "in 7 features of 4 columns" in found.text
    assert (found.claims.value("features"), found.claims.get("features").of["columns"]) == (7, 4)


def test_outlier_factors_are_those_of_scikit_learn(inspection, scaled):
    claims = inspection.finding("outliers").claims
    different = np.sort(np.unique(scaled, axis=0, return_index=True)[1])
    factor = -LocalOutlierFactor(20).fit(scaled[different]).negative_outlier_factor_
    T, n = to_nearest(scaled)[:, :20], len(different)
    d = np.clip(1.0 / np.log(T[:, -1:] / T[:, :-1]).mean(), 1.0, 3.0)
    q80, q95 = np.quantile(factor, (0.8, 0.95))
    limit = max(2.0, 1.0 + 5.2 / d**0.8, q95 * (5.0 * n) ** (np.log(q95 / q80) / np.log(4.0)))
    outliers, strongest = claims.get("outliers"), claims.get("outlier factor")
    assert outliers.of["from"] == pytest.approx(limit, rel=1e-6) and outliers.n_rows == n
    assert outliers.rows.tolist() == different[factor >= limit].tolist() == [40] and outliers.value == 1
    assert strongest.value == pytest.approx(factor.max(), rel=1e-6) and strongest.rows.tolist() == [40]
    none = inspected(pd.DataFrame(np.delete(scaled, 40, axis=0), columns=list("xyz"))).finding("outliers")
    assert none.text.startswith("No outliers") and none.claims.get("outliers").least == 1
    factor, limit = none.claims.value("outlier factor"), none.claims.get("outliers").of["from"]
    usual = f"; up to {limit:.1f} times may be chance." if f"up to {limit:.1f}" in none.text else "."
    assert none.text.endswith(f"it is {factor:.1f} times as isolated as its neighbours{usual}")


def test_near_copies_are_the_pairs_within_the_distance(inspection, scaled):
    claims = inspection.finding("near-copies").claims
    near, nearest = claims.get("near copies"), claims.get("nearest pair")
    dimension = min(claim.value for claim in inspection.finding("dimension").claims.of("dimension"))
    least = min(0.1, (0.001 / 4.670909) ** (1.0 / dimension)) * np.median(to_nearest(scaled)[:, 4])
    m_by_n = (1.0 if N <= 10_000 else 10_000 / N) ** (1.0 / dimension)
    assert near.of["distance"] == pytest.approx(least * m_by_n)
    apart = cdist(scaled, scaled)
    is_near = (apart > 0) & (apart <= near.of["distance"])
    assert near.rows.tolist() == np.flatnonzero(is_near.any(axis=1)).tolist() == [*range(10, 16), *range(20, 26)]
    assert (near.value, near.of["pairs"]) == (12, is_near.sum() // 2)
    assert nearest.value == pytest.approx(apart[apart > 0].min()) == pytest.approx(apart[tuple(nearest.rows)])


def test_equal_rows_are_not_denied(frame):
    found = inspected(frame.drop(index=range(10, 16))).finding("near-copies")
    assert found.text == "No two of 314 rows are suspiciously similar without being equal."
    assert found.claims.value("near copies") == 0 and found.claims[0].least == 1


@pytest.mark.parametrize("is_classes", [True, False])
def test_scores_of_leaks_are_those_of_a_tree_on_the_judged_rows(frame, is_classes):
    y = 2.0 * frame["x"] + 0.3 * frame["z"]
    table = frame.assign(
        y=pd.cut(y, [-99, -1, 1, 99], labels=["low", "middle", "high"]).astype(str) if is_classes else y
    )
    claims = inspected(table, label="y").finding("leaks").claims
    judged, score = claims.get("judged rows"), claims.get("score")
    rows = table.iloc[judged.rows]
    X, target = rows[list(score.columns)].to_numpy(), rows["y"].to_numpy()
    assert judged.value == score.n_rows == N // 2 and score.columns == ("x",)
    if is_classes:
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        said = cross_val_predict(DecisionTreeClassifier(min_samples_leaf=2, random_state=0), X, target, cv=folds)
        assert score.value == np.mean(said == target) and score.of == {"by": "value", "unit": "accuracy"}
        assert claims.value("guess") == rows["y"].value_counts(normalize=True).iloc[0]
    else:
        models = LinearRegression(), DecisionTreeRegressor(min_samples_leaf=3, random_state=0)
        folds = KFold(5, shuffle=True, random_state=0)
        left = min(np.sum((cross_val_predict(model, X, target, cv=folds) - target) ** 2) for model in models)
        assert score.value == pytest.approx(1.0 - left / np.sum((target - target.mean()) ** 2))
    found = inspected(table, label="y").finding("leaks")
    if is_classes and found.status == "fine":
        said = f"the best, “x”, tells the label in {100 * score.value:.0f}% of {N // 2} rows"
        assert found.text.startswith(f"No column gives the label away: {said} (always the largest class: ")
    n_leaks, n_near = claims.get("leaks"), claims.get("near leaks")
    assert n_leaks.value == 0 and n_leaks.least == 1 and n_leaks.of["from"] > score.value
    assert n_near.value == (score.value >= n_near.of["from"])


def test_scores_of_columns_that_nearly_give_the_label_away_stand_next_to_those_that_do():
    g, kind = np.random.default_rng(4), np.repeat([0, 1], N // 2)
    blurred = np.where(np.arange(N) % 16, kind, 1 - kind)  # of which a sixteenth is wrong
    table = pd.DataFrame({"x": g.normal(size=N), "code": 3 * kind, "near": blurred})
    found = inspected(table.assign(y=np.where(kind, "up", "down")), label="y").finding("leaks")
    leaks, near, scores = (found.claims.of(what) for what in ("leaks", "near leaks", "score"))
    assert (leaks[0].value, near[0].value) == (1, 1) and [score.columns for score in scores] == [("code",), ("near",)]
    assert scores[0].value == 1.0 and near[0].of["from"] <= scores[1].value < leaks[0].of["from"]
    assert found.columns == ("code",) and "near" not in found.text
    assert found.text.startswith("“code” alone tells the label in 100% of ") and "No column gives" not in found.text


def test_of_a_rare_class_the_sentence_says_which_rows_were_left_out():
    g = np.random.default_rng(3)
    table = pd.DataFrame(g.normal(size=(1000, 3)), columns=list("xyz")).assign(
        y=np.where(np.arange(1000) % 50, "no", "yes")
    )
    found = inspected(table, label="y").finding("leaks")
    assert found.text.endswith("Judged by 40 rows; others of the largest class were left out.")
    judged = found.claims.get("judged rows")
    assert judged.of == {"thinned": True}
    share = (table["y"].iloc[judged.rows] == "no").mean()
    assert found.claims.value("guess") == share > 0.5


def test_features_and_far_values_are_named_so_that_distances_and_factors_can_be_computed_again(frame):
    g = np.random.default_rng(5)
    mixed = frame.assign(word=g.choice(["a", "b", "c"], N), note=[f"n{i}" for i in range(N)])
    mixed.loc[[7, 70, 200], "y"] = -999.0
    inspection = inspected(mixed)
    features = inspection.finding("distances").claims.of("features")[0]
    assert features.columns == ("x", "y", "z", "word") and features.value == 6 and features.of["most words"] == 20
    words = pd.get_dummies(mixed["word"], dtype=float).to_numpy()
    numbers = mixed[["x", "y", "z"]].to_numpy()
    X = np.hstack([(numbers - numbers.mean(axis=0)) / numbers.std(axis=0), words - words.mean(axis=0)])
    assert inspection.finding("distances").claims.value("median distance") == pytest.approx(np.median(pdist(X)))
    claims = inspection.finding("outliers").claims
    (far,) = claims.of("scaled without far values")
    most = mixed["y"].drop([7, 70, 200])
    assert far.columns == ("y",) and far.rows.tolist() == [7, 70, 200]
    assert far.value == pytest.approx((most.mean(), most.std(ddof=0)))
    X = np.column_stack([X[:, 0], (mixed["y"] - far.value[0]) / far.value[1], X[:, 2]])
    X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    factor = -LocalOutlierFactor(20).fit(X).negative_outlier_factor_
    assert claims.value("outlier factor") == pytest.approx(factor.max(), rel=1e-6)


def test_rows_that_were_searched_for_interactions_and_those_that_judge_are_named(frame):
    g = np.random.default_rng(6)
    label = np.where(frame["x"] * frame["y"] + 0.3 * g.normal(size=N) > 0, "up", "down")
    claims = inspected(frame.assign(label=label), label="label").finding("interactions").claims
    searched, judging = (claims.of(kind)[0].rows for kind in ("rows searched", "rows that judge"))
    assert np.union1d(searched, judging).tolist() == list(range(N)) and not np.intersect1d(searched, judging).size
    most = pd.Series(label[searched]).mode()[0]
    assert claims.value("guess score") == np.mean(label[judging] == most)
