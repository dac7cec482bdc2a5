"""The presenter's view: whether it is on. Charts ask for it, and so do the pages' beginnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rfviz.ui.session import SessionValue

if TYPE_CHECKING:
    from rfviz.lessons import Room

__all__ = ["LESSON", "ROOM", "is_presenting", "present"]

_PRESENT = SessionValue("present", bool)
#: The lesson that is on, as :mod:`rfviz.ui.teaching.lesson_panel` knows it, and the room that the user has opened.
LESSON = SessionValue[tuple[Any, Any] | None]("lesson", lambda: None)
ROOM: SessionValue[Room | None] = SessionValue("room", lambda: None)


def is_presenting() -> bool:
    """Return whether the presenter's view is on."""
    return _PRESENT.get()


def present(on: bool) -> None:
    """Turn the presenter's view on or off, for this session."""
    _PRESENT.set(on)
