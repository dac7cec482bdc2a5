"""Figure 4 of the compositional kernels paper, live: which pixels meet in a random feature of a skeleton?"""

import streamlit as st

from rfviz.analysis.cooccurrence import FeatureSample, PixelMap
from rfviz.datasets import DEFAULT_COLOUR_IMAGES
from rfviz.errors import RfvizError
from rfviz.figures.cooccurrence import plot_maps
from rfviz.params import Param
from rfviz.skeleton import PRESETS, Skeleton
from rfviz.ui import cooccurrence_text as text
from rfviz.ui import cooccurrence_views as views
from rfviz.ui import layout
from rfviz.ui.controls import choice, control
from rfviz.ui.films_kernels import cooccurrence_reels
from rfviz.ui.layer_table import OWN, LayerTable
from rfviz.ui.live_chart import taken_row
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Pixel co-occurrence"
ICON = ":material/grid_on:"
GROUP = "Kernels"
ORDER = 24
QUESTION = "Which pixels meet in a random feature of a convolutional skeleton, and which never do?"

SIDE = Param("side", 24, "int", 6, 32, label="Image side", help="Pixels a side of the square image.")
COLOUR = Param("colour", False, "bool", label="Colours",
               help="Three inputs a pixel: red, green, blue. A pixel counts as reached if any of them is.")  # fmt: skip
FEATURES = Param("features", 500_000, "int", 1000, 2_000_000, log=True, symbol="F", label="Features",
                 help="More features, less noise: four times as many halve it.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other features. The exact map does not move.")
VIEW = Param("view", "Pixel", "choice", choices=("Pixel", "Figure 4"), label="View",
             help="One pixel at a time, or four pixels for four skeletons as in the paper’s Figure 4.")  # fmt: skip
NAMES = {"flat": "Flat", "1 convolution": "1 convolution", "2 convolutions": "2 convolutions",
         "3 convolutions": "3 convolutions", "deep": "The paper’s", OWN: "Own layers"}  # fmt: skip
DATA = ["photo_patches", "digits", "turning_head", "olivetti", "umist", "mnist", "cifar10"]
FIGURE_4 = {"view": "Figure 4", "side": 24, "colour": True, "features": 500_000, "seed": 0}
DEEP = {"view": "Pixel", "skeleton": "deep", "side": 24, "colour": True, "features": 500_000, "seed": 0}

state = layout.page_title(
    "pixel-cooccurrence",
    {
        "Figure 4 of the paper": ("Four pixels, four skeletons, 24×24 colour images, 500 000 features.", FIGURE_4),
        "The paper’s deep skeleton": ("The deep skeleton of Section 6, 500 000 features.", DEEP),
    },
)
dataset, data_key = choose_data(state, DEFAULT_COLOUR_IMAGES, DATA)
with st.sidebar:
    st.caption("Only “Show me a feature” looks at data. The maps belong to the skeleton alone.")


def choose() -> tuple[str, tuple[int, int, int], int, int, int | None]:
    """The controls: preset, image shape, number of features, seed, framed pixel (None for the paper's figure)."""
    clicked = taken_row("maps")
    with st.container(key="controls"):
        if control(state, VIEW) == "Figure 4":
            side, colour = control(state, SIDE), control(state, COLOUR)
            return "", (side, side, 3 if colour else 1), control(state, FEATURES), control(state, SEED), None
        chosen = choice(state, "skeleton", [*PRESETS, OWN], "2 convolutions", "Skeleton",
                        "A preset to begin with; editing a layer makes it your own.", NAMES)  # fmt: skip
        side = control(state, SIDE)
        if clicked is not None:
            state.apply({"row": min(clicked // side, side - 1) + 1, "column": clicked % side + 1})
        n_features, seed = control(state, FEATURES), control(state, SEED)
        place = {"kind": "int", "low": 1, "high": side, "help": "Of the framed pixel; or click a pixel of a map."}
        row = control(state, Param("row", side // 2, label="Pixel row", **place))
        column = control(state, Param("column", side // 2, label="Pixel column", **place))
        colour = control(state, COLOUR)
    return chosen, (side, side, 3 if colour else 1), n_features, seed, (row - 1) * side + column - 1


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    chosen, shape, n_features, seed, pixel = choose()
    try:
        if pixel is None:
            views.figure_4(state, shape, seed, n_features)
        else:
            one_pixel(LayerTable(state, chosen, shape), shape, n_features, seed, pixel)
    except RfvizError as error:
        st.error(str(error))
    state.finish()


def one_pixel(table: LayerTable, shape: tuple[int, int, int], n_features: int, seed: int, pixel: int) -> None:
    """The layers beside the maps of one pixel, and what is said more about them."""
    with st.container(key="pair-top"):
        with st.container():
            table.draw()
            layout.formula(text.FORMULA)
        with st.container():
            if table.first_error()[1]:
                st.info("The maps come back when the layers fit.")
                return
            skeleton = table.skeleton("circle")
            sample = views.sampled(state, skeleton, seed, n_features)
            result = views.map_of(sample, pixel, n_features)
            figure = plot_maps(result, shape[0], revision=str(shape))
            reels = cooccurrence_reels(state, sample, result, shape[0])
            layout.chart(figure, "maps", text.summary(result, shape[0]), clickable=True, reels=reels)
    layout.explain(text.explanation(result, shape[0]))
    views.drawing_and_error(skeleton, result, f"{skeleton.to_json()}")
    details(skeleton, sample, result)


def details(skeleton: Skeleton, sample: FeatureSample, result: PixelMap) -> None:
    """What is folded away below the charts."""
    layout.details(state, {
        "Show me a feature": lambda: views.one_feature(state, skeleton, sample, result, dataset, data_key),
        "Paths, pixels and repeats": lambda: views.distributions(skeleton, sample, result.n_features),
        "Skeleton as JSON": lambda: views.json_form(state, skeleton),
        "Numbers": lambda: views.numbers(result),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


laboratory()
show_device()
