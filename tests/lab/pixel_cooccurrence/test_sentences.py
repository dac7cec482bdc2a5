"""What the page on pixel co-occurrence says is what its maps draw."""

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.experiments import PixelCooccurrence
from rfviz.experiments.pixel_cooccurrence.compute import Tier
from rfviz.experiments.pixel_cooccurrence.describe import complexity_text, figure_4
from rfviz.skeleton import convolutions, flat
from rfviz.words import number
from tests.lab.sentences import Sentence, drawn, page_at, seeds

SKELETONS = ["flat", "1 convolution", "2 convolutions", "3 convolutions", "deep", "own"]
OWN = [["3/1/relu", "exponential/2"], ["relu"], ["5/3/relu", "relu"]]


def settings(seed):
    rng = np.random.default_rng(seed)
    side = int(rng.choice([8, 12, 15]))
    values = {
        "skeleton": SKELETONS[seed % len(SKELETONS)],
        "features": int(rng.choice([1000, 10_000, 100_000])),
        "side": side,
        "colour": bool(rng.integers(2)),
        "seed": int(rng.integers(3)),
        "row": int(rng.choice([1, side // 2, side])),
        "column": int(rng.choice([1, side // 2])),
    }
    return values | ({"layers": OWN[rng.integers(len(OWN))]} if values["skeleton"] == "own" else {})


@pytest.mark.parametrize("seed", seeds(18))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("pixel-cooccurrence", values)
    maps, errors = found.charts
    said, side, n = Sentence(maps.words), values["side"], values["features"]
    counted, exact = (np.asarray(t.z, float) for t in maps.figure.data if t.type == "heatmap")
    place = values["row"] - 1, values["column"] - 1
    others = np.ones((side, side), dtype=bool)
    others[place] = False
    occurs = round(maps.frame["occurs"].to_numpy().reshape(side, side)[place] * n)
    use = "uses" if occurs == 1 else "use"
    pattern = f"{{}} of {{}} features {use} the framed pixel (row {{}}, column {{}})"
    said.says(pattern, occurs, n, values["row"], values["column"])
    never = maps.frame["occurs, exact"].to_numpy().reshape(side, side) == 0
    if never[place]:
        assert "No window reaches this pixel" in said
        said.says_nothing_else()
        return
    there = np.nan_to_num(exact[others])
    if np.abs(there).max() < 1e-7:
        said.says("the exact correlation is {} everywhere", 0)
    elif np.ptp(there) < 1e-7:
        assert "the exact map is constant" in said
    else:
        said.says("The exact map ranges from {} to {}.", there.min(), there.max())
    if never.sum() == 1:
        assert "The grey pixel is in no feature" in said
    elif never.any():
        said.says("The {} grey pixels are in no feature", never.sum())
    if occurs:
        difference = np.sqrt(np.mean((np.nan_to_num(counted) - np.nan_to_num(exact))[others] ** 2))
        _, predicted = drawn(errors.figure, "predicted")
        said.says("The two maps differ by {} (RMS; predicted {}).", difference, predicted[-1])
    else:
        assert "None of these features reaches it yet" in said
    said.says_nothing_else()


def test_the_flat_skeletons_correlation_is_that_of_its_activation():
    """By the generating function of the number of paths, for a pixel that is one of 576 children of one node."""

    def correlation(dual):
        one, two = dual(1 - 1 / 576), dual(1 - 2 / 576)
        p = 1 - one
        return (1 - 2 * one + two - p * p) / (p * (1 - p))

    relu = correlation(lambda r: (np.sqrt(1 - r * r) + (np.pi - np.arccos(r)) * r) / np.pi)
    assert f"all pairs have the exact correlation {relu:.4f}, and" in figure_4_of(side=24)
    assert correlation(lambda r: np.exp((r - 1) / 4)) == pytest.approx(0.0, abs=1e-12)
    assert "all pairs have the exact correlation 0, as by chance" in figure_4_of(activation="exponential/0.25")


def figure_4_of(**changes):
    experiment = PixelCooccurrence(**({"side": 12, "n_features": 1000} | changes))
    return experiment.run().charts["grid"].words


def test_what_is_said_of_the_tiers_is_so():
    """Whether two pixels share a window is told by rectangles here; correlations by their chart."""
    for windows, size, stride in (("3/3", 3, 3), ("4/2", 4, 2)):
        experiment = PixelCooccurrence(side=12, n_features=1000, windows=[windows])
        result = experiment.run()
        frame = result.charts["grid-exact"].frame
        frame = frame[(frame["skeleton"] == "1 convolution") & (frame["pixel"] != frame["framed"])]
        corners = [(i, j) for i in range(0, 13 - size, stride) for j in range(0, 13 - size, stride)]

        def together(a, b, corners=corners, size=size):
            (r, c), (u, v) = divmod(a, 12), divmod(b, 12)
            return any(i <= min(r, u) and max(r, u) < i + size and j <= min(c, v) and max(c, v) < j + size
                       for i, j in corners)  # fmt: skip

        shares = np.array([together(*pair) for pair in zip(frame["pixel"], frame["framed"], strict=True)])
        near, far = (frame["correlation, exact"].to_numpy()[part] for part in (shares, ~shares))
        first, top = experiment.tiers(Cache())["1 convolution"]
        assert (first.layer, first.pairs, top.layer, top.pairs) == (1, len(near), 2, len(far))
        for tier, values in ((first, near), (top, far)):
            assert [tier.lowest, tier.mean, tier.highest] == pytest.approx([values.min(), values.mean(), values.max()])
        assert (
            f"falls from tier to tier, {number(near.mean(), 2)}, {number(far.mean(), 2)}" in result.charts["grid"].words
        )
        assert ("no two ranges overlap" in result.charts["grid"].words) == (near.min() > far.max())
    assert "the ranges overlap, as" in figure_4_of(side=24, colour=True)
    all_share = figure_4_of(windows=["12/1"])
    assert "all pairs meet equally low" in all_share and "falls" not in all_share


def test_means_need_not_fall_from_tier_to_tier():
    tiers = {
        "flat": (Tier(1, 9, 0.1, 0.1, 0.1),),
        "1 convolution": (Tier(1, 9, 0.1, 0.2, 0.3), Tier(2, 9, 0.3, 0.4, 0.5)),
    }
    skeletons = PixelCooccurrence(side=12, windows=["3/1"]).skeletons
    assert "correlations do not fall from tier to tier; their means are 0.20, 0.40" in figure_4(tiers, skeletons, "erf")


def test_what_the_paper_leaves_open_is_said_with_what_was_chosen():
    said = figure_4_of(colour=True, activation="erf")
    assert "12×12 pixels in three colours" in said and "for all nodes erf." in said
    assert "12×12 pixels of grey" in figure_4_of() and "for all nodes a ReLU." in figure_4_of()


def test_what_the_complexity_is_and_is_not():
    exp = {"kind": "exponential", "scale": 0.5}
    alike = complexity_text(convolutions((8, 8), [(3, 2, exp)], exp))
    # One call for the top, half a one for the layer, a quarter for a pixel.
    assert "σ̂′(1) = 0.5 and all paths 2 edges" in alike and "0.5^2 is attained" in alike and "1.75 calls" in alike
    other = complexity_text(convolutions((8, 8), [(3, 2, exp)], "relu"))
    assert "the layers, 0.5 · 1." in other and "2.50 calls" in other and "attained" not in other
    assert "no mean" in complexity_text(flat(9, "step"))
