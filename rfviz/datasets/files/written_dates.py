"""Dates as tables write them: a few cells show the forms that a column may have, and pandas reads it in the best."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.files.written_numbers import spread_places

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["is_written_date", "numbered_days", "seconds_of", "written_dates"]

# Words that show which forms a column may have, and words that these are tried on before all are read.
_SHOWING, _TRIED = 100, 2000
_LONGEST = 60
# What a date is made of. Two digits that touch a time are the day before it.
_PIECES = re.compile(
    r"(?P<time>\d{1,2}:\d\d(?P<seconds>:\d\d(?P<fraction>\.\d{1,9})?)?(?P<half> ?[AaPp][Mm])?"
    r"(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\w))"
    r"|(?P<C>\d{8})(?!\d)|(?P<Y>\d{4})(?![\d:])|(?P<n>\d{1,2}(?![\d:])|\d\d(?=\d\d:\d\d))"
    r"|(?P<word>[A-Za-z]+)|(?P<between>[-/., ]+)"
)
# What numbers of one or two digits (n) mean, by the sequence of the parts of a date: eight digits are C, four Y, and
# the name of a month is b.
_ORDERS = {
    "nnY": ("dm", "md"),
    "Ynn": ("md",),
    "nnn": ("dmy", "mdy", "ymd"),
    "nbY": ("d",),
    "bnY": ("d",),
    "nbn": ("dy",),
    "Ybn": ("d",),
    "C": ("",),
}
_CUT_ALIKE = re.compile(r"\d+([-/. ])\d{1,2}\1\d+")
_NAMES = {
    name.lower(): form
    for form, names in (
        ("%B", calendar.month_name),
        ("%b", calendar.month_abbr),
        ("%A", calendar.day_name),
        ("%a", calendar.day_abbr),
    )
    for name in names
    if name
}
_ISO = "ISO8601"
# A year of two digits is not more than this many ahead of today.
_YEARS_AHEAD = 20
# Days as whole numbers are of these years.
_EARLIEST, _LATEST = 18000101, 21991231


def written_dates(known: Sequence[str], share: float, counts: np.ndarray) -> tuple[pd.Series | None, str] | None:
    """Return the dates that the cells of a column hold as text, or None if they are not dates.

    Whether the day or the month comes first is decided by the column as a whole: by the form that more cells have.

    Parameters
    ----------
    known : sequence of str
        Each different word once.
    share : float
        Of the cells that must be dates.
    counts : ndarray of int
        How many cells each word stands for.

    Returns
    -------
    dates : Series of datetime64 in UTC, or None
        NaT for cells that are not dates in the form of the column; None if too few cells share a form.
    said : str
        The decisions that the cells leave open, or why there are no dates.
    """
    import pandas as pd

    shown = spread_places(len(known), _SHOWING)
    forms = dict.fromkeys(form for place in shown for form in _forms(known[int(place)]))
    if not forms:
        return None
    words = pd.Series(known, dtype="str")
    tried = spread_places(len(words), _TRIED)
    weights = counts[tried]
    likely = _distinct({form: _read(words.iloc[tried], form) for form in forms})
    fits = {form: dates.notna().to_numpy() for form, dates in likely.items()}
    if weights[np.any(list(fits.values()), axis=0)].sum() < share * weights.sum():
        return None
    most = max(weights[fit].sum() for fit in fits.values())
    read = {form: _read(words, form) for form, fit in fits.items() if weights[fit].sum() == most}
    n_read = {form: counts[dates.notna().to_numpy()].sum() for form, dates in read.items()}
    if max(n_read.values()) < share * counts.sum():
        return None, "holds dates written in several ways"
    equal = {form: dates for form, dates in read.items() if n_read[form] == max(n_read.values())}
    strange = {form: _strangeness(form, dates) for form, dates in equal.items()}
    form = min(strange, key=strange.__getitem__)
    for other, dates in equal.items():
        if strange[other][0] == strange[form][0] and not dates.equals(equal[form]):
            return equal[form], f"is read with the {_first(form)} first, but could be with the {_first(other)} first"
    return equal[form], ""


def is_written_date(word: str) -> bool:
    """Return whether a word may be a date, in whichever form; digits alone are none."""
    return not word.isdigit() and bool(_forms(word))


def numbered_days(values: np.ndarray, share: float) -> np.ndarray | None:
    """Return the seconds since 1970 of days written as whole numbers, such as 20240131, or None if they are not days.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Real numbers of any type.
    share : float
        Of the finite values that must be days; the others become nan.
    """
    import pandas as pd

    inside = (values >= _EARLIEST) & (values <= _LATEST)
    if not inside.any():
        return None
    n_known = np.count_nonzero(np.isfinite(values))
    if np.count_nonzero(inside) < share * n_known:
        return None
    inside &= np.rint(values) == values
    days = _read(pd.Series(values[inside].astype(np.int64)).astype("str"), _ISO)
    if days.notna().sum() < share * n_known:
        return None
    seconds = np.full(values.size, np.nan)
    seconds[inside] = seconds_of(days)
    return seconds


def seconds_of(dates: pd.Series) -> np.ndarray:
    """Return the seconds since 1970 of times in UTC, nan where there is none."""
    stamps = dates.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.where(dates.isna().to_numpy(), np.nan, stamps.astype(np.int64) / 1e6)


def _distinct(read: dict[str, pd.Series]) -> dict[str, pd.Series]:
    """Return the forms that read words as other dates than those before them do."""
    found: dict[str, pd.Series] = {}
    for form, dates in read.items():
        if not any(dates.equals(other) for other in found.values()):
            found[form] = dates
    return found


def _forms(word: str) -> list[str]:
    """Return the forms in which a word may be a date, for :func:`pandas.to_datetime`, the usual ones first."""
    parts, pieces, end = "", [], 0
    for found in _PIECES.finditer(word) if len(word) <= _LONGEST else ():
        part, piece = _meaning(found)
        if found.start() > end or not piece:
            return []
        parts, end = parts + part, found.end()
        pieces.append(piece)
    if not word or end < len(word) or (set(parts) <= {"n", "Y"} and not _CUT_ALIKE.search(word)):
        return []
    forms = [_ISO] if parts == "Ynn" and "-" in word else []
    for order in _ORDERS.get(parts, ()):
        meant = iter(order)
        forms.append("".join(f"%{next(meant)}" if piece == "n" else piece for piece in pieces))
    return forms


def _meaning(found: re.Match[str]) -> tuple[str, str]:
    """Return which part of a date a piece is, if it is one, and its form; an empty form if dates have no such piece."""
    kind, text = str(found.lastgroup), found[0]
    if kind == "time":
        form = "%I:%M" if found["half"] else "%H:%M"
        form += ":%S" * bool(found["seconds"]) + ".%f" * bool(found["fraction"])
        for group, directive in (("half", "%p"), ("zone", "%Z" if text.endswith(("UTC", "GMT")) else "%z")):
            form += f"{' ' * found[group].startswith(' ')}{directive}" if found[group] else ""
        return "", form
    if kind == "word":
        form = "T" if text == "T" else _NAMES.get(text.lower(), "")
        return "b" if form in ("%B", "%b") else "", form
    return (kind, {"C": "%Y%m%d", "Y": "%Y"}.get(kind, "n")) if kind in "CYn" else ("", text)


def _read(words: pd.Series, form: str) -> pd.Series:
    """Return the dates that words hold in one form, NaT where they have another."""
    import pandas as pd

    dates = pd.to_datetime(words, format=form, errors="coerce", utc=True)
    if "%y" not in form:
        return dates
    is_ahead = dates.dt.year > datetime.now().year + _YEARS_AHEAD
    return dates.mask(is_ahead, dates - pd.DateOffset(years=100))


def _strangeness(form: str, dates: pd.Series) -> tuple[int, int, bool]:
    """Return what speaks against a form that fits as many cells as others: many years, many days of the month.

    Days that are all the same within several years are the first of each month; if nothing tells, the day comes first.
    """
    n_years = dates.dt.year.nunique()
    return n_years, dates.dt.day.nunique() if n_years > 1 else 0, _first(form) != "day"


def _first(form: str) -> str:
    """Return what comes first in a form: the day, the month or the year."""
    return {"d": "day", "m": "month"}.get("".join(re.findall("%([dmyY])", form))[:1], "year")
