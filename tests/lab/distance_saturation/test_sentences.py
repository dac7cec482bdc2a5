"""What the page on distance saturation says is what its chart draws."""

import numpy as np
import pytest

from tests.lab.sentences import Sentence, page_at, seeds

MAXOUT = {
    "pool_size": [1, 2, 3, 8, 16, 24, 32, 128],
    "compare": [[], [2], [32], [16, 32], [1, 2, 4, 8, 16, 32, 64, 128]],
}
FOURIER = {"gamma": [0.05, 0.1, 1.0, 10.0], "compare": [[], [0.1], [5.0, 10.0]]}
NAMES = {"pool_size": "q = {:d}", "gamma": "γ = {:g}"}


def settings(seed):
    """Draw settings of the page: a map whose parameter is compared, few features or many, few points or many."""
    rng = np.random.default_rng(seed)
    name, options = ("gamma", FOURIER) if seed % 3 == 2 else ("pool_size", MAXOUT)
    values = {key: choices[rng.integers(len(choices))] for key, choices in options.items()}
    values |= {"map": "RandomMaxout" if name == "pool_size" else "RandomFourier"}
    values |= {"n_components": int(rng.choice([10, 80, 1000])), "data.n_samples": int(rng.choice([5, 50, 100]))}
    if name == "pool_size":
        values["printed"] = bool(rng.integers(2))
    return name, values


class Drawn:
    """The arrays of the chart, by curve."""

    def __init__(self, figure):
        data = figure.data
        self.end, self.top = figure.layout.xaxis.range[1], figure.layout.yaxis.range[1]
        laws = [t for t in data if t.name and t.name.endswith("expected ± 1 s.d.")]
        self.labels = [t.name.removesuffix(": expected ± 1 s.d.") for t in laws]
        self.colours = [t.line.color for t in laws]
        self.expected = [np.asarray(t.y) for t in laws]
        self.grid = np.asarray(laws[0].x)
        bands = [t for t in data if t.fill == "toself"]
        n = len(self.grid)
        self.ends = [(t.y[n], t.y[n - 1]) for t in bands]  # the upper edge goes right, the lower comes back
        self.slope = next((t.y[1] / t.x[1] for t in data if t.name and t.name.startswith("slope")), np.inf)
        plateaus = [t for t in data if t.name is None and t.mode == "lines"]
        self.plateaus = np.asarray(plateaus[0].y)[::3] if plateaus else []
        self.radii = {
            t: r
            for trace in data
            if trace.customdata is not None
            for t, r in zip(trace.customdata, trace.x, strict=True)
        }
        self.printed = [np.asarray(t.y) for t in data if t.name and "Theorem 1" in t.name]
        (self.words,) = [t for t in data if t.mode == "text"] or [None]


@pytest.mark.parametrize("seed", seeds(18))
def test_every_number_of_the_sentence_is_drawn(seed):
    name, values = settings(seed)
    found = page_at("distance-saturation", values)
    drawn, said = Drawn(found.charts[0].figure), Sentence(found.charts[0].words)
    n = values["data.n_samples"]
    said.says("one of the {} pairs of {} points", n * (n - 1) / 2, n)
    said.says("up after {} features", values["n_components"])
    form = NAMES[name]
    shown = [values[name], *(v for v in values["compare"] if v != values[name])]
    assert drawn.labels == [form.format(v) for v in shown]
    bent = [k for k, v in enumerate(shown) if v != 1 or name != "pool_size"]
    assert len(drawn.plateaus) == len(bent)
    if 0 not in bent:
        assert ("linear" in said) and said.words.count("level off") == (1 if bent else 0)
        if len(shown) > 1:
            said.says("With {} the map is linear", drawn.labels[0])
    elif abs(drawn.slope - 1) < 5e-3:
        said.says("keep their distance on average (slope {})", drawn.slope)
    else:
        said.says("Near points are {} times as far apart as before", drawn.slope)
    for plateau, k in zip(drawn.plateaus, bent, strict=True):
        label = drawn.labels[k]
        if label in drawn.radii:
            said.says(
                "{} for {}, reached to {}% at a distance of {}, its radius", plateau, label, 90, drawn.radii[label]
            )
        else:
            said.says(
                "{} for {}, beyond this chart, at whose end the curve has come to {}",
                plateau,
                label,
                drawn.expected[k][-1],
            )
            assert drawn.expected[k][-1] < 0.9 * plateau
    if bent:
        said.says("at the right end is {} to {}", *drawn.ends[0])
        if len(shown) > 1:
            said.says(" for {}.", drawn.labels[0])
    assert len(drawn.printed) == (len(bent) if values.get("printed") else 0)
    for curve, k in zip(drawn.printed, bent, strict=False):
        place = np.argmax(np.abs(curve - drawn.expected[k]))
        said.says(
            "{} at a distance of {}, where it is {} ({})",
            curve[place],
            drawn.grid[place],
            drawn.expected[k][place],
            drawn.labels[k],
        )
    said.says_nothing_else()


@pytest.mark.parametrize("seed", seeds(18))
def test_each_plateau_has_its_number_in_its_colour_and_no_two_on_each_other(seed):
    name, values = settings(seed)
    if name == "pool_size":
        values["printed"] = True  # the highest axis, on which plateaus are closest
    drawn = Drawn(page_at("distance-saturation", values).charts[0].figure)
    if drawn.words is None:
        return
    *numbers, heading = drawn.words.text
    coloured = list(zip(drawn.words.textfont.color, numbers, strict=False))
    bent = [k for k, label in enumerate(drawn.labels) if label != "q = 1"]
    expected = [(drawn.colours[k], f" <b>{p:.3f}</b>") for p, k in zip(drawn.plateaus, bent, strict=True)]
    assert sorted(coloured) == sorted(expected)
    assert numbers == sorted(numbers) and heading == " plateau"
    heights = np.asarray(drawn.words.y)
    assert np.diff(heights).min() > 0.074 * drawn.top and heights[-1] < drawn.top
    assert set(drawn.words.x) == {drawn.end} and drawn.words.cliponaxis is False
    # Where there is room for it, a number stands at its line.
    if len(numbers) == 1:
        assert abs(heights[0] - drawn.plateaus[0]) < 0.1 * drawn.top
