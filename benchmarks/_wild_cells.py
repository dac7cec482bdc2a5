"""Tables for wild.py, parsed by rules of its own: nothing here comes from rfviz."""

from __future__ import annotations

import json
import re
import sqlite3
import warnings
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet
from _wild_facts import Facts

__all__ = ["Cells", "read_cells"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_CODE = re.compile(r"0\d")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?")
# More different words than this are text, of which nothing is computed.
_FEW_WORDS = 100


class Cells:
    """The cells of a table.

    Parameters
    ----------
    frame : DataFrame of object
        Texts, numbers or None for a missing value.
    facts : Facts
    written : DataFrame of object
        The same with all words that mean a missing value.
    """

    def __init__(self, frame: pd.DataFrame, facts: Facts, written: pd.DataFrame) -> None:
        self.frame, self.facts, self.written = frame, facts, written
        self.n_rows, self.label = len(frame), facts.label
        # Columns that the findings do not use, and those that number the rows.
        self.unused, self.keys = set[str](), set[str]()
        # Rows that are left where gaps are not filled in, as the findings claim.
        self.usable = self.n_rows
        # What gives the order, how many features rows have, and all claims of the file.
        self.orders, self.n_features, self.claims = set[str](), None, list[Any]()
        # What was computed of them before, and how many times as many draws are made.
        self.memory, self.effort = dict[Any, Any](), 1

    def labelled(self, name: str) -> Cells:
        """Return the same cells with another label."""
        return Cells(self.frame, replace(self.facts, label=name), self.written)

    def with_more_draws(self) -> Cells:
        """Return the same cells, of which what depends on draws is computed with five times as many."""
        if "more" not in self.memory:
            self.memory["more"] = more = copy(self)
            more.memory, more.effort = {}, 5
        return self.memory["more"]

    @cached_property
    def columns(self) -> list[str]:
        """All columns but the label."""
        return [name for name in self.frame.columns if name != self.label]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each column holds: "empty", "number", "date", "words" or "text"."""
        return {name: self._kind(name) for name in self.frame.columns}

    @property
    def is_class(self) -> bool:
        """Whether the label is taken for classes, as the findings claim."""
        return any(claim["what"] == "classes" for claim in self.claims)

    @property
    def used(self) -> list[str]:
        """The columns that the others are computed from: neither told as unused, nor the order, nor dates."""
        left = [name for name in self.columns if name not in self.unused | self.orders]
        return [name for name in left if self.kinds[name] not in ("empty", "date")]

    def _kind(self, name: str) -> str:
        known = self.frame[name].dropna()
        if known.empty:
            return "empty"
        if name in self.facts.dates:
            return "date"
        if known.map(lambda cell: isinstance(cell, (int, float)) and not isinstance(cell, bool)).all():
            return "number"
        texts = known.astype(str).str.strip()
        if texts.str.fullmatch(_NUMBER).all() and not texts.str.match(_CODE).any():
            return "number"
        if texts.str.fullmatch(_DATE).all():
            return "date"
        return "words" if texts.nunique() <= max(min(_FEW_WORDS, len(texts) // 2), 2) else "text"

    def missing(self, name: str) -> np.ndarray:
        """Return which rows lack a value, or hold an infinite one."""
        gaps = self.frame[name].isna().to_numpy()
        return gaps | np.isinf(self.numbers(name)) if self.kinds[name] == "number" else gaps

    def numbers(self, name: str) -> np.ndarray:
        """Return numbers, or dates as seconds, as floats; nan where one is missing."""
        cells = self.frame[name]
        if self.kinds[name] == "date":
            form = self.facts.dates.get(name, "ISO8601")
            dates = pd.to_datetime(cells.astype(object).where(cells.notna(), None), format=form, errors="coerce")
            return ((dates - pd.Timestamp(0)) / pd.Timedelta(seconds=1)).to_numpy(np.float64)
        plain = cells.map(lambda cell: cell.strip().rstrip("%") if isinstance(cell, str) else cell)
        return pd.to_numeric(plain, errors="coerce").to_numpy(np.float64)

    def codes(self, name: str) -> np.ndarray:
        """Return a number for each different cell, whatever the column holds: equal numbers are equal; −1 is a gap."""
        if self.kinds[name] in ("number", "date"):
            return pd.factorize(self.numbers(name) + 0.0)[0]
        texts = self.frame[name].map(lambda cell: cell if cell is None else str(cell).strip())
        return pd.factorize(texts)[0]

    def sorted_codes(self, name: str) -> np.ndarray:
        """Return the place of each word among all of the column in alphabetical order; −1 is a gap."""
        texts = self.frame[name].map(lambda cell: None if cell is None else str(cell).strip())
        return pd.factorize(texts, sort=True)[0]

    def labels(self) -> pd.Series:
        """Return the label of each row as it is written, None without one; numbers that are equal are written alike."""
        cells = self.frame[self.label]
        if self.kinds[self.label] == "number":
            cells = pd.Series(self.numbers(self.label)).map(lambda x: None if np.isnan(x) else f"{x:.15g}")
        return cells.astype(object).where(cells.notna(), None).map(lambda x: x.strip() if isinstance(x, str) else x)


def read_cells(path: Path, facts: Facts, either: bool = True) -> Cells:
    """Parse a file by what is known of it; with `either`, words that may mean a missing value do."""
    written = _frame(path, facts)
    frame = written.copy()
    words = {"", *facts.missing, *(facts.either if either else ())}
    for name in frame.columns:
        cells = frame[name].astype(object)
        is_gap = cells.isna() | cells.map(lambda cell: isinstance(cell, str) and cell.strip() in words)
        frame[name] = cells.where(~is_gap, None)
    return Cells(frame, facts, written)


def _frame(path: Path, facts: Facts) -> pd.DataFrame:
    suffix = path.suffix.lower()
    if suffix == ".json":
        rows = json.loads(path.read_text(encoding=facts.encoding))
        return pd.DataFrame(rows, dtype=object)
    if suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pandas().astype(object)
    if suffix in (".sqlite", ".db"):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        cursor = connection.execute(f'select * from "{facts.table}"')
        names = [part[0] for part in cursor.description]
        return pd.DataFrame(cursor.fetchall(), columns=names, dtype=object)
    if suffix == ".xlsx":
        rows = list(openpyxl.load_workbook(path, data_only=True)[facts.table].iter_rows(values_only=True))
        return pd.DataFrame(rows[1:], columns=list(rows[0]), dtype=object)
    how: dict[str, Any] = {"sep": facts.sep} if facts.sep != " " else {"sep": r"\s+"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pd.read_csv(
            path,
            header=0 if facts.header else None,
            skiprows=facts.skip,
            quotechar=facts.quote,
            encoding=facts.encoding,
            dtype=str,
            keep_default_na=False,
            index_col=False,
            **how,
        )
    frame = frame.iloc[facts.second :, int(facts.row_names) :]
    if not facts.header:
        frame.columns = [f"column {place}" for place in range(1, frame.shape[1] + 1)]
    # A column without a name counts by its place.
    frame.columns = [re.sub(r"^Unnamed: (\d+)$", lambda found: f"column {int(found[1]) + 1}", c) for c in frame.columns]
    # Lines of separators alone, as spreadsheets leave them below a table, are not rows.
    is_blank = (frame.apply(lambda column: column.str.strip()) == "").all(axis=1)
    return frame[~is_blank].reset_index(drop=True)
