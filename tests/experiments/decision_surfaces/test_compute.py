"""Surfaces in a plane are what scikit-learn's pipelines predict there, and accuracies are scores."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from rfviz import datasets
from rfviz.analysis.plane import plane_of
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.decision_surfaces.calibration import calibration_rows, fit_slope, probabilities
from rfviz.experiments.decision_surfaces.compute import crease_lines, map_surfaces, with_constant
from rfviz.experiments.decision_surfaces.svm import rbf_on_plane, svm_surface
from rfviz.features import (
    DecisionStumps,
    MapSpec,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
    RandomReLU,
    SharedPoolMaxout,
    SigmoidalRidge,
    map_class,
    registry,
)
from rfviz.linear_model import RidgePathClassifier, StochasticClassifier
from rfviz.linear_model.losses import with_reference

GRID = (4, 20, 60)
SIDE = 24
DATA = {"moons": {}, "spirals": {"n_classes": 3}, "digits": {}}


@pytest.fixture(scope="module", params=list(DATA))
def case(request):
    split = make_split(datasets.load(request.param, **DATA[request.param]), "none")
    return split, plane_of(split.X_train)


# --- the plane --------------------------------------------------------------------------------------------------------


def test_two_columns_are_the_plane_itself():
    X = datasets.load("moons").X
    plane = plane_of(X)
    np.testing.assert_array_equal(plane.project(X), X.astype(float))
    assert not plane.is_slice and plane.explained == 1.0
    assert plane.x[1] - plane.x[0] == pytest.approx(plane.y[1] - plane.y[0])
    grid = plane.grid(5).reshape(5, 5, 2)
    assert (np.diff(grid[..., 0], axis=1) > 0).all() and (np.diff(grid[..., 1], axis=0) > 0).all()


def test_slice_is_that_of_the_principal_components():
    from sklearn.decomposition import PCA

    X = datasets.load("digits").X.astype(float)
    plane, pca = plane_of(X), PCA(2).fit(X)
    signs = np.sign((plane.axes * pca.components_).sum(axis=1))
    np.testing.assert_allclose(plane.project(X), pca.transform(X) * signs, atol=1e-8)
    assert plane.explained == pytest.approx(pca.explained_variance_ratio_.sum())
    np.testing.assert_allclose(
        plane.project(plane.grid(7)), np.stack(np.meshgrid(*plane.ticks(7)), -1).reshape(-1, 2), atol=1e-5
    )
    inside = plane.project(X)
    assert (inside.min(axis=0) > [plane.x[0], plane.y[0]]).all()
    assert (inside.max(axis=0) < [plane.x[1], plane.y[1]]).all()


@pytest.mark.parametrize(
    ("X", "words"),
    [(np.ones((9, 1)), "at least two columns"), (np.outer(np.arange(9.0), np.ones(3)), "two directions")],
)
def test_points_that_span_no_plane(X, words):
    with pytest.raises(DataError, match=words):
        plane_of(X)


# --- classifiers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["RandomFourier", "RandomMaxout", "RandomReLU"])
@pytest.mark.parametrize("constant", [False, True])
def test_every_m_equals_a_ridge_of_its_own(case, scheme, constant):
    split, plane = case
    spec = MapSpec(map_class(scheme), random_state=1)
    result = map_surfaces(split, plane, spec, m_grid=GRID, constant=constant, resolution=SIDE)
    lifted = constant and map_class(scheme).takes_constant
    assert result.constant == lifted == (constant and scheme != "RandomFourier")
    lift = with_constant if lifted else np.asarray
    for m, alpha in zip(GRID, result.alphas, strict=True):
        alone = RidgePathClassifier(
            registry()[scheme](m, random_state=1), m_grid=[m], alphas=alpha, precision="float64"
        )
        alone.fit(lift(split.X_train), split.y_train)
        expected = with_reference(alone.decision_function(lift(plane.grid(SIDE))).reshape(SIDE**2, -1))
        surface = result.at(m)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(surface.scores.reshape(SIDE**2, -1), expected, atol=2e-3 * scale)
        assert surface.accuracy == pytest.approx(alone.score(lift(split.X_test), split.y_test), abs=1.5 / 450)
        wrong = np.flatnonzero(alone.predict(lift(split.X_test)) != split.y_test)
        assert len(np.setxor1d(surface.wrong, wrong)) <= 1  # a value at a boundary may fall on either side


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_other_losses_agree_with_the_classifier_of_one_m(loss):
    split = make_split(datasets.load("moons", n_samples=2000), "none")
    plane = plane_of(split.X_train)
    result = map_surfaces(split, plane, MapSpec(RandomFourier, gamma=2.0), m_grid=(100,), loss=loss, resolution=SIDE)
    alone = StochasticClassifier(RandomFourier(100, gamma=2.0), loss=loss).fit(split.X_train, split.y_train)
    surface = result.at(100)
    assert surface.accuracy == pytest.approx(alone.score(split.X_test, split.y_test), abs=0.02)
    agree = alone.predict(plane.grid(SIDE)) == surface.winners.ravel()
    assert agree.mean() > 0.97
    assert (surface.calibrated == "") == (loss == "logistic") and (loss == "hinge" or surface.slope == 1.0)


def test_rbf_svm_is_scikit_learns(case):
    split, plane = case
    surface = svm_surface(split, plane, "rbf", 10.0, 0.5, resolution=SIDE)
    pipeline = make_pipeline(SVC(C=10.0, gamma=0.5, break_ties=True)).fit(split.X_train.astype(float), split.y_train)
    grid = plane.grid(SIDE).astype(float)
    np.testing.assert_array_equal(pipeline.classes_[surface.winners.ravel()], pipeline.predict(grid))
    values = pipeline.decision_function(grid)
    drawn = surface.scores.reshape(SIDE**2, -1)
    np.testing.assert_allclose(drawn[:, 1] if values.ndim == 1 else drawn, values, atol=2e-5)
    assert surface.accuracy == pytest.approx(pipeline.score(split.X_test.astype(float), split.y_test))


def test_linear_svm_is_scikit_learns(case):
    split, plane = case
    surface = svm_surface(split, plane, "linear", 1.0, resolution=SIDE)
    model = LinearSVC(C=1.0, dual="auto", max_iter=2000, random_state=0).fit(split.X_train.astype(float), split.y_train)
    np.testing.assert_array_equal(model.classes_[surface.winners.ravel()], model.predict(plane.grid(SIDE)))
    assert surface.accuracy == pytest.approx(model.score(split.X_test, split.y_test))


def test_separable_kernel_is_the_kernel(case):
    """Far from the support vectors too, where all exponentials vanish and the offsets decide."""
    split, plane = case
    model = SVC(C=1.0, gamma=3.0).fit(split.X_train.astype(float), split.y_train)
    values = model.decision_function(plane.grid(SIDE).astype(float))
    drawn = rbf_on_plane(model, plane, SIDE)
    np.testing.assert_allclose(drawn[:, 1] if values.ndim == 1 else drawn, values, atol=2e-5)


def test_gamma_is_shared():
    split = make_split(datasets.load("spirals"), "none")
    result = map_surfaces(split, plane_of(split.X_train), MapSpec(RandomFourier), m_grid=(10,), resolution=4)
    assert result.gamma == pytest.approx(1 / (2 * split.X_train.var(dtype=float)))
    assert result.gamma == MapSpec(RandomFourier).resolve(split.X_train).get("gamma")


def test_linear_features_cannot_part_rings():
    split = make_split(datasets.load("circles"), "none")
    plane = plane_of(split.X_train)
    linear = map_surfaces(split, plane, MapSpec(RandomProjection), m_grid=(1000,), constant=True, resolution=50)
    waves = map_surfaces(split, plane, MapSpec(RandomFourier), m_grid=(200,), resolution=50)
    assert linear.at(1000).accuracy < 0.75 and waves.at(200).accuracy > 0.97
    score = linear.at(1000).scores[..., 1]
    np.testing.assert_allclose(np.diff(score, 2, axis=0), 0, atol=1e-3)  # flat: a straight line parts the classes


def test_without_test_rows_the_training_rows_count():
    split = make_split(datasets.load("moons", n_samples=40), "none")
    whole = type(split)(
        split.name,
        split.X_train,
        split.y_train,
        split.X_test[:0],
        split.y_test[:0],
        split.test_rows[:0],
        split.target_names,
        False,
    )
    surface = svm_surface(whole, plane_of(split.X_train), "rbf", 1000.0, 50.0, resolution=8)
    assert surface.accuracy == 1.0 and surface.calibrated == "training"


def test_numbers_are_refused_as_targets():
    split = make_split(datasets.load("moons"), "none")
    targets = split.y_train + 0.5, split.X_test, split.y_test
    numbers = type(split)("heights", split.X_train, *targets, split.test_rows, (), False)
    for make in (
        lambda: map_surfaces(numbers, plane_of(split.X_train), MapSpec(RandomFourier)),
        lambda: svm_surface(numbers, plane_of(split.X_train), "rbf", 1.0),
    ):
        with pytest.raises(DataError, match="heights has numbers as targets"):
            make()


def test_what_does_not_fit_is_refused_before_it_starts(monkeypatch):
    split = make_split(datasets.load("moons"), "none")
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="Decision values of 200² cells"):
        map_surfaces(split, plane_of(split.X_train), MapSpec(RandomFourier))


# --- probabilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 4])
def test_slope_is_recovered(k):
    """Labels drawn from a soft-max of slope 3: the estimate is near-normal about it."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, k))
    labels = (probabilities(scores, 3.0).cumsum(axis=1) > rng.random((20_000, 1))).argmax(axis=1)
    p = probabilities(scores, 3.0)
    mean = (p * scores).sum(axis=1, keepdims=True)
    information = (p * (scores - mean) ** 2).sum()
    # |z| > 5: a false alarm in 1 of 1.7 million; the search stops within 0.3 %.
    assert abs(fit_slope(scores, labels) - 3.0) < 5 / information**0.5 + 0.01


