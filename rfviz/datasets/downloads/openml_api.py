"""OpenML's interface: asked over https alone, read up to a limit, understood item by item."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from http.client import HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

from rfviz.datasets.memory import size_text
from rfviz.datasets.wording import counted, one_line

__all__ = ["Entry", "ask", "entries", "list_items"]

_LIST = "https://www.openml.org/api/v1/json/data/list/"
_MAX_ANSWER_BYTES, _SECONDS = 8_000_000, 15.0
_EMPTY_LIST = (404, 412)  # OpenML's answers for a list without items


@dataclass(frozen=True)
class Entry:
    """One version of a data set that OpenML has.

    Attributes
    ----------
    number : int
        OpenML's own (``data_id``).
    n_rows, n_columns, n_classes : int or None
        None if OpenML does not say; ``n_classes`` also if the target is not a class.
    """

    number: int
    name: str
    version: int
    n_rows: int | None = None
    n_columns: int | None = None
    n_classes: int | None = None

    @property
    def size(self) -> str:
        """Return ``"150 rows, 5 columns, 3 classes"``."""
        parts = ["rows unknown" if self.n_rows is None else counted(self.n_rows, "row")]
        if self.n_columns is not None:
            parts.append(counted(self.n_columns, "column"))
        if self.n_classes:
            parts.append("1 class" if self.n_classes == 1 else f"{self.n_classes:,} classes")
        return ", ".join(parts)


def list_items(filters: str) -> list[Any]:
    """Return the items of OpenML's list that pass filters, as they are; none if the answer has another form.

    Parameters
    ----------
    filters : str
        Path of the interface, such as ``"data_id/61/limit/50"``.

    Raises
    ------
    OSError, ValueError, RecursionError
        If the network fails, or the answer is not JSON.
    """
    try:
        answer = ask(_LIST + filters)
    except HTTPError as error:
        if error.code in _EMPTY_LIST:
            return []
        raise
    data = answer.get("data", {}) if isinstance(answer, dict) else {}
    items = data.get("dataset", []) if isinstance(data, dict) else []
    return items if isinstance(items, list) else []


def entries(items: list[Any]) -> list[Entry]:
    """Return the items that can be understood."""
    found = []
    for item in items:
        try:
            sizes = {part["name"]: float(part["value"]) for part in item.get("quality", []) if part.get("value")}
            rows, columns, classes = (
                int(sizes[name]) if name in sizes else None
                for name in ("NumberOfInstances", "NumberOfFeatures", "NumberOfClasses")
            )
            version = int(item.get("version", 1))
            found.append(Entry(int(item["did"]), one_line(item["name"], 128), version, rows, columns, classes or None))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
    return found


class OnlySecure(urllib.request.HTTPRedirectHandler):
    """Make a redirection to anything but https an error."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme != "https":
            raise OSError(f"redirected to {one_line(newurl, 60)}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def ask(address: str) -> Any:
    """Return a server's answer in JSON, read up to a limit."""
    request = Request(address, headers={"Accept": "application/json", "User-Agent": "rfviz"})
    with urllib.request.build_opener(OnlySecure).open(request, timeout=_SECONDS) as response:
        content = response.read(_MAX_ANSWER_BYTES + 1)
    if len(content) > _MAX_ANSWER_BYTES:
        raise ValueError(f"an answer of more than {size_text(_MAX_ANSWER_BYTES)}")
    return json.loads(content)
