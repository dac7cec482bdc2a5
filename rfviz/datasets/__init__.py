"""Data sets: generated, bundled with scikit-learn, downloaded, or files in a folder.

>>> from rfviz import datasets
>>> circle = datasets.load("circle", n_samples=50)
>>> circle.X.shape
(50, 2)

Each built-in data set is a module with a function ``load`` and, where something can be chosen, ``PARAMS``. Listed here,
it is imported when it is first used. Files in the data folder
(:mod:`rfviz.datasets.files.folder`) are listed under ``folder:<stem>``.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfviz._lazy import import_when_asked
from rfviz.datasets.base import Dataset, DatasetSpec
from rfviz.datasets.data_folder import FOLDER, data_folder, set_folder
from rfviz.datasets.memory import memory_limit, set_memory_limit
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.params import Param, validate
from rfviz.progress import Progress

if TYPE_CHECKING:
    from rfviz.datasets.in_memory import from_arrays, from_frame

__all__ = [
    "DEFAULT",
    "DEFAULT_COLOUR_IMAGES",
    "DEFAULT_IMAGES",
    "Dataset",
    "DatasetSpec",
    "file_of_download",
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

_SOURCES = {"synthetic": "generated", "bundled": "bundled", "downloads": "download"}


class _ParamsOf(Sequence[Param]):
    """The parameters of a built-in data set, whose module is imported when they are first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    @property
    def _params(self) -> tuple[Param, ...]:
        return getattr(importlib.import_module(self._module), "PARAMS", ())

    def __getitem__(self, place: Any) -> Any:
        return self._params[place]

    def __len__(self) -> int:
        return len(self._params)


def _load_of(module: str, progress: Progress | None = None, **params: Any) -> Dataset:
    return importlib.import_module(module).load(progress, **params)


def _built_in(package: str, name: str, title: str, summary: str, **facts: bool) -> DatasetSpec:
    module = f"{__name__}.{package}.{name}"
    params, source = _ParamsOf(module), _SOURCES[package]
    return DatasetSpec(name, title, partial(_load_of, module), params, source, summary, extra={}, **facts)


# In the order of a menu: what needs no network first.
_BUILT_IN = {
    entry.name: entry
    for entry in (
        _built_in(
            "synthetic", "circle", "Circle", "Points on the unit circle in the plane.", planar=True, labelled=False
        ),
        _built_in(
            "synthetic",
            "sphere",
            "Sphere",
            "Points uniform on the unit sphere in 2 to 1,000 dimensions.",
            labelled=False,
        ),
        _built_in(
            "bundled",
            "turning_head",
            "Turning head",
            "33 images, 10,304 pixels: one head turns from profile to frontal, so the data are a curve.",
            labelled=False,
            images=True,
        ),
        _built_in(
            "bundled", "digits", "Digits 8×8", "1,797 handwritten digits of 8×8 pixels, 10 classes.", images=True
        ),
        _built_in(
            "bundled",
            "digits_0_to_8",
            "Digits 0 to 8",
            "1,617 handwritten digits of 8×8 pixels, 9 classes; the first half is to learn from.",
            images=True,
        ),
        _built_in(
            "bundled",
            "breast_cancer",
            "Breast cancer",
            "569 tumours by 30 measurements, standardised; malignant or benign.",
        ),
        _built_in(
            "bundled",
            "photo_patches",
            "Photo patches",
            "884 colour images of 24×24 pixels, cut from two photographs.",
            images=True,
        ),
        _built_in(
            "synthetic", "moons", "Moons", "Two half moons in the plane: two classes separated by a curve.", planar=True
        ),
        _built_in(
            "synthetic", "circles", "Rings", "Two to five concentric rings in the plane, one per class.", planar=True
        ),
        _built_in(
            "synthetic", "spirals", "Spirals", "Two to five spiral arms in the plane, one per class.", planar=True
        ),
        _built_in(
            "synthetic",
            "xor",
            "XOR (chequerboard)",
            "A chequerboard in the plane: its label is the exclusive or of two signs.",
            planar=True,
        ),
        _built_in(
            "synthetic",
            "formula",
            "Formula (y > f(x))",
            "A square in the plane, cut by the curve of a formula that you write.",
            planar=True,
        ),
        _built_in(
            "synthetic",
            "categorical_toy",
            "Categories (toy)",
            "Rows of categories 0 to k − 1 whose label depends on which columns agree.",
        ),
        _built_in(
            "synthetic",
            "binary_toy",
            "Signs (toy)",
            "Rows of −1 and 1 whose label is the product of a few columns: a parity.",
        ),
        _built_in(
            "synthetic",
            "power_law",
            "Power law (waves)",
            "Waves whose power falls with a chosen slope, and so do the kernel’s eigenvalues: a number to predict.",
            numbers=True,
        ),
        _built_in(
            "downloads",
            "olivetti",
            "Olivetti faces",
            "400 faces of 40 people, 64×64 pixels (download, a few MB).",
            images=True,
        ),
        _built_in(
            "downloads",
            "umist",
            "UMIST faces",
            "575 faces of 20 people from profile to frontal, 112×92 pixels, in order (download, 5 to 20 MB).",
            images=True,
        ),
        _built_in(
            "downloads",
            "mnist",
            "MNIST",
            "70,000 handwritten digits of 28×28 pixels, 10 classes, with a test set (download, about 15 MB).",
            images=True,
        ),
        _built_in(
            "downloads",
            "cifar10",
            "CIFAR-10",
            "Colour photographs of ten kinds of things, 32×32 or 24×24 pixels (data folder, or a download of 20,000).",
            images=True,
        ),
        _built_in(
            "downloads",
            "adult",
            "Adult (census income)",
            "48,842 people: who earns over 50,000 dollars? Words as zeros and ones (data folder, or download).",
        ),
        _built_in(
            "downloads",
            "kddcup99",
            "KDD Cup 1999",
            "Network connections, normal or an attack: 38 numbers and 3 words each (data folder, or download).",
        ),
        _built_in(
            "downloads",
            "activity",
            "Human activity",
            "Six activities by features of a telephone’s accelerometer (data folder: WISDM; or a download: HAR).",
        ),
    )
}


