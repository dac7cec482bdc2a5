"""Human activity: six activities of a person, by features of the accelerometer of a telephone in the pocket."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain_arrays
from rfviz.datasets.files import folder
from rfviz.datasets.files.arrays import Arrays
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.parameters import MISSING, RANDOM_STATE, max_samples_param
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "in_folder", "load"]

WISDM_CLASSES = ("walking", "jogging", "upstairs", "downstairs", "sitting", "standing")
HAR_CLASSES = ("walking", "upstairs", "downstairs", "sitting", "standing", "laying")
_AXES = "XYZ"
WISDM_COLUMNS = (
    *(f"{axis}{bin_}" for axis in _AXES for bin_ in range(10)),
    *(f"{axis}{what}" for what in ("AVG", "PEAK", "ABSOLDEV", "STANDDEV") for axis in _AXES),
    "RESULTANT",
)
_HAR_SHAPE = (10_299, 561)
# More than there are, so that the slider's last stop keeps all.
PARAMS = (max_samples_param(12_000), MISSING, RANDOM_STATE)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load rows of six activities.

    A file of the data folder whose name begins with ``wisdm``, ``activity`` or ``har`` is used before anything is
    downloaded. WISDM's 43 features have missing values: the time between peaks, where there were no peaks. Neither file
    says who the person was, so a split holds rows of one person on both sides.

    Returns
    -------
    Dataset
        ``X`` of shape (5418, 43) for WISDM in the data folder, of shape (10299, 561) for the download; ``y`` the
        activity.
    """
    values = validate(PARAMS, params)
    path = in_folder()
    arrays, where = obtain_arrays(_DOWNLOAD, "OpenML (har, version 1)", path, progress)
    if path is None:
        arrays = replace(arrays, class_names=("", *HAR_CLASSES))
        name = "Human Activity Recognition with smartphones (Anguita and others 2013)"
    else:
        arrays = _named(arrays)
        name = "WISDM activities (Kwapisz and others 2010)" if arrays.feature_names else "Activities"
    return arrays.dataset("activity", f"{name}, from {where}", **values)


def in_folder() -> Path | None:
    """Return the first file of the data folder that holds activities."""
    return folder.first(("wisdm", "activity", "har"), lambda plan: bool(plan.y) and plan.image_shape is None)


def _named(arrays: Arrays) -> Arrays:
    """Give WISDM's names to columns and classes if these are WISDM's transformed rows."""
    if arrays.X.shape[1] != len(WISDM_COLUMNS):
        return arrays
    labels = arrays.labels
    is_coded = labels.dtype.kind in "iu" and set(np.unique(labels).tolist()) <= set(range(len(WISDM_CLASSES)))
    return replace(arrays, feature_names=WISDM_COLUMNS, class_names=WISDM_CLASSES if is_coded else ())


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    memory.check(10_299 * 561 * 40, "Unpacking activities", "Put activity.npz in the data folder instead")
    bunch = bunch_of(datasets.fetch_openml, "har", version=1, data_home=str(home), as_frame=False, **NETWORK)
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != _HAR_SHAPE or y.shape != _HAR_SHAPE[:1]:
        raise DataError(f"OpenML returned activities with the shapes {X.shape} and {y.shape}, not 10,299 rows of 561.")
    return npz_bytes(X=X.astype(np.float32), y=y.astype(np.int64).astype(np.uint8))


_DOWNLOAD = Download("activity.npz", "Human activity", "OpenML", "about 25 MB", _fetch, read_npz)
