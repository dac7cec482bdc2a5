"""Any data set of OpenML, by words of its name or by its number, prepared like an upload.

OpenML's own interface finds data sets by number or exact name: :func:`find` asks it which versions there are.
:func:`search` looks for words in the list of all names, which is cached.
Downloads go through scikit-learn; tables are cached as Parquet files (:mod:`rfviz.datasets.downloads.cache`).
"""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from rfviz.datasets import memory
from rfviz.datasets.downloads import openml_api, openml_list
from rfviz.datasets.downloads.cache import NETWORK, Download, download_error, obtain
from rfviz.datasets.downloads.openml_api import Entry
from rfviz.datasets.files.arrow import parquet_layout
from rfviz.datasets.files.content import MAX_BYTES, File
from rfviz.datasets.files.upload import Upload, read_upload
from rfviz.datasets.scikit import bunch_of
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError, DownloadError
from rfviz.progress import Progress

__all__ = ["Entry", "fetch", "find", "search"]

_MAX_VERSIONS = 50
_NAME = re.compile(r"[A-Za-z0-9_.,:()+\-]{1,128}")
# What scikit-learn's parser needs for a cell: its text, its value, and the table.
_CELL_BYTES = 120


def find(query: str) -> list[Entry]:
    """Return the data sets of that number or exact name, the oldest version first.

    Parameters
    ----------
    query : str
        ``"61"``, or ``"iris"``; capital letters count.

    Raises
    ------
    DataError
        If it can be neither, or there is none.
    DownloadError
        If OpenML cannot be asked.
    """
    query = query.strip()
    if not _NAME.fullmatch(query):
        raise DataError(
            f"OpenML's names hold letters, digits and -_.,:()+ without spaces; got {one_line(query, 40)!r}. "
            "Give a number, or the exact name as OpenML writes it."
        )
    filters = f"data_id/{int(query)}" if query.isdecimal() else f"data_name/{quote(query, safe='')}"
    try:
        items = openml_api.list_items(f"{filters}/limit/{_MAX_VERSIONS}")
    except (OSError, ValueError, RecursionError) as error:
        raise download_error(openml_list.DOWNLOAD, error) from None
    found = sorted(openml_api.entries(items), key=lambda entry: (entry.version, entry.number))
    if not found:
        raise DataError(
            f"OpenML has no active data set {'number' if query.isdecimal() else 'named'} {query}. Names must be exact, "
            "capital letters included; look it up at openml.org."
        )
    return found


def search(query: str, progress: Progress | None = None) -> list[Entry]:
    """Return the data sets whose names hold every word of a query, the nearest first; by a number, that one.

    Where the list of names is neither in the cache nor can be fetched, a single word is looked up as an exact name.

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
        If OpenML cannot be asked.
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
        known = obtain(openml_list.DOWNLOAD, progress)
    except DownloadError as error:
        try:
            return find(query)
        except DataError:
            raise error from None
    found = openml_list.matching(known, query)
    if not found:
        alike = ", ".join(openml_list.close_names(known, query))
        hint = f"Names spelt alike: {alike}." if alike else "Try fewer or other words, or look at openml.org."
        raise DataError(f"None of OpenML's {len(known):,} active data sets has {query!r} in its name. {hint}")
    return found


def fetch(entry: Entry, progress: Progress | None = None) -> Upload:
    """Download a data set, or find it in the cache, and read it.

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
        If it cannot be downloaded.
    MemoryBudgetError
        If it would not fit into the memory limit; checked before the download where OpenML tells the size.
    """
    cells = (entry.n_rows or 0) * (entry.n_columns or 0)
    memory.check(cells * _CELL_BYTES, f"Unpacking {entry.name} of OpenML", "Choose a smaller data set")
    size = f"{entry.n_rows:,} rows" if entry.n_rows else "size unknown"
    download = Download(
        f"openml-{entry.number}.parquet",
        entry.name,
        "OpenML",
        size,
        partial(_fetch, entry.number),
        _read,
        instead="choose another data set",
        max_bytes=MAX_BYTES,
    )
    source = f"{entry.name} of OpenML, version {entry.version} (number {entry.number})"
    upload = read_upload(f"{entry.name}.parquet", obtain(download, progress), source)
    # The target is the last column, see `_fetch`.
    return replace(upload, openml=entry.number, table=replace(upload.table, label=upload.table.names[-1]))


def _fetch(number: int, home: Path) -> bytes:
    """Return the table as a Parquet file."""
    import pandas as pd
    from sklearn import datasets

    bunch = bunch_of(
        datasets.fetch_openml, data_id=number, data_home=str(home), as_frame=True, parser="auto", **NETWORK
    )
    frame = bunch.frame
    # Parquet has no sparse columns, and the maps take rows as they are.
    sparse = {name: kind.subtype for name, kind in frame.dtypes.items() if isinstance(kind, pd.SparseDtype)}
    frame = frame.astype(sparse) if sparse else frame
    target = bunch.target_names[0] if bunch.target_names else None
    if target in frame.columns:  # last
        frame = frame[[*(name for name in frame.columns if name != target), target]]
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _read(file: File) -> bytes:
    """Return the bytes of a cached table after a check of its footer."""
    parquet_layout(file)
    return file.head(MAX_BYTES)
