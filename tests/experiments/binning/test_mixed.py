"""A mixture of grids and waves: the same as scikit-learn's union of both maps, and the kernel and error by hand."""

import dataclasses
import re

import numpy as np
import pytest
from sklearn.pipeline import FeatureUnion

from rfviz import datasets
from rfviz.errors import ParameterError
from rfviz.experiments import Binning
from rfviz.experiments.binning.compute import plane_grids, shared_boxes
from rfviz.experiments.binning.mixed import mixed_maps
from rfviz.features import MapSpec, RandomBinning, RandomFourier


def mixed(share, seed=0, p=100, gamma=2.0):
    feature_map = RandomBinning(p, gamma=gamma, random_state=seed)
    return Binning(feature_map=feature_map, view="Mixture", share=share, row=5).run("moons")


def test_the_estimate_is_the_inner_product_of_a_feature_union():
    result = mixed(0.3)
    grids = result.numbers.grids
    union = FeatureUnion(
        [("grids", RandomBinning(100, gamma=2.0, random_state=0)),
         ("waves", RandomFourier(200, gamma=2.0, random_state=int(grids.feature_map.seed_) % 2**31))],
        transformer_weights={"grids": np.sqrt(0.3), "waves": np.sqrt(0.7)},
    )  # fmt: skip
    union.fit(grids.points)
    frame = result.to_frame("mixed").iloc[::97]
    Phi = union.transform(np.vstack([grids.points[5], frame[["x₁", "x₂"]]]))
    products = np.asarray((Phi[1:] @ Phi[0].T).todense()).ravel()
    # Grids of a map of its own: the first hundred of those that the page draws.
    np.testing.assert_allclose(products, frame["estimate"], atol=2e-5)


def test_the_kernel_is_the_mixture_of_both_by_hand():
    result = mixed(0.3)
    frame, point = result.to_frame("mixed"), result.numbers.grids.points[5]
    apart = np.abs(frame[["x₁", "x₂"]].to_numpy() - point)
    by_hand = 0.3 * np.exp(-2 * apart.sum(axis=1)) + 0.7 * np.exp(-2 * (apart**2).sum(axis=1))
    np.testing.assert_allclose(frame["exact"], by_hand, atol=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_errors_of_draws_have_the_expected_mean_square(share):
    moons, runs = datasets.load("moons"), []
    for seed in range(24):
        grids = plane_grids(moons, MapSpec(RandomBinning, gamma=2.0, random_state=seed), 50)
        runs.append(mixed_maps(grids, shared_boxes(grids, 5, 50), share))
    squares = np.array([run.error**2 for run in runs])
    z = (squares.mean() - runs[0].expected(share) ** 2) / (squares.std(ddof=1) / np.sqrt(len(squares)))
    assert abs(z) < 5  # skewed and few draws: a false alarm in some thousands


def test_the_sentence_has_the_errors_of_both_parts():
    result = mixed(0.5)
    words = result.charts["boxes"].words
    numbers = [
        float(n) for n in re.findall(r"(\d\.\d+) for (?:this mixture|waves alone)|(\d\.\d+) for grids", words)[0] if n
    ]
    assert numbers[0] == pytest.approx(result.numbers.mixed.expected(0.5), rel=0.1)
    assert f"a = {0.50:.2f}" in words and "100 grids and 100 waves" in words
    plain = dataclasses.replace(Binning(feature_map=RandomBinning(100, gamma=2.0)), row=5).run("moons")
    assert "waves" not in plain.charts["boxes"].words and list(plain.charts)[1] == "shared"


def test_a_share_is_a_share():
    with pytest.raises(ParameterError, match="share must be"):
        mixed(1.5)