def test_slope_of_rows_without_an_error_is_finite():
    scores = np.array([[1.0, -1.0], [-1.0, 1.0]] * 10)
    slope = fit_slope(scores, np.array([0, 1] * 10))
    # The likeliest probability of the truth is (N + 1)/(N + 2), N = 10: log-odds of log 11 over a difference of 2.
    assert slope == pytest.approx(np.log(11) / 2, rel=5e-3)
    assert fit_slope(np.zeros((4, 2)), np.array([0, 1, 0, 1])) == 1.0


def test_calibration_rows_hold_every_class_back():
    y = np.arange(100) % 5
    learn, held = calibration_rows(y)
    assert sorted([*learn, *held]) == list(range(100)) and len(held) == 20
    assert calibration_rows(y[:30]) is None
    assert (
        calibration_rows(np.r_[np.zeros(99, int), 1]) is None or 99 in calibration_rows(np.r_[np.zeros(99, int), 1])[0]
    )


# --- creases ----------------------------------------------------------------------------------------------------------


def test_maxout_facets_are_where_the_largest_projection_changes():
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    fitted = RandomMaxout(6, pool_size=4, random_state=2).fit(X)
    codes = fitted.pieces(X)
    largest = np.take_along_axis(np.einsum("qmd,nd->nmq", fitted.weights_, X), codes[..., None], axis=2)[..., 0]
    np.testing.assert_allclose(largest, fitted.transform(X) * 6**0.5, rtol=1e-5)


