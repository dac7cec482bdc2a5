"""Check that a formula in LaTeX is whole: the mistakes that a browser would show in red."""

from __future__ import annotations

import re

__all__ = ["latex_mistake"]

_ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+\*?)\}")


def latex_mistake(text: str) -> str:
    """Return the first mistake in a formula, as the end of a sentence, or ``""`` if it has none.

    Parameters
    ----------
    text : str
        LaTeX without dollar signs.
    """
    if "$" in text:
        return "holds a dollar sign"
    bare = re.sub(r"\\[\\{}]", "", text)
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return "closes a brace that is not open"
    if depth:
        return "leaves a brace open"
    if len(re.findall(r"\\left(?![a-z])", bare)) != len(re.findall(r"\\right(?![a-z])", bare)):
        return "does not have one \\right for each \\left"
    opened: list[str] = []
    for kind, name in _ENVIRONMENT.findall(bare):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return f"ends “{name}”, which is not the last that it began"
    return f"does not end “{opened[-1]}”" if opened else ""
