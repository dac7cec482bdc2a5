"""The linear models in scikit-learn's hands: its own checks, and what its tools ask of an estimator."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge, RidgeClassifierCV
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomBinning, RandomFourier, RandomProjection
from rfviz.linear_model import (
    DoublyStochasticClassifier,
    DoublyStochasticRegressor,
    RecursiveClassifier,
    RecursiveRegressor,
    RidgePath,
    RidgePathClassifier,
    RidgePathRegressor,
    StochasticClassifier,
    StochasticPath,
)

MAP = RandomFourier(64, gamma=0.05, dtype="float64", device="cpu")
CLASSIFIERS = [
    RidgePathClassifier(MAP, alphas=1.0),
    RidgePathClassifier(MAP),
    StochasticPath(MAP, m_grid=[32, 64], epochs=20),
    StochasticClassifier(RandomProjection(16, dtype="float64"), "logistic", batch_size=16, optimizer="sgd"),
    StochasticClassifier(RandomProjection(16, dtype="float64"), "hinge", batch_size=16),
    DoublyStochasticClassifier(RandomFourier(320, dtype="float64", device="cpu")),
    RecursiveClassifier(MAP, rounds=2),
]
REGRESSORS = [
    RidgePathRegressor(MAP, alphas=1.0),
    RidgePathRegressor(MAP),
    DoublyStochasticRegressor(RandomProjection(320, dtype="float64", device="cpu")),
    RecursiveRegressor(MAP, rounds=2),
]
IRIS, SPECIES = load_iris(return_X_y=True)
CANCER, MALIGNANT = load_breast_cancer(return_X_y=True)
CANCER = StandardScaler().fit_transform(CANCER)


def expected_failures(estimator):
    """As for scikit-learn's RidgeCV: a row of weight 2 is left out as a whole, and two equal rows one at a time."""
    if getattr(estimator, "alphas", None) != "auto":
        return {}
    reason = "the penalty is chosen by cross-validation"
    return dict.fromkeys((f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")), reason)


@pytest.mark.slow
@parametrize_with_checks([*CLASSIFIERS, *REGRESSORS], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_classifiers_are_scored_on_stratified_folds(model):
    assert is_classifier(model)
    X = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    assert cross_val_score(model, X, SPECIES, cv=3).min() > 0.8  # 0 where the folds are the classes
    assert cross_val_score(model, CANCER, MALIGNANT, cv=3, scoring="roc_auc").min() > 0.9
    fitted = clone(model).fit(CANCER, MALIGNANT)
    assert fitted.decision_function(CANCER).shape == (569,)
    positive = fitted.decision_function(CANCER) > 0
    assert (fitted.predict(CANCER) == fitted.classes_[positive.astype(int)]).all()
    with pytest.raises(NotFittedError):
        clone(model).predict(CANCER)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_regressors_are_what_they_say(model):
    assert is_regressor(model)
    X = CANCER[:, :6].astype(np.float64)
    target = X[:, 0] + 0.5 * X[:, 1]
    assert cross_val_score(model, X, target, cv=3).min() > 0.5
    assert clone(model).fit(X, target).predict(X).shape == (569,)
    assert clone(model).fit(X, np.stack([target, X[:, 2]], axis=1)).predict(X).shape == (569, 2)


def test_ensembles_and_one_class_against_the_rest():
    path = RidgePathClassifier(RandomFourier(100, gamma="median"))
    assert OneVsRestClassifier(path).fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.95
    assert VotingClassifier([("a", path), ("b", RidgeClassifierCV())]).fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.9


def test_probabilities_come_from_calibration():
    path = RidgePathClassifier(RandomFourier(60, gamma=0.02))
    calibrated = CalibratedClassifierCV(path, cv=3).fit(CANCER[:400], MALIGNANT[:400])
    found = calibrated.predict_proba(CANCER[400:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert np.mean((found[:, 1] - MALIGNANT[400:]) ** 2) < 0.05  # Brier score; 0.25 is a coin's
    stochastic = StochasticPath(RandomFourier(60, gamma=0.02), m_grid=[20, 60]).fit(CANCER, MALIGNANT)
    for m in (20, 60):
        of_second = 1.0 / (1.0 + np.exp(-stochastic.decision_function(CANCER, m)))
        np.testing.assert_allclose(stochastic.predict_proba(CANCER, m)[:, 1], of_second, rtol=1e-5)


# --- targets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["int64", "Int64", "int64[pyarrow]", "boolean", "float64", "string", "category", object]
)
def test_labels_of_any_type_are_classes(dtype):
    labels = pd.Series(SPECIES > 0 if dtype == "boolean" else SPECIES).astype(dtype)
    path = RidgePathClassifier(RandomFourier(40, gamma=0.5), m_grid=[40]).fit(IRIS, labels)
    assert path.error_path(IRIS, np.asarray(labels))[0] < 0.05
    assert list(path.classes_) == sorted(set(np.asarray(labels).tolist()))
    if dtype is not object:
        assert path.predict(IRIS).dtype == np.asarray(labels).dtype


@pytest.mark.parametrize("dtype", ["int64", "Int64", "float32", "Float64", "double[pyarrow]"])
def test_numbers_of_any_type_are_regression_targets(dtype):
    X, target = load_diabetes(return_X_y=True)
    fits = [
        RidgePathRegressor(RandomFourier(40, gamma=1.0), m_grid=[40], alphas=1.0).fit(X, y)
        for y in (target, pd.Series(target).astype(dtype))
    ]
    np.testing.assert_allclose(fits[0].predict(X), fits[1].predict(X), rtol=1e-6)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_labels_are_told(missing):
    labels = pd.Series(["a", "b", "c"], dtype=object)[SPECIES].reset_index(drop=True)
    labels[[3, 8]] = missing
    with pytest.raises(DataError, match="2 of the 150 labels are missing"):
        RidgePathClassifier(MAP).fit(IRIS, labels)
    numbers = pd.Series(IRIS[:, 0])
    numbers[[3, 8]] = np.nan
    with pytest.raises(DataError, match="2 of its values are not"):
        RidgePathRegressor(MAP).fit(IRIS, numbers)


def test_targets_of_the_other_kind_are_told():
    with pytest.raises(DataError, match=r"Unknown label type: continuous.* Use a regressor"):
        RidgePathClassifier(MAP).fit(IRIS, IRIS[:, 0] + 0.01)
    with pytest.raises(DataError, match=r"it holds words\. Use a classifier"):
        RidgePathRegressor(MAP).fit(IRIS, np.array(["a", "b", "c"])[SPECIES])


def test_whole_numbers_that_look_like_amounts_are_doubted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2))
    prices = (100 * X[:, 0] + 50 * X[:, 1]).round().astype(int)
    with pytest.warns(UserWarning, match=r"different whole numbers in 500 rows.* use RidgePathRegressor"):
        RidgePathClassifier(RandomFourier(50, gamma=0.5), m_grid=[50], alphas=1.0).fit(X, prices)
    assert RidgePathRegressor(RandomFourier(50, gamma=0.5), m_grid=[50]).fit(X, prices).score(X, prices) > 0.98
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (400, 200):  # forty classes of ten rows, and codes that count from 0, are usual problems
            people = rng.integers(0, 40, n)
            RidgePathClassifier(RandomFourier(50, gamma=0.5), m_grid=[50], alphas=1.0).fit(X[:n], people)


# --- weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["primal", "dual"])
@pytest.mark.parametrize("feature_map", [MAP, RandomBinning(30, gamma=0.1, dtype="float64")], ids=["dense", "sparse"])
@pytest.mark.parametrize("intercept", [True, False])
def test_weighted_rows_are_those_of_scikit_learn(solver, feature_map, intercept):
    weights = np.random.default_rng(0).uniform(0, 3, 150) * (np.arange(150) % 7 > 0)
    target = IRIS[:, 3] * IRIS[:, 2]
    path = RidgePathRegressor(feature_map, m_grid=[10, 30], alphas=0.7, solver=solver, fit_intercept=intercept)
    path.fit(IRIS, target, sample_weight=weights)
    H = path.feature_map_.transform(IRIS) * np.sqrt(30)
    H = H.toarray() if hasattr(H, "toarray") else H
    for m in (10, 30):
        columns = path.feature_map_.columns(m)
        ridge = Ridge(alpha=0.7, fit_intercept=intercept, tol=1e-12).fit(H[:, :columns], target, sample_weight=weights)
        np.testing.assert_allclose(path.coef_path_[m][:, 0], ridge.coef_, rtol=0, atol=1e-7)
        np.testing.assert_allclose(path.intercept_path_[m], ridge.intercept_, rtol=0, atol=1e-7)


def test_weights_of_rows_in_parts():
    weights = np.random.default_rng(0).uniform(0, 3, 150)
    whole, parts, packed = (RidgePathRegressor(MAP, m_grid=[64], alphas=0.7, solver="primal") for _ in range(3))
    whole.fit(IRIS, IRIS[:, 3], sample_weight=weights)
    for start in (0, 40, 90):
        rows = slice(start, {0: 40, 40: 90, 90: 150}[start])
        parts.partial_fit(IRIS[rows], IRIS[rows, 3], sample_weight=weights[rows])
    packed.fit_blocks([(IRIS[:70], IRIS[:70, 3], weights[:70]), (IRIS[70:], IRIS[70:, 3], weights[70:])])
    for path in (parts, packed):
        np.testing.assert_allclose(path.coef_, whole.coef_, rtol=0, atol=1e-9)
        assert path.sums_.weight == pytest.approx(weights.sum()) and path.sums_.n_samples == 150


def test_class_weights_find_rare_classes():
    rng = np.random.default_rng(0)
    X, rare = rng.standard_normal((4000, 3)), np.arange(4000) % 50 == 0
    X[rare] += 1.5
    plain, balanced = (
        RidgePathClassifier(RandomFourier(100, gamma=0.1), class_weight=weight).fit(X[:2000], rare[:2000])
        for weight in (None, "balanced")
    )
    found = [recall_score(rare[2000:], path.predict(X[2000:])) for path in (plain, balanced)]
    assert found[0] < 0.5 and found[1] > 0.8
    named = clone(balanced).set_params(class_weight={False: 2000 / (2 * 1960), True: 2000 / (2 * 40)})
    np.testing.assert_allclose(named.fit(X[:2000], rare[:2000]).coef_, balanced.coef_, rtol=0, atol=1e-9)


# --- which m ----------------------------------------------------------------------------------------------------------


def test_the_number_of_features_is_a_parameter():
    path = RidgePathClassifier(RandomFourier(200, gamma=0.05), m_grid=[5, 50, 200]).fit(CANCER, MALIGNANT)
    assert path.m_ == 200
    for m in (5, 50):
        chosen = clone(path).set_params(m=m).fit(CANCER, MALIGNANT)
        assert chosen.m_ == m and (chosen.predict(CANCER) == path.predict(CANCER, m)).all()
        assert chosen.coef_.shape == (1, m) and chosen.intercept_.shape == (1,)
        assert chosen.score(CANCER, MALIGNANT) == path.score(CANCER, MALIGNANT, m=m)
    searched = GridSearchCV(path, {"m": [5, 50, 200]}, cv=3).fit(CANCER, MALIGNANT)
    assert searched.best_params_["m"] in (50, 200)
    by_errors = clone(path).set_params(m="cv").fit(CANCER, MALIGNANT)
    least = np.nanmin(by_errors.cv_errors_, axis=0)
    assert by_errors.m_ == [5, 50, 200][int(np.argmin(least))]
    with pytest.raises(ParameterError, match=r"m must be 'largest', 'cv', or one of \[5, 50, 200\]; got 7"):
        clone(path).set_params(m=7).fit(CANCER, MALIGNANT)
    with pytest.raises(ParameterError, match="can be 'cv' only where penalties are compared"):
        clone(path).set_params(m="cv", alphas=1.0).fit(CANCER, MALIGNANT).predict(CANCER)


def test_scores_and_errors_point_the_way_they_say():
    path = RidgePathClassifier(RandomFourier(200, gamma=0.05), m_grid=[5, 200]).fit(CANCER, MALIGNANT)
    errors = path.error_path(CANCER, MALIGNANT)
    assert errors == pytest.approx([1 - path.score(CANCER, MALIGNANT, m=m) for m in (5, 200)])
    regression = RidgePathRegressor(RandomFourier(50, gamma=0.05), m_grid=[5, 50]).fit(CANCER, CANCER[:, :2])
    errors = regression.error_path(CANCER, CANCER[:, :2])
    assert errors == pytest.approx([np.mean((regression.predict(CANCER, m) - CANCER[:, :2]) ** 2) for m in (5, 50)])
    for measure in (path.score, path.error_path):
        with pytest.raises(DataError, match="those of fit, which are numbers; it holds words"):
            measure(CANCER, MALIGNANT.astype(str))


# --- one convention ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda model: type(model).__name__)
def test_random_states_of_every_kind_are_taken(model):
    states = (3, np.random.RandomState(3), np.random.default_rng(3), np.random.default_rng(3), None)
    models = (clone(model).set_params(random_state=state) for state in states)
    found = [one.fit(CANCER[:80], MALIGNANT[:80]).predict(CANCER[80:99]) for one in models]
    np.testing.assert_array_equal(found[2], found[3])
    if getattr(model, "alphas", None) != 1.0:  # there nothing is drawn
        with pytest.raises(ParameterError, match="random_state must be"):
            clone(model).set_params(random_state=-1).fit(CANCER, MALIGNANT)


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda model: type(model).__name__)
def test_progress_has_one_form(model):
    seen = []
    clone(model).fit(CANCER[:80], MALIGNANT[:80], progress=lambda share, text: seen.append((share, text)))
    assert seen and all(0 <= share <= 1 and isinstance(text, str) for share, text in seen)


def test_a_map_fitted_on_a_table_does_not_warn_of_names():
    table = pd.DataFrame(CANCER[:, :4], columns=list("abcd"))
    fitted = RandomFourier(30, gamma="scale").fit(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = RidgePathClassifier(fitted, alphas=1.0).fit_blocks(
            [(table[:300], MALIGNANT[:300]), (table[300:], MALIGNANT[300:])], classes=[0, 1]
        )
        path.predict(table)
    with pytest.raises(DataError, match="Give the columns in the map's order"):
        RidgePathClassifier(fitted, alphas=1.0).partial_fit(table[list("dcba")], MALIGNANT, classes=[0, 1])


def test_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), RidgePathClassifier(RandomFourier(100, gamma="median")))
    assert cross_val_score(pipeline, CANCER, MALIGNANT, cv=3).mean() > 0.93


def test_the_deprecated_path_decides_by_the_type_of_y():
    with pytest.warns(FutureWarning, match="Use RidgePathClassifier or RidgePathRegressor"):
        path = RidgePath(RandomFourier(40, gamma=0.5), m_grid=[10, 40], alphas=1.0)
    classes, numbers = (clone(path) for _ in range(2))
    assert list(classes.fit(IRIS, pd.Series(SPECIES, dtype="Int64")).classes_) == [0, 1, 2]
    expected = RidgePathClassifier(RandomFourier(40, gamma=0.5), m_grid=[10, 40], alphas=1.0).fit(IRIS, SPECIES)
    np.testing.assert_array_equal(classes.coef_[40], expected.coef_path_[40])
    assert classes.score(IRIS, SPECIES) == expected.score(IRIS, SPECIES)
    assert numbers.fit(IRIS, IRIS[:, 0]).classes_ is None and numbers.map_ is numbers.feature_map_
    np.testing.assert_array_equal(numbers.score_path(IRIS, IRIS[:, 0]), numbers.error_path(IRIS, IRIS[:, 0]))
    with pytest.warns(FutureWarning, match="holdout is ignored"):
        RidgePath(MAP, holdout=0.3)
