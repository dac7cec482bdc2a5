"""Labels as files hold them → class codes 0…k−1 with names, or regression targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.errors import DataError

__all__ = ["MAX_CLASSES", "Labels", "encode"]

#: Whole numbers with more distinct values are quantities (prices, years), not classes.
MAX_CLASSES = 1000


@dataclass(frozen=True, eq=False)
class Labels:
    """Encoded labels.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        int64 codes, or float64 targets where `names` is empty.
    names : tuple of str
        Name of each code.
    """

    y: np.ndarray
    names: tuple[str, ...] = ()


def encode(raw: np.ndarray, class_names: tuple[str, ...] = ()) -> Labels:
    """Return codes of text, booleans and whole numbers; other numbers become regression targets.

    Parameters
    ----------
    raw : ndarray of shape (n_samples,)
        Text, booleans or finite real numbers.
    class_names : tuple of str
        Names by whole-number label; used if every label has one.

    Returns
    -------
    Labels
        The codes follow the order of the labels: by value where they are all whole numbers (even if written as text),
        else alphabetically. Whole numbers with more than 1000 distinct values become regression targets.

    Raises
    ------
    DataError
        If text has more than 1000 distinct values: such a column identifies rows, it does not label them.
    """
    if raw.dtype.kind == "S":
        raw = np.char.decode(raw, "utf-8", "replace")
    # Beyond 2**53 every float is whole, which says nothing.
    if raw.dtype.kind == "f" and not np.all((raw == np.rint(raw)) & (np.abs(raw) < 2**53)):
        return Labels(raw.astype(np.float64))
    found, codes = np.unique(raw, return_inverse=True)
    if found.size > MAX_CLASSES:
        if raw.dtype.kind == "U":
            raise DataError(
                f"The labels are text with {found.size:,} distinct values, and at most {MAX_CLASSES:,} classes are "
                "possible. Use another label column."
            )
        return Labels(raw.astype(np.float64))
    values = _whole_numbers(found)
    if values is None:
        return Labels(codes.astype(np.int64), tuple(str(v) for v in found))
    rank = np.argsort(values, kind="stable")
    place = np.empty_like(rank)
    place[rank] = np.arange(rank.size)
    return Labels(place[codes].astype(np.int64), _names(found[rank], values[rank], class_names))


def _whole_numbers(found: np.ndarray) -> np.ndarray | None:
    """Return the labels as numbers if all are whole, also those in text ("10" comes after "9"); else None."""
    if found.dtype.kind != "U":
        return found
    # Fifteen digits always fit a float exactly; isdecimal() rejects what int() accepts, such as "1_000".
    if not all(len(v) <= 15 and v.removeprefix("-").isdecimal() for v in found):
        return None
    return np.array([int(v) for v in found])


def _names(found: np.ndarray, values: np.ndarray, class_names: tuple[str, ...]) -> tuple[str, ...]:
    if found.dtype.kind != "b" and values.size and values[0] >= 0 and values[-1] < len(class_names):
        return tuple(class_names[int(v)] for v in values)
    if found.dtype.kind == "f":
        return tuple(str(int(v)) for v in found)
    return tuple(str(v) for v in found)
