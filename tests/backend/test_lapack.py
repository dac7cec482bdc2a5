"""Routines of LAPACK give what SciPy's wrappers give, in place, and other threads go on meanwhile."""

import threading
import time

import numpy as np
import pytest

from rfviz.backend import lapack
from rfviz.backend.lapack import add_gram, factor, inner_products, invert_triangle, solve_definite, solve_triangle

every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.fixture(params=["published", "wrapped"], autouse=True)
def routines(request, monkeypatch):
    """Call the routines by SciPy's addresses, and by its wrappers as where it publishes others."""
    if request.param == "wrapped":
        monkeypatch.setattr(lapack, "_routine", lambda name, n_arguments: None)
    return request.param


def definite(n, dtype):
    X = np.random.default_rng(0).normal(size=(n, n + 5))
    return np.asfortranarray(X @ X.T + n * np.eye(n), dtype=dtype)


def close(one, two):
    np.testing.assert_allclose(one, two, rtol=0, atol=100 * np.finfo(one.dtype).eps * np.abs(two).max())


@every_dtype
def test_factor_and_inverse_in_place(dtype):
    for n in (1, 7, 300):
        A = definite(n, dtype)
        whole, above = A.copy(), np.triu(A, 1)
        L = factor(A)
        assert L is not None and (n == 1 or np.shares_memory(L, A))
        assert (np.triu(L, 1) == above).all()
        close(np.tril(L) @ np.tril(L).T, whole)
        lower = np.tril(L)
        close(np.tril(invert_triangle(L)) @ lower, np.eye(n, dtype=dtype))
        assert (np.triu(L, 1) == above).all()


@every_dtype
def test_large_matrices_are_cut_into_blocks(dtype, monkeypatch):
    """Threads of OpenBLAS crash on those of more than 15,000 rows."""
    A, rows = definite(300, dtype), np.random.default_rng(1).normal(size=(40, 300)).astype(dtype)
    total = np.asfortranarray(A.copy())
    L, gram = factor(A.copy("F")), np.tril(add_gram(rows.T, total.copy("F"), 2.0))
    monkeypatch.setattr(lapack, "_LARGEST", 100)
    monkeypatch.setattr(lapack, "_BLOCK", 70)
    cut, above = factor(whole := A.copy("F")), np.triu(A, 1)
    assert np.shares_memory(cut, whole) and (np.triu(cut, 1) == above).all()
    close(np.tril(cut), np.tril(L))
    close(np.tril(add_gram(rows.T, total, 2.0)), gram)
    assert (np.triu(total, 1) == above).all()
    fresh = np.full((300, 300), np.nan, dtype, order="F")
    close(np.tril(add_gram(rows.T, fresh, 0.0)), np.tril(rows.T @ rows))
    assert np.isnan(fresh[np.triu_indices(300, 1)]).all()
    A[211, 211] = -1.0
    assert factor(A) is None


def test_products_of_many_rows_with_themselves(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 20))
    monkeypatch.setattr(lapack, "_LARGEST", 100)
    monkeypatch.setattr(lapack, "_BLOCK", 70)
    products = inner_products(X, X)
    assert np.array_equal(products, products.T)
    close(products, np.einsum("ik,jk->ij", X, X))
    close(inner_products(X[:120], X[120:]), X[:120] @ X[120:].T)


@every_dtype
def test_what_is_not_definite_has_no_factor(dtype):
    A = definite(20, dtype)
    A[11, 11] = -1.0
    assert factor(A) is None


@pytest.mark.parametrize("order", ["C", "F"])
@every_dtype
def test_definite_equations_are_solved_or_refused(dtype, order):
    A, B = definite(60, dtype), np.random.default_rng(1).normal(size=(60, 3)).astype(dtype)
    close(A @ solve_definite(A.copy(order), B), B)
    A[11, 11] = -1.0
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        solve_definite(A.copy(order), B)


@pytest.mark.parametrize("transposed", [False, True])
@every_dtype
def test_triangles_are_solved_wherever_they_lie(dtype, transposed):
    whole, rng = definite(70, dtype), np.random.default_rng(1)  # its upper triangle is not zero
    for L in (whole, whole[10:40, 10:40], whole[:1, :1], np.ascontiguousarray(whole), whole[::2, ::2]):
        triangle = np.tril(L).T if transposed else np.tril(L)
        for B in (rng.normal(size=len(L)), rng.normal(size=(len(L), 3)), rng.normal(size=(2 * len(L), 6))[::2, ::2]):
            B = B.astype(dtype)
            given = B.copy()
            X = solve_triangle(L, B, transposed)
            assert X.dtype == dtype and X.shape == B.shape and (given == B).all()
            close(triangle @ X, B)
    assert solve_triangle(whole, np.ones(70)).dtype == np.float64
    with pytest.raises(ValueError, match="shape"):
        solve_triangle(whole, np.ones(69, dtype))
    whole[5, 5] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        solve_triangle(whole, np.ones(70, dtype))


@every_dtype
def test_gram_matrices_are_added_up(dtype):
    rows = [np.random.default_rng(seed).normal(size=(40, 9)).astype(dtype) for seed in range(3)]
    total = np.full((9, 9), np.nan, dtype, order="F")
    for number, H in enumerate(rows):
        assert np.shares_memory(add_gram(H.T, total, float(number > 0)), total)
    close(np.tril(total), np.tril(sum(H.T @ H for H in rows)))
    assert np.isnan(total[np.triu_indices(9, 1)]).all()  # never read, never written


def test_other_orders_are_copied_not_misread():
    A = definite(30, np.float64)
    close(np.tril(factor(np.ascontiguousarray(A))), np.linalg.cholesky(A))
    H = np.random.default_rng(0).normal(size=(12, 40))[:, ::2]
    close(np.tril(add_gram(H, np.zeros((12, 12), order="F"), 0.0)), np.tril(H @ H.T))


@pytest.mark.parametrize("routines", ["published"], indirect=True)
@pytest.mark.parametrize(
    "solve", [factor, lambda A: solve_triangle(A, np.ones((len(A), 300)))], ids=["factor", "solve"]
)
def test_other_threads_go_on(routines, solve):
    A, steps, done = definite(2500, np.float64), [], threading.Event()

    def count():
        while not done.is_set():
            steps.append(time.perf_counter())
            time.sleep(0.001)

    counting = threading.Thread(target=count)
    counting.start()
    begun = time.perf_counter()
    solve(A)
    ended = time.perf_counter()
    done.set()
    counting.join()
    assert sum(begun < step < ended for step in steps) > 5
