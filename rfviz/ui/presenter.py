"""The presenter's view: whether it is on, and charts whose words can be read from the last row."""

from __future__ import annotations

from typing import Any

import streamlit as st

__all__ = ["enlarged", "is_presenting", "present"]

_PRESENT = "rfviz:present"
#: How much larger a chart's words are, and the size that Plotly gives those whose size is not said.
_LARGER, _PLAIN = 1.4, 12


def is_presenting() -> bool:
    """Whether the presenter's view is on."""
    return bool(st.session_state.get(_PRESENT))


def present(on: bool) -> None:
    """Turn the presenter's view on or off, for this session."""
    st.session_state[_PRESENT] = on


def enlarged(spec: dict[str, Any]) -> None:
    """Make the words of a figure larger, and its lines a little thicker, in place.

    Parameters
    ----------
    spec : dict
        A Plotly figure as a dictionary.
    """
    layout = spec["layout"]
    _fonts(spec)
    layout.setdefault("font", {}).setdefault("size", _PLAIN * _LARGER)
    margin = layout.get("margin")
    if margin:
        layout["margin"] = {side: round(1.25 * width) for side, width in margin.items()}
    for trace in spec["data"]:
        line = trace.get("line")
        if isinstance(line, dict) and isinstance(line.get("width"), (int, float)):
            line["width"] *= _LARGER


def _fonts(part: Any) -> None:
    """Enlarge every size of type below a part of the figure."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.endswith("font") and isinstance(value, dict) and isinstance(value.get("size"), (int, float)):
                value["size"] *= _LARGER
            elif isinstance(value, (dict, list, tuple)):
                _fonts(value)
    elif isinstance(part, (list, tuple)) and part and isinstance(part[0], dict):
        for each in part:
            _fonts(each)
