"""Figure 3 of the compositional kernels paper as a page: how well do m random features estimate the kernel?"""

import numpy as np
import streamlit as st

from rfviz.analysis.kernel_error import KernelErrorResult, error_grid, prepare_sample
from rfviz.analysis.kernel_statistics import METRICS
from rfviz.analysis.points import NORMALISATION
from rfviz.errors import RfvizError
from rfviz.features import registry
from rfviz.figures.kernel_error import plot_kernel_errors
from rfviz.params import Param
from rfviz.ui import kernel_text as text
from rfviz.ui import kernel_views as views
from rfviz.ui import layout
from rfviz.ui.controls import choice, control, several
from rfviz.ui.films_kernels import kernel_reels
from rfviz.ui.pool_text import POOL_PRESET, pool_story
from rfviz.ui.race import Entrant
from rfviz.ui.results import kept
from rfviz.ui.sidebar import choose_data, show_device

TITLE = "Kernel approximation"
ICON = ":material/target:"
GROUP = "Kernels"
ORDER = 20
QUESTION = "How many random features does it take to know the kernel, and is the estimate right on average?"

M_MAX = Param("m_max", 2000, "int", 20, 100_000, ui_high=20_000, log=True, symbol="m", label="Largest",
              help="The curves have about twenty numbers of features up to this one.")  # fmt: skip
DRAWS = Param("draws", 8, "int", 1, 200, log=True, marks=(1, 2, 3, 4, 5, 8, 10, 20, 50, 100, 200), label="Draws",
              help="Independent draws of each map: more make the bands sure, and a bias visible.")  # fmt: skip
POINTS = Param("points", 128, "int", 3, 2000, log=True, marks=(16, 32, 64, 128, 256, 512, 1024), symbol="N",
               label="Points compared", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
ODD = Param("odd", False, "bool", label="Odd m",
            help="Odd numbers leave a cosine of the paired Fourier features without its sine: a bias.")  # fmt: skip
RELATIVE = Param("relative", True, "bool", label="Relative to k(x, x)",
                 help="Divide errors by the kernel’s mean k(x, x), to compare kernels of different size.")  # fmt: skip
FIGURE_3 = "The setting of the paper: 128 colour images of 24×24 pixels, ten draws"
BIASED = {"data": "sphere", "data.n_samples": 500, "data.dimension": 3, "points": 128, "draws": 20, "m_max": 500,
          "schemes": ["RandomFourier"], "gamma": 0.1, "paired": True, "odd": True, "normalise": "unit norm",
          "metric": "rmse", "m": 11}  # fmt: skip
BETTER = {"data": "digits", "normalise": "unit norm", "points": 128, "draws": 10, "m_max": 1000, "m": 120, "odd": False,
          "schemes": ["RandomFourier"], "draw": ["iid", "orthogonal", "structured", "qmc"], "spectrum": "gaussian",
          "gamma": 1.0, "paired": True, "metric": "rmse"}  # fmt: skip

state = layout.page_title(
    "kernel-approximation",
    {
        "Figure 3, shallow": (f"{FIGURE_3}, all pixels under one node.", views.figure_3("flat")),
        "Figure 3, deep": (f"{FIGURE_3}, two convolutions.", views.figure_3("deep")),
        "Better draws": ("Four ways to draw the frequencies of Fourier features, at the same cost or less.", BETTER),
        "Shared pool": ("Maxout features over 400 projections that they share, beside independent ones.", POOL_PRESET),
        "A biased map": ("Odd numbers of paired Fourier features, and a wide kernel: a bias that draws show.", BIASED),
    },
)
dataset, data_key = choose_data(state, "digits")
with st.sidebar:
    normalise = control(state, NORMALISATION)
    n_points = control(state, POINTS)

schemes = registry()


def choose() -> tuple[list[Entrant], np.ndarray, int, int, str, bool]:
    """The controls: maps, grid, the m of the clouds, draws, measure, and whether errors are relative."""
    chosen = several(state, "schemes", list(schemes), ["RandomFourier", "RandomMaxout"], "Maps", "Which maps race.",
                     {name: cls.label for name, cls in schemes.items()})  # fmt: skip
    with st.container(key="controls"):
        m_max, odd = control(state, M_MAX), control(state, ODD)
        grid = error_grid(m_max, odd)
        middle = int(grid[min(range(len(grid)), key=lambda i: abs(grid[i] - 160))])
        budget = Param("m", middle, "int", 1, int(grid[-1]), log=True, marks=tuple(grid.tolist()), symbol="m",
                       label="Features", help="The number of features whose estimates the clouds show.")  # fmt: skip
        m, draws = control(state, budget), control(state, DRAWS)
        entrants = views.choose_entrants(state, [name for name in schemes if name in chosen], dataset.image_shape)
        metric = choice(state, "metric", list(METRICS), "rmse", "Measure", "What the first chart shows.", METRICS)
        relative = control(state, RELATIVE)
    return entrants, grid, m, draws, metric, relative


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider."""
    (entrants, grid, m, draws, metric, relative), results = choose(), []
    try:
        key = (data_key, normalise, n_points)
        sample = kept("kernel sample", key, lambda: prepare_sample(dataset, normalise, n_points), most=8)
        results = views.race(sample, key, entrants, grid, draws)
    except RfvizError as error:
        st.error(str(error))
    if results:
        show(results, entrants, grid.tolist().index(m), m, metric, relative)
    elif not entrants:
        st.info("No map races. Choose at least one under “Maps”.")
    state.finish()


def show(
    results: list[KernelErrorResult], entrants: list[Entrant], place: int, m: int, metric: str, relative: bool
) -> None:
    """The race, a cloud for each map, and what is said more about them."""
    revision = f"{data_key}-{normalise}-{n_points}"
    figure = plot_kernel_errors(results, metric, at=m, relative=relative, revision=f"{revision}-{metric}-{relative}")
    reels = kernel_reels(state, results, metric, relative, (revision, entrants))
    layout.chart(figure, "kernel-error", text.summary(results, metric), reels=reels)
    st.caption(text.theory(results, metric))
    layout.explain(text.explanation(results, place) + pool_story(results, entrants))
    views.clouds(results, place, revision)
    layout.details(state, {
        "Bias and spread": lambda: views.bias_and_spread(results, place, m, relative, revision),
        "All measures": lambda: views.all_measures(results, m, relative, revision),
        "Numbers": lambda: views.numbers(results),
        "How it is computed": lambda: views.method(results),
    })  # fmt: skip


laboratory()
show_device()
