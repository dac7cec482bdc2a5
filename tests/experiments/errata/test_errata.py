"""The numbers of the errata against draws, quadrature and brute force that use nothing of the library.

Where draws decide, a z-score beyond 5 fails: a false alarm in one of two million.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import chi2, norm

from rfviz.errors import ParameterError
from rfviz.experiments.errata import Errata, compute
from rfviz.experiments.errata.statements import ERRATA, PAPERS, STATEMENTS
from rfviz.features import DecisionStumps
from rfviz.kernels import maxout_by_argmax
from rfviz.lab.errata.text import TITLES, of_erratum
from rfviz.lab.index import entry_of, find_page
from rfviz.lab.preset import Preset
from rfviz.skeleton import convolutions, graph
from tests.papers.tools import maxima, near

RNG = np.random.default_rng(50)
ROOT = Path(__file__).parents[3]


def numbers_of(sentence):
    """Return the numbers of a sentence, in their order."""
    return [float(found.replace(",", "")) for found in re.findall(r"(?<![\w²₁])-?\d[\d,]*\.?\d*(?:e-?\d+)?", sentence)]


# --- maxout -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("q", "rho"), [(2, -0.5), (4, 0.3), (8, 0.0), (32, 0.9)])
def test_mean_products_of_both_cases_are_those_of_draws(q, rho):
    x = RNG.standard_normal((200_000, q))
    z = rho * x + math.sqrt(1 - rho * rho) * RNG.standard_normal(x.shape)
    equal, product = x.argmax(axis=1) == z.argmax(axis=1), x.max(axis=1) * z.max(axis=1)
    same, different = maxout_by_argmax(rho, q)
    near(product[equal], same)
    near(product[~equal], different)
    # And those of a quadrature on another grid.
    assert np.allclose((same, different), maxima(q, rho)[1:3], rtol=1e-4)


def test_a_case_that_does_not_happen_has_no_mean():
    same, different = maxout_by_argmax([-1.0, 1.0], 4)
    assert np.isnan(same[0]) and np.isnan(different[1])
    assert np.isfinite(same[1]) and np.isfinite(different[0])
    assert same[1] == pytest.approx(maxima(4, 0.0)[5], rel=1e-6)
    one = maxout_by_argmax(0.3, 1)
    assert one[0] == pytest.approx(0.3) and np.isnan(one[1])


def test_mending_one_of_two_mistakes_is_not_enough():
    kappa, _, different, K, _, square = maxima(4, 0.3)
    mended = kappa * 0.3 * square + (1 - kappa) * different
    assert float(compute.mended_once(0.3, 4)) == pytest.approx(mended, abs=1e-6)
    assert mended < K - 0.3
    said = ERRATA["maxout kernel"].numbers(Errata(pool_size=4, rho=0.3))
    for value in (kappa, maxima(4, 0.3)[1], 0.3 * square, different, K, kappa * 0.3 * square, mended):
        assert f"{value:.3g}" in said


@pytest.mark.parametrize("q", [2, 3, 8, 64])
def test_shares_of_far_points(q):
    mean, square = (
        integrate.quad(lambda t, p=p: t**p * q * norm.pdf(t) * norm.cdf(t) ** (q - 1), -9, 9)[0] for p in (1, 2)
    )
    assert compute.constant_share(q) == pytest.approx(mean**2 / square, abs=1e-8)
    x = RNG.standard_normal((100_000, q))
    near(-x.max(axis=1) * x.min(axis=1) / square, compute.opposite_share(q))
    frame = compute.large_pools(q).frame.set_index("pool size q")
    if q in frame.index:
        assert frame.loc[q, "σ² ÷ (2 log q)"] == pytest.approx(square / (2 * math.log(q)), abs=1e-8)
        assert frame.loc[q, "h₁ ÷ √(2 log q)"] == pytest.approx(mean / math.sqrt(2 * math.log(q)), abs=1e-8)


def test_how_often_the_longest_projection_is_long():
    lengths = np.linalg.norm(RNG.standard_normal((20_000, 12, 3)), axis=2)
    near(lengths.max(axis=1) > 1.5 * math.sqrt(3), compute.share_beyond(3, 4, 3))
    assert compute.share_beyond(100, 4, 1000) == pytest.approx(4000 * chi2.sf(225, 100), rel=1e-4)
    frame = compute.longest_projection(4, 100, 2).frame
    assert (frame.iloc[:, 1] <= frame.iloc[:, 2]).all() and (frame.iloc[:, 2] <= frame.iloc[:, 3]).all()


def test_a_sum_of_two_lengths_is_beyond_what_is_printed():
    sums = np.linalg.norm(RNG.standard_normal((20_000, 2, 200)), axis=2).sum(axis=1)
    assert (sums > 1.5 * math.sqrt(200)).all()
    assert 2 * chi2.cdf(0.75**2 * 200, 200) == pytest.approx(1.8e-7, rel=0.03)
    assert "below 1.8·10⁻⁷." in ERRATA["sum of lengths"].numbers(Errata())


@pytest.mark.slow  # a matrix of 600 million distances
def test_neighbours_on_mnist():
    from sklearn.neighbors import KNeighborsClassifier

    from rfviz import datasets
    from rfviz.errors import RfvizError

    try:
        data = datasets.load("mnist", max_samples=70_000)
    except RfvizError:
        pytest.skip("MNIST is not in the data folder")
    X, y = data.X.astype(np.float32), data.y
    errors = [
        100 * (1 - KNeighborsClassifier(k, algorithm="brute").fit(X[:60_000], y[:60_000]).score(X[60_000:], y[60_000:]))
        for k in (1, 3)
    ]
    assert np.round(errors, 2).tolist() == [3.09, 2.95]


# --- kitchen sinks ----------------------------------------------------------------------------------------------------


def test_losses_range_over_twice_what_the_deviation_counts():
    C, delta, n = 7.0, 0.05, 50
    # McDiarmid: one row of n changes the largest gap by range/n.
    deviation = {spread: spread * math.sqrt(math.log(1 / delta) / (2 * n)) for spread in (C, 2 * C)}
    frame = compute.deviation_term(C).frame
    row = frame.iloc[(frame["training rows n"] - n).abs().argmin()]
    scale = math.sqrt(n / row["training rows n"])
    # Both gaps of the proof: that of the learnt function and that of the best one.
    assert row["its deviation, as printed"] == pytest.approx(2 * deviation[C] * scale)
    assert row["its deviation, right"] == pytest.approx(2 * deviation[2 * C] * scale)
    assert row["estimation term, right"] - row["as printed"] == pytest.approx(2 * deviation[C] * scale)


def test_copies_share_a_weight():
    found = compute.weights_of_copies(1)
    rng = np.random.default_rng(1)
    X = (rng.random((2000, 30)) < rng.uniform(0.1, 0.5, 30)).astype(float)
    y = np.where(X @ rng.standard_normal(30) + rng.standard_normal(2000) > 0, 1.0, -1.0)
    stumps = np.asarray(DecisionStumps(4000, random_state=1).fit(X).transform(X)) * math.sqrt(4000)
    for k in (10, 104):
        row = found[found["K"] == k].iloc[0]
        H = stumps[:, :k]
        weights = np.linalg.solve(H.T @ H + np.eye(k), H.T @ y)
        assert row["largest weight"] == pytest.approx(np.abs(weights).max(), rel=1e-3)
        _, place = np.unique(H * H[0], axis=1, return_inverse=True)
        forms = np.bincount(place.ravel(), weights=weights * H[0])
        assert len(forms) == row["forms"]
        assert row["largest weight of a form"] == pytest.approx(np.abs(forms).max(), rel=1e-3)
    late = found[found["K"] > 100]
    assert late["largest weight"].iloc[-1] < 0.1 * late["largest weight"].iloc[0]
    assert late["largest weight of a form"].iloc[-1] > 0.7 * late["largest weight of a form"].iloc[0]


def test_what_was_measured_of_figure_1_is_what_is_said():
    stored = json.loads((ROOT / "benchmarks/results/kitchen-sinks-cpu.json").read_text(encoding="utf-8"))["figure 1"]
    said = ERRATA["almost as accurate"].right
    for part in stored:
        errors = [100 * part["comparison"][name] for name in ("own_error", "error")]
        if part["data"] == "kddcup99":
            assert "{:.2f}% and AdaBoost at {:.2f}%".format(*errors) in said
        if part["data"] == "adult":
            assert "{:.2f} and {:.2f}%".format(*errors) in said


# --- Fourier and binning ----------------------------------------------------------------------------------------------


def test_features_that_three_constants_require():
    assert numbers_of(ERRATA["constant of Hoeffding"].numbers(Errata(eps=0.1)))[-3:] == [
        math.ceil(c * math.log(40) / 0.01) for c in (8, 4, 3)
    ]
    frame = compute.phases(0.2).frame
    m = frame["features D"].to_numpy()
    for column, constant in zip(frame.columns[1:], (3, 4, 8), strict=True):
        assert np.allclose(frame[column], np.clip(2 * np.exp(-m * 0.04 / constant), 1e-12, 1))


def test_the_steepest_slope_is_that_of_draws():
    places = np.linspace(0, 10, 1001)
    frequencies = RNG.standard_normal(5000)
    slopes = -frequencies[:, None] * np.sin(frequencies[:, None] * places) + places * np.exp(-(places**2) / 2)
    near((slopes**2).max(axis=1) - frequencies**2, compute.steepest_slope() - 1)
    assert compute.steepest_slope() > 1.1


def test_a_bound_that_changes_with_the_unit_of_length():
    frame = compute.units(100).frame
    d, P, eps = 2, 100, 0.5
    for unit, printed in zip(frame.iloc[:, 0], frame["as printed"], strict=True):
        by_hand = 36 * d * P * 3 * math.exp(-(P * eps**2 / 8 + math.log(eps * unit)) / (d + 1))
        assert printed == pytest.approx(by_hand)
    assert frame["lengths measured in 1/γ"].nunique() == 1


# --- compositional ----------------------------------------------------------------------------------------------------


def test_categories_with_the_printed_exponent_are_all_alike():
    frame = compute.categories(4).frame
    assert np.allclose(frame["exponent 2πiωx/n"], [1, 0, 0, 0])
    mean = sum(complex(math.cos(w / (8 * math.pi)), math.sin(w / (8 * math.pi))) for w in (1, 2, 3, 4)) / 4
    row = frame.iloc[1]
    assert row["exponent iωx/(2πn), as printed"] == pytest.approx(mean.real)
    assert row["its imaginary part"] == pytest.approx(mean.imag)


def test_calls_are_counted_by_running_the_recursion():
    skeleton = graph([("circle", 3)], [({"kind": "exponential", "scale": 0.5}, [0, 1]), ("relu", [3, 2])])
    rng = np.random.default_rng(0)
    # The ReLU's counts by its series, cut where little is left; the exponential's are Poisson.
    a = np.array([1 / math.pi, 0.5, 1 / (2 * math.pi), 0, 1 / (24 * math.pi)])

    def call(node):
        if node < 3:
            return 1, 1
        children = (0, 1) if node == 3 else (3, 2)
        n = rng.poisson(0.5) if node == 3 else rng.choice(len(a), p=a / a.sum())
        found = [call(children[rng.integers(2)]) for _ in range(n)]
        return 1 + sum(calls for calls, _ in found), sum(inputs for _, inputs in found)

    calls, inputs = np.array([call(4) for _ in range(20_000)]).T
    cut = (a * np.arange(len(a))).sum() / a.sum()  # of the slope, which is 1 in full
    near(calls, 1 + cut * (1 + (1 + 0.5)) / 2)
    near(inputs, cut * (0.5 + 1) / 2)
    assert skeleton.calls == pytest.approx(1 + (1 + 1.5 + 0) / 2 + 0)
    assert skeleton.complexity == pytest.approx(0.75)
    deep = convolutions((8, 8), [(3, 2, "relu")], "relu")
    assert deep.calls == pytest.approx(3.0)


@pytest.mark.parametrize("slope", [0.25, 1.0, 1.5])
def test_paths_of_two_lengths_and_the_printed_bound(slope):
    """C(S) by counting the ends of Algorithm 1: Poisson numbers of children, half of them inputs."""
    rng = np.random.default_rng(5)
    above = rng.poisson(slope, 100_000)
    lower = rng.binomial(above, 0.5)  # children that are the lower node; the others are inputs
    near(above - lower + rng.poisson(slope * lower), slope * (1 + slope) / 2)
    node = {"kind": "exponential", "scale": slope}
    two = graph([("circle", 2)], [(node, [0]), (node, [2, 1])])
    assert two.complexity == pytest.approx(slope * (1 + slope) / 2) and two.depths == (1, 2)
    assert (two.complexity > slope**2) == (slope < 1)
    assert two.complexity <= two.complexity_bound == max(1, slope) ** 2
    frame = compute.paths_of_two_lengths().frame
    assert ((frame["C(S)"] > frame.iloc[:, 2]) == (frame.iloc[:, 0] < 1)).all()
    assert numbers_of(ERRATA["paths of two lengths"].numbers(Errata()))[-2:] == [0.156, 0.0625]


def test_layers_attain_the_printed_bound():
    for size, slope in ((3, 0.25), (2, 1.4)):
        node = {"kind": "exponential", "scale": slope}
        layered = convolutions((8, 8), [(size, 2, node), (2, 1, node)], node)
        assert layered.depths == (3, 3) and layered.complexity == pytest.approx(slope**3)
        assert layered.complexity_bound == pytest.approx(max(1, slope) ** 3)


# --- the page ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", STATEMENTS)
def test_each_picture_has_what_is_printed_next_to_what_holds(statement):
    result = Errata(statement=statement).run()
    kinds = set(result.numbers.kinds.values())
    assert {compute.PRINTED, compute.RIGHT} <= kinds
    frame = result.to_frame()
    assert list(result.numbers.kinds) == list(frame.columns[1:]) and frame.iloc[:, 1:].notna().all().all()
    assert [trace.name for trace in result.figure().data] == list(frame.columns[1:])


@pytest.mark.parametrize("name", ERRATA)
def test_each_erratum_has_its_reasons_and_a_page_that_takes_its_settings(name):
    erratum = ERRATA[name]
    words = of_erratum(erratum, Errata())
    assert erratum.paper in PAPERS and all(part in words for part in (erratum.printed, erratum.why, erratum.right))
    assert words.count("$") % 2 == 0 and "nan" not in words
    assert (erratum.picture is not None) == (name in TITLES)
    if erratum.page:
        assert entry_of(erratum.page).computes
        panel = Preset(erratum.values)
        page = find_page(erratum.page)
        try:
            page.settings(panel, page.source(panel))
        except ParameterError as error:
            raise AssertionError(f"{name}: {error}") from None
        assert not panel.unasked(), (name, panel.unasked())


def test_settings_that_do_not_change_a_picture_are_not_asked_for():
    page, panel = find_page("errata"), Preset({"statement": "categories"})
    page.settings(panel, page.source(panel))
    assert set(panel.answers) == {"statement", "categories"}
    with pytest.raises(ParameterError):
        Errata(statement="nothing")
