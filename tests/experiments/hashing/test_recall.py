"""Recall of hash codes against plain searches."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rfviz import datasets
from rfviz.errors import MemoryBudgetError
from rfviz.experiments.hashing.points import hash_codes, prepare_hash_points
from rfviz.experiments.hashing.recall import code_lengths, expected_recall, recall_curves

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def digits():
    return prepare_hash_points(datasets.load("digits"), "unit norm", max_points=400)


@pytest.mark.slow
def test_ties_are_drawn_by_lot():
    """The mean of plain searches over many orders of the rows."""
    n, k, queries = 12, 4, np.array([0, 5])
    distance = rng.integers(0, 4, (2, n)).astype(np.int32)
    truth = np.array([[1, 2, 3, 4], [0, 1, 7, 11]])
    hits = []
    for _ in range(20_000):
        order = rng.permutation(n)
        for row, query in enumerate(queries):
            others = order[order != query]
            found = others[np.argsort(distance[row, others], kind="stable")[:k]]
            hits.append(np.isin(found, truth[row]).sum() / k)
    hits = np.array(hits).reshape(-1, 2).mean(axis=1)
    expected = expected_recall(distance, queries, truth)
    assert abs(hits.mean() - expected) < 4 * hits.std() / np.sqrt(len(hits))


def test_a_perfect_code_finds_everything_and_a_blank_one_what_chance_finds(digits):
    n, k = len(digits.original), 10
    exact = cdist(digits.original[digits.queries], digits.original)
    ranks = exact.argsort(axis=1).argsort(axis=1).astype(np.int32)
    assert expected_recall(ranks, digits.queries, digits.neighbours[:, :k]) == pytest.approx(1.0, abs=0.002)
    blank = np.zeros_like(ranks)
    assert expected_recall(blank, digits.queries, digits.neighbours[:, :k]) == pytest.approx(k / (n - 1))


def test_curves_are_plain_searches(digits):
    result = recall_curves(digits, [3, 8], 100, 5, 2)
    assert [c.label for c in result.curves] == ["Maxout, q = 3", "Maxout, q = 8", "SimHash"]
    assert code_lengths(100) == [8, 16, 32, 64, 100]
    for curve in result.curves:
        for draw, place in ((0, 1), (1, len(curve.symbols) - 1)):
            m = int(curve.symbols[place])
            codes = hash_codes(digits, curve.spec.replace(n_components=m, random_state=draw))
            distance = np.rint(m * cdist(codes[digits.queries], codes, "hamming")).astype(np.int32)
            found = expected_recall(distance, digits.queries, digits.neighbours[:, :5])
            assert curve.recalls[draw, place] == pytest.approx(found, abs=0.01)  # near ties round otherwise
    bits = [(c.bits[-1], c.projections[-1]) for c in result.curves]
    assert bits == [(200, 300), (300, 800), (300, 300)]


def test_recall_grows_with_length_and_pool_and_two_are_as_good_as_signs(digits):
    result = recall_curves(digits, [2, 16], 128, 10, 8)
    two, sixteen, signs = result.curves
    assert (np.diff(sixteen.mean) > 0).all() and (sixteen.mean > two.mean).all()
    assert result.chance < two.mean[0] < two.mean[-1] < 1
    shared = len(two.symbols)
    spread = np.sqrt((two.deviation**2 + signs.deviation[:shared] ** 2) / 8)
    assert np.array_equal(two.bits, signs.bits[:shared])
    assert (np.abs(two.mean - signs.mean[:shared]) < 5.5 * spread).all()  # t with 14 degrees: 1 in 2,000 over 5


def test_costs_are_said(digits):
    result = recall_curves(digits, [4], 64, 3, 1)
    costs = result.costs()
    assert costs["bytes a point"].tolist() == [16, 16, 256]
    assert (costs["ms to search"] > 0).all()
    assert (result.curves[0].deviation == 0).all()
    assert len(result.to_frame()) == sum(len(c.symbols) for c in result.curves)


def test_progress_can_stop_it(digits):
    class StoppedError(Exception):
        pass

    def progress(share, text):
        assert 0 <= share <= 1
        if share > 0.4:
            raise StoppedError

    with pytest.raises(StoppedError):
        recall_curves(digits, [2], 32, 5, 3, progress)


def test_codes_beyond_memory_are_refused(digits, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0001")
    with pytest.raises(MemoryBudgetError, match="shorter codes"):
        recall_curves(digits, [2, 64], 2048, 5, 1)
