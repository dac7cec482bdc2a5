"""CIFAR-10: small colour photographs of ten kinds of things."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain_arrays
from rfviz.datasets.downloads.pixels import as_bytes, smoothest
from rfviz.datasets.files import folder
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.parameters import RANDOM_STATE, max_samples_param
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["CLASSES", "PARAMS", "in_folder", "load"]

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_N, _SIDE = 20_000, 32
PARAMS = (
    max_samples_param(_N),
    Param(
        "side",
        "32",
        "choice",
        choices=("24", "32"),
        label="Pixels a side",
        help="32 keeps whole images; 24 crops each to its middle, as the experiments on compositional kernels do.",
    ),
    RANDOM_STATE,
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load colour images of 32×32 pixels, or their middle 24×24.

    A file of the data folder whose name begins with ``cifar10`` and which holds 32×32×3 bytes an image is used before
    anything is downloaded. The download is the 20,000 images of OpenML's CIFAR_10_small, without a split. A larger
    sample holds the smaller, with classes (and training and test rows) in proportion.

    Returns
    -------
    Dataset
        ``X`` of shape (n, side · side · 3), pixels in [0, 1], channels last; ``y`` the class; ``n_train`` where the
        file of the data folder has a split.
    """
    values = validate(PARAMS, params)
    side = int(values.pop("side"))
    arrays, where = obtain_arrays(_DOWNLOAD, "OpenML (CIFAR_10_small, id 40926)", in_folder(), progress)
    if arrays.image_shape != (_SIDE, _SIDE, 3):
        raise DataError(f"CIFAR-10 has images of 32×32×3 bytes; {where} holds others. Remove it and load again.")
    edge = (_SIDE - side) // 2
    middle = arrays.X.reshape(-1, _SIDE, _SIDE, 3)[:, edge : edge + side, edge : edge + side]
    arrays = replace(arrays, X=middle.reshape(len(middle), -1), image_shape=(side, side, 3), class_names=CLASSES)
    return arrays.dataset("cifar10", f"CIFAR-10 (Krizhevsky 2009), from {where}.", **values)


def in_folder() -> Path | None:
    """Return the first file of the data folder that holds CIFAR-10."""
    return folder.first(("cifar10",), lambda layout: layout.image_shape == (_SIDE, _SIDE, 3))


def channels_last(flat: np.ndarray) -> np.ndarray:
    """Return images from rows that may hold colour after colour, or pixel after pixel.

    Parameters
    ----------
    flat : ndarray of shape (n, 3072)

    Returns
    -------
    ndarray of shape (n, 32, 32, 3)
    """
    planes = flat.reshape(-1, 3, _SIDE, _SIDE).transpose(0, 2, 3, 1)
    return smoothest((planes, flat.reshape(-1, _SIDE, _SIDE, 3)))


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    # The parser holds the numbers as text, as columns and as float64.
    memory.check(_N * 3 * _SIDE**2 * 20, "Unpacking CIFAR-10", "Put cifar10.npz in the data folder instead")
    bunch = bunch_of(datasets.fetch_openml, "CIFAR_10_small", version=1, data_home=str(home), as_frame=False, **NETWORK)
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != (_N, 3 * _SIDE**2) or y.shape != (_N,):
        raise DataError(f"OpenML returned CIFAR-10 with the shapes {X.shape} and {y.shape}, not 20,000 rows of 3072.")
    return npz_bytes(X=np.ascontiguousarray(channels_last(as_bytes(X, "CIFAR-10"))), y=y.astype(np.uint8))


_DOWNLOAD = Download("cifar10.npz", "CIFAR-10", "OpenML", "50 to 100 MB", _fetch, read_npz)
