"""Undo and redo: the values of the controls of a page, step by step.

Every run of a page ends by recording its values. The buttons sit next to the title, outside of the part of the page
that a slider draws again; what they can do comes to them through the browser, with the values for the address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rfviz.ui.component import Component, fields
from rfviz.ui.session import SessionValue

__all__ = ["DEPTH", "HISTORY", "History", "history_buttons", "history_of", "remove_entries"]

#: Steps that can be undone.
DEPTH = 50
# One drag of a slider, or one burst of its keys, is one step: changes of the same controls this close to each other.
_TOGETHER_S = 1.0
_HERE = Path(__file__).parent

_buttons = Component(
    "history",
    _HERE / "history.js",
    _HERE / "history.css",
    html='<div class="history" role="group" aria-label="History"></div>',
)


@dataclass(eq=False)
class History:
    """Values of the controls of one page, one entry per step.

    Attributes
    ----------
    entries : list of dict
        Values by name, the oldest first.
    at : int
        The present one.
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    at: int = -1
    _changed: frozenset[str] = frozenset()
    _ended: float = 0.0
    _restored: bool = False

    @property
    def back(self) -> int:
        """Steps that can be undone."""
        return max(self.at, 0)

    @property
    def forward(self) -> int:
        """Steps that can be redone."""
        return len(self.entries) - 1 - self.at

    def record(self, values: Mapping[str, Any], begun: float, ended: float) -> None:
        """Record the values of a run of the page that began and ended at these seconds."""
        values = {name: list(value) if isinstance(value, list) else value for name, value in values.items()}
        if not self.entries:
            self.entries, self.at = [values], 0
            return
        present = self.entries[self.at]
        # A control that came or went with another one's value was not changed by the user.
        changed = frozenset(name for name in values if name in present and present[name] != values[name])
        if not changed or self._restored:
            # After a step the page may have made a value legal; that is not a step of its own.
            self.entries[self.at] = present | values
            self._restored = False
            return
        # From the end of one run to the beginning of the next: a slow page does not cut a drag in two.
        joins = changed == self._changed and begun - self._ended < _TOGETHER_S and self.at == len(self.entries) - 1
        self._changed, self._ended = changed, ended
        entry = present | values
        if joins and self.at > 0:
            self.entries[self.at] = entry
            return
        self.entries = [*self.entries[: self.at + 1], entry][-DEPTH - 1 :]
        self.at = len(self.entries) - 1

    def part(self) -> None:
        """Let the next change be a step of its own."""
        self._changed = frozenset()

    def step(self, by: int) -> dict[str, Any] | None:
        """Go one step back (−1) or forward (1) and return its values; None at the end."""
        if not 0 <= self.at + by < len(self.entries):
            return None
        self.at += by
        self._restored = True
        self.part()
        return self.entries[self.at]

    def remove(self, is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
        """Remove the entries that meet this: a step back to them would lead nowhere."""
        if not any(map(is_gone, self.entries)):
            return
        left: list[dict[str, Any]] = []
        at = 0
        for place, entry in enumerate(self.entries):
            if not is_gone(entry) and (not left or left[-1] != entry):  # two alike would be a step to nothing, too
                left.append(entry)
            if place == self.at:
                at = max(len(left) - 1, 0)
        self.entries, self.at = left, min(at, len(left) - 1)
        self.part()


#: Of each page.
HISTORY = SessionValue("history", History)


def history_of(page: str) -> History:
    """Return the history of a page in this session."""
    return HISTORY.of(page).get()


def remove_entries(is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
    """Remove from the history of every page the entries that meet this."""
    for history in HISTORY.of_all():
        history.get().remove(is_gone)


def history_buttons(
    page: str, apply: Callable[[Mapping[str, Any]], None], restore: Callable[[str], None] | None = None
) -> None:
    """Draw two small buttons and bind their keys; also the channel of whatever sets controls of the whole page.

    Parameters
    ----------
    apply : callable
        Sets controls to the values of a step.
    restore : callable, optional
        Called with the name of a pinned chart that the user goes back to.
    """

    def act(sent: Any) -> None:
        asked = fields(sent)
        if asked.get("by") in (-1, 1):
            values = history_of(page).step(asked["by"])
            if values is not None:
                apply(values)
        elif restore is not None and isinstance(asked.get("restore"), str):
            restore(asked["restore"])

    _buttons.mount(f"{page}:steps", {"page": page}, {"asked": act})
