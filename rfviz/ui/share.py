"""The button below the main chart of a page that opens all that can be taken away from it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from rfviz.experiments.base import Chart
from rfviz.lab.page import MapExport, Page
from rfviz.ui.cache import SessionCache
from rfviz.ui.session import SessionValue
from rfviz.ui.state import PageState
from rfviz.ui.streamlit_private import has_open_dialog

__all__ = ["Visit", "discard", "share", "share_place"]

# Where a run of a page has left room for the button, next to what else can be done with its chart.
_places: weakref.WeakKeyDictionary[PageState, Any] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Visit:
    """What a page shows now: enough to make everything else of it."""

    page: Page[Any, Any, Any]
    source: Any
    settings: Any
    result: Any
    values: dict[str, Any]

    def charts(self) -> tuple[Chart, ...]:
        return self.page.charts(self.source, self.settings, self.result, SessionCache())

    def maps(self) -> tuple[MapExport, ...]:
        return self.page.maps(self.source, self.settings, SessionCache())

    def script(self) -> str:
        return self.page.script(self.source, self.settings)


# By page, the latest last.
_VISITED = SessionValue("visited", dict[str, Visit])


def share_place(state: PageState) -> None:
    """Leave room for the button here; :func:`share` takes it, which knows only later what there is to share."""
    _places.pop(state, None)
    if "share" not in state.hidden:
        _places[state] = st.container(width="content")


def share(state: PageState, page: Page[Any, Any, Any], source: Any, settings: Any, result: Any) -> None:
    """Draw the button that opens all that can be taken away; nothing is made before.

    It stands where :func:`share_place` has left room in the same run, else here.

    Parameters
    ----------
    source, settings, result
        Of the page, as it shows them.
    """
    if "share" in state.hidden:
        return
    values = {name: value for name, value in state.changed().items() if name in state.controls}
    visit = Visit(page, source, settings, result, values)
    visited = _VISITED.get()
    visited.pop(page.slug, None)
    visited[page.slug] = visit
    with _places.pop(state, None) or st.container():
        asked = st.button(
            "Share",
            icon=":material/ios_share:",
            key=state.key("share"),
            help="Link, Python, pictures, numbers, features, report.",
        )
    if asked and not has_open_dialog():
        from rfviz.ui.share_dialog import share_dialog  # with all that writes files

        share_dialog(state, visit, list(visited.values()))


def discard(is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
    """Drop visits with such values: a report must not bring back data that the user has dropped."""
    visited = _VISITED.get()
    for slug in [slug for slug, visit in visited.items() if is_gone(visit.values)]:
        del visited[slug]
