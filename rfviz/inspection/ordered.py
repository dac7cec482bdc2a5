"""Labels that have an order, such as ratings: the class that a row is like next is a neighbouring one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.errors import DataError
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.labels import LabelResult, Labels
from rfviz.inspection.question import Question
from rfviz.inspection.words import share

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["OrderedLabels", "OrderedResult", "inspect_ordered"]

_FEWEST_CLASSES, _FEWEST_ROWS = 3, 100
# Share of what chance leaves that must be neighbours: groups drawn anywhere hardly reach 0.4, labels that a weighted
# sum of columns decides, 0.6 to 0.9.
_AGREEMENT = 0.5
# Standard errors by which labels must be told better than by a guess: else nothing is known of what rows are like.
_TOLD = 4.0


@dataclass(frozen=True, eq=False)
class OrderedResult:
    """How often the class that rows are like next is a neighbouring one.

    Attributes
    ----------
    names : tuple of str
        The classes in their order.
    neighbours : ndarray of shape (n_classes,)
        Share of the rows of each class whose next class is a neighbour.
    by_chance : ndarray of shape (n_classes,)
        The same, were the next class any other.
    n_rows : int
    """

    names: tuple[str, ...]
    neighbours: np.ndarray
    by_chance: np.ndarray
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per class."""
        return pd.DataFrame({"label": self.names, "next is a neighbour": self.neighbours, "by chance": self.by_chance})


def inspect_ordered(result: LabelResult, target_names: tuple[str, ...]) -> OrderedResult | None:
    """Compare the order of classes that are numbers with what the rows of each are like.

    Parameters
    ----------
    target_names : tuple of str
        Of all classes.

    Returns
    -------
    OrderedResult or None
        None if labels are not numbers, or nothing shows that their order has a meaning.
    """
    errors, n = result.errors, result.n_rows
    names = [target_names[code] for code in errors.classes]
    try:
        order = np.argsort(numbers := [float(name) for name in names], kind="stable")
    except ValueError:
        return None
    if not np.isfinite(numbers).all():
        return None
    k = len(names)
    if k < _FEWEST_CLASSES or n < _FEWEST_ROWS:
        return None
    own = np.argsort(order)[np.searchsorted(errors.classes, result.y)]
    # Less the mean over all rows, or the largest class would be like every other one.
    scores = (errors.scores - errors.scores.mean(axis=0))[:, order]
    guess = float(np.bincount(own).max()) / n
    right = float(np.mean(errors.scores[:, order].argmax(axis=1) == own))
    if right - guess < _TOLD * np.sqrt(guess * (1.0 - guess) / n):
        return None
    scores[np.arange(n), own] = -np.inf
    is_neighbour = np.abs(scores.argmax(axis=1) - own) == 1
    neighbours = np.bincount(own, is_neighbour) / np.bincount(own)
    chance = np.full(k, 2.0 / (k - 1))
    chance[[0, -1]] = 1.0 / (k - 1)
    if neighbours.mean() - chance.mean() < _AGREEMENT * (1.0 - chance.mean()):
        return None
    return OrderedResult(tuple(names[place] for place in order), neighbours, chance, n)


class OrderedLabels(Question[OrderedResult]):
    """Whether labels that are numbers have an order."""

    name, key = "Ordered labels", "ordered-labels"
    cost = 4
    settings = ("normalise",)
    formats: ClassVar = {"next is a neighbour": "percent", "by chance": "percent"}

    kinds: ClassVar = {
        "neighbour share": (
            "Classes are numbers, from `lowest` to `highest`. Of each the share of rows of which the other class with "
            "the largest score is the next larger or the next smaller; of these shares the mean. The scores are those "
            "of the finding on label errors, less their mean over all rows. `by chance`: the same if any other class "
            "were as likely."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return bool(inspection.raw.target_names)

    def compute(self, inspection: Inspection) -> OrderedResult | None:
        try:
            labels = inspection.answer(Labels())
        except DataError:  # which "Label errors" says
            return None
        return inspect_ordered(labels, inspection.source.dataset.target_names)

    def claims(self, result: OrderedResult, inspection: Inspection) -> Iterator[Claim]:
        columns, names = inspection.raw.label_columns, result.names
        of = {"by chance": float(result.by_chance.mean()), "classes": names}
        of |= {"lowest": float(names[0]), "highest": float(names[-1])}
        yield Claim("neighbour share", float(result.neighbours.mean()), columns, result.n_rows, of=of)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        (claim,) = claims
        names = claim.of["classes"]
        text = (
            f"The labels {names[0]} to {names[-1]} have an order: the other class that a row is most like is a "
            f"neighbouring one for {share(claim.value)} of a class’s rows on average (in no order: "
            f"{share(claim.of['by chance'])}). Predict them as a quantity, or judge a model by how far off it is."
        )
        return self.say("fine", text).about(columns=claim.columns)
