"""Figure 2 of the random maxout paper, live: images that arrange themselves along a curve."""

import streamlit as st

from rfviz.analysis.embedding import MAX_EXACT, MAX_POINTS, embed, exact_components, prepare_points
from rfviz.analysis.points import NORMALISATION
from rfviz.errors import RfvizError
from rfviz.figures.embedding import PICKED, place_thumbnails, plot_embedding, point_style
from rfviz.params import Param
from rfviz.ui import images, layout, text
from rfviz.ui.controls import choose_map, control
from rfviz.ui.hover_card import hover_card
from rfviz.ui.live_chart import picked_row
from rfviz.ui.results import kept, watched
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Maxout-PCA"
ICON = ":material/scatter_plot:"
GROUP = "Random maxout"
ORDER = 20
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

with st.container(key="controls"):
    scheme, setting = choose_map(state, {"n_components": 10_000, "pool_size": 12, "gamma": 1.0})
    setting["random_state"] = control(state, SEED)
    n_dimensions = int(control(state, DIMENSIONS))
layout.formula(scheme.formula)

try:
    key = (data_key, normalise, n_dimensions)
    points = watched("points", key, lambda p: prepare_points(dataset, *key[1:], progress=p), most=4)
    fixed = tuple(sorted((k, v) for k, v in setting.items() if k not in ("n_components", "random_state")))
    exact = watched("exact", (*key, scheme.__name__, fixed),
                    lambda p: exact_components(points, scheme.__name__, setting, n_dimensions, p))  # fmt: skip
    key = (*key, scheme.__name__, tuple(sorted(setting.items())))
    result = watched("embedding", key, lambda p: embed(points, scheme.__name__, setting, n_dimensions, exact, p))
except RfvizError as error:
    st.error(str(error))
    state.finish()
    show_device()
    st.stop()

n = len(result.features.coordinates)
classes = dataset.y if dataset.target_names else None
if dataset.order is not None:
    along, title = dataset.order + (dataset.order.min() == 0), "frame"  # people count from 1
else:
    along, title = None if classes is not None else dataset.y, "y"
style = kept("style", (data_key, n), lambda: point_style(n, along, classes, dataset.target_names, title), most=8)
picked = picked_row("embedding")

thumbnails = sheet = None
if dataset.image_shape:
    sheet = kept("sheet", data_key, lambda: images.sprite(dataset) | {"name": str(data_key), "count": n}, 4)
if dataset.image_shape and n_dimensions == 2:
    aspect = dataset.image_shape[0] / dataset.image_shape[1]
    rows = place_thumbnails(result.features.coordinates, aspect)
    frames = [PICKED if row == picked else style.colours[row] for row in rows]
    pictures = images.thumbnails(dataset, data_key, rows, frames)
    thumbnails = (rows, pictures, aspect)
revision = f"{data_key}-{normalise}-{n_dimensions}"
figure = plot_embedding(result.features, style, height=600, thumbnails=thumbnails, selected=picked, revision=revision)
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
                st.info(f"Exact kernel PCA is computed for up to {MAX_EXACT:,} points. Choose fewer points.")
                continue
            st.markdown(f"**{projection.title}.** {caption}")
            small = plot_embedding(projection, style, height=360, legend=False, revision=revision)
            layout.chart(small, key, f"{projection.title} of the same points.")

tab_order, tab_numbers, tab_how = st.tabs(["Order", "Numbers", "How it is computed"])
with tab_order:
    if result.features.order:
        st.metric("Spearman’s ρ of the recovered against the given order", f"{result.features.order.spearman:.4f}")
        worst = result.features.order.disagreements()
        st.markdown("**Places that disagree most.**" if len(worst) else "Both orders are the same.")
        if len(worst):
            layout.numbers(worst)
    else:
        st.markdown("These data have no given order. The turning head and UMIST have one.")
with tab_numbers:
    frame = result.to_frame()
    layout.numbers(frame, dict.fromkeys(frame.columns[1:], "%.4f"))
    layout.numbers(result.points_frame())
with tab_how:
    st.markdown(text.EMBEDDING_METHOD)
state.finish()
show_device()
