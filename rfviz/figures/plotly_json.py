"""Figures as the JSON that Plotly's script reads."""

from __future__ import annotations

from typing import Any

from plotly.io.json import to_json_plotly

__all__ = ["plotly_json"]


def plotly_json(value: Any) -> str:
    """Return what :meth:`plotly.graph_objects.Figure.to_dict` gives, or containers of it and of arrays, as JSON."""
    return str(to_json_plotly(value))  # a text already, which Plotly does not declare
