"""The data folder: every ``.npz``, ``.csv`` and ``.parquet`` file in it is a data set.

The folder is the one given to :func:`set_folder`, else the environment variable ``RFVIZ_DATA``; sub-folders are not
searched. A file ``<stem>.npz`` is the data set ``folder:<stem>``, so that it never hides a built-in one; where two
files have one stem, the later in the order npz, parquet, csv keeps its suffix (``folder:<stem>.csv``).

In an ``.npz`` file, the arrays are

``X``, or ``X_train`` and ``X_test``
    Numbers of shape (samples, features), or uint8 images of shape (samples, height, width[, 3]), which are flattened
    and divided by 255. Training rows come first.
``y``, or ``y_train`` and ``y_test``
    Labels: text, booleans and whole numbers are classes, other numbers regression targets.
``frame`` or ``order``
    The place of each sample in a sequence.
``is_train``
    Booleans that mark the training rows of ``X``, which are then put first.

Others are ignored. In a table, the label is the column ``label``, ``target``, ``class`` or ``y``, the order ``order``,
``frame``, ``time`` or ``index`` (whatever the case). Where others hold words or dates, the table is prepared as
:mod:`rfviz.datasets.upload` proposes: words become columns of zeros and ones, dates are left out, gaps filled in or
their rows dropped, columns standardised; the provenance says so. Such a file may have at most
:data:`~rfviz.datasets.upload.MAX_BYTES`.

``<stem>.meta.json`` may give ``source``, ``licence``, ``classes`` and ``feature_names``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from rfviz.datasets import _npz, _table
from rfviz.datasets._limits import size_text
from rfviz.datasets._meta import Meta, read_meta
from rfviz.datasets._raw import MISSING, ONLY_CLASS, RANDOM_STATE, Raw, finish, max_samples_param
from rfviz.datasets._text import counted
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.errors import DataError
from rfviz.params import Param, validate

__all__ = ["PREFIX", "files", "first", "folder", "set_folder", "specs"]

PREFIX = "folder:"
_VARIABLE = "RFVIZ_DATA"
_SUFFIXES = (".npz", ".parquet", ".csv")

_chosen: Path | None = None
_seen: dict[Path, tuple[tuple[int, int, str], DatasetSpec]] = {}


def folder() -> Path | None:
    """The data folder, whether it exists or not; None if none is set."""
    if _chosen is not None:
        return _chosen
    from_environment = os.environ.get(_VARIABLE, "").strip()
    return Path(from_environment).expanduser() if from_environment else None


def set_folder(path: str | os.PathLike | None) -> None:
    """Use `path` as the data folder; None goes back to ``RFVIZ_DATA``.

    Raises
    ------
    DataError
        If `path` is not a folder.
    """
    global _chosen
    if path is None:
        _chosen = None
        return
    path = Path(path).expanduser()
    if not path.is_dir():
        raise DataError(f"The data folder {path} does not exist or is not a folder.")
    _chosen = path.resolve()


def files() -> dict[str, Path]:
    """The data files by key, sorted; none where there is no folder or it cannot be read."""
    here = folder()
    try:
        found = [e for e in os.scandir(here) if not e.name.startswith(".") and e.is_file()] if here else []
    except OSError:
        return {}
    # A name with control characters could not be shown, nor asked for.
    paths = [Path(e.path) for e in found if e.name.isprintable() and Path(e.name).suffix.lower() in _SUFFIXES]
    keyed: dict[str, Path] = {}
    for path in sorted(paths, key=lambda p: (p.stem.lower(), _SUFFIXES.index(p.suffix.lower()), p.name)):
        key = PREFIX + path.stem
        keyed[PREFIX + path.name if key in keyed else key] = path
    return keyed


def first(stems: tuple[str, ...], accept: Callable[[_npz.Layout], bool]) -> Path | None:
    """The first ``.npz`` file whose name begins with one of `stems` and whose layout is accepted; None if none is."""
    for path in files().values():
        if path.stem.lower().startswith(stems) and path.suffix.lower() == ".npz":
            try:
                if accept(_npz.layout(path)):
                    return path
            except DataError:  # listed by itself, where it says what is wrong with it
                continue
    return None


def specs() -> dict[str, DatasetSpec]:
    """What the data folder offers, by key; reads no more than headers, and those once per version of a file.

    A file that cannot be used is listed too: its summary says why, and loading it raises that.
    """
    found = {}
    for key, path in files().items():
        try:
            status = path.stat()
        except OSError:
            continue
        stamp = (status.st_mtime_ns, status.st_size, key)
        if _seen.get(path, (None,))[0] != stamp:
            _seen[path] = (stamp, _examine(key, path, status.st_size, f"{status.st_mtime_ns}-{status.st_size}"))
        found[key] = _seen[path][1]
    return found


def _examine(key: str, path: Path, size: int, stamp: str) -> DatasetSpec:
    name = key.removeprefix(PREFIX)
    extra = {"path": str(path), "stamp": stamp}
    try:
        params, facts, shape = _offer(path)
    except DataError as error:
        params, facts, shape = (), f"Cannot be used: {error}", {"problem": str(error)}
    return DatasetSpec(
        name=key,
        title=f"{name} (data folder)",
        load=partial(_load, path, name, params),
        params=params,
        source="folder",
        summary=f"{facts} {path.name}, {size_text(size)}." if "problem" not in shape else facts,
        extra=extra | shape,
    )


def _offer(path: Path) -> tuple[tuple[Param, ...], str, dict]:
    """The parameters that make sense for this file, what it holds in words, and its shape."""
    if path.suffix.lower() == ".npz":
        plan = _npz.layout(path)
        n, d, sequence, can_miss = plan.n_samples, plan.n_features, plan.is_sequence, plan.can_miss
        image_shape = plan.image_shape
    else:
        columns = _table.inspect(path)
        n, d, can_miss, image_shape = columns.n_samples, columns.n_features, True, None
        sequence = columns.label is not None and columns.order is not None
    params = [ONLY_CLASS] if sequence else []
    # To choose among a handful of rows is no choice.
    if n is None or n > 20:
        params += [max_samples_param(n), RANDOM_STATE]
    if can_miss:
        params.append(MISSING)
    what = f"images of {'×'.join(map(str, image_shape))} pixels" if image_shape else f"rows of {counted(d, 'column')}"
    facts = f"{n:,} {what}." if n is not None else f"{what.capitalize()}."
    return tuple(params), facts, {"n_samples": n, "n_features": d, "image_shape": image_shape}


def _load(path: Path, name: str, params: tuple[Param, ...], progress: Progress | None = None, **given) -> Dataset:
    """Load one file of the folder; see :func:`rfviz.datasets.load`."""
    values = validate(params, given)
    if progress is not None:
        progress(None, f"reading {path.name}…")
    meta = read_meta(path)
    raw = _npz.read(path) if path.suffix.lower() == ".npz" else _read_table(path)
    raw = _with_names(raw, meta)
    try:
        return finish(raw, name, _provenance(path, meta, raw.notes), **values)
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None


def _read_table(path: Path) -> Raw:
    """Numbers as they are; words and dates as “Your own data…” in the laboratory proposes to prepare them."""
    from rfviz.datasets import upload  # which itself reads tables of the folder's kind

    try:
        return _table.read(path)
    except _table.WordsError:
        if path.stat().st_size > upload.MAX_BYTES:
            raise
    taken = upload.take(path.name, path.read_bytes(), "prepared as “Your own data…” proposes")
    try:
        dataset = taken.prepare(taken.suggestion.replace({"max_samples": 1_000_000}))
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    y = np.array(dataset.target_names)[dataset.y] if dataset.target_names else dataset.y
    return Raw(dataset.X, y, order=dataset.order, feature_names=dataset.feature_names,
               notes=(dataset.provenance.rstrip("."),))  # fmt: skip


def _with_names(raw: Raw, meta: Meta) -> Raw:
    return replace(raw, class_names=meta.class_names, feature_names=raw.feature_names or meta.feature_names)


def _provenance(path: Path, meta: Meta, notes: tuple[str, ...]) -> str:
    parts = [f"File {path.name} of the data folder"]
    parts += [f"from {meta.source}"] if meta.source else []
    parts += [f"licence: {meta.licence}"] if meta.licence else []
    parts += [meta.note] if meta.note else []
    return "; ".join([*parts, *notes]) + "."
