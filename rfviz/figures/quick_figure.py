"""A Plotly figure that is checked only when one of its parts is read, not on its way to the browser.

Plotly turns every property into an object and checks it, which takes two thirds of the time of a slider's step. Nothing
in these figures comes from a user, and the tests look at them, which checks them.
"""

from __future__ import annotations

import base64
import functools
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio

__all__ = ["QuickFigure"]

# Names of types in Plotly's binary arrays; it has no 64-bit integers.
_TYPES = {"int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
          "float32": "f4", "float64": "f8"}  # fmt: skip


class QuickFigure(go.Figure):
    """A :class:`plotly.graph_objects.Figure` that is built when one of its parts is first asked for.

    Until then it holds the dictionaries it was given, and :meth:`to_dict`, which Streamlit asks for, encodes those.

    Parameters
    ----------
    data : list of dict
        Traces.
    """

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
        return {"data": _encoded(data), "layout": {"template": _template(pio.templates.default), **_encoded(layout)}}


@functools.lru_cache(maxsize=4)
def _template(name: str | None) -> dict[str, Any]:
    """Return the default template, which every Plotly figure includes and Streamlit replaces by its own."""
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
