"""The best path against all paths, the edit distance against its definition, and the counts of a phone model."""

from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from rfviz.analysis.speech import STATES, edit_distance, learn_phone_model, viterbi
from rfviz.analysis.speech.decoding import runs_of_phones


def drawn_model(rng, n_phones):
    utterances = [np.repeat(np.arange(STATES * n_phones), rng.integers(1, 4, STATES * n_phones)) for _ in range(3)]
    return learn_phone_model(utterances, n_phones)


def value(path, scores, model):
    """Return the logarithm of the likelihood of a path, from its definition; −inf where it is not allowed."""
    if path[0] % STATES or path[-1] % STATES != STATES - 1:
        return -np.inf
    total = model.first[path[0] // STATES] + scores[0, path[0]]
    for t in range(1, len(path)):
        a, b = path[t - 1], path[t]
        if a == b:
            step = model.stay[a]
        elif a % STATES == STATES - 1 and b % STATES == 0:
            step = model.leave[a] + model.bigram[a // STATES, b // STATES]
        elif b == a + 1 and b % STATES:
            step = model.leave[a]
        else:
            return -np.inf
        total += step + scores[t, b]
    return total + model.leave[path[-1]] + model.last[path[-1] // STATES]


@pytest.mark.parametrize("n_frames", [3, 4, 6])
@pytest.mark.parametrize("seed", range(6))
def test_no_path_is_likelier_than_the_one_found(n_frames, seed):
    rng = np.random.default_rng(seed)
    # Pairs of phones of very different likelihood, and frames that do not drown them.
    model = replace(drawn_model(rng, 2), bigram=np.log(rng.dirichlet([0.3, 0.3, 1.0], 2)[:, :2] + 1e-6))
    scores = rng.standard_normal((n_frames, 2 * STATES))
    found = viterbi(scores, model)
    every = product(range(2 * STATES), repeat=n_frames)
    best = max(every, key=lambda path: value(path, scores, model))
    assert found.tolist() == list(best)


def test_clear_frames_give_their_states_back():
    rng = np.random.default_rng(0)
    true = np.concatenate([np.repeat(3 * phone + np.arange(3), rng.integers(1, 5, 3)) for phone in (4, 0, 0, 2, 4)])
    scores = np.where(true[:, None] == np.arange(15), 0.0, -50.0)
    path = viterbi(scores, drawn_model(rng, 5))
    np.testing.assert_array_equal(path, true)
    assert runs_of_phones(path)[0].tolist() == [4, 0, 0, 2, 4]  # a phone may follow itself


def test_where_frames_say_nothing_the_bigram_decides():
    utterance = np.repeat([0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 7, 8], 2)
    model = learn_phone_model([utterance] * 20, 3)
    phones = runs_of_phones(viterbi(np.zeros((24, 9)), model))[0].tolist()
    assert phones[0] == 0 and phones[-1] == 2
    assert set(pairwise(phones)) <= {(0, 1), (1, 0), (0, 2)}, "only pairs that were heard"


@cache
def by_definition(found, true):
    if not found or not true:
        return len(found) + len(true)
    return min(
        by_definition(found[1:], true) + 1,
        by_definition(found, true[1:]) + 1,
        by_definition(found[1:], true[1:]) + (found[0] != true[0]),
    )


def test_the_edit_distance_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(300):
        one, two = (tuple(rng.integers(0, 4, rng.integers(0, 8)).tolist()) for _ in range(2))
        assert edit_distance(one, two) == by_definition(one, two) == edit_distance(two, one)
    assert edit_distance("kitten", "sitting") == 3 and edit_distance("", "abc") == 3


def test_the_model_counts_from_one():
    # Phone 0 for 2 + 1 + 3 frames, then phone 1 for 3, then nothing that is scored, then phone 1 again.
    model = learn_phone_model([np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, -1, 3, 4, 5])], 2)
    np.testing.assert_allclose(np.exp(model.first), [2 / 3, 1 / 3])
    np.testing.assert_allclose(np.exp(model.bigram), [[1 / 4, 2 / 4], [1 / 5, 2 / 5]])
    np.testing.assert_allclose(np.exp(model.last), [1 / 4, 2 / 5])
    np.testing.assert_allclose(np.exp(model.leave[:3]), [2 / 3, 1 - 1 / 18, 2 / 4])
    np.testing.assert_allclose(np.exp(model.stay) + np.exp(model.leave), 1.0)
    np.testing.assert_allclose(np.exp(model.prior), np.array([3, 2, 4, 3, 3, 3]) / 18)
    np.testing.assert_allclose(np.exp(model.bigram).sum(axis=1) + np.exp(model.last), 1.0)
