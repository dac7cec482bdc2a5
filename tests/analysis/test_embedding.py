"""Maxout-PCA against scikit-learn's PCA and kernel PCA, and the paper's figure."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA, KernelPCA
from sklearn.neighbors import NearestNeighbors

from rfviz import datasets
from rfviz.analysis import embedding
from rfviz.analysis.embedding import (
    LLE_NEIGHBOURS,
    exact_components,
    kept_neighbours,
    locally_linear,
    prepare_points,
)
from rfviz.analysis.embedding import embed as features_only
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError
from rfviz.features import MapSpec, RandomFourier, RandomMaxout, RandomProjection, map_class, registry

REAL = Path(os.environ.get("RFVIZ_DATA") or Path(__file__).parents[3] / "shared" / "data")


def embed(points, cls, n_dimensions, **params):
    spec = MapSpec(cls, **params)
    return features_only(points, spec, n_dimensions, exact_components(points, spec, n_dimensions))


@pytest.fixture(scope="module")
def head():
    return prepare_points(datasets.load("turning_head"), "unit norm", 2)


@pytest.fixture(scope="module")
def digits():
    return prepare_points(datasets.load("digits"), "unit norm", 3, max_points=200)


def up_to_sign(A, B):
    return np.abs(A) - np.abs(B)


def test_features_match_scikit_learns_pca(digits):
    result = embed(digits, RandomMaxout, 3, n_components=300, dtype="float64")
    Phi = RandomMaxout(300, dtype="float64").fit_transform(digits.coordinates)
    pca = PCA(3).fit(Phi)
    np.testing.assert_allclose(up_to_sign(result.features.coordinates, pca.transform(Phi)), 0, atol=1e-8)
    np.testing.assert_allclose(result.features.explained, pca.explained_variance_ratio_, rtol=1e-8)


def test_exact_kernel_matches_scikit_learns_kernel_pca(digits):
    result = embed(digits, RandomFourier, 3, gamma=2.0)
    reference = KernelPCA(3, kernel="rbf", gamma=2.0).fit_transform(digits.original)
    np.testing.assert_allclose(up_to_sign(result.exact.coordinates, reference), 0, atol=1e-6)


def test_plain_pca_and_neighbours(digits):
    result = embed(digits, RandomProjection, 3)
    reference = PCA(3).fit(digits.original)
    np.testing.assert_allclose(up_to_sign(result.plain.coordinates, reference.transform(digits.original)), 0, atol=1e-8)
    nearest = NearestNeighbors(n_neighbors=6).fit(digits.original).kneighbors(return_distance=False, n_neighbors=5)
    assert (result.input_neighbours == nearest).all()


def test_features_tend_to_the_exact_kernel(head):
    errors = []
    for m in (500, 50_000):
        result = embed(head, RandomMaxout, 2, n_components=m, pool_size=12)
        errors.append(np.abs(result.features.coordinates - result.exact.coordinates).max())
    assert errors[1] < errors[0] / 3


def test_figure_2_corrects_the_noisy_order(head):
    result = embed(head, RandomMaxout, 2, n_components=10_000, pool_size=12)
    data = datasets.load("turning_head")
    true_place = np.argsort(np.argsort(-data.y))  # from profile (90°) to frontal (0°)
    recovered = result.features.order.recovered
    assert result.features.order.spearman > 0.99
    agreement = np.corrcoef(recovered, true_place)[0, 1]
    assert agreement > np.corrcoef(data.order, true_place)[0, 1]


def test_umist_person_17():
    """The paper's own kind of data: plain arithmetic gives a Spearman correlation of 0.996 along the first axis."""
    file = REAL / "umist_28x23.npz"
    if not file.is_file():
        pytest.skip(f"needs {file}")
    with np.load(file) as stored:
        rows = stored["y"] == 17
        X = stored["X"][rows].reshape(rows.sum(), -1) / np.float32(255)
        data = datasets.Dataset("umist 17", X, order=stored["frame"][rows])
    assert data.n_samples == 33
    result = embed(prepare_points(data, "unit norm", 2), RandomMaxout, 2, n_components=10_000, pool_size=12)
    assert result.features.order.spearman > 0.99
    along_axis = result.to_frame().set_index("projection").loc["Random maxout PCA", "Spearman along axis 1"]
    assert along_axis == pytest.approx(0.996, abs=0.002)


@pytest.mark.parametrize("scheme", registry())
@pytest.mark.parametrize("n_dimensions", [2, 3])
def test_every_scheme(scheme, n_dimensions):
    points = prepare_points(datasets.load("sphere", n_samples=50, dimension=4), "standardise", n_dimensions)
    result = embed(points, map_class(scheme), n_dimensions, n_components=200)
    assert [p.coordinates.shape for p in result.projections] == [(50, n_dimensions)] * 3
    for p in result.projections:
        assert (np.diff(p.explained) <= 1e-12).all() and 0 < p.explained.sum() <= 1 + 1e-9
    assert len(result.to_frame()) == 3
    assert len(result.points_frame()) == 50


