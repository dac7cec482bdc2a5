"""Under “How it is computed”, one feature of two rows is written out with their numbers."""

import re

import pytest

from rfviz import datasets
from rfviz.analysis.points import normalise
from rfviz.features import RandomMaxout
from rfviz.lessons.latex import latex_mistake
from tests.app_pages import opened


def texts(at):
    assert not at.exception
    return "\n".join(element.value for element in at.markdown)


def test_the_steps_are_those_of_the_chosen_rows():
    chosen = {"pool_size": 8, "details-1": True, "steps-x": 3, "steps-z": 5, "steps-feature": 2}
    shown = texts(opened("distance-saturation", chosen))
    X = normalise(datasets.load("circle").X, "unit norm")
    Phi = RandomMaxout(pool_size=8).fit(X).transform(X).astype(float)
    assert shown.count("← wins") == 2
    assert shown.count(r",z\rangle") == 8 + 2  # of the projections, and of the largest and the one that it is
    assert f"{Phi[2, 1] * Phi[4, 1]:.4g}".split("e")[0] in shown
    assert f"{Phi[2] @ Phi[4]:.4g}" in shown
    assert not any(latex_mistake(formula) for formula in re.findall(r"\$([^$]+)\$", shown))


@pytest.mark.parametrize(("slug", "state"), [
    ("hashing", {"details-1": True, "n_components": 64, "pool_size": 16}),
    ("kernel-approximation", {"details-3": True, "draws": 1, "m_max": 20, "points": 16, "steps-map": "Compositional",
                              "schemes": ["RandomFourier", "CompositionalFeatures"]}),
])  # fmt: skip
def test_other_pages_write_them_out_too(slug, state):
    shown = texts(opened(slug, state))
    assert "One feature, step by step" in shown
    assert ("8 largest of 16" in shown) == (slug == "hashing")
    assert ("take the cosine" in shown) == (slug == "kernel-approximation")


def test_a_row_that_is_gone_is_the_first_again():
    at = opened("distance-saturation", {"details-1": True, "steps-x": 500, "data.n_samples": 50})
    assert next(box for box in at.number_input if box.label == "Row x").value == 1
