"""Missing values: how many there are in each column, and whether they depend on the label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, norm, rankdata

from rfviz.datasets.files.table import NUMBER
from rfviz.lab.quick_inspection.raw import Raw

__all__ = ["MissingResult", "TellingGap", "inspect_missing"]

# That gaps depend on the label is said where chance would give it once in a thousand tables, and it is no trifle.
_FALSE_ALARM, _STRONG = 1e-3, 0.1
_FEWEST = 5


@dataclass(frozen=True)
class TellingGap:
    """A column whose gaps depend on the label.

    Attributes
    ----------
    column : str
    strength : float
        Cramér's V, or the correlation of gaps with the ranks of a target.
    most, least : (str, float)
        The class of which the largest and the smallest share lacks a value; empty names for a target.
    """

    column: str
    strength: float
    most: tuple[str, float]
    least: tuple[str, float]


@dataclass(frozen=True, eq=False)
class MissingResult:
    """Missing values of all rows.

    Attributes
    ----------
    shares : tuple of (str, float)
        Columns that lack values and the share of the rows, the largest first.
    rows : ndarray of int
        Rows of the file, from 0, that lack some value of a column that is not empty.
    n_rows, n_columns : int
        All that were looked at.
    telling : tuple of TellingGap
        The strongest first.
    unlabelled : int
        Rows without a label.
    infinite : tuple of (str, int)
        Columns that hold infinite values, which count as missing, and how many.
    """

    shares: tuple[tuple[str, float], ...]
    rows: np.ndarray
    n_rows: int
    n_columns: int
    telling: tuple[TellingGap, ...]
    unlabelled: int
    infinite: tuple[tuple[str, int], ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column that lacks values."""
        strength = {gap.column: gap.strength for gap in self.telling}
        return pd.DataFrame(
            [(name, share, strength.get(name, np.nan)) for name, share in self.shares],
            columns=["column", "missing", "depends on the label"],
        )


def inspect_missing(raw: Raw) -> MissingResult:
    """Count missing values, and test whether they depend on the label."""
    lacking, masks = np.zeros(raw.n_rows, dtype=bool), {}
    shares, infinite = [], []
    for name in raw.columns:
        if not raw.table.n_missing(name):
            continue
        mask = raw.lacks(name)
        n = int(mask.sum())
        if not n:
            continue
        shares.append((name, n / raw.n_rows))
        if raw.table.kind(name) == NUMBER and (n_infinite := int(np.isinf(raw.numbers(name)).sum())):
            infinite.append((name, n_infinite))
        if n < raw.n_rows:
            lacking |= mask
            masks[name] = mask
    found = [_telling(raw, name, mask, len(masks)) for name, mask in masks.items()]
    telling = sorted((gap for gap in found if gap is not None), key=lambda gap: -gap.strength)
    unlabelled = 0 if raw.y is None else int(np.count_nonzero(~raw.labelled))
    return MissingResult(
        tuple(sorted(shares, key=lambda pair: -pair[1])), raw.file_rows(np.flatnonzero(lacking)), raw.n_rows,
        len(raw.columns), tuple(telling), unlabelled, tuple(infinite),
    )  # fmt: skip


def _telling(raw: Raw, name: str, mask: np.ndarray, n_tests: int) -> TellingGap | None:
    """Return how the gaps of a column depend on the label; None where nothing says that they do."""
    if raw.y is None:
        return None
    mask, y = mask[raw.labelled], raw.y[raw.labelled]
    n, n_missing = len(mask), int(mask.sum())
    if min(n_missing, n - n_missing) < _FEWEST:
        return None
    if not raw.target_names:
        ranks = rankdata(y)
        if np.ptp(ranks) == 0:
            return None
        r = abs(float(np.corrcoef(mask, ranks)[0, 1]))
        is_real = r * np.sqrt(n) > norm.isf(_FALSE_ALARM / 2 / n_tests)
        return TellingGap(name, r, ("", 0.0), ("", 0.0)) if is_real and r >= _STRONG else None
    counts = np.bincount(y, minlength=len(raw.target_names))
    gaps = np.bincount(y, mask, minlength=len(counts))
    there = np.flatnonzero(counts)
    if len(there) < 2:
        return None
    table = np.array([gaps[there], counts[there] - gaps[there]])
    result = chi2_contingency(table, correction=False)
    strength = float(np.sqrt(result.statistic / n))  # pyright: ignore[reportAttributeAccessIssue]
    if result.pvalue > _FALSE_ALARM / n_tests or strength < _STRONG:  # pyright: ignore[reportAttributeAccessIssue]
        return None
    often = there[counts[there] >= _FEWEST]
    often = often if len(often) > 1 else there
    share = gaps[often] / counts[often]
    most, least = often[int(share.argmax())], often[int(share.argmin())]
    return TellingGap(
        name, strength, (raw.target_names[most], float(share.max())), (raw.target_names[least], float(share.min()))
    )
