"""Accuracy as an experiment: the errors of the estimators, curves with names of their own, and settings refused."""

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError, ParameterError, capture_warnings
from rfviz.experiments import Accuracy, as_data
from rfviz.features import CompositionalFeatures, MapSpec, RandomFourier, RandomMaxout, RandomPool, RandomProjection
from rfviz.linear_model import RidgePathClassifier

WAVES = RandomFourier(gamma=0.001)


@pytest.fixture(scope="module")
def digits():
    return as_data(datasets.load("digits"))


def labels(*maps, image_shape=None, **settings):
    return [curve.label for curve in Accuracy(maps=maps, **settings).candidates(image_shape)]


def test_errors_are_those_of_the_estimator(digits):
    found = Accuracy(maps=[WAVES], m_max=40, seeds=1, alpha=1.0, test_share=0.5).run(digits)
    split = found.numbers.split
    assert len(split.X_test) == round(len(digits.dataset.X) / 2)
    curve = found.to_frame()
    features = RandomFourier(40, gamma=0.001, random_state=0)
    path = RidgePathClassifier(features, m_grid=list(curve["m"]), alphas=1.0).fit(split.X_train, split.y_train)
    np.testing.assert_allclose(curve["error"], 100 * path.error_path(split.X_test, split.y_test))


@pytest.mark.parametrize("grow", ["features", "rows"])
def test_curves_grow_part_by_part_to_the_result_of_the_run(digits, grow):
    experiment, cache = Accuracy(maps=[WAVES, RandomProjection()], m_max=60, seeds=1, alpha=1.0, grow=grow), Cache()
    *early, last = experiment.parts(digits, cache=cache)
    assert not early[0].numbers.is_complete and last.numbers.is_complete
    points = [len(result.to_frame()) for result in [*early, last]]
    assert points[0] < points[-1] and points == sorted(points)
    assert experiment.run(digits, cache=cache).to_frame().equals(last.to_frame())


def test_a_further_draw_computes_only_its_own_parts(digits):
    cache = Cache()
    Accuracy(maps=[WAVES], m_max=40, seeds=1, alpha=1.0).run(digits, cache=cache)
    work = Accuracy(maps=[WAVES], m_max=40, seeds=2, alpha=1.0).work(digits, cache)
    assert {part.args[0].spec.get("random_state") for part in work.missing()} == {1}


def test_a_baseline_that_is_refused_is_a_warning(digits, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.025")
    with capture_warnings() as log:
        result = Accuracy(maps=[RandomProjection()], baselines=["kernel_ridge"], m_max=40, seeds=1).run(digits).numbers
    (reason,) = result.refused
    assert reason.startswith("Exact kernel ridge needs") and [text for text, _ in log.messages] == [reason]
    assert not result.baselines and len(result.curves()[0].frame)


def test_curves_are_named_by_what_tells_them_apart():
    fields = {"receptive_field": (3, 6), "image_shape": (8, 8)}
    assert labels(RandomFourier()) == ["Random Fourier"]
    assert labels(RandomFourier(gamma=0.1), RandomFourier(gamma=2.0)) == [
        "Random Fourier, γ = 0.1",
        "Random Fourier, γ = 2",
    ]
    assert labels(RandomFourier(), RandomFourier(**fields)) == ["Random Fourier", "Random Fourier, rectangles"]
    smaller = RandomFourier(**fields | {"receptive_field": (2, 4)})
    assert labels(RandomFourier(**fields), smaller) == [
        "Random Fourier, receptive_field = (3, 6), rectangles",
        "Random Fourier, receptive_field = (2, 4), rectangles",
    ]
    pools = RandomMaxout(pool_size=2), RandomMaxout(pool_size=8), RandomPool(pool_size=5, rule="range")
    assert labels(*pools) == ["Random maxout, q = 2", "Random maxout, q = 8", "Random pool, range, q = 5"]
    flat, own = CompositionalFeatures(skeleton="flat"), CompositionalFeatures(skeleton='{"nodes": []}')
    assert labels(flat, own) == ["Compositional, flat", "Compositional"]


def test_the_same_map_is_one_curve_whatever_its_size_and_seed():
    same = RandomMaxout(10, pool_size=2), MapSpec(RandomMaxout, pool_size=2, random_state=3)
    (curve,) = Accuracy(maps=same).candidates(None)
    assert curve.spec == MapSpec(RandomMaxout, pool_size=2)


def test_maps_that_project_are_trained_in_two_ways():
    assert labels(WAVES, CompositionalFeatures(), doubly_stochastic=True) == [
        "Random Fourier",
        "Random Fourier, doubly stochastic",
        "Compositional, flat",
    ]


def test_an_architecture_learns_from_patches():
    four, full = Accuracy(maps=[CompositionalFeatures(skeleton=name) for name in ("4,4", "full")]).candidates((24, 24))
    assert (four.label, full.label) == ("4,4", "full") and full.patches is None
    shape, (side, stride, _) = four.patches
    assert (shape, side, stride) == ((24, 24), 4, 2)


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"baselines": ["svm"]}, "baselines must be one of 'knn'"),
        ({"exact": True, "loss": "hinge"}, "exact must be False unless"),
        ({"exact": True, "alpha": 1.0}, "exact must be False unless"),
        ({"exact": True, "all_rows": True}, "exact must be False unless"),
        ({"all_rows": True, "grow": "rows"}, "grow must be 'features' if"),
        ({"test_share": 0.0}, "test_share must be"),
        ({"loss": "squared"}, "loss must be one of 'ridge'"),
        ({"intercept": False, "exact": True}, "intercept must be True unless"),
        ({"intercept": False, "loss": "hinge"}, "intercept must be True unless"),
        ({"intercept": False, "measure": "squared error"}, "intercept must be True unless"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, rule):
    with pytest.raises(ParameterError, match=rule):
        Accuracy(maps=[WAVES], **settings)


