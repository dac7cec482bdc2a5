"""The hybrid baseline: random Fourier features over a flat skeleton, unbiased with a known variance over any other.

Every statistical test has a false-alarm rate of 1e-5 for all its pairs together (Bonferroni); the seeds are fixed.
"""

import numpy as np
import pytest
from scipy import stats

from rfviz import kernels
from rfviz.errors import ParameterError
from rfviz.features import HybridCompositional, RandomFourier, hybrid_compositional
from rfviz.skeleton import convolutions, flat, graph
from tests.features.test_kernels import ALARM, mean_alarms, variance_alarms

QUARTER = {"kind": "exponential", "scale": 0.25}
WIDE = {"kind": "exponential", "scale": 2.0}
SKELETONS = {
    "flat": flat(9, WIDE),
    "deep": convolutions((5, 5, 1), [(3, 1, WIDE), (2, 1, "relu")], "relu"),
    # Two nodes, and up to four paths: often several of a feature end at the same patch.
    "few patches": convolutions((3, 2, 1), [((2, 2), 1, QUARTER)], {"kind": "polynomial", "degree": 4}),
    "step": convolutions((4, 4, 1), [(2, 2, WIDE)], "step"),
    "graph": graph(
        [({"kind": "circle", "turn": 0.2}, 3), ({"kind": "circle", "turn": 0.7}, 2)],
        [(WIDE, [0, 3, 3]), (WIDE, [4, 1, 2]), (WIDE, [0, 1, 2]), ("relu", [5, 6]), ("identity", [5, 6, 7, 8])],
    ),
}
every_skeleton = pytest.mark.parametrize("name", SKELETONS)
ROWS = np.triu_indices(6)


def points(skeleton, n=6):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, skeleton.n_columns))
    X[1] = X[0] + 0.05 * rng.standard_normal(skeleton.n_columns)
    X[2] = X[0]
    return X


def estimates(skeleton, m, seeds, **setting):
    X = points(skeleton)
    found = np.empty((seeds, len(ROWS[0])))
    for seed in range(seeds):
        feature_map = HybridCompositional(m, skeleton=skeleton, random_state=seed, dtype="float64", device="cpu")
        features = feature_map.set_params(**setting).fit_transform(X)
        found[seed] = (features @ features.T)[ROWS]
    return found, feature_map, X


def check_unbiased(name, samples, feature_map, X):
    """Check that the mean is the kernel, and that a bias would be seen."""
    exact = kernels.compositional(X, skeleton=SKELETONS[name])
    np.testing.assert_array_equal(feature_map.kernel(X), exact)
    assert not mean_alarms(samples, exact[ROWS]).any()
    biased = np.where(exact < 1 - 1e-9, 1.05, 1.0) * exact  # of 5 %, where pairs leave anything to chance
    assert mean_alarms(samples, biased[ROWS]).any()


@pytest.fixture
def small_chunks(monkeypatch):
    """Draw by a few features at a time, for tests that want many small maps."""
    monkeypatch.setattr(hybrid_compositional, "CHUNK", 64)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@every_skeleton
def test_pairs_are_unbiased_for_the_compositional_kernel(name):
    check_unbiased(name, *estimates(SKELETONS[name], 200, 200, paired=True))


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@every_skeleton
def test_unbiased_for_the_compositional_kernel_with_the_variance_of_the_law(name):
    samples, feature_map, X = estimates(SKELETONS[name], 200, 400)
    check_unbiased(name, samples, feature_map, X)
    expected = feature_map.product_law(X).variance(200)
    assert not variance_alarms(samples, expected[ROWS]).any()
    assert variance_alarms(samples, 1.5 * expected[ROWS]).any()


def test_pairs_and_the_largest_scale_have_no_law():
    X = points(SKELETONS["flat"])
    assert HybridCompositional(10, skeleton=SKELETONS["flat"], paired=True).fit(X).product_law(X) is None
    steep = flat(9, {"kind": "exponential", "scale": 1000.0})
    assert HybridCompositional(10, skeleton=steep).fit(X).product_law(X) is None


# --- a flat skeleton: Rahimi and Recht's features of the embedding ----------------------------------------------------


