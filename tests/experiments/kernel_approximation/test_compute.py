"""Kernel approximation against independent maps, exact variances, and kernels that are wrong on purpose."""

import numpy as np
import pytest
from scipy.stats import norm

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.nested import estimates
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.experiments.kernel_approximation.compute import METRICS, kernel_errors
from rfviz.features import CompositionalFeatures, MapSpec, RandomFourier, RandomMaxout, RandomProjection, registry

SPECS = [
    MapSpec(RandomMaxout, pool_size=4),
    MapSpec(RandomFourier, gamma=1.0),
    MapSpec(RandomProjection),
    MapSpec(RandomFourier, gamma=0.5, paired=False),
]
every_map = pytest.mark.parametrize("spec", SPECS, ids=str)


@pytest.fixture(scope="module")
def sample():
    return prepare_sample(datasets.load("digits"), n_points=24)


@pytest.fixture(scope="module")
def sphere():
    return prepare_sample(datasets.load("sphere", n_samples=30, dimension=3), n_points=30)


def brute_force(sample, spec, m, seed):
    """Return the errors of all pairs i < j of a map that is drawn and applied on its own."""
    points = sample.coordinates
    own = spec.make(n_components=m, random_state=seed, dtype="float64").fit(points)
    Phi = own.transform(points)
    i, j = np.triu_indices(sample.n_points, 1)
    return (Phi @ Phi.T)[i, j], own.kernel(points)[i, j]


# --- what is computed -------------------------------------------------------------------------------------------------


@every_map
def test_prefixes_equal_maps_of_their_own(sample, spec):
    X, grid = sample.original, [1, 2, 7, 30, 64]
    whole = spec.make(n_components=64, dtype="float64").fit(X)
    for m, K_hat in zip(grid, estimates(whole, X, grid), strict=True):
        for other in (whole.prefix(m), spec.make(n_components=m, dtype="float64").fit(X)):
            Phi = other.transform(X)
            np.testing.assert_allclose(K_hat, Phi @ Phi.T, atol=1e-12)


@pytest.mark.parametrize(
    "setting",
    [
        {"skeleton": "deep", "deduplicate": True},
        {"skeleton": "flat", "deduplicate": True},
        {"deduplicate": False},
        {"skeleton": {"image": [64, 1], "base": "binary", "layers": [], "top": "identity"}},
    ],
)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_prefixes_of_features_with_shares_of_their_own(sample, setting, device, fake_gpu):
    # The last setting has 64 different features only: of a larger map some columns are zero.
    X, grid = np.round(sample.original * 4), [1, 2, 7, 63, 64, 65, 130]
    whole = CompositionalFeatures(130, dtype="float64", device=device, **setting).fit(X)
    for m, K_hat in zip(grid, estimates(whole, X, grid), strict=True):
        Phi = CompositionalFeatures(m, dtype="float64", device="cpu", **setting).fit_transform(X)
        np.testing.assert_allclose(K_hat, Phi @ Phi.T, atol=1e-12)


@every_map
def test_measures_are_those_of_brute_force(sample, spec):
    grid = [4, 20, 50]
    result = kernel_errors(sample, spec.replace(dtype="float64"), grid, n_draws=3)
    for draw in range(3):
        for index, m in enumerate(grid):
            estimated, exact = brute_force(sample, spec, m, draw)
            error = estimated - exact
            expected = {
                "rmse": np.sqrt(np.mean(error**2)),
                "mae": np.mean(np.abs(error)),
                "maximum": np.abs(error).max(),
                "correlation": np.corrcoef(estimated, exact)[0, 1],
            }
            for name in METRICS:
                assert result.errors.metric(name)[draw, index] == pytest.approx(expected[name], rel=2e-5, abs=2e-6)


def test_bias_and_spread_are_those_of_brute_force(sample):
    result = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [10], n_draws=6)
    runs = [brute_force(sample, MapSpec(RandomFourier, gamma=1.0), 10, s) for s in range(6)]
    error = np.array([estimated - exact for estimated, exact in runs])
    variance = error.var(axis=0, ddof=1)
    assert result.errors.spread[0] == pytest.approx(np.sqrt(variance.mean()), rel=1e-4)
    corrected = np.mean(error.mean(axis=0) ** 2 - variance / 6)
    assert result.errors.bias_squared[0] == pytest.approx(corrected, abs=1e-6)


