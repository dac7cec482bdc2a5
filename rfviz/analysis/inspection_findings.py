"""A finding of the quick inspection: a plain sentence with its number, and how much it calls for a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

__all__ = ["GRADES", "Finding", "capital", "count", "findings_frame", "share", "unknown", "verdict"]

#: Word of each grade, what calls for most attention first.
GRADES = {"warning": "warning", "look": "worth a look", "fine": "fine", "unknown": "cannot be said"}


@dataclass(frozen=True)
class Finding:
    """One thing that the inspection has found.

    Attributes
    ----------
    title : str
    grade : str
        One of :data:`GRADES`.
    sentence : str
    page : str
        Slug of a page that shows it; empty where none does.
    values : mapping
        What to set there beside the data set.
    """

    title: str
    grade: str
    sentence: str
    page: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.title} ({GRADES[self.grade]}): {self.sentence}"


def verdict(findings: Sequence[Finding]) -> str:
    """How many findings there are of each grade: ``"1 warning, 2 worth a look, 6 fine"``."""
    counts = {grade: sum(finding.grade == grade for finding in findings) for grade in GRADES}
    words = [
        f"{count} {GRADES[grade]}{'s' if grade == 'warning' and count > 1 else ''}"
        for grade, count in counts.items()
        if count
    ]
    return ", ".join(words)


def findings_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """One row a finding: its title, its grade in words, the sentence, and the page that shows it."""
    rows = [(f.title, GRADES[f.grade], f.sentence, f.page) for f in findings]
    return pd.DataFrame(rows, columns=["title", "grade", "finding", "page"])


def unknown(title: str, reason: str) -> Finding:
    """A question that these data cannot answer, and why."""
    return Finding(title, "unknown", reason)


def share(value: float) -> str:
    """A share in per cent, with a digit after the point where that is needed: 0.3%, 37%, 99.6%."""
    percent = 100.0 * float(value)
    digits = 1 if 0 < percent < 9.95 or (90.5 < percent < 100 and round(percent, 1) != round(percent)) else 0
    return f"{percent:.{digits}f}%"


def count(n: int, what: str) -> str:
    """A number of things: ``1 row``, ``2,000 rows``."""
    plural = what if n == 1 else f"{what[:-1]}es" if what.endswith("x") else f"{what}s"
    return f"{n:,} {plural}"


def capital(text: str) -> str:
    """The sentence with a capital letter."""
    return text[:1].upper() + text[1:]
