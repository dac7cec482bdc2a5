"""The zoom in an address: read with care, and put into a figure as the browser does."""

import plotly.graph_objects as go
import pytest

from rfviz.experiments.base import Chart
from rfviz.lab.zoom import ZoomCheck, apply_zoom, fits, read_zoom, zoom_charts


def figure(**axes):
    return go.Figure(layout=axes)


def test_what_a_page_writes_is_read():
    zoom, whole = read_zoom("saturation:x,0.5992,1.599,y,0.2022,0.7011;embedding-plain:y,-1e-7,2;maps:x,10,1.5e21")
    assert whole
    assert zoom == {
        "saturation": {"x": (0.5992, 1.599), "y": (0.2022, 0.7011)},
        "embedding-plain": {"y": (-1e-7, 2.0)},
        "maps": {"x": (10.0, 1.5e21)},
    }


@pytest.mark.parametrize(
    "part",
    [
        "",
        "a",
        "a:",
        "a:x",
        "a:x,1",
        "a:x,2,1",
        "a:x,1,1",
        "a:x,1,1.0000000000001",
        "a:z,1,2",
        "a:x,1,2,x,3,4",
        "a:x,1,2,y",
        "a:x,1,2,y,3,4,x,5,6",
        "a:x,nan,1",
        "a:x,-inf,inf",
        "a:x,1e999,2e999",
        "a:x,0,1e9999",
        "a:x,0x1,2",
        "a:x,1_0,20",
        "a:x, 1,2",
        "a:x,٣,٤",
        "a:x,1,2:y,1,2",
        "<b>:x,1,2",
        "a b:x,1,2",
        "../a:x,1,2",
        f"{'a' * 61}:x,1,2",
        f"a:x,{'1' * 22},2",
        "a:x,1,2\n",
        "a:x,1,2\x00",
    ],
)
def test_what_is_wrong_is_left_out_and_the_rest_is_taken(part):
    assert read_zoom(part) == ({}, False)
    assert read_zoom(f"b:x,1,2;{part}") == ({"b": {"x": (1.0, 2.0)}}, False)


def test_an_address_without_end_is_not_read():
    assert read_zoom("a:x,1,2;" * 100_000) == ({}, False)
    zoom, whole = read_zoom(";".join(f"c{i}:x,1,2" for i in range(300)))
    assert len(zoom) == 40 and not whole


@pytest.mark.parametrize(
    ("axis", "range_"),
    [
        ({}, [10, 1000]),
        ({"type": "log"}, [1, 3]),
        ({"range": [9, 0]}, [1000, 10]),
        ({"range": [0, 9]}, [10, 1000]),
        ({"type": "log", "autorange": "reversed"}, [3, 1]),
        ({"type": "category"}, [10, 1000]),
    ],
)
def test_ends_are_those_that_stand_along_the_axis(axis, range_):
    drawn = figure(xaxis=axis, yaxis={"range": [0, 1]})
    apply_zoom(drawn, {"x": (10.0, 1000.0)})
    assert list(drawn.layout.xaxis.range) == pytest.approx(range_)
    assert drawn.layout.xaxis.autorange is False
    assert list(drawn.layout.yaxis.range) == [0, 1]


@pytest.mark.parametrize(
    "layout", [{"scene": {"aspectmode": "data"}}, {"xaxis": {"fixedrange": True}}, {"xaxis": {"type": "log"}}]
)
def test_an_axis_that_cannot_be_zoomed_so_stays(layout):
    drawn = figure(**layout)
    assert not fits(drawn, {"x": (-1.0, 2.0)})
    apply_zoom(drawn, {"x": (-1.0, 2.0)})
    assert drawn.layout.xaxis.range is None


def test_a_page_is_asked_for_what_it_has():
    text = "a:x,1,2;b:y,1,2"
    check = ZoomCheck(text)
    check.compare("a", figure())
    assert not check.is_whole()  # b has not come
    check.compare("b", figure())
    check.compare("c", figure())
    assert check.is_whole()
    check = ZoomCheck("a:x,1,2")
    check.compare("a", figure(scene={"aspectmode": "data"}))
    assert not check.is_whole()


def test_charts_are_zoomed_by_name():
    charts = [Chart(name, figure, lambda: None, "") for name in ("a", "b")]
    zoom_charts(charts, "b:x,1,2;nobody:x,1,2;<>")
    assert charts[0].figure.layout.xaxis.range is None
    assert charts[1].figure.layout.xaxis.range == (1, 2)
