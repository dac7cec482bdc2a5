"""What the page on Maxout-PCA says is what its chart draws."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from rfviz import datasets
from rfviz.experiments.maxout_pca.describe import rho_of
from tests.lab.sentences import About, Sentence, page_at, seeds


def settings(seed):
    rng = np.random.default_rng(seed)
    values = {
        "data": ["turning_head", "turning_head", "circle", "sphere"][seed % 4],
        "seed": int(rng.integers(3)),
        "map": str(rng.choice(["RandomMaxout", "RandomFourier", "RandomReLU"])),
        "dimensions": str(rng.choice(["2", "3"])),
        "n_components": int(rng.choice([10, 100, 2000])),
    }
    if values["data"] == "turning_head":
        values |= {"data.order_noise": int(rng.choice([0, 3])), "data.random_state": int(rng.integers(3))}
    if values["map"] == "RandomFourier":
        values["gamma"] = float(rng.choice([0.1, 10.0]))
    return values


@pytest.mark.parametrize("seed", seeds(16))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("maxout-pca", values)
    chart = found.charts[0]
    figure, said, frame, k = chart.figure, Sentence(chart.words), chart.frame, int(values["dimensions"])
    axes = (
        [figure.layout.xaxis.title.text, figure.layout.yaxis.title.text]
        if k == 2
        else [getattr(figure.layout.scene, f"{axis}axis").title.text for axis in "xyz"]
    )
    explained = sum(float(title.split("(")[1].split("%")[0]) for title in axes)
    said.says("one of {} points, placed by the first {} principal components", len(frame), k)
    said.says("of its features ({}% of their variance)", About(explained, 0.5 * k))
    if "given place" not in frame:
        said.says_nothing_else()
        return
    given, place = frame["given place"].to_numpy(), frame["place on the curve"].to_numpy()
    rho = spearmanr(given, place).statistic
    if rho < 0.5:
        said.says("(Spearman’s ρ) of only {} with the given one", rho)
        said.says_nothing_else()
        return
    said.says("(Spearman’s ρ) of {} with the given one; {} is the same order.", rho, 1)
    if "Plain PCA" in said:
        plain = found.result.plain.order
        said.says("(ρ = {})", spearmanr(plain.given, plain.recovered).statistic)
    moved = given != place
    plural = "s are" if moved.sum() > 1 else ""
    if not moved.any():
        assert "No points are not where their numbers say" in said
    else:
        said.says(f"{{}} point{plural}", moved.sum())
    if "swapped on purpose" in said:
        noise = {"order_noise": values["data.order_noise"], "random_state": values["data.random_state"]}
        data = datasets.load("turning_head", **noise)
        swapped = rankdata(-data.y) != rankdata(data.order)
        both, made = (moved & swapped).sum(), swapped.sum()
        if both == made:
            said.says("all {} that were swapped on purpose", made)
        else:
            said.says("{} of the {} that were swapped on purpose", both, made)
    said.says_nothing_else()


def test_a_rank_correlation_is_1_only_for_the_same_order():
    assert (rho_of(1.0), rho_of(0.99334), rho_of(0.999981)) == ("1", "0.9933", "0.9999810")
