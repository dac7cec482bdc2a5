"""Lists, data frames and sparse matrices give what arrays give; anything else is refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz.analysis.dependence import find_conditional_dependence, find_dependence
from rfviz.analysis.order import compare_orders, order_along_curve
from rfviz.analysis.plane import plane_of
from rfviz.analysis.points import Scaling, normalise
from rfviz.errors import DataError, ParameterError

X = np.random.default_rng(0).standard_normal((60, 3))
PLACES = np.arange(60)
KINDS = pytest.mark.parametrize("kind", [np.ndarray.tolist, pd.DataFrame, sparse.csr_matrix])
FUNCTIONS = {
    "dependence": lambda rows: find_dependence(rows).strength,
    "conditional dependence": lambda rows: find_conditional_dependence(rows, [(0, 1)], 2).p_value,
    "order": order_along_curve,
    "orders": lambda rows: compare_orders(rows, PLACES.tolist()).spearman,
    "plane": lambda rows: plane_of(rows).axes,
    "normalised": lambda rows: normalise(rows, "standardise"),
    "scaled": lambda rows: Scaling(rows, "unit norm")(rows),
}


@KINDS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_kind_of_rows_gives_what_an_array_gives(name, kind):
    np.testing.assert_allclose(FUNCTIONS[name](kind(X)), FUNCTIONS[name](X), atol=1e-12)


@pytest.mark.parametrize("wrong", [X[:, 0], [["a", "b"]] * 60, None])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_anything_else_is_refused(name, wrong):
    with pytest.raises(DataError, match="must be a matrix of"):
        FUNCTIONS[name](wrong)


def test_columns_that_are_not_there_are_refused():
    with pytest.raises(ParameterError, match="categories must be places of columns, from 0 to 2"):
        find_dependence(X, categories=[3])
    with pytest.raises(ParameterError, match="pairs and given must be places of columns"):
        find_conditional_dependence(X, [(0, 1)], 7)
    with pytest.raises(DataError, match="given must hold one value for each of the 60 rows"):
        compare_orders(X, PLACES[:9])
