"""Hash codes against their exact law, closed forms and scikit-learn."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.metrics import roc_auc_score

from rfviz import datasets
from rfviz.errors import ParameterError
from rfviz.experiments.hashing.compute import BAND, hash_pairs, near_and_far, separation
from rfviz.experiments.hashing.points import hash_codes, prepare_hash_points
from rfviz.features import MapSpec, RandomBinning, RandomMaxout, RandomProjection
from tests.features.cases import unit_rows

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def digits():
    return prepare_hash_points(datasets.load("digits"), "unit norm", max_points=400)


def maxout(m, q, seed=0):
    return MapSpec(RandomMaxout, n_components=m, pool_size=q, random_state=seed)


# --- the law ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [2, 8, 32])
def test_the_band_covers_what_a_binomial_covers(q):
    """z-score of how often one pair lies in the band, over 3,000 draws; false alarms 1 in 10,000 a pair."""
    few, m, draws = unit_rows(6, 4, seed=3), 40, 3000
    law = RandomMaxout(m, pool_size=q).collision_law()
    one = RandomMaxout(m * draws, pool_size=q, device="cpu").fit(few)
    codes = one.codes(few).reshape(6, draws, m)
    for i, j in itertools.combinations(range(4), 2):
        share = (codes[i] != codes[j]).mean(axis=1)
        p, low, high = (v[0] for v in law.band(law.measure(few[[i]], few[[j]]), m, BAND))
        counts = np.arange(m + 1)
        covered = binom.pmf(counts, m, p)[(counts / m >= low) & (counts / m <= high)].sum()
        inside = ((share >= low) & (share <= high)).mean()
        assert abs(inside - covered) < 3.9 * np.sqrt(covered * (1 - covered) / draws)


def test_measured_pairs_follow_the_curve(digits):
    """Mean over draws of the share inside the band, against the binomial's; the draws give the standard error."""
    inside = []
    for seed in range(25):
        spec = maxout(64, 8, seed)
        result = hash_pairs(digits, spec, hash_codes(digits, spec))
        inside.append(result.inside)
    assert result.counts.sum() == result.n_pairs == len(digits.distinct)
    z = (np.mean(inside) - result.inside_expected) / (np.std(inside, ddof=1) / 5)
    assert abs(z) < 4.5  # Student's t with 24 degrees of freedom: 1 in 5,000
    assert 0.6 < result.inside_expected < 0.8


def test_two_are_simhash_in_the_chart(digits):
    pair = hash_pairs(digits, maxout(32, 2), hash_codes(digits, maxout(32, 2)))
    signs = MapSpec(RandomProjection, n_components=32)
    sign = hash_pairs(digits, signs, hash_codes(digits, signs))
    np.testing.assert_allclose(pair.expected, sign.expected, atol=1e-12)
    np.testing.assert_allclose(sign.expected, sign.grid / 180.0, atol=1e-12)
    frame = sign.to_frame()
    np.testing.assert_allclose(frame["differing, exact"], frame["distance"] / 180.0, atol=1e-9)


def test_longer_codes_err_less(digits):
    rms = []
    for m in (32, 2048):
        spec = maxout(m, 8)
        rms.append(hash_pairs(digits, spec, hash_codes(digits, spec)).rms)
    assert rms[1] < rms[0] / 5  # eight times less on average


def test_boxes_are_hashes_too(digits):
    """Random binning by its own distance: the z-score of the mean share over draws; false alarms 1 in 5,000."""
    boxes = MapSpec(RandomBinning, n_components=64, gamma=0.3)
    off = []
    for seed in range(25):
        spec = boxes.replace(random_state=seed)
        codes = hash_codes(digits, spec)
        assert codes.dtype == np.uint16 and codes.max() < len(digits.original)
        result = hash_pairs(digits, spec, codes)
        there = np.isfinite(result.means)
        off.append(np.mean(result.means[there] - np.interp(result.centres, result.grid, result.expected)[there]))
    assert "‖x − z‖₁" in result.title
    distance = np.abs(digits.original[digits.pairs[:, 0]] - digits.original[digits.pairs[:, 1]]).sum(axis=1)
    assert result.grid[-1] == pytest.approx(distance.max())
    np.testing.assert_allclose(result.expected, 1 - np.exp(-0.3 * result.grid), atol=1e-12)
    # Columns are narrow, but their pairs not evenly spread: allow for a thousandth in addition to the noise.
    assert abs(np.mean(off)) < 4.5 * np.std(off, ddof=1) / 5 + 1e-3
    with pytest.raises(ParameterError, match="law of one distance"):
        hash_pairs(digits, boxes.replace(profile="hat"), codes)


# --- near and far -----------------------------------------------------------------------------------------------------


def test_separation_is_the_area_under_the_curve():
    near, far = rng.integers(0, 12, 300), rng.integers(3, 17, 500)
    shares = [np.bincount(values, minlength=20) / len(values) for values in (near, far)]
    auc, threshold, error = separation(*shares)
    labels = np.repeat([0, 1], [300, 500])
    assert auc == pytest.approx(roc_auc_score(labels, np.concatenate([near, far])), abs=1e-12)
    errors = [((near > t).mean() + (far <= t).mean()) / 2 for t in range(20)]
    assert error == pytest.approx(min(errors), abs=1e-12)
    assert errors[threshold] == pytest.approx(error, abs=1e-12)
    assert separation(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == (1.0, 0, 0.0)


def test_near_and_far_pairs_are_distributed_as_the_law_says(digits):
    """z-scores of mean distances and of the AUC over draws of the map; false alarms 1 in 5,000 each."""
    m, rows = 48, []
    for seed in range(25):
        spec = maxout(m, 4, seed)
        r = near_and_far(digits, spec, hash_codes(digits, spec), 5)
        rows.append([r.near @ np.arange(m + 1), r.far @ np.arange(m + 1)])
        assert r.near.sum() == pytest.approx(1) and r.far_exact.sum() == pytest.approx(1)
    exact = [r.near_exact @ np.arange(m + 1), r.far_exact @ np.arange(m + 1)]
    z = (np.mean(rows, axis=0) - exact) / (np.std(rows, axis=0, ddof=1) / 5)
    assert np.abs(z).max() < 4.5
    law = RandomMaxout(m, pool_size=4).collision_law()
    own = 1 - law.curve(digits.angles[len(digits.far) :].reshape(digits.neighbours.shape)[:, :5])
    assert exact[0] == pytest.approx(m * own.mean(), rel=1e-9)
    assert r.auc_exact > 0.9
