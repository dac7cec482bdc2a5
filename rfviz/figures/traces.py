"""Plotly's traces as plain dictionaries, which need no Plotly until a figure is made of them."""

from __future__ import annotations

from typing import Any

__all__ = ["literal", "plotly_json", "trace"]


def trace(kind: str, **properties: Any) -> dict[str, Any]:
    """Return a trace as a plain dictionary: ``trace("scatter", x=..., y=...)``."""
    return {"type": kind, **properties}


def literal(words: str) -> str:
    """Return words of the data escaped, so that Plotly shows them as written and not as tags."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plotly_json(value: Any) -> str:
    """Return what :meth:`plotly.graph_objects.Figure.to_dict` gives, or containers of it and of arrays, as JSON."""
    from plotly.io.json import to_json_plotly

    return str(to_json_plotly(value))  # a text already, which Plotly does not declare
