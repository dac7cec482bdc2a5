"""Splits of a data set: what a model is tested on has no say in how its inputs are scaled."""

import dataclasses

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split


@pytest.mark.parametrize("how", ["none", "unit norm", "standardise"])
def test_test_rows_of_data_that_came_standardised_do_not_move_the_training_rows(how):
    whole = datasets.load("breast_cancer")
    split = make_split(whole, how)
    X = whole.X.copy()
    X[split.test_rows] = 7 * X[split.test_rows] + 3
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32)  # as it would have come
    other = make_split(dataclasses.replace(whole, X=X), how)
    np.testing.assert_array_equal(other.test_rows, split.test_rows)
    np.testing.assert_allclose(other.X_train, split.X_train, atol=2e-4)
    assert not np.allclose(other.X_test, split.X_test, atol=0.1)
