"""What an address, or a step of a lesson, asks of a page: read once, checked, and what is wrong in it in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rfviz.recipes.address import format_value, parse_value, same_text
from rfviz.recipes.zoom import ZoomCheck
from rfviz.ui.plain import plain

__all__ = ["AddressReader"]

_LONGEST = 40  # of a wrong value that is quoted


class AddressReader:
    """One page's reading of its address.

    Parameters
    ----------
    query : mapping of str to str
        The address, by names.
    arrives : bool
        Whether the reader has just come to the page. A link from another page says what to show there, whatever was
        chosen on that page before; afterwards what the reader changes counts.
    """

    def __init__(self, query: Mapping[str, str], arrives: bool) -> None:
        self._query = query
        self._linked = set(query) if arrives else set()
        self._zoom = ZoomCheck(query["zoom"]) if "zoom" in self._linked else None
        self._given: dict[str, str | None] = {}
        self._wrong: list[str] = []

    def give(self, texts: Mapping[str, str | None]) -> None:
        """A lesson's values, as an address holds them, which controls take when next drawn; None: the default."""
        self._given = dict(texts)

    def is_asked(self, name: str) -> bool:
        """Whether a control is to take a value from here although it has one."""
        return name in self._given or name in self._linked

    def read(self, name: str, default: Any, kept: Any, clean: Callable[[Any], Any]) -> Any:
        """The legal value that a control takes.

        Parameters
        ----------
        name : str
        default : object
            Its value where a lesson gives none.
        kept : object
            Its value where the address names none.
        clean : callable
            Gives the legal value nearest to what it is handed, or raises ValueError.
        """
        if name in self._given:
            return self._value(name, self._given.pop(name), default, clean, "this lesson")
        self._linked.discard(name)
        return self._value(name, self._query.get(name), kept, clean, "the address")

    def view(self, name: str, options: Sequence[str]) -> list[str]:
        """Those of the options that the address names for the view, when the page opens; else none."""
        if name not in self._linked:
            return []
        self._linked.discard(name)
        words = self._query.get(name, "").split(",")
        if not {*words} <= {*options}:
            self._wrong.append(f"{name} in the address: not all of what it names is on this page.")
        return [option for option in options if option in words]

    def has_drawn(self, chart: str, figure: Any) -> None:
        """Take note that the page has a chart, of which the address may hold the zoom."""
        if self._zoom is not None:
            self._zoom.compare(chart, figure)

    def finish(self) -> list[str]:
        """After the last control: what was wrong, in sentences, each once. What no control has taken is forgotten."""
        if self._zoom is not None and not self._zoom.is_whole():
            self._wrong.append("The address asks for a zoom that is not possible here; it is left out.")
        wrong, self._wrong, self._zoom, self._given = self._wrong, [], None, {}
        return wrong

    def _value(self, name: str, text: str | None, default: Any, clean: Callable[[Any], Any], where: str) -> Any:
        if text is None:
            return default
        try:
            value = clean(parse_value(text))
        except ValueError:
            value = default
        if not same_text(format_value(value), text):
            shown = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"
            used = "none" if value in ([], ()) else format_value(value)
            self._wrong.append(f"{name}={plain(shown)} in {where} is not possible here; using {used}.")
        return value
