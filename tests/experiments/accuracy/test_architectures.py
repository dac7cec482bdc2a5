"""The ten architectures: their skeletons, what they see, and how their ranking is told."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import cifar_trained
from rfviz import datasets
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.splits import make_split, with_patches
from rfviz.errors import ParameterError
from rfviz.experiments import Accuracy
from rfviz.experiments.accuracy.architectures import (
    AUGMENTED,
    AUGMENTED_EPOCHS,
    AUGMENTED_M,
    EXACT,
    FEATURES_BY_EPOCH,
    FEATURES_M,
    NAMES,
    NETWORK_EPOCHS,
    NETWORK_FEATURES,
    NETWORKS,
    NETWORKS_BY_EPOCH,
    PAPER_TABLE_1,
    architecture,
    errors_by_epoch,
    rank_correlations,
    ranking,
)
from rfviz.features import CompositionalFeatures, MapSpec
from rfviz.linear_model import RidgePathClassifier

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
    experiment = Accuracy(maps=[CompositionalFeatures(skeleton="4,4")])
    with pytest.raises(ParameterError, match="8×8 pixels"):
        experiment.candidates((8, 8))
    with pytest.raises(ParameterError, match="no images"):
        experiment.candidates(None)


def test_a_segment_is_what_the_parts_make():
    split = make_split(datasets.load("photo_patches", max_samples=300), "standardise rows")
    shape = datasets.load("photo_patches", max_samples=300).image_shape
    patches, skeleton = architecture("4,4", shape)
    prepared = with_patches(split, shape, patches)
    assert prepared.X_train.shape == (len(split.X_train), skeleton.n_columns)
    segment = run_segment(prepared, MapSpec(CompositionalFeatures, skeleton=skeleton.to_json()), [50, 100], 1.0)
    features = CompositionalFeatures(100, skeleton=skeleton)
    path = RidgePathClassifier(features, m_grid=[50, 100], alphas=1.0).fit(prepared.X_train, prepared.y_train)
    np.testing.assert_allclose(segment.errors, path.error_path(prepared.X_test, prepared.y_test))


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
    assert rank_correlations(table).paper_features == pytest.approx(1.0)
    networks = rank_correlations(ranking({name: [pair[1]] for name, pair in PAPER_TABLE_1.items()}))
    assert networks.paper_networks == pytest.approx(1.0) and networks.paper_features < 1.0
    assert np.isnan(rank_correlations(ranking({"4,5": [1.0], "full": [2.0]}))).all()
    assert np.isnan(ranking({"full": [3.0]})["s.e."]).all()
    assert dict(zip(table["architecture"], table["exact %"], strict=True)) == EXACT
    measured = ranking(papers, {"full": 61.0}).set_index("architecture")["exact %"]
    assert measured.to_dict() == EXACT | {"full": 61.0}


def test_features_and_networks_may_order_the_architectures_alike_or_not():
    alike = rank_correlations(ranking({name: [right] for name, right in NETWORKS.items()}))
    opposite = rank_correlations(ranking({name: [-right] for name, right in NETWORKS.items()}))
    assert (alike.networks, opposite.networks) == pytest.approx((1.0, -1.0))
    assert alike.paper == opposite.paper == pytest.approx(0.915, abs=0.001)  # that of the paper does not depend on ours
    # Of the three on the page alone: the paper's features and networks order these the same way.
    three = {name: [NETWORKS[name]] for name in ("4,5", "4,4", "full")}
    assert rank_correlations(ranking(three)).paper == pytest.approx(1.0)


def test_exact_kernels_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-architectures-cpu.json").read_text())
    assert {name: round(found["exact"]["accuracy"], 2) for name, found in stored["results"].items()} == EXACT
    assert stored["setting"]["train"] == 20_000


def test_what_was_trained_is_what_the_results_say():
    stored = json.loads(cifar_trained.STORED.read_text())
    assert stored == cifar_trained.collected(), "run benchmarks/cifar_trained.py"
    assert cifar_trained.STORED.stat().st_size < 10_000
    for name in NAMES:
        features, network = errors_by_epoch(name)
        assert [100 - error for error in network] == pytest.approx(NETWORKS_BY_EPOCH[name])
        assert [100 - error for error in features] == pytest.approx(FEATURES_BY_EPOCH[name])
    assert FEATURES_M == 100_000
    assert errors_by_epoch("flat") == ()


def test_features_trained_on_images_that_change_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-features-gpu.json").read_text())
    known = {name: tuple(run["by_epoch"][AUGMENTED_EPOCHS - 1]) for name, run in stored["results"].items()}
    assert known == AUGMENTED
    assert min(len(run["by_epoch"]) for run in stored["results"].values()) == AUGMENTED_EPOCHS  # what all have
    assert (tuple(stored["setting"]["m"]), stored["setting"]["train"]) == (AUGMENTED_M, 20_000)


def test_an_extrapolation_is_near_where_the_end_is_known(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    extrapolated = importlib.import_module("cifar_features").extrapolated
    epochs = np.arange(1.0, 31.0)
    assert extrapolated(70 - 25 * epochs**-0.4, 120) == pytest.approx(70 - 25 * 120**-0.4, abs=0.1)
    assert extrapolated([50.0] * 5, 120) is None
    stored = json.loads((ROOT / "benchmarks/results/cifar-features-gpu.json").read_text())
    for curve in zip(*stored["results"]["4,5"]["by_epoch"], strict=True):
        assert extrapolated(curve[:31], len(curve)) == pytest.approx(np.mean(curve[-4:]), abs=1.0)


def test_networks_are_those_of_the_benchmark():
    stored = json.loads((ROOT / "benchmarks/results/cifar-networks-cpu.json").read_text())
    assert {name: result["accuracy"][-1] for name, result in stored["results"].items()} == NETWORKS
    setting = stored["setting"]
    assert (setting["epochs"], setting["top_channels"], setting["train"]) == (NETWORK_EPOCHS, NETWORK_FEATURES, 20_000)
    assert list(ranking({"full": [3.0], "4,5": [2.0]})["network %"]) == [NETWORKS["4,5"], NETWORKS["full"]]
