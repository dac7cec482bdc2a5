"""Figures: legible on both themes, thumbnails apart, zoom kept while parameters move."""

import base64
import io
import tomllib
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rfviz import datasets
from rfviz.analysis.embedding import Projection, embed, prepare_points
from rfviz.features import MAPS, FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomReLU
from rfviz.figures.density import density_image
from rfviz.figures.embedding import plot_embedding, point_style
from rfviz.figures.template import (
    COLOURS,
    DASHES,
    GREY,
    SEQUENCE,
    SYMBOLS,
    map_style,
    map_styles,
    rgba,
    series_styles,
    styled,
)
from rfviz.figures.thumbnails import place_thumbnails, spread_apart
from tests.charts import opacity

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
BACKGROUNDS = {name: CONFIG["theme"][name]["backgroundColor"] for name in ("light", "dark")}


def luminance(colour):
    """Return the relative luminance by WCAG of a colour such as ``"#2a7fc4"``."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return float(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    low, high = sorted([luminance(a), luminance(b)])
    return (high + 0.05) / (low + 0.05)


def overlaps(places, size):
    """Return the pairs of boxes around these centres that overlap."""
    return [(i, j) for i, j in combinations(range(len(places)), 2) if (np.abs(places[i] - places[j]) < size).all()]


def projection(n, d=2, seed=0):
    Z = np.random.default_rng(seed).normal(size=(n, d))
    return Projection("PCA", Z, np.full(d, 0.1), None, "exact")


@pytest.mark.parametrize("theme", BACKGROUNDS)
@pytest.mark.parametrize("colour", [*COLOURS, GREY])
def test_data_colours_stand_out_on_both_themes(colour, theme):
    assert contrast(colour, BACKGROUNDS[theme]) >= 3


def test_neighbouring_curves_differ_in_more_than_colour():
    assert len(set(COLOURS)) == len(COLOURS) == len(DASHES) == len(SYMBOLS)
    assert len(set(SYMBOLS)) == len(SYMBOLS)
    assert all(a != b for a, b in pairwise(DASHES))


WITHOUT_LOOK = [type(name, (FeatureMap,), {}) for name in ("NotYetThere", "NorThis")]


@pytest.mark.parametrize("theme", BACKGROUNDS)
@pytest.mark.parametrize("cls", [*MAPS, *WITHOUT_LOOK])
def test_every_setting_of_a_map_stands_out_on_both_themes(cls, theme):
    styles = [map_style(cls, variant) for variant in range(4)]
    assert all(contrast(style.colour, BACKGROUNDS[theme]) >= 3 for style in styles)
    assert len({(style.colour, style.dash, style.symbol) for style in styles}) == 4
    assert all(a.dash != b.dash and a.symbol != b.symbol for a, b in pairwise(styles))


def oklab(colour):
    """Return Björn Ottosson's perceptual coordinates: distances look about as large as they are."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    opponents = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.array(opponents) @ np.cbrt(np.array(cones) @ linear)


def test_maps_are_told_apart_by_colour_and_by_symbol():
    styles = [map_style(cls) for cls in MAPS]
    assert len({style.symbol for style in styles}) == len(styles)
    for a, b in combinations([*(style.colour for style in styles), GREY], 2):
        assert np.linalg.norm(oklab(a) - oklab(b)) > 0.075, f"{a} and {b} look alike"


def test_a_map_looks_the_same_in_any_company():
    assert map_styles([RandomFourier, RandomMaxout]) == map_styles([RandomMaxout, RandomFourier])[::-1]
    twice = map_styles([RandomMaxout, RandomFourier, RandomMaxout])
    assert twice == [map_style(RandomMaxout), map_style(RandomFourier), map_style(RandomMaxout, 1)]
    series = series_styles(RandomReLU, 9)
    assert series[0].colour == map_style(RandomReLU).colour
    assert len({style.colour for style in series}) >= 6
    assert len({(style.colour, style.symbol) for style in series}) == 9
    assert map_styles([RandomReLU] * 9) == series  # alone in a chart, many settings take other colours
    assert map_style(WITHOUT_LOOK[0]) == map_style(type("NotYetThere", (FeatureMap,), {}))


def test_every_map_of_the_package_has_a_look_of_its_own():
    assert all(cls.look is not None for cls in MAPS)


def test_scale_rises_in_brightness():
    brightness = [luminance(colour) for _, colour in SEQUENCE]
    assert brightness == sorted(brightness)


def test_opacity():
    assert rgba("#2a7fc4", 0.2) == "rgba(42,127,196,0.2)"


def test_style_has_a_revision_a_fixed_height_and_axes():
    figure = styled([], x="x [1]", y="y [1]", height=321, revision="r", yaxis={"range": [0, 1]})
    assert (figure.layout.uirevision, figure.layout.height) == ("r", 321)
    assert figure.layout.xaxis.title.text == "x [1]"
    assert figure.layout.yaxis.title.text == "y [1]"
    assert tuple(figure.layout.yaxis.range) == (0, 1)


