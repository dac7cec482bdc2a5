"""The ten architectures: their skeletons, what they see, and how their ranking is told."""

import json
from pathlib import Path

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.splits import make_split, with_patches
from rfviz.errors import ParameterError
from rfviz.features import CompositionalFeatures, MapSpec
from rfviz.lab.accuracy.architectures import (
    AUGMENTED,
    AUGMENTED_EPOCHS,
    AUGMENTED_M,
    EXACT,
    NAMES,
    NETWORK_EPOCHS,
    NETWORK_FEATURES,
    NETWORKS,
    PAPER_TABLE_1,
    architecture,
    rank_correlations,
    ranking,
)
from rfviz.lab.accuracy.settings import Settings, candidates_of
from rfviz.linear_model import RidgePath

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_windows_and_components(name):
    patches, skeleton = architecture(name, (24, 24, 3))
    assert all(layer.activation.kind == "relu" for layer in skeleton.layers)
    if name == "full":
        assert patches is None and skeleton.n_columns == 24 * 24 * 3
        return
    first, second = map(int, name.split(","))
    assert patches == (first, 2, {4: 10, 5: 12, 6: 16}[first])
    places = (24 - first) // 2 + 1
    assert skeleton.image_shape == (places, places, patches[2])
    above = (places - second) // 2 + 1
    assert [len(layer.edges) for layer in skeleton.layers] == [places**2, above**2, 1]
    assert skeleton.layers[1].degree == second**2


def test_images_that_do_not_fit():
    with pytest.raises(ParameterError, match="must fit"):
        architecture("6,6", (8, 8))
    settings = Settings((CompositionalFeatures,), skeletons=("4-4",))
    with pytest.raises(ParameterError, match="8×8 pixels"):
        candidates_of(settings, (8, 8))
    with pytest.raises(ParameterError, match="no images"):
        candidates_of(settings, None)


def test_a_segment_is_what_the_parts_make():
    split = make_split(datasets.load("photo_patches", max_samples=300), "standardise rows")
    shape = datasets.load("photo_patches", max_samples=300).image_shape
    patches, skeleton = architecture("4,4", shape)
    prepared = with_patches(split, shape, patches)
    assert prepared.X_train.shape == (len(split.X_train), skeleton.n_columns)
    segment = run_segment(prepared, MapSpec(CompositionalFeatures, skeleton=skeleton.to_json()), [50, 100], 1.0)
    features = CompositionalFeatures(100, skeleton=skeleton)
    path = RidgePath(features, m_grid=[50, 100], alphas=1.0).fit(prepared.X_train, prepared.y_train)
    np.testing.assert_allclose(segment.errors, path.score_path(prepared.X_test, prepared.y_test))


def test_components_are_learnt_from_the_training_rows_alone():
    data = datasets.load("photo_patches", max_samples=200)
    split = make_split(data, "none")
    once = with_patches(split, data.image_shape, (5, 2, 6))
    split.X_test[:] = 0.5
    np.testing.assert_array_equal(with_patches(split, data.image_shape, (5, 2, 6)).X_train, once.X_train)


def test_ranking_and_correlation():
    papers = {name: [pair[0] - 1, pair[0] + 1] for name, pair in PAPER_TABLE_1.items()}
    table = ranking(papers)
    assert table["rank"].tolist() == table["paper rank"].tolist() == list(range(1, 11))
    np.testing.assert_allclose(table["s.e."], 1.0)
    assert rank_correlations(table)[0] == pytest.approx(1.0)
    networks = rank_correlations(ranking({name: [pair[1]] for name, pair in PAPER_TABLE_1.items()}))
    assert networks[1] == pytest.approx(1.0) and networks[0] < 1.0
    assert np.isnan(rank_correlations(ranking({"4,5": [1.0], "full": [2.0]}))).all()
    assert np.isnan(ranking({"full": [3.0]})["s.e."]).all()
    assert dict(zip(table["architecture"], table["exact %"], strict=True)) == EXACT
    measured = ranking(papers, {"full": 61.0}).set_index("architecture")["exact %"]
    assert measured.to_dict() == EXACT | {"full": 61.0}


def test_exact_kernels_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-architectures-cpu.json").read_text())
    assert {name: round(found["exact"]["accuracy"], 2) for name, found in stored["results"].items()} == EXACT
    assert stored["setting"]["train"] == 20_000


def test_features_trained_on_images_that_change_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-features-gpu.json").read_text())
    known = {name: tuple(run["by_epoch"][AUGMENTED_EPOCHS - 1]) for name, run in stored["results"].items()}
    assert known == AUGMENTED
    assert min(len(run["by_epoch"]) for run in stored["results"].values()) == AUGMENTED_EPOCHS  # what all have
    assert (tuple(stored["setting"]["m"]), stored["setting"]["train"]) == (AUGMENTED_M, 20_000)


def test_networks_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-networks-cpu.json").read_text())
    assert {name: result["accuracy"][-1] for name, result in stored["results"].items()} == NETWORKS
    setting = stored["setting"]
    assert (setting["epochs"], setting["top_channels"], setting["train"]) == (NETWORK_EPOCHS, NETWORK_FEATURES, 20_000)
    assert list(ranking({"full": [3.0], "4,5": [2.0]})["network %"]) == [NETWORKS["4,5"], NETWORKS["full"]]