def test_facets_over_a_shared_pool():
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    fitted = SharedPoolMaxout(6, pool_size=4, n_projections=9, random_state=2).fit(X)
    chosen = fitted.indices_[fitted.pieces(X), np.arange(6)]
    largest = np.take_along_axis(X @ fitted.projections_.T, chosen, axis=1)
    np.testing.assert_allclose(largest, fitted.transform(X) * 6**0.5, rtol=1e-5)


@pytest.mark.parametrize("activation", ["erf", "tanh", "logistic"])
def test_sigmoids_have_their_crease_at_their_middle(activation):
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    fitted = SigmoidalRidge(6, activation=activation).fit(X)
    steep = X @ fitted.weights_.T + fitted.biases_
    np.testing.assert_array_equal(fitted.pieces(X), steep > 0)


def test_cuts_of_stumps_lie_at_their_thresholds():
    plane = plane_of(datasets.load("moons").X)
    points = plane.grid(64)
    fitted = DecisionStumps(20).fit(points)
    lines = crease_lines(fitted, points, 64, 20)
    expected = np.zeros((64, 64), dtype=bool)
    for column, threshold in zip(fitted.columns_, fitted.thresholds_, strict=True):
        below = (plane.ticks(64)[column].astype(np.float32) < threshold).sum()
        if 0 < below < 64:
            (expected.T if column == 0 else expected)[below - 1] = True
    np.testing.assert_array_equal(lines[:-1, :-1], expected[:-1, :-1])


