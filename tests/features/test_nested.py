"""The first features of a map are the smaller map: in m for every one, in q for maxout."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import RandomMaxout
from tests.features.cases import CASES, DEFAULTS, IDS, dense, drawn_weights, make

X = np.random.default_rng(0).standard_normal((20, 7))
TOLERANCE = {"float32": 1e-5, "float64": 1e-13}
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)
every_map = pytest.mark.parametrize("case", DEFAULTS, ids=[name for name, _ in DEFAULTS])
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)


@every_case
@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
def test_prefix_is_the_smaller_map(case, dtype):
    large = make(case, 600, dtype=dtype, random_state=5).fit(X)
    for m in (1, 2, 255, 256, 258, 600):
        prefix = large.prefix(m)
        fitted = make(case, m, dtype=dtype, random_state=5).fit(X)
        expected, found = drawn_weights(fitted), drawn_weights(prefix)
        assert found.keys() == expected.keys()
        assert all(np.array_equal(found[name], expected[name]) for name in expected), m
        agree = {"rtol": 0, "atol": TOLERANCE[dtype], "err_msg": f"m = {m}"}
        np.testing.assert_allclose(dense(prefix.transform(X)), dense(fitted.transform(X)), **agree)
        assert prefix.get_params() == fitted.get_params()
        assert list(prefix.get_feature_names_out()) == list(fitted.get_feature_names_out())


@every_case
@every_dtype
def test_unscaled_features_do_not_depend_on_their_number(case, dtype):
    large = make(case, 300, dtype=dtype).fit(X)
    small = large.prefix(40)
    (all_features,) = large.transform_blocks(X, scaled=False)
    (first,) = small.transform_blocks(X, scaled=False)
    all_features, first = dense(all_features), dense(first)
    np.testing.assert_allclose(all_features[:, : large.columns(40)], first, rtol=0, atol=20 * TOLERANCE[dtype])
    scaled = first * np.sqrt(small.shares(40))
    np.testing.assert_allclose(scaled, dense(small.transform(X)), rtol=0, atol=TOLERANCE[dtype])


@every_case
def test_float32_weights_are_the_rounded_float64_weights(case):
    single, double = (make(case, 300, dtype=dtype).fit(X) for dtype in ("float32", "float64"))
    expected = drawn_weights(double)
    for name, rounded in drawn_weights(single).items():
        # One rounding of the draw and, where a map scales it, one of the product.
        np.testing.assert_allclose(rounded, expected[name], rtol=3e-7, atol=0)
    np.testing.assert_allclose(dense(single.transform(X)), dense(double.transform(X)), rtol=0, atol=1e-5)


@every_case
def test_prefix_shares_memory_and_leaves_the_map_alone(case):
    large = make(case, 64).fit(X)
    before = dense(large.transform(X))
    prefix = large.prefix(10)
    name, whole = next(iter(drawn_weights(large).items()))
    assert np.shares_memory(drawn_weights(prefix)[name], whole)
    assert large.n_components == 64
    assert np.array_equal(dense(large.transform(X)), before)


@every_map
def test_prefix_out_of_range_is_refused(case):
    fitted = make(case, 64).fit(X)
    for m in (0, 65, 2.5, True, "all"):
        with pytest.raises(ParameterError, match=r"n_components must be an integer from 1 to 64; got .*Try"):
            fitted.prefix(m)


@every_dtype
@pytest.mark.parametrize("q", [1, 2, 5])
def test_prefix_pool_is_the_map_with_the_smaller_pool(dtype, q):
    large = RandomMaxout(50, pool_size=5, dtype=dtype, device="cpu").fit(X)
    fitted = RandomMaxout(50, pool_size=q, dtype=dtype, device="cpu").fit(X)
    prefix = large.prefix_pool(q)
    assert np.array_equal(prefix.weights_, fitted.weights_)
    assert prefix.pool_size == q and large.pool_size == 5
    np.testing.assert_allclose(dense(prefix.transform(X)), dense(fitted.transform(X)), rtol=0, atol=TOLERANCE[dtype])


def test_a_larger_pool_only_raises_features():
    large = RandomMaxout(50, pool_size=5, dtype="float64", device="cpu").fit(X)
    smaller = [large.prefix_pool(q).transform(X) for q in range(1, 6)]
    assert (np.diff(smaller, axis=0) >= -1e-12).all()
    with pytest.raises(ParameterError, match="pool_size must be an integer from 1 to 5; got 6"):
        large.prefix_pool(6)