def test_groups_are_means_over_pairs_of_similar_kernel(sample):
    result = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [10], n_draws=4)
    runs = [brute_force(sample, MapSpec(RandomFourier, gamma=1.0), 10, s) for s in range(4)]
    order = np.argsort(runs[0][1], kind="stable")
    error = np.array([estimated - exact for estimated, exact in runs])[:, order]
    sizes = len(order) / len(result.errors.group_kernel)
    first = error[:, : int(sizes)]
    assert result.errors.group_kernel[0] == pytest.approx(runs[0][1][order][: int(sizes)].mean())
    assert result.errors.group_bias[0, 0] == pytest.approx(first.mean(), abs=1e-6)
    assert result.errors.group_error[0, 0] == pytest.approx(first.mean(axis=1).std(ddof=1) / 2, abs=1e-6)
    assert result.errors.group_spread[0, 0] == pytest.approx(np.sqrt(first.var(axis=0, ddof=1).mean()), abs=1e-6)
    assert (np.diff(result.errors.group_kernel) > 0).all()


def test_density_counts_every_pair_where_brute_force_puts_it(sample):
    result = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [20, 400], n_draws=2)
    d = result.density
    for index, m in enumerate([20, 400]):
        runs = [brute_force(sample, MapSpec(RandomFourier, gamma=1.0), m, s) for s in range(2)]
        estimated, exact = (np.concatenate(part) for part in zip(*runs, strict=True))
        counts, _, _ = np.histogram2d(estimated, exact, [d.y_edges, d.x_edges])
        # Values that fall on the edge of a cell may land on either side of it.
        assert np.abs(d.counts[index] - counts).sum() <= 0.02 * len(exact)
        outside = np.mean((estimated < d.y_edges[0]) | (estimated >= d.y_edges[-1]))
        assert d.outside[index] == pytest.approx(outside, abs=0.01)
    assert d.outside[1] == 0


def test_more_draws_hold_the_fewer(sample):
    few, many = (kernel_errors(sample, MapSpec(RandomMaxout), [8, 30], n_draws=n) for n in (2, 4))
    np.testing.assert_array_equal(many.errors.rmse[:2], few.errors.rmse)


# --- against theory ---------------------------------------------------------------------------------------------------


@every_map
def test_mean_square_error_is_the_exact_variance(sphere, spec):
    """z-score of the mean square error over 400 draws for each of 4 m; |z| > 4.5 is a false alarm in 1 of 10,000.

    The distribution of a draw's mean square error is skewed, hence the margin over the normal 4.3.
    """
    grid = [2, 6, 20, 60]
    result = kernel_errors(sphere, spec, grid, n_draws=400)
    squared = result.errors.rmse**2
    z = (squared.mean(axis=0) - result.reference.rmse**2) / (squared.std(axis=0, ddof=1) / 20)
    assert np.abs(z).max() < 4.5


@every_map
def test_unbiased_maps_show_no_bias(sphere, spec):
    """|z| of the corrected squared bias for each of 4 m: a sum of many products, near normal; 4.5 is 1 in 36,000."""
    result = kernel_errors(sphere, spec, [2, 6, 20, 60], n_draws=200)
    assert np.abs(result.errors.bias_squared / result.errors.chance).max() < 4.5
    assert result.reference.bias is None


