"""Traces and figures as plain dictionaries, which Plotly sees only when a part of a figure is read.

Plotly turns every property into an object and checks it, which takes two thirds of the time of a slider's step. Nothing
in these figures comes from a user, and the tests look at them, which checks them.
"""

from __future__ import annotations

import base64
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["literal", "plotly_json", "quick_figure", "trace"]

# Names of types in Plotly's binary arrays; it has no 64-bit integers.
_TYPES = {"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
          "float32": "f4", "float64": "f8"}  # fmt: skip


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


def quick_figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """Return a figure that is built when one of its parts is first asked for.

    Until then it holds the dictionaries it was given, and its ``to_dict``, which Streamlit asks for, encodes those.

    Parameters
    ----------
    data : list of dict
        Traces.
    """
    return _quick_class()(data, layout)


@functools.cache
def _quick_class() -> Any:
    import plotly.graph_objects as go
    import plotly.io as pio

    class QuickFigure(go.Figure):
        """A :class:`plotly.graph_objects.Figure` that is built late."""

        def __init__(self, data: list[dict[str, Any]], layout: dict[str, Any]) -> None:
            object.__setattr__(self, "_unbuilt", (data, layout))

        def __getattr__(self, name: str) -> Any:
            # Python calls this only for missing attributes, as all parts of a figure are before it is built.
            unbuilt = self.__dict__.pop("_unbuilt", None)
            if unbuilt is None:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
            super().__init__(*unbuilt)
            return getattr(self, name)

        def __reduce__(self) -> tuple[Any, ...]:
            return go.Figure, (self.to_dict(),)

        def to_dict(self) -> dict[str, Any]:
            """Return the figure in a form that JSON can hold, its arrays encoded."""
            unbuilt = self.__dict__.get("_unbuilt")
            if unbuilt is None:
                return super().to_dict()
            data, layout = unbuilt
            return {
                "data": _encoded(data),
                "layout": {"template": _template(pio.templates.default), **_encoded(layout)},
            }

    return QuickFigure


@functools.lru_cache(maxsize=4)
def _template(name: str | None) -> dict[str, Any]:
    """Return the default template, which every Plotly figure includes and Streamlit replaces by its own."""
    import plotly.io as pio

    return pio.templates[name].to_plotly_json() if name else {}


def _encoded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _encoded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encoded(part) for part in value]
    return _encoded_array(value) if isinstance(value, np.ndarray) else value


def _encoded_array(array: np.ndarray) -> Any:
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
        array = array.astype(np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max())))
    kind = _TYPES.get(array.dtype.name)
    if kind is None or not array.size:
        return array.tolist()
    encoded = {"dtype": kind, "bdata": base64.b64encode(array.tobytes()).decode("ascii")}
    return encoded | {"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else encoded
