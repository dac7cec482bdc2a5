"""Random states of every kind, and what they give."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.random_state import random_rows, seed_from


def test_seed_from():
    assert seed_from(7) == seed_from(np.int8(7)) == 7
    assert seed_from(2**100) == 2**100
    assert seed_from(None) != seed_from(None)
    assert seed_from(np.random.RandomState(0)) == seed_from(np.random.RandomState(0))
    generator = np.random.default_rng(0)
    assert seed_from(generator) != seed_from(generator)


@pytest.mark.parametrize("value", [-1, 1.0, True, "0", np.nan])
def test_bad_random_state(value):
    with pytest.raises(ParameterError, match=r"random_state must be None, an integer of at least 0.*; got .*Try 0\."):
        seed_from(value)


def test_random_rows_are_those_of_numpy_for_every_kind_of_state():
    expected = np.random.RandomState(7).permutation(20)
    assert (random_rows(7).permutation(20) == expected).all()
    assert (random_rows(np.random.RandomState(7)).permutation(20) == expected).all()
    one, other = (random_rows(np.random.default_rng(7)).permutation(20) for _ in range(2))
    assert (one == other).all()
    assert random_rows(2**100).permutation(3).tolist() and random_rows(None).permutation(3).tolist()
