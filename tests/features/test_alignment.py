"""Rows of 16 bytes for tensor cores: columns of zeros change no feature, and come where TF32 is asked for alone."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from rfviz.backend import product_precision
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier, RandomMaxout, registry
from tests.features.cases import CASES, DEFAULTS, IDS, dense, make

rng = np.random.default_rng(0)
ALIGNED = {name for name, scheme in registry().items() if getattr(scheme, "_projections", ())}


def rows_of(d, n=41):
    return rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4) + np.eye(n, d)


def fitted(case, X, **keywords):
    try:
        return make(case, 24, device="cuda", **keywords).fit(X)
    except (DataError, ParameterError) as error:  # images that are too small
        pytest.skip(str(error))


def blocks(feature_map, X, precision="tf32"):
    with product_precision(precision):
        found = [dense(block) for block in feature_map.transform_blocks(X, 15)]
    return np.vstack(found)


@pytest.fixture
def computed(fake_gpu, monkeypatch):
    """Return a function that tells copies to the GPU, allocations and products in TF32 of a call, and its result."""
    from cupy._core._routines_linalg import compute

    copies = []
    whole = fake_gpu.ndarray.set
    monkeypatch.setattr(
        fake_gpu.ndarray,
        "set",
        lambda self, array, stream=None: (copies.append(array.shape), whole(self, array, stream)),
    )

    def run(work):
        for log in (copies, fake_gpu.memory.log, compute.log):
            log.clear()
        found = work()
        return found, copies.copy(), fake_gpu.memory.log.copy(), compute.log.copy()

    return run


def as_it_was(monkeypatch, feature_map, run):
    with monkeypatch.context() as patch:
        patch.setattr(type(feature_map), "_projections", ())
        return run()


WIDTHS = [(case, d) for case in DEFAULTS for d in (1, 3, 4, 54, 105, 203)] + [(case, 41) for case in CASES]
NAMES = [f"{case[0]}-{d}" for case in DEFAULTS for d in (1, 3, 4, 54, 105, 203)] + [f"{name}-41" for name in IDS]


@pytest.mark.parametrize(("case", "d"), WIDTHS, ids=NAMES)
def test_features_and_copies_are_those_without_zeros(case, d, computed, monkeypatch):
    X = rows_of(d)
    feature_map = fitted(case, X)

    def run():
        return computed(lambda: blocks(feature_map, X))

    found, copies, _, products = run()
    expected, copies_before, _, products_before = as_it_was(monkeypatch, feature_map, run)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * max(np.abs(expected).max(), 1.0))
    assert len(copies) == len(copies_before) and len(products) == len(products_before)
    if case[0] in ALIGNED and case[1].get("draw") != "structured":
        assert {columns for _, columns in copies} == {-(-d // 4) * 4} >= {inner for _, inner in products}
    else:
        assert copies == copies_before


@pytest.mark.parametrize("name", sorted(ALIGNED))
@pytest.mark.parametrize(
    ("precision", "dtype", "d", "container"),
    [
        ("float32", "float32", 41, np.asarray),
        ("tf32", "float64", 41, np.asarray),
        ("tf32", "float32", 44, np.asarray),
        ("tf32", "float32", 41, sparse.csr_matrix),
    ],
)
def test_nothing_else_takes_more_memory(name, precision, dtype, d, container, computed, monkeypatch):
    X = container(rows_of(d))
    feature_map = fitted((name, {}), X, dtype=dtype)

    def run():
        return computed(lambda: blocks(feature_map, X, precision))[1:3]

    run()  # kernels are tried
    assert run() == as_it_was(monkeypatch, feature_map, run)


@pytest.mark.parametrize("name", sorted(ALIGNED))
def test_weights_that_stay_get_their_zeros_once(name, computed):
    X = rows_of(41)
    feature_map = fitted((name, {}), X)
    expected = {precision: blocks(feature_map, X, precision) for precision in ("tf32", "float32")}
    with product_precision("tf32"), feature_map.resident():
        blocks(feature_map, X)
        found, copies, again, _ = computed(lambda: blocks(feature_map, X))
        np.testing.assert_array_equal(found, expected["tf32"])
        assert {columns for _, columns in copies} == {44}
        assert computed(lambda: blocks(feature_map, X))[2] == again
        # Whatever is asked for while they are there, of rows of any kind.
        np.testing.assert_allclose(blocks(feature_map, X, "float32"), expected["float32"], rtol=0, atol=2e-6)
        of_sparse = blocks(feature_map, sparse.csr_matrix(X))
        np.testing.assert_allclose(of_sparse, expected["float32"], rtol=0, atol=2e-5)
    with feature_map.resident():  # in float32: they stay as they are
        np.testing.assert_allclose(blocks(feature_map, X), expected["tf32"], rtol=0, atol=2e-6)


def test_zeros_do_not_make_phases_look_small(computed):
    X = np.linspace(0.9, 1.0, 50)[:, None].astype("float32")
    feature_map = RandomFourier(32, gamma=1.0, device="cuda").fit(X)
    X *= 15.0 / np.abs(feature_map.frequencies_).max()  # for four columns up to 20 are small, for one up to 10
    found, _, _, in_tf32 = computed(lambda: blocks(feature_map, X))
    assert not in_tf32
    np.testing.assert_allclose(found, blocks(feature_map, X, "float32"), rtol=0, atol=1e-6)


@pytest.mark.usefixtures("fake_gpu")
def test_two_at_once_in_different_precisions():
    X = rows_of(41)
    feature_map = RandomMaxout(24, device="cuda").fit(X)
    expected = {precision: blocks(feature_map, X, precision) for precision in ("tf32", "float32")}
    for stays, one, other in itertools.permutations(["tf32", "float32"] * 2, 3):
        with product_precision(stays), feature_map.resident():
            with product_precision(one):
                first = feature_map.transform_blocks(X, 15)
                begun = next(first).get()
            np.testing.assert_allclose(blocks(feature_map, X, other), expected[other], rtol=0, atol=2e-6)
            with product_precision(one):
                found = np.vstack([begun, *(block.get() for block in first)])
        np.testing.assert_allclose(found, expected[one], rtol=0, atol=2e-6)
