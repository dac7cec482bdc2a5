"""Reading ``.npz`` files of unknown origin: headers first, never a pickle, every defect one sentence."""

from __future__ import annotations

import io
import math
import zipfile
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.arrays import Arrays
from rfviz.datasets.files.content import File, open_archive
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

__all__ = ["Layout", "npz_layout", "read_npz", "read_npz_with_codes"]

_ORDER = ("frame", "order")
# Numbers that stand for white in images that are not kept as bytes.
_WHITE = (1, 16, 255)
_USED = ("X", "X_train", "X_test", "y", "y_train", "y_test", *_ORDER, "is_train")
# Other usual names of these arrays, in small letters; the last are those that numpy.savez gives to arrays without one.
_OTHER_NAMES = {
    "X": ("x", "data", "features", "images", "arr_0"),
    "y": ("y", "target", "targets", "label", "labels", "arr_1"),
    "X_train": ("x_train", "train_x", "train_data", "train_images"),
    "y_train": ("y_train", "train_y", "train_labels"),
    "X_test": ("x_test", "test_x", "test_data", "test_images"),
    "y_test": ("y_test", "test_y", "test_labels"),
}
# Far above numpy's own limit for a header, far below what could exhaust memory: a header may announce 4 GB.
_HEADER_BYTES = 65_536


@dataclass(frozen=True)
class Member:
    """One array of the file by its header: shape, type, and size in bytes once expanded."""

    shape: tuple[int, ...]
    dtype: np.dtype
    n_bytes: int


