"""MNIST: 70,000 handwritten digits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain_arrays
from rfviz.datasets.downloads.pixels import as_bytes
from rfviz.datasets.files import folder
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.parameters import RANDOM_STATE, max_samples_param
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "in_folder", "load"]

PARAMS = (max_samples_param(70_000), RANDOM_STATE)
_N_TRAIN, _SIDE = 60_000, 28


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load handwritten digits of 28×28 pixels in their usual split: 60,000 for training, then 10,000 for testing.

    A file of the data folder whose name begins with ``mnist`` and which holds 28×28 bytes an image is used before
    anything is downloaded. A larger sample holds the smaller, with training and test rows and classes in proportion.

    Returns
    -------
    Dataset
        ``X`` of shape (at most 70000, 784), pixels in [0, 1]; ``y`` the digit; ``n_train``.
    """
    values = validate(PARAMS, params)
    arrays, where = obtain_arrays(_DOWNLOAD, "OpenML (mnist_784, version 1)", in_folder(), progress)
    return arrays.dataset("mnist", f"MNIST (LeCun, Cortes, Burges), from {where}.", **values)


def in_folder() -> Path | None:
    """Return the first file of the data folder that holds MNIST."""
    return folder.first(("mnist",), lambda layout: layout.image_shape == (_SIDE, _SIDE))


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    # The parser holds the numbers as text, as columns and as float64.
    memory.check(70_000 * 784 * 20, "Unpacking MNIST", "Put mnist.npz in the data folder instead")
    bunch = bunch_of(datasets.fetch_openml, "mnist_784", version=1, data_home=str(home), as_frame=False, **NETWORK)
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != (70_000, 784) or y.shape != (70_000,):
        raise DataError(f"OpenML returned MNIST with the shapes {X.shape} and {y.shape}, not 70,000 rows of 784.")
    images = as_bytes(X, "MNIST").reshape(-1, 28, 28)
    y = y.astype(np.uint8)
    return npz_bytes(X_train=images[:_N_TRAIN], y_train=y[:_N_TRAIN], X_test=images[_N_TRAIN:], y_test=y[_N_TRAIN:])


_DOWNLOAD = Download("mnist.npz", "MNIST", "OpenML", "about 15 MB", _fetch, read_npz)