CLOUDS = {
    "curve": np.column_stack([np.linspace(-1, 1, 33), np.linspace(-1, 1, 33) ** 2]),
    "bunches": np.repeat([[0.0, 0.0], [1.0, 0.3], [1.05, 0.3]], 11, axis=0),
    "one place": np.zeros((33, 2)) + 0.5,
    "line": np.column_stack([np.linspace(0, 1, 33), np.zeros(33)]),
    "cloud": np.random.default_rng(0).normal(size=(33, 2)),
}


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("aspect", [1.0, 112 / 92])
def test_spread_apart_leaves_no_two_over_each_other(name, aspect):
    width = 0.062 * max(float(np.ptp(CLOUDS[name], axis=0).max()), 0.5)
    size = np.array([width, width * aspect])
    before = CLOUDS[name].copy()
    after = spread_apart(CLOUDS[name], size)
    assert not overlaps(after, size)
    np.testing.assert_array_equal(CLOUDS[name], before)


@pytest.mark.parametrize("how", ["unit norm", "standardise", "none"])
@pytest.mark.parametrize("pool_size", [1, 12, 60])
def test_turning_heads_do_not_overlap(how, pool_size):
    head = datasets.load("turning_head")
    spec = MapSpec(RandomMaxout, n_components=10_000, pool_size=pool_size, random_state=0)
    Z = embed(prepare_points(head, how, 2), spec, 2).features.coordinates
    aspect = head.image_shape[0] / head.image_shape[1]
    size = np.array([1.0, aspect]) * 0.062 * np.ptp(Z, axis=0).max()
    assert not overlaps(spread_apart(Z, size), size)


def test_spread_apart_leaves_alone_what_is_apart():
    places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(spread_apart(places, np.array([0.5, 0.5])), places, atol=1e-5)


@pytest.mark.parametrize("n", [33, 60, 500, 1797])
def test_thumbnails_in_a_figure_do_not_overlap(n):
    p = projection(n)
    rows = place_thumbnails(p.coordinates, 1.0)
    assert len(rows) == n if n <= 60 else 20 <= len(rows) <= 120
    assert (np.diff(rows) > 0).all()
    figure = plot_embedding(p, point_style(n), height=400, thumbnails=(rows, ["data:,"] * len(rows), 1.0))
    assert len(figure.layout.images) == len(rows)
    places = np.array([[image.x, image.y] for image in figure.layout.images])
    size = np.array([figure.layout.images[0].sizex, figure.layout.images[0].sizey])
    assert not overlaps(places, size * (1 - 1e-9))
    (left, right), (bottom, top) = figure.layout.xaxis.range, figure.layout.yaxis.range
    assert (places > [left, bottom]).all()
    assert (places < [right, top]).all()


@pytest.mark.parametrize(("n", "d", "kind"), [(100, 2, "scatter"), (4000, 2, "scattergl"), (100, 3, "scatter3d")])
def test_points_carry_their_rows(n, d, kind):
    p = projection(n, d)
    codes = np.arange(n) % 3
    figure = plot_embedding(p, point_style(n, codes=codes, names=("a", "b", "c")), height=400, revision="r")
    assert [trace.type for trace in figure.data] == [kind] * 3
    assert [trace.name for trace in figure.data] == ["a", "b", "c"]
    for trace in figure.data:
        rows = np.asarray(trace.customdata)
        np.testing.assert_array_equal(np.asarray(trace.x), p.coordinates[rows, 0])
        assert (codes[rows] == "abc".index(trace.name)).all()
    assert figure.layout.uirevision == "r"


def test_selected_point_is_marked():
    p = projection(10)
    plain, marked = (plot_embedding(p, point_style(10), height=400, selected=row) for row in (None, 4))
    assert len(marked.data) == len(plain.data) + 1
    assert plot_embedding(p, point_style(10), height=400, selected=99).data == plain.data


def test_style_by_class_leaves_out_what_is_not_there():
    style = point_style(4, codes=np.array([2, 0, 2, 0]), names=("a", "b", "c"))
    assert [(name, rows.tolist()) for name, rows in style.groups] == [("a", [1, 3]), ("c", [0, 2])]
    assert style.colours[0] == style.colours[2] != style.colours[1]
    assert "1" in style.labels[1]
    assert "a" in style.labels[1]


def test_style_along_an_order():
    style = point_style(3, order=np.array([5, 7, 6]))
    assert len(set(style.colours)) == 3
    assert all(text in label for text, label in zip("576", style.labels, strict=True))
    assert not style.groups
    assert len(point_style(3, order=np.array([4, 4, 4])).colours) == 3


def test_style_of_points_without_any_label():
    style = point_style(3)
    assert len(style.colours) == len(style.labels) == 3
    assert style.values is None


def test_density_shows_every_cell_that_holds_a_point_and_no_other():
    counts = np.random.default_rng(0).poisson(0.3, (140, 200)) * np.arange(1, 201)
    image = density_image(counts, "#d9661f", (0.0, 2.0), (0.0, 1.5))
    shade = opacity(image).astype(int)
    np.testing.assert_array_equal(shade > 0, counts > 0)
    # More points are never fainter, and the fullest cell is nearly opaque.
    order = np.argsort(counts.ravel(), kind="stable")
    assert (np.diff(shade.ravel()[order]) >= 0).all()
    assert shade.max() == 230
    assert shade[counts > 0].min() >= 50
    pixels = Image.open(io.BytesIO(base64.b64decode(image["source"].partition(",")[2]))).convert("RGBA")
    assert pixels.getpixel((0, 0))[:3] == (0xD9, 0x66, 0x1F)
    assert (image["x"], image["y"], image["sizex"], image["sizey"]) == (0.0, 1.5, 2.0, 1.5)


def test_density_of_nothing_is_clear():
    assert not opacity(density_image(np.zeros((3, 4), int), "#2a7fc4", (0, 1), (0, 1))).any()
