"""UMIST faces: 20 people turning from profile to frontal view, which Maxout-PCA orders by pose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain
from rfviz.datasets.downloads.pixels import as_bytes, smoothest
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.parameters import ONLY_CLASS
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

_N, _HEIGHT, _WIDTH = 575, 112, 92
PARAMS = (replace(ONLY_CLASS, high=19, label="Only person", help="The one person to keep, from 0; -1 keeps all."),)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load 575 faces of 112×92 pixels, those of one person in the order of the pose.

    The order is that of the file. The sequences of a few people restart part-way.

    Returns
    -------
    Dataset
        ``X`` of shape (575, 10304), pixels in [0, 1]; ``y`` the person; ``order`` the place of the image among those of
        its person, from 0.
    """
    values = validate(PARAMS, params)
    source = "UMIST (Sheffield) face database (Graham and Allinson, 1998), from OpenML (UMIST_Faces_Cropped, id 41084)"
    return obtain(_DOWNLOAD, progress).dataset("umist", f"{source}; for research, with citation.", **values)


def upright(flat: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return images from rows of pixels that may be stored line by line or column by column.

    MATLAB writes columns first and most others lines first, and a table of 10304 columns does not say which.

    Parameters
    ----------
    flat : ndarray of shape (n_images, height * width)
        Pixels.
    height, width : int
        Size of the upright image.

    Returns
    -------
    ndarray of shape (n_images, height, width)
    """
    by_line = flat.reshape(-1, height, width)
    by_column = flat.reshape(-1, width, height).transpose(0, 2, 1)
    return smoothest((by_line, by_column))


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    memory.check(_N * _HEIGHT * _WIDTH * 40, "Unpacking UMIST", "Put umist.npz in the data folder instead")
    bunch = bunch_of(
        datasets.fetch_openml, "UMIST_Faces_Cropped", version=1, data_home=str(home), as_frame=False, **NETWORK
    )
    X, person = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != (_N, _HEIGHT * _WIDTH) or person.shape != (_N,):
        raise DataError(f"OpenML returned UMIST faces with the shapes {X.shape} and {person.shape}, not 575 of 112×92.")
    person = person if person.dtype.kind in "iuf" else person.astype(str)
    place = np.zeros(_N, dtype=np.int16)
    for one in np.unique(person):
        place[person == one] = np.arange(np.count_nonzero(person == one))
    return npz_bytes(X=upright(as_bytes(X, "UMIST faces"), _HEIGHT, _WIDTH), y=person, frame=place)


_DOWNLOAD = Download("umist.npz", "UMIST faces", "OpenML", "5 to 20 MB", _fetch, read_npz)
