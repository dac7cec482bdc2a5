"""Charts that play: one computation holds every frame, the browser shows them at its own rate, with no round trip.

A page offers reels: what can run by itself (the number of features, the pool size, the seed). Nothing of them is
computed before somebody presses Play; then the frames are sent once, as what changes from one picture to the next.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.io.json import to_json_plotly

from rfviz.analysis.progress import Progress
from rfviz.errors import RfvizError
from rfviz.ui.results import watched
from rfviz.ui.state import PageState

__all__ = ["Film", "Reel", "bar_code", "chart_bar", "encoded", "play_key"]

_HERE = Path(__file__).parent
_HTML = '<div class="bar" role="group" aria-label="Play this chart"></div>'
# Where the film lands: by its name in the window, from where the bar takes it. A component of its own, so that the bar
# does not hold megabytes that are compared whenever a slider moves.
_FILM_JS = """
export default function ({ data }) {
  const film = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  const films = (window.__rfvizFilms ??= new Map());
  if (films.has(film.id)) return;
  films.set(film.id, film);
  while (films.size > 6) films.delete(films.keys().next().value);
  window.dispatchEvent(new CustomEvent("rfviz:film", { detail: film.id }));
}
"""

# The bar is sent anew with every step of a slider, its code with it; so that is a component of its own, which is not.
_STYLE = json.dumps((_HERE / "play.css").read_text(encoding="utf-8"))
_BAR_JS = """
export default function (component) {
  const mount = () => window.__rfvizPlay(component);
  if (window.__rfvizPlay) mount();
  else window.addEventListener("rfviz:play", mount, { once: true });
}
"""

_bar = st.components.v2.component("rfviz.play", html=_HTML, css=".bar { min-height: 2rem; }", js=_BAR_JS)
_code = st.components.v2.component(
    "rfviz.play_code", js=f"const CSS_TEXT = {_STYLE};\n{(_HERE / 'play.js').read_text(encoding='utf-8')}"
)
_film = st.components.v2.component("rfviz.film", js=_FILM_JS)


@dataclass(frozen=True, eq=False)
class Film:
    """All frames of a reel.

    Attributes
    ----------
    values : sequence
        Of the control, one a frame.
    captions : sequence of str
        What is said of each frame beside its value.
    frames : sequence of mappings
        By the key of each chart that moves, its figure.
    note : str
        What is left out, if anything.
    """

    values: Sequence[Any]
    captions: Sequence[str]
    frames: Sequence[Mapping[str, go.Figure]]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Reel:
    """Something that can run by itself.

    Attributes
    ----------
    symbol : str
        What a person reads: ``"m"``.
    control : str
        The control that it moves, by its name in the address.
    now : object
        The control's value.
    key : hashable
        All else that the frames depend on.
    film : callable
        ``film(progress)`` computes the frames, or raises RfvizError.
    """

    symbol: str
    control: str
    now: Any
    key: Hashable
    film: Callable[[Progress], Film]


def bar_code(page: str) -> None:
    """What all bars of a page run on; once, where a slider does not draw anew."""
    _code(key=f"{page}-bar-sheet", height=1)


def play_key(page: str) -> str:
    """Where the session keeps which reel of a page was asked for: its identity."""
    return f"{page}:play"


def chart_bar(state: PageState, chart: str, reels: Sequence[Reel], pin: Callable[[], None] | None = None) -> None:
    """The bar below a chart: what plays, and a button that pins the chart.

    Parameters
    ----------
    state : PageState
    chart : str
        Key of the chart.
    reels : sequence of Reel
        What can run by itself, if anything.
    pin : callable, optional
        Called before the page is drawn anew when the reader pins the chart.
    """
    names = {_identity(state.page, reel): reel for reel in reels}
    key = f"{chart}-bar"

    def play() -> None:
        st.session_state[play_key(state.page)] = st.session_state[key]["asked"]["id"]

    def keep() -> None:
        kept = st.session_state[key]["kept"]
        reel, value = names.get(kept["id"]), kept["value"]
        if reel is not None and isinstance(value, (int, float)) and not isinstance(value, bool):
            state.apply({reel.control: value})

    data = [{"id": name, "symbol": reel.symbol, "now": reel.now} for name, reel in names.items()]
    callbacks = {"on_asked_change": play, "on_kept_change": keep}
    if pin is not None:
        callbacks["on_pinned_change"] = pin
    _bar(key=key, data={"chart": chart, "reels": data, "pin": pin is not None}, **callbacks)
    wanted = st.session_state.get(play_key(state.page))
    if wanted is None:
        return
    if wanted in names:
        _send(key, wanted, names[wanted])
    st.session_state[play_key(state.page)] = None  # not before: a run that is stopped on the way is asked again


def _send(key: str, name: str, reel: Reel) -> None:
    """Compute the frames, or recall them, and hand them to the browser."""
    try:
        data = watched("films", (name, reel.key), lambda progress: encoded(name, reel.film(progress)), most=8)
    except RfvizError as error:
        data = json.dumps({"id": name, "error": str(error)}).encode()
    _film(key=f"{key}-film", data=data, height=1)


def _identity(page: str, reel: Reel) -> str:
    return hashlib.blake2b(repr((page, reel.control, reel.key)).encode(), digest_size=9).hexdigest()


def encoded(name: str, film: Film) -> bytes:
    """A film as JSON: the first picture of each chart, and for every frame what is different there.

    Arrays that do not change, images above all, are sent once.
    """
    charts = [chart for chart in film.frames[0] if all(chart in frame for frame in film.frames)]
    specs = [{chart: _spec(frame[chart]) for chart in charts} for frame in film.frames]
    for chart in charts:
        _one_view([spec[chart]["layout"] for spec in specs])
    first = specs[0]
    changes = [
        [[[chart, *path], value] for chart in charts for path, value in _changes(first[chart], spec[chart])]
        for spec in specs
    ]
    text = to_json_plotly(
        {"id": name, "values": list(film.values), "captions": list(film.captions), "note": film.note, "first": first,
         "changes": changes}
    )  # fmt: skip
    return text.encode()


def _spec(figure: go.Figure) -> dict[str, Any]:
    spec = figure.to_dict()
    # The template is made from the page's theme, and the zoom is that of the page's own picture.
    layout = {name: value for name, value in spec["layout"].items() if name not in ("template", "uirevision")}
    return {"data": list(spec["data"]), "layout": layout}


def _one_view(layouts: list[dict[str, Any]]) -> None:
    """The same ranges in all frames, wide enough for each: axes that follow the points hide how far these move."""
    for name in ("xaxis", "yaxis"):
        ranges = [layout.get(name, {}).get("range") for layout in layouts]
        if all(ranges):
            down = ranges[0][0] > ranges[0][1]
            low, high = min(map(min, ranges)), max(map(max, ranges))
            for layout in layouts:
                layout[name] = layout[name] | {"range": [high, low] if down else [low, high]}


def _changes(old: Any, new: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """Places in a figure where the new one differs, the smallest parts that can be exchanged."""
    if isinstance(old, dict) and isinstance(new, dict) and "bdata" not in old and "bdata" not in new:
        for name in {**old, **new}:
            yield from _changes(old.get(name), new.get(name), (*path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and _nested(old):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from _changes(*pair, (*path, place))
    elif type(old) is not type(new) or old != new:
        yield path, new


def _nested(values: list) -> bool:
    return bool(values) and isinstance(values[0], dict)