def test_a_lone_cosine_shows_its_exact_bias(sphere):
    """An odd number of paired features is biased by k(x + z)/m; z-scores per group of pairs, Bonferroni over 2 × 24."""
    grid = [5, 11]
    result = kernel_errors(sphere, MapSpec(RandomFourier, gamma=0.2), grid, n_draws=400)
    law = RandomFourier(11, gamma=0.2).fit(sphere.coordinates).product_law(sphere.coordinates)
    i, j = np.triu_indices(30, 1)
    order = np.argsort(RandomFourier(gamma=0.2).fit(sphere.coordinates).kernel(sphere.coordinates)[i, j], kind="stable")
    starts = np.searchsorted(np.arange(len(order)), np.linspace(0, len(order), 24, endpoint=False).astype(int))
    sizes = np.diff(np.append(starts, len(order)))
    for index, m in enumerate(grid):
        bias = np.add.reduceat(law.bias(m)[i, j][order], starts) / sizes
        z = (result.errors.group_bias[index] - bias) / result.errors.group_error[index]
        assert np.abs(z).max() < norm.isf(0.5e-4 / 48)
        assert result.reference.bias[index] == pytest.approx(np.sqrt(np.mean(law.bias(m)[i, j] ** 2)))
    # Beyond doubt, and of the right size.
    assert (result.errors.bias_squared > 5 * result.errors.chance).all()
    np.testing.assert_allclose(np.sqrt(result.errors.bias_squared), result.reference.bias, rtol=0.2)
    squared = result.errors.rmse**2
    z = (squared.mean(axis=0) - result.reference.rmse**2) / (squared.std(axis=0, ddof=1) / 20)
    assert np.abs(z).max() < 4.5


def test_a_wrong_kernel_is_found_out(sphere, monkeypatch):
    """The kernel of the paper's theorem, which is not the mean of the map: bias far beyond chance, at every m."""
    from rfviz.kernels import maxout_theorem1_as_printed, pairwise_cosines

    monkeypatch.setattr(
        RandomMaxout, "kernel", lambda self, X, Y=None: maxout_theorem1_as_printed(pairwise_cosines(X)[1], 4)
    )
    result = kernel_errors(sphere, MapSpec(RandomMaxout, pool_size=4), [100, 400], n_draws=10)
    assert (result.errors.bias_squared > 3 * result.errors.chance).all()
    assert (np.sqrt(result.errors.bias_squared) > 3 * result.errors.spread).all()


def test_error_falls_as_one_over_the_root_of_m(sample):
    result = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [50, 5000], n_draws=4)
    ratio = result.errors.rmse.mean(axis=0)
    assert ratio[0] / ratio[1] == pytest.approx(10, rel=0.15)
    np.testing.assert_allclose(result.reference.rmse[0] / result.reference.rmse[1], 10)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.cls is not RandomMaxout], ids=str)
def test_bounds_hold(sphere, spec):
    """The largest error over all pairs exceeds the bound with probability 5 % at most; these bounds are loose."""
    result = kernel_errors(sphere, spec, [3, 10, 101], n_draws=40)
    assert (result.errors.maximum <= result.reference.bound).all()
    assert result.reference.bound_name


def test_no_bound_is_claimed_for_maxout(sphere):
    result = kernel_errors(sphere, MapSpec(RandomMaxout), [10], n_draws=2)
    assert result.reference.bound is None
    assert result.reference.rmse is not None


def test_mean_absolute_error_tends_to_that_of_normal_estimates(sphere):
    result = kernel_errors(sphere, MapSpec(RandomFourier, gamma=1.0), [1000], n_draws=200)
    values = result.errors.mae[:, 0]
    z = (values.mean() - result.reference.mae[0]) / (values.std(ddof=1) / np.sqrt(200))
    assert abs(z) < 4.5


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_sample_is_nested_and_normalised():
    data = datasets.load("digits")
    small, large = (prepare_sample(data, n_points=n) for n in (20, 60))
    assert set(small.rows) < set(large.rows) and (np.diff(large.rows) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(small.original, axis=1), 1.0)
    np.testing.assert_allclose(small.coordinates @ small.coordinates.T, small.original @ small.original.T, atol=1e-12)
    assert prepare_sample(data, n_points=10**6).n_points == data.n_samples


def test_a_word_for_a_number_is_learnt_from_the_points_as_they_are(sample):
    """24 points span 24 coordinates, whose variance is another than that of 64 pixels."""
    gamma = RandomFourier().fit(sample.original).gamma_
    scale, same = (kernel_errors(sample, MapSpec(RandomFourier, gamma=g), [10, 100], 2) for g in ("scale", gamma))
    np.testing.assert_array_equal(scale.errors.rmse, same.errors.rmse)
    assert RandomFourier().fit(sample.coordinates).gamma_ != pytest.approx(gamma, rel=0.01)


