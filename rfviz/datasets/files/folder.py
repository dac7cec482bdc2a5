"""The data folder: every file of arrays or a table in it is a data set, known by its ending (:data:`SUFFIXES`).

:mod:`rfviz.datasets.data_folder` says which folder it is. A sub-folder of several Parquet files, or of ``X.npy`` and
``y.npy``, is one table (:mod:`rfviz.datasets.files.parts`), which may be larger than memory; others are not searched. A
file ``<stem>.npz`` is the data set ``folder:<stem>``, so that it never hides a built-in one; where two files have one
stem, the later in that order keeps its suffix (``folder:<stem>.csv``).

In an ``.npz`` file, the arrays are

``X``, or ``X_train`` and ``X_test``
    Numbers of shape (samples, features), or images of shape (samples, height, width[, 3]), which are flattened
    and divided by 255. Training rows come first.
``y``, or ``y_train`` and ``y_test``
    Labels: text, booleans and whole numbers are classes, other numbers regression targets.
``frame`` or ``order``
    The place of each sample in a sequence.
``is_train``
    Booleans that mark the training rows of ``X``, which are then put first.

Others are ignored. Without any of ``X``, other usual names stand for these (``data`` and ``target``, ``x_train`` and
``y_train``, ``arr_0`` and ``arr_1``), and so does a single array. In a table, the label is the column ``label``,
``target``, ``class`` or ``y``, the order ``order``, ``frame``, ``time`` or ``index`` (in any case).

Files are read as uploads are (:mod:`rfviz.datasets.files.upload`). One that holds numbers alone, next to the label,
keeps them as they are, and missing values are refused unless the parameter ``missing`` says what to do. One with words
or dates among its columns is prepared as “Your own data…” in the laboratory suggests: words become columns of zeros and
ones, dates are left out, gaps filled in or their rows dropped, columns standardised; the provenance says so. Such a
file may have at most :data:`~rfviz.datasets.files.content.MAX_BYTES`.

``<stem>.meta.json`` may give ``source``, ``licence``, ``classes``, ``feature_names``, and in ``preparation`` values of
:class:`~rfviz.datasets.files.preparation.Preparation`, such as ``{"label": "species", "scale": "standardise"}``; for a
database or a workbook ``table``, the name of the table or sheet.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rfviz.datasets.base import Dataset, DatasetSpec
from rfviz.datasets.data_folder import FOLDER, data_folder
from rfviz.datasets.files.content import MAX_BYTES, File
from rfviz.datasets.files.formats import FORMATS, format_of
from rfviz.datasets.files.meta import Meta, read_meta
from rfviz.datasets.files.npz import Layout, npz_layout
from rfviz.datasets.files.parts import facts_of, is_folder_of_parts, parts_of, sample_size, statuses
from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.suggest import LABELS, ORDERS, as_they_are, first_named
from rfviz.datasets.files.upload import Upload, header_of, read_path
from rfviz.datasets.memory import size_text
from rfviz.datasets.parameters import MISSING, ONLY_CLASS, RANDOM_STATE, max_samples_param
from rfviz.datasets.wording import counted
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.params import Param, validate
from rfviz.progress import Progress, silent

__all__ = ["SUFFIXES", "files", "first", "specs"]

#: Endings of the names of its files.
SUFFIXES = (".npz", ".parquet", ".csv", ".feather", ".arrow", ".xlsx", ".sqlite", ".db")

# What headers say, by file, with a stamp of the version that was read.
_examined: dict[Path, tuple[tuple[int, int, str], DatasetSpec]] = {}


def files() -> dict[str, Path]:
    """Return the data files by key, sorted; none if there is no folder or it cannot be read."""
    here = data_folder()
    try:
        found = [Path(e.path) for e in os.scandir(here) if not e.name.startswith(".")] if here else []
    except OSError:
        return {}
    # A name with control characters could be neither shown nor asked for.
    found = [path for path in found if path.name.isprintable()]
    paths = [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]
    ranks = {path: SUFFIXES.index(path.suffix.lower()) for path in paths}
    ranks |= {path: len(SUFFIXES) for path in found if path.is_dir() and is_folder_of_parts(path)}
    keyed: dict[str, Path] = {}
    for path in sorted(ranks, key=lambda p: (p.stem.lower(), ranks[p], p.name)):
        key = FOLDER + path.stem
        keyed[FOLDER + path.name if key in keyed else key] = path
    return keyed


def first(stems: tuple[str, ...], accept: Callable[[Layout], bool]) -> Path | None:
    """Return the first ``.npz`` file whose name begins with one of `stems` and whose layout is accepted, if any is."""
    for path in files().values():
        if path.stem.lower().startswith(stems) and path.suffix.lower() == ".npz":
            try:
                status = path.stat()
                if accept(_layout(path, status.st_mtime_ns, status.st_size)):
                    return path
            except (DataError, OSError):  # its own entry in the list says what is wrong with it
                continue
    return None


@functools.lru_cache(maxsize=64)
def _layout(path: Path, modified_ns: int, size: int) -> Layout:
    """Return what a version of a file holds; every page asks for it whenever it is drawn."""
    return npz_layout(File.at(path))


def specs() -> dict[str, DatasetSpec]:
    """Return the entries of the data folder by key, from headers that are read once per version of a file.

    A file that cannot be used is listed too: its summary says why, and loading it raises that.
    """
    found = {}
    for key, path in files().items():
        try:
            status = path.stat()
        except OSError:
            continue
        stamp = (*_version(path, status), key)
        if path not in _examined or _examined[path][0] != stamp:
            _examined[path] = (stamp, _entry(key, path, status))
        found[key] = _examined[path][1]
    return found


def _version(path: Path, status: os.stat_result) -> tuple[int, int]:
    """Return time and size of a file, or of the newest in a folder and of all in it."""
    if not path.is_dir():
        return status.st_mtime_ns, status.st_size
    inside = statuses(path)
    return max((one.st_mtime_ns for one in inside), default=0), sum(one.st_size for one in inside)


def _entry(key: str, path: Path, status: os.stat_result) -> DatasetSpec:
    modified, size = _version(path, status)
    extra: dict[str, Any] = {"path": str(path), "stamp": f"{modified}-{size}"}
    params: tuple[Param, ...] = ()
    try:
        params, summary, shape = _examine(path)
        extra |= shape
        summary += f" {path.name}, {size_text(size)}."
    except (DataError, MemoryBudgetError) as error:
        summary = f"Cannot be used: {error}"
        extra["problem"] = str(error)
    name = key.removeprefix(FOLDER)
    return DatasetSpec(
        name=key,
        title=f"{name} (data folder)",
        load=partial(_load, path, name, params),
        params=params,
        source="folder",
        summary=summary,
        extra=extra,
    )


def _examine(path: Path) -> tuple[tuple[Param, ...], str, dict[str, Any]]:
    """Return the parameters that make sense for a file, a sentence on its content, and its shape."""
    if (parts := parts_of(path)) is not None:
        n, d = parts.n_rows, len(parts.columns)
        params = (max_samples_param(sample_size(n, d)), RANDOM_STATE, MISSING)
        return params, facts_of(parts), {"n_samples": n, "n_features": d, "image_shape": None}
    file = File.at(path)
    image_shape, can_miss = None, True
    if format_of(file) is FORMATS["npz"]:
        layout = npz_layout(file)
        n, d, is_sequence, can_miss = layout.n_samples, layout.n_features, layout.is_sequence, layout.can_miss
        image_shape = layout.image_shape
    else:
        meta = read_meta(path)
        names, n = header_of(file, meta.table)
        label = meta.preparation.get("label", first_named(names, LABELS))
        order = meta.preparation.get("order", first_named(names, ORDERS))
        d = len(names) - (label is not None) - (order is not None)
        is_sequence = label is not None and order is not None
    params = [ONLY_CLASS] if is_sequence else []
    # Among a handful of rows there is nothing to choose.
    if n is None or n > 20:
        params += [max_samples_param(n), RANDOM_STATE]
    if can_miss:
        params.append(MISSING)
    what = f"images of {'×'.join(map(str, image_shape))} pixels" if image_shape else f"rows of {counted(d, 'column')}"
    summary = f"{n:,} {what}." if n is not None else f"{what.capitalize()}."
    return tuple(params), summary, {"n_samples": n, "n_features": d, "image_shape": image_shape}


def _load(path: Path, name: str, params: tuple[Param, ...], progress: Progress | None = None, **given: Any) -> Dataset:
    """Load one file of the folder; see :func:`rfviz.datasets.load`."""
    values = validate(params, given)
    if progress is not None:
        progress(None, f"reading {path.name}…")
    meta = read_meta(path)
    origin = [
        f"from {meta.source}" if meta.source else "",
        f"licence: {meta.licence}" if meta.licence else "",
        meta.note,
    ]
    what = "Folder" if path.is_dir() else "File"
    source = "; ".join([f"{what} {path.name} of the data folder", *filter(None, origin)])
    upload = read_path(path, source, meta, progress or silent)
    if values.get("missing") == "error":
        del values["missing"]  # which leaves it to the preparation
    try:
        dataset = upload.prepare(_preparation(upload, meta).replace(values))
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    # A file larger than an upload may be is not held in memory next to the rows that are used.
    is_held = upload.n_bytes <= MAX_BYTES or upload.table.whole is not None
    guessed = frozenset({"label", "order"} - meta.preparation.keys() - values.keys())
    origin = replace(dataset.origin, guessed=guessed) if is_held and dataset.origin is not None else None
    return replace(dataset, name=name, origin=origin)


def _preparation(upload: Upload, meta: Meta) -> Preparation:
    """Return the preparation of a file without a look at it: numbers stay as they are, words take the suggestion."""
    table, suggestion = upload.table, upload.suggestion
    plain = as_they_are(table)
    numeric = [table.is_numeric(name) for name in table.names if name not in (plain.label, plain.order)]
    if table.pictures is None and not all(numeric):
        plain = suggestion.replace({"target": plain.target, "label": plain.label})
    return plain.replace(meta.preparation)
