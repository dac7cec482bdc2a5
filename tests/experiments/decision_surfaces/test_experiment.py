"""Decision surfaces without the laboratory: any number of features, points of one's own, settings that can be read."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import DecisionSurfaces
from rfviz.experiments.decision_surfaces.compute import with_constant
from rfviz.features import RandomMaxout, RandomProjection

POINTS = ("-1/0/1", "1/0.25/2", "0.5/0.5/2")


def test_any_number_of_features_is_drawn():
    moons, maxout = datasets.load("moons", n_samples=80), RandomMaxout(37, pool_size=3, random_state=1)
    own = DecisionSurfaces(feature_map=maxout).run(moons).numbers.own
    split = make_split(moons, "none")
    alpha = own.alphas[own.m_grid.index(37)] / 37  # the features are divided by the root of 37
    ridge = make_pipeline(maxout, RidgeClassifier(alpha)).fit(with_constant(split.X_train), split.y_train)
    assert np.mean(ridge.predict(with_constant(split.X_test)) == own.at(37).predicted) == 1.0
    assert ridge.score(with_constant(split.X_test), split.y_test) == own.at(37).accuracy


def test_a_map_with_its_default_number_of_features():
    experiment = DecisionSurfaces(feature_map=RandomProjection(), points=POINTS)
    assert experiment == DecisionSurfaces(feature_map=RandomProjection(RandomProjection().n_components), points=POINTS)
    assert f"m = {RandomProjection().n_components:,}**" in experiment.run("circle").chart().words


def test_points_of_ones_own_replace_the_data_and_a_repr_makes_them_again():
    experiment = DecisionSurfaces(feature_map=RandomMaxout(10), points=list(POINTS))
    assert eval(repr(experiment), {"DecisionSurfaces": DecisionSurfaces, "RandomMaxout": RandomMaxout}) == experiment
    result = experiment.run("circle")  # which has no labels
    np.testing.assert_allclose(result.numbers.task.split.X_train, [[-1, 0], [1, 0.25], [0.5, 0.5]])
    assert result.numbers.task.split.y_train.tolist() == [0, 1, 1] and "100%" in result.summary()


@pytest.mark.parametrize("point", ["9/0/1", "0/0/7", "a/b/c", "1/0", "1/0/2/4", "nan/0/1"])
def test_what_is_not_a_point_is_refused(point):
    with pytest.raises(ParameterError, match="points must be texts x/y/class"):
        DecisionSurfaces(feature_map=RandomMaxout(10), points=[*POINTS, point]).run("moons")


def test_one_class_has_no_surface():
    with pytest.raises(DataError, match="two classes"):
        DecisionSurfaces(feature_map=RandomMaxout(10), points=POINTS[:1]).run("moons")
    with pytest.raises(ParameterError, match="normalise must be one of"):
        DecisionSurfaces(feature_map=RandomMaxout(10), normalise="unit norm")


@pytest.mark.parametrize("scaling", ["none", "standardise"])
def test_the_curve_of_a_formula_is_drawn_between_the_classes(scaling):
    data = datasets.load("formula", formula="0.5*x^2 - 1", noise=0.0, n_samples=100)
    result = DecisionSurfaces(feature_map=RandomProjection(20), normalise=scaling).run(data)
    (line,) = [trace for trace in result.figure("surface-map").data if trace.mode == "lines"]
    x, y = np.asarray(line.x), np.asarray(line.y, dtype=float)
    split = result.numbers.task.split
    height = np.interp(split.X_train[:, 0], x[np.isfinite(y)], y[np.isfinite(y)])
    np.testing.assert_array_equal(split.X_train[:, 1] > height, split.y_train == 1)
    assert np.isfinite(y).sum() > 100
    moons = DecisionSurfaces(feature_map=RandomProjection(20)).run(datasets.load("moons", n_samples=40))
    assert all(trace.mode != "lines" for trace in moons.figure("surface-map").data)
