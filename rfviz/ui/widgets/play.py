"""Charts that play: one computation gives every frame, the browser shows them at its own rate, with no round trip.

A page offers animations of its controls (the number of features, the pool size, the seed). Nothing of them is computed
before somebody presses Play; then the frames are sent once, as what changes from one to the next.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v2 import component

from rfviz.errors import RfvizError
from rfviz.figures.plotly_json import plotly_json
from rfviz.lab.animation import Animation, AnimationSpec
from rfviz.lab.cache import Cache
from rfviz.ui.cache import ProgressBar, SessionCache
from rfviz.ui.state import PageState

__all__ = ["bar_code", "chart_bar", "encode", "play_key"]

_HERE = Path(__file__).parent
_HTML = '<div class="bar" role="group" aria-label="Play this chart"></div>'
# Where the frames land: by the animation's name in the window, from where the bar takes them. A component of its own,
# so that the bar does not hold megabytes that are compared whenever a slider moves.
_FRAMES_JS = """
export default function ({ data }) {
  const animation = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  const animations = (window.__rfvizAnimations ??= new Map());
  if (animations.has(animation.id)) return;
  animations.set(animation.id, animation);
  while (animations.size > 6) animations.delete(animations.keys().next().value);
  window.dispatchEvent(new CustomEvent("rfviz:animation", { detail: animation.id }));
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

_bar = component("rfviz.play", html=_HTML, css=".bar { min-height: 2rem; }", js=_BAR_JS)
_code = component(
    "rfviz.play_code", js=f"const CSS_TEXT = {_STYLE};\n{(_HERE / 'play.js').read_text(encoding='utf-8')}"
)
_frames = component("rfviz.animation", js=_FRAMES_JS)

# Where a part of a figure is: names of attributes, places in lists.
_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class _Asked:
    """An animation that was asked for: equal to another of the same name and key."""

    name: str
    key: Hashable
    spec: AnimationSpec = field(compare=False, repr=False)


def bar_code(page: str) -> None:
    """Send the code of all bars of a page once, where a slider does not draw it again."""
    _code(key=f"{page}-bar-sheet", height=1)


def play_key(page: str) -> str:
    """Return the key of the session's state that holds which animation of a page was asked for."""
    return f"{page}:play"


def chart_bar(
    state: PageState, chart: str, animations: Sequence[AnimationSpec], pin: Callable[[], None] | None = None
) -> None:
    """Draw the bar below a chart: what can be played, and a button that pins the chart.

    Parameters
    ----------
    state : PageState
    chart : str
        Key of the chart.
    animations : sequence of AnimationSpec
    pin : callable, optional
        Called before the page is drawn again when the user pins the chart.
    """
    names = {_identity(state.page, spec): spec for spec in animations}
    key = f"{chart}-bar"

    def play() -> None:
        st.session_state[play_key(state.page)] = st.session_state[key]["asked"]["id"]

    def keep() -> None:
        kept = st.session_state[key]["kept"]
        spec, value = names.get(kept["id"]), kept["value"]
        if spec is not None and isinstance(value, (int, float)) and not isinstance(value, bool):
            state.apply({spec.control: value})

    data = [{"id": name, "symbol": spec.symbol, "now": spec.now} for name, spec in names.items()]
    callbacks: dict[str, Any] = {"on_asked_change": play, "on_kept_change": keep}
    if pin is not None:
        callbacks["on_pinned_change"] = pin
    _bar(key=key, data={"chart": chart, "animations": data, "pin": pin is not None}, **callbacks)
    wanted = st.session_state.get(play_key(state.page))
    if wanted is None:
        return
    if wanted in names:
        _send(key, wanted, names[wanted])
    st.session_state[play_key(state.page)] = None  # not before: a run that is stopped on the way is asked again


def _send(key: str, name: str, spec: AnimationSpec) -> None:
    """Compute the frames, or take them from the cache, and send them to the browser."""
    try:
        data = SessionCache(ProgressBar(st.empty())).call(_encoded, _Asked(name, spec.key, spec))
    except RfvizError as error:
        data = json.dumps({"id": name, "error": str(error)}).encode()
    _frames(key=f"{key}-frames", data=data, height=1)


def _encoded(asked: _Asked, *, cache: Cache) -> bytes:
    return encode(asked.name, asked.spec.render(cache))


def _identity(page: str, spec: AnimationSpec) -> str:
    return hashlib.blake2b(repr((page, spec.control, spec.key)).encode(), digest_size=9).hexdigest()


def encode(name: str, animation: Animation) -> bytes:
    """Return an animation as JSON: the first frame of each chart, and for every frame what differs there.

    Arrays that do not change, images above all, are sent once.
    """
    charts = [chart for chart in animation.frames[0] if all(chart in frame for frame in animation.frames)]
    specs = [{chart: _spec(frame[chart]) for chart in charts} for frame in animation.frames]
    for chart in charts:
        _one_view([spec[chart]["layout"] for spec in specs])
    first = specs[0]
    changes = [
        [[[chart, *path], value] for chart in charts for path, value in _changes(first[chart], spec[chart])]
        for spec in specs
    ]
    message = {
        "id": name,
        "values": list(animation.values),
        "captions": list(animation.captions),
        "note": animation.note,
        "first": first,
        "changes": changes,
    }
    return plotly_json(message).encode()


def _spec(figure: go.Figure) -> dict[str, Any]:
    spec: dict[str, Any] = figure.to_dict()
    # The template is made from the page's theme, and the zoom is that of the page's own picture.
    layout = {name: value for name, value in spec["layout"].items() if name not in ("template", "uirevision")}
    return {"data": list(spec["data"]), "layout": layout}


def _one_view(layouts: list[dict[str, Any]]) -> None:
    """Set the same ranges in all frames, wide enough for each: axes that follow the points hide how far these move."""
    for name in ("xaxis", "yaxis"):
        ranges = [layout.get(name, {}).get("range") for layout in layouts]
        if all(ranges):
            down = ranges[0][0] > ranges[0][1]
            low, high = min(map(min, ranges)), max(map(max, ranges))
            for layout in layouts:
                layout[name] = layout[name] | {"range": [high, low] if down else [low, high]}


def _changes(old: Any, new: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Yield where a figure differs from another one, by the smallest parts that can be exchanged."""
    if isinstance(old, dict) and isinstance(new, dict) and "bdata" not in old and "bdata" not in new:
        for name in {**old, **new}:
            yield from _changes(old.get(name), new.get(name), (*path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and _nested(old):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from _changes(*pair, (*path, place))
    elif type(old) is not type(new) or old != new:
        yield path, new


def _nested(values: list[Any]) -> bool:
    return bool(values) and isinstance(values[0], dict)
