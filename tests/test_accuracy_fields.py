"""Receptive fields and shared pools on the accuracy page: who races, what is offered when, and what is said."""

from types import SimpleNamespace

import pytest

from rfviz.recipes import accuracy_entrants
from tests.app_pages import changed, opened, run_to_its_end, specs

SLUG = "accuracy"
SMALL = {"references": [], "m_max": 60, "seeds": 1, "schemes": ["RandomFourier", "RandomMaxout", "SharedPoolMaxout"]}


def curve_names(at):
    return [t["name"] for t in specs(at)[0]["data"] if t.get("mode") == "lines+markers"]


def test_whole_images_race_beside_rectangles():
    at = run_to_its_end(opened(SLUG, {**SMALL, "receptive_field": (3, 6), "n_projections": 40}))
    assert curve_names(at) == [
        "Random Fourier", "Random Fourier, rectangles", "Random maxout, q = 4", "Random maxout, q = 4, rectangles",
        "Shared-pool maxout, q = 4", "Shared-pool maxout, q = 4, rectangles",
    ]  # fmt: skip
    said = "\n".join(m.value for m in at.markdown)
    assert "a random rectangle of 3 to 6 pixels" in said and "of Random maxout, q = 4 from" in said
    assert not at.warning
    changed(at, SLUG, {"whole": False})
    assert len(curve_names(run_to_its_end(at))) == 3


def test_rectangles_are_offered_for_images_and_maps_that_project():
    at = opened(SLUG, {**SMALL, "schemes": ["RandomFourier"]})
    assert at.session_state[f"{SLUG}.receptive_field"] == (8, 8) and f"{SLUG}.whole" not in at.session_state
    for other in ({"data": "moons"}, {"schemes": ["CompositionalFeatures"]}):
        assert (
            f"{SLUG}.receptive_field" not in opened(SLUG, {**SMALL, "schemes": ["RandomFourier"]} | other).session_state
        )


def test_the_address_holds_the_rectangles():
    at = opened(SLUG, SMALL | {"schemes": ["RandomProjection"]}, {"receptive_field": "2,5", "whole": "false"})
    assert at.session_state[f"{SLUG}.receptive_field"] == (2, 5)
    assert curve_names(run_to_its_end(at)) == ["Random projection, rectangles"]


@pytest.mark.parametrize("found", [False, True])
def test_the_preset_takes_mnist_from_the_data_folder_else_digits(found, monkeypatch):
    found_file = SimpleNamespace(extra={"image_shape": (28, 28)})
    known = {"digits": accuracy_entrants.datasets.spec("digits")} | ({"folder:mnist": found_file} if found else {})
    monkeypatch.setattr(accuracy_entrants.datasets, "specs", lambda: known)
    values = accuracy_entrants.presets()["Receptive fields"][1]
    assert values["data"] == ("folder:mnist" if found else "digits")
    assert values["receptive_field"] == ((8, 20) if found else (3, 6))


def test_the_preset_runs_its_four_curves():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Receptive fields").click().run()
    assert not at.exception and not at.error
    changed(at, SLUG, {"m_max": 60, "seeds": 1})
    assert len(curve_names(run_to_its_end(at))) == 4


def test_doubly_stochastic_training_races_beside_the_exact_solution():
    at = run_to_its_end(opened(SLUG, {**SMALL, "schemes": ["RandomFourier"], "m_max": 200, "doubly": True}))
    assert curve_names(at) == ["Random Fourier", "Random Fourier, doubly stochastic"]
    assert not at.warning
    said = "\n".join(m.value for m in at.markdown)
    assert "against the exact solution: Random Fourier" in said
    # Coefficients of ten classes alone: 200·10·8 bytes.
    assert "It stores 16 kB instead of 42 kB" in said
