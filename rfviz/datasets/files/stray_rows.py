"""Rows of a table that are not samples: its header once more, comments, remarks below it, and sums of the others.

A row is left out only where it is certain what it is, and told in any case. Rows are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.files.written_numbers import numbers_of, written_numbers
from rfviz.datasets.wording import counted, one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["without_stray_rows"]

_TOTALS = (
    "total",
    "totals",
    "grand total",
    "total general",
    "subtotal",
    "sub-total",
    "sum",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "zwischensumme",
    "totaal",
    "totale",
    "somme",
    "suma",
    "итого",
    "всего",
    "合计",
    "总计",
    "合計",
    "總計",
)
_REMARK = re.compile(r"[*©†#]|(sources?|notes?|quellen?|fuentes?|anmerkung(en)?|remarks?|legend)\b|\(\d\)|.{40,}", re.I)
_FEWEST, _MOST_BELOW, _MOST_COLUMNS = 4, 10, 20
# A sum may be written with fewer digits than its parts, of which it has several.
_TOLERANCE, _FEWEST_PARTS = 1e-3, 3


def without_stray_rows(
    frame: pd.DataFrame, names: Sequence[str], codes: Sequence[int] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out rows that certainly are not samples, and say which may not be.

    Parameters
    ----------
    frame : DataFrame
        A table as its text was read; its columns are numbered, as are its rows.
    names : sequence of str
        The names of its columns in the file; empty if there are none.
    codes : sequence of int
        Columns of digits that stay words.
    """
    import pandas as pd

    words = [place for place, dtype in enumerate(frame.dtypes) if isinstance(dtype, pd.StringDtype)]
    if len(frame) < _FEWEST or frame.shape[1] < 2:
        return frame, ()
    notes: list[str] = []
    out = _empty_below(frame)
    if out.any():
        notes.append(f"{counted(int(out.sum()), 'row')} without a value below the table {_left_out(out)}.")
    for found, said in (
        (_headers(frame, names, words), "The line of names occurs again, in {}, which {}."),
        (_comments(frame, words), "Comments stand among the rows, in {}, which {}."),
        (_remarks(frame, words, out), "Remarks stand below the table, in {}, which {}."),
    ):
        if found.any():
            notes.append(said.format(_rows(found), _left_out(found)))
            out |= found
    sums, said = _sums(frame, words, out)
    out |= sums
    notes.extend(said)
    return _without(frame, out, words, codes), tuple(notes)


def _rows(found: np.ndarray) -> str:
    places = (np.flatnonzero(found) + 1).tolist()
    shown = ", ".join(f"{place:,}" for place in places[:4]) + (", …" if len(places) > 4 else "")
    return f"row {shown}" if len(places) == 1 else f"rows {shown}"


def _left_out(found: np.ndarray) -> str:
    return f"{'is' if np.count_nonzero(found) == 1 else 'are'} left out"


def _without(frame: pd.DataFrame, out: np.ndarray, words: list[int], codes: Sequence[int]) -> pd.DataFrame:
    """Return the other rows, with numbers in columns where only the rows left out were words."""
    import pandas as pd

    if not out.any():
        return frame
    kept = frame.loc[~out].reset_index(drop=True)
    for place in set(words).difference(codes):
        series = kept.iloc[:, place]
        if series.notna().any() and not np.isnan(numbers_of(series.dropna())).any():
            kept.isetitem(place, pd.to_numeric(series))
    return kept


def _empty_below(frame: pd.DataFrame) -> np.ndarray:
    out = np.zeros(len(frame), dtype=bool)
    for row in range(len(frame) - 1, 0, -1):
        if not frame.iloc[row].isna().all():
            break
        out[row] = True
    return out


def _headers(frame: pd.DataFrame, names: Sequence[str], words: list[int]) -> np.ndarray:
    """Return the rows in which every column holds its name."""
    found = np.full(len(frame), bool(names))
    for place, name in enumerate(names[: frame.shape[1]]):
        if not found.any():
            break
        series = frame.iloc[:, place]
        if place in words:
            # A file put behind another begins with a mark of its encoding.
            found &= (series.str.strip("\ufeff \t").str.casefold() == name.strip().casefold()).to_numpy(
                dtype=bool, na_value=False
            ) | (series.isna().to_numpy() if not name.strip() else False)
        else:
            found &= series.to_numpy() == numbers_of([name])[0]
    return found


