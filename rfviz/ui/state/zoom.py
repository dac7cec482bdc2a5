"""The zoom of a page's charts, of which the server does not hear until it asks."""

from __future__ import annotations

from rfviz.lab.zoom import read_zoom
from rfviz.ui.component import Component, event_value
from rfviz.ui.state.page_state import PageState

__all__ = ["current_zoom"]

_JS = """
export default function ({ data, setStateValue }) {
  let said = data.zoom;
  const look = () => {
    const zoom = window.rfviz.address?.zoom() ?? "";
    if (zoom !== said) setStateValue("zoom", (said = zoom));
  };
  look();
  const timer = setInterval(look, 500);
  return () => clearInterval(timer);
}
"""
_look = Component("current_zoom", js=_JS)


def current_zoom(state: PageState, place: str) -> str:
    """Return the zoom as an address holds it, or an empty string if nothing is zoomed.

    To be called in a fragment or a dialog, which runs again when the browser has said that it is another one.

    Parameters
    ----------
    place : str
        The part of the page that asks.
    """
    key = f"{state.page}:zoom-{place}"
    sent = event_value(key, "zoom")
    zoom = sent if isinstance(sent, str) else ""
    _look.mount(key, {"zoom": zoom}, {"zoom": lambda _: None}, height=1)
    return zoom if zoom and read_zoom(zoom)[1] else ""
