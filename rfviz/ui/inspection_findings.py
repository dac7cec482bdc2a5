"""A finding of the quick inspection: a plain sentence with its number, and how much it calls for a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["GRADES", "METHOD", "Finding", "capital", "count", "share", "unknown", "verdict"]

#: Icon and word of each grade, what calls for most attention first.
GRADES = {
    "warning": (":red[:material/error:]", "warning"),
    "look": (":orange[:material/visibility:]", "worth a look"),
    "fine": (":green[:material/check_circle:]", "fine"),
    "unknown": (":gray[:material/remove_circle_outline:]", "cannot be said"),
}


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


def verdict(findings: Sequence[Finding]) -> str:
    """How many findings there are of each grade: ``"1 warning, 2 worth a look, 6 fine"``."""
    counts = {grade: sum(finding.grade == grade for finding in findings) for grade in GRADES}
    words = [
        f"{count} {GRADES[grade][1]}{'s' if grade == 'warning' and count > 1 else ''}"
        for grade, count in counts.items()
        if count
    ]
    return ", ".join(words)


def unknown(title: str, reason: str) -> Finding:
    """A question that these data cannot answer, and why."""
    return Finding(title, "unknown", reason)


def share(value: float) -> str:
    """A share in per cent, with a digit after the point where that is needed: 0.3 %, 37 %, 99.6 %."""
    percent = 100.0 * float(value)
    digits = 1 if 0 < percent < 9.95 or (90.5 < percent < 100 and round(percent, 1) != round(percent)) else 0
    return f"{percent:.{digits}f}\u202f%"


def count(n: int, what: str) -> str:
    """A number of things: ``1 row``, ``2,000 rows``."""
    plural = what if n == 1 else f"{what[:-1]}es" if what.endswith("x") else f"{what}s"
    return f"{n:,} {plural}"


def capital(text: str) -> str:
    """The sentence with a capital letter."""
    return text[:1].upper() + text[1:]


METHOD = """
**Rows.** The maps show up to 1,000 rows, distances and neighbours are those of up to 10,000, copies of all of them; of
very wide data fewer. Rows are drawn at random, always the same ones. Columns of tables are standardised, images are
left as they are, unless you choose otherwise in the sidebar.

**Maps.** The first two principal components of the rows, of 1,000 random maxout features (pools of 8), and of 1,000
random Fourier features whose width is one over the median distance.

**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN (Facco et al. 2017)
reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood estimate (Levina and Bickel 2004,
with the correction of MacKay and Ghahramani) off the ten nearest. Both are too low where d is large and rows are few.

**Outliers.** The local outlier factor (Breunig et al. 2000): how many times sparser it is about a row than about its 20
nearest. From 2 on a row stands apart, from 5 on far.

**Copies.** Exact copies agree in every number. Near copies are closer than a tenth of the usual distance to the fifth
neighbour, or less where the data are crowded, so that chance would give about one row in a thousand such a neighbour.
Candidates are rows that share a box of one of 16 random grids; their distance is then measured. A pair at the limit is
found with a probability of at least 99.9 %.

**Leaks.** Half of the rows choose the columns to try; the other half says, by cross-validation, how well a small tree
on that one column does. A column gives the label away if it leaves at most 2 % of errors, and a tenth of those of a
guess (of numbers: 1 % of the variance).

**Linear or not.** Five-fold cross-validation on up to 2,500 rows: ridge regression on the columns, and on up to 400
random features of them. Scaling, widths and penalties are learnt within the training rows. A gain counts as real
where chance would bring it about once in a hundred data sets, with the errors of Nadeau and Bengio (2003).
"""
