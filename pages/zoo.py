"""The page to start with: every feature map on the same plane, its kernel sampled and exact, side by side."""

import streamlit as st

from rfviz.analysis.zoo import AXIS, SIDE, ZooResult, capacity, point_row, schemes, show, specimen
from rfviz.params import Param
from rfviz.ui import layout
from rfviz.ui import zoo_text as text
from rfviz.ui.controls import control
from rfviz.ui.results import kept, watched
from rfviz.ui.sidebar import show_device
from rfviz.ui.zoo_gallery import moved_point, zoo_gallery

TITLE = "The zoo"
ICON = ":material/apps:"
GROUP = ""
ORDER = 5
QUESTION = "Which random feature maps are there, what does one feature look like, and which kernel do they add up to?"

M = Param("m", 100, "int", 1, 1000, log=True, symbol="m", label="Features",
          marks=(1, 2, 4, 7, 10, 16, 32, 50, 64, 100, 150, 200, 256, 350, 500, 700, 1000),
          help="How many random features estimate the kernel. Four times as many halve the error.")  # fmt: skip
FEATURE = Param("feature", 3, "int", 1, 40, label="Feature shown", help="The first picture of each card: its number.")
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of every map.")
PLACE = {"default": 0.0, "kind": "float", "low": -3.0, "high": 3.0, "log": True, "marks": tuple(AXIS.tolist())}
ACROSS = Param("x", **PLACE | {"default": 0.9}, label="x₀, across", help="Or drag the ring in any picture of a kernel.")
UP = Param("y", **PLACE | {"default": 0.6}, label="x₀, up", help="Or drag the ring in any picture of a kernel.")

state = layout.page_title(
    "zoo",
    {
        "Ten features": ("So few that each can be seen in the estimate.", {"m": 10}),
        "A thousand": ("So many that the estimate looks like the kernel.", {"m": 1000}),
    },
)


def choose() -> tuple[int, int, int, int]:
    """The controls: number of features, feature shown, seed, and the row of the chosen point."""
    moved = moved_point(state)
    if moved is not None:
        state.apply({"x": float(AXIS[moved % SIDE]), "y": float(AXIS[moved // SIDE])})
    with st.container(key="controls"):
        m = control(state, M)
        x, y = control(state, ACROSS), control(state, UP)
        feature, seed = control(state, FEATURE), control(state, SEED)
    return m, feature - 1, seed, point_row(x, y)


def compute(m: int, feature: int, seed: int, row: int) -> ZooResult:
    """All cards, from maps that were drawn before where they hold enough features."""
    names, size = schemes(), capacity(max(m, feature + 1))

    def draw(progress) -> list:
        found = []
        for place, name in enumerate(names):
            progress(place / len(names), f"Drawing map {place + 1} of {len(names)}")
            found.append(specimen(name, size, seed))
        return found

    specimens = watched("zoo maps", (size, seed), draw, most=6)
    return kept("zoo", (m, feature, seed, row), lambda: show(specimens, m, row, feature), most=64)


def formulas() -> None:
    """How each scheme is written down, and by whom it was."""
    for label, formula, source in text.formulas():
        st.markdown(f"**{label}.** {source}")
        layout.formula(formula)


@st.fragment  # a slider draws this part of the page anew, not the sidebar
def laboratory() -> None:
    """Everything that answers a slider or a click."""
    result = compute(*choose())
    layout.explain(text.explanation(result))
    zoo_gallery(state, result)
    frame = result.to_frame()
    layout.details(state, {
        "Formulas and sources": formulas,
        "Numbers": lambda: layout.numbers(frame, {frame.columns[2]: "%.2f", frame.columns[3]: "%.3f"}, text.NUMBERS),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip
    state.finish()


laboratory()
show_device()
