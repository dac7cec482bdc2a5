"""Adult: who earns more than 50,000 dollars a year, by the census of 1994; words become columns of zeros and ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from rfviz.datasets import _limits, _npz, folder
from rfviz.datasets._categorical import MISSING_WORDS, Categorical, joined
from rfviz.datasets._download import NETWORK, Download, cache_home, obtain
from rfviz.datasets._raw import RANDOM_STATE, Raw, finish, max_samples_param
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.errors import DataError
from rfviz.params import validate

__all__ = ["CATEGORICAL", "NUMERIC", "SPEC", "in_folder", "load"]

NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CATEGORICAL = (
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
)  # fmt: skip
_N, _N_TRAIN, _N_BINARY = 48_842, 32_561, 123
# Age and weight of the first training row and of the first test row of the original, to find its split again.
_FIRST_TRAIN, _FIRST_TEST = (39, 77_516), (25, 226_802)
# More than there are, so that the slider's last stop keeps all.
PARAMS = (max_samples_param(50_000), MISSING_WORDS, RANDOM_STATE)


def load(progress: Progress | None = None, **params) -> Dataset:
    """48,842 people; 32,561 of them for training, where the split is known.

    A file of the data folder whose name begins with ``a9a`` or ``adult`` is used before anything is downloaded: either
    LIBSVM's a9a, whose 123 columns are zeros and ones already (numbers cut into fifths), or a table as downloaded:
    numbers ``X`` and words ``C``.

    Parameters
    ----------
    progress : callable, optional
        Told once in a while how long the download has taken.
    max_samples : int, default=2000
        Rows to keep, training and test rows and classes in proportion; a larger sample holds the smaller.
    missing : {"error", "drop rows", "most frequent"}, default="error"
        What to do about missing words; a9a has none.
    random_state : int, default=0
        Seed of the choice of rows.

    Returns
    -------
    Dataset
        ``X`` of shape (n, 123), or (n, 105) with columns named ``age``, ``workclass=Private`` …; ``y`` whether the
        person earns more than 50,000 dollars; ``n_train``.

    Raises
    ------
    DataError
        If it is in neither the data folder nor the cache and cannot be downloaded, or words are missing and `missing`
        does not say what to do.
    MemoryBudgetError, ParameterError
        If it does not fit, or a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    missing = values.pop("missing")
    path = in_folder()
    raw, where = (
        (obtain(_DOWNLOAD, progress), "OpenML (adult, version 2)")
        if path is None
        else (_npz.read(path), f"the file {path.name} of the data folder")
    )
    words = _npz.read_codes(path or cache_home() / "rfviz" / f"{_DOWNLOAD.key}.npz")
    notes = ["123 columns of zeros and ones as LIBSVM's a9a has them"]
    if words is not None:
        raw, notes = _expanded(raw, words, missing)
    raw = replace(raw, y=_income(raw.y))
    source = f"Adult (Becker and Kohavi 1996, UCI, CC BY 4.0), from {where}"
    return finish(raw, "adult", "; ".join([source, *notes]) + ".", **values)


def in_folder() -> Path | None:
    """The first file of the data folder that holds these data."""
    return folder.first(("a9a", "adult"), lambda plan: plan.n_features == _N_BINARY or "C" in plan.ignored)


def _income(labels: np.ndarray) -> np.ndarray:
    """Classes in words, from ``">50K"`` or the sign that a9a has."""
    above = labels > 0 if labels.dtype.kind in "iuf" else np.char.find(labels.astype(str), ">") >= 0
    return np.where(above, "over 50K", "up to 50K")


def _expanded(raw: Raw, words: np.ndarray, missing: str) -> tuple[Raw, list[str]]:
    """Words as columns of zeros and ones, and what was done to them."""
    if words.shape[1] != len(CATEGORICAL) or raw.X.shape[1] != len(NUMERIC):
        raise DataError(f"Adult has 6 numbers and 8 words a person, not {raw.X.shape[1]} and {words.shape[1]}.")
    text = np.char.decode(words, "utf-8", "replace") if words.dtype.kind == "S" else words.astype(str)
    categorical, rows, note = Categorical.from_text(text, CATEGORICAL).complete(missing, raw.n_train)
    if len(rows) < len(raw.X):
        n_train = None if raw.n_train is None else int(np.count_nonzero(rows < raw.n_train))
        raw = replace(raw, X=raw.X[rows], y=raw.y[rows], n_train=n_train)
    return joined(raw, categorical, NUMERIC), [categorical.note, *([note] if note else [])]


def _fetch(home: Path) -> dict[str, np.ndarray]:
    from sklearn import datasets

    _limits.check(_N * 15 * 400, "Unpacking Adult", "Put a9a.npz in the data folder instead")
    bunch = datasets.fetch_openml("adult", version=2, data_home=str(home), as_frame=True, **NETWORK)
    table, y = bunch.data, np.asarray(bunch.target)
    if table.shape != (_N, len(NUMERIC) + len(CATEGORICAL)) or y.shape != (_N,):
        raise DataError(f"OpenML returned Adult with the shapes {table.shape} and {y.shape}, not 48,842 rows of 14.")
    X = table[list(NUMERIC)].to_numpy(dtype=np.float32)
    columns = [table[name].astype(object) for name in CATEGORICAL]
    words = np.stack([c.where(c.notna(), "").to_numpy().astype("S") for c in columns], axis=1)
    return _train_first(X, words, y.astype("S"))


def _train_first(X: np.ndarray, words: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays to store; with the original's split where its first rows are where they belong."""
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


_DOWNLOAD = Download("adult", "Adult", "OpenML", "about 5 MB", _fetch)

SPEC = DatasetSpec(
    name="adult",
    title="Adult (census income)",
    load=load,
    params=PARAMS,
    source="download",
    summary="48,842 people: who earns over 50,000 dollars? Words as zeros and ones (data folder, or download).",
)
