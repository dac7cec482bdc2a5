"""A card that shows the image under the pointer and its neighbours, drawn in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rfviz.ui.component import Component

__all__ = ["hover_card"]

_HERE = Path(__file__).parent
_CSS = """
.card { font-family: var(--st-font); color: var(--st-text-color); display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem;
  min-height: 150px; align-items: flex-start; }
h4 { margin: 0 0 0.35rem; font-size: 0.875rem; font-weight: 600; }
.strip { display: flex; gap: 0.5rem; }
.tile { display: flex; flex-direction: column; align-items: center; font-size: 0.75rem; gap: 2px; max-width: 110px;
  text-align: center; }
.picture { border-radius: 3px; image-rendering: auto; background-repeat: no-repeat; }
"""
# The sheet of images is a component of its own: its message does not change while a slider moves, so Streamlit sends a
# reference to it instead of the images.
_SHEET_JS = """
export default function ({ data }) {
  (window.rfviz.sheets ??= {})[data.name] = data;
  window.dispatchEvent(new CustomEvent("rfviz:sheet", { detail: data.name }));
}
"""

_sheet = Component("sheet", js=_SHEET_JS)
_card = Component("hover_card", _HERE / "hover_card.js", html='<div class="card"></div>', css=_CSS)


def hover_card(
    key: str,
    charts: str,
    labels: list[str],
    before: np.ndarray,
    after: np.ndarray,
    sheet: dict[str, Any] | None,
    picked: int | None,
) -> None:
    """Show the point under the pointer, and its nearest neighbours in input and in feature space.

    Parameters
    ----------
    charts : str
        CSS selector of the charts to follow; their points carry the row as ``customdata``.
    labels : list of str
        What each row is called.
    before, after : ndarray of shape (n, k), int
        Neighbours of each row, nearest first.
    sheet : dict, optional
        What :func:`rfviz.ui.widgets.images.sprite` gives, with a ``name`` and the ``count`` of images.
    picked : int, optional
        A row that was clicked; shown until the pointer moves on.
    """
    if sheet:
        _sheet.mount(f"{key}:sheet", sheet, height=1)
    _card.mount(
        f"{key}:card",
        {
            "charts": charts,
            "labels": labels,
            "before": before.tolist(),
            "after": after.tolist(),
            "sheet": sheet["name"] if sheet else "",
            "picked": picked,
        },
    )
