"""Data sets: generated, bundled with scikit-learn, downloaded, or files in a folder.

>>> from rfviz import datasets
>>> circle = datasets.load("circle", n_samples=50)
>>> circle.X.shape
(50, 2)

Each built-in data set is a module with a ``SPEC``, listed here; files in the data folder
(:mod:`rfviz.datasets.files.folder`) are listed under ``folder:<stem>``.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from rfviz.datasets.base import Dataset, DatasetSpec
from rfviz.datasets.bundled import breast_cancer, digits, photo_patches, turning_head
from rfviz.datasets.downloads import activity, adult, cifar10, kddcup99, mnist, olivetti, umist
from rfviz.datasets.files import folder as _folder
from rfviz.datasets.files.folder import set_folder
from rfviz.datasets.in_memory import from_arrays, from_frame
from rfviz.datasets.memory import memory_limit, set_memory_limit
from rfviz.datasets.synthetic import binary_toy, categorical_toy, circle, circles, moons, sphere, spirals, xor
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = [
    "DEFAULT",
    "DEFAULT_COLOUR_IMAGES",
    "DEFAULT_IMAGES",
    "Dataset",
    "DatasetSpec",
    "files_of_downloads",
    "from_arrays",
    "from_frame",
    "load",
    "memory_limit",
    "names",
    "set_folder",
    "set_memory_limit",
    "spec",
    "specs",
]

DEFAULT = "circle"
DEFAULT_IMAGES = "turning_head"
DEFAULT_COLOUR_IMAGES = "photo_patches"

# In the order of a menu: what needs no network first.
_BUILT_IN = {
    m.SPEC.name: m.SPEC
    for m in (
        circle, sphere, turning_head, digits, breast_cancer, photo_patches, moons, circles, spirals, xor,
        categorical_toy, binary_toy, olivetti, umist, mnist, cifar10, adult, kddcup99, activity,
    )
}  # fmt: skip


def names() -> list[str]:
    """Return the keys of all data sets, the built-in ones first."""
    return [*_BUILT_IN, *_folder.files()]


def specs() -> dict[str, DatasetSpec]:
    """Return all entries by key, in the order of :func:`names`; of files only headers are read."""
    return _BUILT_IN | _folder.specs()


def spec(name: str) -> DatasetSpec:
    """Return the entry of one data set.

    Raises
    ------
    DataError
        If there is none of that name; it lists similar names and all known ones.
    """
    found = _BUILT_IN.get(name) or _folder.specs().get(name)
    if found is None:
        raise DataError(_unknown(name))
    return found


def files_of_downloads() -> frozenset[str]:
    """Return the entries of the data folder that a data set of the list is read from, instead of a download."""
    if _folder.folder() is None:
        return frozenset()
    found = (module.in_folder() for module in (mnist, cifar10, adult, kddcup99, activity))
    return frozenset(_folder.PREFIX + path.stem for path in found if path is not None)


def load(name: str, progress: Progress | None = None, **params: Any) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    progress : callable, optional
        ``progress(fraction, text)``, called now and then from the calling thread; `fraction` is None where the total is
        unknown. To stop waiting for a download, let it raise.
    **params
        Values for ``spec(name).params``; what is not given takes its default.

    Returns
    -------
    Dataset
        ``X`` is float32, C-contiguous and finite.

    Raises
    ------
    DataError
        If there is no such data set, or it cannot be read or downloaded.
    ParameterError
        If a parameter is unknown or breaks its rule.
    MemoryBudgetError
        If it would not fit into :func:`memory_limit`.
    """
    entry = spec(name)
    if "problem" in entry.extra:
        raise DataError(entry.extra["problem"])
    values = validate(entry.params, params)
    try:
        return entry.load(progress=progress, **values)
    except MemoryBudgetError:
        raise
    except MemoryError:
        raise MemoryBudgetError(f"{entry.title} does not fit into the computer's memory. Ask for fewer rows.") from None


def _unknown(name: object) -> str:
    known = names()
    text = str(name)
    # A file's stem is near enough to its key.
    near = [k for k in known if k.lower() in (text.lower(), _folder.PREFIX + text.lower())]
    near = (
        near or get_close_matches(text, known, n=3) or get_close_matches(_folder.PREFIX + text, known, n=3, cutoff=0.75)
    )
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    where = ""
    if text.startswith(_folder.PREFIX):
        here = _folder.folder()
        where = f" The data folder is {here}." if here else " No data folder is set (RFVIZ_DATA or set_folder)."
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f"There is no data set {shown!r}.{hint}{where} Known: {', '.join(known)}."
