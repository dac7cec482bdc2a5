"""The detectors of the quick inspection: what was planted is found, and nothing where nothing was."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist
from scipy.stats import binom, norm
from sklearn.neighbors import LocalOutlierFactor

import rfviz
from rfviz.analysis.embedding import embed, prepare_points
from rfviz.cache import Cache
from rfviz.datasets import Dataset, from_frame, load
from rfviz.errors import DataError
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from rfviz.inspection.columns import inspect_columns
from rfviz.inspection.copies import exact_copies
from rfviz.inspection.distances import distances
from rfviz.inspection.finding import STATUSES, Claims, findings_frame
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.leaks import inspect_leaks
from rfviz.inspection.maps import FEATURES, draw_maps
from rfviz.inspection.near_copies import NearCopies, NearCopyResult, near_copies, near_distance
from rfviz.inspection.neighbours import neighbours
from rfviz.inspection.raw import raw_of
from rfviz.inspection.sample import column_name, nearest_rows, scaling_of, take_sample
from rfviz.inspection.structure import inspect_structure, stratified_folds


def table(X, y=None, **options):
    names = tuple(f"class {c}" for c in range(int(y.max()) + 1)) if y is not None and y.dtype.kind in "iu" else ()
    return Dataset("table", np.ascontiguousarray(X, dtype=np.float32), y, names, **options)


def normal(seed, n, d):
    return np.random.default_rng(seed).standard_normal((n, d))


# --- rows that are looked at ------------------------------------------------------------------------------------------


def test_samples_are_nested_and_scaled():
    data = table(normal(0, 500, 4) * [1, 10, 100, 0] + 7)
    small, large = take_sample(data, most=100), take_sample(data, most=300)
    assert set(small.rows) <= set(large.rows) and len(small.rows) == 100 and (np.diff(small.rows) > 0).all()
    assert len(small.rows) < small.n_samples == len(take_sample(data).rows)
    np.testing.assert_allclose(small.X[:, :3].std(axis=0), 1.0)
    assert (small.X[:, 3] == 0).all()
    np.testing.assert_allclose(small.scaled(data.X[small.rows].astype(float)), small.X)
    assert len(take_sample(data, cells=4 * 320).rows) == 320


def test_scaling_suits_the_data():
    assert scaling_of(table(normal(0, 9, 4))) == "standardise"
    assert scaling_of(load("digits")) == "none"
    assert scaling_of(load("digits"), "unit norm") == "unit norm"


def test_nearest_rows_by_brute_force():
    data = table(normal(1, 200, 3))
    sample = take_sample(data, "none", 80)
    for row in (int(sample.rows[5]), int(np.setdiff1d(np.arange(200), sample.rows)[0])):
        others = sample.rows[sample.rows != row]
        apart = np.linalg.norm(data.X[others].astype(float) - data.X[row], axis=1)
        rows, distance = nearest_rows(sample, data, row, 4)
        np.testing.assert_array_equal(rows, others[np.argsort(apart)[:4]])
        np.testing.assert_allclose(distance, np.sort(apart)[:4])
    rows, _ = nearest_rows(take_sample(table(normal(0, 3, 2))), table(normal(0, 3, 2)), 0, 5)
    assert sorted(rows) == [1, 2]


def test_names_of_columns():
    assert column_name(table(normal(0, 3, 2), feature_names=("a", "b")), 1) == "b"
    assert column_name(table(normal(0, 3, 2)), 1) == "column 2"
    assert column_name(load("digits"), 9) == "pixel (2, 2)"


# --- distances, outliers ----------------------------------------------------------------------------------------------


def test_distances_and_the_widths_that_the_maps_learn():
    data = table(normal(2, 300, 5))
    sample = take_sample(data)
    result, r = distances(sample), pdist(sample.X)
    assert result.counts.sum() == len(r)
    assert (result.median, result.mean) == (pytest.approx(np.median(r), rel=1e-6), pytest.approx(r.mean(), rel=1e-6))
    for rule, gamma in (("median", result.gamma_median), ("scale", result.gamma_scale)):
        assert RandomFourier(4, gamma=rule).fit(sample.X).gamma_ == gamma
    # Where the map's distance, √(2 − 2k), is nine tenths of its largest, √2.
    assert np.sqrt(2 - 2 * np.exp(-result.gamma_median * result.reach**2)) == pytest.approx(0.9 * np.sqrt(2))
    assert result.mapped(result.reach) == pytest.approx(0.9)
    assert result.beyond == pytest.approx(np.mean(r > result.reach))
    assert len(result.to_frame()) == len(result.counts)


def test_distances_of_many_dimensions_are_all_alike():
    assert distances(take_sample(table(normal(0, 100, 2000)))).contrast < 0.05
    assert distances(take_sample(table(normal(0, 100, 2)))).contrast > 0.3


def test_outlier_factor_is_that_of_scikit_learn():
    X = np.vstack([normal(0, 200, 3), normal(1, 50, 3) * 0.1 + 5, [[20.0, 0, 0]]])
    result = neighbours(take_sample(table(X), "none"))
    theirs = -LocalOutlierFactor(n_neighbors=20).fit(X.astype(np.float32)).negative_outlier_factor_
    np.testing.assert_allclose(result.factor, theirs, rtol=1e-3)


def test_planted_outliers_come_first():
    for seed in range(10):
        X = normal(seed, 300, 6)
        planted = [17, 99, 250]
        X[planted] *= 8.0
        result = neighbours(take_sample(table(X)))
        assert set(result.outliers(3)) == set(planted)
        assert result.is_outlying[planted].all() and result.is_outlying.sum() == 3
        assert list(result.to_frame(3)["row"]) == (result.outliers(3) + 1).tolist()


@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("how", ["even", "normal", "long tails"])
def test_no_outlier_where_chance_alone_makes_rows_rare(how, d):
    alarms = 0
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(500, d))
        X = {"even": norm.cdf(X), "normal": X, "long tails": np.exp(0.5 * X)}[how]
        alarms += neighbours(take_sample(table(X))).is_outlying.any()
    assert alarms <= 1 + (how == "long tails")


# --- copies -----------------------------------------------------------------------------------------------------------


def test_planted_copies_are_counted():
    X, y = normal(0, 400, 7), np.arange(400) % 3
    X[10] = X[20] = X[30]
    X[50] = X[60]
    X[5, 2], X[6] = 0.0, X[5]
    X[6, 2] = -0.0  # equal to 0
    y[[10, 20, 30, 50, 60, 5, 6]] = 1, 1, 1, 0, 2, 1, 1
    result = exact_copies(raw_of(table(X, y, n_train=55)))
    assert (result.n_extra, result.largest, result.n_conflicting, result.n_across) == (4, 3, 2, 1)
    assert result.to_frame()["rows"].tolist()[0] == "11, 21, 31" and len(result.to_frame()) == 3
    brute = np.unique(X.astype(np.float32) + 0.0, axis=0)
    assert len(brute) == 400 - result.n_extra
    # Of three equal rows one is for training: its two copies are the test rows that have been seen.
    assert exact_copies(raw_of(table(X, y, n_train=15))).n_across == 2
    assert exact_copies(raw_of(table(X, y, n_train=25))).n_across == 1
    none = exact_copies(raw_of(table(normal(0, 400, 7))))
    assert (none.n_extra, none.n_across, none.largest) == (0, 0, 1) and not len(none.to_frame())


def test_near_copies_are_those_of_brute_force():
    for seed in range(5):
        generator, X = np.random.default_rng(seed), normal(seed, 600, 8)
        X[300:320] = X[:20] + 1e-3 * generator.standard_normal((20, 8))
        X[320] = X[321]
        sample = take_sample(table(X))
        known = neighbours(sample)
        threshold = near_distance(known, 8.0)
        result = near_copies(sample, threshold, known)
        apart = np.triu(cdist(sample.X, sample.X), 1)
        truth = np.argwhere((apart <= threshold) & (apart > 1e-9))
        assert len(truth) == 20
        assert set(map(tuple, result.pairs)) == set(map(tuple, truth))
        np.testing.assert_allclose(result.distance, np.sort(apart[tuple(truth.T)]), rtol=1e-6)
        assert result.n_candidates < 0.02 * result.n_all and result.n_near == 40
        assert result.n_known == result.n_found == 20
        assert list(result.to_frame(1).iloc[0][["row", "and row"]]) == (result.pairs[0] + 1).tolist()


def test_hashing_finds_pairs_at_the_threshold_as_often_as_it_says():
    # Pairs exactly at the threshold, along the diagonal: the direction for which the bound is attained.
    d, n = 9, 600
    X = 50.0 * normal(0, n, d)
    X[n // 2 :] = X[: n // 2] + 0.9999 / np.sqrt(d)
    sample = take_sample(table(X), "none")
    result = near_copies(sample, 1.0, neighbours(sample))
    missed = n // 2 - len(result.pairs)
    assert binom.sf(missed - 1, n // 2, 1 - result.recall_bound) > 1e-4
    assert result.recall_bound > 0.999


def test_crowded_data_have_few_near_copies_by_chance():
    # By design one row in a thousand; 20 seeds of 500 rows give 10, and 31 would be a false alarm in a million.
    found = 0
    for seed in range(20):
        angle = np.random.default_rng(seed).uniform(0, 2 * np.pi, 500)
        sample = take_sample(table(np.column_stack([np.cos(angle), np.sin(angle)])))
        known = neighbours(sample)
        found += near_copies(sample, near_distance(known, 1.0), known).n_near
    assert found <= 31


def test_rows_of_dense_clusters_and_those_with_many_zeros_are_no_near_copies():
    for seed in range(4):
        generator, X = np.random.default_rng(seed), normal(seed, 600, 4)
        X[:300] *= 0.01
        zeros = np.where(generator.random((600, 4)) < 0.6, 0.0, np.exp(normal(seed, 600, 4)))
        zeros[:8] = np.exp(normal(seed + 10, 8, 4))
        for rows, dimension in ((X, 4.0), (zeros, 2.0)):
            rows[4:8] = rows[:4] * (1.0 + 1e-5)
            sample = take_sample(table(rows))
            known = neighbours(sample)
            found = near_copies(sample, near_distance(known, dimension), known, dimension)
            # By chance one row in a thousand.
            assert {(row, row + 4) for row in range(4)} <= set(map(tuple, found.pairs.tolist())) and found.n_near <= 12


# --- columns ----------------------------------------------------------------------------------------------------------


def test_planted_columns_are_found():
    for seed in range(5):
        X = normal(seed, 200, 30)
        X[:, 3] = 4.2
        X[:, 9] = -2.54 * X[:, 4] + 100
        X[:, 20] = X[:, 4]
        X[:, 12] = np.random.default_rng(seed).permutation(200) + 1000
        result = inspect_columns(raw_of(table(X)))
        assert result.constant == ("column 4",) and result.numbering == ("column 13",)
        assert result.same == (("column 10", "column 5"), ("column 21", "column 5"))
        assert len(result.to_frame()) == 4


def test_honest_columns_are_left_alone():
    X = normal(0, 300, 200)
    X[:, 0] = np.rint(X[:, 0])  # whole numbers, but not all different
    X[:, 1] = X[:, 2] + 0.05 * normal(1, 300, 1)[:, 0]  # alike, but not the same
    result = inspect_columns(raw_of(table(X)))
    assert not result.constant and not result.same and not result.numbering and not result.nearly
    assert [(one, other) for one, other, _ in result.alike] == [("column 3", "column 2")]


@pytest.mark.slow
def test_planted_leak_of_classes_is_found_and_nothing_else():
    for seed in range(5):
        X, y = normal(seed, 400, 40), np.random.default_rng(seed + 50).integers(0, 4, 400)
        assert inspect_leaks(raw_of(table(X, y))).n_leaks == 0
        X[:, 7] = np.array([3.0, -1.0, 8.0, 1.0])[y] + 0.01 * X[:, 7]  # not in the order of the classes
        result = inspect_leaks(raw_of(table(X, y)))
        assert result.n_leaks == 1 and result.clues[0].columns == ("column 8",) and result.clues[0].score > 0.98
        assert result.to_frame()["gives the label away"].sum() == 1


def test_a_rare_class_is_no_leak():
    y = (np.arange(1000) % 50 == 0).astype(int)  # always the other class: 98 % right
    result = inspect_leaks(raw_of(table(normal(0, 1000, 20), y)))
    # Three rows of the frequent class for one of the rare one, half of them to judge by: else nothing could be told.
    assert result.n_leaks == 0 and result.is_thinned and result.n_rows == 40 and result.guess < 0.9


def test_leak_of_a_number():
    X = normal(0, 300, 10)
    y = X[:, 0] + X[:, 1] + X[:, 2]
    assert inspect_leaks(raw_of(table(X, y))).n_leaks == 0
    X[:, 5] = np.exp(y)
    result = inspect_leaks(raw_of(table(X, y)))
    assert result.n_leaks == 1 and result.clues[0].columns == ("column 6",) and not result.is_classification


def test_where_a_leak_cannot_be_told():
    with pytest.raises(DataError, match="no labels"):
        inspect_leaks(raw_of(table(normal(0, 100, 5))))
    for data in (
        table(normal(0, 100, 1), np.arange(100) % 2),
        table(normal(0, 30, 5), np.arange(30) % 2),
        table(normal(0, 100, 5), np.zeros(100)),
    ):
        with pytest.raises(DataError, match="Too few rows, columns or classes"):
            inspect_leaks(raw_of(data))


# --- linear against kernel --------------------------------------------------------------------------------------------


def test_folds_are_even_in_every_class():
    y = np.repeat([0, 1, 2], [50, 25, 13])
    folds = stratified_folds(y, 5)
    counts = np.array([[np.sum((folds == f) & (y == c)) for f in range(5)] for c in range(3)])
    assert (np.ptp(counts, axis=1) <= 1).all()


@pytest.mark.parametrize("name", ["xor", "circles"])
def test_structure_that_a_line_misses(name):
    result = inspect_structure(load(name))
    assert result.is_nonlinear and result.best.gain.value > 0.3
    assert result.linear < 0.65 and result.best.scores[-1] > 0.9
    assert len(result.to_frame()) == 2 + 2 * len(result.m_grid)


def test_structure_of_numbers():
    X = normal(0, 300, 2)
    y = X[:, 0] * X[:, 1]
    result = inspect_structure(table(X, y))
    assert result.is_nonlinear and abs(result.guess) < 0.05 and result.best.scores[-1] > 0.8
    line = inspect_structure(table(X, X @ [1.0, 2.0] + 0.1 * normal(1, 300, 1)[:, 0]))
    assert not line.is_nonlinear and line.has_signal and line.linear > 0.98


@pytest.mark.slow
def test_no_structure_is_claimed_where_there_is_none():
    claims = signals = 0
    seeds = 20  # benchmarks/inspection.py counts false alarms over 200 tables
    for seed in range(seeds):
        X = normal(seed, 200, 4)
        noise = np.random.default_rng(1000 + seed).logistic(size=200)
        claims += inspect_structure(table(X, (X @ [1.5, -1.0, 0.5, 0.0] + noise > 0).astype(int))).is_nonlinear
        signals += inspect_structure(table(X, (noise > 0).astype(int))).has_signal
    # A claim in at most one data set of twenty; that so many come by chance has a probability below 1e-3.
    most = binom.isf(1e-3, seeds, 0.05)
    assert claims <= most and signals <= most


def test_the_test_rows_do_not_teach():
    # Columns of pure noise, many more than rows: whoever looked at the test labels would do better than a guess.
    result = inspect_structure(table(normal(0, 120, 2000), np.arange(120) % 2))
    assert not result.is_nonlinear
    assert abs(result.linear - 0.5) < 4 * result.linear_error


def test_wide_data_give_the_scores_of_all_columns():
    X, y = normal(0, 60, 400), np.arange(60) % 2
    X[:, 0] += 4.0 * y
    wide = inspect_structure(table(X, y), "none")
    # The same rows in other columns: zeros beside them change no distance, but the way they are computed.
    narrow = inspect_structure(table(np.linalg.qr(X.T, mode="r").T, y), "none")
    assert wide.linear == pytest.approx(narrow.linear, abs=0.04)


def test_where_nothing_can_be_learnt():
    X = normal(0, 100, 3)
    for y, message in (
        (None, "no labels"),
        (np.zeros(100), "same number"),
        (np.r_[0, np.ones(99, int)], "two classes"),
    ):
        with pytest.raises(DataError, match=message):
            inspect_structure(table(X, y))
    with pytest.raises(DataError, match="at least 40 rows"):
        inspect_structure(table(X[:30], np.arange(30) % 2))


# --- maps -------------------------------------------------------------------------------------------------------------


def test_maps_are_the_embeddings_of_their_rows():
    data = load("breast_cancer")
    sample = take_sample(data, most=100)
    result = draw_maps(data, sample, seed=3)
    points = prepare_points(table(data.X[sample.rows]), "standardise", 2)
    setting = {"n_components": FEATURES, "random_state": 3}
    maxout = embed(points, MapSpec(RandomMaxout, pool_size=8, **setting), 2).features
    fourier = embed(points, MapSpec(RandomFourier, gamma="median", **setting), 2).features
    for found, expected in zip(result.projections, (points.plain, maxout, fourier), strict=True):
        np.testing.assert_allclose(np.abs(found.coordinates), np.abs(expected.coordinates), atol=1e-6)
    assert result.to_frame().shape == (100, 7) and list(result.to_frame()["row"]) == (sample.rows + 1).tolist()


@pytest.mark.parametrize(
    "X", [normal(0, 3, 4), normal(0, 50, 1), normal(0, 900, 1), np.vstack([np.zeros((9, 2)), [[1, 1]]])]
)
def test_maps_of_hardly_anything(X):
    data = table(X)
    assert all(np.isfinite(p.coordinates).all() for p in draw_maps(data, take_sample(data)).projections)


def test_columns_of_a_table_are_axes_whether_or_not_they_are_features():
    frame = pd.DataFrame({"x": np.arange(40.0) ** 2, "z": np.arange(40.0) % 7, "word": list("ab") * 20})
    frame.loc[3, "z"] = np.nan  # is not drawn
    for leave_out in ((), ("z",)):
        made = from_frame(frame, leave_out=leave_out, missing="impute")
        found = Inspection(made, axes=("x", "z")).maps().projections[0]
        np.testing.assert_array_equal(found.coordinates, frame[["x", "z"]])
        assert found.names == ("x", "z") and ("z" in made.feature_names) == (not leave_out)
    for axes, said in ((("x", "word"), "holds no numbers"), (("x", "q"), "no column 'q'")):
        with pytest.raises(DataError, match=said):
            Inspection(made, axes=axes).maps()
    plane = rfviz.inspect(frame, leave_out="z", axes=["x", "z"]).figure("map-plain").layout
    assert (plane.xaxis.title.text, plane.yaxis.title.text) == ("x", "z")
    with pytest.raises(DataError, match="must name two columns, not 1"):
        rfviz.inspect(frame, axes=["x"])


@pytest.mark.parametrize("ask", [draw_maps, lambda d, s: distances(s), lambda d, s: neighbours(s)])
def test_equal_rows_are_refused_in_a_sentence(ask):
    data = table(np.ones((30, 3)))
    with pytest.raises(DataError, match=r"equal|different rows"):
        ask(data, take_sample(data))


# --- all of it --------------------------------------------------------------------------------------------------------


def test_an_inspection_computes_each_part_once_and_says_what_the_parts_found(monkeypatch):
    asked = []

    def counted(sample):
        asked.append(sample)
        return neighbours(sample)

    monkeypatch.setattr("rfviz.inspection.neighbours.neighbours", counted)
    data, cache = load("xor", n_samples=80), Cache()
    found, alone = list(Inspection(data, seed=2, cache=cache).findings()), Inspection(data, seed=2)
    assert len(asked) == 1  # though three of the findings need it
    assert found == list(Inspection(data, seed=2, cache=cache).findings()) and len(asked) == 1
    assert found == list(alone.findings()) and alone.maps() is alone.maps() and len(asked) == 2
    frame = findings_frame(found)
    assert frame["name"].tolist() == [finding.name for finding in found]
    assert set(frame["status"]) <= set(STATUSES.values())
    assert str(found[0]) == f"Rows and labels (fine): {found[0].text}"


@pytest.mark.parametrize("n_found", [3, 4])
def test_a_search_that_missed_known_pairs_says_so_where_it_finds_nothing(n_found):
    nothing = NearCopyResult(np.zeros((0, 2), int), np.zeros(0), 0.1, 500, 0, 20, 124_750, 0.9, 4, n_found, np.ones(9))
    inspection = Inspection(table(normal(0, 500, 2)))
    found = NearCopies().describe(Claims(NearCopies().claims(nothing, inspection)), inspection)
    assert found.status == "fine" and "suspiciously similar without being equal." in found.text
    assert ("The search found 3 of 4 known pairs." in found.text) == (n_found == 3)
