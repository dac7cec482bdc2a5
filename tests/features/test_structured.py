"""Fast projections: the Hadamard transform against SciPy's matrix, blocks against explicit ones, and their bias."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.linalg import hadamard

from rfviz import kernels
from rfviz.errors import ParameterError
from rfviz.features import RandomFourier, RandomMaxout, StructuredMaxout, structured
from rfviz.features.draws import chi_square
from rfviz.features.structured import (
    block_count,
    draw_signs,
    hadamard_transform,
    padded_size,
    structured_matrix,
    structured_multiply_adds,
    structured_project,
)

rng = np.random.default_rng(0)
SIZES = [1, 2, 4, 8, 32, 64, 128, 512, 1024, 4096]


def matrix(signs, radii):
    """Return the rows of the blocks, written out."""
    size = signs.shape[2]
    H = hadamard(size) / np.sqrt(size)
    rows = np.vstack([H @ np.diag(a) @ H @ np.diag(b) @ H @ np.diag(c) for a, b, c in signs])
    return rows[: len(radii)] * radii[:, None]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12)])
def test_transform_is_the_product_with_the_matrix(size, dtype, tolerance):
    X = rng.standard_normal((5, size)).astype(dtype)
    result = hadamard_transform(X)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, X @ (hadamard(size) / np.sqrt(size)), rtol=0, atol=tolerance)


@pytest.mark.parametrize("size", [1, 8, 64, 1024, 32_768])
def test_transform_in_place_and_twice(size):
    X = rng.standard_normal((3, size))
    there = hadamard_transform(X)
    in_place = X.copy()
    assert hadamard_transform(in_place, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, there)
    np.testing.assert_allclose(hadamard_transform(there), X, rtol=0, atol=1e-12)  # H is its own inverse


@pytest.mark.parametrize("size", [3, 12, 100])
def test_other_sizes_are_refused(size):
    with pytest.raises(ParameterError, match="X must have a power of two of columns; got"):
        hadamard_transform(np.ones((2, size)))


@pytest.mark.parametrize(("n_features", "size"), [(1, 64), (64, 64), (65, 128), (784, 1024), (8192, 8192)])
def test_padded_size(n_features, size):
    assert padded_size(n_features) == size
    assert block_count(size, n_features) == 1 and block_count(size + 1, n_features) == 2


@pytest.mark.parametrize(("n", "d", "m"), [(7, 3, 10), (40, 64, 64), (3, 70, 300), (1, 128, 129)])
@pytest.mark.parametrize("chunk_bytes", [1, 5000, 10**6])
def test_projection_is_the_product_with_the_blocks(n, d, m, chunk_bytes, monkeypatch):
    monkeypatch.setattr(structured, "_CHUNK_BYTES", chunk_bytes)
    X, radii = rng.standard_normal((n, d)), rng.random(m)
    signs = draw_signs(3, 1, m, d, "float64")
    assert set(np.unique(signs)) == {-1.0, 1.0} and signs.shape == (block_count(m, d), 3, padded_size(d))
    wide = np.full((n, 2 * m), np.nan)
    out = structured_project(X, signs, radii, wide[:, ::2])
    np.testing.assert_allclose(out, X @ matrix(signs, radii)[:, :d].T, rtol=0, atol=1e-12)
    assert np.isnan(wide[:, 1::2]).all()


def test_projection_on_another_device(fake_gpu):
    X, radii, signs = rng.standard_normal((9, 70)), rng.random(150), draw_signs(3, 1, 150, 70, "float64")
    expected = structured_project(X, signs, radii, np.empty((9, 150)))
    there = [fake_gpu.asarray(array) for array in (X, signs, radii)]
    out = structured_project(*there, fake_gpu.empty((9, 150)))
    assert isinstance(out, fake_gpu.ndarray)
    np.testing.assert_allclose(out.get(), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("n_features", "m"), [(1, 3), (9, 70), (64, 64), (100, 300)])
def test_the_matrix_is_the_one_that_rows_are_multiplied_with(n_features, m):
    signs, radii = draw_signs(0, 0, m, n_features, np.float64), np.linspace(0.5, 2.0, m)
    X = np.random.default_rng(1).standard_normal((7, n_features))
    projected = structured_project(X, signs, radii, np.empty((7, m)))
    matrix = structured_matrix(np, signs, radii, n_features)
    assert matrix.shape == (m, n_features)
    np.testing.assert_allclose(X @ matrix.T, projected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", [partial(RandomFourier, draw="structured"), StructuredMaxout])
def test_a_gpu_forms_the_matrix_for_many_rows_where_it_is_small(fake_gpu, monkeypatch, make):
    few, many = (np.random.default_rng(0).standard_normal((n, 70)).astype(np.float32) for n in (60, 200))
    on_gpu, on_host = (make(100, device=device).fit(few) for device in ("cuda", "cpu"))
    formed, whole = [], structured.structured_matrix

    def spy(*arguments):
        formed.append(arguments)
        return whole(*arguments)

    for module in ("fourier", "maxout"):
        monkeypatch.setattr(f"rfviz.features.{module}.structured_matrix", spy)
    for X, bytes_allowed, expected in ((few, 10**9, False), (many, 10**9, True), (many, 1000, False)):
        monkeypatch.setattr(structured, "_MATRIX_BYTES", bytes_allowed)
        formed.clear()
        np.testing.assert_allclose(on_gpu.transform(X), on_host.transform(X), rtol=0, atol=2e-5)
        assert bool(formed) == expected


def test_rows_of_a_block_are_orthogonal_and_of_the_given_length():
    m = 256
    signs, radii = draw_signs(0, 0, m, 128, "float64"), np.arange(1.0, m + 1)
    rows = structured_project(np.eye(128), signs, radii, np.empty((128, m))).T
    for block in (rows[:128], rows[128:]):
        lengths = np.linalg.norm(block, axis=1)
        np.testing.assert_allclose(block @ block.T, np.diag(lengths**2), rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), radii)


def test_signs_are_nested_and_differ():
    few, many = (draw_signs(5, 2, m, 100, "float32") for m in (128, 1000))
    np.testing.assert_array_equal(many[:1], few)
    assert not np.array_equal(draw_signs(5, 3, 128, 100, "float32"), few)
    # ±1 with equal chances: a z-score beyond 5 has a false alarm in 2 million runs.
    assert abs(many.sum()) / np.sqrt(many.size) < 5


def test_cost_grows_as_the_logarithm():
    per_output = [structured_multiply_adds(1, p, p) / p for p in (64, 1024, 8192, 2**15)]
    assert per_output == [3 * 16, 3 * 64, 3 * 64, 3 * 96]


# --- bias -------------------------------------------------------------------------------------------------------------


def _mean_cosine(p, point):
    """Return E cos ω·x over signs and lengths of a block of size p: mean and standard error, over many blocks."""
    blocks = 400_000 // p
    signs = np.where(np.random.default_rng(p).random((blocks, 3, p)) < 0.5, -1.0, 1.0)
    radii = np.sqrt(chi_square(1, 1, p, np.empty((blocks * p, 1))))[:, 0]
    angles = structured_project(point[None], signs, radii, np.empty((1, blocks * p)))
    means = np.cos(angles[0]).reshape(blocks, p).mean(axis=1)
    return means.mean(), means.std() / np.sqrt(blocks)


POINTS = {"one column": [1.0, 0.0, 0.0, 0.0], "two columns": [1.0, 1.0, 0.0, 0.0], "spread": [1.0, 1.0, 1.0, 1.0]}


@pytest.mark.slow
@pytest.mark.parametrize("where", POINTS)
@pytest.mark.parametrize("length", [0.7, 1.5, 2.5])
def test_blocks_of_the_smallest_size_have_a_bias_below_a_thousandth(where, length):
    # 9 tests at 4.5 standard errors: a false alarm in 16,000 runs.
    direction = np.array(POINTS[where])
    mean, error = _mean_cosine(64, length * direction / np.linalg.norm(direction))
    assert abs(mean - np.exp(-(length**2) / 2)) < 1e-3 + 4.5 * error


def test_smaller_blocks_have_a_bias_that_the_test_sees():
    mean, error = _mean_cosine(8, np.array([2.5, 0.0]))
    assert abs(mean - np.exp(-(2.5**2) / 2)) > 0.02 + 4.5 * error


def test_all_signs_of_a_block_of_two():
    # E cos over all 64 sign patterns, with lengths 1: written out by hand for x = (a, 0). Two of three transforms turn
    # (a, 0) into ±(a, 0) or ±(0, a), and the third into (±a, ±a)/√2.
    signs = np.array([np.reshape(pattern, (3, 2)) for pattern in itertools.product((-1.0, 1.0), repeat=6)])
    a = 0.9
    angles = structured_project(np.array([[a, 0.0]]), signs, np.ones(128), np.empty((1, 128)))
    np.testing.assert_allclose(np.abs(angles), a / np.sqrt(2), atol=1e-15)
    assert np.cos(angles).mean() == pytest.approx(np.cos(a / np.sqrt(2)))


# --- maxout -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool_size", [1, 3])
def test_structured_maxout_by_brute_force(pool_size):
    X = rng.standard_normal((11, 70))
    feature_map = StructuredMaxout(200, pool_size=pool_size, dtype="float64", device="cpu").fit(X)
    rows = [matrix(*weights)[:, :70] for weights in zip(feature_map.signs_, feature_map.radii_, strict=True)]
    expected = np.max([X @ W.T for W in rows], axis=0) / np.sqrt(200)
    np.testing.assert_allclose(feature_map.transform(X), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(feature_map.kernel(X), RandomMaxout(pool_size=pool_size).kernel(X))


def test_a_smaller_pool_is_contained_in_a_larger_one():
    X = rng.standard_normal((11, 7))
    small, large = (StructuredMaxout(100, pool_size=q, device="cpu").fit(X) for q in (2, 5))
    np.testing.assert_array_equal(large.signs_[:2], small.signs_)
    np.testing.assert_array_equal(large.radii_[:, :100][:2], small.radii_)
    assert (large.transform(X) >= small.transform(X) - 1e-6).all()


def test_orthogonal_rows_lower_the_variance_of_maxout():
    X = rng.standard_normal((12, 64))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    kernel = kernels.maxout(X, pool_size=2)
    errors = {}
    for scheme in (RandomMaxout, StructuredMaxout):
        maps = (scheme(64, pool_size=2, random_state=seed, dtype="float64", device="cpu") for seed in range(60))
        estimates = [F @ F.T for F in (m.fit_transform(X) for m in maps)]
        errors[scheme] = np.sqrt(np.mean((np.array(estimates) - kernel) ** 2))
    assert errors[StructuredMaxout] < 0.95 * errors[RandomMaxout]


def test_structured_frequencies_are_those_of_the_blocks():
    X = rng.standard_normal((6, 10))
    feature_map = RandomFourier(100, gamma=0.3, draw="structured", paired=False, dtype="float64", device="cpu").fit(X)
    W = np.sqrt(0.6) * matrix(feature_map.signs_, feature_map.radii_)[:, :10]
    expected = np.sqrt(2 / 100) * np.cos(X @ W.T + feature_map.phases_)
    np.testing.assert_allclose(feature_map.transform(X), expected, rtol=0, atol=1e-13)
    assert not hasattr(feature_map, "frequencies_")
