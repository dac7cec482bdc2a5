"""What the scripts of components send; anybody else can send anything in their place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeGuard, cast

import streamlit as st

__all__ = ["event", "is_number", "is_whole", "said"]


def said(key: str, name: str) -> Any:
    """Return the value that a component has sent under a name; None where it has sent none."""
    state = st.session_state.get(key)
    return cast(Mapping[str, Any], state).get(name) if isinstance(state, Mapping) else None


def event(key: str, name: str) -> Mapping[str, Any]:
    """Return the object that a component has sent with an event; empty where it has sent none."""
    found = said(key, name)
    return cast(Mapping[str, Any], found) if isinstance(found, Mapping) else {}


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is a whole number, and no truth value."""
    return type(value) is int


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number, and no truth value."""
    return type(value) is int or (type(value) is float and math.isfinite(value))
