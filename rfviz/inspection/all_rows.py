"""Statistics of all rows of a file of which only a sample is in memory: gaps, constant columns, labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from rfviz.datasets.files.statistics import ColumnStatistics, TableStatistics
from rfviz.inspection.finding import Finding
from rfviz.inspection.question import Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.words import plural, quoted, share
from rfviz.words import counted

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["AllRows"]

_SOME_MISSING, _MANY_MISSING = 0.01, 0.5
_RARE, _UNBALANCED = 5, 10.0
_SHOWN = 3


class AllRows(Question[TableStatistics]):
    """Which oddities do all rows have, if only some are in memory? Otherwise the other questions report them."""

    name, key = "All rows", "all-rows"

    def compute(self, inspection: Inspection) -> TableStatistics | None:
        return inspection.raw.table.whole

    def describe(self, result: TableStatistics, inspection: Inspection) -> Finding:
        raw, whole = inspection.raw, result
        said = [
            f"{counted(whole.n_rows, 'row')} were read. {raw.table.n_rows:,} of them, drawn at random, answer the "
            "other questions; row numbers count these rows only"
        ]
        statuses, odd = ["fine"], []
        columns = {name: whole.columns[name] for name in raw.columns if name in whole.columns}
        constant = [name for name, column in columns.items() if column.is_constant and not column.n_missing]
        if constant:
            statuses.append("look")
            said.append(f"{_named(constant)} {plural(len(constant), 'has', 'have')} a single value in all rows")
        lacking = sorted(
            ((column.n_missing, name) for name, column in columns.items() if column.n_missing), reverse=True
        )
        if lacking:
            most = lacking[0][0] / whole.n_rows
            statuses.append("warning" if most >= _MANY_MISSING else "look" if most >= _SOME_MISSING else "fine")
            shown = ", ".join(
                f"“{name}” in {counted(n, 'row')} ({share(n / whole.n_rows)})" for n, name in lacking[:_SHOWN]
            )
            more = f" and in {counted(len(lacking) - _SHOWN, 'other column')}" if len(lacking) > _SHOWN else ""
            said.append(f"Values are missing in {shown}{more}")
        else:
            said.append("No value is missing in any column")
        odd += [*constant, *(name for _, name in lacking)]
        if raw.label is not None and raw.label in whole.columns:
            status, sentence = _labels(whole, whole.columns[raw.label], raw)
            statuses.append(status)
            said.append(sentence)
        status = next(status for status in ("warning", "look", "fine") if status in statuses)
        return self.say(status, " ".join(f"{part}." for part in said)).about(columns=odd)

    def numbers(self, result: TableStatistics) -> pd.DataFrame:
        return pd.DataFrame()


def _labels(whole: TableStatistics, column: ColumnStatistics, raw: Raw) -> tuple[str, str]:
    lack = f", and {counted(column.n_missing, 'row')} without a label" if column.n_missing else ""
    if not raw.target_names or column.counts is None:
        return "look" if lack else "fine", f"The target lies from {column.low:,.4g} to {column.high:,.4g}{lack}"
    ranked = sorted(((n, str(name)) for name, n in column.counts.items()), reverse=True)
    (most, largest), (fewest, smallest) = ranked[0], ranked[-1]
    if len(ranked) == 1:
        return "warning", f"All labels are “{largest}”{lack}"
    text = (
        f"Of {len(ranked)} classes “{largest}” has {share(most / column.n_known)} of the labels and “{smallest}” "
        f"{counted(fewest, 'row')} ({share(fewest / column.n_known)}){lack}"
    )
    unseen = len(ranked) - len(raw.target_names)
    if unseen > 0:
        text += f"; {plural(unseen, 'one class is', f'{unseen:,} classes are')} not in the drawn rows"
    is_odd = unseen > 0 or fewest < _RARE or most > _UNBALANCED * fewest or bool(lack)
    return "look" if is_odd else "fine", text


def _named(names: list[str]) -> str:
    if len(names) > _SHOWN:
        return f"{len(names):,} columns"
    return quoted(names)
