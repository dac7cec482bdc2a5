"""Any data set of OpenML, by its number or its exact name, prepared like a file that somebody hands over.

OpenML's interface finds data sets by exact name, not by words of it: :func:`find` says which versions there are.
Downloads go through scikit-learn and are kept as :mod:`rfviz.datasets._download` describes.
"""

from __future__ import annotations

import io
import json
import re
import urllib.request
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._download import NETWORK, Download, _cannot, obtain
from rfviz.datasets._text import one_line
from rfviz.datasets.base import Progress
from rfviz.datasets.upload import Upload, take
from rfviz.errors import DataError, DownloadError

__all__ = ["Entry", "fetch", "find"]

_LIST = "https://www.openml.org/api/v1/json/data/list/{}/limit/{}"
_MOST, _ANSWER_BYTES, _SECONDS = 50, 4_000_000, 15.0
_NAME = re.compile(r"[A-Za-z0-9_.,:()+\-]{1,128}")
# What scikit-learn's reader needs for a cell: its text, its value, and the table.
_CELL_BYTES = 120


@dataclass(frozen=True)
class Entry:
    """One version of a data set that OpenML has.

    Attributes
    ----------
    number : int
        OpenML's own (``data_id``).
    name : str
    version : int
    n_rows, n_columns : int or None
        None where OpenML does not say.
    """

    number: int
    name: str
    version: int
    n_rows: int | None = None
    n_columns: int | None = None

    @property
    def title(self) -> str:
        """``iris, version 1 (number 61): 150 rows, 5 columns``."""
        rows = "rows unknown" if self.n_rows is None else f"{self.n_rows:,} rows"
        columns = "" if self.n_columns is None else f", {self.n_columns:,} columns"
        return f"{self.name}, version {self.version} (number {self.number}): {rows}{columns}"


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
        answer = _ask(_LIST.format(how, _MOST))
    except HTTPError as error:
        if error.code in (404, 412):  # OpenML's way to say that a list is empty
            raise DataError(_none(query)) from None
        raise _failed(query, error) from None
    except (OSError, ValueError, RecursionError) as error:
        raise _failed(query, error) from None
    found = sorted(_entries(answer), key=lambda entry: (entry.version, entry.number))
    if not found:
        raise DataError(_none(query))
    return found


def fetch(entry: Entry, progress: Progress | None = None) -> Upload:
    """Download a data set, or find it in the cache, and look at it.

    Parameters
    ----------
    entry : Entry
        From :func:`find`.
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
    frame = bunch.frame
    target = bunch.target_names[0] if bunch.target_names else None
    if target in frame.columns:  # last, where a label is looked for
        frame = frame[[*(name for name in frame.columns if name != target), target]]
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return {"X": np.frombuffer(buffer.getvalue(), dtype=np.uint8).reshape(-1, 1)}


class _OnlySecure(urllib.request.HTTPRedirectHandler):
    """A redirection to anything but https is an error."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if urlsplit(newurl).scheme != "https":
            raise OSError(f"redirected to {one_line(newurl, 60)}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _ask(address: str) -> Any:
    """What a server answers in JSON, read up to a limit."""
    request = urllib.request.Request(address, headers={"Accept": "application/json", "User-Agent": "rfviz"})
    with urllib.request.build_opener(_OnlySecure).open(request, timeout=_SECONDS) as response:
        content = response.read(_ANSWER_BYTES + 1)
    if len(content) > _ANSWER_BYTES:
        raise ValueError(f"an answer of more than {_limits.size_text(_ANSWER_BYTES)}")
    return json.loads(content)


def _entries(answer: Any) -> list[Entry]:
    """The entries that are understood; an answer of another form has none."""
    listed = answer.get("data", {}) if isinstance(answer, dict) else {}
    listed = listed.get("dataset", []) if isinstance(listed, dict) else []
    found = []
    for item in listed if isinstance(listed, list) else []:
        try:
            sizes = {part["name"]: float(part["value"]) for part in item.get("quality", []) if part.get("value")}
            rows, columns = (sizes.get(name) for name in ("NumberOfInstances", "NumberOfFeatures"))
            found.append(Entry(
                int(item["did"]), one_line(item["name"], 60), int(item.get("version", 1)),
                None if rows is None else int(rows), None if columns is None else int(columns),
            ))  # fmt: skip
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
    return found


def _none(query: str) -> str:
    return (
        f"OpenML has no active data set {'number' if query.isdecimal() else 'named'} {query}. Names must be exact, "
        "capital letters included; look it up at openml.org."
    )


def _failed(query: str, error: BaseException) -> DownloadError:
    asked = Download(f"openml-{query}", f"The list of {query}", "OpenML", "", dict)
    sentence = str(_cannot(asked, error))
    return DownloadError(sentence.split(", or put ")[0].rstrip(".") + ", or bring the data as a file.")
