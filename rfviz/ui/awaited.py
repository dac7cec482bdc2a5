"""Values that Python has set, and the browser is yet to show: a change sent before it does takes none of them back.

With every message a browser sends the values of all of Streamlit's own controls. One that is sent within the moment
after a preset was asked for, in which the page still shows what was before, would set them all back, but for those that
are drawn by components. It can be told from a reader's wish: that changes one control, not several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Awaited"]


@dataclass(eq=False)
class Awaited:
    """What was set at once, and what the browser last said about it.

    Attributes
    ----------
    shown : dict of str to object
        By name, what the browser showed before.
    wanted : dict of str to object
        By the same names, what it is to show.
    others : dict of str to object
        What the controls hold that were left alone.
    drawn : bool
        Whether a run of the page has come to its end since.
    """

    shown: dict[str, Any] = field(default_factory=dict)
    wanted: dict[str, Any] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    drawn: bool = False

    def add(self, shown: Mapping[str, Any], wanted: Mapping[str, Any], others: Mapping[str, Any]) -> None:
        """More was set, before the browser could show what was set first."""
        for name, value in wanted.items():
            self.shown.setdefault(name, shown[name])
            self.wanted[name] = value
        self.others, self.drawn = dict(others), False

    def overtaken(self, present: Mapping[str, Any]) -> dict[str, Any]:
        """What a message has set back that left the browser too early, as it is to be: by name.

        Parameters
        ----------
        present : mapping of str to object
            What the controls hold after the message.
        """
        moved = any(present.get(name, value) != value for name, value in self.others.items())
        off = [name for name, value in self.wanted.items() if present.get(name, value) != value]
        # Where the message is about another control, a third value is that of a control whose ends are new, of which
        # the browser knows nothing; else it is the reader's.
        back = {name: self.wanted[name] for name in off if moved or present[name] == self.shown[name]}
        # Of a single one that is as it was nobody can say who set it back, unless it is all that was set.
        alone = len(self.wanted) == 1 or any(present[name] != self.shown[name] for name in off)
        if back and (len(off) > 1 or (moved and alone)):
            for name in set(off) - set(back):
                del self.shown[name], self.wanted[name]
            return back
        if self.drawn or off:
            self.wanted, self.shown = {}, {}  # the browser shows them
        return {}

    def ends(self, present: Mapping[str, Any]) -> None:
        """A run has ended; what it found not to be legal has been replaced."""
        drawn = [name for name in self.wanted if name in present]
        self.wanted = {name: present[name] for name in drawn if present[name] != self.shown[name]}
        self.shown = {name: self.shown[name] for name in self.wanted}
        self.others = {name: value for name, value in present.items() if name not in self.wanted}
        self.drawn = True
