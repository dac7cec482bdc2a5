"""Gradients of a classifier on maxout features: by finite differences, and of features rebuilt from their weights."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from rfviz.analysis.plane import plane_of
from rfviz.analysis.splits import make_split
from rfviz.cache import Cache
from rfviz.datasets import load
from rfviz.datasets.base import Dataset
from rfviz.errors import ParameterError
from rfviz.experiments import DecisionSurfaces
from rfviz.experiments.decision_surfaces.compute import map_surfaces
from rfviz.experiments.decision_surfaces.describe import gradient_words
from rfviz.experiments.decision_surfaces.figures import plot_gradients, surface_image
from rfviz.experiments.decision_surfaces.gradients import local_gradients
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from rfviz.linear_model import RidgePathClassifier, StochasticPath

GRID = (4, 20, 50)


def case(name):
    dataset = load(name) if name == "moons" else Dataset("iris", load_iris().data, load_iris().target, ("a", "b", "c"))
    split = make_split(dataset, "none")
    return split, plane_of(split.X_train)


def spec(m, q):
    return MapSpec(RandomMaxout, n_components=m, pool_size=q, dtype="float64", random_state=3)


@pytest.mark.parametrize(
    ("name", "loss", "m"), [("moons", "ridge", 20), ("moons", "logistic", 20), ("iris", "ridge", 50)]
)
def test_gradients_are_finite_differences_of_the_decision_values(name, loss, m):
    split, plane = case(name)
    found = local_gradients(split, plane, spec(m, 4), m_grid=GRID, loss=loss, constant=True, side=9)
    # The same classifier, asked a little to each side; the features of a float64 map are in double precision.
    features = spec(50, 4).make()
    path = (
        RidgePathClassifier(features, m_grid=GRID)
        if loss == "ridge"
        else StochasticPath(features, m_grid=GRID, loss=loss)
    )
    path.fit(np.column_stack([split.X_train, np.ones(len(split.X_train))]), split.y_train)

    def lead(X):
        values = path.decision_path(np.column_stack([X, np.ones(len(X))]))[GRID.index(m)]
        if values.ndim == 1 or values.shape[1] == 1:
            return np.abs(values.ravel())
        values = np.sort(values, axis=1)
        return values[:, -1] - values[:, -2]

    X, step = plane.grid(9).astype(float), 1e-3
    for j in range(X.shape[1]):
        aside = step * np.eye(X.shape[1])[j]
        difference = (lead(X + aside) - lead(X - aside)) / (2 * step)
        # But for the few places that lie within a step of a crease or a boundary.
        error = np.abs(difference - found.gradients[:, j])
        assert np.mean(error < 2e-3 * np.abs(found.gradients).max()) > 0.9
    np.testing.assert_allclose(found.in_plane, found.gradients @ plane.axes.T)
    np.testing.assert_allclose(found.places, plane.project(plane.grid(9)))


def test_pieces_are_choices_of_the_largest_projections():
    split, plane = case("moons")
    found = local_gradients(split, plane, spec(4, 3), m_grid=GRID, side=9)
    weights = spec(4, 3).make().fit(split.X_train).weights_
    largest = np.einsum("qmd,nd->nmq", weights, plane.grid(9)).argmax(axis=2)
    assert 1 < found.pieces == len({tuple(row) for row in largest.tolist()})
    # Places of one piece and one predicted class have one gradient.
    keys = [(*row, *np.round(g, 6)) for row, g in zip(largest.tolist(), found.gradients.tolist(), strict=True)]
    assert len(set(keys)) <= 2 * found.pieces


def test_what_is_said_of_one_piece_of_many_and_of_many_columns():
    split, plane = case("moons")
    one = local_gradients(split, plane, spec(20, 1), m_grid=GRID, side=5)
    many = local_gradients(split, plane, spec(20, 8), m_grid=GRID, side=5)
    assert one.pieces == 1 and np.ptp(np.abs(one.gradients), axis=0).max() < 1e-9
    assert "At all of the 25 places that are looked at it is the same linear function." in gradient_words(one, 20, "xy")
    said = gradient_words(many, 20, "xy")
    assert f"it is **{many.pieces}** different ones" in said and "columns" not in said
    split, plane = case("iris")
    four = local_gradients(split, plane, spec(20, 4), m_grid=GRID, side=5)
    first = "abcd"[np.abs(four.gradients).mean(axis=0).argmax()]
    assert f"Of the 4 columns the largest coefficients, on average over the places, are those of {first} (" in (
        gradient_words(four, 20, "abcd")
    )
    assert list(four.to_frame("abcd"))[2:] == ["∂/∂ a", "∂/∂ b", "∂/∂ c", "∂/∂ d"]


def test_arrows_point_along_the_gradients():
    split, plane = case("moons")
    found = local_gradients(split, plane, spec(20, 4), m_grid=GRID, side=5)
    surface = map_surfaces(split, plane, spec(20, 4), m_grid=GRID, resolution=20).at(20)
    image = surface_image(surface, np.unique(split.y_train), plane)
    figure = plot_gradients(found, surface, split, plane, image=image, axes=("x", "y"))
    _, strokes = figure.data
    xy = np.column_stack([strokes.x, strokes.y]).reshape(25, 7, 2)
    arrows = xy[:, 1] - xy[:, 0]
    np.testing.assert_allclose((xy[:, 0] + xy[:, 1]) / 2, found.places, atol=1e-6)
    cosine = (
        (arrows * found.in_plane).sum(axis=1) / np.linalg.norm(arrows, axis=1) / np.linalg.norm(found.in_plane, axis=1)
    )
    assert cosine.min() > 1 - 1e-6
    assert np.linalg.norm(arrows, axis=1).max() == pytest.approx(0.9 * (plane.x[1] - plane.x[0]) / 5)


def test_the_experiment_has_them_of_maxout_alone():
    experiment = DecisionSurfaces(feature_map=RandomMaxout(20, pool_size=4))
    result = experiment.run(load("moons", n_samples=60))
    found = experiment.gradients(result.data, Cache())
    assert found.gradients.shape == (289, 2) and found.pieces > 1
    with pytest.raises(ParameterError, match="must be a RandomMaxout for gradients"):
        DecisionSurfaces(feature_map=RandomFourier(20)).gradients(result.data, Cache())
