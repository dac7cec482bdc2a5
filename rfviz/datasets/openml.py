"""Any data set of OpenML, by words of its name or by its number, prepared like a file that somebody hands over.

OpenML's own interface finds data sets by number or exact name: :func:`find` asks it which versions there are.
:func:`search` looks for words in the list of all names, which is kept.
Downloads go through scikit-learn and are kept as :mod:`rfviz.datasets._download` describes.
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pandas as pd

from rfviz.datasets import _limits, _openml_list
from rfviz.datasets import _openml_api as api
from rfviz.datasets._download import NETWORK, Download, _cannot, obtain
from rfviz.datasets._openml_api import Entry
from rfviz.datasets._text import one_line
from rfviz.datasets.base import Progress
from rfviz.datasets.upload import Upload, take
from rfviz.errors import DataError, DownloadError

__all__ = ["Entry", "fetch", "find", "search"]

_MOST = 50
_NAME = re.compile(r"[A-Za-z0-9_.,:()+\-]{1,128}")
# What scikit-learn's reader needs for a cell: its text, its value, and the table.
_CELL_BYTES = 120


def find(query: str) -> list[Entry]:
    """The data sets of that number or exact name, the oldest version first.

    Parameters
    ----------
    query : str
        ``"61"``, or ``"iris"``; capital letters count.

    Raises
    ------
    DataError
        If it can be neither, or there is none.
    DownloadError
        If OpenML cannot be asked: why, and what to do.
    """
    query = query.strip()
    if not _NAME.fullmatch(query):
        raise DataError(
            f"OpenML's names hold letters, digits and -_.,:()+ without spaces; got {one_line(query, 40)!r}. "
            "Give a number, or the exact name as OpenML writes it."
        )
    how = f"data_id/{int(query)}" if query.isdecimal() else f"data_name/{quote(query, safe='')}"
    try:
        items = api.listed(f"{how}/limit/{_MOST}")
    except (OSError, ValueError, RecursionError) as error:
        raise _failed(query, error) from None
    found = sorted(api.entries(items), key=lambda entry: (entry.version, entry.number))
    if not found:
        raise DataError(_none(query))
    return found


def search(query: str, progress: Progress | None = None) -> list[Entry]:
    """The data sets whose names hold every word of a query, the nearest first; by a number, that one.

    Where the list of names can neither be found in the cache nor be fetched, a single word is looked up as an exact
    name.

    Parameters
    ----------
    query : str
        ``"wine quality"``; capital letters do not count.
    progress : callable, optional
        May raise to stop waiting for the list.

    Raises
    ------
    DataError
        If there is none; names that are spelt alike are given.
    DownloadError
        If OpenML cannot be asked: why, and what to do.
    """
    query = one_line(query, 128)
    if not any(map(str.isalnum, query)):
        raise DataError(f"A search needs a word or a number; got {query!r}. Give a part of the name, such as wine.")
    if query.isdecimal():
        try:
            return find(query)
        except DownloadError:
            raise
        except DataError:
            pass  # no number, but it may be a part of a name, such as a year
    try:
        known = _openml_list.all_entries(progress)
    except DownloadError as error:
        return _exactly(query, error)
    found = _openml_list.matching(known, query)
    if not found:
        alike = ", ".join(_openml_list.close_names(known, query))
        hint = f"Names spelt alike: {alike}." if alike else "Try fewer or other words, or look at openml.org."
        raise DataError(f"None of OpenML's {len(known):,} active data sets has {query!r} in its name. {hint}")
    return found


def _exactly(query: str, failed: DownloadError) -> list[Entry]:
    """A data set of that very name, where there is no list to search; why there is none otherwise."""
    try:
        return find(query)
    except DataError:
        raise failed from None


def fetch(entry: Entry, progress: Progress | None = None) -> Upload:
    """Download a data set, or find it in the cache, and look at it.

    Parameters
    ----------
    entry : Entry
        From :func:`search` or :func:`find`.
    progress : callable, optional
        May raise to stop waiting.

    Raises
    ------
    DataError
        If it holds no table that can be used.
    DownloadError
        If it cannot be downloaded: why, and what to do.
    MemoryBudgetError
        If it would not fit into the memory limit; asked before the download where OpenML tells the size.
    """
    cells = (entry.n_rows or 0) * (entry.n_columns or 0)
    _limits.check(cells * _CELL_BYTES, f"Unpacking {entry.name} of OpenML", "Choose a smaller data set")
    source = f"{entry.name} of OpenML, version {entry.version} (number {entry.number})"
    raw = obtain(_download(entry), progress)
    return replace(take(f"{entry.name}.parquet", raw.X.tobytes(), source), openml=entry.number)


def _download(entry: Entry) -> Download:
    size = f"{entry.n_rows:,} rows" if entry.n_rows else "size unknown"
    return Download(f"openml-{entry.number}", entry.name, "OpenML", size, partial(_fetch, entry.number))


def _fetch(number: int, home: Path) -> dict[str, np.ndarray]:
    """The table as the bytes of a Parquet file, which goes through the reader of all others."""
    from sklearn import datasets

    bunch = datasets.fetch_openml(data_id=number, data_home=str(home), as_frame=True, parser="auto", **NETWORK)
    frame = _dense(bunch.frame)
    target = bunch.target_names[0] if bunch.target_names else None
    if target in frame.columns:  # last, where a label is looked for
        frame = frame[[*(name for name in frame.columns if name != target), target]]
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return {"X": np.frombuffer(buffer.getvalue(), dtype=np.uint8).reshape(-1, 1)}


def _dense(frame: pd.DataFrame) -> pd.DataFrame:
    """Sparse columns written out: Parquet has none, and the maps take rows as they are."""
    sparse = {name: kind.subtype for name, kind in frame.dtypes.items() if isinstance(kind, pd.SparseDtype)}
    return frame.astype(sparse) if sparse else frame


def _none(query: str) -> str:
    return (
        f"OpenML has no active data set {'number' if query.isdecimal() else 'named'} {query}. Names must be exact, "
        "capital letters included; look it up at openml.org."
    )


def _failed(query: str, error: BaseException) -> DownloadError:
    return _cannot(Download("", f"The list of {query}", "OpenML", "", dict, _openml_list.INSTEAD), error)