def test_creases_of_bins_are_the_edges_of_its_boxes():
    plane = plane_of(datasets.load("moons").X)
    fitted = RandomBinning(3, gamma=1.0).fit(plane.grid(64))
    lines = crease_lines(fitted, plane.grid(64), 64, 1)
    grids = zip(plane.ticks(64), fitted.shifts_[0], fitted.pitches_[0], strict=True)
    boxes = [np.ceil((ticks.astype(np.float32) - shift) / pitch) for ticks, shift, pitch in grids]
    across, up = (np.append(np.diff(box) != 0, False) for box in boxes)
    assert across.any() or up.any()
    np.testing.assert_array_equal(lines, across[None, :] | up[:, None])


def test_relu_creases_are_straight_lines_where_the_projection_is_zero():
    plane = plane_of(datasets.load("moons").X)
    points = with_constant(plane.grid(64))
    fitted = RandomReLU(10, random_state=1).fit(points)
    lines = crease_lines(fitted, points, 64, 10)
    distance = np.abs(points @ fitted.weights_.T) / np.linalg.norm(fitted.weights_[:, :2], axis=1)
    step = (plane.x[1] - plane.x[0]) / 64
    assert (distance.min(axis=1).reshape(64, 64)[lines] < 1.5 * step).all()
    crossing = distance.min(axis=0) < 0.5 * step  # features whose line crosses the piece
    assert lines.sum() > 30 * crossing.sum() > 0
    assert 0 < crease_lines(fitted, points, 64, 4).sum() < lines.sum()
    assert not crease_lines(fitted, points, 64, 0).any()


def test_linear_features_have_no_creases():
    points = plane_of(datasets.load("moons").X).grid(16)
    for linear in (RandomProjection(8), RandomMaxout(8, pool_size=1)):
        assert not crease_lines(linear.fit(points), points, 16, 8).any()


@pytest.mark.parametrize("scheme", list(registry()))
def test_every_scheme_draws_its_surface_and_its_creases(scheme):
    split = make_split(datasets.load("moons", n_samples=100), "none")
    plane = plane_of(split.X_train)
    result = map_surfaces(split, plane, MapSpec(map_class(scheme)), m_grid=GRID, constant=True, resolution=SIDE)
    surface = result.at(60)
    np.testing.assert_allclose(surface.probabilities().sum(axis=2), 1.0, atol=1e-9)
    np.testing.assert_array_equal(surface.probabilities().argmax(axis=2), surface.winners)
    assert surface.accuracy > 0.7
    fitted = registry()[scheme](60).fit(split.X_train)
    assert crease_lines(fitted, plane.grid(SIDE), SIDE, 5).dtype == bool
