"""Guesses about a file: its label, its order, and a preparation to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, Table

__all__ = ["FOLDER", "LABELS", "NUMBER_IN_NAME", "ORDERS", "as_they_are", "first_named", "suggest"]

#: Columns that the names of images give.
FOLDER, NUMBER_IN_NAME = "folder", "number in the name"
#: Names of labels and orders, in any case; the first that occurs counts. "y" comes after the others: next to "x" it may
#: be a coordinate.
LABELS = ("label", "target", "class", "y", FOLDER)
ORDERS = ("order", "frame", "time", "index", NUMBER_IN_NAME)
# Names that labels often have, where one looks at the choice before it counts.
_USUAL = ("outcome", "survived", "churn", "churned", "diagnosis", "species", "response", "default")
_YEARS = re.compile(r"(^|[\W_])(years?|jahr|année|año|anno)($|[\W_])", re.I)
# A last column with at most this number of words is probably the label.
_LIKELY_CLASSES = 20


def first_named(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """Return the column that has the first possible of the `wanted` names."""
    by_lower = {name.strip().lower(): name for name in reversed(list(names))}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def suggest(table: Table) -> Preparation:
    """Suggest a preparation: label, order, no dates as features, and gaps filled in where dropping would cost rows."""
    kinds = {name: table.kind(name) for name in table.names}
    label = table.label
    if label is None or kinds[label] not in (NUMBER, CATEGORY):
        label = _likely_label(table)
    order = table.order or first_named((name for name in kinds if kinds[name] in (NUMBER, DATE)), ORDERS)
    order = order or next((name for name in table.names if name != label and _gives_years(table, name)), None)
    if table.pictures is not None:
        return Preparation(label=label, order=order, scale="none")
    gaps = sum(table.n_missing(name) for name in kinds if kinds[name] in (NUMBER, CATEGORY) and name != label)
    return Preparation(
        label=label,
        order=order,
        leave_out=tuple(name for name in kinds if kinds[name] == DATE and name != order),
        missing="impute" if gaps > 0.05 * table.n_rows else "drop rows",
    )


def as_they_are(table: Table) -> Preparation:
    """Return a preparation that keeps numbers and images, takes whole labels for classes and refuses missing values.

    A column that is named like a label is the label, even if all its values are equal: no user looks at the choice.
    """
    found = suggest(table)
    if table.label is None:
        usable = [name for name in table.names if table.kind(name) in (NUMBER, CATEGORY)]
        found = found.replace({"label": first_named(usable, LABELS) or found.label})
    labels = None if found.label is None else table.values(found.label)
    is_quantity = isinstance(labels, np.ndarray) and not _are_whole(labels)
    return found.replace(
        {
            "leave_out": (),
            "scale": "none",
            "missing": "error",
            "target": "numbers" if is_quantity else "classes",
            "side": 0 if table.pictures is None else int(table.pictures.sizes.max()),
        }
    )


def _are_whole(values: np.ndarray) -> bool:
    known = values[np.isfinite(values)]
    return bool((known == np.rint(known)).all())


def _gives_years(table: Table, name: str) -> bool:
    """Return whether a column holds a year for each row, one after the other: the time of the rows, and no feature."""
    if not _YEARS.search(name) or table.kind(name) != NUMBER or table.n_missing(name):
        return False
    values = table.quantity(name)
    step = np.diff(values.astype(np.float64))
    return _are_whole(values) and bool((step > 0).all() or (step < 0).all())


def _likely_label(table: Table) -> str | None:
    """Return a column that is named like a label, or a last column whose words look like classes."""
    usable = [name for name in table.names if table.kind(name) in (NUMBER, CATEGORY)]
    while (name := first_named(usable, LABELS + _USUAL)) is not None:
        if table.has_several(name):
            return name
        usable.remove(name)
    last = table.described.get(table.names[-1]) if len(usable) > 1 else None
    if last is not None and last.kind == CATEGORY and 2 <= last.n_distinct <= _LIKELY_CLASSES:
        return last.name
    return None