def embedded(X, turn=0.5):
    theta = 2 * np.pi * turn * X
    return np.hstack([np.cos(theta), np.sin(theta)]) / np.sqrt(X.shape[1])


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("m", [8, 7])
def test_flat_is_random_fourier_with_the_frequencies_drawn(paired, m):
    X = points(SKELETONS["flat"])
    feature_map = HybridCompositional(m, turn=0.3, paired=paired, dtype="float64", device="cpu").fit(X)
    np.testing.assert_allclose(feature_map.kernel(X), kernels.gaussian(embedded(X, 0.3), gamma=1 / 8), atol=1e-14)
    other = RandomFourier(m, gamma=1 / 8, paired=paired, dtype="float64", device="cpu").fit(embedded(X, 0.3))
    assert other.frequencies_.shape == feature_map.weights_.shape
    other.frequencies_ = feature_map.weights_ * 3.0  # the weights hold the embedding's 1/√9
    if not paired:
        other.phases_ = feature_map.phases_
    np.testing.assert_allclose(feature_map.transform(X), other.transform(embedded(X, 0.3)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("paired", [False, True])
def test_flat_errs_as_random_fourier_does(paired):
    X = points(SKELETONS["flat"], 20)
    kernel = kernels.gaussian(embedded(X), gamma=1 / 8)

    def errors(scheme, data, **setting):
        maps = (scheme(64, paired=paired, random_state=s, device="cpu", dtype="float64", **setting) for s in range(200))
        return [np.sqrt(np.mean((f @ f.T - kernel) ** 2)) for f in (each.fit_transform(data) for each in maps)]

    ours, theirs = errors(HybridCompositional, X), errors(RandomFourier, embedded(X), gamma=1 / 8)
    assert stats.ks_2samp(ours, theirs).pvalue > ALARM


# --- any other --------------------------------------------------------------------------------------------------------


@every_skeleton
def test_features_by_brute_force(name):
    skeleton = SKELETONS[name]
    X = points(skeleton)
    feature_map = HybridCompositional(50, skeleton=skeleton, dtype="float64", device="cpu").fit(X)
    theta = np.empty_like(X)
    for group in skeleton.inputs:
        theta[:, group.columns] = 2 * np.pi * group.base.turn * X[:, group.columns]
    expected, kinds = np.empty((len(X), 50)), set()
    for feature in range(50):
        patches = range(feature_map.ends_[feature], feature_map.ends_[feature + 1])
        kinds.add(len(patches))
        total = np.zeros(len(X))
        for patch in patches:
            inputs = skeleton.layers[0].edges[feature_map.nodes_[patch]]
            total += np.hstack([np.cos(theta[:, inputs]), np.sin(theta[:, inputs])]) @ feature_map.weights_[patch]
        expected[:, feature] = np.sqrt(2) * np.cos(total + feature_map.phases_[feature]) if patches else 1.0
    np.testing.assert_allclose(feature_map.transform(X), expected / np.sqrt(50), rtol=0, atol=1e-13)
    assert len(kinds) > 1 or name == "flat"


def test_weights_of_several_paths_to_one_patch_add_up():
    # Four paths, two patches: one of them is met c times, with a weight of variance c·s/(inputs of the patch).
    X = points(SKELETONS["few patches"])
    feature_map = HybridCompositional(4000, skeleton=SKELETONS["few patches"], dtype="float64", device="cpu").fit(X)
    squares = np.bincount(np.repeat(np.arange(4000), np.diff(feature_map.ends_)), (feature_map.weights_**2).sum(axis=1))
    # The sum over patches has the mean 4·2k·s/k = 2 and, whatever the counts, at most the variance of a single patch.
    assert abs(squares.mean() - 2.0) < 4.5 * squares.std() / np.sqrt(4000)


@pytest.mark.parametrize(
    ("skeleton", "found"),
    [
        ("1 convolution", "'relu' over circle"),
        (flat(9, QUARTER, "binary"), "'exponential' over binary"),
        (graph([("circle", 9)], [(QUARTER, list(range(9))), ("relu", [9, 0])]), "'exponential' over circle"),
    ],
    ids=["relu", "binary", "input above"],
)
def test_refuses_what_is_no_gaussian_kernel_of_patches(skeleton, found):
    with pytest.raises(ParameterError, match=f"whose kernel is a Gaussian one; got .*{found}.*Use 'flat' or 'deep'"):
        HybridCompositional(10, skeleton=skeleton).fit(np.zeros((2, 9)))


@pytest.mark.parametrize("skeleton", ["no such preset", 3, ["flat"]])
def test_refuses_what_is_no_skeleton(skeleton):
    with pytest.raises(ParameterError, match="skeleton must be"):
        HybridCompositional(10, skeleton=skeleton).fit(np.zeros((2, 9)))


def test_patches_that_no_window_covers_are_left_out():
    # 25 pixels a side give 11 × 11 patches, of which windows of 4 with stride 2 cover 10 × 10.
    X = np.random.default_rng(0).random((2, 625))
    fitted = HybridCompositional(20_000, skeleton="deep").fit(X)
    rows, columns = np.unravel_index(fitted.nodes_, (11, 11))
    assert rows.max() == columns.max() == 9
    F = fitted.transform(X).astype(float)
    products = fitted.n_components * F[0] * F[1]
    z = (products.mean() - fitted.kernel(X)[0, 1]) / (products.std() / np.sqrt(len(products)))
    assert abs(z) < stats.norm.isf(0.5e-6)
