"""JSON forms of activations and base spaces: a kind, and the numbers that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rfviz.errors import ParameterError

__all__ = ["form_of"]


def form_of(given: Any, what: str, names: Mapping[str, Collection[str]], example: str) -> Mapping[str, Any]:
    """Return a JSON form as it is, or the form of a kind that is given as text.

    Parameters
    ----------
    given : str or mapping
    what : str
        ``"activation"`` or ``"base"``, for the message.
    names : mapping
        Each known kind, and the names of what else it has.
    example : str
        A kind that can be tried.

    Raises
    ------
    ParameterError
        For an unknown kind, or a name that its kind does not have.
    """
    form = {"kind": given} if isinstance(given, str) else given
    kind = form.get("kind") if isinstance(form, Mapping) else None
    if not isinstance(kind, str) or kind not in names:
        known = ", ".join(map(repr, names))
        raise ParameterError(what, f"must have a kind among {known}", given, f"Try {what}={example!r}.")
    for name in form:
        if name not in names[kind] and name != "kind":
            raise ParameterError(what, f"of kind {kind!r} has no {name!r}", form[name], "Leave it out.")
    return form
