"""Numbers at the ends of a column that stand apart from all others: codes for missing values, and slips.

What stands apart is judged by the other values of the column. The spacings of the largest of n numbers, times their
ranks, are independent exponential variables of one mean, whatever the law, if its tail falls off exponentially (Rényi);
of numbers whose tail falls off as a power their logarithms are. A gap must be too wide for both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import binom

__all__ = ["FEWEST", "Apart", "far_off", "stand_apart"]

#: Rows from which the values of a column can be compared.
FEWEST = 30
# Fewer different values than these are looked at as the answers of a survey are.
_DISTINCT = 10
# Rows that a code has at least, how many codes there are at one end at most, and the share of the rows that they have.
_REPEATED, _MOST_CODES, _MOST_ROWS = 3, 3, 0.4
# How far from all others a code is, in units of the span that nine tenths of them have: zero, a power of ten, others;
# zero farther in columns of few rows, whose least number above it may be large by chance.
_ZERO, _TEN, _OTHER, _FEW = 0.3, 0.5, 1.0, 5.0
# Numbers that end in 9 are prices, of which 999 is one more, if more than this share does.
_PRICES = 0.3
# At most this many slips at one end; they are this many times as far from the median as the nearest other number.
_SLIPS, _FURTHER = 5, 3.0
# Spacings that a gap is compared with: of at most this many numbers, and this part of all; and least count of
# different ones.
_SPACINGS, _TAIL, _STEPS = 50, 6, 10
# Different numbers between those that are odd and the median; without them their law is not known.
_FEWEST_BETWEEN = 3
# A gap is at least this many times as wide as those of the next different numbers; where it is as wide as the span, the
# probability of ties counts more than that of the gap.
_WIDER, _GAP = 3.0, 0.01
# Logarithms are seen to be of counts if these are not large.
_MOST_COUNTS = 1000
# Numbers of a long column that are looked at: at each end, and spread evenly.
_LOOKED_AT, _SPREAD = 2000, 20_000


@dataclass(frozen=True, eq=False)
class Apart:
    """Numbers that stand apart from all others of their column.

    Attributes
    ----------
    kind : {"code", "far"}
        A repeated number, probably a code for a missing value; or numbers so far off that they are probably slips.
    values : ndarray of shape (k,)
        Each once, rising.
    low, high : float
        The ends of the others.
    """

    kind: Literal["code", "far"]
    values: np.ndarray
    low: float
    high: float


def stand_apart(values: np.ndarray, false_alarm: float, usual: Collection[float] | None = None) -> list[Apart]:
    """Return the codes and the slips among the numbers of a column, which has no gaps.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Float64, at least 30.
    false_alarm : float
        The probability that chance makes a column of one law have any.
    usual : collection of float, optional
        Numbers that are codes in such a column wherever they stand apart. By default these are nines, and zeros and
        negative numbers have rules of their own.
    """
    low, high = float(values.min()), float(values.max())
    if low == high or len(values) < FEWEST:
        return []
    limit = 0.5 * false_alarm
    found: list[np.ndarray] = []
    ends = _End.both(values)
    for end in ends:
        n_codes = _codes(end, limit, usual) if end.is_varied else _codes_of_few(end, limit) if usual is None else 0
        if n_codes:
            found.append(np.sort(end.sign * end.distinct[:n_codes]))
            ends = _End.both(values[~np.isin(values, np.concatenate(found))])
    slips = [np.sort(end.sign * end.distinct[: _slips(end, limit)]) for end in ends if end.is_varied]
    several = [some for some in slips if len(some) and not _is_repeated(values, some)]
    found += [some for some in slips if len(some) and _is_repeated(values, some)]
    codes = [Apart("code", some, *_ends_without(values, some)) for some in found]
    return codes + [Apart("far", some, *_ends_without(values, some)) for some in several]


def far_off(values: np.ndarray) -> np.ndarray:
    """Return which of some numbers without gaps lie far beyond all others, as slips and codes do; shape (n,)."""
    numbers = values.astype(np.float64)
    return np.isin(numbers, [value for odd in stand_apart(numbers, 1e-3) for value in odd.values])


@dataclass(frozen=True, eq=False)
class _End:
    """One end of a column, turned so that it is the upper one.

    Attributes
    ----------
    distinct, counts : ndarray of shape (k,)
        Different numbers, the largest first, and how many rows have each; of long columns only the first.
    some : ndarray
        Numbers of the column, spread evenly, sorted.
    n : int
        Rows of the column.
    sign : float
        −1 if it was turned.
    """

    distinct: np.ndarray
    counts: np.ndarray
    some: np.ndarray
    n: int
    sign: float

    @classmethod
    def both(cls, values: np.ndarray) -> tuple[_End, _End]:
        """Return the lower and the upper end of a column."""
        n = len(values)
        some = np.sort(values[:: max(n // _SPREAD, 1)])
        turned = -some[::-1]
        if len(some) == n:
            distinct, counts = np.unique(some, return_counts=True)
            return cls(-distinct, counts, turned, n, -1.0), cls(distinct[::-1], counts[::-1], some, n, 1.0)
        return cls(*_first(-values, turned), turned, n, -1.0), cls(*_first(values, some), some, n, 1.0)

    @property
    def is_varied(self) -> bool:
        return len(self.distinct) >= _DISTINCT

    def without(self, n_values: int) -> np.ndarray:
        """Return numbers spread evenly, without the first different ones."""
        return self.some[self.some < self.distinct[n_values - 1]]

    def gap(self, n_values: int) -> float:
        """Return how far the first different numbers are from the next."""
        return float(self.distinct[n_values - 1] - self.distinct[n_values])

    def step(self, n_values: int) -> float:
        """Return the least difference of the next numbers, as they are rounded."""
        return float(-np.diff(self.distinct[n_values : n_values + _SPACINGS]).max(initial=-np.inf))

    def is_wide(self, n_values: int) -> bool:
        """Return whether the gap is wider than those of the next different numbers, in units and in times."""
        steps = self.distinct[n_values - 1 : n_values + _STEPS + 1]
        off = steps[steps > (middle := float(np.median(self.without(n_values))))] - middle
        scales = [off, np.log(off)] if len(off) > 2 else [steps]
        return all(x[0] - x[1] > _WIDER * (x[1] - x[-1]) / (len(x) - 2) for x in scales)

    def chance_of_ties(self, n_values: int) -> float:
        """Return the probability that all rows beyond the others have one number, if none is likelier than a nearer."""
        cells = max(self.gap(n_values) / self.step(n_values), 1.0)
        return cells ** -float(self.counts[:n_values].min())

    def chance(self, n_values: int) -> float:
        """Return the probability that the first different numbers are so far from the others by chance."""
        others = self.without(n_values)
        if not len(others):
            return 1.0
        # The numbers as they are, and the logarithms of their distances from the median.
        middle = float(np.median(others))
        if np.count_nonzero(self.distinct[n_values:] > middle) < _FEWEST_BETWEEN:
            return 1.0
        step = self.step(n_values)
        j = int(self.counts[:n_values].sum())
        m = min(_SPACINGS, (self.n - j) // _TAIL)
        last = n_values + int(np.searchsorted(np.cumsum(self.counts[n_values:]), m + 1)) + 1
        off = self.distinct[n_values - 1 : last] - middle
        off[0] -= step if j > 1 else 0.0  # ties that rounding makes
        counts = self.counts[n_values:last]
        logs = np.log(np.maximum(off, 0.5 * step))
        return max(_chance_of_gap(scale[0] - scale[1], scale[1:], counts, j, m) for scale in (off, logs))


def _first(values: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest of many numbers, each once, and how many rows have each; `some` of them are sorted."""
    # Those beyond a number that twice as many should exceed are few, and soon partitioned.
    part = values[values >= some[-min(2 * _LOOKED_AT * len(some) // len(values) + 10, len(some))]]
    part = values if len(part) < _LOOKED_AT else part
    part = part[part >= np.partition(part, len(part) - _LOOKED_AT)[len(part) - _LOOKED_AT]]
    counted = pd.Series(part).value_counts(sort=False)
    if len(counted) <= _SPACINGS:  # many rows have the same few numbers
        counted = pd.Series(values).value_counts(sort=False)
    distinct, counts = counted.index.to_numpy(np.float64), counted.to_numpy()
    order = np.argsort(-distinct)
    return distinct[order], counts[order]


def _chance_of_gap(gap: float, next_values: np.ndarray, counts: np.ndarray, j: int, m: int) -> float:
    """Return the probability of a gap below the j largest numbers, from the m spacings of the next."""
    numbers = np.repeat(next_values, counts)[: m + 1]
    m = len(numbers) - 1
    if m < 2:
        return 1.0
    mean = float(np.mean(np.arange(j + 1, j + m + 1) * -np.diff(numbers)))
    steps = next_values[: _STEPS + 1]
    if len(steps) > 1:  # numbers of few values are equal often, and then far from the next
        mean = max(mean, float(steps[0] - steps[-1]) / (len(steps) - 1))
    return 1.0 if mean <= 0 or gap <= 0 else float(np.exp(-m * np.log1p(j * gap / mean / m)))


def _slips(end: _End, limit: float) -> int:
    """Return how many different numbers are slips."""
    rows = np.cumsum(end.counts)
    middle = float(np.median(end.some))
    found = 0
    for place in range(1, min(_SLIPS, len(end.distinct) - _DISTINCT // 2) + 1):
        if rows[place - 1] > max(_SLIPS, 0.01 * end.n):
            break
        further = end.distinct[place - 1] - middle >= _FURTHER * (end.distinct[place] - middle)
        if further and end.is_wide(place) and end.chance(place) <= limit / _SLIPS:
            found = place
    return found


def _codes(end: _End, limit: float, usual: Collection[float] | None) -> int:
    """Return how many different numbers are codes for a missing value."""
    found = 0
    for place in range(1, min(_MOST_CODES, len(end.distinct) - _DISTINCT) + 1):
        if end.counts[place - 1] < _REPEATED:
            break
        is_one = _is_only_sign(end, place, limit) if usual is None else False
        if is_one or (end.counts[:place].sum() <= _MOST_ROWS * end.n and _is_apart(end, place, limit, usual)):
            found = place
    return found


def _is_only_sign(end: _End, place: int, limit: float) -> bool:
    """Return whether repeated numbers are the only ones below 0, and more frequent than a lower end makes them."""
    values = end.distinct
    if end.sign > 0 or not values[place - 1] > 0 >= values[place]:
        return False
    if place > 1 and not any(map(_is_nines, values[:place].tolist())):  # days before the first one, say
        return False
    if abs(float(end.some.mean())) < 1e-3 * float(end.some.std()):  # centred: 0 is the mean, and not a bound
        return False
    k, most = int(end.counts[:place].min()), int(end.counts[place : place + 3].max())
    spike = float(binom.sf(k - 1, k + most, 0.5))
    return 2.0 * min(spike, end.chance_of_ties(place)) <= limit


def _is_apart(end: _End, place: int, limit: float, usual: Collection[float] | None) -> bool:
    """Return whether repeated numbers are as far from all others as a code is, and farther than by chance."""
    value, gap = float(end.distinct[0]), end.gap(place)
    others = end.without(place)
    if not len(others):
        return False
    span = float(np.subtract(*np.percentile(others, (95, 5))))
    is_usual = value * end.sign in usual if usual is not None else _is_nines(value) and not _are_prices(others)
    if not is_usual and (place > 1 or value % 1 != 0):
        return False
    if usual is None and value == 0:
        least = _ZERO * (1.0 + _FEW / np.sqrt(end.n)) * span
        return gap > least and end.chance_of_ties(place) <= limit and not _are_logs(end.distinct[1 : _STEPS + 1])
    if not is_usual and gap <= (_TEN if usual is not None or _is_ten(value) else _OTHER) * span:
        return False
    return (
        end.is_wide(place) and end.chance(place) <= (limit if is_usual else _GAP) and end.chance_of_ties(place) <= limit
    )


def _is_ten(value: float) -> bool:
    return abs(value) >= 10 and set(_digits(value)[1:]) == {"0"} and _digits(value)[0] == "1"


def _is_repeated(values: np.ndarray, some: np.ndarray) -> bool:
    """Return whether this is one whole number that several rows have, and no slip."""
    return len(some) == 1 and some[0] % 1 == 0 and int(np.count_nonzero(values == some[0])) >= _REPEATED


def _codes_of_few(end: _End, limit: float) -> int:
    """Return how many codes end a scale of a few whole numbers without holes: 9 or 99 after 1 to 5, −9 before them."""
    found = 0
    for place in range(1, min(_MOST_CODES, len(end.distinct) - 2) + 1):
        k = int(end.counts[:place].min())
        holes = end.gap(place)
        is_scale = bool((np.diff(end.distinct[place:]) == -1).all()) and _is_nines(float(end.distinct[0]))
        if k >= _REPEATED and is_scale and holes >= _WIDER and holes**-k <= limit:
            found = place
    return found


def _is_nines(value: float) -> bool:
    return value != 0 and set(_digits(value)) == {"9"}


def _digits(value: float) -> str:
    return f"{abs(value):.12g}".replace(".", "").lstrip("0")


def _are_logs(numbers: np.ndarray) -> bool:
    """Return whether these are logarithms of counts, of which 0 is one."""
    if np.abs(numbers).max() > np.log(_MOST_COUNTS):
        return False
    counts = np.exp(np.abs(numbers))
    return bool((np.abs(counts - np.rint(counts)) <= 1e-5 * _MOST_COUNTS).all())


def _are_prices(numbers: np.ndarray) -> bool:
    some = numbers[:: max(len(numbers) // 1000, 1)]
    return sum(_digits(float(value)).endswith("9") for value in some) > _PRICES * len(some)


def _ends_without(values: np.ndarray, some: np.ndarray) -> tuple[float, float]:
    rest = values[~np.isin(values, some)]
    return float(rest.min()), float(rest.max())
