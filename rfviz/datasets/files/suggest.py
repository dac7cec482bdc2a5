"""Guesses about a file: its label, its order, and a preparation to begin with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, Table

__all__ = ["FOLDER", "LABELS", "NUMBER_IN_NAME", "ORDERS", "as_they_are", "first_named", "said_of_label", "suggest"]

#: Columns that the names of images give.
FOLDER, NUMBER_IN_NAME = "folder", "number in the name"
#: Names of labels and orders, in any case; the first that occurs counts. "y" comes after the others: next to "x" it may
#: be a coordinate.
LABELS = ("label", "target", "class", "y", FOLDER)
ORDERS = ("order", "frame", "time", "index", NUMBER_IN_NAME)
# Further names that labels often have.
_USUAL = ("outcome", "survived", "churn", "churned", "diagnosis", "species", "response", "default")
_YEARS = re.compile(r"(^|[\W_])(years?|jahr|année|año|anno)($|[\W_])", re.I)
# A column of classes has at most this number of values; rows in which they are counted.
_FEW_CLASSES, _LOOKED_AT = 20, 20_000
_HOW_TO_NAME = "Name the right one with --label (label=… in Python)"


def first_named(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """Return the column that has the first possible of the `wanted` names."""
    by_lower = {name.strip().lower(): name for name in reversed(list(names))}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def suggest(table: Table, apart: Collection[str] = ()) -> Preparation:
    """Suggest a preparation: label, order, no dates as features, and gaps filled in where dropping would cost rows.

    Parameters
    ----------
    apart : collection of str
        Columns that are neither label nor order.
    """
    kinds = {name: table.kind(name) for name in table.names if name not in apart}
    label = table.label
    if label is None or kinds.get(label) not in (NUMBER, CATEGORY):
        label, _ = _likely_label(table, apart)
    order = table.order if table.order in kinds else None
    order = order or first_named((name for name in kinds if kinds[name] in (NUMBER, DATE)), ORDERS)
    order = order or next((name for name in kinds if name != label and _gives_years(table, name)), None)
    if table.pictures is not None:
        # Folders that are classes are what the images are about; the numbers within them begin anew, or only count.
        if label is not None and order == NUMBER_IN_NAME:
            order = None
        return Preparation(label=label, order=order, scale="none")
    gaps = sum(table.n_missing(name) for name in kinds if kinds[name] in (NUMBER, CATEGORY) and name != label)
    is_usable = any(kinds[name] in (NUMBER, CATEGORY) for name in kinds if name not in (label, order))
    return Preparation(
        label=label,
        order=order,
        leave_out=tuple(name for name in kinds if kinds[name] == DATE and name != order) if is_usable else (),
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


def said_of_label(table: Table, label: str | None, is_guess: bool) -> str:
    """Say which column is the label and why, and how to name another.

    Parameters
    ----------
    is_guess : bool
        Whether it was suggested, and not looked at by a user.
    """
    if table.pictures is not None and label == FOLDER:
        return "The label of an image is its folder."
    if not is_guess:
        return "No column is used as the label." if label is None else f"The label is “{label}”."
    if label is not None and label == table.label:
        return f"The label is “{label}”, as the file says."
    guess, why = _likely_label(table)
    if label is None:
        why = why if guess is None and why else "no column is certain to be one"
        how = f" {_HOW_TO_NAME}." if len(table.names) > 1 else ""
        return f"No column was taken for the label: {why}.{how}"
    why = why if label == guess else "it is named like one"
    return f"“{label}” was taken for the label: {why}. {_HOW_TO_NAME}, or --no-label (label=False) for none."


def _likely_label(table: Table, apart: Collection[str] = ()) -> tuple[str | None, str]:
    """Return the one column that is certainly meant as the label, and why; or None, and why none is, if it can be said.

    A name says so if no other column has such a name, and the column is the first or the last, or has few values. The
    place alone says so of the only column of words, if it is the last, and of a file without names of columns.
    """
    usable = [name for name in table.names if table.kind(name) in (NUMBER, CATEGORY) and name not in apart]
    if not usable:
        return None, ""
    if len(usable) == 1 and table.pictures is None:
        return None, "there is no other column to predict it from"
    named = [name for name in usable if name.strip().lower() in LABELS + _USUAL and table.has_several(name)]
    certain = [name for name in named if not _is_coordinate(table, name)]
    if len(certain) > 1:
        return None, f"{_listed(certain)} are named like one"
    if certain:
        ends = [name for name in table.names if name.strip().lower() not in ORDERS]
        if certain[0] in (ends[0], ends[-1]) or _has_few_values(table, certain[0]):
            return certain[0], "it is named like one"
        return None, f"“{certain[0]}” is named like one, but has many values and is not the last column"
    last, others = table.names[-1], [table.kind(name) for name in table.names[:-1]]
    if last in usable and others and table.kind(last) == CATEGORY and _has_few_values(table, last):
        if all(name == f"column {place}" for place, name in enumerate(table.names, start=1)):
            return last, "the last column of a file without names holds few words"
        if set(others) == {NUMBER}:
            return last, "it is the last column, and the only one of words"
    return None, f"“{named[0]}” may be a coordinate" if named else ""


def _is_coordinate(table: Table, name: str) -> bool:
    """Return whether “y” may stand next to an “x”, unless these two are all, or it has few values."""
    names = {other.strip().lower() for other in table.names}
    is_second = name.strip().lower() == "y" and ("z" in names or ("x" in names and len(table.names) > 2))
    return is_second and not _has_few_values(table, name)


def _has_few_values(table: Table, name: str) -> bool:
    if name in table.described:
        n, n_known = table.described[name].n_distinct, table.n_rows - table.n_missing(name)
    else:
        values = table.quantity(name)[:: max(table.n_rows // _LOOKED_AT, 1)]
        known = values[np.isfinite(values)]
        n, n_known = len(np.unique(known)), len(known)
    return 2 <= n <= _FEW_CLASSES and n < n_known


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(f'“{name}”' for name in names[:-1])} and “{names[-1]}”"
