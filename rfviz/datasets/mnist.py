"""MNIST: the 70,000 handwritten digits that every method is compared on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._download import NETWORK, Download, obtain
from rfviz.datasets._pixels import as_bytes
from rfviz.datasets._raw import RANDOM_STATE, finish, max_samples_param
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.errors import DataError
from rfviz.params import validate

__all__ = ["SPEC", "load"]

PARAMS = (max_samples_param(70_000), RANDOM_STATE)
_N_TRAIN = 60_000


def load(progress: Progress | None = None, **params) -> Dataset:
    """Handwritten digits of 28×28 pixels, in their usual split: 60,000 for training, then 10,000 for testing.

    Parameters
    ----------
    progress : callable, optional
        Told once in a while how long the download has taken.
    max_samples : int, default=2000
        Rows to keep, training and test rows and classes in proportion; a larger sample holds the smaller.
    random_state : int, default=0
        Seed of that choice.

    Returns
    -------
    Dataset
        ``X`` of shape (at most 70000, 784), pixels in [0, 1]; ``y`` the digit; ``n_train``.

    Raises
    ------
    DataError
        If it is not in the cache and cannot be downloaded.
    MemoryBudgetError
        If it does not fit into the memory limit.
    ParameterError
        If a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    raw = obtain(_DOWNLOAD, progress)
    return finish(raw, "mnist", "MNIST (LeCun, Cortes, Burges), from OpenML (mnist_784, version 1).", **values)


def _fetch(home: Path) -> dict[str, np.ndarray]:
    from sklearn import datasets

    # The parser holds the numbers as text, as columns and as float64.
    _limits.check(70_000 * 784 * 20, "Unpacking MNIST", "Put mnist.npz in the data folder instead")
    bunch = datasets.fetch_openml("mnist_784", version=1, data_home=str(home), as_frame=False, **NETWORK)
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != (70_000, 784) or y.shape != (70_000,):
        raise DataError(f"OpenML returned MNIST with the shapes {X.shape} and {y.shape}, not 70,000 rows of 784.")
    images = as_bytes(X, "MNIST").reshape(-1, 28, 28)
    y = y.astype(np.uint8)
    return {
        "X_train": images[:_N_TRAIN],
        "y_train": y[:_N_TRAIN],
        "X_test": images[_N_TRAIN:],
        "y_test": y[_N_TRAIN:],
    }


_DOWNLOAD = Download("mnist", "MNIST", "OpenML", "about 15 MB", _fetch)

SPEC = DatasetSpec(
    name="mnist",
    title="MNIST",
    load=load,
    params=PARAMS,
    source="download",
    summary="70,000 handwritten digits of 28×28 pixels, 10 classes, with a test set (download, about 15 MB).",
)
