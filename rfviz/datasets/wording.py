"""Text from outside (file names, columns, other libraries' errors), cut to what fits in a sentence."""

from __future__ import annotations

__all__ = ["counted", "drawn_note", "one_line", "reason"]


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return ``"1 row"`` or ``"2,000 rows"``; `plural` where it is not the noun with an s."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def drawn_note(n_drawn: int, n_rows: int, what: str = "rows") -> str:
    """Return the statement on rows that were drawn."""
    return f"{n_drawn:,} of {n_rows:,} {what}, drawn at random"


def one_line(text: object, length: int) -> str:
    """Return `text` on one line, without control characters, of at most `length` characters."""
    # A first cut, since it may be megabytes. Most texts are printable, which is seen far faster than changed.
    cut = str(text)[: 4 * length]
    cut = cut if cut.isprintable() else "".join(c if c.isprintable() else " " for c in cut)
    line = " ".join(cut.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def reason(error: BaseException) -> str:
    """Return the first line of an error, or its type where it has no text; without a full stop."""
    first = str(error).strip().split("\n", 1)[0]
    return one_line(first, 120).rstrip(".") or type(error).__name__
