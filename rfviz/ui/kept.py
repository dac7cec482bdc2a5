"""What the controls of pages held when they were last drawn, for the rest of the session.

Streamlit drops what it holds for a widget as soon as another page is shown, unless a later run has written it again;
what came with the address, and was never touched, would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

__all__ = ["drop", "keep", "kept_value"]

_KEY = "rfviz:kept"
Session = MutableMapping[Any, Any]


def kept_value(session: Session, key: str, default: Any) -> Any:
    """What the control of that key held; the default where that is unknown."""
    return session.get(_KEY, {}).get(key, default)


def keep(session: Session, prefix: str, values: Mapping[str, Any]) -> None:
    """Hold these values, by key, instead of all whose keys begin so."""
    drop(session, prefix)
    session[_KEY] |= values


def drop(session: Session, prefix: str) -> None:
    """Forget all values whose keys begin so."""
    held = session.get(_KEY, {})
    session[_KEY] = {key: value for key, value in held.items() if not key.startswith(prefix)}