def test_beyond_the_exact_size_a_randomised_svd_gives_the_same_plane(monkeypatch):
    data = datasets.load("digits")
    exact = embed(prepare_points(data, "unit norm", 2, 300), RandomMaxout, 2, n_components=200)
    monkeypatch.setattr(embedding, "MAX_EXACT", 299)
    large = embed(prepare_points(data, "unit norm", 2, 300), RandomMaxout, 2, n_components=200)
    assert large.exact is None
    assert large.features.method != exact.features.method
    np.testing.assert_allclose(large.features.explained, exact.features.explained, rtol=0.01)
    np.testing.assert_allclose(up_to_sign(large.features.coordinates, exact.features.coordinates), 0, atol=0.02)


def test_signs_do_not_flip_with_the_seed(head):
    first, second = (
        embed(head, RandomMaxout, 2, n_components=5000, random_state=s).features.coordinates for s in (0, 1)
    )
    assert (np.sum(first * second, axis=0) > 0).all()


def test_no_solver_decides_the_signs(monkeypatch):
    head = datasets.load("turning_head")
    before = prepare_points(head, "none", 2).plain.coordinates
    solve = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda gram: (solve(gram)[0], -solve(gram)[1]))
    np.testing.assert_allclose(prepare_points(head, "none", 2).plain.coordinates, before)


def test_lanczos_gives_the_same_components(monkeypatch, digits):
    dense = embed(digits, RandomMaxout, 3, n_components=500)
    monkeypatch.setattr(embedding, "_LANCZOS_FROM", 10)
    sparse = embed(digits, RandomMaxout, 3, n_components=500)
    for one, other in zip(dense.projections, sparse.projections, strict=True):
        np.testing.assert_allclose(one.explained, other.explained, rtol=1e-9)
        np.testing.assert_allclose(up_to_sign(one.coordinates, other.coordinates), 0, atol=1e-6)


def test_too_few_points_and_equal_points():
    with pytest.raises(DataError, match="at least 4 points"):
        prepare_points(datasets.load("circle", n_samples=3), "unit norm", 3)
    with pytest.raises(DataError, match="equal"):
        prepare_points(datasets.Dataset("same", np.ones((5, 2), np.float32)), "none", 2)


def test_a_flat_spectrum_has_components_too():
    """Standardised images are so far apart that the Gaussian kernel with gamma = 1 is the identity."""
    points = prepare_points(datasets.load("turning_head"), "standardise", 2)
    result = embed(points, RandomFourier, 2, gamma=1.0, n_components=100)
    assert result.exact.coordinates.shape == (33, 2)
    assert result.exact.explained == pytest.approx([1 / 32, 1 / 32])


def test_locally_linear_embedding_keeps_the_weights_of_neighbours():
    """By hand: weights of least squares with a small ridge, and the eigenvectors of the second and third eigenvalue."""
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0, 3, 60))
    X = np.column_stack([np.cos(t), np.sin(t), t, 0.1 * rng.standard_normal(60)])
    X = X.astype(np.float32)
    points = prepare_points(Dataset("arc", X, order=t), "none", 2)
    X = X.astype(float)
    found = locally_linear(points, 2)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    W = np.zeros((60, 60))
    for i in range(60):
        near = np.argsort(apart[i])[1 : LLE_NEIGHBOURS + 1]
        C = (X[near] - X[i]) @ (X[near] - X[i]).T
        w = np.linalg.solve(C + 1e-3 * np.trace(C) * np.eye(len(near)), np.ones(len(near)))
        W[i, near] = w / w.sum()
    M = (np.eye(60) - W).T @ (np.eye(60) - W)
    vectors = np.linalg.eigh(M)[1][:, 1:3]
    np.testing.assert_allclose(np.abs((vectors * found.coordinates).sum(axis=0)), 1.0, atol=1e-6)
    assert np.isnan(found.explained).all() and found.order.spearman > 0.9
    # Of the five nearest neighbours, how many stay: by sets.
    Z = found.coordinates
    kept = [
        len({*np.argsort(apart[i])[1:6]} & {*np.argsort(np.linalg.norm(Z - Z[i], axis=1))[1:6]}) / 5 for i in range(60)
    ]
    assert kept_neighbours(found, points.neighbours) == pytest.approx(np.mean(kept))


@pytest.mark.parametrize(("n", "remedy"), [(8, "more"), (1001, "fewer")])
def test_too_few_or_too_many_points_for_locally_linear_embedding(n, remedy):
    points = prepare_points(Dataset("points", np.random.default_rng(0).random((n, 3), dtype=np.float32)), "none", 2)
    with pytest.raises(DataError, match=f"9 to 1,000 points, not {n:,}. Choose {remedy} points"):
        locally_linear(points, 2)
