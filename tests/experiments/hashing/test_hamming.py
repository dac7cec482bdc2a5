"""Packed Hamming distances against SciPy's."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rfviz.errors import MemoryBudgetError
from rfviz.experiments.hashing.hamming import hamming_blocks, hamming_pairs, pack

rng = np.random.default_rng(0)


@pytest.mark.parametrize(("q", "m"), [(2, 1), (2, 64), (3, 65), (8, 300), (64, 130), (300, 70)])
@pytest.mark.parametrize("block_rows", [None, 1, 7])
def test_packed_distances_are_those_of_the_symbols(q, m, block_rows):
    codes = rng.integers(0, q, (41, m)).astype(np.min_scalar_type(q - 1))
    codes[5] = codes[4]
    packed = pack(codes, (q - 1).bit_length())
    found = np.vstack([block for _, block in hamming_blocks(packed.rows(slice(0, 17)), packed, block_rows)])
    np.testing.assert_array_equal(found, np.rint(m * cdist(codes[:17], codes, "hamming")))
    i, j = rng.integers(0, 41, (2, 200))
    np.testing.assert_array_equal(hamming_pairs(codes, i, j), (codes[i] != codes[j]).sum(axis=1))


def test_a_base_wider_than_a_tile():
    codes = rng.integers(0, 5, (9000, 70)).astype(np.uint8)
    packed = pack(codes, 3)
    found = np.vstack([block for _, block in hamming_blocks(packed.rows(np.arange(11)), packed)])
    np.testing.assert_array_equal(found, np.rint(70 * cdist(codes[:11], codes, "hamming")))


def test_bits_of_packed_codes():
    assert pack(np.zeros((10, 256), np.uint8), 3).words.nbytes == 10 * 256 * 3 // 8


def test_too_many_distances_are_refused(monkeypatch):
    packed = pack(np.zeros((5000, 8), np.uint8), 1)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00001")
    with pytest.raises(MemoryBudgetError, match="fewer points"):
        next(iter(hamming_blocks(packed, packed)))
