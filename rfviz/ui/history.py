"""Undo and redo: what the controls of a page held before, step by step.

Every run of a page ends with :func:`record`. The buttons sit beside the title, outside of the part of the page that a
slider draws anew; what they can do comes to them through the browser, with the values for the address.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from rfviz.ui.state import PageState

__all__ = ["DEPTH", "History", "history_buttons", "history_of", "let_go", "record"]

#: Steps that can be undone.
DEPTH = 50
# One drag of a slider, or one burst of its keys, is one step: changes of the same controls this close to each other.
_TOGETHER_S = 1.0
_HERE = Path(__file__).parent

_mount = st.components.v2.component(
    "rfviz.history",
    html='<div class="history" role="group" aria-label="History"></div>',
    css=(_HERE / "history.css").read_text(encoding="utf-8"),
    js=(_HERE / "history.js").read_text(encoding="utf-8"),
)


@dataclass(eq=False)
class History:
    """What the controls of one page held, one entry a step.

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
    def forth(self) -> int:
        """Steps that can be done again."""
        return len(self.entries) - 1 - self.at

    def record(self, values: Mapping[str, Any], begun: float, ended: float) -> None:
        """Take note of what the controls hold, in a run of the page that began and ended at these seconds."""
        values = {name: list(value) if isinstance(value, list) else value for name, value in values.items()}
        if not self.entries:
            self.entries, self.at = [values], 0
            return
        present = self.entries[self.at]
        # A control that came or went with another one's value has not been changed by anybody.
        changed = frozenset(name for name in values if name in present and present[name] != values[name])
        if not changed or self._restored:
            # After a step the page may have made a value legal; that is no step of its own.
            self.entries[self.at] = present | values
            self._restored = False
            return
        # From the end of one run to the beginning of the next: a slow page does not tear a drag apart.
        joins = changed == self._changed and begun - self._ended < _TOGETHER_S and self.at == len(self.entries) - 1
        self._changed, self._ended = changed, ended
        entry = present | values
        if joins and self.at > 0:
            self.entries[self.at] = entry
            return
        self.entries = [*self.entries[: self.at + 1], entry][-DEPTH - 1 :]
        self.at = len(self.entries) - 1

    def part(self) -> None:
        """Let what comes next be a step of its own."""
        self._changed = frozenset()

    def step(self, by: int) -> dict[str, Any] | None:
        """The values one step back (−1) or forth (1), which are the present ones from now on; None at the end."""
        if not 0 <= self.at + by < len(self.entries):
            return None
        self.at += by
        self._restored = True
        self.part()
        return self.entries[self.at]

    def leave_out(self, is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
        """Take out the entries that meet this: a step back to them would lead nowhere."""
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


def history_of(page: str, session: MutableMapping[str, Any] | None = None) -> History:
    """The history of a page in this session."""
    session = st.session_state if session is None else session
    key = f"{page}:history"
    if key not in session:
        session[key] = History()
    return session[key]


def let_go(is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
    """Take out of the history of every page the entries that meet this."""
    for key in [str(key) for key in st.session_state if str(key).endswith(":history")]:
        st.session_state[key].leave_out(is_gone)


def record(state: PageState, session: MutableMapping[str, Any], begun: float) -> dict[str, int]:
    """Take note of the values of a page after a run that began at `begun`; how many steps there are back and forth."""
    history = history_of(state.page, session)
    history.record(state.values() | state.shown, begun, time.monotonic())
    return {"back": history.back, "forth": history.forth}


def history_buttons(state: PageState, restore: Callable[[str], None] | None = None) -> None:
    """Two small buttons, and what their keys do; also the way of all else that sets controls of the whole page.

    Parameters
    ----------
    state : PageState
    restore : callable, optional
        Called with the name of a pinned chart that the reader goes back to.
    """
    key = f"{state.page}:steps"

    def act() -> None:
        asked = st.session_state[key]["asked"]
        if asked.get("by") in (-1, 1):
            values = history_of(state.page).step(asked["by"])
            if values is not None:
                state.apply(values)
        elif restore is not None and isinstance(asked.get("restore"), str):
            restore(asked["restore"])

    _mount(key=key, data={"page": state.page}, on_asked_change=act)