def _comments(frame: pd.DataFrame, words: list[int]) -> np.ndarray:
    """Return the rows that hold nothing but a cell that begins like a comment, as no sample does."""
    if 0 not in words:
        return np.zeros(len(frame), dtype=bool)
    found = frame.iloc[:, 0].str.lstrip().str.startswith(("#", "%")).to_numpy(dtype=bool, na_value=False)
    # Of a table of thousands of columns, even no row takes long to cut out.
    if found.any() and not frame.iloc[np.flatnonzero(found), 1:].isna().all(axis=None):
        return np.zeros(len(frame), dtype=bool)
    return found


def _remarks(frame: pd.DataFrame, words: list[int], empty: np.ndarray) -> np.ndarray:
    """Return the last rows that hold a remark and nothing else, if no sample has a single value."""
    found = np.zeros(len(frame), dtype=bool)
    if 0 not in words or frame.shape[1] < 3:
        return found
    last = len(frame) - 1 - int(empty.sum())
    for row in range(last, max(last - _MOST_BELOW, _FEWEST), -1):
        cells = frame.iloc[row]
        is_remark = cells.iloc[1:].isna().all() and (
            cells.isna().iloc[0] or _REMARK.match(str(cells.iloc[0]).strip()) is not None
        )
        if not is_remark:
            break
        found[row] = True
    if found.any() and frame.loc[~found & ~empty].iloc[:, 1:].isna().all(axis=1).any():
        return np.zeros(len(frame), dtype=bool)
    return found


def _sums(frame: pd.DataFrame, words: list[int], out: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the rows that are the sum of all others, and a note on rows that are named like one."""
    none = np.zeros(len(frame), dtype=bool)
    for place in words[:_MOST_COLUMNS]:
        named = frame.iloc[:, place].str.strip().str.rstrip(":").str.lower().isin(_TOTALS).to_numpy(dtype=bool) & ~out
        if not named.any():
            continue
        word = one_line(frame.iloc[int(np.flatnonzero(named)[0]), place], 20)
        if named.sum() == 1:
            if _is_sum(frame, named, out):
                return named, [f"“{word}” in {_rows(named)} is the sum of the other rows, and is left out."]
            return none, [f"{_rows(named).capitalize()} is named “{word}”: leave it out if it sums up others."]
        if _are_largest(frame, place, named, out):
            return none, [
                f"{counted(int(named.sum()), 'row')} are named “{word}”: leave them out if they sum up others."
            ]
    return none, []


def _numbers(series: pd.Series) -> np.ndarray:
    """Return the numbers of a column, nan where it has none."""
    if series.dtype.kind in "iufb":
        return series.to_numpy(dtype=np.float64)
    cells = series.fillna("").astype(str).tolist()
    written = written_numbers([cell for cell in cells if cell.strip()], 0.8)
    values = np.full(len(cells), np.nan)
    if written is not None:
        values[[bool(cell.strip()) for cell in cells]] = written[0]
    return values


def _is_sum(frame: pd.DataFrame, named: np.ndarray, out: np.ndarray) -> bool:
    """Return whether a row holds the sum of the others in some column."""
    for place in range(frame.shape[1]):
        values = _numbers(frame.iloc[:, place])
        parts, total = values[~named & ~out], values[named][0]
        if np.count_nonzero(np.nan_to_num(parts)) >= _FEWEST_PARTS and total:
            expected = np.nansum(parts)
            if abs(total - expected) <= _TOLERANCE * min(abs(expected), abs(total)):
                return True
    return False


def _are_largest(frame: pd.DataFrame, place: int, named: np.ndarray, out: np.ndarray) -> bool:
    """Return whether rows named like sums have the largest numbers of all names, as sums have."""
    import pandas as pd

    names = frame.iloc[:, place]
    is_larger = False
    for other, (_, series) in enumerate(frame.items()):
        if other == place or series.dtype.kind not in "iuf" or (series < 0).any():
            continue
        parts = pd.Series(series.to_numpy(dtype=np.float64)[~out & ~named])
        medians = parts.groupby(names[~out & ~named].to_numpy()).median()
        own = np.nanmedian(series[named])
        if len(medians) < 2 or own < medians.max():
            return False
        is_larger |= bool(own > medians.max())
    return is_larger