@pytest.mark.parametrize("m_max", [2, 3, 10, 500, 2000])
def test_grid(m_max):
    even, odd = error_grid(m_max), error_grid(m_max, odd=True)
    assert (even % 2 == 0).all() and (odd % 2 == 1).all() and (np.diff(even) > 0).all()
    assert even[-1] in (m_max, m_max + 1) and len(even) <= 20


@pytest.mark.parametrize("grid", [[], [0, 2], [4, 2], [2, 2], [1.5], [[1, 2]]])
def test_a_grid_that_does_not_rise_is_refused(sample, grid):
    with pytest.raises(ParameterError, match="m_grid must be rising integers"):
        kernel_errors(sample, MapSpec(RandomMaxout), grid)


def test_wrong_number_of_draws(sample):
    with pytest.raises(ParameterError, match="n_draws must be an integer from 1 to 1000; got 0"):
        kernel_errors(sample, MapSpec(RandomMaxout), [2], n_draws=0)


def test_one_draw_has_no_spread(sample):
    result = kernel_errors(sample, MapSpec(RandomMaxout), [2, 20], n_draws=1)
    assert np.isnan(result.errors.spread).all() and np.isnan(result.errors.group_error).all()
    assert np.isfinite(result.errors.rmse).all()


def test_equal_points_have_no_correlation():
    data = datasets.Dataset("same", np.ones((5, 2), np.float32))
    result = kernel_errors(prepare_sample(data), MapSpec(RandomMaxout), [2, 20])
    assert np.isnan(result.errors.correlation).all()
    assert result.density.counts[-1].sum() > 0


def test_too_few_points():
    with pytest.raises(DataError, match="at least 3 points"):
        prepare_sample(datasets.load("circle", n_samples=2))


def test_memory_is_refused_before_anything_is_drawn(sample, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00005")
    monkeypatch.setattr(RandomFourier, "fit", lambda *a, **k: pytest.fail("fitted"))
    with pytest.raises(MemoryBudgetError, match=r"5 draws of 276 pairs at 3.*Choose fewer points or draws"):
        kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [10, 20, 30])


def test_memory_of_features_is_refused(sample, monkeypatch):
    whole = RandomFourier(1000, device="cpu").fit(sample.original)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0001")
    with pytest.raises(MemoryBudgetError, match="1000 features of 24 points"):
        next(estimates(whole, sample.original, [10]))


def test_progress_rises_and_can_stop(sample):
    seen = []
    kernel_errors(sample, MapSpec(RandomMaxout), [10], 3, progress=lambda share, text: seen.append((share, text)))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares) and "draw 3 of 3" in seen[2][1]

    class StoppedError(Exception):
        pass

    def stop(share, text):
        if share > 0:
            raise StoppedError

    with pytest.raises(StoppedError):
        kernel_errors(sample, MapSpec(RandomMaxout), [10], 3, progress=stop)


def test_frame_holds_the_numbers(sample):
    result = kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), [10, 100], 4, label="mine")
    frame = result.to_frame()
    assert list(frame["m"]) == [10, 100] and set(frame["map"]) == {"mine"}
    np.testing.assert_allclose(frame["RMSE"], np.sqrt(np.mean(result.errors.rmse**2, axis=0)))
    np.testing.assert_allclose(frame["MAE"], result.errors.mae.mean(axis=0))
    np.testing.assert_allclose(frame["predicted RMSE"], result.reference.rmse)
    assert frame.notna().all(axis=None)


@pytest.mark.parametrize("cls", registry().values())
def test_every_map_of_the_project(cls, sample):
    """With its defaults; a map without a closed-form kernel says so in one sentence."""
    try:
        result = kernel_errors(sample, MapSpec(cls), [20, 200], 3)
    except ParameterError as error:
        assert "closed form" in str(error)
        return
    assert (result.errors.rmse[:, 1] < result.errors.rmse[:, 0] * 1.2).all()
    assert result.density.counts.sum() > 0


def test_on_a_gpu_the_same_numbers(fake_gpu, sample):
    maps = [
        RandomFourier(40, gamma=1.0, device=device, dtype="float64").fit(sample.original) for device in ("cpu", "cuda")
    ]
    host, device = (list(estimates(m, sample.original, [10, 40])) for m in maps)
    np.testing.assert_allclose(host, device, atol=1e-12)
    assert fake_gpu.memory.peak > 0
