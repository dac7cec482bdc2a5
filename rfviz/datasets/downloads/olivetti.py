"""Olivetti faces: 40 people, ten photographs each."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["load"]


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load 400 faces of 64×64 pixels.

    Returns
    -------
    Dataset
        ``X`` of shape (400, 4096), pixels in [0, 1]; ``y`` the person, 0 to 39.
    """
    validate((), params)
    source = "Olivetti faces (AT&T Laboratories Cambridge, 1992–1994), from scikit-learn."
    return replace(obtain(_DOWNLOAD, progress).dataset("olivetti", source), image_shape=(64, 64))


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    # Scikit-learn caches these faces as a pickle. In a folder of their own they are always downloaded and compared with
    # their checksum, and that pickle is written but never read.
    with tempfile.TemporaryDirectory(dir=home) as apart:
        bunch = bunch_of(datasets.fetch_olivetti_faces, data_home=apart, **NETWORK)
    X, y = np.asarray(bunch.data, dtype=np.float32), np.asarray(bunch.target)
    if X.shape != (400, 4096) or y.shape != (400,):
        raise DataError(f"Scikit-learn returned Olivetti faces with the shapes {X.shape} and {y.shape}.")
    return npz_bytes(X=X, y=y.astype(np.uint8))


_DOWNLOAD = Download("olivetti.npz", "Olivetti faces", "figshare", "a few MB", _fetch, read_npz)
