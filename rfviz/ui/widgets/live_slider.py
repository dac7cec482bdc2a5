"""A slider that answers while it is dragged; Streamlit's own reports only when it is let go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rfviz.lab.controls import Control
from rfviz.ui.component import Component, fields, is_whole

__all__ = ["live_slider"]

_HERE = Path(__file__).parent
_HTML = """
<div class="live-slider">
  <div class="top">
    <span><span class="text"></span><button type="button" class="help"><svg width="16" height="16" aria-hidden="true"
      viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"><circle cx="12"
      cy="12" r="10"/><path d="M9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3M12 17h.01"/></svg></button></span>
    <output title="Click to type a number"></output>
    <input class="typed" type="text" inputmode="decimal" aria-label="Number" autocomplete="off" hidden>
  </div>
  <input type="range" aria-label="Value" min="0" max="1" step="1" value="0">
  <div class="tip" role="tooltip" popover></div>
</div>
"""

_slider = Component(
    "live_slider",
    *(_HERE / name for name in ("live_slider.css", "one_in_flight.js", "live_slider.js")),
    html=_HTML,
    served=True,
)


def live_slider(key: str, control: Control, value: Any, on_change: Callable[[Any], None]) -> None:
    """Draw a slider over the options of a control.

    Parameters
    ----------
    key : str
        Its name in the browser.
    value : object
        The option that it shows.
    on_change : callable
        Called with the option that the user has moved it to; the page then runs again.
    """
    options = list(control.options)

    def take_over(sent: Any) -> None:
        index = fields(sent).get("index")
        if is_whole(index) and 0 <= index < len(options):
            on_change(options[index])

    labels = [control.title(option) for option in options]
    data = {"name": key, "label": control.label, "labels": labels, "index": options.index(value), "help": control.help}
    _slider.mount(f"{key}:slider", data, {"moved": take_over})
