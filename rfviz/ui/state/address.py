"""Reading of an address, or of a step of a lesson: once, checked, with a sentence for each fault."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rfviz.lab.address import VIEW_ONLY, current_name, format_value, is_appended, parse_value, same_text
from rfviz.lab.zoom import ZoomCheck
from rfviz.ui.plain import plain

__all__ = ["AddressReader"]

_LONGEST = 40  # of a quotation


class AddressReader:
    """One page's reading of its address.

    Parameters
    ----------
    query : mapping of str to str
        The address, by names.
    arrives : bool
        Whether the user has just come to the page. A link from another page says what to show there, whatever was
        chosen on that page before; afterwards what the user changes counts.
    """

    def __init__(self, query: Mapping[str, str], arrives: bool) -> None:
        self._query = query
        self._linked = set(map(current_name, query)) if arrives else set()
        self._zoom = ZoomCheck(query["zoom"]) if "zoom" in self._linked else None
        self._given: dict[str, str | None] = {}
        self._wrong: list[str] = []
        self._told: set[str] = {*VIEW_ONLY, "zoom"}

    def give(self, texts: Mapping[str, str | None]) -> None:
        """Set a lesson's values, as an address holds them, which controls take when next drawn; None: the default."""
        self._given = {current_name(name): text for name, text in texts.items()}

    def is_asked(self, name: str) -> bool:
        """Return whether a control is to take a value from here although it has one."""
        return name in self._given or name in self._linked

    def read(self, name: str, default: Any, present: Any, clean: Callable[[Any], Any]) -> Any:
        """Return the legal value that a control takes.

        Parameters
        ----------
        default : object
            Its value where a lesson gives none.
        present : object
            Its value where the address names none.
        clean : callable
            Returns the legal value nearest to what it gets, or raises ValueError.
        """
        if name in self._given:
            return self._value(name, self._given.pop(name), default, clean, "this lesson")
        self._linked.discard(name)
        return self._value(name, self._read(name), present, clean, "the address")

    def _read(self, name: str) -> str | None:
        if name in self._query:
            return self._query[name]
        return next((text for given, text in self._query.items() if current_name(given) == name), None)

    def view(self, name: str, options: Sequence[str]) -> list[str]:
        """Return those of the options that the address names for the view, when the page opens; else none."""
        text = self.text(name)
        if not text:
            return []
        words = text.split(",")
        if not {*words} <= {*options}:
            self.refuse(f"{name} in the address: not all of what it names is on this page.")
        return [option for option in options if option in words]

    def text(self, name: str) -> str:
        """Return the value of a query parameter that is not a control, on first load, or an empty string."""
        if name not in self._linked:
            return ""
        self._linked.discard(name)
        return self._query.get(name, "")

    def refuse(self, reason: str) -> None:
        """Note a sentence about what the address asks for and the page cannot show."""
        self._wrong.append(reason)

    def add_chart(self, chart: str, figure: Any) -> None:
        """Note that the page has a chart, whose zoom the address may hold."""
        if self._zoom is not None:
            self._zoom.compare(chart, figure)

    def finish(self, known: Collection[str]) -> list[str]:
        """Return the faults as sentences, each once, and forget values that no control has taken.

        Parameters
        ----------
        known : collection of str
            Names of the page's controls.
        """
        if self._zoom is not None and not self._zoom.is_whole():
            self.refuse("The zoom in the address is not possible here and is left out.")
        # What no control has taken; one that is drawn later still takes it. A former name is that of an old link.
        left = self._linked - self._told
        unknown = sorted(name for name in left if name in self._query and not is_appended(name))
        self._told.update(unknown)
        if unknown:
            meant = difflib.get_close_matches(unknown[0], known, 1) if len(unknown) == 1 else []
            remedy = f" Did you mean {meant[0]}?" if meant else " Use the controls on the page."
            has = "has" if len(unknown) == 1 else "have"  # a setting of other choices, such as of another map, too
            self.refuse(f"{plain(_shortened(', '.join(unknown)))} in the address {has} no effect here.{remedy}")
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
            used = "none" if value in ([], ()) else format_value(value)
            self.refuse(f"{name}={plain(_shortened(text))} in {where} is not possible here; showing {used}.")
        return value


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"
