"""Columns of a file and a preparation → a :class:`Dataset`: the choice of rows, the labels, the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset, Origin
from rfviz.datasets.files.features import Features, gap_list
from rfviz.datasets.files.images import Pictures, common_shape
from rfviz.datasets.files.labels import Labels, encode
from rfviz.datasets.files.preparation import MOST_CLASSES, Preparation
from rfviz.datasets.files.table import CATEGORY, EMPTY, Table
from rfviz.datasets.subsample import subsample
from rfviz.datasets.wording import counted, drawn_note, one_line
from rfviz.errors import DataError
from rfviz.progress import Progress

__all__ = ["image_shape", "labels_of", "named_in", "prepare", "usable_rows", "used_columns", "without"]

_FEWEST_ROWS = 3
_SCALED = {"standardise": "columns standardised", "unit norm": "rows of unit norm"}


def prepare(
    table: Table,
    preparation: Preparation,
    name: str,
    source: str,
    notes: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Dataset:
    """Choose rows and columns, encode the labels and convert the columns; of images, decode those that are kept.

    Medians, words, means and deviations are those of all rows that can be used (of the training rows where the file
    has a split), whatever the number of rows that is kept. Rows keep their order; those with missing values go first,
    then those of other classes, then those in excess. Class codes do not depend on which rows are kept.

    Parameters
    ----------
    name, source : str
        Name of the data set, and where it comes from.
    notes : tuple of str
        Further statements, for :attr:`Dataset.provenance` and :attr:`Origin.notes`.

    Raises
    ------
    DataError
        If a column or class does not exist, values are missing and must not be, an image is damaged, or too few rows or
        columns are left.
    MemoryBudgetError
        If the result would not fit into the memory limit.
    """
    preparation = named_in(table, preparation)
    features = [] if table.pictures is not None else used_columns(table, preparation)
    rows, lost = usable_rows(table, preparation, features)
    labels = None if preparation.label is None else labels_of(table, preparation.label, preparation.target)
    codes = labels.y[rows] if labels is not None and labels.names else None
    keep = np.arange(rows.size)
    if preparation.only_class >= 0:
        keep = _of_class(codes, preparation.only_class)
    n_fit = rows.size if table.n_train is None else int(np.count_nonzero(rows < table.n_train))
    n_train = None if table.n_train is None else int(np.count_nonzero(keep < n_fit))
    kept_codes, n_usable = None if codes is None else codes[keep], keep.size
    keep = subsample(keep, preparation.max_samples, kept_codes, n_train, preparation.random_state)
    kept, made = rows[keep], None
    if table.pictures is None:
        made = Features(table, features, rows, n_fit, preparation)
        X, names, sources = made.matrix(table, kept), made.names, made.sources
        used = {*features, preparation.label, preparation.order, *preparation.leave_out}
        idle = [column for column in table.names if column not in used]
        unused = f"not used: {one_line(', '.join(idle), 80)}" if idle else ""
        equal = "all rows are equal in the columns used" if len(X) > 1 and (X[:1] == X).all() else ""
        said = [source, *notes, unused, lost, *made.notes, equal, _SCALED.get(preparation.scale, "")]
        shape = None
    else:
        height, width = common_shape(table.pictures, preparation)
        pixels = table.pictures.decode(kept, (height, width), _in_colour(table.pictures, preparation), progress)
        X = pixels.reshape(kept.size, -1).astype(np.float32)
        X /= np.float32(255)
        shape, names, sources = pixels.shape[1:], (), ()
        is_resized = bool((table.pictures.sizes != (height, width)).any())
        drawn = drawn_note(kept.size, n_usable, "images") if kept.size < n_usable else ""
        said = [source, *notes, lost, drawn, f"images resized to {height}×{width} pixels" if is_resized else ""]
    n_train = None if table.n_train is None else int(np.count_nonzero(kept < table.n_train))
    return Dataset(
        name=name,
        X=X,
        y=None if labels is None else labels.y[kept],
        target_names=() if labels is None else labels.names,
        order=None if preparation.order is None else _order(table, preparation.order)[kept],
        image_shape=shape,
        feature_names=names,
        # A split one side of which is empty is none.
        n_train=n_train if n_train and n_train < kept.size else None,
        provenance="; ".join(part.rstrip(".") for part in said if part) + ".",
        rows=kept,
        origin=Origin(table, preparation, sources, features=made, notes=notes),
        standardised=table.pictures is None and preparation.scale == "standardise",
    )


def without(dataset: Dataset, columns: Sequence[str]) -> Dataset:
    """Return the data set that a table gives without some more of its columns, prepared as before.

    Raises
    ------
    DataError
        If there is no such column, or too few are left; or the data set does not come from a table.
    """
    origin = dataset.origin
    if origin is None:
        raise DataError(f"The data set {dataset.name} does not come from a table, of which columns can be left out.")
    how = origin.preparation.replace({"leave_out": (*origin.preparation.leave_out, *columns)})
    made = prepare(origin.table, how, dataset.name, "", origin.notes)
    found = made.origin or origin
    of_rest = replace(origin, preparation=how, sources=found.sources, features=found.features)
    provenance = f"{dataset.provenance.rstrip('.')}; left out: {', '.join(columns)}."
    return replace(made, provenance=provenance, origin=of_rest)


def image_shape(table: Table, preparation: Preparation) -> tuple[int, ...] | None:
    """Return the shape of each image under a preparation, or None if there are no images."""
    if table.pictures is None:
        return None
    shape = common_shape(table.pictures, preparation)
    return (*shape, 3) if _in_colour(table.pictures, preparation) else shape


def _in_colour(pictures: Pictures, preparation: Preparation) -> bool:
    return pictures.in_colour if preparation.colour == "auto" else preparation.colour == "colour"


def named_in(table: Table, preparation: Preparation) -> Preparation:
    """Return a preparation with the names that the columns of a table have there; see :meth:`Table.find`.

    Raises
    ------
    DataError
        If there is no such column, or images are to be scaled.
    """
    if table.pictures is not None and preparation.scale != "none":
        raise DataError(
            f"Images are not scaled here (scale must be 'none', not {preparation.scale!r}), or they could not be shown "
            "any more. Use the pages' own normalisation."
        )
    parts = {"label": preparation.label, "order": preparation.order}
    found: dict[str, Any] = {part: None if name is None else table.find(name) for part, name in parts.items()}
    left_out = dict.fromkeys(name for given in preparation.leave_out for name in table.find_all(given))
    return preparation.replace({**found, "leave_out": tuple(left_out)})


def used_columns(table: Table, preparation: Preparation) -> list[str]:
    """Return the columns to compute with."""
    apart = {preparation.label, preparation.order, *preparation.leave_out}
    others = [name for name in table.names if name not in apart]
    kinds = {name: table.kind(name) for name in others if table.values(name) is not None}
    features = [name for name in kinds if kinds[name] != CATEGORY or preparation.categories == "one-hot"]
    if not features:
        words = {"text": "free text", "empty": "no value at all", "category": "categories"}
        found = sorted({words.get(table.kind(name), table.kind(name)) for name in others})
        left_out = f"left out are {one_line(', '.join(preparation.leave_out), 80)}" if preparation.leave_out else ""
        rest = f"the others hold {' or '.join(found)}" if found else left_out or "there are no others"
        raise DataError(
            f"No column of numbers is left next to the label and the order: {rest}. Leave out fewer columns, use "
            "categories as one column per word, or choose other data."
        )
    return features


def usable_rows(table: Table, preparation: Preparation, features: list[str]) -> tuple[np.ndarray, str]:
    """Return the rows that have all they need, and a statement on those that do not."""
    needed = {"label": preparation.label, "order": preparation.order}
    for part, name in needed.items():
        if name is not None and table.values(name) is None:
            held = "no value" if table.kind(name) == EMPTY else "free text"
            raise DataError(
                f"The column {name!r} holds {held} and cannot be the {part}. Choose another column, or none."
            )
    lacking = table.lacks(name for name in needed.values() if name is not None)
    if preparation.missing == "error":
        _refuse_missing(table, features, int(lacking.sum()))
    if preparation.missing == "drop rows":
        lacking |= table.lacks(features)
    rows = np.flatnonzero(~lacking)
    if rows.size < _FEWEST_ROWS:
        gaps = " because of missing values" if lacking.any() else ""
        remedy = "Choose data of more rows"
        if preparation.missing == "drop rows" and lacking.any():
            remedy = "Fill missing values in, or leave out the columns that lack most"
        raise DataError(
            f"{rows.size:,} of {table.n_rows:,} rows are left{gaps}, and at least {_FEWEST_ROWS} are needed. {remedy}."
        )
    if rows.size == table.n_rows:
        return rows, ""
    dropping = [*needed.values(), *(features if preparation.missing == "drop rows" else [])]
    gaps = {name: n for name in dropping if name is not None and (n := table.n_missing(name))}
    return rows, f"{counted(table.n_rows - rows.size, 'row')} with missing values left out: {gap_list(gaps)}"


def _refuse_missing(table: Table, features: list[str], n_unlabelled: int) -> None:
    if n_unlabelled:
        raise DataError(
            f"{n_unlabelled:,} of {table.n_rows:,} rows have no (finite) label or place in the order. "
            "Use missing='drop rows', or fill it in the file."
        )
    gaps = {name: n for name in features if (n := table.n_missing(name))}
    if gaps:
        shown = ", ".join(f"{one_line(name, 40)!r} ({n:,})" for name, n in list(gaps.items())[:4])
        more = f" and {len(gaps) - 4:,} more" if len(gaps) > 4 else ""
        raise DataError(
            f"{counted(sum(gaps.values()), 'missing or infinite value')} in {counted(len(gaps), 'column')}: "
            f"{shown}{more}. "
            "Use missing='drop rows' or missing='impute mean', or clean the file."
        )


def labels_of(table: Table, name: str, target: str) -> Labels:
    """Return the labels of all rows; zero where one is missing."""
    if name in table.words:
        if target == "numbers":
            raise DataError(f"The label {name!r} holds words, which are no quantity. Use it as classes.")
        column = table.words[name]
        codes = np.asarray(column.codes)
        known = codes >= 0
        used = np.unique(codes[known])
        words = encode(np.asarray(column.categories, dtype=str)[used], table.class_names)
        y = np.zeros(codes.size, dtype=np.int64)
        y[known] = words.y[np.searchsorted(used, codes[known])]
        return Labels(y, words.names)
    values = table.quantity(name)
    known = np.isfinite(values)
    numbers = values[known]
    is_whole = bool((numbers == np.rint(numbers)).all())
    if target == "classes" and not is_whole:
        raise DataError(
            f"The label {name!r} holds numbers that are not whole, which cannot be classes. "
            "Use it as a quantity, or choose another label."
        )
    found = Labels(numbers) if target == "numbers" or not is_whole else encode(numbers, table.class_names)
    if target == "auto" and len(found.names) > MOST_CLASSES:
        found = Labels(numbers)
    if not found.names and (np.abs(numbers) > np.finfo(np.float32).max).any():
        raise DataError(
            f"The label {name!r} has values beyond ±3.4e38, the range of 32-bit numbers. Rescale it (a logarithm, or "
            "another unit), or choose another label."
        )
    y = np.zeros(values.size, dtype=np.int64 if found.names else np.float64)
    y[known] = found.y
    return Labels(y, found.names)


def _order(table: Table, name: str) -> np.ndarray:
    if name in table.words:
        raise DataError(f"The column {name!r} holds words, which have no order. Choose a number or a date.")
    values = table.quantity(name)
    is_exact = values.dtype.kind in "iu" and values.dtype != np.uint64
    return values.astype(np.int64 if is_exact else np.float64)


def _of_class(codes: np.ndarray | None, only_class: int) -> np.ndarray:
    if codes is None:
        raise DataError("only_class needs class labels, and these data have none. Use only_class=-1.")
    keep = np.flatnonzero(codes == only_class)
    if keep.size == 0:
        raise DataError(
            f"There is no class {only_class}: the classes are 0 to {codes.max()}. Use one, or only_class=-1."
        )
    return keep
