"""Reading ``.npz`` files that a stranger may have written: headers first, never a pickle, every defect one sentence."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._content import Content, opened
from rfviz.datasets._raw import Raw
from rfviz.datasets._text import one_line, reason
from rfviz.errors import DataError, MemoryBudgetError

__all__ = ["Layout", "layout", "read", "read_codes"]

_ORDER = ("frame", "order")
_USED = ("X", "X_train", "X_test", "y", "y_train", "y_test", *_ORDER, "is_train")
# Far above numpy's own limit for a header, far below what could exhaust memory: a header may claim 4 GB.
_HEADER_BYTES = 65_536


@dataclass(frozen=True)
class Member:
    """One array of the file by its header: shape, type, and size in bytes once expanded."""

    shape: tuple[int, ...]
    dtype: np.dtype
    n_bytes: int


@dataclass(frozen=True)
class Layout:
    """Which arrays of a file are used and what comes of them; from headers only.

    Attributes
    ----------
    members : dict of str to Member
        The arrays that are used.
    X : tuple of str
        ``("X",)``, or the training part and the test part.
    y : tuple of str
        Likewise for the labels; empty where there are none.
    order, is_train : str or None
        Name of the array that gives the order; of the one that marks training rows.
    n_samples, n_features : int
        Shape of the data, images flattened.
    image_shape : tuple of int or None
        Height and width, and 3 for colour.
    ignored : tuple of str
        Names of the other arrays.
    """

    members: dict[str, Member]
    X: tuple[str, ...]
    y: tuple[str, ...]
    order: str | None
    is_train: str | None
    n_samples: int
    n_features: int
    image_shape: tuple[int, ...] | None
    ignored: tuple[str, ...]

    @property
    def can_miss(self) -> bool:
        """Whether any value can be missing: only floats can."""
        used = (*self.X, *self.y, *filter(None, [self.order]))
        return any(self.members[name].dtype.kind == "f" for name in used)

    @property
    def is_sequence(self) -> bool:
        """Whether the rows have an order within classes."""
        return self.order is not None and bool(self.y) and self.members[self.y[0]].dtype.kind in "iubUS"


def layout(path: Path | Content) -> Layout:
    """Examine the headers of `path`, or of a file in memory, reading no array.

    Raises
    ------
    DataError
        If the file is damaged, or its arrays are not those of a data set: what is wrong and what to do.
    """
    with _worded(path), zipfile.ZipFile(opened(path)) as archive:
        names = [n.removesuffix(".npy") for n in archive.namelist()]
        members = {name: _header(archive, name) for name in dict.fromkeys(names) if name in _USED}
    return _arrange(path.name, members, tuple(n for n in dict.fromkeys(names) if n not in _USED))


def read(path: Path | Content) -> Raw:
    """Read the arrays of `path`, or of a file in memory.

    Raises
    ------
    DataError
        As :func:`layout`, or if an array is cut short or altered.
    MemoryBudgetError
        If the expanded arrays do not fit into the memory limit.
    """
    plan = layout(path)
    copies = 2 if len(plan.X) > 1 or plan.is_train else 1
    total = copies * sum(m.n_bytes for m in plan.members.values())
    # Values that can be missing are looked for with a mask of one byte each.
    total += plan.n_samples * plan.n_features * plan.can_miss
    _limits.check(total, f"{path.name}, expanded,", "Save fewer rows or columns, or a smaller type such as uint8")
    with _worded(path), zipfile.ZipFile(opened(path)) as archive:
        arrays = {name: _array(archive, name) for name in plan.members}
    X = _joined(arrays, plan.X).reshape(plan.n_samples, plan.n_features)
    raw = Raw(
        X=X,
        y=_joined(arrays, plan.y).ravel() if plan.y else None,
        order=arrays[plan.order].ravel() if plan.order else None,
        n_train=plan.members[plan.X[0]].shape[0] if len(plan.X) > 1 else None,
        image_shape=plan.image_shape,
        notes=_notes(plan),
    )
    return _train_first(raw, arrays[plan.is_train].ravel()) if plan.is_train else raw


def read_codes(path: Path) -> np.ndarray | None:
    """The categorical columns ``C`` of `path`, whole numbers or text of shape (n_samples, n_columns); None without.

    Raises
    ------
    DataError
        If they are of another type or shape, or the file is damaged.
    """
    n_samples = layout(path).n_samples
    with _worded(path), zipfile.ZipFile(path) as archive:
        if not {"C", "C.npy"} & set(archive.namelist()):
            return None
        member = _header(archive, "C")
        if member.dtype.kind not in "iuUS" or len(member.shape) != 2 or member.shape[0] != n_samples:
            raise DataError(
                f"its array C has the type {member.dtype} and the shape {member.shape}; it must hold whole numbers or "
                f"text, one row for each of the {n_samples:,} samples"
            )
        _limits.check(2 * member.n_bytes, f"C of {path.name}, expanded,", "Save fewer rows or columns")
        return _array(archive, "C")


def _notes(plan: Layout) -> tuple[str, ...]:
    others = [name for name in plan.ignored if name != "C"]
    notes = ["its categorical codes (C) are left out"] if "C" in plan.ignored else []
    if others:
        shown = ", ".join(one_line(name, 30) for name in others[:4])
        notes.append(f"not used: {shown}{' and others' if len(others) > 4 else ''}")
    return tuple(notes)


def _header(archive: zipfile.ZipFile, name: str) -> Member:
    info = archive.getinfo(f"{name}.npy") if f"{name}.npy" in archive.NameToInfo else archive.getinfo(name)
    with archive.open(info) as stream:
        start = io.BytesIO(stream.read(_HEADER_BYTES))
    version = np.lib.format.read_magic(start)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise DataError(f"its array {name} has the unknown format version {version[0]}.{version[1]}")
    shape, _, dtype = readers[version](start)
    if dtype.hasobject:
        raise DataError(
            f"its array {name} holds Python objects, which only pickle could read and pickle can run any code. "
            "Save it as numbers or as fixed-length text (.astype(str))"
        )
    if dtype.kind not in "biufUS":
        raise DataError(f"its array {name} has the type {one_line(dtype, 60)}. Save real numbers, booleans or text")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or info.file_size != start.tell() + size:
        raise DataError(
            f"its array {name} is cut short or altered: the header announces {_limits.size_text(size)} "
            f"and {_limits.size_text(info.file_size - start.tell())} follow. Save or copy the file again"
        )
    return Member(tuple(shape), dtype, size)


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    with archive.open(f"{name}.npy" if f"{name}.npy" in archive.NameToInfo else name) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _arrange(file: str, members: dict[str, Member], ignored: tuple[str, ...]) -> Layout:
    X = ("X",) if "X" in members else ("X_train", "X_test") if "X_test" in members else ("X_train",)
    for name in X:
        if name not in members:
            raise DataError(_no_data(file, name, (*members, *ignored)))
    image_shape = _image_shape(file, members, X)
    n_samples = sum(members[name].shape[0] for name in X)
    n_features = math.prod(members[X[0]].shape[1:])
    if n_samples == 0 or n_features == 0:
        raise DataError(f"{file} is empty: its data have {n_samples} rows and {n_features} columns.")
    y = ("y",) if "y" in members else tuple(n.replace("X", "y") for n in X if n != "X")
    y = y if any(name in members for name in y) else ()
    order = next((name for name in _ORDER if name in members), None)
    is_train = "is_train" if "is_train" in members and len(X) == 1 else None
    rows = {"y": n_samples, "y_train": members[X[0]].shape[0], "y_test": members[X[-1]].shape[0]}
    for name in (*y, *filter(None, (order, is_train))):
        _check_column(file, members, name, rows.get(name, n_samples))
    for name in filter(None, (order, is_train)):
        allowed = "b" if name == is_train else "iuf"
        if members[name].dtype.kind not in allowed:
            kind = "booleans" if allowed == "b" else "numbers"
            raise DataError(f"{file}: {name} has the type {members[name].dtype}. It must hold {kind}; or rename it.")
    used = {name: members[name] for name in (*X, *y, *filter(None, (order, is_train)))}
    ignored += tuple(name for name in members if name not in used)
    return Layout(used, X, y, order, is_train, n_samples, n_features, image_shape, ignored)


def _image_shape(file: str, members: dict[str, Member], X: tuple[str, ...]) -> tuple[int, ...] | None:
    for name in X:
        member = members[name]
        if member.dtype.kind not in "biuf":
            raise DataError(f"{file}: {name} holds text ({member.dtype}). Encode it as numbers.")
        if len(member.shape) < 2:
            raise DataError(
                f"{file}: {name} has the shape {member.shape}. It must have one row per sample: (samples, features), "
                "or uint8 images (samples, height, width) or (samples, height, width, 3)."
            )
        is_image = len(member.shape) == 3 or (len(member.shape) == 4 and member.shape[3] in (1, 3))
        if len(member.shape) > 2 and not (is_image and member.dtype == np.uint8):
            raise DataError(
                f"{file}: {name} has the shape {member.shape} and the type {member.dtype}. More than two axes must be "
                "uint8 images (samples, height, width) or (samples, height, width, 3); flatten anything else."
            )
        if member.shape[1:] != members[X[0]].shape[1:]:
            raise DataError(
                f"{file}: {X[0]} has the shape {members[X[0]].shape} and {name} {member.shape}. "
                "They must agree in all axes but the first."
            )
    shape = members[X[0]].shape[1:]
    if len(shape) == 1:
        return None
    return shape[:2] if shape[2:] == (1,) else shape


def _check_column(file: str, members: dict[str, Member], name: str, n_rows: int) -> None:
    if name not in members:
        raise DataError(f"{file} has labels for one of its two parts only: {name} is missing.")
    shape = members[name].shape
    if shape not in ((n_rows,), (n_rows, 1)):
        raise DataError(
            f"{file}: {name} has the shape {shape}, but the data have {n_rows:,} rows; it must be ({n_rows},)."
        )


def _no_data(file: str, name: str, found: tuple[str, ...]) -> str:
    shown = ", ".join(one_line(n, 30) for n in found[:8]) + (", …" if len(found) > 8 else "") or "nothing"
    if {"indices", "indptr"} <= set(found):
        return f"{file} is a SciPy sparse matrix. Save the dense array: np.savez_compressed(path, X=matrix.toarray())."
    if name != "X" and "X_test" in found:
        return f"{file} has X_test but no X_train (it holds {shown})."
    return f"{file} has no array X (it holds {shown}). Save it as np.savez_compressed(path, X=X, y=y)."


def _joined(arrays: dict[str, np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    return arrays[names[0]] if len(names) == 1 else np.concatenate([arrays[n] for n in names])


def _train_first(raw: Raw, is_train: np.ndarray) -> Raw:
    rows = np.argsort(~is_train, kind="stable")
    return replace(
        raw,
        X=raw.X[rows],
        y=None if raw.y is None else raw.y[rows],
        order=None if raw.order is None else raw.order[rows],
        n_train=int(is_train.sum()),
    )


@contextmanager
def _worded(path: Path | Content) -> Iterator[None]:
    """Turn whatever a damaged file provokes into one sentence."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{path.name} cannot be used: {error}.") from None
    except MemoryError:
        raise MemoryBudgetError(f"{path.name} does not fit into the computer's memory. Save fewer rows.") from None
    except FileNotFoundError:
        raise DataError(f"{path.name} is not in {path.parent} any more.") from None
    except (zipfile.BadZipFile, EOFError) as error:
        raise DataError(
            f"{path.name} is damaged, or not an .npz file ({reason(error)}). "
            "Copy it again, or write it with numpy.savez_compressed."
        ) from None
    except OSError as error:
        raise DataError(f"{path.name} could not be read: {error.strerror or reason(error)}.") from None
    # Decompressors and header parsers fail in many ways on altered bytes (zlib.error, LZMAError, struct.error, ...),
    # and zipfile adds NotImplementedError and RuntimeError for methods and encryption that it lacks.
    except Exception as error:
        raise DataError(
            f"{path.name} is damaged or in a form that cannot be read ({reason(error)}). "
            "Write it with numpy.savez_compressed."
        ) from None
