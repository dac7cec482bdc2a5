"""Codes of classes and numbers, and the way back."""

import numpy as np
import pandas as pd
import pytest

from rfviz.errors import DataError
from rfviz.linear_model.targets import Targets, is_numbers


def test_codes_of_three_classes_have_a_column_each():
    targets = Targets.of_labels(["b", "a", "c", "a"])
    np.testing.assert_array_equal(targets.codes(["a", "c"]), [[1, -1, -1], [-1, -1, 1]])
    scores = np.array([[0.2, 0.1, 0.0], [0.0, 0.3, 0.1]])
    assert targets.predictions(scores).tolist() == ["a", "b"]
    assert targets.errors(scores, ["a", "a"]).tolist() == [0.0, 1.0]


def test_two_classes_share_a_column():
    targets = Targets.of_labels([7, 3, 3])
    np.testing.assert_array_equal(targets.codes([3, 7]), [[-1], [1]])
    assert targets.outputs(np.array([[0.5], [-0.1]])).shape == (2,)
    for scores in (np.array([[0.5], [-0.1]]), np.array([0.5, -0.1])):
        assert targets.predictions(scores).tolist() == [7, 3]
        assert targets.errors(scores, [3, 3]).tolist() == [1.0, 0.0]


def test_errors_of_several_targets_are_their_mean():
    targets = Targets.of_numbers([[1.0, 2.0], [3.0, 4.0]])
    assert targets.errors(np.array([[1.0, 4.0]]), [[1.0, 2.0]]).tolist() == [2.0]
    assert Targets.of_numbers([1.0, 2.0]).errors(np.array([3.0]), [1.0]).tolist() == [4.0]


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0.0, 1.0], True),
        ([0, 1], False),
        (["a", "b"], False),
        ([True, False], False),
        (pd.Series([1, None], dtype="Int64"), False),
        (pd.Series([1.5, None], dtype="Float64"), True),
        (pd.Series([1, 2], dtype="int64[pyarrow]"), False),
        (pd.Series([1.0, 2.0], dtype="double[pyarrow]"), True),
        (pd.Series([1, 2], dtype="category"), False),
    ],
)
def test_the_type_decides_what_is_learnt(y, expected):
    assert is_numbers(y) == expected


def test_parts_are_those_of_the_same_table():
    with pytest.raises(DataError, match="The label d is not among the 3 classes"):
        Targets.of_labels(list("abc")).known_codes(["a", "d"])
    with pytest.raises(DataError, match="y must have 2 columns"):
        Targets.of_numbers(np.ones((3, 2))).known_codes(np.ones(3))
    with pytest.raises(DataError, match=r"must be one a sample; y has the shape \(2, 2\)"):
        Targets.of_labels([["a", "b"], ["b", "a"]])
