"""Operations and bytes of every map: against counted products, array sizes, and numbers worked out by hand."""

import math

import numpy as np
import pytest
from sklearn.base import clone

from rfviz.errors import ParameterError
from rfviz.features import COMMON_PARAMS, MAPS, DecisionStumps, FeatureMap, RandomBinning, RandomFourier, RandomMaxout
from rfviz.features.cost import FUNCTION, Work, work
from tests.features.cases import CASES, IDS, drawn_weights, make

X = np.random.default_rng(0).standard_normal((48, 9))
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)


def test_by_hand():
    # Two rows of three columns to five features over pools of four: 2·2·5·4·3 in products, 2·5·3 comparisons, and the
    # six numbers of the rows scaled; in float32, 6 numbers read, 60 weights, 10 features.
    assert work(RandomMaxout(5, pool_size=4), 2, 3) == Work(240 + 30 + 6, 4 * (6 + 60 + 10), 240, 24, 40)
    # Three frequencies for five features in pairs.
    fourier = RandomFourier(5, dtype="float64")
    expected = Work(36 + 10 * (FUNCTION + 1), 8 * (6 + 9 + 10), 36, 48, 80, True)
    assert work(fourier, 2, 3) == expected
    # Stumps look at two of the three columns at most.
    stumps = work(DecisionStumps(2), 10, 3)
    assert stumps == Work(20, 4 * (20 + 4 + 20), 0, 80, 80)
    binning = work(RandomBinning(4), 10, 3)
    assert binning == Work(5 * 120, 8 * 30 + 8 * 27 + 8 * 40 + 44, 0, 240, 364, True)


def test_limit():
    done = Work(flops=3_000, bytes=50, products=2_000)
    assert done.limit(1_000, 1_000) == 3.0
    assert done.limit(1_000, 10) == 5.0
    assert done.limit(4_000, 1_000, other_rate=500) == 2.0
    assert done.limit(1_000, 1_000, other_rate=2_000) == 2.0


@every_case
def test_products_are_those_that_are_computed(case, fake_gpu):
    """Operations of the matrix products that the map really asks for, but for Hadamard factors, which are no floor."""
    counted = []
    whole = fake_gpu.matmul

    def counting(a, b, out=None, **options):
        counted.append(2 * math.prod(a.shape) * b.shape[-1])
        return whole(a, b, out=out, **options)

    fake_gpu.matmul = counting
    feature_map = make(case, 30, device="cuda").fit(X)
    for _ in feature_map.transform_blocks(X):
        pass
    expected = work(feature_map, *X.shape).products
    if case[0] == "StructuredMaxout" or case[1].get("draw") == "structured":
        assert expected == 0 < sum(counted)
    else:
        assert sum(counted) == expected


@every_case
def test_bytes_are_those_of_the_arrays(case):
    feature_map = make(case, 40).fit(X)
    features = feature_map.transform(X)
    found = work(feature_map, *X.shape)
    stored = sum(array.nbytes for array in drawn_weights(feature_map).values())
    assert found.bytes == found.bytes_in + stored + found.bytes_out
    if feature_map.sparse_output:
        assert found.bytes_out == features.data.nbytes + features.indices.nbytes + features.indptr.nbytes
    else:
        assert found.bytes_out == features.nbytes


@every_case
def test_before_fitting_the_count_is_what_a_draw_is_expected_to_be(case):
    feature_map = make(case, 4000, dtype="float64")
    before = work(feature_map, *X.shape)
    after = work(feature_map.fit(X), *X.shape)
    if case[0] in ("CompositionalFeatures", "HybridCompositional"):
        # Entries are drawn, and features that are kept once, however often they come, are longer than the average.
        assert 0.3 * before.flops < after.flops < 2.0 * before.flops
        return
    assert before.flops == after.flops and before.products == after.products
    if case[0] != "RandomBinning":  # the boxes are known when the data are
        # Indices are counted with four bytes and may have been stored in fewer.
        assert 0.9 * before.bytes <= after.bytes <= before.bytes


@every_case
def test_work_grows_in_proportion_to_the_rows(case):
    feature_map = make(case, 16)
    none, once, thrice = (work(feature_map, n, 25) for n in (0, 10, 30))
    assert none.flops == 0 < once.flops
    assert thrice.flops == 3 * once.flops
    assert thrice.bytes - once.bytes == 2 * (once.bytes - none.bytes)
    assert once.products <= once.flops and once.bytes_in + once.bytes_out <= once.bytes


def test_changed_parameters_are_counted_as_those_of_another_map():
    fitted = RandomMaxout(10, pool_size=2).fit(X)
    assert work(fitted, 5, 9) == work(RandomMaxout(10, pool_size=2), 5, 9)
    assert work(clone(fitted).set_params(pool_size=4), 5, 9) == work(RandomMaxout(10, pool_size=4), 5, 9)


@pytest.mark.parametrize(("pool_size", "n", "d"), [(0, 5, 9), (4, -1, 9), (4, 5, 0)])
def test_parameters_are_checked(pool_size, n, d):
    with pytest.raises(ParameterError):
        work(RandomMaxout(pool_size=pool_size), n, d)


def test_every_map_has_a_count_of_its_own():
    inherited = FeatureMap._operations  # noqa: SLF001 – work() may not fall back to it
    assert [cls.__name__ for cls in MAPS if cls._operations is inherited] == []


def test_a_map_without_one_is_counted_by_its_products():
    class Another(FeatureMap):
        params = COMMON_PARAMS

        def __init__(self, n_components=7, *, dtype="float32"):
            self.n_components = n_components
            self.dtype = dtype

    assert work(Another(), 2, 3) == Work(2 * 2 * 7 * 3 + 14, 4 * (6 + 21 + 14), 84, 24, 56)
