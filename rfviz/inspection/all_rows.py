"""Statistics of all rows of a file of which only a sample is in memory: gaps, constant columns, labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.datasets.files.statistics import ColumnStatistics, TableStatistics
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.values import written
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

    kinds: ClassVar = {
        "rows read": "Rows of the file. `drawn rows` of them, drawn at random, answer the other questions.",
        "constant columns": "Columns, but for the label, that have the same value in all rows of the file.",
        "missing values": "Rows of the file without a finite value of the column; 0 if no column lacks any.",
        "unlabelled rows": "Rows of the file without a label.",
        "classes": "Different labels in the file.",
        "class size": "Rows of the file with the label `class`: of the most frequent class, then of the rarest.",
        "unseen classes": "Labels of the file that no drawn row has.",
        "smallest target": "The smallest finite number to predict in the file.",
        "largest target": "The largest finite number to predict in the file.",
    }

    def compute(self, inspection: Inspection) -> TableStatistics | None:
        return inspection.raw.table.whole

    def claims(self, result: TableStatistics, inspection: Inspection) -> Iterator[Claim]:
        raw, n = inspection.raw, result.n_rows
        yield Claim("rows read", n, n_rows=n, of={"drawn rows": raw.table.n_rows})
        columns = {name: result.columns[name] for name in raw.columns if name in result.columns}
        constant = tuple(name for name, column in columns.items() if column.is_constant and not column.n_missing)
        yield Claim("constant columns", len(constant), constant, n)
        lacking = sorted(
            ((column.n_missing, name) for name, column in columns.items() if column.n_missing), reverse=True
        )
        for n_missing, name in lacking:
            yield Claim("missing values", n_missing, (name,), n)
        if not lacking:
            yield Claim("missing values", 0, n_rows=n, least=1)
        if raw.label is not None and raw.label in result.columns:
            yield from _claims_of_labels(result.columns[raw.label], raw, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        n_rows, n_drawn = claims[0].value, claims[0].of["drawn rows"]
        said = [
            f"{counted(n_rows, 'row')} were read. {n_drawn:,} of them, drawn at random, answer the other questions; "
            "row numbers count these rows only"
        ]
        statuses = ["fine"]
        if constant := claims.of("constant columns").columns:
            statuses.append("look")
            said.append(f"{_named(constant)} {plural(len(constant), 'has', 'have')} a single value in all rows")
        lacking = [claim for claim in claims.of("missing values") if claim.value]
        if lacking:
            most = lacking[0].value / n_rows
            statuses.append("warning" if most >= _MANY_MISSING else "look" if most >= _SOME_MISSING else "fine")
            shown = ", ".join(
                f"“{claim.columns[0]}” in {counted(claim.value, 'row')} ({share(claim.value / n_rows)})"
                for claim in lacking[:_SHOWN]
            )
            more = f" and in {counted(len(lacking) - _SHOWN, 'other column')}" if len(lacking) > _SHOWN else ""
            said.append(f"Values are missing in {shown}{more}")
        else:
            said.append("No value is missing in any column")
        if claims.get("unlabelled rows"):
            status, sentence = _labels(claims)
            statuses.append(status)
            said += [sentence] if sentence else []
        status = next(status for status in ("warning", "look", "fine") if status in statuses)
        text = " ".join(f"{part}." for part in said)
        return self.say(status, text).about(columns=[*constant, *(claim.columns[0] for claim in lacking)])

    def numbers(self, result: TableStatistics) -> pd.DataFrame:
        return pd.DataFrame()


def _claims_of_labels(column: ColumnStatistics, raw: Raw, n: int) -> Iterator[Claim]:
    label = raw.label_columns
    yield Claim("unlabelled rows", column.n_missing, label, n)
    if raw.target_names and column.counts is not None:
        ranked = sorted(((size, _class_name(value)) for value, size in column.counts.items()), reverse=True)
        yield Claim("classes", len(ranked), label, column.n_known)
        for size, name in (ranked[0], ranked[-1])[: len(ranked)]:
            yield Claim("class size", size, label, column.n_known, of={"class": name})
        yield Claim("unseen classes", max(len(ranked) - len(raw.target_names), 0), label, column.n_known)
    elif np.isfinite(column.low):  # of dates there are no ends
        yield Claim("smallest target", column.low, label, column.n_known)
        yield Claim("largest target", column.high, label, column.n_known)


def _class_name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _labels(claims: Claims) -> tuple[str, str]:
    n_unlabelled = claims.value("unlabelled rows")
    without = f"{counted(n_unlabelled, 'row')} without a label"
    lack = f", and {without}" if n_unlabelled else ""
    low, high = claims.get("smallest target"), claims.get("largest target")
    if low and high:
        text = f"The target lies from {written(low.value)} to {written(high.value)}{lack}"
        return "look" if lack else "fine", text
    sizes, n_classes = claims.of("class size"), claims.value("classes", 0)
    if not sizes:
        return ("look", f"There are {without}") if n_unlabelled else ("fine", "")
    largest, smallest, n = sizes[0].of["class"], sizes[-1].of["class"], sizes[0].n_rows
    most, fewest = sizes[0].value, sizes[-1].value
    if n_classes == 1:
        return "warning", f"All labels are “{largest}”{lack}"
    text = (
        f"Of {n_classes} classes “{largest}” has {share(most / n)} of the labels and “{smallest}” "
        f"{counted(fewest, 'row')} ({share(fewest / n)}){lack}"
    )
    unseen = claims.value("unseen classes")
    if unseen:
        text += f"; {plural(unseen, 'one class is', f'{unseen:,} classes are')} not in the drawn rows"
    is_odd = unseen > 0 or fewest < _RARE or most > _UNBALANCED * fewest or bool(lack)
    return "look" if is_odd else "fine", text


def _named(names: tuple[str, ...]) -> str:
    if len(names) > _SHOWN:
        return f"{len(names):,} columns"
    return quoted(names)
