"""The intrinsic dimension of manifolds whose dimension is known, against the spread over seeds."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import kstest
from sklearn.neighbors import NearestNeighbors

from rfviz import inspect
from rfviz.analysis.intrinsic_dimension import (
    dimension_of_rows,
    intrinsic_dimension,
    likelihood_dimension,
    twins,
    two_nn_dimension,
)
from rfviz.datasets import load
from rfviz.errors import DataError
from rfviz.inspection.dimension import Dimension
from rfviz.inspection.finding import Claims
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.neighbours import neighbour_distances

SEEDS = range(12)


def torus(generator, n, d):
    """Draw points spread evenly over a flat torus: d angles in 2·d columns, without a border."""
    angles = generator.uniform(0.0, 2.0 * np.pi, (n, d))
    return np.hstack([np.cos(angles), np.sin(angles)])


def curve(generator, n, d):
    """Draw points of a closed curve wound through ten columns."""
    t = generator.uniform(0.0, 2.0 * np.pi, n)
    return np.column_stack([f(k * t) / k for k in range(1, 6) for f in (np.cos, np.sin)])


@pytest.mark.parametrize("estimate", [two_nn_dimension, lambda r: likelihood_dimension(r[:, :10])])
@pytest.mark.parametrize(
    ("points", "d", "bias"), [(curve, 1, 0.02), (torus, 1, 0.01), (torus, 2, 0.03), (torus, 3, 0.12)]
)
def test_the_dimension_of_known_manifolds(points, d, bias, estimate):
    found, claimed = [], []
    for seed in SEEDS:
        X = points(np.random.default_rng(seed), 1500, d)
        dimension, error = estimate(neighbour_distances(X, 12)[0])
        found.append(dimension)
        claimed.append(error)
    # Curvature leaves a small bias at 1500 points; beyond it, |z| > 4 is a false alarm in 16,000.
    z = (abs(np.mean(found) - d) - bias) / (np.std(found, ddof=1) / np.sqrt(len(found)))
    assert z < 4, (np.mean(found), np.std(found))
    # The claimed standard error is that of a draw, within a factor of two.
    assert 0.5 < np.mean(claimed) / np.std(found, ddof=1) < 2.0


def test_more_dimensions_than_rows_are_no_answer():
    generator = np.random.default_rng(3)
    inspection, told = Inspection(load("xor")), []
    for d in (10, 3000):
        distance, _ = neighbour_distances(generator.standard_normal((60, d)), 12)
        claims = Claims(Dimension().claims(intrinsic_dimension(distance, d), inspection))
        told.append(Dimension().describe(claims, inspection))
    few, many = told
    assert few.status != "unknown" and many.status == "unknown" and "60 rows lie in 59 dimensions at most" in many.text


def test_two_nn_is_unbiased_where_its_law_holds_exactly():
    # Independent ratios with P(mu > t) = t^-d, which neighbours of one sample are not quite.
    d, n, estimates = 5.0, 200, []
    for seed in range(400):
        ratio = np.random.default_rng(seed).pareto(d, n) + 1.0
        estimates.append(two_nn_dimension(np.column_stack([np.ones(n), ratio])))
    values, errors = np.array(estimates).T
    assert abs(values.mean() - d) < 4 * values.std(ddof=1) / np.sqrt(len(values))
    # T is Gamma(r, d), r = 180: so 2·d·T is chi-squared of 2r degrees.
    assert kstest(2 * d * 179 / values, "chi2", args=(360,)).pvalue > 1e-4
    assert errors.mean() == pytest.approx(values.std(ddof=1), rel=0.15)


def test_likelihood_is_the_mean_of_inverses_by_hand():
    X = np.random.default_rng(0).standard_normal((60, 3))
    apart = np.sort(cdist(X, X), axis=1)[:, 1:7]
    inverses = [np.mean([np.log(row[-1] / r) for r in row[:-1]]) for row in apart]
    assert likelihood_dimension(apart)[0] == pytest.approx(1.0 / np.mean(inverses))
    np.testing.assert_allclose(neighbour_distances(X, 6)[0], apart)


def test_extra_columns_change_nothing():
    generator = np.random.default_rng(3)
    X = torus(generator, 800, 2)
    basis = np.linalg.qr(generator.standard_normal((30, 30)))[0][:4]
    flat, wide = (intrinsic_dimension(neighbour_distances(Z, 12)[0], Z.shape[1]) for Z in (X, X @ basis))
    assert wide.two_nn == pytest.approx(flat.two_nn) and wide.likelihood == pytest.approx(flat.likelihood)
    assert wide.n_features == 30 and list(wide.to_frame()["dimension"]) == [wide.two_nn, wide.likelihood]


def test_the_dimension_of_rows_is_that_of_the_different_ones():
    X = torus(np.random.default_rng(1), 900, 2)
    apart = np.sort(cdist(X, X), axis=1)[:, 1:11]
    found, twice = dimension_of_rows(X), dimension_of_rows(np.vstack([X, X[:300]]))
    assert found.likelihood == pytest.approx(1.0 / np.log(apart[:, -1:] / apart[:, :-1]).mean(axis=1).mean())
    assert (twice.two_nn, twice.likelihood) == pytest.approx((found.two_nn, found.likelihood)) and twice.n_rows == 900
    # Of many rows, as many as tell.
    assert dimension_of_rows(torus(np.random.default_rng(2), 5000, 2)).n_rows == 2000


def test_what_has_no_dimension():
    with pytest.raises(DataError, match="20 different rows"):
        dimension_of_rows(np.repeat(np.eye(5), 30, axis=0))
    with pytest.raises(DataError, match="20 different rows"):
        intrinsic_dimension(np.ones((5, 3)), 2)
    grid = np.stack(np.meshgrid(range(6), range(6)), -1).reshape(-1, 2).astype(float)
    with pytest.raises(DataError, match="equally far"):
        intrinsic_dimension(neighbour_distances(grid, 12)[0], 2)


def table_with_copies(n_copied, apart, copies):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 5))
    nearly = [rows[:n_copied] + apart * rng.normal(size=(n_copied, 5)) for _ in range(copies)]
    return pd.DataFrame(rng.permutation(np.concatenate([rows, *nearly])), columns=list("abcde"))


@pytest.mark.parametrize(
    ("n_copied", "apart", "copies"), [(60, 1e-4, 1), (400, 1e-4, 1), (400, 0.02, 1), (400, 1e-4, 2)]
)
def test_many_near_copies_are_told_and_do_not_lower_the_dimension(n_copied, apart, copies):
    report = inspect(table_with_copies(n_copied, apart, copies), only=("dimension", "near-copies"))
    found = report.findings.set_index("name")
    assert found.status["near-copies"] == "look" and len(found.rows["near-copies"]) == n_copied * (copies + 1)
    n_left_out = int(re.search(r"(\d+) near copies of other rows are left out", found.text["dimension"])[1])
    assert found.status["dimension"] == "fine" and 0.97 * n_copied * copies <= n_left_out <= n_copied * copies


def clean_tables():
    rng, t = np.random.default_rng(1), np.sort(np.random.default_rng(0).uniform(0, 20, 600))
    yield "normal", rng.normal(size=(600, 1))
    yield "rounded", rng.normal(size=(600, 3)).round(1)
    yield "integers", rng.integers(1, 11, (600, 4))
    yield "grid", np.stack(np.meshgrid(np.arange(25), np.arange(24)), -1).reshape(-1, 2)
    yield "series", np.column_stack([np.sin(t), np.cos(1.7 * t), t])
    yield "categories", np.column_stack([np.eye(5)[rng.integers(0, 5, 600)], rng.normal(size=600)])
    yield "lognormal", np.exp(2.0 * rng.normal(size=(600, 4)))


@pytest.mark.parametrize(("name", "X"), list(clean_tables()))
def test_no_gap_sets_rows_of_clean_tables_apart(name, X):
    X = np.unique((X - X.mean(axis=0)) / X.std(axis=0), axis=0)
    assert not twins(*NearestNeighbors(n_neighbors=20).fit(X).kneighbors()).any()


def test_distances_of_near_copies_are_not_rounded_off_in_many_columns():
    X = 1e3 + np.random.default_rng(4).normal(size=(60, 20))
    X[30:] = X[:30]
    X[30:, 0] += np.linspace(1e-6, 1e-3, 30)
    distance, near = neighbour_distances(X, 5)
    np.testing.assert_array_equal(near[:30, 0], np.arange(30, 60))
    np.testing.assert_array_equal(distance[:30, 0], X[30:, 0] - X[:30, 0])
