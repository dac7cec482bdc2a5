"""Human activity: what a person with a telephone in the pocket is doing, by features of its accelerometer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from rfviz.datasets import _limits, _npz, folder
from rfviz.datasets._categorical import missing_note
from rfviz.datasets._download import NETWORK, Download, obtain
from rfviz.datasets._raw import MISSING, RANDOM_STATE, Raw, finish, max_samples_param
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.errors import DataError
from rfviz.params import validate

__all__ = ["SPEC", "in_folder", "load"]

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


def load(progress: Progress | None = None, **params) -> Dataset:
    """Six activities.

    A file of the data folder whose name begins with ``wisdm``, ``activity`` or ``har`` is used before anything is
    downloaded. WISDM's 43 features have missing values: the time between peaks, where there were no peaks.

    Parameters
    ----------
    progress : callable, optional
        Told once in a while how long the download has taken.
    max_samples : int, default=2000
        Rows to keep, classes in proportion; a larger sample holds the smaller.
    missing : {"error", "drop rows", "impute mean"}, default="error"
        What to do about missing values.
    random_state : int, default=0
        Seed of the choice of rows.

    Returns
    -------
    Dataset
        ``X`` of shape (5418, 43) for WISDM in the data folder, of shape (10299, 561) for what is downloaded; ``y`` the
        activity. Neither says who the person was, so a split holds rows of one person on both sides.

    Raises
    ------
    DataError
        If it is in neither the data folder nor the cache and cannot be downloaded, or values are missing and `missing`
        does not say what to do.
    MemoryBudgetError, ParameterError
        If it does not fit, or a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    path = in_folder()
    if path is None:
        raw = replace(obtain(_DOWNLOAD, progress), class_names=("", *HAR_CLASSES))
        source = "Human Activity Recognition with smartphones (Anguita and others 2013), from OpenML (har, version 1)"
    else:
        raw = _named(_npz.read(path))
        source = f"The file {path.name} of the data folder"
        if raw.feature_names:
            source = f"WISDM activities (Kwapisz and others 2010), from the file {path.name} of the data folder"
    note = missing_note(raw, values["missing"])
    return finish(raw, "activity", "; ".join([source, *([note] if note else [])]) + ".", **values)


def in_folder() -> Path | None:
    """The first file of the data folder that holds activities."""
    return folder.first(("wisdm", "activity", "har"), lambda plan: bool(plan.y) and plan.image_shape is None)


def _named(raw: Raw) -> Raw:
    """WISDM's names of columns and classes, where these are WISDM's transformed rows."""
    if raw.X.shape[1] != len(WISDM_COLUMNS):
        return raw
    is_coded = raw.y.dtype.kind in "iu" and set(np.unique(raw.y).tolist()) <= set(range(len(WISDM_CLASSES)))
    return replace(raw, feature_names=WISDM_COLUMNS, class_names=WISDM_CLASSES if is_coded else ())


def _fetch(home: Path) -> dict[str, np.ndarray]:
    from sklearn import datasets

    _limits.check(10_299 * 561 * 40, "Unpacking activities", "Put activity.npz in the data folder instead")
    bunch = datasets.fetch_openml("har", version=1, data_home=str(home), as_frame=False, **NETWORK)
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if X.shape != _HAR_SHAPE or y.shape != _HAR_SHAPE[:1]:
        raise DataError(f"OpenML returned activities with the shapes {X.shape} and {y.shape}, not 10,299 rows of 561.")
    return {"X": X.astype(np.float32), "y": y.astype(np.int64).astype(np.uint8)}


_DOWNLOAD = Download("activity", "Human activity", "OpenML", "about 25 MB", _fetch)

SPEC = DatasetSpec(
    name="activity",
    title="Human activity",
    load=load,
    params=PARAMS,
    source="download",
    summary="Six activities by features of a telephone’s accelerometer (data folder: WISDM; or a download: HAR).",
)
