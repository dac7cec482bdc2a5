"""Pieces of a page that our scripts draw in the browser, and the values they send; a client can send anything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard, cast

from streamlit.components.v2 import component

from rfviz.ui.session import widget_value
from rfviz.ui.web.component_scripts import component_script

__all__ = ["Component", "event_value", "fields", "is_number", "is_whole"]

# What components of a page tell each other: its address, what can be undone, its pins, what plays.
_SHARED_JS = "window.rfviz ??= {};"


class Component:
    """A custom component of Streamlit.

    Parameters
    ----------
    *files : Path
        Scripts, of which the last has the default export, and style sheets.
    html : str
        What it stands in.
    css, js : str
        What stands before the files.
    served : bool
        Whether a browser fetches the scripts once, as one file; otherwise they come with every message.
    isolated : bool
        Whether the page's rules of style do not reach it, nor its own the page.
    """

    def __init__(
        self,
        name: str,
        *files: Path,
        html: str = "",
        css: str = "",
        js: str = "",
        served: bool = False,
        isolated: bool = True,
    ) -> None:
        scripts = [file for file in files if file.suffix == ".js"]
        js = f"{_SHARED_JS}\n{js}"
        code = component_script(*scripts, before=js) if served else "\n".join([js, *map(_text, scripts)])
        style = "\n".join(filter(None, [css, *(_text(file) for file in files if file.suffix == ".css")]))
        self._mount = component(f"rfviz.{name}", html=html or None, css=style or None, js=code, isolate_styles=isolated)

    def mount(
        self, key: str, data: Any = None, on: Mapping[str, Callable[[Any], None]] | None = None, **layout: Any
    ) -> None:
        """Draw it here.

        Parameters
        ----------
        data : object
            What its script gets. Bytes go to the browser as they are; a dictionary is encoded a second time, to be
            compared.
        on : mapping of str to callable
            By the name of an event, the function that gets the value sent by the script; the page then runs again.
        **layout
            Width or height; a component that draws nothing has a height of 1.
        """
        callbacks = {f"on_{name}_change": partial(_hear, key, name, act) for name, act in (on or {}).items()}
        self._mount(key=key, data=data, **callbacks, **layout)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _hear(key: str, name: str, act: Callable[[Any], None]) -> None:
    act(event_value(key, name))


def event_value(key: str, name: str) -> Any:
    """Return the value that a component has sent under a name; None if it has sent none."""
    return fields(widget_value(key)).get(name)


def fields(value: Any) -> Mapping[str, Any]:
    """Return the object that a component has sent; empty if it has sent something else."""
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is a whole number, and no truth value."""
    return type(value) is int


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number, and no truth value."""
    return type(value) is int or (type(value) is float and math.isfinite(value))
