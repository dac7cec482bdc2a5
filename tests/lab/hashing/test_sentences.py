"""What the page on hashing says is what its charts draw."""

import numpy as np
import pytest
from scipy.stats import binom

from tests.lab.sentences import About, Sentence, drawn, page_at, seeds


def settings(seed):
    rng = np.random.default_rng(seed)
    values = {
        "data": ["digits", "turning_head", "sphere"][seed % 3],
        "seed": int(rng.integers(3)),
        "map": str(rng.choice(["RandomMaxout", "RandomMaxout", "RandomProjection"])),
        "n_components": int(rng.choice([16, 32, 256])),
        "look": "Near and far",
        "k": int(rng.choice([1, 5])),
    }
    if values["map"] == "RandomMaxout":
        values["pool_size"] = int(rng.choice([2, 3, 8, 16]))
    return values


@pytest.mark.parametrize("seed", seeds(12))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("hashing", values)
    figure, said = found.charts[0].figure, Sentence(found.charts[0].words)
    angle, share = drawn(figure, "exact: 1 − κ")
    # The pairs, which the chart draws as a density: their angles and symbols, without the page's own figures.
    points, codes, m = found.result.comparison.points, found.result.comparison.codes, values["n_components"]
    i, j = points.pairs[points.distinct].T
    X = points.original.astype(float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    apart = np.degrees(np.arccos(np.clip((X[i] * X[j]).sum(axis=1), -1, 1)))
    differ = (codes[i] != codes[j]).mean(axis=1)
    p = np.interp(apart, angle, share)
    deviation = np.sqrt(p * (1 - p) / m)
    inside = np.mean(np.abs(differ - p) <= deviation + 1e-12)
    half, mean = np.sqrt(m * p * (1 - p)), m * p
    theory = np.mean(binom.cdf(np.floor(mean + half), m, p) - binom.cdf(np.ceil(mean - half) - 1, m, p))
    said.says("{}% of {} pairs lie within the band", About(100 * inside, 1.5), len(i))
    said.says("(theory: {}%)", About(100 * theory, 1.5))
    said.says("The RMS error for a pair is {}", About(np.sqrt(np.mean((differ - p) ** 2)), 2e-3))
    q, end = values.get("pool_size"), figure.layout.xaxis.range[1]
    if q == 2:
        said.says("With q = {} the curve is SimHash’s, θ/{}°", 2, 180)
    elif q is not None:
        assert "flat" not in said
        said.says("With q = {} the curve begins steeper than SimHash’s, θ/{}°:", q, 180)
        for at in sorted({min(30, end), min(90, end)}):
            said.says(
                "at {}° {}% of the symbols differ instead of {}%",
                at,
                About(100 * np.interp(at, angle, share), 0.05),
                100 * at / 180,
            )
    said.says_nothing_else()


@pytest.mark.parametrize("seed", seeds(6))
def test_near_and_far_are_told_apart_as_their_densities_say(seed):
    values = settings(seed)
    found = page_at("hashing", values)
    chart = found.charts[1]
    said, m = Sentence(chart.words), values["n_components"]
    (line,) = [t for t in chart.figure.data if t.text is not None]
    threshold = round(line.x[0] * m - 0.5)
    wrong, area = {}, {}
    for kind in ("measured", "exact"):
        near, far = (chart.frame[f"{which}, {kind}"].to_numpy() for which in ("near", "far"))
        wrong[kind] = 0.5 * min(near[at + 1 :].sum() + far[: at + 1].sum() for at in range(m + 1))
        area[kind] = np.sum(far * (np.cumsum(near) - 0.5 * near))
    said.says("{}% of pairs are classified wrongly (theory: {}%)", 100 * wrong["measured"], 100 * wrong["exact"])
    said.says("if at most {} of {} symbols differ", threshold, m)
    said.says("one of its {} nearest neighbours", values["k"])
    said.says("with probability {} (the area under the ROC curve, AUC; theory: {})", area["measured"], area["exact"])
    said.says_nothing_else()


@pytest.mark.parametrize("pools", [[2], [4, 16]])
@pytest.mark.parametrize("axis", ["bits", "projections"])
def test_recall_is_read_off_the_curves(pools, axis):
    values = {"look": "Recall", "pools": pools, "longest": 32, "draws": 2, "axis": axis, "data": "turning_head", "k": 5}
    chart = page_at("hashing", values).charts[1]
    said, frame = Sentence(chart.words), chart.frame
    q = max(pools)
    pool, signs = (frame[frame["code"] == name] for name in (f"Maxout, q = {q}", "SimHash"))
    x, _ = drawn(chart.figure, "SimHash")
    np.testing.assert_allclose(signs[axis], x)
    last = pool.iloc[-1]
    bits, work = last["bits"], min(last["projections"], signs["projections"].iloc[-1])
    at_bits = np.interp(np.log(bits), np.log(signs["bits"]), signs["recall"])
    said.says(
        "With {} bits {} finds {}% of the {} nearest points, SimHash {}%",
        bits,
        f"Maxout, q = {q}",
        100 * last["recall"],
        5,
        100 * at_bits,
    )
    at_work = [np.interp(np.log(work), np.log(c["projections"]), c["recall"]) for c in (pool, signs)]
    said.says("{} projections per point, they find {}% and {}%", work, *(100 * share for share in at_work))
    said.says("Recall@{} is the share of the {} truly nearest points that are also among the {} nearest", 5, 5, 5)
    said.says("the mean of {} queries among {} points", 33, 33)
    said.says("Bands: one standard deviation over {} draws", 2)
    said.skips("log₂")
    said.says_nothing_else()
