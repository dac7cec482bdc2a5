"""The page on hashing: what it draws is what the analysis computes, and it answers what cannot be done."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.experiments.hashing.compute import hash_pairs, near_and_far
from rfviz.experiments.hashing.points import exact_order, hash_codes, hash_titles, prepare_hash_points
from rfviz.experiments.hashing.recall import recall_curves
from rfviz.features import MapSpec, RandomMaxout, RandomProjection
from rfviz.ui.cache import STORE
from tests.app_pages import OFFLINE, array, changed, opened, prose, specs
from tests.charts import opacity

SLUG = "hashing"
UNFOLDED = {f"details-{number}": True for number in range(3)}


@pytest.fixture(scope="module")
def digits():
    return prepare_hash_points(datasets.load("digits"), "unit norm")


def named(spec, name):
    (found,) = [t for t in spec["data"] if t.get("name") == name]
    return found


def maxout(q, m):
    return MapSpec(RandomMaxout, n_components=m, pool_size=q, random_state=0)


def expected_codes(points, spec):
    # The page cuts codes of at least 256 symbols; products of other shapes are rounded otherwise.
    m = spec.get("n_components")
    return hash_codes(points, spec.replace(n_components=max(m, 256)))[:, :m]


def expected_pairs(points, spec):
    return hash_pairs(points, spec, expected_codes(points, spec))


def test_draws_the_pairs_and_the_law(digits):
    at = opened(SLUG, {"pool_size": 6, "n_components": 96} | UNFOLDED)
    main = specs(at)[0]
    result = expected_pairs(digits, maxout(6, 96))
    np.testing.assert_allclose(array(named(main, "exact: 1 − κ")["y"]), result.expected)
    there = np.isfinite(result.means)
    np.testing.assert_allclose(array(named(main, "measured")["y"]), result.means[there], atol=2e-3)
    simhash = expected_pairs(digits, MapSpec(RandomProjection, n_components=96, random_state=0))
    np.testing.assert_allclose(array(named(main, "SimHash: θ/180°")["y"]), simhash.expected)
    (image,) = main["layout"]["images"]
    differ = (opacity(image) > 0) != (result.counts > 0)
    assert differ.mean() < 2e-3  # near ties of projections may turn
    table = at.dataframe[0].value
    np.testing.assert_allclose(table["differing, exact"], result.to_frame()["differing, exact"])
    assert f"{result.inside_expected:.0%}" in " ".join(prose(at))


def test_q_2_is_simhash():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "q = 2 is SimHash").click().run()
    assert not at.exception and at.session_state[f"{SLUG}.pool_size"] == 2
    main = specs(at)[0]
    np.testing.assert_allclose(
        array(named(main, "exact: 1 − κ")["y"]), array(named(main, "SimHash: θ/180°")["y"]), atol=1e-9
    )
    assert any("curve is SimHash" in m for m in prose(at))


def test_faces_find_their_neighbouring_frames():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Faces").click().run()
    assert not at.exception and not at.warning
    tiles = specs(at)[1]
    assert len(tiles["layout"]["images"]) == 9 + 1 + 7 + 7
    picked = tiles["data"][0]["customdata"]
    exact, by_code = np.array(picked[10:17]) - 33, np.array(picked[17:]) - 33
    assert len(set(exact) & set(by_code)) >= 6


def test_a_click_on_an_example_or_on_a_neighbour(digits):
    at = opened(SLUG, {"pool_size": 8})
    example = int(digits.queries[3])
    at.session_state["tiles:picked"] = example
    at.run()
    assert at.session_state[f"{SLUG}.first"] == example + 1 and at.session_state[f"{SLUG}.second"] == 0
    nearest = exact_order(digits, example, 2)
    assert any(f"rows {example + 1} and {nearest[0] + 1}" in m for m in prose(at))
    at.session_state["tiles:picked"] = int(nearest[1]) + len(digits.original)
    at.run()
    assert at.session_state[f"{SLUG}.second"] == nearest[1] + 1
    assert any(f"rows {example + 1} and {nearest[1] + 1}" in m for m in prose(at))


def test_strips_are_the_two_codes(digits):
    at = opened(SLUG, {"first": 11, "second": 40, "n_components": 128, "pool_size": 8})
    codes = expected_codes(digits, maxout(8, 128))
    strips = specs(at)[2]["data"][0]
    text = strips["text"]
    first = [int(symbol) for line in range(5) for symbol in text[3 * line]]
    second = [int(symbol) for line in range(5) for symbol in text[3 * line + 1]]
    assert np.mean(first == codes[10, :100]) > 0.98 and np.mean(second == codes[39, :100]) > 0.98
    filled = np.array([array(row) for row in strips["z"]] if isinstance(strips["z"], list) else array(strips["z"]))
    agree = np.concatenate([filled[3 * line] for line in range(5)])
    np.testing.assert_array_equal(agree, np.equal(first, second))


def test_exact_order_by_brute_force(digits):
    apart = 1 - digits.original @ digits.original[7]
    apart[7] = np.inf
    np.testing.assert_array_equal(exact_order(digits, 7, 5), np.argsort(apart)[:5])


def test_recall_draws_the_curves(digits):
    at = opened(SLUG, {"look": "Recall", "pools": [4, 8], "longest": 32, "draws": 2, "k": 5})
    result = recall_curves(digits, [4, 8], 32, 5, 2)
    chart = specs(at)[1]
    for curve in result.curves:
        np.testing.assert_allclose(array(named(chart, curve.label)["y"]), curve.mean, atol=5e-3)
        np.testing.assert_array_equal(array(named(chart, curve.label)["x"]), curve.symbols)
    for axis in ("bits", "projections"):
        chart = specs(changed(at, SLUG, {"axis": axis}))[1]
        for curve in result.curves:  # of SimHash a symbol is a bit of one projection
            np.testing.assert_array_equal(array(named(chart, curve.label)["x"]), getattr(curve, axis))
    assert len(at.dataframe[0].value) == 4
    assert changed(at, SLUG, {"pools": []}).info


def test_near_and_far_state_their_overlap(digits):
    at = opened(SLUG, {"look": "Near and far", "k": 5, "pool_size": 4, "n_components": 64})
    result = near_and_far(digits, maxout(4, 64), expected_codes(digits, maxout(4, 64)), 5)
    words = " ".join(prose(at))
    assert f"{result.auc:.3f}" in words and f"{result.auc_exact:.3f}" in words
    chart = specs(at)[1]
    bars = [t for t in chart["data"] if t["type"] == "bar"]
    for bar, name in zip(bars, ("near", "far"), strict=True):
        area = array(bar["y"]).sum() * float(bar["width"])
        assert area == pytest.approx(1.0, abs=1e-6), name


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
def test_every_data_set_without_download_works(name):
    at = opened(SLUG, {"data": name})
    assert not at.error and not at.warning
    assert len(specs(at)) == 3


@pytest.mark.parametrize("scheme", hash_titles())
def test_every_hash_works_or_says_why_not(scheme):
    at = opened(SLUG, {"map": scheme})
    assert not at.exception
    assert len(specs(at)) == 3 or len(at.error) == 1


@pytest.mark.parametrize("how", ["none", "standardise"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_normalisations_and_distances(how, metric):
    at = opened(SLUG, {"normalise": how, "metric": metric, "look": "Near and far"})
    assert not at.error and len(specs(at)) == 2


def test_too_many_symbols_are_refused(monkeypatch):
    at = opened(SLUG)
    STORE.clear()
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0001")
    changed(at, SLUG, {"n_components": 2048, "pool_size": 64, "seed": 77})
    assert len(at.error) == 1 and not specs(at)
    monkeypatch.delenv("RFVIZ_MEMORY_GB")
    assert specs(changed(at, SLUG, {"n_components": 64, "pool_size": 4}))


def test_address_sets_rows_that_exist():
    at = opened(SLUG, query={"first": "99999", "second": "3", "look": "nonsense"})
    assert at.session_state[f"{SLUG}.first"] == 1797
    assert len(at.toast) == 2 and not at.error


def clicked(at, x, y):
    """Click in the main chart, as its script says it."""
    at.session_state["hamming:placed"] = (1, [(x, y)])
    return at.run()


def test_a_click_compares_the_pair_and_writes_out_its_symbol(digits):
    at = clicked(opened(SLUG, {"look": "Near and far", "pool_size": 6, "n_components": 96}), 40.0, 0.6)
    assert not at.exception and not at.error and not at.warning
    assert at.session_state[f"{SLUG}.look"] == "Neighbours"
    rows = [at.session_state[f"{SLUG}.{name}"] - 1 for name in ("first", "second")]
    ring = named(specs(at)[0], "two points below")
    codes = expected_codes(digits, maxout(6, 96))[rows]
    angle = np.degrees(np.arccos(np.clip(digits.original[rows[0]] @ digits.original[rows[1]], -1, 1)))
    assert array(ring["x"])[0] == pytest.approx(angle, abs=1e-3) and abs(angle - 40.0) < 2.0
    assert array(ring["y"])[0] == pytest.approx((codes[0] != codes[1]).mean(), abs=0.011)  # near ties may turn
    assert abs(array(ring["y"])[0] - 0.6) < 0.05
    assert [box.value - 1 for box in at.number_input if box.label in ("Row x", "Row z")] == rows
    words = "\n".join(prose(at))
    assert f"rows {rows[0] + 1} and {rows[1] + 1}, the first" in words or f"rows {rows[0] + 1} and" in words
    exported = RandomMaxout(n_components=96, pool_size=6).fit(digits.original).codes(digits.original[rows])[:, 0]
    assert ("they **agree**" in words) == (exported[0] == exported[1])
    assert ("they **differ**" in words) == (exported[0] != exported[1])


def test_a_link_that_hides_the_rows_keeps_them():
    at = opened(SLUG, query={"hide": "first"})
    before = at.session_state[f"{SLUG}.first"]
    clicked(at, 40.0, 0.6)
    assert at.session_state[f"{SLUG}.first"] == before and not at.exception