def names() -> list[str]:
    """Return the keys of all data sets, the built-in ones first."""
    if data_folder() is None:
        return [*_BUILT_IN]
    from rfviz.datasets.files import folder  # with the readers of all kinds of files

    return [*_BUILT_IN, *folder.files()]


def specs() -> dict[str, DatasetSpec]:
    """Return all entries by key, the built-in ones first; of files only headers are read."""
    if data_folder() is None:
        return dict(_BUILT_IN)
    from rfviz.datasets.files import folder

    return _BUILT_IN | folder.specs()


def spec(name: str) -> DatasetSpec:
    """Return the entry of one data set.

    Raises
    ------
    DataError
        If there is none of that name; it lists similar names and all known ones.
    """
    found = _BUILT_IN.get(name) or specs().get(name)
    if found is None:
        raise DataError(_unknown(name))
    return found


def file_of_download(name: str) -> Path | None:
    """Return the file of the data folder that a data set of the list is read from, instead of a download, if any."""
    return None if data_folder() is None else importlib.import_module(f"{__name__}.downloads.{name}").in_folder()


def files_of_downloads() -> frozenset[str]:
    """Return the entries of the data folder that data sets of the list are read from, instead of a download."""
    found = map(file_of_download, ("mnist", "cifar10", "adult", "kddcup99", "activity"))
    return frozenset(FOLDER + path.stem for path in found if path is not None)


def load(name: str, progress: Progress | None = None, **params: Any) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    progress : callable, optional
        ``progress(fraction, text)``, called now and then from the calling thread; `fraction` is None if the total is
        unknown. To stop waiting for a download, let it raise.
    **params
        Values for ``spec(name).params``; all others take their defaults.

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
    near = [k for k in known if k.lower() in (text.lower(), FOLDER + text.lower())]
    near = near or get_close_matches(text, known, n=3) or get_close_matches(FOLDER + text, known, n=3, cutoff=0.75)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    where = ""
    if text.startswith(FOLDER):
        here = data_folder()
        where = f" The data folder is {here}." if here else " No data folder is set (RFVIZ_DATA or set_folder)."
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f"There is no data set {shown!r}.{hint}{where} Known: {', '.join(known)}."


import_when_asked(__name__)
