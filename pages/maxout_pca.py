"""Figure 2 of the random maxout paper, live: images that arrange themselves along a curve."""

import streamlit as st

from rfviz.analysis.embedding import (
    MAX_EXACT,
    MAX_POINTS,
    EmbeddingResult,
    embed,
    exact_components,
    prepare_points,
)
from rfviz.analysis.points import NORMALISATION
from rfviz.errors import RfvizError
from rfviz.features import FeatureMap
from rfviz.figures.embedding import plot_embedding
from rfviz.params import Param
from rfviz.ui import images, layout, text
from rfviz.ui.controls import choose_map, control
from rfviz.ui.embedding_views import image_marks, show_coordinates, show_order, style_of
from rfviz.ui.hover_card import hover_card
from rfviz.ui.live_chart import picked_row
from rfviz.ui.results import kept, watched
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Maxout-PCA"
ICON = ":material/scatter_plot:"
GROUP = "Distances"
ORDER = 12
QUESTION = "How do points arrange themselves after the map: do images of a turning head line up by angle?"

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
DIMENSIONS = Param("dimensions", "2", "choice", choices=("2", "3"), label="Dimensions", help="Principal components.")
PAPER = {"scheme": "RandomMaxout", "n_components": 10_000, "pool_size": 12, "normalise": "unit norm", "seed": 0,
         "dimensions": "2", "data": "turning_head", "data.order_noise": 3, "data.random_state": 0}  # fmt: skip

state = layout.page_title(
    "maxout-pca", {"Figure 2 of the paper": ("33 images of a turning head, m = 10 000, q = 12.", PAPER)}
)
dataset, data_key = choose_data(state, "turning_head")
with st.sidebar:
    normalise = control(state, NORMALISATION)


def choose() -> tuple[type[FeatureMap], dict, int]:
    """The controls: scheme, its settings, and the number of axes."""
    with st.container(key="controls"):
        scheme, setting = choose_map(state, {"n_components": 2000, "pool_size": 12, "gamma": 1.0}, dataset.image_shape)
        setting["random_state"] = control(state, SEED)
        n_dimensions = int(control(state, DIMENSIONS))
    layout.formula(scheme.formula)
    return scheme, setting, n_dimensions


def compute(scheme: type[FeatureMap], setting: dict, n_dimensions: int) -> EmbeddingResult:
    """The three projections, or what of them is known already."""
    key = (data_key, normalise, n_dimensions)
    points = watched("points", key, lambda p: prepare_points(dataset, *key[1:], progress=p), most=4)
    fixed = tuple(sorted((k, v) for k, v in setting.items() if k not in ("n_components", "random_state")))
    exact = watched("exact", (*key, scheme.__name__, fixed),
                    lambda p: exact_components(points, scheme.__name__, setting, n_dimensions, p))  # fmt: skip
    key = (*key, scheme.__name__, tuple(sorted(setting.items())))
    return watched("embedding", key, lambda p: embed(points, scheme.__name__, setting, n_dimensions, exact, p))


def draw(result: EmbeddingResult, n_dimensions: int) -> None:
    """The features' picture with its card, and the two that it is compared with."""
    n, revision = len(result.features.coordinates), f"{data_key}-{normalise}-{n_dimensions}"
    style, picked = style_of(dataset, data_key, n), picked_row("embedding")
    sheet = marks = None
    if dataset.image_shape:
        sheet = kept("sheet", data_key, lambda: images.sprite(dataset) | {"name": str(data_key), "count": n}, 4)
        if n_dimensions == 2:
            marks = image_marks(dataset, data_key, result.features.coordinates, style, picked)
    figure = plot_embedding(result.features, style, height=600, thumbnails=marks, selected=picked,
                            revision=revision)  # fmt: skip
    layout.chart(figure, "embedding", text.embedding_summary(result), clickable=True)
    hover_card("maxout-pca", "[class*=st-key-embedding] .js-plotly-plot", style.labels, result.input_neighbours,
               result.feature_neighbours, sheet, picked)  # fmt: skip
    layout.explain(text.embedding_explanation(result))
    if dataset.n_samples > MAX_POINTS:
        st.caption(f"The first {MAX_POINTS:,} of {dataset.n_samples:,} points are used.")
    with st.container(key="pair"):
        for projection, key, caption in (
            (result.plain, "embedding-plain", "Without the map."),
            (result.exact, "embedding-exact", "What the picture above tends to as m grows."),
        ):
            with st.container():
                if projection is None:
                    limit = f"{MAX_EXACT:,} points" + (", fewer with receptive fields" if dataset.image_shape else "")
                    st.info(f"Exact kernel PCA is computed for up to {limit}. Choose fewer points.")
                    continue
                st.markdown(f"**{projection.title}.** {caption}")
                small = plot_embedding(projection, style, height=360, legend=False, revision=revision)
                layout.chart(small, key, f"{projection.title} of the same points.", secondary=True)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    scheme, setting, n_dimensions = choose()
    try:
        result = compute(scheme, setting, n_dimensions)
    except RfvizError as error:
        st.error(str(error))
    else:
        draw(result, n_dimensions)
        layout.details(state, {
            "Order": lambda: show_order(result.features.order),
            "Numbers": lambda: show_coordinates(result),
            "How it is computed": lambda: st.markdown(text.EMBEDDING_METHOD),
        })  # fmt: skip
    state.finish()


laboratory()
show_device()
