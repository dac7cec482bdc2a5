"""The format of LIBSVM and SVMlight → a pandas table: a label a line, then "number:value" for those other than zero."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rfviz.datasets.files.content import File, bytes_of_table, check_table, reading
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["is_libsvm", "libsvm_layout", "read_libsvm"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_LINE = re.compile(rf"{_NUMBER}(?:\s+qid:\d+)?(?:\s+\d+:{_NUMBER})*\s*(?:#.*)?")
_PAIR = re.compile(rf"\s(\d+):({_NUMBER})")
_TIME = re.compile(r"\s(?:[01]?\d|2[0-4]):[0-5]\d(?!\S)")


def is_libsvm(head: bytes) -> bool:
    """Return whether lines at the start of a file, of which the last may be cut, are in this format.

    Lines of a number and times are not.
    """
    if not head.isascii() or b":" not in head:
        return False
    text = head.decode("ascii")
    lines = text.splitlines()[: None if text.endswith("\n") else -1] or [text]
    lines = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not lines or not all(map(_LINE.fullmatch, lines)):
        return False
    places = [[int(place) for place, _ in _PAIR.findall(line)] for line in lines]
    are_times = all(_TIME.sub("", f" {line}").find(":") < 0 for line in lines)
    return any(places) and not are_times and all(row == sorted(set(row)) for row in places)


def libsvm_layout(file: File, part: str = "") -> tuple[tuple[str, ...], int]:
    """Return the names of the columns and the number of rows, for which the whole file is read."""
    frame, _ = read_libsvm(file)
    return tuple(frame.columns), len(frame)


def read_libsvm(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read all features, zeros included, and the labels as the column ``label``.

    Raises
    ------
    DataError
        If the file is damaged, has several labels a row, or names no feature.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_svmlight_file

    with reading(file, "a table in LIBSVM's form", "Save it as CSV"), file.open() as stream:
        matrix, labels = load_svmlight_file(stream)[:2]
    n_rows, n_columns = matrix.shape
    check_table(file, n_rows, n_columns + 1, bytes_of_table(file, n_rows, n_columns + 1, 8 * n_rows * n_columns))
    if not n_columns:
        raise DataError(f"{file.name} names no feature. Write the number and the value of each, such as 3:0.5.")
    frame = pd.DataFrame(matrix.toarray(), columns=[f"feature {number}" for number in range(1, n_columns + 1)])
    are_whole = bool((np.rint(labels) == labels).all())
    frame["label"] = labels.astype(np.int64) if are_whole else labels
    return frame, ("The table has LIBSVM's form, so features that a line does not name are 0.",)