@dataclass(frozen=True)
class Layout:
    """The arrays of a file that are used, from headers only.

    Attributes
    ----------
    members : dict of str to Member
        The arrays that are used.
    X : tuple of str
        ``("X",)``, or the training part and the test part.
    y : tuple of str
        Likewise for the labels; empty if there are none.
    order, is_train : str or None
        Name of the array that gives the order; of the one that marks training rows.
    n_samples, n_features : int
        Shape of the data, images flattened.
    image_shape : tuple of int or None
        Height and width, and 3 for colour.
    ignored : tuple of str
        Names of the other arrays.
    stored : dict of str to str
        The names of the arrays in the file, by those of :attr:`members`.
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
    stored: dict[str, str] = field(default_factory=dict)

    @property
    def can_miss(self) -> bool:
        """Return whether any value can be missing: only floats can, but no pixel."""
        used = (*(() if self.image_shape else self.X), *self.y, *filter(None, [self.order]))
        return any(self.members[name].dtype.kind == "f" for name in used)

    @property
    def is_sequence(self) -> bool:
        """Return whether the rows have an order within classes."""
        return self.order is not None and bool(self.y) and self.members[self.y[0]].dtype.kind in "iubUS"


def _opened(file: File) -> AbstractContextManager[zipfile.ZipFile]:
    return open_archive(file, "an .npz file", "Copy it again, or write it with numpy.savez_compressed")


def npz_layout(file: File) -> Layout:
    """Examine the headers of a file, reading no array.

    Raises
    ------
    DataError
        If the file is damaged, or its arrays are not those of a data set.
    """
    with _opened(file) as archive:
        names = list(dict.fromkeys(n.removesuffix(".npy") for n in archive.namelist()))
        stored = _stored(names)
        members = {name: _header(file, archive, inner) for name, inner in stored.items()}
        others = tuple(name for name in names if name not in stored.values())
        return replace(_arrange(file.name, members, others), stored=stored)


def _stored(names: list[str]) -> dict[str, str]:
    """Return the names in a file of the arrays that may be used, by the names that they have here."""
    found = {name: name for name in names if name in _USED}
    if any(name.startswith("X") for name in found) or {"indices", "indptr"} <= set(names):
        return found
    small = {name.lower(): name for name in reversed(names)}
    others = {name: next((small[o] for o in usual if o in small), "") for name, usual in _OTHER_NAMES.items()}
    # Parts for training and for a test go before an array of all.
    out = ("X", "y") if others["X_train"] else ("X_train", "y_train", "X_test", "y_test")
    found |= {name: inner for name, inner in others.items() if inner and name not in (*found, *out)}
    return found if any(name.startswith("X") for name in found) or len(names) != 1 else {"X": names[0]}


def read_npz(file: File) -> Arrays:
    """Read the arrays of a file.

    Raises
    ------
    DataError
        As :func:`npz_layout`, or if an array is cut short or altered.
    MemoryBudgetError
        If the expanded arrays do not fit into the memory limit.
    """
    layout = npz_layout(file)
    copies = 2 if len(layout.X) > 1 or layout.is_train else 1
    total = copies * sum(m.n_bytes for m in layout.members.values())
    # Values that can be missing are looked for with a mask of one byte each.
    total += layout.n_samples * layout.n_features * layout.can_miss
    memory.check(total, f"{file.name}, expanded,", "Save fewer rows or columns, or a smaller type such as uint8")
    with _opened(file) as archive:
        arrays = {name: _array(archive, layout.stored[name]) for name in layout.members}
    renamed = [
        f"{inner} as {name}" for name, inner in layout.stored.items() if inner != name and name in layout.members
    ]
    notes = [f"read: {one_line(', '.join(renamed), 80)}"] if renamed else []
    notes += ["its categorical codes (C) are left out"] if "C" in layout.ignored else []
    if layout.image_shape and any(arrays[name].dtype != np.uint8 for name in layout.X):
        white = _white(file, [arrays[name] for name in layout.X])
        arrays |= {name: _shades(arrays[name], white) for name in layout.X}
        notes.append(f"pixels from 0 to {white} are kept as 256 shades")
    if others := [name for name in layout.ignored if name != "C"]:
        shown = ", ".join(one_line(name, 30) for name in others[:4])
        notes.append(f"not used: {shown}{' and others' if len(others) > 4 else ''}")
    found = Arrays(
        X=_joined(arrays, layout.X).reshape(layout.n_samples, layout.n_features),
        y=_joined(arrays, layout.y).ravel() if layout.y else None,
        order=arrays[layout.order].ravel() if layout.order else None,
        n_train=layout.members[layout.X[0]].shape[0] if len(layout.X) > 1 else None,
        image_shape=layout.image_shape,
        notes=tuple(notes),
    )
    if layout.is_train is None:
        return found
    is_train = arrays[layout.is_train].ravel()
    rows = np.argsort(~is_train, kind="stable")
    return replace(
        found,
        X=found.X[rows],
        y=None if found.y is None else found.y[rows],
        order=None if found.order is None else found.order[rows],
        n_train=int(is_train.sum()),
    )


def read_npz_with_codes(file: File) -> Arrays:
    """Read the arrays of a file and its categorical columns ``C``, whole numbers or text, if it has some.

    Raises
    ------
    DataError
        As :func:`read_npz`, or if the columns are of another type or shape.
    """
    found = read_npz(file)
    n_samples = len(found.X)
    with _opened(file) as archive:
        if not {"C", "C.npy"} & set(archive.namelist()):
            return found
        member = _header(file, archive, "C")
        if member.dtype.kind not in "iuUS" or len(member.shape) != 2 or member.shape[0] != n_samples:
            raise DataError(
                f"{file.name}: its array C has the type {member.dtype} and the shape {member.shape}; it must hold "
                f"whole numbers or text, one row for each of the {n_samples:,} samples."
            )
        memory.check(2 * member.n_bytes, f"C of {file.name}, expanded,", "Save fewer rows or columns")
        return replace(found, codes=_array(archive, "C"))


def _white(file: File, images: list[np.ndarray]) -> int:
    """Return the number that stands for white: the smallest usual one that no pixel exceeds."""
    low, high = (float(end([end(part) for part in images])) for end in (np.min, np.max))
    if not 0.0 <= low <= high <= _WHITE[-1]:
        raise DataError(
            f"{file.name}: the pixels of its images lie between {low:.4g} and {high:.4g}, and must lie between 0 and "
            "1, 16 or 255, none of them missing. Scale them, or flatten what is no image."
        )
    return next(white for white in _WHITE if high <= white)


def _shades(images: np.ndarray, white: int) -> np.ndarray:
    found = np.empty(images.shape, dtype=np.uint8)
    for place, image in enumerate(images):  # all at once, they would take twice the memory
        found[place] = np.rint(image.astype(np.float64) * (255.0 / white))
    return found


def _header(file: File, archive: zipfile.ZipFile, name: str) -> Member:
    info = archive.getinfo(f"{name}.npy") if f"{name}.npy" in archive.NameToInfo else archive.getinfo(name)
    with archive.open(info) as stream:
        start = io.BytesIO(stream.read(_HEADER_BYTES))
    version = np.lib.format.read_magic(start)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    wrong = f"{file.name} cannot be used: its array {name}"
    if version not in readers:
        raise DataError(
            f"{wrong} has the unknown format version {version[0]}.{version[1]}. Write it with numpy.savez_compressed."
        )
    shape, _, dtype = readers[version](start)
    if dtype.hasobject:
        raise DataError(
            f"{wrong} holds Python objects, which only pickle could read and pickle can run any code. "
            "Save it as numbers or as fixed-length text (.astype(str))."
        )
    if dtype.kind not in "biufUS":
        raise DataError(f"{wrong} has the type {one_line(dtype, 60)}. Save real numbers, booleans or text.")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or info.file_size != start.tell() + size:
        raise DataError(
            f"{wrong} is cut short or altered: the header announces {memory.size_text(size)} "
            f"and {memory.size_text(info.file_size - start.tell())} follow. Save or copy the file again."
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
        raise DataError(
            f"{file} is empty: its data have {n_samples} rows and {n_features} columns. Save at least one of each."
        )
    y = ("y",) if "y" in members else tuple(n.replace("X", "y") for n in X if n != "X")
    y = y if any(name in members for name in y) else ()
    order = next((name for name in _ORDER if name in members), None)
    is_train = "is_train" if "is_train" in members and len(X) == 1 else None
    rows = {"y": n_samples, "y_train": members[X[0]].shape[0], "y_test": members[X[-1]].shape[0]}
    for name in (*y, *filter(None, (order, is_train))):
        _check_column(file, members, name, rows.get(name, n_samples))
    for name in filter(None, (order, is_train)):
        allowed, kind = ("b", "booleans") if name == is_train else ("iuf", "numbers")
        if members[name].dtype.kind not in allowed:
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
                "or images (samples, height, width) or (samples, height, width, 3)."
            )
        is_image = len(member.shape) == 3 or (len(member.shape) == 4 and member.shape[3] in (1, 3))
        if len(member.shape) > 2 and not is_image:
            raise DataError(
                f"{file}: {name} has the shape {member.shape}. More than two axes must be images, (samples, height, "
                "width) or (samples, height, width, 3); flatten anything else."
            )
        if member.shape[1:] != members[X[0]].shape[1:]:
            raise DataError(
                f"{file}: {X[0]} has the shape {members[X[0]].shape} and {name} {member.shape}. "
                "They must agree in all axes but the first."
            )
        if len(member.shape) > 2 and member.dtype != members[X[0]].dtype:
            raise DataError(
                f"{file}: {X[0]} holds images of the type {members[X[0]].dtype}, and {name} of {member.dtype}. Save "
                "both as the same type, best as uint8."
            )
    shape = members[X[0]].shape[1:]
    if len(shape) == 1:
        return None
    return shape[:2] if shape[2:] == (1,) else shape


def _check_column(file: str, members: dict[str, Member], name: str, n_rows: int) -> None:
    if name not in members:
        raise DataError(f"{file} has labels for one of its two parts only: {name} is missing. Add it to the file.")
    shape = members[name].shape
    if shape not in ((n_rows,), (n_rows, 1)):
        raise DataError(
            f"{file}: {name} has the shape {shape}, but the data have {n_rows:,} rows; it must be ({n_rows},)."
        )


def _no_data(file: str, name: str, found: tuple[str, ...]) -> str:
    shown = ", ".join(one_line(n, 30) for n in found[:8]) + (", …" if len(found) > 8 else "") or "nothing"
    if "rfviz_profile" in found:
        return f"{file} is a profile of a table, without its rows. Give the table as the data, and this to --compare."
    if {"indices", "indptr"} <= set(found):
        return f"{file} is a SciPy sparse matrix. Save the dense array: np.savez_compressed(path, X=matrix.toarray())."
    if name != "X" and "X_test" in found:
        return f"{file} has X_test but no X_train (it holds {shown}). Add it to the file."
    return f"{file} has no array X (it holds {shown}). Save it as np.savez_compressed(path, X=X, y=y)."


def _joined(arrays: dict[str, np.ndarray], names: tuple[str, ...]) -> np.ndarray:
    return arrays[names[0]] if len(names) == 1 else np.concatenate([arrays[n] for n in names])
