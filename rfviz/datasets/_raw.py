"""From arrays as a file holds them to a :class:`Dataset`: missing values, labels, choice of rows, conversion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._labels import Labels, encode
from rfviz.datasets._subsample import subsample
from rfviz.datasets._text import one_line
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError
from rfviz.params import Param

__all__ = ["MISSING", "ONLY_CLASS", "RANDOM_STATE", "Raw", "finish", "max_samples_param"]

MISSING = Param(
    "missing",
    "error",
    "choice",
    choices=("error", "drop rows", "impute mean"),
    label="Missing values",
    help="What to do about missing or infinite values: stop and say where they are, leave out the rows that have them, "
    "or fill in the mean of the column (over the training rows where there is a split).",
)
ONLY_CLASS = Param(
    "only_class",
    -1,
    "int",
    -1,
    999,
    label="Only class",
    help="The code of the one class (person, object) whose sequence to keep, from 0; -1 keeps all.",
)
RANDOM_STATE = Param(
    "random_state",
    0,
    "int",
    0,
    2**31 - 1,
    ui_high=100,
    label="Data seed",
    help="Another seed picks other rows when there are more than max_samples.",
)


def max_samples_param(n_samples: int | None, default: int = 2000) -> Param:
    """The number of rows to keep, its slider ending at `n_samples` where that is known."""
    most = 1_000_000 if n_samples is None else min(max(n_samples, 2), 1_000_000)
    return Param(
        "max_samples",
        min(default, most),
        "int",
        2,
        1_000_000,
        log=True,
        ui_low=min(10, most),
        ui_high=most,
        symbol="n",
        label="Rows at most",
        help="Rows to keep, drawn at random but with every class in its proportion. A larger sample holds the smaller.",
    )


@dataclass(frozen=True, eq=False)
class Raw:
    """The content of a file, checked for shape and type but not for values.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Real numbers of any type; images flattened.
    y : ndarray of shape (n_samples,), optional
        Labels as found: text, booleans, numbers.
    y_missing : ndarray of bool, shape (n_samples,), optional
        Where text labels are missing (numbers say so themselves).
    order : ndarray of shape (n_samples,), optional
        Real numbers.
    n_train : int, optional
        Rows before it are for training.
    image_shape : tuple of int, optional
        Given for uint8 images, whose pixels are divided by 255.
    feature_names, class_names : tuple of str
        As in :class:`Dataset`; class names by whole-number label.
    notes : tuple of str
        What was left out, in words.
    """

    X: np.ndarray
    y: np.ndarray | None = None
    y_missing: np.ndarray | None = None
    order: np.ndarray | None = None
    n_train: int | None = None
    image_shape: tuple[int, ...] | None = None
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def finish(
    raw: Raw,
    name: str,
    provenance: str,
    *,
    missing: str = "error",
    only_class: int = -1,
    max_samples: int | None = None,
    random_state: int = 0,
) -> Dataset:
    """Choose rows of `raw`, encode its labels and convert it.

    The parameters are those that :data:`MISSING`, :data:`ONLY_CLASS`, :func:`max_samples_param` and
    :data:`RANDOM_STATE` declare. Rows keep their order; rows with missing values go first, then those of other classes,
    then those in excess.

    Returns
    -------
    Dataset
        ``X`` float32, C-contiguous and finite.

    Raises
    ------
    DataError
        If values are missing and `missing` does not say what to do, no row is left, a class does not exist, or a value
        is beyond the range of float32.
    MemoryBudgetError
        If the rows would not fit into the memory limit.
    """
    rows, means = _handle_missing(raw, missing)
    labels = _encode(raw)
    codes = None if labels is None or not labels.names else labels.y[rows]
    keep = np.arange(rows.size)
    if only_class >= 0:
        keep = _of_class(codes, only_class)
    n_train = None if raw.n_train is None else int(np.count_nonzero(rows[keep] < raw.n_train))
    keep = subsample(keep, max_samples, None if codes is None else codes[keep], n_train, random_state)
    rows = rows[keep]
    # The chosen rows once as they are, once as float32, and the mask of what is finite.
    needed = rows.size * raw.X.shape[1] * (raw.X.dtype.itemsize + 5)
    _limits.check(needed, f"{name} ({rows.size:,} rows)", "Lower max_samples")
    return _assemble(raw, name, provenance, rows, means, labels)


def _assemble(
    raw: Raw, name: str, provenance: str, rows: np.ndarray, means: dict[int, float], labels: Labels | None
) -> Dataset:
    n_train = None if raw.n_train is None else int(np.count_nonzero(rows < raw.n_train))
    order = None if raw.order is None else raw.order[rows]
    return Dataset(
        name=name,
        X=_convert(raw, rows, means),
        y=None if labels is None else labels.y[rows],
        target_names=() if labels is None else labels.names,
        order=None if order is None else order.astype(np.float64 if order.dtype.kind == "f" else np.int64),
        image_shape=raw.image_shape,
        feature_names=raw.feature_names if len(raw.feature_names) == raw.X.shape[1] else (),
        # A split one side of which is empty is none.
        n_train=n_train if n_train and n_train < rows.size else None,
        provenance=provenance,
    )


def _encode(raw: Raw) -> Labels | None:
    """The labels of all rows, so that codes do not depend on which are dropped; zero where one is missing."""
    if raw.y is None:
        return None
    known = ~_missing_labels(raw)
    labels = encode(raw.y[known], raw.class_names)
    y = np.zeros(known.size, dtype=labels.y.dtype)
    y[known] = labels.y
    return Labels(y, labels.names)


def _convert(raw: Raw, rows: np.ndarray, means: dict[int, float]) -> np.ndarray:
    part = raw.X if rows.size == raw.X.shape[0] else raw.X[rows]
    with np.errstate(over="ignore"):
        X = np.array(part, dtype=np.float32, order="C")
        for column, mean in means.items():
            values = X[:, column]
            values[~np.isfinite(part[:, column])] = mean
    if raw.image_shape is not None:
        X /= np.float32(255)
    if not np.isfinite(X).all():
        columns = np.flatnonzero(~np.isfinite(X).all(axis=0))
        raise DataError(
            f"Values beyond ±3.4e38, the range of 32-bit numbers, in {_column_list(raw, columns)}. "
            "Rescale these columns (a logarithm, or another unit) or leave them out."
        )
    return X


def _handle_missing(raw: Raw, missing: str) -> tuple[np.ndarray, dict[int, float]]:
    """The rows to keep, and by column the mean that replaces what is not finite."""
    rows = np.arange(raw.X.shape[0])
    unlabelled = _incomplete_rows(raw)
    if missing == "drop rows":
        bad = unlabelled
        if raw.X.dtype.kind == "f":
            bad = bad | ~np.isfinite(raw.X).all(axis=1)
        if bad.all():
            raise DataError("Every row has a missing or infinite value, so none is left. Use missing='impute mean'.")
        return rows[~bad], {}
    if unlabelled.any():
        raise DataError(
            f"{unlabelled.sum():,} of {rows.size:,} rows have no (finite) label or place in the order. "
            "Use missing='drop rows', or fill it in the file."
        )
    counts = np.zeros(0, int) if raw.X.dtype.kind != "f" else raw.X.shape[0] - np.isfinite(raw.X).sum(axis=0)
    if not counts.any():
        return rows, {}
    if missing == "error":
        columns = np.flatnonzero(counts)
        raise DataError(
            f"{counts.sum():,} missing or infinite values in {_column_list(raw, columns, counts)}. "
            "Use missing='drop rows' or missing='impute mean', or clean the file."
        )
    return rows, {int(c): _mean(raw, int(c)) for c in np.flatnonzero(counts)}


def _missing_labels(raw: Raw) -> np.ndarray:
    bad = np.zeros(raw.X.shape[0], dtype=bool) if raw.y_missing is None else raw.y_missing
    return bad | ~np.isfinite(raw.y) if raw.y is not None and raw.y.dtype.kind == "f" else bad


def _incomplete_rows(raw: Raw) -> np.ndarray:
    bad = _missing_labels(raw)
    return bad | ~np.isfinite(raw.order) if raw.order is not None and raw.order.dtype.kind == "f" else bad


def _mean(raw: Raw, column: int) -> float:
    # Only of training rows: a mean that has seen the test rows would leak them.
    values = raw.X[: raw.n_train, column]
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        raise DataError(
            f"There is no finite value to take the mean of in {_column_list(raw, [column])}. "
            "Leave the column out of the file."
        )
    return float(finite.mean(dtype=np.float64))


def _of_class(codes: np.ndarray | None, only_class: int) -> np.ndarray:
    if codes is None:
        raise DataError("only_class needs class labels, and these data have none. Use only_class=-1.")
    keep = np.flatnonzero(codes == only_class)
    if keep.size == 0:
        raise DataError(
            f"There is no class {only_class}: the classes are 0 to {codes.max()}. Use one, or only_class=-1."
        )
    return keep


def _column_list(raw: Raw, columns, counts=None) -> str:
    """``columns 3 (12), 7 (1) and 5 more``: the first few, by name where they have one."""
    named = len(raw.feature_names) == raw.X.shape[1]
    shown = [repr(one_line(raw.feature_names[c], 40)) if named else str(c) for c in columns[:4]]
    if counts is not None:
        shown = [f"{s} ({counts[c]:,})" for s, c in zip(shown, columns[:4], strict=True)]
    more = f" and {len(columns) - 4:,} more" if len(columns) > 4 else ""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(shown)}{more}"
