"""Adult: income above 50,000 dollars a year or not, by the census of 1994."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain_arrays
from rfviz.datasets.downloads.words import MISSING_WORDS, Categorical, joined
from rfviz.datasets.files import folder
from rfviz.datasets.files.arrays import Arrays
from rfviz.datasets.files.npz import Layout, read_npz_with_codes
from rfviz.datasets.parameters import RANDOM_STATE, max_samples_param
from rfviz.datasets.scikit import bunch_of
from rfviz.errors import DataError
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["CATEGORICAL", "NUMERIC", "PARAMS", "in_folder", "load"]

NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CATEGORICAL = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
)  # fmt: skip
_N, _N_TRAIN, _N_BINARY = 48_842, 32_561, 123
# Age and weight of the first training row and of the first test row of the original, to find its split again.
_FIRST_TRAIN, _FIRST_TEST = (39, 77_516), (25, 226_802)
# More than there are, so that the slider's last stop keeps all.
PARAMS = (max_samples_param(50_000), MISSING_WORDS, RANDOM_STATE)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load rows of 48,842 people; 32,561 of them for training, where the split is known.

    A file of the data folder whose name begins with ``a9a`` or ``adult`` is used before anything is downloaded: either
    LIBSVM's a9a, whose 123 columns are zeros and ones already (numbers cut into fifths), or a table as downloaded:
    numbers ``X`` and words ``C``. A larger sample holds the smaller, with training and test rows and classes in
    proportion.

    Returns
    -------
    Dataset
        ``X`` of shape (n, 123), or (n, 105) with columns named ``age``, ``workclass=Private`` …; ``y`` whether the
        person earns more than 50,000 dollars; ``n_train``.
    """
    values = validate(PARAMS, params)
    missing = values.pop("missing")
    arrays, where = obtain_arrays(_DOWNLOAD, "OpenML (adult, version 2)", in_folder(), progress)
    notes = ["123 columns of zeros and ones as LIBSVM's a9a has them"]
    if arrays.codes is not None:
        arrays, notes = _expand(arrays, arrays.codes, missing)
    # In words, from ">50K" or the sign that a9a has.
    labels = arrays.labels
    is_above = labels > 0 if labels.dtype.kind in "iuf" else np.char.find(labels.astype(str), ">") >= 0
    arrays = replace(arrays, y=np.where(is_above, "over 50K", "up to 50K"))
    source = f"Adult (Becker and Kohavi 1996, UCI, CC BY 4.0), from {where}"
    return arrays.dataset("adult", "; ".join([source, *notes]), **values)


def in_folder() -> Path | None:
    """Return the first file of the data folder that holds these data."""
    return folder.first(("a9a", "adult"), _is_adult)


def _is_adult(layout: Layout) -> bool:
    return bool(layout.y) and (layout.n_features == _N_BINARY or "C" in layout.ignored)


def _expand(arrays: Arrays, words: np.ndarray, missing: str) -> tuple[Arrays, list[str]]:
    """Expand words into columns of zeros and ones, and say what was done."""
    if words.shape[1] != len(CATEGORICAL) or arrays.X.shape[1] != len(NUMERIC):
        raise DataError(f"Adult has 6 numbers and 8 words per person, not {arrays.X.shape[1]} and {words.shape[1]}.")
    text = np.char.decode(words, "utf-8", "replace") if words.dtype.kind == "S" else words.astype(str)
    categorical, rows, note = Categorical.from_text(text, CATEGORICAL).complete(missing, arrays.n_train)
    if len(rows) < len(arrays.X):
        n_train = None if arrays.n_train is None else int(np.count_nonzero(rows < arrays.n_train))
        arrays = replace(arrays, X=arrays.X[rows], y=arrays.labels[rows], n_train=n_train)
    return joined(arrays, categorical, NUMERIC), [categorical.note, *([note] if note else [])]


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    memory.check(_N * 15 * 400, "Unpacking Adult", "Put a9a.npz in the data folder instead")
    bunch = bunch_of(datasets.fetch_openml, "adult", version=2, data_home=str(home), as_frame=True, **NETWORK)
    table, y = bunch.data, np.asarray(bunch.target)
    if table.shape != (_N, len(NUMERIC) + len(CATEGORICAL)) or y.shape != (_N,):
        raise DataError(f"OpenML returned Adult with the shapes {table.shape} and {y.shape}, not 48,842 rows of 14.")
    X = table[list(NUMERIC)].to_numpy(dtype=np.float32)
    columns = [table[name].astype(object) for name in CATEGORICAL]
    words = np.stack([c.where(c.notna(), "").to_numpy().astype("S") for c in columns], axis=1)
    return npz_bytes(**_train_first(X, words, y.astype("S")))


def _train_first(X: np.ndarray, words: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays to store, with the original's split if its first rows are where they belong."""
    arrays = {"X": X, "C": words, "y": y}
    n_test = len(X) - _N_TRAIN
    for first, second, at, shift in (
        (_FIRST_TRAIN, _FIRST_TEST, _N_TRAIN, 0),
        (_FIRST_TEST, _FIRST_TRAIN, n_test, n_test),
    ):
        if tuple(X[0, :2]) == first and tuple(X[at, :2]) == second:
            arrays = {name: np.roll(values, -shift, axis=0) for name, values in arrays.items()}
            return arrays | {"is_train": np.arange(len(X)) < _N_TRAIN}
    return arrays


_DOWNLOAD = Download("adult.npz", "Adult", "OpenML", "about 5 MB", _fetch, read_npz_with_codes)
