"""The questions of a quick inspection, in the order in which they are answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rfviz.errors import ParameterError
from rfviz.inspection.all_rows import AllRows
from rfviz.inspection.balance import Balance
from rfviz.inspection.columns import Columns
from rfviz.inspection.copies import ExactCopies
from rfviz.inspection.dependence import Dependence
from rfviz.inspection.dimension import Dimension
from rfviz.inspection.distances import Distances
from rfviz.inspection.drift import Drift
from rfviz.inspection.features import Features
from rfviz.inspection.interactions import Interactions
from rfviz.inspection.labels import Labels
from rfviz.inspection.leaks import Leaks
from rfviz.inspection.missing import Missing
from rfviz.inspection.near_copies import NearCopies
from rfviz.inspection.order import Order
from rfviz.inspection.ordered import OrderedLabels
from rfviz.inspection.outliers import Outliers
from rfviz.inspection.pixels import Pixels
from rfviz.inspection.question import Question
from rfviz.inspection.splits import Splits
from rfviz.inspection.structure import Structure
from rfviz.inspection.targets import Targets
from rfviz.inspection.uncertainty import Uncertainty
from rfviz.inspection.values import Values

__all__ = ["QUESTIONS", "keys_of"]

QUESTIONS: tuple[Question[Any], ...] = (
    AllRows(),
    Balance(),
    Pixels(),
    Columns(),
    Missing(),
    Values(),
    Leaks(),
    ExactCopies(),
    NearCopies(),
    Distances(),
    Dimension(),
    Outliers(),
    Labels(),
    OrderedLabels(),
    Targets(),
    Uncertainty(),
    Structure(),
    Interactions(),
    Splits(),
    Dependence(),
    Drift(),
    Order(),
    Features(),
)


def keys_of(only: str | Iterable[str]) -> tuple[str, ...]:
    """Return the short names of questions, which may be separated by commas; none for all.

    Raises
    ------
    ParameterError
        If there is no such question; it lists them all.
    """
    given = (only,) if isinstance(only, str) else tuple(only)
    names = tuple(dict.fromkeys(name.strip() for part in given for name in str(part).split(",")))
    known = list(dict.fromkeys(question.key for question in QUESTIONS))
    for name in names:
        if name not in known:
            raise ParameterError("only", "must name questions", name, f"Known: {', '.join(known)}.")
    return names
