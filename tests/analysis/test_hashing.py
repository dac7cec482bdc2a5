"""Hash codes measured: distances, laws, neighbours and recall, against brute force, closed forms and scikit-learn."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binom
from sklearn.metrics import roc_auc_score

from rfviz import datasets
from rfviz.analysis.hamming import hamming_blocks, hamming_pairs, pack
from rfviz.analysis.hash_points import exact_neighbours, hash_codes, hash_schemes, make_hash, prepare_hash_points
from rfviz.analysis.hash_recall import code_lengths, expected_recall, recall_curves
from rfviz.analysis.hashing import BAND, hash_pairs, near_and_far, separation
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import RandomMaxout
from tests.features.cases import unit_rows

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def digits():
    return prepare_hash_points(datasets.load("digits"), "unit norm", max_points=400)


def maxout(m, q, seed=0):
    return {"n_components": m, "pool_size": q, "random_state": seed}


# --- Hamming distances ------------------------------------------------------------------------------------------------


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


# --- points -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_by_brute_force(metric):
    X = rng.standard_normal((60, 5))
    queries = np.array([3, 17, 59])
    distance = cdist(X[queries], X, metric)
    distance[np.arange(3), queries] = np.inf
    found, seconds = exact_neighbours(X, queries, 7, metric)
    np.testing.assert_array_equal(found, np.argsort(distance, axis=1)[:, :7])
    assert seconds > 0


def test_a_query_among_its_equals_is_not_its_own_neighbour():
    X = np.repeat(rng.standard_normal((4, 3)), 5, axis=0)
    found, _ = exact_neighbours(X, np.arange(20), 4, "euclidean")
    assert found.shape == (20, 4)
    assert not (found == np.arange(20)[:, None]).any()
    assert (found // 5 == np.arange(20)[:, None] // 5).all()


def test_pairs_are_of_different_points(digits):
    assert (digits.far[:, 0] != digits.far[:, 1]).all()
    assert digits.far.min() == 0 and digits.far.max() == 399
    first, second = digits.original[digits.pairs.T]
    np.testing.assert_allclose(np.cos(np.radians(digits.angles)), (first * second).sum(axis=1), atol=1e-9)


def test_few_coordinates_give_the_same_angles_and_codes_of_the_same_law():
    heads = prepare_hash_points(datasets.load("turning_head"), "unit norm")
    assert heads.coordinates.shape[1] < heads.original.shape[1]
    gram = heads.original @ heads.original.T
    i, j = heads.pairs.T
    np.testing.assert_allclose(np.cos(np.radians(heads.angles)), gram[i, j], atol=1e-9)


def test_codes_in_steps_are_the_codes(digits, monkeypatch):
    whole = hash_codes(digits, "RandomMaxout", maxout(40, 5))
    monkeypatch.setattr("rfviz.analysis.hash_points._STEP", 1)
    seen = []
    in_steps = hash_codes(digits, "RandomMaxout", maxout(40, 5), lambda share, text: seen.append(share))
    assert (whole != in_steps).mean() < 1e-4  # products of other shapes are rounded otherwise, and near ties turn
    assert seen == sorted(seen) and len(seen) > 10


@pytest.mark.parametrize(
    ("data", "how", "message"),
    [
        (datasets.Dataset("few", np.eye(4, dtype=np.float32)), "unit norm", "at least 5 points; few has 4"),
        (datasets.Dataset("zeros", np.zeros((9, 2), np.float32)), "none", "no angle"),
    ],
)
def test_points_that_cannot_be_searched(data, how, message):
    with pytest.raises(DataError, match=message):
        prepare_hash_points(data, how)


def test_only_hashes_hash(digits):
    assert {"RandomMaxout", "RandomProjection"} <= set(hash_schemes())
    for scheme in ("RandomFourier", "Nonsense"):
        with pytest.raises(ParameterError, match="scheme must be a hash"):
            make_hash(digits, scheme, {})


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
        setting = maxout(64, 8, seed)
        result = hash_pairs(digits, "RandomMaxout", setting, hash_codes(digits, "RandomMaxout", setting))
        inside.append(result.inside)
    assert result.counts.sum() == result.n_pairs == len(digits.pairs)
    z = (np.mean(inside) - result.inside_expected) / (np.std(inside, ddof=1) / 5)
    assert abs(z) < 4.5  # Student's t with 24 degrees of freedom: 1 in 5,000
    assert 0.9 < result.inside_expected < 0.98


def test_two_are_simhash_in_the_chart(digits):
    pair = hash_pairs(digits, "RandomMaxout", maxout(32, 2), hash_codes(digits, "RandomMaxout", maxout(32, 2)))
    signs = {"n_components": 32}
    sign = hash_pairs(digits, "RandomProjection", signs, hash_codes(digits, "RandomProjection", signs))
    np.testing.assert_allclose(pair.expected, sign.expected, atol=1e-12)
    np.testing.assert_allclose(sign.expected, sign.grid / 180.0, atol=1e-12)
    frame = sign.to_frame()
    np.testing.assert_allclose(frame["differing, exact"], frame["distance"] / 180.0, atol=1e-9)


def test_longer_codes_err_less(digits):
    rms = []
    for m in (32, 2048):
        setting = maxout(m, 8)
        rms.append(hash_pairs(digits, "RandomMaxout", setting, hash_codes(digits, "RandomMaxout", setting)).rms)
    assert rms[1] < rms[0] / 5  # eight times less on average


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
        setting = maxout(m, 4, seed)
        r = near_and_far(digits, "RandomMaxout", setting, hash_codes(digits, "RandomMaxout", setting), 5)
        rows.append([r.near @ np.arange(m + 1), r.far @ np.arange(m + 1)])
        assert r.near.sum() == pytest.approx(1) and r.far_exact.sum() == pytest.approx(1)
    exact = [r.near_exact @ np.arange(m + 1), r.far_exact @ np.arange(m + 1)]
    z = (np.mean(rows, axis=0) - exact) / (np.std(rows, axis=0, ddof=1) / 5)
    assert np.abs(z).max() < 4.5
    law = RandomMaxout(m, pool_size=4).collision_law()
    own = 1 - law.curve(digits.angles[len(digits.far) :].reshape(digits.neighbours.shape)[:, :5])
    assert exact[0] == pytest.approx(m * own.mean(), rel=1e-9)
    assert r.auc_exact > 0.9


# --- recall -----------------------------------------------------------------------------------------------------------


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
            setting = {"n_components": m, "random_state": draw}
            setting |= {"pool_size": curve.pool_size} if curve.scheme == "RandomMaxout" else {}
            codes = hash_codes(digits, curve.scheme, setting)
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
    with pytest.raises(MemoryBudgetError):
        hash_codes(digits, "RandomMaxout", maxout(4096, 64))
