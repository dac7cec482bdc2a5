"""The finding on uncertainty speaks of uneven noise, heavy tails and classes in order, and only of those."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.own import own_spec_of
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.maps import inspection_style
from rfviz.inspection.uncertainty import plot_uncertainty


def inspected(make, seed=0, n=500):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["x0", "x1", "x2", "x3"])
    return Inspection(own_spec_of(upload_of_frame(frame.assign(label=make(frame, rng))), {"label": "label"}).load())


def told(make, seed=0, n=500):
    return inspected(make, seed, n).finding("uncertainty")


@pytest.mark.slow
def test_uneven_noise_is_told_with_its_column_and_the_widest_rows():
    inspection = inspected(lambda f, rng: f.x0 + np.exp(f.x1) * rng.normal(size=len(f)))
    found = inspection.finding("uncertainty")
    assert found.status == "look" and "where “x1” is large" in found.text and found.columns == ("x1",)
    x1 = inspection.raw.numbers("x1")
    assert len(found.rows) == 100 and x1[found.rows - 1].mean() > 1.0
    # Residuals stand against that column, where the lines open.
    figure = plot_uncertainty(inspection.answer("uncertainty"))
    assert figure.layout.xaxis.title.text == "x1"
    np.testing.assert_allclose(figure.data[0].x, x1, rtol=1e-6)
    opened = next(trace for trace in figure.data if trace.name == "own widths, median")
    assert opened.y[-1] > 3 * opened.y[0] > 0
    dataset = inspection.dataset
    style = inspection_style(dataset, np.arange(500), "uncertainty", uncertainty=inspection.answer("uncertainty"))
    assert np.corrcoef(np.log(style.values), x1)[0, 1] > 0.8 and "half-width" in style.labels[0]


@pytest.mark.slow
def test_noise_that_depends_on_a_word_is_told_with_the_column_of_the_file():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=600), "town": rng.choice(["Bern", "Oslo", "Wien"], 600)})
    frame["label"] = frame.x + np.where(frame.town == "Oslo", 3.0, 0.3) * rng.normal(size=600)
    found = Inspection(own_spec_of(upload_of_frame(frame), {"label": "label"}).load()).finding("uncertainty")
    assert found.status == "look" and "where “town” is “Oslo”" in found.text and found.columns == ("town",)
    (noisy,) = [claim for claim in found.claims if claim.what == "share inside where noise is large"]
    assert noisy.columns == ("town",) and noisy.of["word"] == "Oslo" and noisy.of["large"]


@pytest.mark.parametrize("seed", range(3))
def test_even_normal_noise_is_fine(seed):
    inspection = inspected(lambda f, rng: f.x0 + rng.normal(size=len(f)), seed)
    found = inspection.finding("uncertainty")
    assert found.status == "fine" and not len(found.rows)
    assert "hold 90% of 500 rows" in found.text and "tail" not in found.text
    figure = plot_uncertainty(inspection.answer("uncertainty"))
    assert figure.layout.xaxis.title.text == "prediction by all other rows"


def test_a_heavy_tail_is_told():
    found = told(lambda f, rng: f.x0 + rng.standard_t(2.5, len(f)))
    assert found.status == "look" and "Residuals have a heavy tail" in found.text


def grades(frame, rng):
    return 1 + np.digitize(frame.x0 + 0.5 * rng.normal(size=len(frame)), [-1, -0.3, 0.3, 1])


@pytest.mark.slow
def test_grades_are_in_order_and_numbers_of_kinds_are_not():
    said = "predict the number as well"
    assert said in told(grades).text
    assert said not in told(lambda f, rng: np.array([3, 1, 5, 2, 4])[grades(f, rng) - 1]).text
    assert said not in told(lambda f, rng: np.array(list("abcde"))[grades(f, rng) - 1]).text


@pytest.mark.slow
def test_a_class_that_sets_miss_is_named_and_rows_between_classes_are_listed():
    def rare(frame, rng):
        return np.where(frame.x0 + 0.5 * rng.normal(size=len(frame)) > 1.6, "ill", "well")

    assert "For the class “ill” this is only" in told(rare, n=1500).text
    inspection = inspected(lambda f, rng: np.where(f.x0 + 0.5 * rng.normal(size=len(f)) > 0, "ill", "well"))
    result = inspection.answer("uncertainty")
    found = inspection.finding("uncertainty")
    assert found.status == "fine" and 0.88 < result.held.mean() < 0.93
    x0 = np.abs(inspection.raw.numbers("x0"))
    assert x0[found.rows - 1].mean() < 0.5 * x0.mean()
    bars = plot_uncertainty(result).data
    assert sum(bar.y[0] for bar in bars) == pytest.approx(100.0)


def test_of_classes_that_are_far_apart_every_row_has_one():
    def apart(frame, rng):
        frame["x0"] += 8.0 * (np.arange(len(frame)) % 2)
        return np.where(np.arange(len(frame)) % 2, "ill", "well")

    found = told(apart)
    assert found.text.startswith("For each of 500 rows the other rows leave one class possible; it is the given label")
    assert found.status == "fine" and not len(found.rows)
