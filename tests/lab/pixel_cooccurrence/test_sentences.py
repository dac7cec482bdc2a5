"""What the page on pixel co-occurrence says is what its maps draw."""

import numpy as np
import pytest

from rfviz.experiments.pixel_cooccurrence.describe import FIGURE_4, complexity_text
from rfviz.skeleton import convolutions, flat
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
    said.says("{} of {} features use the framed pixel (row {}, column {})", occurs, n, values["row"], values["column"])
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


def test_the_flat_skeletons_correlation_is_0_as_drawn_here_and_would_be_otherwise_with_a_relu_node():
    """By the generating function of the number of paths, for a pixel that is one of 576 children of one node."""

    def correlation(dual):
        one, two = dual(1 - 1 / 576), dual(1 - 2 / 576)
        p = 1 - one
        return (1 - 2 * one + two - p * p) / (p * (1 - p))

    relu = correlation(lambda r: (np.sqrt(1 - r * r) + (np.pi - np.arccos(r)) * r) / np.pi)
    assert f"+{relu:.4f} for all pairs of 24×24 pixels" in FIGURE_4
    assert correlation(lambda r: np.exp((r - 1) / 4)) == pytest.approx(0.0, abs=1e-12)


def test_what_the_complexity_is_and_is_not():
    exp = {"kind": "exponential", "scale": 0.5}
    alike = complexity_text(convolutions((8, 8), [(3, 2, exp)], exp))
    # One call for the top, half a one for the layer, a quarter for a pixel.
    assert "σ̂′(1) = 0.5 and all paths 2 edges" in alike and "0.5^2 is attained" in alike and "1.75 calls" in alike
    other = complexity_text(convolutions((8, 8), [(3, 2, exp)], "relu"))
    assert "the layers, 0.5 · 1." in other and "2.50 calls" in other and "attained" not in other
    assert "no mean" in complexity_text(flat(9, "step"))
