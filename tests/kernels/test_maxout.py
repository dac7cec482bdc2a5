import json
import math
import threading
from pathlib import Path

import numpy as np
import pytest

from rfviz import kernels
from rfviz.errors import DataError, ParameterError
from rfviz.kernels import _maxout_quadrature as quadrature

from .brute_force import expectations, same_argmax

RHO = np.linspace(-1.0, 1.0, 201)
POOLS = (1, 2, 3, 4, 7, 12, 32, 128, 1024, 4096)


REFERENCE = json.loads((Path(__file__).parent / "maxout_kernel.json").read_text())["rows"]


def direct(X, q):
    lengths = np.linalg.norm(X, axis=1)
    norms = np.outer(lengths, lengths)
    return norms * kernels.maxout_rho(X @ X.T / norms, q)


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: f"q={row['q']},rho={row['rho']}")
def test_reference_values(row):
    assert kernels.maxout_rho(row["rho"], row["q"]) == pytest.approx(row["K"], abs=1e-9)
    assert kernels.collision_rho(row["rho"], row["q"]) == pytest.approx(row["kappa"], abs=1e-9)
    assert kernels.expected_max(row["q"]) == pytest.approx(row["h1"], abs=1e-9)
    assert kernels.expected_max_squared(row["q"]) == pytest.approx(row["s2"], abs=1e-9)


def test_closed_forms_of_the_smallest_pools():
    np.testing.assert_allclose(kernels.maxout_rho(RHO, 1), RHO, rtol=0, atol=1e-14)
    np.testing.assert_allclose(kernels.collision_rho(RHO, 1), 1.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(kernels.collision_rho(RHO, 2), 1 - np.arccos(RHO) / np.pi, rtol=0, atol=1e-13)
    expected = RHO / 2 + (np.sqrt(1 - RHO**2) + RHO * np.arcsin(RHO)) / np.pi
    np.testing.assert_allclose(kernels.maxout_rho(RHO, 2), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("q", "mean", "square"),
    [
        (1, 0.0, 1.0),
        (2, 1 / math.sqrt(math.pi), 1.0),
        (3, 1.5 / math.sqrt(math.pi), 1 + math.sqrt(3) / (2 * math.pi)),
        (4, 6 / math.sqrt(math.pi) * (math.atan(math.sqrt(2)) / math.pi), 1 + math.sqrt(3) / math.pi),
    ],
)
def test_closed_forms_of_the_maximum(q, mean, square):
    assert kernels.expected_max(q) == pytest.approx(mean, abs=1e-14)
    assert kernels.expected_max_squared(q) == pytest.approx(square, abs=1e-14)


@pytest.mark.parametrize("q", POOLS)
def test_values_at_the_ends_and_at_right_angles(q):
    assert kernels.maxout_rho(1.0, q) == kernels.expected_max_squared(q)
    assert kernels.maxout_rho(0.0, q) == pytest.approx(kernels.expected_max(q) ** 2, abs=1e-12)
    assert kernels.collision_rho(1.0, q) == 1.0
    assert kernels.collision_rho(0.0, q) == pytest.approx(1 / q, abs=1e-13)
    assert kernels.collision_rho(-1.0, q) == pytest.approx(float(q == 1), abs=1e-13)


# From 1 − ρ = 2e-12 on: where ρ has lost digits, if anything has.
@pytest.mark.parametrize("theta", [2e-6, 0.02, 0.4, 1.3, 2.2, math.pi - 0.02])
@pytest.mark.parametrize("q", [2, 5, 33, 1024])
def test_collision_against_brute_force(q, theta):
    (expected,) = same_argmax(theta, q, lambda s, t: 1.0)
    assert kernels.collision_rho(math.cos(theta), q) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("theta", [0.05, 0.7, 1.8])
@pytest.mark.parametrize("q", [2, 6, 200])
def test_kernel_against_brute_force(q, theta):
    (expected,) = expectations(theta, q, lambda s, t: s * t)
    assert kernels.maxout_rho(math.cos(theta), q) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("q", [3, 50, 4096])
def test_a_finer_table_changes_nothing(q, monkeypatch):
    coarse = quadrature.profile(q)
    monkeypatch.setattr(quadrature, "_STEP_A", 0.06)
    monkeypatch.setattr(quadrature, "_STEP_B", 0.1)
    monkeypatch.setattr(quadrature, "_DEGREE", 72)
    fine_table = quadrature._build_table.__wrapped__()
    monkeypatch.setattr(quadrature, "_table", lambda: fine_table)
    fine = quadrature._profile.__wrapped__(q)
    theta = np.linspace(0, np.pi, 500)
    for name in ("collision", "contraction", "fourth", "product"):
        values = [quadrature.evaluate(getattr(p, name), theta) for p in (coarse, fine)]
        np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-12 * max(1, q / 100), err_msg=name)


