"""Bad parameters and bad data: the error names the parameter, its rule, the value and a remedy. Odd data are fine."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from rfviz.errors import DataError, MemoryBudgetError, ParameterError, PrecisionWarning
from rfviz.features import (
    MAPS,
    RandomActivation,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
    registry,
)
from rfviz.features.base import _registry
from rfviz.features.precision import LostBinsWarning
from tests.features.cases import APPROXIMATE, CASES, DEFAULTS, IDS, dense, make

X = np.random.default_rng(0).standard_normal((12, 4))
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)
every_map = pytest.mark.parametrize("case", DEFAULTS, ids=[name for name, _ in DEFAULTS])


RULES = {
    "n_components": (
        [0, -3, 2.0, 10.5, True, "many", None, np.nan, 10**7 + 1, 10**400],
        r"n_components must be an integer from 1 to 10,000,000; got .*Try",
    ),
    "dtype": (
        ["float16", "f4", np.float32, None, 32],
        r"dtype must be one of 'float32', 'float64'; got .*Try dtype='float32'",
    ),
    "device": (
        ["gpu", "cuda:99", "tpu", None, 3],
        r"device must name a device that works; got .*Available: 'auto', .*'cpu'",
    ),
    "random_state": ([-1, 0.5, "seed"], "random_state must be None, an integer of at least 0"),
}


@every_map
def test_the_parameters_of_every_map_have_rules(case):
    for name, (values, rule) in RULES.items():
        for value in values:
            with pytest.raises(ParameterError, match=rule) as error:
                make(case, **{name: value}).fit(X)
            assert error.value.name == name and error.value.value is value
            assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("value", [0, -1, 1025, 2.0, True, "4", None])
def test_bad_pool_size(value):
    with pytest.raises(ParameterError, match=r"pool_size must be an integer from 1 to 1024; got .*Try pool_size=4"):
        RandomMaxout(pool_size=value).fit(X)


@pytest.mark.parametrize("value", [0, 0.0, -1.0, np.nan, np.inf, "foo", "auto", None, True, 10**400])
def test_bad_gamma(value):
    with pytest.raises(
        ParameterError, match=r"gamma must be a finite number greater than 0 .*or 'scale' or 'median'; got .*Try"
    ):
        RandomFourier(gamma=value).fit(X)


@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_bad_paired(value):
    with pytest.raises(ParameterError, match=r"paired must be True or False; got .*Try paired=True"):
        RandomFourier(paired=value).fit(X)


@pytest.mark.parametrize("value", [np.int64(8), np.uint8(8)])
def test_numpy_integers_are_integers_that_do_not_overflow(value):
    assert RandomMaxout(value, pool_size=value).fit_transform(X).shape == (12, 8)
    wide = RandomMaxout(np.int32(100_000), pool_size=np.int32(1000), device="cpu")
    with pytest.raises(MemoryBudgetError, match=r"weights of RandomMaxout .* needs 40,000 GB"):
        wide.fit(sparse.csr_matrix((2, 100_000)))


@every_map
def test_more_features_than_memory(case, monkeypatch):
    # Some maps take few bytes per feature, fast projections fewest of all.
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.05" if case in APPROXIMATE else "0.3")
    remedy = "(largest n_components that fits|fewer projections)"  # a pool alone may be too large
    with pytest.raises(MemoryBudgetError, match=rf"n_components=10000000 on 100000 .*{remedy}"):
        make(case, 10_000_000).fit(sparse.csr_matrix((3, 100_000)))


BAD_DATA = {
    "NaN": (np.array([[1.0, np.nan]]), "NaN"),
    "infinity": (np.array([[1.0, np.inf]]), "infinity"),
    "float32 infinity": (np.array([[1.0, np.inf]], "float32"), "infinity"),
    "sparse NaN": (sparse.csr_matrix([[1.0, np.nan]]), "NaN"),
    "text": (np.array([["a", "b"]]), "could not convert string to float"),
    "a text column": (pd.DataFrame({"x": [1.0, 2.0], "name": ["one", "two"]}), "could not convert string to float"),
    "one dimension": (np.ones(4), "Expected 2D array, got 1D array instead"),
    "three dimensions": (np.ones((2, 2, 2)), "dim 3"),
    "no rows": (np.ones((0, 3)), "0 sample"),
    "no columns": (np.ones((3, 0)), "0 feature"),
    "complex": (np.ones((2, 2)) * 1j, "Complex data not supported"),
}


@every_map
@pytest.mark.parametrize("kind", BAD_DATA)
def test_bad_data(case, kind):
    data, message = BAD_DATA[kind]
    with pytest.raises(ValueError, match=message):
        make(case).fit(data)
    if data.ndim == 2 and 0 not in data.shape:
        fitted = make(case).fit(np.ones((2, data.shape[1])))
        with pytest.raises(ValueError, match=message):
            fitted.transform(data.set_axis([0, 1], axis=1) if hasattr(data, "columns") else data)


@every_map
def test_wrong_number_of_columns_and_not_fitted(case):
    with pytest.raises(NotFittedError):
        make(case).transform(X)
    with pytest.raises(NotFittedError):
        make(case).prefix(3)
    with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4 features"):
        make(case).fit(X).transform(X[:, :3])


ODD_DATA = {
    "one row": X[:1],
    "one column": X[:, :1],
    "one number": np.ones((1, 1)),
    "constant columns": np.ones((5, 3)),
    "zeros": np.zeros((5, 3)),
    "zero sparse": sparse.csr_matrix((5, 3)),
    "huge": np.full((3, 2), 1e30),
    "tiny": np.full((3, 2), 1e-300),
    "booleans": np.eye(3, dtype=bool),
}


@every_case
def test_odd_data_are_mapped(case):
    for kind, data in ODD_DATA.items():
        feature_map = make(case, 7)
        result = dense(feature_map.fit_transform(data))
        assert result.shape == (data.shape[0], feature_map.columns(7)), kind
        assert feature_map.sparse_output or feature_map.columns(7) == 7
        assert np.isfinite(result).all(), kind


@every_case
@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
def test_data_of_any_size_are_mapped_or_refused_in_words(case, dtype):
    silent = False
    for exponent in (-310, -200, -150, -44, -39, -20, 20, 37, 39, 160, 300):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # NumPy's words for an overflow
            warnings.simplefilter("ignore", UserWarning)
            try:
                result = dense(make(case, 7, dtype=dtype).fit_transform(X * 10.0**exponent))
            except DataError as error:
                assert re.search(r"Scale the data", str(error))
            except ParameterError as error:
                assert case[0] == "RandomBinning" and "Scale the data" in str(error)
            else:
                assert np.isfinite(result).all()
                silent = True
    assert silent


@every_map
def test_later_rows_beyond_the_numbers_of_the_map_are_refused(case):
    fitted = make(case, 7, dtype="float32").fit(X)
    if case[0] == "RandomBinning":  # computes in double precision
        assert np.isfinite(dense(fitted.transform(X * 1e300))).all()
        return
    with pytest.raises(DataError, match=r"no value beyond 1\.7e\+35, or features in float32 would overflow.*float64"):
        fitted.transform(X * 1e39)


def test_a_function_that_overflows_is_told():
    rows = 10.0 * X / np.linalg.norm(X, axis=1, keepdims=True)
    fitted = RandomActivation(200, function="exp(x)", dtype="float32").fit(X)
    assert np.isfinite(fitted.transform(rows)).all()
    with pytest.raises(DataError, match=r"exp\(x\) has no finite value in float32 at x = \d+.*dtype='float64'"):
        fitted.transform(5 * rows)
    assert np.isfinite(RandomActivation(200, function="exp(x)", dtype="float64").fit(X).transform(5 * rows)).all()


@every_map
def test_offsets_beyond_the_digits_are_told(case):
    # float32 tells numbers of 1e7 apart by 1; boxes are of the digits of the data.
    setting, given = ({"gamma": 1e3}, "float32") if case[0] == "RandomBinning" else ({}, "float64")
    with pytest.warns((PrecisionWarning, LostBinsWarning)):
        make(case, 7, dtype="float32", **setting).fit((X + 1e7).astype(given))
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrecisionWarning)
        make(case, 7, dtype="float32").fit(X + 10.0)
        make(case, 7, dtype="float64").fit(X + 1e7)


@every_map
def test_a_parameter_of_a_fitted_map_is_changed_by_fitting_again(case):
    fitted = make(case, 8).fit(X)
    before = dense(fitted.transform(X))
    fitted.set_params(n_components=4)
    refused = r"n_components of a fitted map takes effect at the next fit; got 4. .*fitted with 8: call fit again"
    for use in (fitted.transform, fitted.kernel, lambda rows: fitted.get_feature_names_out()):
        with pytest.raises(ParameterError, match=refused):
            use(X)
    fitted.set_params(n_components=8, device="cpu", random_state=7)  # the last two: where, and for the next fit
    assert np.array_equal(dense(fitted.transform(X)), before)
    assert fitted.set_params(n_components=4).fit(X).columns(4) == make(case, 4).fit_transform(X).shape[1] or (
        fitted.sparse_output
    )


@every_map
def test_rows_of_a_kernel_are_checked_as_those_of_the_map(case):
    fitted = make(case, 8).fit(X)
    uses = {"kernel": fitted.kernel, "product_law": fitted.product_law}
    if hasattr(fitted, "collision"):
        uses["collision"] = fitted.collision
    for name, use in uses.items():
        with pytest.raises(ValueError, match=r"X has 3 features, but \w+ is expecting 4 features"):
            use(X[:, :3])
        with pytest.raises(DataError, match=r"X must be a matrix of finite numbers.*holds NaN"):
            use(np.full((2, 4), np.nan))
        with pytest.raises(DataError, match=r"X must be a matrix of finite numbers.*got 1 dimension"):
            use(X[0])
        if name == "kernel":
            with pytest.raises(ValueError, match=r"Y has 3 features"):
                use(X, X[:, :3])
            # Products of arrays in another order of memory may round otherwise.
            for one, two in ((use(sparse.csr_matrix(X)), use(X)), (use(X.tolist(), pd.DataFrame(X)), use(X, X))):
                np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)


@every_map
def test_names_out_are_those_of_a_fitted_map(case):
    with pytest.raises(NotFittedError):
        make(case, 8).get_feature_names_out()
    fitted = make(case, 8).fit(X)
    assert len(fitted.get_feature_names_out()) == fitted.columns(8)


@every_map
def test_blocks_of_a_table_need_no_names(case):
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = make(case, 8).fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(fitted.transform_blocks(X))
    with pytest.raises(ValueError, match="feature names should match"):
        list(fitted.transform_blocks(frame[list("bacd")]))


def test_a_weight_that_an_author_forgot_to_list():
    class Forgetful(RandomProjection):
        _weights = ()

    try:
        with pytest.raises(
            TypeError, match=r"Forgetful._map_block reads weights\['weights_'\].*_weights = \('weights_',\)"
        ):
            Forgetful(5).fit_transform(X)
    finally:
        _registry.pop("Forgetful", None)


def duplicated():
    """Return a CSR matrix with duplicate entries, read-only as joblib hands them to workers."""
    draw = np.random.default_rng(0)
    entries, columns = draw.uniform(0.1, 1.0, 180), draw.integers(0, 9, 180).astype("int32")
    for array in (entries, columns):
        array.setflags(write=False)
    return sparse.csr_matrix((entries, columns, np.arange(0, 181, 6)), shape=(30, 9), copy=False)


@every_case
def test_duplicate_entries_of_a_sparse_matrix_are_sums(case):
    given = duplicated()
    full = np.zeros((30, 9))
    np.add.at(full, (np.repeat(np.arange(30), 6), given.indices), given.data)
    one, other = make(case, dtype="float64").fit(given), make(case, dtype="float64").fit(full)
    np.testing.assert_allclose(dense(one.transform(given)), dense(other.transform(full)), rtol=0, atol=1e-9)
    if getattr(one, "gamma", None) is not None:
        assert np.allclose(one.gamma_, other.gamma_, rtol=1e-12)
    assert given.nnz == 180 and not given.has_canonical_format


LENGTHS = {"gaussian": 2.0, "matern": 2.0, "laplacian": 1.0, "cauchy": 1.0}


@pytest.mark.parametrize("rule", ["scale", "median"])
@pytest.mark.parametrize("spectrum", [*LENGTHS, "boxes"])
@pytest.mark.parametrize("scale", [1e-13, 1e-7, 1e9])
def test_a_learnt_gamma_goes_with_the_units_and_can_be_given_back(rule, spectrum, scale):
    def fresh(gamma):
        if spectrum == "boxes":
            return RandomBinning(20, gamma=gamma)
        return RandomFourier(20, gamma=gamma, spectrum=spectrum, dtype="float64")

    learnt = fresh(rule).fit(scale * X)
    unscaled = fresh(rule).fit(X).gamma_
    assert learnt.gamma_ == pytest.approx(unscaled * scale ** -LENGTHS.get(spectrum, 1.0), rel=1e-9)
    again = fresh(learnt.gamma_).fit(scale * X)
    assert np.array_equal(dense(again.transform(scale * X)), dense(learnt.transform(scale * X)))


@pytest.mark.parametrize("rule", ["scale", "median"])
@pytest.mark.parametrize("value", [14.62, 0.1, 1e30, 1e-300])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_what_rounding_leaves_of_equal_rows_is_not_a_width(rule, value, dtype, container):
    with np.errstate(under="ignore"):
        equal = np.full((50, 3), value).astype(dtype)
    assert RandomFourier(10, gamma=rule).fit(container(equal)).gamma_ == 1.0
    assert RandomBinning(10, gamma=rule).fit(container(equal)).gamma_ == 1.0


def test_kernel_needs_a_width():
    with pytest.raises(ParameterError, match=r"gamma must be a number before the map is fitted; got 'scale'. Call fit"):
        RandomFourier().kernel(X)
    assert RandomFourier(gamma=1.0).kernel(X).shape == (12, 12)


def test_gamma_scale_is_scikit_learns():
    expected = 1.0 / (X.shape[1] * X.var())
    shifted = X + 1e4  # where the mean of squares less the squared mean would lose half the digits
    for data in (X, sparse.csr_matrix(X)):
        assert RandomFourier(device="cpu").fit(data).gamma_ == pytest.approx(expected, rel=1e-12)
    for data in (shifted, sparse.csr_matrix(shifted)):
        assert RandomFourier(device="cpu").fit(data).gamma_ == pytest.approx(1 / (4 * shifted.var()), rel=1e-12)


def test_registry_lists_the_maps_of_the_package_in_their_order():
    assert list(registry().values())[: len(MAPS)] == list(MAPS)


def test_registry_and_labels():
    for name, scheme in registry().items():
        assert scheme.__name__ == name and scheme.label and scheme.summary and scheme.formula
        assert scheme.cost.startswith("O(n·") and scheme.reference[-4:].isdigit()
        assert {p.name for p in scheme.params} <= set(scheme().get_params())
        assert {p.name: p.default for p in scheme.params}.items() <= scheme().get_params().items()