def test_no_map_and_no_labels_are_one_sentence(digits):
    with pytest.raises(DataError, match="at least one map"):
        Accuracy(maps=[]).run(digits)
    with pytest.raises(DataError, match="needs labels"):
        Accuracy(maps=[WAVES]).run("circle")


def test_without_an_intercept_curves_are_those_of_a_ridge_that_has_none(digits):
    result = Accuracy(maps=[RandomProjection()], m_max=20, seeds=1, alpha=5.0, intercept=False).run(digits)
    split, frame = result.numbers.split, result.to_frame()
    Phi, Phi_test = (
        np.sqrt(20.0) * RandomProjection(20, random_state=0).fit(split.X_train).transform(X).astype(float)
        for X in (split.X_train, split.X_test)
    )
    codes = np.where(split.y_train[:, None] == np.arange(10), 1.0, -1.0)
    ridge = Ridge(alpha=5.0, fit_intercept=False).fit(Phi, codes)
    wrong = 100 * np.mean(ridge.predict(Phi_test).argmax(axis=1) != split.y_test)
    assert frame.loc[frame["m"] == 20, "error"].item() == pytest.approx(wrong, abs=100.5 / len(split.y_test))


def test_architectures_get_their_ranking_as_a_chart_of_its_own():
    rng = np.random.default_rng(0)
    images = Dataset("images", rng.random((60, 144), dtype=np.float32), np.arange(60) % 3, ("a", "b", "c"))
    images = dataclasses.replace(images, image_shape=(12, 12))
    maps = [CompositionalFeatures(skeleton=name) for name in ("4,4", "full")]
    result = Accuracy(maps=maps, m_max=20, seeds=2, alpha=1.0).run(images)
    table, curves = result.to_frame("accuracy-ranking"), result.to_frame()
    ends = curves[curves["m"] == 20].set_index("map")["error"]
    assert dict(zip(table["architecture"], table["accuracy %"], strict=True)) == pytest.approx(dict(100 - ends))
    assert table["paper RFS %"].tolist() == [71.49, 60.01]
    (points,) = result.figure("accuracy-ranking").data
    assert list(points.text) == ["4,4", "full"] and list(points.y) == table["accuracy %"].tolist()
    assert "At **m = 20** features, 2 seeds." in result.chart("accuracy-ranking").words
    assert "accuracy-ranking" not in Accuracy(maps=[WAVES], m_max=20, seeds=1, alpha=1.0).run(images).charts