@pytest.mark.parametrize("q", [1, 2, 3, 12, 1024])
def test_collision_is_the_derivative(q):
    rho, step = np.linspace(-0.98, 0.98, 99), 1e-4
    # Fourth order, in steps that keep the truncation and the rounding below 1e-9.
    slope = 8 * (kernels.maxout_rho(rho + step, q) - kernels.maxout_rho(rho - step, q))
    slope -= kernels.maxout_rho(rho + 2 * step, q) - kernels.maxout_rho(rho - 2 * step, q)
    np.testing.assert_allclose(slope / (12 * step), kernels.collision_rho(rho, q), rtol=0, atol=1e-8)


@pytest.mark.parametrize("q", POOLS)
def test_monotone_in_the_cosine(q):
    assert (np.diff(kernels.maxout_rho(RHO, q)) > -1e-12).all()
    assert (np.diff(kernels.collision_rho(RHO, q)) > -1e-12).all()


def test_larger_pools_collide_less():
    curves = np.array([kernels.collision_rho(np.linspace(-0.9, 0.99, 50), q) for q in POOLS])
    assert (np.diff(curves, axis=0) < 1e-13).all()


@pytest.mark.parametrize("q", [1, 2, 3, 4, 16, 512])
def test_series_about_right_angles(q):
    # A Chebyshev fit on a small interval gives the first derivatives independently of any formula.
    rho = 0.2 * np.cos(np.pi * (np.arange(14) + 0.5) / 14)
    fit = np.polynomial.Chebyshev.fit(rho, kernels.collision_rho(rho, q), 13).convert(kind=np.polynomial.Polynomial)
    np.testing.assert_allclose(kernels.collision_series(q), fit.coef[:3], rtol=0, atol=1e-9)


def test_theorem_1_as_printed_is_wrong():
    for q in (2, 4, 12):
        assert kernels.maxout_theorem1_as_printed(0.0, q) == 0.0
        assert kernels.maxout_rho(0.0, q) > 0.3
        # It is right at ρ = 1, where nothing was dropped, and there only.
        assert kernels.maxout_theorem1_as_printed(1.0, q) == pytest.approx(kernels.maxout_rho(1.0, q))
        assert (kernels.maxout_rho(RHO[:-1], q) > kernels.maxout_theorem1_as_printed(RHO[:-1], q)).all()


