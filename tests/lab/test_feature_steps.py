"""Under “One feature, step by step”, one feature of two rows is written out with their numbers."""

import re

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.points import normalise
from rfviz.features import RandomMaxout
from rfviz.lessons.latex import latex_mistake
from tests.app_pages import array, opened, prose, specs


def texts(at):
    assert not at.exception
    return "\n".join(prose(at))


def test_the_steps_are_those_of_the_chosen_rows():
    chosen = {"pool_size": 8, "details-0": True, "steps-x": 3, "steps-z": 5, "steps-feature": 2}
    shown = texts(opened("distance-saturation", chosen))
    X = normalise(datasets.load("circle").X, "unit norm")
    Phi = RandomMaxout(pool_size=8).fit(X).transform(X).astype(float)
    assert shown.count("← wins") == 2
    assert shown.count(r",z\rangle") == 8 + 2  # of the projections, and of the largest and the one that it is
    assert f"{Phi[2, 1] * Phi[4, 1]:.4g}".split("e")[0] in shown
    assert f"{Phi[2] @ Phi[4]:.4g}" in shown
    assert not any(latex_mistake(formula) for formula in re.findall(r"\$([^$]+)\$", shown))


@pytest.mark.parametrize(
    ("slug", "state"),
    [
        ("hashing", {"details-0": True, "n_components": 64, "pool_size": 16}),
        (
            "kernel-approximation",
            {
                "details-0": True,
                "draws": 1,
                "m_max": 20,
                "points": 16,
                "steps-map": "Compositional",
                "maps": ["RandomFourier", "CompositionalFeatures"],
            },
        ),
    ],
)
def test_other_pages_write_them_out_too(slug, state):
    shown = texts(opened(slug, state))
    assert "Choose two rows, x and z" in shown
    assert ("8 largest of 16" in shown) == (slug == "hashing")
    assert ("Take the cosine" in shown) == (slug == "kernel-approximation")


def test_a_row_that_is_gone_is_the_first_again():
    at = opened("distance-saturation", {"details-0": True, "steps-x": 500, "data.n_samples": 50})
    assert next(box for box in at.number_input if box.label == "Row x").value == 1


def test_points_of_the_plane_see_which_direction_wins():
    at = opened("distance-saturation", {"pool_size": 8, "details-0": True, "steps-x": 3, "steps-z": 60})
    (picture,) = [spec for spec in specs(at) if any(t.get("name") == "directions w" for t in spec["data"])]
    X = normalise(datasets.load("circle").X, "unit norm")
    codes = RandomMaxout(pool_size=8).fit(X).codes(X)
    named = {trace["name"] for trace in picture["data"] if "name" in trace}
    assert {f"wins for {name}: {codes[row, 0] + 1}" for name, row in (("x", 2), ("z", 59))} <= named
    directions = array(picture["data"][0]["x"])[1::3], array(picture["data"][0]["y"])[1::3]
    drawn = np.column_stack(directions)
    assert (drawn @ X[[2, 59]].T).argmax(axis=0).tolist() == codes[[2, 59], 0].tolist()  # as the picture shows it
    assert not any("directions w" in str(spec) for spec in specs(opened("hashing", {"details-0": True})))
