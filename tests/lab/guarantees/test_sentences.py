"""What the page on guarantees says is what its charts draw, and what was not measured is not said to be."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rfviz.analysis.splits import make_split
from rfviz.datasets import load
from rfviz.experiments.guarantees.describe import table
from tests.lab.sentences import Rough, Sentence, page_at, seeds

ABOUT = ("one pair", "all pairs", "everywhere")
SCHEMES = ["RandomFourier", "RandomFourier", "RandomBinning", "RandomMaxout", "RandomProjection"]


def settings(seed):
    rng = np.random.default_rng(seed)
    return {
        "map": SCHEMES[seed % len(SCHEMES)],
        "points": 8,
        "draws": 20,
        "n_components": int(rng.choice([10, 100, 1000])),
        "eps": float(rng.choice([0.005, 0.02, 0.1, 0.5, 1.0])),
        "delta": float(rng.choice([0.05, 0.5])),
        "about": [name for name in ABOUT if rng.random() < 0.7] or ["all pairs"],
        "data": "sphere",
        "data.n_samples": 50,
    }


def read(x, y, at):
    """Return a curve at one place, between its points by a straight line in logarithms."""
    return np.exp(np.interp(np.log(at), np.log(x), np.log(y)))


class Drawn:
    """The curves of a chart by what they are about, measured and guaranteed, and where each comes down to ε."""

    def __init__(self, figure):
        curves = [t for t in figure.data if ": " in t.name]
        self.measured = {t.name.split(":")[0]: t for t in curves if t.mode == "lines+markers"}
        self.bounds = {}
        for t in curves:
            if t.mode == "lines" and t.showlegend:
                self.bounds.setdefault(t.name.split(":")[0], t)
        rings = [t for t in figure.data if t.name.endswith(" at ε")]
        self.rings = {(t.hovertemplate.split("<extra>")[1].split("</extra>")[0]): t for t in rings}
        self.continued = [t for t in figure.data if t.name.endswith(", extrapolated")]
        assert bool(self.continued) == any(t.name == "extrapolated" for t in figure.data)

    def needed(self, curve):
        return self.rings[curve.name].x[0] if curve.name in self.rings else np.inf

    def enough(self, about):
        """Return the features that suffice as measured, whether they were extrapolated, and whether fewer might."""
        curve = self.measured.get(about)
        if curve is None:
            return None, False, False
        enough = self.needed(curve)
        beyond = bool(enough > curve.x[-1])
        assert ("extrapolated" in self.rings[curve.name].hovertemplate) == beyond
        return enough, beyond, bool(enough <= curve.x[0])


@pytest.mark.parametrize("seed", seeds(20))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("guarantees", values)
    drawn, said = Drawn(found.charts[0].figure), Sentence(found.charts[0].words)
    for about in values["about"]:
        if about in drawn.bounds:
            says_what_is_required(said, drawn, about, values)
        elif about != "everywhere" and "No guarantee" in said:
            enough, beyond, least = drawn.enough(about)
            practice = "about {} would do, by extrapolation," if beyond else "at most " * least + "{} suffice"
            shown = Rough(enough) if beyond else enough
            said.says(f"In practice {practice} for an error of ε = {{}} on {about}.", shown, values["eps"])
    if "(extrapolated)" in said:
        said.says(
            "Only up to {} features were measured: hollow rings are extrapolated.",
            next(iter(drawn.measured.values())).x[-1],
        )
    says_what_holds_at_m(said, drawn, values["n_components"])
    if values["map"] == "RandomProjection":
        said.skips(r"$4e^{-m(\varepsilon^2/2-\varepsilon^3/3)/2}$")
    said.says_nothing_else()


def says_what_is_required(said, drawn, about, values):
    """Hold the sentence about one pair, all pairs or a region against the first bound on it and what is measured."""
    bound = drawn.bounds[about]
    required, what = drawn.needed(bound), bound.name.split(": ")[1]
    if about == "one pair":
        sure = 100 * (1 - values["delta"])
        said.says("One pair: for an error of at most ε = {} with probability {}%", values["eps"], sure)
    if not np.isfinite(required):
        said.says(f"no number of features satisfies {what}.")
        return
    said.says(f"{what} requires {{}} features", required if required < 1e7 else Rough(required))
    # What is measured of a region is what is measured of all pairs, where these are drawn.
    enough, beyond, least = drawn.enough("all pairs" if about == "everywhere" else about)
    if enough is None:
        return
    ratio, at_least = Rough(required / enough, 3 if 0.95 < required / enough < 1.095 else 2), "at least " * least
    loose = f"so the bound is {at_least}{{}} times too large" if about == "one pair" else f"{at_least}{{}} times fewer"
    if beyond:
        said.says(f"about {{}} would do (extrapolated), {loose}.", Rough(enough), ratio)
    else:
        said.says(f"{'at most ' * least}{{}} suffice, {loose}.", enough, ratio)


def says_what_holds_at_m(said, drawn, m):
    bound = drawn.bounds.get("all pairs")
    if bound is None or not bound.x[0] <= m <= bound.x[-1]:
        return
    what, measured = bound.name.split(": ")[1], drawn.measured["all pairs"]
    allowed = read(bound.x, bound.y, m)
    said.says(f"At m = {{}}, the vertical line, {what} allows an error of {{}} for all pairs", m, allowed)
    if measured.x[0] <= m <= measured.x[-1]:
        said.says("; measured: {}.", read(measured.x, measured.y, m))


def test_what_is_extrapolated_looks_so_and_what_is_measured_does_not():
    for eps, beyond in ((0.1, False), (0.005, True)):
        figure = page_at("guarantees", {"points": 8, "draws": 20, "eps": eps}).charts[0].figure
        rings = {t.name: t for t in figure.data if t.name.endswith(" at ε")}
        lines = {t.name: t for t in figure.data if t.name.endswith(", extrapolated")}
        for name in ("measured", "measured, a random pair"):
            ring = rings[f"{name} at ε"]
            assert (ring.marker.symbol == "circle-open") == (f"{name}, extrapolated" in lines) == beyond
            if beyond:
                # It goes on as 1/√m from the last point to the ring.
                line = lines[f"{name}, extrapolated"]
                assert line.line.dash == "dot" and line.x[1] == ring.x[0] and line.y[1] == eps
                assert line.y[0] * np.sqrt(line.x[0]) == pytest.approx(eps * np.sqrt(line.x[1]), rel=1e-3)
        assert all(t.marker.symbol == "circle" for name, t in rings.items() if "Hoeffding" in name)
        # The legend says what a dotted curve is, and what a hollow ring, where there are any.
        entries = [t.name for t in figure.data if t.showlegend]
        assert "normal approximation" in entries and ("extrapolated" in entries) == beyond


def test_the_table_says_extrapolated_where_it_is():
    for eps, beyond in ((0.1, False), (0.005, True)):
        found = page_at("guarantees", {"points": 8, "draws": 20, "eps": eps})
        lines = [one for one in table(found.result.comparison, 64).splitlines() if one.startswith("| measured")]
        assert len(lines) == 2
        for line in lines:
            assert ("extrapolated beyond m = 2,000 | ≈ " in line) == beyond == ("≈" in line)


def dimension_of_moons():
    """Return the larger of two estimates of the dimension of the training rows, rounded up."""
    X = make_split(load("moons", n_samples=60), "unit norm").X_train
    apart = np.sort(cdist(X, X), axis=1)[:, 1:11]
    likelihood = 1 / np.log(apart[:, -1:] / apart[:, :-1]).mean()
    logs = np.sort(np.log(apart[:, 1] / apart[:, 0]))
    kept = int(0.9 * len(logs))
    two = (kept - 1) / (logs[:kept].sum() + (len(logs) - kept) * logs[kept - 1])
    return math.ceil(max(two, likelihood))


@pytest.mark.parametrize("theorem", ["kitchen sinks", "compositional", "maxout"])
@pytest.mark.parametrize("seed", seeds(3))
def test_risks_are_those_that_are_drawn(theorem, seed):
    rng = np.random.default_rng(seed)
    values = {
        "view": "Learning",
        "data": "moons",
        "data.n_samples": 60,
        "theorem": theorem,
        "n_components": int(rng.choice([10, 100, 1000])),
        "rows": int(rng.choice([100, 1000, 100_000])),
        "size": float(rng.choice([0.1, 3.0, 100.0])),
    }
    found = page_at("guarantees", values)
    figure, said = found.charts[0].figure, Sentence(found.charts[0].words)
    m, n = values["n_components"], values["rows"]
    total, rows, features = (np.asarray(t.y, float) for t in figure.data[:3])
    np.testing.assert_allclose(total, rows + features)
    zero = figure.layout.shapes[1].y0  # the grey area begins there
    at = rows[0] + features[0] * np.sqrt(figure.data[0].x[0] / m)
    said.says("falls with the {} training rows", n)
    said.says("With {} = {} it allows {} at m = {}", "B" if theorem == "compositional" else "C", values["size"], at, m)
    said.says("That is {} than the risk {} of the function 0", "more" if at > zero else "less", Rough(zero))
    frame = found.charts[0].frame
    near = np.argmin(np.abs(np.log(frame["m"] / m)))
    said.says("Measured at m = {}", frame["m"][near])
    for trace, phrase in zip(
        figure.data[3:5], (": {} over the best m", "and {} between test and training risk"), strict=True
    ):
        place = np.asarray(trace.x) == frame["m"][near]  # a logarithmic axis has no place for nothing
        said.says(phrase, np.asarray(trace.y)[place][0] if place.any() else 0.0)
    required = max(np.ceil(n * (rows[0] / (0.5 * zero)) ** 2 * (1 - 1e-9)), 1)
    said.says(
        "half of the risk of the function 0, it requires {} rows", Rough(required) if required > 1e7 else required
    )
    if theorem == "maxout":
        said.says("The intrinsic dimension is {}, estimated from the data.", dimension_of_moons())
    said.skips("with probability 0.95", "(less 2 exp(−cd/4), with c left free)", "of the function 0")
    said.says_nothing_else()