def test_monte_carlo():
    # 4 × 2 z-scores beyond 4.5: a false alarm in 1 of 18,000 seeds.
    rng = np.random.default_rng(7)
    for rho, q in [(-0.7, 3), (0.0, 8), (0.6, 16), (0.99, 5)]:
        first, other = rng.standard_normal((2, 100_000, q))
        second = rho * first + math.sqrt(1 - rho**2) * other
        product = first.max(axis=1) * second.max(axis=1)
        same = first.argmax(axis=1) == second.argmax(axis=1)
        for sample, expected in [(product, kernels.maxout_rho(rho, q)), (same, kernels.collision_rho(rho, q))]:
            z = (sample.mean() - expected) / (sample.std() / math.sqrt(sample.size))
            assert abs(z) < 4.5, (rho, q)


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_matrices(q):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((40, 7)), rng.standard_normal((5, 7))
    X[3], X[5], X[9] = 0.0, X[4], 2.5 * X[8]
    lengths = np.linalg.norm(X, axis=1)
    kernel, collision = kernels.maxout(X, pool_size=q), kernels.maxout_collision(X, pool_size=q)
    keep = lengths > 0
    np.testing.assert_allclose(kernel[np.ix_(keep, keep)], direct(X[keep], q), atol=1e-12)
    np.testing.assert_allclose(np.diag(kernel), lengths**2 * kernels.expected_max_squared(q), rtol=1e-14)
    np.testing.assert_array_equal(kernel[3], 0.0)
    np.testing.assert_array_equal(np.diag(collision), 1.0)
    assert collision[4, 5] == 1.0
    assert collision[8, 9] == 1.0
    for matrix in (kernel, collision):
        np.testing.assert_array_equal(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > -1e-11 * matrix.max() * 40
    np.testing.assert_allclose(kernels.maxout(X, Y, q), kernels.maxout(np.concatenate([X, Y]), None, q)[:40, 40:])
    np.testing.assert_allclose(kernels.maxout(3 * X, 0.5 * Y, q), 1.5 * kernels.maxout(X, Y, q), atol=1e-13)


def test_extreme_scales_and_types():
    X = np.array([[3.0, 4.0], [1.0, 0.0]])
    expected = kernels.maxout(X)
    np.testing.assert_allclose(kernels.maxout(X * 1e-170, X * 1e170), expected, rtol=1e-13)
    np.testing.assert_allclose(kernels.maxout(X.astype(np.float32)), expected, rtol=1e-13)
    np.testing.assert_allclose(kernels.maxout(X.astype(int).tolist()), expected, rtol=1e-13)
    assert kernels.maxout(np.empty((0, 3)), np.ones((2, 3))).shape == (0, 2)


def test_rounding_beyond_one_is_clipped():
    assert kernels.maxout_rho(1 + 1e-7, 4) == kernels.maxout_rho(1.0, 4)
    assert kernels.collision_rho(-1 - 1e-7, 4) == kernels.collision_rho(-1.0, 4)
    assert np.shape(kernels.maxout_rho(0.5)) == ()
    assert kernels.maxout_rho([[0.1, 0.2]]).shape == (1, 2)


@pytest.mark.parametrize("rho", [1.1, -2, float("nan"), [0.0, float("inf")], "half"])
def test_impossible_cosines(rho):
    with pytest.raises(ParameterError, match="rho must be a cosine, from -1 to 1"):
        kernels.maxout_rho(rho, 4)


@pytest.mark.parametrize("q", [0, -3, 4097, 2.5, "4", True, None])
def test_impossible_pools(q):
    for call in (
        kernels.expected_max,
        lambda q: kernels.maxout_rho(0.0, q),
        lambda q: kernels.maxout(np.eye(2), None, q),
    ):
        with pytest.raises(ParameterError, match="pool_size must be an integer from 1 to 4096"):
            call(q)


@pytest.mark.parametrize(
    ("X", "Y", "words"),
    [
        (np.ones(3), None, "1 dimension"),
        ([[1.0, float("nan")]], None, "NaN"),
        ([["a"]], None, "numbers"),
        (np.ones((2, 3)), np.ones((2, 4)), "3 and 4"),
    ],
)
def test_impossible_data(X, Y, words):
    with pytest.raises(DataError, match=words):
        kernels.maxout(X, Y)


def test_threads_share_one_table(monkeypatch):
    builds = []
    original = quadrature._build_table.__wrapped__
    monkeypatch.setattr(
        quadrature, "_build_table", quadrature.lru_cache(maxsize=1)(lambda: builds.append(1) or original())
    )
    quadrature._profile.cache_clear()
    threads = [threading.Thread(target=kernels.maxout_rho, args=(RHO, q)) for q in (2, 3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1
