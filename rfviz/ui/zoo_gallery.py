"""The cards of the zoo, drawn in the browser: thirty small pictures answer a slider together."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from rfviz.analysis.zoo import SIDE, Card, ZooResult
from rfviz.features import map_class, registry
from rfviz.figures.template import map_style
from rfviz.figures.zoo import card_pictures, palette
from rfviz.recipes import zoo_text as text
from rfviz.ui.state import PageState

__all__ = ["moved_point", "zoo_gallery"]

_HERE = Path(__file__).parent
_HTML = """
<div class="zoo">
  <div class="legend"><span class="scale">negative<canvas aria-hidden="true"></canvas>positive, white is zero</span>
    <span>Drag the ring, or click, to move x₀.</span>
    <span>O(…): steps for n points, d columns; q to a pool, P projections or grids.</span></div>
  <div class="cards"></div>
</div>
"""
# Pages that take a scheme from their address, and how.
_PAGES = (
    ("distance-saturation", "Distances", "scheme"),
    ("kernel-approximation", "Kernel", "schemes"),
    ("accuracy", "Accuracy", "schemes"),
)

_mount = st.components.v2.component(
    "rfviz.zoo",
    html=_HTML,
    css=(_HERE / "zoo_gallery.css").read_text(encoding="utf-8"),
    js="\n".join((_HERE / name).read_text(encoding="utf-8") for name in ("one_in_flight.js", "zoo_gallery.js")),
)


def zoo_gallery(state: PageState, result: ZooResult) -> None:
    """Show the cards; a click on a kernel's picture is then told by :func:`moved_point`."""
    key = state.key("gallery")

    def take_over() -> None:
        st.session_state[f"{key}:row"] = st.session_state[key]["moved"]["row"]

    message = {
        "side": SIDE,
        "row": result.row,
        "shown": f"{result.m} {result.row} {result.feature}",
        "palette": palette(),
        "words": text.ERROR,
        "captions": text.captions(result),
        "cards": [_card(card, result) for card in result.cards],
    }
    # Bytes go to the browser as they are; a dictionary would be encoded a second time to be compared.
    _mount(key=key, data=json.dumps(message).encode(), on_moved_change=take_over)


def moved_point(state: PageState) -> int | None:
    """The row of the plane that was clicked since this was asked last; None where none was."""
    row = st.session_state.pop(f"{state.key('gallery')}:row", None)
    return row if isinstance(row, int) and 0 <= row < SIDE**2 else None


def _card(card: Card, result: ZooResult) -> dict:
    scheme = registry()[card.scheme]
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    links = [
        {
            "title": title,
            "name": f"{scheme.label} in {title.lower()}",
            # The trailing comma tells a list of one from a word.
            "href": f"{'/' if base else ''}{base}/{page}?"
            + urlencode({name: card.scheme + ("," if name == "schemes" else "")}, safe=","),
        }
        for page, title, name in _PAGES
    ]
    return {
        "label": scheme.label,
        "summary": scheme.summary,
        "cost": scheme.cost,
        "reference": scheme.reference,
        "colour": map_style(map_class(card.scheme)).colour,
        "problem": f"{text.NOT_SHOWN} {card.problem}" if card.problem else "",
        "error": text.per_cent(card.error),
        "pictures": card_pictures(card),
        "alt": text.alternatives(card, result),
        "links": links,
    }
