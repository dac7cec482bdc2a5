"""Pictures of surfaces: colours by class and certainty, boundaries and creases where they belong."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from rfviz.analysis.plane import Plane
from rfviz.experiments.decision_surfaces.compute import Surface
from rfviz.experiments.decision_surfaces.figures import CLASS_COLOURS, plot_surface, surface_image
from rfviz.figures.template import GREY
from rfviz.ui.widgets import live_chart
from tests.ui.test_figures import BACKGROUNDS, contrast

PLANE = Plane(np.zeros(2), np.eye(2), (-1.0, 1.0), (-2.0, 2.0), 1.0)


def rgb(colour):
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])


def surface(scores):
    return Surface("s", np.asarray(scores, dtype=np.float32), 1.0, 1.0, np.arange(0), "")


def pixels(image):
    """Return the colours of the pixels, RGBA, the lowest row first."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(image["source"].partition(",")[2]))))[::-1].astype(int)


def halves():
    """Return scores of ten rows and columns: the left six are class 0's, the lower rows surer than the upper."""
    sign = np.where(np.arange(10) < 6, 1.0, -1.0) * np.linspace(20, 0.2, 10)[:, None]
    return np.stack([sign, -sign], axis=2)


def test_colours_say_class_and_certainty():
    shown = pixels(surface_image(surface(halves()), np.array([0, 2]), PLANE))
    assert np.abs(shown[0, 2, :3] - rgb(CLASS_COLOURS[0])).max() <= 1
    assert np.abs(shown[0, 8, :3] - rgb(CLASS_COLOURS[2])).max() <= 1
    assert (np.diff(shown[:, 2, 3]) <= 0).all() and shown[0, 2, 3] > 1.5 * shown[-1, 2, 3] > 0


def test_boundary_is_one_grey_line():
    shown = pixels(surface_image(surface(halves()), np.arange(2), PLANE))
    is_grey = (np.abs(shown[..., :3] - rgb(GREY)).max(axis=2) == 0) & (shown[..., 3] == 255)
    assert is_grey[:, 5].all() and is_grey.sum() == 10


def test_creases_lie_on_top_with_a_seam():
    creases = np.zeros((10, 10), dtype=bool)
    creases[4] = True
    plain = pixels(surface_image(surface(halves()), np.arange(2), PLANE))
    shown = pixels(surface_image(surface(halves()), np.arange(2), PLANE, creases))
    changed = (plain != shown).any(axis=2)
    assert changed[3:6].all() and not changed[[0, 1, 2, 6, 7, 8, 9]].any()
    assert shown[4, :, :3].max() < 60 and shown[3, :, :3].min() > 200


def test_image_covers_the_plane():
    image = surface_image(surface(halves()), np.arange(2), PLANE)
    assert (image["x"], image["y"], image["sizex"], image["sizey"]) == (-1.0, 2.0, 2.0, 4.0)
    assert image["sizing"] == "stretch" and image["layer"] == "below"


@pytest.mark.parametrize("theme", BACKGROUNDS)
@pytest.mark.parametrize("colour", CLASS_COLOURS)
def test_class_colours_stand_out(colour, theme):
    assert contrast(colour, BACKGROUNDS[theme]) >= 3
    assert len(set(CLASS_COLOURS)) == 10


def test_points_carry_the_colour_and_name_of_their_class():
    xy, classes = np.arange(8.0).reshape(4, 2), np.array([0, 3, 3, 9])
    names = [str(c) for c in range(10)]
    figure = plot_surface(None, PLANE, xy, classes, names, missed=(xy[:1], classes[1:2]), placing=True)
    marks = {t.name: t for t in figure.data}
    assert set(marks) == {"0", "3", "9", "missed"} and marks["3"].marker.color == CLASS_COLOURS[3]
    assert list(marks["3"].x) == [2.0, 4.0] and marks["missed"].marker.color == (CLASS_COLOURS[3],)
    assert len({t.marker.symbol for t in figure.data if t.name != "missed"}) == 3 - (9 % 6 == 3)
    assert figure.layout.dragmode is False and not figure.layout.images


def test_each_click_is_taken_once(monkeypatch):
    session = {}
    mounted = {}
    monkeypatch.setattr("rfviz.ui.session.st.session_state", session)
    monkeypatch.setattr(
        "rfviz.ui.widgets.live_chart._chart._mount", lambda key, data, **callbacks: mounted.update(callbacks)
    )
    figure = plot_surface(None, PLANE, np.zeros((0, 2)), np.zeros(0, dtype=int), [])
    live_chart.live_chart(figure, "c", "a chart", placing=True)

    def clicks(*given):
        session["c"] = {"placed": {"clicks": [list(click) for click in given]}}
        mounted["on_placed_change"]()
        return live_chart.selected_places("c")

    assert live_chart.selected_places("c") == []
    assert clicks((0.5, 1.0, 11)) == [(0.5, 1.0)]
    assert live_chart.selected_places("c") == []
    # The browser hands over all of the latest, so that of two quick clicks none is lost.
    assert clicks((0.5, 1.0, 11), (0.0, 0.0, 12), (0.1, 0.0, 15)) == [(0.0, 0.0), (0.1, 0.0)]
    assert clicks((0.0, 0.0, 12), (0.1, 0.0, 15)) == []
    assert clicks((2.0, 0.0, 16)) == [(2.0, 0.0)]
