"""Exact occurrence against counting all draws of a small skeleton, and against samples of large ones.

Statistical tests have a false-alarm rate of 1e-5 for all their numbers together; their seeds are fixed.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from rfviz.errors import ParameterError
from rfviz.features.compositional_draws import reached_inputs
from rfviz.skeleton import co_occurrence, convolutions, flat, occurrence, pixel_groups, preset, sparsity

SERIES = {"kind": "series", "coefficients": [0.1, 0.5, 0.4]}


def enumerated(skeleton):
    """Return P(set of inputs that occur), by all draws: numbers of children and choices, node by node."""
    edges, acts = {}, {}
    for layer in skeleton.layers:
        for i, sources in enumerate(layer.edges):
            edges[layer.first + i], acts[layer.first + i] = sources.tolist(), layer.activation

    def law(v):
        if v < skeleton.n_inputs:
            return {frozenset([v]): 1.0}
        total = {}
        for children, probability in enumerate(acts[v].coefficients):
            for chosen in itertools.product(edges[v], repeat=children):
                for sets in itertools.product(*(law(u).items() for u in chosen)):
                    union = frozenset().union(*(s for s, _ in sets))
                    p = probability * np.prod([q for _, q in sets]) / len(edges[v]) ** children
                    total[union] = total.get(union, 0.0) + p
        return total

    return law(skeleton.n_nodes - 1)


def test_against_all_draws():
    skeleton = convolutions((1, 4), [((1, 3), 1, SERIES)], SERIES)
    law = enumerated(skeleton)
    assert sum(law.values()) == pytest.approx(1.0)
    single = np.array([sum(p for s, p in law.items() if v in s) for v in range(4)])
    np.testing.assert_allclose(occurrence(skeleton), single, atol=1e-14)
    assert sparsity(skeleton) == pytest.approx(sum(p * len(s) for s, p in law.items()))
    for group in range(4):
        found = co_occurrence(skeleton, group)
        joint = np.array([sum(p for s, p in law.items() if v in s and group in s) for v in range(4)])
        np.testing.assert_allclose(found.joint, joint, atol=1e-14)
        sd = np.sqrt(single * (1 - single))
        np.testing.assert_allclose(found.correlation, (joint - single * single[group]) / sd / sd[group], atol=1e-12)


@pytest.mark.parametrize("name", ["flat", "1 convolution", "2 convolutions", "3 convolutions", "deep"])
def test_against_samples(name):
    skeleton = preset(name, (12, 12, 2), shrink=True)
    groups, n, pixel = pixel_groups(skeleton), 400_000, 66
    feature, node, _ = reached_inputs(skeleton, np.random.default_rng(0), n)
    present = np.zeros((n, 144), dtype=bool)
    present[feature, groups[node]] = True
    exact = co_occurrence(skeleton, pixel, groups)
    bound = stats.norm.isf(1e-5 / 2 / 288)
    for seen, p in ((present.mean(axis=0), exact.single), (present[present[:, pixel]].sum(axis=0) / n, exact.joint)):
        # A count below a few has a Poisson law with a wider tail.
        assert (np.abs(seen - p) < bound * np.sqrt(p / n) + 12 / n).all()


def test_flat_is_constant_and_depth_brings_locality():
    equal = co_occurrence(flat(50), 3).correlation
    assert np.ptp(np.delete(equal, 3)) < 1e-12
    local = co_occurrence(preset("2 convolutions", (24, 24)), 12 * 24 + 12).correlation.reshape(24, 24)
    assert local[12, 12] == pytest.approx(1.0)
    assert local[12, 13] > local[12, 17] > local[12, 22] > 0


def test_pixels_are_groups_of_channels():
    skeleton = preset("1 convolution", (7, 7, 3), shrink=True)
    groups = pixel_groups(skeleton)
    assert np.array_equal(groups, np.repeat(np.arange(49), 3))
    assert (occurrence(skeleton, groups) > occurrence(skeleton)[::3]).all()


def test_bad_groups():
    with pytest.raises(ParameterError, match="group must be an integer from 0 to 4; got 5"):
        co_occurrence(flat(5), 5)
    with pytest.raises(ParameterError, match="must number the group of each of the 5 inputs"):
        occurrence(flat(5), [0, 1])
