"""The layout of the zoo: cards that are drawn in the browser, and their data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from rfviz.experiments import Zoo
from rfviz.experiments.base import Chart
from rfviz.experiments.zoo.compute import AXIS, SIDE, Card, Refusal, ZooResult
from rfviz.experiments.zoo.describe import per_cent
from rfviz.experiments.zoo.figures import card_pictures, palette
from rfviz.features import FeatureMap, registry
from rfviz.figures.template import map_style
from rfviz.lab.zoo import text
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.share import share_place
from rfviz.ui.widgets.zoo_gallery import moved_point, zoo_gallery

__all__ = ["ZooView"]

# Pages that take a map from their address, their titles, and by which control.
_PAGES = (
    ("distance-saturation", "Distances", "map"),
    ("kernel-approximation", "Kernel", "maps"),
    ("accuracy", "Accuracy", "maps"),
)


class ZooView(View[None, Zoo, ZooResult]):
    """A card for each map."""

    def prepare(self) -> None:
        """Move the point to where it was dragged since the page was last drawn."""
        row = moved_point(self.state, SIDE**2)
        if row is not None:
            self.state.apply({"x": float(AXIS[row % SIDE]), "y": float(AXIS[row // SIDE])})

    def draw(self, settings: Zoo, result: ZooResult, charts: Sequence[Chart]) -> None:
        with st.container(horizontal=True, key="zoo-bar-row"):
            layout.explain(charts[0].words)
            share_place(self.state)
        zoo_gallery(self.state, _message(result))
        self.share(settings, result)
        self.draw_details(settings, result, charts)

    def details(self, settings: Zoo, result: ZooResult, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        frame = result.to_frame()
        formats = {frame.columns[2]: "%.2f", frame.columns[3]: "%.3f"}
        return {
            "Formulas and sources": _formulas,
            "Numbers": lambda: layout.numbers(frame, formats, text.NUMBERS),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }


def _formulas() -> None:
    st.caption(text.COST)
    for cls in registry().values():
        st.markdown(f"**{cls.label}.** {cls.reference}. Cost {cls.cost}.")
        layout.formula(cls.formula)


def _message(result: ZooResult) -> dict[str, Any]:
    """Return what the gallery draws."""
    return {
        "side": SIDE,
        "row": result.row,
        "shown": f"{result.m} {result.row} {result.feature}",
        "palette": palette(),
        "words": text.ERROR,
        "captions": text.captions(result),
        "cards": [_card(card, result) for card in result.cards],
    }


def _card(card: Card | Refusal, result: ZooResult) -> dict[str, Any]:
    cls = card.cls
    about = {
        "label": cls.label,
        "summary": cls.summary,
        "reference": cls.reference,
        "colour": map_style(cls).colour,
        "links": _links(cls),
    }
    if isinstance(card, Refusal):
        return about | {"problem": f"{text.NOT_SHOWN} {card.problem}"}
    shown = {"pictures": card_pictures(card), "alt": text.alternatives(card, result)}
    return about | {"problem": "", "error": per_cent(card.error)} | shown


def _links(cls: type[FeatureMap]) -> list[dict[str, str]]:
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    images = {"data": "digits"} if cls.needs_images else {}
    return [
        {
            "title": title,
            "name": f"{cls.label} in {title.lower()}",
            # The trailing comma tells a list of one from a word.
            "href": f"{'/' if base else ''}{base}/{page}?"
            + urlencode({**images, name: cls.__name__ + ("," if name == "maps" else "")}, safe=","),
        }
        for page, title, name in _PAGES
    ]
