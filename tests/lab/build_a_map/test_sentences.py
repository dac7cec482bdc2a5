"""What the page Build a map says is what its charts draw."""

import numpy as np
import pytest

from tests.lab.sentences import Sentence, drawn, page_at, seeds

FORMULAS = {
    "function": ["relu(x)", "sin(4*x)", "x^2 - 1", "2", "points(-3, 3, 1, -0.25, 1)"],
    "density": ["exp(-x)", "exp(-8*(x - 2)^2)", "max(0, 1 - x)"],
    "kernel": ["max(0, 1 - x)", "max(0, 1 - x^2)", "exp(-x)", "exp(-x^2)*cos(9*x)", "step(0.7 - x)"],
}


def settings(seed):
    rng = np.random.default_rng(seed)
    what = ["function", "density", "kernel", "pool"][seed % 4]
    values = {"what": what, "m": int(rng.choice([2, 10, 200, 1000])), "seed": int(rng.integers(3))}
    if what == "pool":
        return values | {"rule": str(rng.choice(["range", "median"])), "pool_size": int(rng.choice([2, 4, 8]))}
    return values | {what: str(rng.choice(FORMULAS[what]))}


@pytest.mark.parametrize("seed", seeds(16))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("build-a-map", values)
    charts, said = {chart.name: chart.figure for chart in found.charts}, Sentence(found.charts[0].words)
    figure, m = charts["built-kernel"], values["m"]
    (kernel,) = [t for t in figure.data if t.name in ("kernel", "kernel without the negative part")]
    _, estimate = drawn(figure, "estimate")
    exact = np.asarray(kernel.y, float)
    (band,) = [t for t in figure.data if t.fill == "toself"]
    n = len(exact)
    deviation = np.asarray(band.y[:n]) - exact
    said.says("With m = {} features", m)
    rms, predicted = np.sqrt(np.mean((estimate - exact) ** 2)), np.sqrt(np.mean(deviation**2))
    said.says("an RMS error of {}; theory predicts {}.", rms, predicted)
    if "built-transform" in charts:
        (transform,) = [t for t in charts["built-transform"].data if t.name == "transform"]
        x, y = np.asarray(transform.x), np.asarray(transform.y)
        negative = any(t.name == "negative: no density" for t in charts["built-transform"].data)
        assert ("It is no kernel" in said) == negative == (y.min() < -2e-3)
        if negative:
            said.says("lowest at ω = {} with {}% of the largest value", x[y.argmin()], 100 * y.min())
    said.says_nothing_else()
