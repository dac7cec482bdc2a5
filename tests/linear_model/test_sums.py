"""Sums over rows that come in parts, from any process and in any order, give the solutions of all rows at once."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from rfviz.backend import to_host
from rfviz.errors import DataError, ParameterError
from rfviz.features import DecisionStumps, RandomBinning, RandomFourier, RandomMaxout
from rfviz.linear_model import NormalEquations, RidgePathClassifier, RidgePathRegressor

rng = np.random.default_rng(0)
X = rng.standard_normal((240, 5))
Y = np.stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3]], axis=1)
LABELS = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
GRID = [5, 30]


def sums_of(H, Y, **options):
    sums = NormalEquations(H.shape[1], Y.shape[1], **{"exact": True, **options})
    sums.add(H.copy(), Y)
    return sums


def parts_of(order, ends):
    return np.split(order, sorted(ends))


def path_of(dtype="float64", alphas=1.0, kind=RidgePathRegressor, **options):
    return kind(RandomFourier(30, gamma=0.3, dtype=dtype), m_grid=GRID, alphas=alphas, **options)


@pytest.mark.slow
def test_any_partition_in_any_order_gives_the_same_coefficients():
    hypothesis = pytest.importorskip("hypothesis")
    st = pytest.importorskip("hypothesis.strategies")
    whole = path_of(alphas=[1e-2, 1.0, 100.0]).fit_blocks([(X, Y)])

    @hypothesis.settings(max_examples=15, deadline=None, database=None)
    @hypothesis.given(st.permutations(range(240)), st.lists(st.integers(0, 240), max_size=12), st.integers(0, 3))
    def check(order, ends, merged):
        parts = parts_of(np.array(order), ends)
        path = path_of(alphas=[1e-2, 1.0, 100.0])
        if merged == 0:  # one after the other
            path.fit_blocks((X[part], Y[part]) for part in parts)
        else:  # each by itself, then together, in pairs from either end
            path.begin(X[:1], Y[:1])
            sums = [path.sums_of(X[part], Y[part]) for part in parts if len(part)]
            while len(sums) > 1:
                one, other = sums.pop(0 if merged == 1 else -1), sums.pop()
                sums.append(one.merge(other if merged < 3 else NormalEquations.from_state(other.state())))
            path.fit_sums(sums[0])
        assert (path.alpha_ == whole.alpha_).all()
        for m in GRID:
            np.testing.assert_allclose(path.coef_path_[m], whole.coef_path_[m], rtol=0, atol=1e-10)
            np.testing.assert_allclose(path.intercept_path_[m], whole.intercept_path_[m], rtol=0, atol=1e-10)

    check()


@pytest.mark.parametrize("intercept", [True, False])
def test_rows_in_parts_equal_ridge_on_all_rows(intercept):
    path = path_of(fit_intercept=intercept)
    for part in parts_of(np.arange(240), [1, 100]):
        path.partial_fit(X[part], Y[part])
    H = np.concatenate([to_host(block) for block in path.feature_map_.transform_blocks(X, scaled=False)])
    for m in GRID:
        ridge = Ridge(alpha=1.0, fit_intercept=intercept).fit(H[:, :m], Y)
        np.testing.assert_allclose(path.coef_path_[m], ridge.coef_.T, rtol=0, atol=1e-10)
        np.testing.assert_allclose(path.intercept_path_[m], ridge.intercept_, rtol=0, atol=1e-10)


def test_float32_is_as_near_as_its_products():
    exact = path_of().fit_blocks([(X, Y)])
    for exact_below in (0, 5e10):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("rfviz.linear_model.ridge_base._EXACT_BELOW", exact_below)
            paths = [
                path_of("float32").fit_blocks([(X[part], Y[part]) for part in parts])
                for parts in ([slice(None)], [slice(0, 3), slice(3, 240)], [slice(100, 240), slice(0, 100)])
            ]
        for path in paths:
            np.testing.assert_allclose(path.coef_path_[30], exact.coef_path_[30], rtol=0, atol=2e-5)


@pytest.mark.parametrize("mean", [0.0, 1e3, 1e6])
def test_means_cost_no_digits(mean):
    H = rng.standard_normal((300, 8)) + mean * np.linspace(-1, 1, 8)
    target = H @ rng.standard_normal((8, 2)) + mean
    centred, middle = H - H.mean(axis=0), target - target.mean(axis=0)
    expected = np.linalg.solve(centred.T @ centred + 0.5 * np.eye(8), centred.T @ middle)
    # The first part is one row, and the second lies elsewhere.
    parts = parts_of(np.argsort(H[:, 0]), [1, 2, 150])
    one_by_one = NormalEquations(8, 2, exact=True)
    for part in parts:
        one_by_one.add(H[part], target[part])
    merged = sums_of(H[parts[0]], target[parts[0]])
    for part in parts[1:]:
        merged.merge(sums_of(H[part], target[part]))
    for sums in (one_by_one, merged):
        coef, intercept = sums.solve([0.5], [8])[0][0]
        np.testing.assert_allclose(coef, expected, rtol=0, atol=1e-10 + 1e-15 * mean)
        np.testing.assert_allclose(H @ coef + intercept, target, rtol=0, atol=0.05)
        left = np.mean((H @ coef + intercept - target) ** 2)
        assert sums.squared_error(coef, intercept) == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("centred", [True, False])
def test_removing_a_fold_leaves_the_sums_of_the_others(centred):
    H = X + 3.0
    folds = np.array_split(np.arange(240), 4)
    total = sums_of(H, Y, centred=centred)
    for fold in folds:
        rest = np.setdiff1d(np.arange(240), fold)
        held = sums_of(H[fold], Y[fold], centred=centred)
        total.remove(held)
        ours, direct = total.solve([0.3], [5])[0][0], sums_of(H[rest], Y[rest], centred=centred).solve([0.3], [5])[0][0]
        np.testing.assert_allclose(ours[0], direct[0], rtol=0, atol=1e-10)
        left = np.mean((H[fold] @ ours[0] + ours[1] - Y[fold]) ** 2)
        assert held.squared_error(*ours) == pytest.approx(left, rel=1e-9)
        total.merge(held)


@pytest.mark.parametrize("centred", [True, False])
def test_generalised_cross_validation_is_its_definition(centred):
    sums = sums_of(X, Y, centred=centred)
    found = sums.cross_validated_errors([0.1, 50.0], [2, 5])
    for a, alpha in enumerate([0.1, 50.0]):
        for j, m in enumerate([2, 5]):
            H, target = (X[:, :m] - X[:, :m].mean(axis=0), Y - Y.mean(axis=0)) if centred else (X[:, :m], Y)
            hat = H @ np.linalg.solve(H.T @ H + alpha * np.eye(m), H.T)
            free = 1.0 - (np.trace(hat) + centred) / 240
            assert found[a, j] == pytest.approx(np.mean((target - hat @ target) ** 2) / free**2, rel=1e-10)


def test_penalties_are_chosen_from_sums_alone():
    noisy = Y + 0.5 * np.random.default_rng(5).standard_normal(Y.shape)
    parts = [(X[part], noisy[part]) for part in parts_of(np.arange(240), [60, 90])]
    path = path_of(alphas=[1e-6, 1.0, 1e7]).fit_blocks(parts)
    assert path.alpha_[-1] == 1.0  # neither noise learnt nor everything flattened
    # By rows that are held out, which join the fit.
    held = path_of(alphas=[1e-6, 1.0, 1e7]).fit_blocks(parts[:2], held_out=parts[2:])
    train = path_of(alphas=1.0).fit_blocks(parts[:2])
    error = np.mean((train.predict(X[90:]) - noisy[90:]) ** 2)
    assert held.cv_errors_[1, -1] == pytest.approx(error, rel=1e-8)
    assert held.alpha_[-1] == 1.0
    np.testing.assert_allclose(held.coef_path_[30], path.coef_path_[30], rtol=0, atol=1e-10)
    held.partial_fit(*parts[0])
    again = path_of(alphas=1.0).fit_blocks([*parts, parts[0]])
    np.testing.assert_allclose(held.coef_path_[30], again.coef_path_[30], rtol=0, atol=1e-10)


def test_labels_in_parts():
    order = np.argsort(LABELS)  # the last label comes last
    path = path_of(alphas=0.1, kind=RidgePathClassifier)
    for part in np.array_split(order, 4):
        path.partial_fit(X[part], LABELS[part], classes=["c", "b", "a"])
    whole = path_of(alphas=0.1, kind=RidgePathClassifier).fit(X, LABELS)
    assert (path.predict(X) == whole.predict(X)).all()
    assert path.score(X, LABELS) > 0.8
    late = path_of(alphas=0.1, kind=RidgePathClassifier)
    blocks = [(X[part], LABELS[part]) for part in np.array_split(order, 4)]
    with pytest.raises(DataError, match="Block 3: The label c is not among the 2 classes"):
        late.fit_blocks(blocks, classes=["a", "b"])
    with pytest.raises(ParameterError, match="classes must hold all labels"):
        path_of(kind=RidgePathClassifier).partial_fit(X, LABELS)


def test_state_is_plain_arrays(tmp_path):
    sums = sums_of(X[:100], Y[:100])
    np.savez(tmp_path / "sums.npz", **sums.state())
    with np.load(tmp_path / "sums.npz", allow_pickle=False) as stored:
        again = NormalEquations.from_state(stored)
    for other in (again, pickle.loads(pickle.dumps(sums))):
        other.merge(sums_of(X[100:], Y[100:]))
        np.testing.assert_allclose(
            other.solve([1.0], [5])[0][0][0], sums_of(X, Y).solve([1.0], [5])[0][0][0], rtol=0, atol=1e-12
        )
    broken = {**sums.state(), "shift": np.zeros(3)}
    with pytest.raises(DataError, match="'shift' must be 5 numbers"):
        NormalEquations.from_state(broken)
    with pytest.raises(DataError, match="'cross' is missing"):
        NormalEquations.from_state({"gram": np.zeros(3)})


def test_sums_are_the_same_on_the_gpu(fake_gpu):
    host = path_of(alphas=[0.1, 10.0]).fit_blocks([(X[:90], Y[:90]), (X[90:], Y[90:])])
    gpu = path_of(alphas=[0.1, 10.0]).set_params(feature_map__device="cuda")
    gpu.fit_blocks([(X[:30], Y[:30]), (X[30:], Y[30:])])
    np.testing.assert_allclose(gpu.cv_errors_, host.cv_errors_, rtol=1e-9)
    np.testing.assert_allclose(gpu.coef_path_[30], host.coef_path_[30], rtol=0, atol=1e-10)
    gpu.sums_.merge(host.sums_)  # from another device
    assert gpu.sums_.n_samples == 480


def test_parts_that_do_not_fit():
    path = path_of()
    blocks = [(X[:100], Y[:100]), (X[:0], Y[:0])]
    for bad, message in (
        ((X[:, :4], Y), "Block 2: X has 4 features"),
        ((np.where(X > 2, np.nan, X), Y), "Block 2: Input X contains NaN"),
        ((X.astype(str) + "x", Y), "Block 2: could not convert"),
        ((X, Y[:, 0]), "Block 2: y must have 2 columns"),
    ):
        with pytest.raises(DataError, match=message):
            path.fit_blocks([*blocks, bad])
    with pytest.raises(DataError, match="hold no rows"):
        path.fit_blocks(blocks[1:])
    with pytest.raises(DataError, match="All rows are held out"):
        path.fit_blocks([], held_out=blocks)
    with pytest.raises(DataError, match="5 features, 2 targets, with an intercept and 5 features, 2 targets, without"):
        sums_of(X, Y).merge(sums_of(X, Y, centred=False))
    with pytest.raises(DataError, match="240 cannot be removed"):
        sums_of(X[:10], Y[:10]).remove(sums_of(X, Y))


@pytest.mark.parametrize(
    ("feature_map", "message"),
    [
        (RandomFourier(30, gamma="scale"), "gamma='scale'"),
        (DecisionStumps(30), "standardise=True"),
        (RandomBinning(3), "must not learn its columns"),
    ],
    ids=["scale", "stumps", "binning"],
)
def test_maps_that_learn_from_rows_are_fitted_first(feature_map, message):
    with pytest.raises(ParameterError, match=message):
        RidgePathRegressor(feature_map, alphas=1.0).partial_fit(X, Y)
    if not feature_map.sparse_output:
        fitted = feature_map.fit(X)
        path = RidgePathRegressor(fitted, alphas=1.0, m_grid=[10]).partial_fit(X, Y)
        np.testing.assert_array_equal(path.feature_map_.transform(X), fitted.prefix(10).transform(X))
        with pytest.raises(DataError, match="4 columns"):
            RidgePathRegressor(fitted, alphas=1.0).partial_fit(X[:, :4], Y)


def test_a_fit_forgets_the_parts_before_it():
    path = path_of().partial_fit(X[:100], Y[:100])
    path.fit(X, Y)
    assert not hasattr(path, "sums_")
    path.partial_fit(X[:50], Y[:50])
    assert path.sums_.n_samples == 50
    wide = RidgePathRegressor(RandomMaxout(400), alphas=1.0).partial_fit(X, Y)  # more features than rows
    assert np.isfinite(wide.coef_path_[400]).all()
