"""LIBSVM's form of sparse tables in text: a label, then "number of the feature:value" for those that are not 0."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.files.content import File, bytes_of_table, check_table, reading
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LABEL", "is_libsvm", "read_libsvm"]

LABEL = "label"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_LINE = re.compile(rf"{_NUMBER}(?:\s+qid:\d+)?(?:\s+\d+:{_NUMBER})*\s*(?:#.*)?")
_PAIR = re.compile(rf"\s(\d+):({_NUMBER})")
_TIME = re.compile(r"\s(?:[01]?\d|2[0-4]):[0-5]\d(?!\S)")
_LOOKED_AT = 1 << 16


def is_libsvm(file: File) -> bool:
    """Return whether the first lines of a text have this form; those of a number and times have not."""
    head = file.head(_LOOKED_AT)
    if not head.isascii() or b":" not in head:
        return False
    lines = [line.strip() for line in head.decode("ascii").splitlines()]
    lines = [line for line in (lines if len(head) < _LOOKED_AT else lines[:-1]) if line and not line.startswith("#")]
    if not lines or not all(map(_LINE.fullmatch, lines)):
        return False
    places = [[int(place) for place, _ in _PAIR.findall(line)] for line in lines]
    are_times = all(_TIME.sub("", f" {line}").find(":") < 0 for line in lines)
    return any(places) and not are_times and all(row == sorted(set(row)) for row in places)


def read_libsvm(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a table whose features are numbered; those that a line does not name are 0.

    Raises
    ------
    DataError
        If a line has another form.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    with reading(file, "a table in LIBSVM's form", "Save it as CSV"), file.open() as stream:
        X, y = load_svmlight_file(stream)
    n_rows, n_columns = X.shape
    check_table(file, n_rows, n_columns, bytes_of_table(file, n_rows, n_columns, 4 * file.n_bytes), "lines")
    if not n_columns:
        raise DataError(f"{file.name} names no feature. Write the number and the value of each, such as 3:0.5.")
    frame = pd.DataFrame(X.toarray(), columns=[f"feature {number}" for number in range(1, n_columns + 1)])
    labels = np.asarray(y)
    frame[LABEL] = labels.astype(np.int64) if (labels == np.rint(labels)).all() else labels
    return frame, ("The table has LIBSVM's form, so features that a line does not name are 0.",)
