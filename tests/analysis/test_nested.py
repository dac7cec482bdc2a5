"""Gram matrices of the smaller maps, from one draw of the largest."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.points import centred_gram
from rfviz.errors import MemoryBudgetError
from rfviz.experiments.distance_saturation.compute import prepare_pairs
from rfviz.features import RandomMaxout, registry

GRID = (10, 24, 60)


@pytest.fixture(scope="module")
def pairs():
    return prepare_pairs(datasets.load("sphere", n_samples=40), "unit norm")


@pytest.mark.parametrize("scheme", list(registry()))
def test_gram_matrices_are_those_of_the_smaller_maps(scheme, pairs):
    whole = registry()[scheme](n_components=60, random_state=3).fit(pairs.original)
    for m, gram in zip(GRID, prefix_grams(whole, pairs.original, GRID), strict=True):
        alone = centred_gram(registry()[scheme](n_components=m, random_state=3).fit_transform(pairs.original))
        np.testing.assert_allclose(gram, alone, atol=3e-6 * np.abs(alone).max())


def test_memory_is_asked_for_first(monkeypatch, pairs):
    whole = RandomMaxout(1000).fit(pairs.coordinates)
    monkeypatch.setattr("rfviz.analysis.nested.check_memory", lambda *a: (_ for _ in ()).throw(MemoryBudgetError("no")))
    with pytest.raises(MemoryBudgetError):
        next(prefix_grams(whole, pairs.coordinates, GRID))


def test_gpu_gives_the_same_frames(fake_gpu, pairs):
    host = RandomMaxout(60, pool_size=4, device="cpu").fit(pairs.coordinates)
    there = RandomMaxout(60, pool_size=4, device="cuda").fit(pairs.coordinates)
    for a, b in zip(*(prefix_grams(m, pairs.coordinates, GRID) for m in (host, there)), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
