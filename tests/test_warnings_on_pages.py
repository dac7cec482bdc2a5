"""What the library warns of is read on the page: once, with its numbers, and again when a result comes from memory."""

import warnings

import numpy as np
import pytest

from rfviz import datasets
from tests.app_pages import changed, opened, run_to_its_end

FOURIER = {"map": "RandomFourier", "n_components": 200, "normalise": "none"}
# A page with the settings under which it maps the points by features of a kernel with a gamma.
PAGES = {
    "distance-saturation": FOURIER,
    "maxout-pca": FOURIER,
    "guarantees": FOURIER,
    "decision-surfaces": FOURIER,
    "kernel-approximation": {"maps": ["RandomFourier"], "draw": ["iid", "orthogonal"], "points": 16, "m_max": 100}
    | {"normalise": "none"},
}


@pytest.fixture
def far_away(tmp_path):
    """Make a data set of points far from zero, whose phases float32 does not know where gamma is large."""
    rng = np.random.default_rng(0)
    rows = 1e6 + rng.standard_normal((60, 2))
    lines = [f"{x:.3f},{y:.3f},{'ab'[i % 2]}" for i, (x, y) in enumerate(rows)]
    (tmp_path / "far.csv").write_text("x,y,label\n" + "\n".join(lines), encoding="utf-8")
    datasets.set_folder(tmp_path)
    yield {"data": "folder:far"}
    datasets.set_folder(None)


@pytest.fixture(autouse=True)
def nothing_in_the_log():
    """Turn warnings into errors: one that reaches Python ends in the server's log, where no user looks."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in (DeprecationWarning, ResourceWarning):
            warnings.filterwarnings("ignore", category=category)
        yield


def said(at):
    return [w.value for w in at.warning if "With gamma=" in w.value]


@pytest.mark.parametrize("slug", PAGES)
def test_too_large_a_gamma_is_one_sentence_on_the_page(slug, far_away):
    at = opened(slug, PAGES[slug] | far_away | {"gamma": 20.0})
    for _ in range(2):  # computed, then from memory
        (text,) = said(at)
        assert "gamma=20 " in text and "radians" in text
        assert not at.error
        at.run()
    near = {"data": "moons", "gamma": 1.0}
    assert not changed(at, slug, near).warning


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["ridge", "logistic"])
def test_a_race_names_who_was_warned(loss, far_away):
    setting = {"maps": ["RandomFourier", "RandomProjection"], "references": [], "m_max": 40, "seeds": 2}
    setting |= {"gamma": 20.0, "normalise": "none", "loss": loss} | far_away
    at = run_to_its_end(opened("accuracy", setting))
    for _ in range(2):
        (text,) = said(at)
        assert text.startswith("Random Fourier: With gamma=20 ") and "radians" in text
        at.run()


@pytest.mark.slow
def test_the_default_race_warns_of_nothing():
    setting = {"maps": ["RandomFourier", "RandomMaxout"], "references": ["linear_ridge", "rbf_svm"], "m_max": 100}
    assert not run_to_its_end(opened("accuracy", setting)).warning
