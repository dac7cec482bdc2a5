"""Array-likes become arrays; anything else is refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz.errors import DataError, ParameterError
from rfviz.inputs import as_numbers, as_places, as_rows, as_vector


@pytest.mark.parametrize("kind", [np.ndarray.tolist, pd.DataFrame, sparse.csr_matrix, sparse.coo_array])
def test_rows_of_any_kind_are_a_matrix(kind):
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    found = as_rows(kind(X))
    assert isinstance(found, np.ndarray) and found.dtype == np.float64
    np.testing.assert_array_equal(found, X)
    kept = as_rows(sparse.csc_matrix(X.astype(np.float32)), keep_sparse=True)
    assert sparse.issparse(kept) and kept.format == "csr" and kept.dtype == np.float32


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([1.0, 2.0], "X must be a matrix of finite numbers, one sample a row; got 1 dimension"),
        ([["a", "b"]], "could not be read as numbers"),
        ([[1.0, np.nan], [np.inf, 2.0]], "2 of its values are NaN or infinite"),
        ([[1.0], [2.0, 3.0]], "could not be read as numbers"),
        ([[1j, 2.0]], "could not be read as numbers"),
        (None, "X must be a matrix of finite numbers"),
    ],
)
def test_anything_but_a_matrix_of_numbers_is_refused(wrong, said):
    with pytest.raises(DataError, match=said):
        as_rows(wrong)


def test_gaps_are_taken_where_they_may_be():
    frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]})
    np.testing.assert_array_equal(as_rows(frame, gaps=True), [[1.0, 1.0], [np.nan, 0.0]])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "i"),
        ([1.0, 2.0, 3.0], "f"),
        (pd.Series([1, 2, 3], dtype="Int64"), "i"),
        (pd.Series([1.5, 2, 3], dtype="Float64"), "f"),
        (pd.Series([True, False, True], dtype="boolean"), "b"),
        (pd.Series(["a", "b", "a"]), "O"),
        (pd.Series(["a", "b", "a"], dtype="category"), "O"),
        (np.array(["a", "b", "a"]), "U"),
        (np.array([[1], [2], [3]]), "i"),
        (pd.DataFrame({"y": [1, 2, 3]}), "i"),
    ],
)
def test_a_vector_keeps_the_kind_of_its_values(values, kind):
    found = as_vector(values, 3)
    assert found.shape == (3,) and found.dtype.kind == kind
    assert list(found) == list(np.ravel(np.asarray(values)))


@pytest.mark.parametrize("missing", [[1, None, 2], [1.0, np.nan, 2.0], ["a", None, "b"], pd.array([1, pd.NA, 2])])
def test_a_missing_value_is_refused(missing):
    with pytest.raises(DataError, match="y must be complete; 1 of its values are missing"):
        as_vector(missing, 3)


def test_numbers_and_places_are_checked():
    with pytest.raises(DataError, match=r"target must hold one value for each of the 4 rows; its shape is \(3,\)"):
        as_numbers([1, 2, 3], 4, "target")
    with pytest.raises(DataError, match="y must hold numbers"):
        as_numbers(list("abc"), 3)
    with pytest.raises(DataError, match="y must be finite; 1 of its values"):
        as_numbers([1.0, np.inf, 2.0], 3)
    assert as_places(np.array([0, 2]), 3) == [0, 2]
    for wrong in ([3], [-1], [0.5], ["a"]):
        with pytest.raises(ParameterError, match="categories must be places of columns, from 0 to 2"):
            as_places(wrong, 3)
