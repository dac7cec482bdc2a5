"""Figure 2 of the random maxout paper, live: images that arrange themselves along a curve."""

import streamlit as st

from rfviz.analysis.embedding import MAX_EXACT, MAX_POINTS, EmbeddingResult
from rfviz.errors import RfvizError
from rfviz.figures.embedding import plot_embedding
from rfviz.recipes import embedding_text as text
from rfviz.recipes.maxout_pca import HEIGHT, POINT, RECIPE, Settings, side_figures
from rfviz.ui import images, layout, results
from rfviz.ui.controls import PagePanel
from rfviz.ui.embedding_views import kept_marks, kept_style, show_coordinates, show_order, take_click
from rfviz.ui.films import embedding_reels
from rfviz.ui.hover_card import hover_card
from rfviz.ui.results import kept
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device

TITLE = "Maxout-PCA"
ICON = ":material/scatter_plot:"
GROUP = "Distances"
ORDER = 12
QUESTION = "How do points arrange themselves after the map: do images of a turning head line up by angle?"

state = layout.page_title(RECIPE.slug, RECIPE.presets)
panel = PagePanel(state)
with st.sidebar:
    source = RECIPE.source(panel)
dataset, data_key = source.data.dataset, source.data.key


def draw(result: EmbeddingResult, settings: Settings) -> None:
    """The features' picture with its card, and the two that it is compared with."""
    n, revision = len(result.features.coordinates), f"{source.key}-{settings.n_dimensions}"
    style, picked = kept_style(dataset, data_key, n), settings.point
    sheet = marks = None
    if dataset.image_shape:
        sheet = kept("sheet", data_key, lambda: images.sprite(dataset) | {"name": str(data_key), "count": n}, 4)
        if settings.n_dimensions == 2:
            marks = kept_marks(dataset, data_key, result.features.coordinates, style, picked)
    figure = plot_embedding(result.features, style, height=HEIGHT, thumbnails=marks, selected=picked,
                            revision=revision)  # fmt: skip
    reels = embedding_reels(state, RECIPE, source, settings, result.exact, style, marks, HEIGHT)
    layout.chart(figure, "embedding", text.summary(result), clickable=POINT not in state.hidden, reels=reels)
    hover_card("maxout-pca", "[class*=st-key-embedding] .js-plotly-plot", style.labels, result.input_neighbours,
               result.feature_neighbours, sheet, picked)  # fmt: skip
    layout.explain(text.explanation(result))
    share(state, RECIPE, source, settings, result)
    if dataset.n_samples > MAX_POINTS:
        st.caption(f"The first {MAX_POINTS:,} of {dataset.n_samples:,} points are used.")
    with st.container(key="pair"):
        charts = {name: (figure, alt) for name, _, figure, alt in side_figures(result, style, revision)}
        for name, title in (
            ("embedding-plain", "**Plain PCA.** Without the map."),
            ("embedding-exact", "**Exact kernel PCA.** The limit as m grows."),
        ):
            with st.container():
                if name not in charts:
                    limit = f"{MAX_EXACT:,} points" + (", fewer with receptive fields" if dataset.image_shape else "")
                    st.info(f"Exact kernel PCA is computed for up to {limit}. Choose fewer points.")
                    continue
                st.markdown(title)
                figure, alt = charts[name]
                layout.chart(figure, name, alt, secondary=True)


@st.fragment  # a slider or a click draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    take_click(state, data_key[:2])
    settings = RECIPE.settings(panel, source)
    try:
        result = RECIPE.run(source, settings, results)
    except RfvizError as error:
        st.error(str(error))
    else:
        draw(result, settings)
        layout.details(state, {
            "Order": lambda: show_order(result.features.order),
            "Numbers": lambda: show_coordinates(result),
            "How it is computed": lambda: st.markdown(text.METHOD),
        })  # fmt: skip
    state.finish()


laboratory()
show_device()
