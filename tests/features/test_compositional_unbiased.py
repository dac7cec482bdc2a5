"""Compositional features estimate their kernel without bias: every base space, every activation, equal rows kept once.

Every statistical test has a false-alarm rate of 1e-5 for all its pairs together (Bonferroni); the seeds are fixed.
"""

import numpy as np
import pytest

from rfviz.features import CompositionalFeatures, compositional_draws
from rfviz.skeleton import ACTIVATIONS, BASES, activation, flat, graph
from tests.features.test_kernels import mean_alarms
from tests.skeleton.test_activations import FORMS

SEEDS, FEATURES, FEW_SEEDS = 60, 1000, 800
BASE_FORMS = [
    "binary", {"kind": "circle", "turn": 0.4}, {"kind": "gaussian", "dimension": 2, "scale": 0.8},
    {"kind": "categorical", "categories": 3}, {"kind": "categorical", "categories": 4},
    {"kind": "sphere", "dimension": 3},
]  # fmt: skip
ROWS = np.triu_indices(5)
CODES = {"binary": 2, "categorical": 3}


def rows_for(skeleton, n=5, seed=0):
    """Draw points of the skeleton's base spaces, some rows nearly equal so that the kernel takes many values."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, skeleton.n_columns))
    for group in skeleton.inputs:
        columns = X[:, group.columns]
        codes = CODES.get(group.base.kind)
        columns[:] = rng.integers(0, codes, columns.shape) if codes else rng.normal(size=columns.shape)
        columns[1, 1:] = columns[0, 1:]
    return X


def estimates(skeleton, deduplicate, X, m=FEATURES, seeds=SEEDS):
    found = np.empty((seeds, len(ROWS[0])))
    for seed in range(seeds):
        feature_map = CompositionalFeatures(
            m, skeleton=skeleton, deduplicate=deduplicate, random_state=seed, dtype="float64", device="cpu"
        ).fit(X)
        features = feature_map.transform(X)
        found[seed] = (features @ features.T)[ROWS]
    assert np.isfinite(found).all()
    return found, feature_map


def test_every_kind_of_base_is_tested():
    assert {form if isinstance(form, str) else form["kind"] for form in BASE_FORMS} == set(BASES)
    assert {form if isinstance(form, str) else form["kind"] for form in FORMS} == set(ACTIVATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize("base", BASE_FORMS, ids=str)
def test_unbiased_for_every_base_space(base, deduplicate):
    heavy = base == BASE_FORMS[-1]  # the tails of a relu above a sphere have no variance to test with
    skeleton = flat(4, {"kind": "exponential", "scale": 0.5} if heavy else "relu", base)
    X = rows_for(skeleton)
    samples, feature_map = estimates(skeleton, deduplicate, X)
    assert not mean_alarms(samples, feature_map.kernel(X)[ROWS]).any()


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in FORMS if activation(form).slope < 5], ids=str)
def test_unbiased_for_every_activation_with_bases_mixed(form):
    last = BASE_FORMS[0] if form == "relu" else BASE_FORMS[-1]
    nodes = [("relu", [0, 1, 2, 3]), ("step", [4, 5, 6, 7]), ({"kind": "exponential", "scale": 0.5}, [8, 9])]
    nodes += [(form, [10, 11, 1, 6]), (form, [12, 10, 13, 2])]
    skeleton = graph([(base, 2) for base in [*BASE_FORMS[:4], last]], nodes)
    X = rows_for(skeleton)
    samples, feature_map = estimates(skeleton, True, X)
    assert not mean_alarms(samples, feature_map.kernel(X)[ROWS]).any()


@pytest.fixture
def small_chunks(monkeypatch):
    """Draw by a few features at a time, for tests that want many small maps."""
    monkeypatch.setattr(compositional_draws, "CHUNK", 64)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("m", [1, 3])
def test_unbiased_with_so_few_features_that_the_stop_matters(m):
    # The stop depends on the draws: with a rule that is only nearly right the bias would be of order 1/m.
    skeleton = flat(3, {"kind": "series", "coefficients": [0.5, 0.3, 0.2]})
    X = rows_for(skeleton)
    samples, feature_map = estimates(skeleton, True, X, m=m, seeds=FEW_SEEDS)
    assert not mean_alarms(samples, feature_map.kernel(X)[ROWS]).any()


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_the_test_of_few_features_has_power():
    # Stopping with the m-th different feature, rather than before the next, is seen.
    skeleton = flat(3, {"kind": "series", "coefficients": [0.5, 0.3, 0.2]})
    X = rows_for(skeleton)
    found = []
    for seed in range(FEW_SEEDS):
        feature_map = CompositionalFeatures(4, skeleton=skeleton, random_state=seed, dtype="float64").fit(X)
        three = feature_map.prefix(3)
        (features,) = feature_map.transform_blocks(X, scaled=False)
        weights = np.append(three.multiplicities_, 1) / (three.n_draws_ + 1)
        found.append(((features * weights) @ features.T)[ROWS])
    assert mean_alarms(np.array(found), feature_map.kernel(X)[ROWS]).any()
