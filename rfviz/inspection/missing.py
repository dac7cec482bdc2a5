"""Missing values: how many there are in each column, and whether they depend on the label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, norm, rankdata

from rfviz.datasets.files.table import NUMBER
from rfviz.inspection.drawing import MOST_BARS, plot_bars
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question, without_columns
from rfviz.inspection.raw import Raw
from rfviz.inspection.words import plural, sentences, share, some_of
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Missing", "MissingResult", "TellingGap", "inspect_missing", "plot_missing"]

# That gaps depend on the label is told if chance would give it once in a thousand tables; least effect.
_FALSE_ALARM, _STRONG = 1e-3, 0.1
_FEWEST = 5
# Shares of missing values that are worth a look, and that warn.
_SOME_MISSING, _MANY_MISSING = 0.01, 0.5


@dataclass(frozen=True)
class TellingGap:
    """A column whose gaps depend on the label.

    Attributes
    ----------
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
        tuple(sorted(shares, key=lambda pair: -pair[1])),
        raw.file_rows(np.flatnonzero(lacking)),
        raw.n_rows,
        len(raw.columns),
        tuple(telling),
        unlabelled,
        tuple(infinite),
    )


def _telling(raw: Raw, name: str, mask: np.ndarray, n_tests: int) -> TellingGap | None:
    """Return how the gaps of a column depend on the label, or None if they do not show that they do."""
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


class Missing(Question[MissingResult]):
    """How many values are missing, and whether they depend on the label."""

    name, key = "Missing values", "missing"
    leaves_out = "rows"
    formats: ClassVar = {"missing": "percent", "depends on the label": "%.2f"}
    method = (
        "**Missing values.** Whether gaps depend on the label: a χ² test of each column, or, for numbers to "
        "predict, a correlation with their ranks. A dependence of at least 0.1 is reported, with one false alarm in "
        "a thousand tables."
    )

    kinds: ClassVar = {
        "rows with gaps": "Rows that lack a value of a column that is not completely empty; there are `columns`.",
        "missing share": "The share of the rows that lack a value of the column. Infinite numbers are missing, too.",
        "infinite values": "Infinite numbers in the column.",
        "unlabelled rows": "Rows without a label.",
        "gaps by label": (
            "How far a gap in the column depends on the label: Cramér’s V, or for a target the absolute correlation of "
            "gaps with its ranks. `share` of the rows of `class` have the gap, `other share` of those of `other class`."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images

    def compute(self, inspection: Inspection) -> MissingResult:
        return inspect_missing(inspection.raw)

    def claims(self, result: MissingResult, inspection: Inspection) -> Iterator[Claim]:
        n = result.n_rows
        yield Claim("rows with gaps", len(result.rows), n_rows=n, of={"columns": result.n_columns}, rows=result.rows)
        for column, part in result.shares:
            yield Claim("missing share", part, (column,), n)
        for column, n_infinite in result.infinite:
            yield Claim("infinite values", n_infinite, (column,), n)
        if inspection.raw.y is not None:
            unlabelled = inspection.raw.file_rows(np.flatnonzero(~inspection.raw.labelled))
            label = inspection.raw.label_columns
            yield Claim("unlabelled rows", result.unlabelled, label, n, rows=unlabelled)
        for gap in result.telling:
            (most, more), (least, less) = gap.most, gap.least
            of = {"class": most, "share": more, "other class": least, "other share": less} if most else {}
            yield Claim("gaps by label", gap.strength, (gap.column,), n - result.unlabelled, of=of)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        with_gaps = claims[0]
        n, n_columns = with_gaps.n_rows, with_gaps.of["columns"]
        shares = [(claim.columns[0], claim.value) for claim in claims.of("missing share")]
        n_unlabelled = claims.value("unlabelled rows", 0)
        unlabelled = f"{counted(n_unlabelled, 'row')} of {n:,} {plural(n_unlabelled, 'lacks', 'lack')} a label"
        if not shares:
            if n_unlabelled:
                found = self.say("look", f"No value is missing in the columns, but {unlabelled}.")
                return found.about(claims.rows, claims.columns)
            return self.say("fine", f"No value is missing in any of the {n:,} rows.")
        empty = [column for column, part in shares if part == 1.0]
        partly = [(column, part) for column, part in shares if part < 1.0]
        parts = []
        if partly:
            n_rows = with_gaps.value
            parts.append(
                f"{counted(n_rows, 'row')} of {n:,} ({share(n_rows / n)}) {plural(n_rows, 'lacks', 'lack')} some value"
            )
            worst = ", ".join(f"“{column}” {share(part)}" for column, part in partly[:3])
            parts[-1] += f": {worst}{_others_that_lack(partly)}"
        if infinite := claims.of("infinite values"):
            which = infinite.columns
            n_infinite = counted(sum(claim.value for claim in infinite), "infinite value")
            held = f"{some_of(n_columns, which)} {plural(len(which), 'holds', 'hold')} {n_infinite}"
            parts.append(f"{held}, which count{'s' * n_infinite.startswith('1 ')} as missing")
        if empty:
            parts.append(f"{some_of(n_columns, empty)} {plural(len(empty), 'is', 'are')} completely empty")
        if n_unlabelled:
            parts.append(unlabelled)
        status = "look" if empty or n_unlabelled or max(part for _, part in shares) >= _SOME_MISSING else "fine"
        telling = claims.of("gaps by label")
        if telling:
            gap = telling[0]
            what = f"Whether “{gap.columns[0]}” is empty depends on the label"
            if gap.of:
                most, least = share(gap.of["share"]), share(gap.of["other share"])
                what += f": it is for {most} of “{gap.of['class']}” and {least} of “{gap.of['other class']}”"
            parts.append(f"{what}. Filling in the gaps does not hide this")
            status = "warning"
        elif partly and partly[0][1] >= _MANY_MISSING:
            status = "warning"
        # Dropping rows does not help if a column lacks most values.
        named = [*telling.columns, *(column for column, _ in shares)]
        named += claims.of("unlabelled rows").columns if n_unlabelled else ()
        return self.say(status, sentences(parts)).about(claims.rows, named)

    def remedy(self, finding: Finding, inspection: Inspection) -> str:
        claims = finding.claims
        mostly = [claim.columns[0] for claim in claims.of("missing share") if claim.value >= _MANY_MISSING]
        if lost := dict.fromkeys([*claims.of("gaps by label").columns, *mostly]):
            return without_columns(inspection.raw.table, lost)
        return super().remedy(finding, inspection) if 2 * len(finding.rows) <= inspection.raw.n_rows else ""

    def pictures(self, result: MissingResult) -> Iterator[Picture]:
        if result.shares:
            yield Picture("missing", result, plot_missing, "The share of the rows in which each column is empty.")


def _others_that_lack(shares: Sequence[tuple[str, float]]) -> str:
    """Count the columns after the third of those that lack values, the most first."""
    if len(shares) <= 3:
        return ""
    least, others = shares[2][1], [part for _, part in shares[3:]]
    much = "as much" if others[-1] == least else "less" if others[0] < least else "as much or less"
    return f" and {counted(len(others), 'other column')} {much}"


def plot_missing(result: MissingResult, revision: str = "") -> go.Figure:
    """Draw the share of the rows in which each column is empty, the largest first.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    shown = result.shares[:MOST_BARS]
    values = 100.0 * np.array([share for _, share in shown])
    return plot_bars([name for name, _ in shown], values, "missing, % of the rows", ":.3g", revision)
