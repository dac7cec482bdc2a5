"""KDD Cup 1999: connections to a network, normal or an attack, by numbers and three words each."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.base import Dataset
from rfviz.datasets.downloads.cache import NETWORK, Download, npz_bytes, obtain_arrays
from rfviz.datasets.downloads.words import Categorical, joined
from rfviz.datasets.files import folder
from rfviz.datasets.files.labels import encode
from rfviz.datasets.files.meta import Meta, read_meta
from rfviz.datasets.files.npz import read_npz_with_codes
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.datasets.scikit import bunch_of
from rfviz.datasets.subsample import nested_order
from rfviz.errors import DataError
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "in_folder", "load"]

_WORDS = ("protocol_type", "service", "flag")
_N, _N_COLUMNS = 494_021, 41
# Those of the paper among them.
_ROWS = (100, 500, 1000, 2000, 6000, 15_000, 50_000, 150_000, 300_000)
PARAMS = (
    Param(
        "train_rows",
        2000,
        "int",
        100,
        400_000,
        log=True,
        symbol="n",
        label="Training rows",
        marks=_ROWS,
        help="Drawn at random, every kind of connection in its proportion. A larger sample contains the smaller.",
    ),
    Param(
        "test_rows",
        6000,
        "int",
        100,
        400_000,
        log=True,
        label="Rows to test",
        marks=_ROWS,
        help="Drawn in the same way from the other rows. The paper has 50,000 rows to train on and 150,000 to test.",
    ),
    Param(
        "target",
        "attack or normal",
        "choice",
        choices=("attack or normal", "kind of attack"),
        label="Classes",
        help="Two classes, or normal and each of the 22 kinds of attack, many of which are rare.",
    ),
    replace(RANDOM_STATE, help="Another seed picks other rows."),
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load some training and test rows of the tenth of the contest's data that is in common use.

    A file of the data folder whose name begins with ``kddcup99`` is used before anything is downloaded; it has 38
    numbers ``X`` and three words ``C`` a row, as text, or as whole numbers that its ``.meta.json`` explains.

    Returns
    -------
    Dataset
        ``X`` of shape (train_rows + test_rows, about 118): the numbers, then a column of zeros and ones for each word
        (``service=http``); ``y`` the class; ``n_train``.
    """
    values = validate(PARAMS, params)
    found = in_folder()
    arrays, where = obtain_arrays(_DOWNLOAD, "scikit-learn (fetch_kddcup99)", found, progress)
    if arrays.codes is None:
        raise DataError(
            f"KDD Cup 1999 has three words per row, in an array C; {where} has none. Remove it and load again."
        )
    meta = Meta() if found is None else read_meta(found)
    kinds = encode(arrays.labels, meta.class_names)
    rows = _choose(kinds.y, values["train_rows"], values["test_rows"], values["random_state"])
    y = np.array(kinds.names)[kinds.y[rows]]
    if values["target"] == "attack or normal":
        y = np.where(y == "normal", "normal", "attack")
    categorical = _words(arrays.codes, meta.categories).rows(rows)
    n_numbers = arrays.X.shape[1]
    is_named = len(meta.feature_names) == n_numbers
    names = meta.feature_names if is_named else tuple(f"number {i + 1}" for i in range(n_numbers))
    chosen = joined(replace(arrays, X=arrays.X[rows], y=y, n_train=values["train_rows"]), categorical, names)
    source = f"KDD Cup 1999, a tenth of the data (Stolfo and others, UCI), from {where}"
    return chosen.dataset("kddcup99", f"{source}; {categorical.note}")


def in_folder() -> Path | None:
    """Return the first file of the data folder that holds these data."""
    return folder.first(("kddcup99",), lambda plan: "C" in plan.ignored and bool(plan.y))


def _choose(kinds: np.ndarray, n_train: int, n_test: int, seed: int) -> np.ndarray:
    """Return training rows, then test rows, from the two ends of one order, so that more rows hold the fewer."""
    if n_train + n_test > len(kinds):
        raise DataError(
            f"KDD Cup 1999 has {len(kinds):,} rows here, and {n_train:,} + {n_test:,} were asked for. "
            "Lower train_rows or test_rows."
        )
    order = nested_order(len(kinds), kinds, None, seed)
    return np.concatenate([order[:n_train], order[len(order) - n_test :]])


def _words(codes: np.ndarray, categories: tuple[tuple[str, tuple[str, ...]], ...]) -> Categorical:
    """Return the words of all rows, whichever way they are stored."""
    if codes.dtype.kind in "US":
        text = np.char.decode(codes, "utf-8", "replace") if codes.dtype.kind == "S" else codes
        return Categorical.from_text(text, _WORDS[: codes.shape[1]])
    if len(categories) == codes.shape[1]:
        names, lists = zip(*categories, strict=True)
        if all(low >= 0 and high < len(w) for low, high, w in zip(codes.min(0), codes.max(0), lists, strict=True)):
            return Categorical(codes.astype(np.int16), names, lists)
    # Without an explanation the numbers stand for themselves.
    return Categorical.from_text(codes.astype(str), _WORDS[: codes.shape[1]])


def _fetch(home: Path) -> bytes:
    from sklearn import datasets

    memory.check(_N * _N_COLUMNS * 60, "Unpacking KDD Cup 1999", "Put kddcup99.npz in the data folder instead")
    # Scikit-learn caches these data as pickles. In a folder of their own they are always downloaded and compared with
    # their checksum, and the pickles are written but never read.
    with tempfile.TemporaryDirectory(dir=home) as apart:
        bunch = bunch_of(datasets.fetch_kddcup99, data_home=apart, percent10=True, **NETWORK)
    table, y = np.asarray(bunch.data), np.asarray(bunch.target)
    if table.shape != (_N, _N_COLUMNS) or y.shape != (_N,):
        raise DataError(
            f"Scikit-learn returned KDD Cup 1999 with the shapes {table.shape} and {y.shape}, not 494,021 rows of 41."
        )
    words = [1, 2, 3]
    return npz_bytes(
        X=np.delete(table, words, axis=1).astype(np.float32),
        C=table[:, words].astype("S"),
        y=np.char.rstrip(y.astype("S"), b"."),
    )


_DOWNLOAD = Download("kddcup99.npz", "KDD Cup 1999", "figshare", "about 2 MB", _fetch, read_npz_with_codes)
