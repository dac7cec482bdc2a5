"""Spectra and ways to draw them: means and variances over seeds, orthogonality, nestedness, refusals.

Statistical tests have a false-alarm rate of 1e-5 for all their pairs together; the seeds are fixed.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from rfviz import kernels
from rfviz.errors import ParameterError, PrecisionWarning
from rfviz.features import RandomFourier, precision
from rfviz.features.frequencies import orthogonal_rows
from tests.features.cases import drawn_weights
from tests.features.test_kernels import mean_alarms, variance_alarms

rng = np.random.default_rng(0)
X = 0.6 * rng.standard_normal((6, 5))
X[3], X[5] = X[1], -X[1]
PAIRS = np.triu_indices(len(X))
SEEDS = 250
ISOTROPIC, BY_COLUMN = ("gaussian", "matern"), ("laplacian", "cauchy", "own")
VALID = [(s, d) for s in ISOTROPIC for d in ("iid", "orthogonal", "structured", "qmc")]
VALID += [(s, d) for s in BY_COLUMN for d in ("iid", "qmc")]
every_valid = pytest.mark.parametrize(("spectrum", "draw"), VALID)
pairing = pytest.mark.parametrize("paired", [True, False])


def fourier(m=64, **keywords):
    return RandomFourier(m, **{"gamma": 0.5, "density": "exp(-x^2/2)", "dtype": "float64", "device": "cpu", **keywords})


def estimates(m=64, seeds=SEEDS, data=X, **keywords):
    maps = (fourier(m, random_state=seed, **keywords).fit_transform(data) for seed in range(seeds))
    return np.array([F @ F.T for F in maps])


# --- mean and variance ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@every_valid
@pytest.mark.parametrize(("paired", "m"), [(True, 64), (True, 33), (False, 64)])
def test_mean_and_variance_of_theory(spectrum, draw, paired, m):
    keywords = {"spectrum": spectrum, "draw": draw, "paired": paired, "nu": 0.8}
    samples = estimates(m, **keywords)[:, *PAIRS]
    feature_map = fourier(m, **keywords).fit(X)
    kernel, law = feature_map.kernel(X)[PAIRS], feature_map.product_law(X)
    odd = feature_map.kernel(X, -X)[PAIRS] / m if paired and m % 2 else 0.0
    assert not mean_alarms(samples, kernel + odd, 1e-3 if draw == "structured" else 0.0).any()
    if law is None:
        assert draw in ("structured", "qmc") or (draw == "orthogonal" and spectrum == "matern")
        return
    variance = law.variance(m)[PAIRS]
    if draw == "orthogonal" and paired and m % 2:
        assert np.isnan(variance).all()  # the lone cosine is not the first of its block
        return
    assert not variance_alarms(samples, variance).any()


def test_variance_of_an_odd_orthogonal_map_whose_last_cosine_begins_a_block():
    m = 2 * 15 + 1  # 15 pairs fill three blocks of 5
    law = fourier(m, draw="orthogonal").fit(X).product_law(X)
    samples = estimates(m, draw="orthogonal")[:, *PAIRS]
    assert not variance_alarms(samples, law.variance(m)[PAIRS]).any()
    assert not mean_alarms(samples, (kernels.gaussian(X, gamma=0.5) + law.bias(m))[PAIRS]).any()


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["orthogonal", "structured", "qmc"])
@pairing
def test_better_draws_err_less(draw, paired):
    points = 0.5 * rng.standard_normal((20, 4))
    kernel = fourier().fit(points).kernel(points)
    errors = [
        np.sqrt(np.mean((estimates(256, 60, points, draw=kind, paired=paired) - kernel) ** 2)) for kind in ("iid", draw)
    ]
    assert errors[1] < (0.8 if paired else 0.95) * errors[0]


@pytest.mark.parametrize("d", [2, 5, 64])
@pytest.mark.parametrize("m", [2, 40, 400])
def test_law_of_orthogonal_draws_is_below_that_of_independent_ones(d, m):
    # Theory: the covariance is negative for kernels that are not small.
    points = rng.standard_normal((8, d)) / np.sqrt(d) / 2
    variances = [fourier(m, draw=draw).fit(points).product_law(points).variance(m) for draw in ("orthogonal", "iid")]
    difference = (variances[1] - variances[0])[np.triu_indices(8, 1)]
    assert (difference >= -1e-10).all() if m > 2 else np.allclose(difference, 0, atol=1e-12)
    assert m == 2 or difference.max() > 1e-6


def test_sobol_errors_fall_faster_in_few_dimensions():
    points = rng.standard_normal((20, 2))
    kernel = fourier().fit(points).kernel(points)
    grid = [64, 256, 1024, 4096]
    slopes = {}
    for draw in ("iid", "qmc"):
        errors = [np.sqrt(np.mean((estimates(m, 20, points, draw=draw) - kernel) ** 2)) for m in grid]
        slopes[draw] = np.polyfit(np.log(grid), np.log(errors), 1)[0]
    assert slopes["iid"] == pytest.approx(-0.5, abs=0.08)
    assert slopes["qmc"] < -0.8


@pytest.mark.slow
@pytest.mark.parametrize(("spectrum", "draw"), [("matern", "iid"), ("gaussian", "orthogonal")])
@pairing
def test_distance_law(spectrum, draw, paired):
    keywords = {"spectrum": spectrum, "draw": draw, "paired": paired, "nu": 1.7}
    points = np.outer([0.0, 0.05, 0.4, 1.0, 3.0], np.full(4, 0.5))
    kernel_hats = estimates(64, data=points, **keywords)
    diagonal = np.einsum("sii->si", kernel_hats)
    squared = diagonal + diagonal[:, :1] - 2.0 * kernel_hats[:, 0]
    mean, variance = fourier(64, **keywords).fit(points).distance_law().moments(np.array([0.0, 0.05, 0.4, 1.0, 3.0]))
    assert not mean_alarms(squared[:, 1:], mean[1:]).any()
    assert not variance_alarms(squared[:, 1:], variance[1:]).any()


def test_slope_of_a_kernel_with_a_cusp_is_infinite():
    law = fourier(spectrum="matern", nu=0.5).distance_law()
    assert law.slope == np.inf and 0 < law.saturation_radius() < np.inf


def test_why_there_is_no_law_of_distances():
    for keywords, word in [
        ({"spectrum": "laplacian"}, "column"),
        ({"gamma": [1.0] * 5}, "column"),
        ({"draw": "qmc"}, "scatters"),
    ]:
        feature_map = fourier(**keywords).fit(X)
        assert feature_map.distance_law() is None and word in feature_map.law_missing
    assert fourier().law_missing == "" and fourier().distance_law() is not None


# --- the frequencies themselves ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d"), [(3, 10), (20, 7), (300, 300), (700, 600), (270, 520)])
def test_blocks_are_orthogonal(m, d):
    rows, lengths = np.full((m, d), np.nan), rng.random(m) + 0.5
    orthogonal_rows(1, rows, lengths)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), lengths)
    for start in range(0, m, d):
        block = rows[start : start + d] / lengths[start : start + d, None]
        np.testing.assert_allclose(block @ block.T, np.eye(len(block)), rtol=0, atol=1e-10)
    fewer = np.empty((m // 2 + 1, d))
    orthogonal_rows(1, fewer, lengths[: len(fewer)])
    np.testing.assert_array_equal(fewer, rows[: len(fewer)])


def test_first_row_of_a_block_is_uniformly_distributed():
    # On the circle the angle of every row is uniform; Kolmogorov and Smirnov, false-alarm rate 1e-5.
    rows = np.empty((4000, 2))
    orthogonal_rows(0, rows, np.ones(4000))
    for kind in (rows[::2], rows[1::2]):
        angles = np.arctan2(kind[:, 1], kind[:, 0])
        assert stats.kstest(angles, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-5


LAWS = {
    "gaussian": stats.norm(scale=np.sqrt(2 * 0.7)),
    "matern": stats.t(3.0, scale=np.sqrt(2 * 0.7)),
    "laplacian": stats.cauchy(scale=0.7),
    "cauchy": stats.laplace(scale=0.7),
    "own": stats.norm(scale=0.7),
}


@pytest.mark.parametrize(("spectrum", "draw"), [case for case in VALID if case[1] != "structured"])
def test_one_coordinate_has_the_law_of_the_spectrum(spectrum, draw):
    frequencies = fourier(8000, gamma=0.7, spectrum=spectrum, draw=draw).fit(X).frequencies_
    for column in (0, 4):
        assert stats.kstest(frequencies[:, column], LAWS[spectrum].cdf).pvalue > 1e-6


def test_sobol_points_are_no_corner_of_the_cube():
    # A uniform number of exactly 0 would be an infinite frequency.
    for seed in range(30):
        assert np.isfinite(fourier(2048, draw="qmc", spectrum="laplacian", random_state=seed).fit(X).frequencies_).all()


def test_sobol_frequencies_in_several_chunks(monkeypatch):
    whole = fourier(500, draw="qmc").fit(X).frequencies_
    monkeypatch.setattr("rfviz.features.frequencies._SOBOL_ROWS", 37)
    np.testing.assert_array_equal(fourier(500, draw="qmc").fit(X).frequencies_, whole)


@every_valid
@pairing
@pytest.mark.parametrize("m", [1, 2, 5, 200, 331])
def test_nested(spectrum, draw, paired, m):
    keywords = {"spectrum": spectrum, "draw": draw, "paired": paired}
    prefix, fitted = fourier(400, **keywords).fit(X).prefix(m), fourier(m, **keywords).fit(X)
    expected, found = drawn_weights(fitted), drawn_weights(prefix)
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])
    np.testing.assert_allclose(prefix.transform(X), fitted.transform(X), rtol=0, atol=1e-12)


@every_valid
@pairing
def test_the_same_map_on_a_gpu(spectrum, draw, paired, fake_gpu):
    keywords = {"spectrum": spectrum, "draw": draw, "paired": paired}
    there = fourier(90, **keywords, device="cuda").fit(X).transform(X)
    np.testing.assert_allclose(there, fourier(90, **keywords).fit_transform(X), rtol=0, atol=1e-12)


def test_another_fit_leaves_nothing_of_the_one_before():
    feature_map = fourier(20, draw="structured").fit(X)
    feature_map.set_params(draw="iid").fit(X)
    assert not hasattr(feature_map, "signs_")
    np.testing.assert_array_equal(feature_map.transform(X), fourier(20).fit_transform(X))


def test_rotation_invariance_is_a_matter_of_the_parameters():
    assert fourier().rotation_invariant and fourier(spectrum="matern").rotation_invariant
    for keywords in ({"spectrum": "cauchy"}, {"draw": "orthogonal"}, {"draw": "qmc"}, {"gamma": [1.0, 2.0]}):
        assert not fourier(**keywords).rotation_invariant


# --- width ------------------------------------------------------------------------------------------------------------


@every_valid
@pairing
def test_a_width_for_each_column(spectrum, draw, paired):
    widths = np.array([0.1, 0.5, 1.0, 2.0, 4.0])
    keywords = {"spectrum": spectrum, "draw": draw, "paired": paired}
    several = fourier(60, gamma=widths, **keywords).fit(X)
    scale = np.sqrt(widths) if spectrum in ISOTROPIC else widths
    one = fourier(60, gamma=1.0, **keywords).fit(X * scale)
    np.testing.assert_allclose(several.transform(X), one.transform(X * scale), rtol=0, atol=1e-12)
    np.testing.assert_allclose(several.kernel(X), one.kernel(X * scale), rtol=0, atol=1e-12)
    np.testing.assert_allclose(several.kernel(X, X[:2]), several.kernel(X)[:, :2], rtol=0, atol=1e-12)
    copy = clone(several)
    assert np.array_equal(copy.gamma, widths) and np.array_equal(copy.fit_transform(X), several.transform(X))


@pytest.mark.parametrize(
    ("gamma", "words"),
    [
        ([1.0, 2.0], "one for each of the 5 columns; got '2 numbers'"),
        ([1.0, 2.0, 0.0, 1.0, 1.0], "got 0.0. That is the entry of column 2"),
        ([1.0, np.nan, 1.0, 1.0, 1.0], "got nan"),
        (np.ones((5, 1)), r"got 'shape \(5, 1\)'"),
        ([], "got 'shape"),
        (["scale"] * 5, "array of such numbers"),
    ],
)
def test_bad_widths(gamma, words):
    with pytest.raises(ParameterError, match=f"gamma must .*{words}"):
        fourier(gamma=gamma).fit(X)


def test_learnt_widths():
    d, v = X.shape[1], X.var()
    pairs = np.triu_indices(len(X), 1)
    euclid, city = np.median(euclidean_distances(X)[pairs]), np.median(manhattan_distances(X)[pairs])
    expected = {
        ("scale", "gaussian"): 1 / (d * v),
        ("scale", "matern"): 1 / (d * v),
        ("scale", "laplacian"): 1 / (d * v**0.5),
        ("scale", "cauchy"): 1 / (d * v) ** 0.5,
        ("median", "gaussian"): euclid**-2,
        ("median", "matern"): euclid**-2,
        ("median", "laplacian"): 1 / city,
        ("median", "cauchy"): 1 / euclid,
        ("median", "own"): 1 / euclid,
        ("scale", "own"): 1 / (d * v) ** 0.5,
    }
    for (rule, spectrum), gamma in expected.items():
        for data in (X, sparse.csr_matrix(X)):
            assert fourier(gamma=rule, spectrum=spectrum).fit(data).gamma_ == pytest.approx(gamma, rel=1e-9)


def test_learnt_widths_put_typical_kernels_in_the_middle():
    data = 37.0 * rng.standard_normal((300, 20))
    for rule in ("scale", "median"):
        for spectrum in (*ISOTROPIC, *BY_COLUMN):
            kernel = fourier(gamma=rule, spectrum=spectrum).fit(data).kernel(data)
            assert 0.05 < np.median(kernel[np.triu_indices(300, 1)]) < 0.7


@pytest.mark.slow
def test_median_over_a_subsample_is_near_that_over_all(monkeypatch):
    data = np.random.default_rng(0).standard_normal((3000, 4))
    some = fourier(gamma="median").fit(data).gamma_
    monkeypatch.setattr(precision, "SAMPLED_ROWS", 3000)
    assert some == pytest.approx(fourier(gamma="median").fit(data).gamma_, rel=0.05)
    assert fourier(gamma="median", random_state=5).fit(data).gamma_ == fourier(gamma="median").fit(data).gamma_


@pytest.mark.parametrize("rule", ["scale", "median"])
def test_learnt_width_of_equal_points_is_one(rule):
    assert fourier(gamma=rule).fit(np.ones((4, 3))).gamma_ == 1.0
    assert fourier(gamma=rule).fit(np.ones((1, 3))).gamma_ == 1.0
    mostly_equal = np.zeros((20, 2))
    mostly_equal[0] = 3.0, 4.0
    assert fourier(gamma="median").fit(mostly_equal).gamma_ == pytest.approx(1 / 25)


# --- refusals and warnings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spectrum", BY_COLUMN)
@pytest.mark.parametrize("draw", ["orthogonal", "structured"])
def test_rotations_of_a_law_with_axes_are_refused(spectrum, draw):
    with pytest.raises(
        ParameterError, match=rf"draw must be 'iid' or 'qmc' for the spectrum '{spectrum}'.*got '{draw}'"
    ):
        fourier(spectrum=spectrum, draw=draw).fit(X)


@pytest.mark.slow
def test_too_many_columns_for_sobol():
    wide = sparse.csr_matrix((2, 21_201))
    fourier(2, draw="qmc").fit(wide)
    for keywords in ({"paired": False}, {"spectrum": "matern"}):
        with pytest.raises(ParameterError, match=r"beyond 21200 columns.*here 21201.*Use draw='orthogonal'"):
            fourier(2, draw="qmc", **keywords).fit(wide)


@pytest.mark.parametrize("keywords", [{"spectrum": "sinc"}, {"draw": "halton"}, {"nu": 0.0}, {"nu": "smooth"}])
def test_bad_choices(keywords):
    with pytest.raises(ParameterError, match=rf"{next(iter(keywords))} must be .*; got .*Try"):
        fourier(**keywords).fit(X)


@pytest.mark.parametrize("spectrum", [*ISOTROPIC, *BY_COLUMN])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_phases_beyond_the_precision_are_warned_of(spectrum, container):
    large = container(X * 1e7)
    with pytest.warns(PrecisionWarning, match=r"gamma=0\.5 .* radians.*dtype='float64'"):
        fourier(spectrum=spectrum, dtype="float32").fit(large)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fourier(spectrum=spectrum).fit(large)
        fourier(spectrum=spectrum, dtype="float32").fit(container(100 * X))
