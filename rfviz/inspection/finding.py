"""Findings in data: small records that the page, the command line and scripts share, and their picture."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rfviz.figures.template import styled
from rfviz.figures.traces import literal, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "STATUSES",
    "STATUS_COLOURS",
    "Claim",
    "Claims",
    "Finding",
    "by_severity",
    "findings_frame",
    "findings_html",
    "plot_findings",
    "records",
    "verdict",
]

#: Words of each status, the most urgent first.
STATUSES = {"warning": "warning", "look": "worth a look", "fine": "fine", "unknown": "unclear"}
# Statuses differ in shape as well as in colour.
_MARKS = {"warning": "x", "look": "diamond", "fine": "circle", "unknown": "circle-open"}
# Pixels of a title and of a line of a sentence; characters in it, for a chart about 900 pixels wide.
_ROW, _LINE, _WIDE = 26, 19, 86
STATUS_COLOURS = {"warning": "#c0392b", "look": "#d98200", "fine": "#2e8b57", "unknown": "#808790"}


@dataclass(frozen=True, eq=False)
class Claim:
    """One thing that a finding says of the data, in a form that another program can compute again.

    Attributes
    ----------
    what : str
        Its kind, one of the question's :attr:`rfviz.inspection.question.Question.kinds`, which say how to compute it.
    value : bool, int, float, str, None, or tuple of these
        The claimed value in its unit, never rounded. An absence is a number as well: no copies are 0 copies.
    columns : tuple of hashable
        The columns that it is about, as the file names them. Empty: all columns but the label, or none.
    n_rows : int
        How many rows it was computed on.
    least : float, optional
        Of an absence: the least value that would have been told.
    of : mapping of str to value
        What else it takes to compute it again: the class whose share is told, the value that a code is.
    rows : ndarray of int
        The rows of the file that it is about, from 0; empty if it is about all or none.
    """

    what: str
    value: Any
    columns: tuple[Any, ...] = ()
    n_rows: int = 0
    least: float | None = None
    of: Mapping[str, Any] = field(default_factory=dict)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    def record(self) -> dict[str, Any]:
        """Return it as plain Python objects, for JSON."""
        return {
            "what": self.what,
            "value": _plain(self.value),
            "columns": list(self.columns),
            "n_rows": int(self.n_rows),
            "least": _plain(self.least),
            "of": {name: _plain(value) for name, value in self.of.items()},
            "rows": self.rows.tolist(),
        }


class Claims(tuple[Claim, ...]):
    """The claims of one finding, from which its sentence is written."""

    __slots__ = ()

    def of(self, what: str) -> Claims:
        """Return those of a kind, in their order."""
        return Claims(claim for claim in self if claim.what == what)

    def get(self, what: str) -> Claim | None:
        """Return the first of a kind, or None if there is none."""
        return next((claim for claim in self if claim.what == what), None)

    def value(self, what: str, default: Any = None) -> Any:
        """Return the value of the first of a kind."""
        claim = self.get(what)
        return default if claim is None else claim.value

    @property
    def columns(self) -> tuple[Any, ...]:
        """All columns that they are about, each once."""
        return tuple(dict.fromkeys(column for claim in self for column in claim.columns))

    @property
    def rows(self) -> np.ndarray:
        """All rows of the file that they are about, from 0, in their order."""
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(claim.rows for claim in self)]))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Finding:
    """The finding of one question, for the page, the command line and scripts alike.

    Attributes
    ----------
    name : str
        The question, the same for all data.
    key : str
        Its short name, for programs: ``"leaks"``, ``"near-copies"``.
    status : str
        One of :data:`STATUSES`.
    text : str
        A plain sentence with its number, written from its claims.
    rows : ndarray of int
        The rows of the file that it is about, counted from 1; empty if it is about all or none.
    columns : tuple of hashable
        The columns of the file that it is about, as the file names them.
    page : str
        Slug of a page that shows it; empty if none does.
    values : mapping
        Settings there, next to the data set.
    claims : Claims
        What it says, for programs.
    remedy : str
        Python that mends it: an expression of the table `df` and its `report`; empty if there is none.
    """

    name: str
    key: str
    status: str
    text: str
    page: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), compare=False, repr=False)
    columns: tuple[Any, ...] = ()
    claims: Claims = field(default=Claims(), compare=False, repr=False)
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({STATUSES[self.status]}): {self.text}"

    def about(self, rows: np.ndarray | None = None, columns: Iterable[str] = ()) -> Finding:
        """Return the finding with rows of the file, from 0, and columns that it is about."""
        rows = self.rows if rows is None else np.unique(rows) + 1
        return replace(self, rows=rows, columns=tuple(dict.fromkeys(columns)))


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings with the most urgent first, those of one status in their order."""
    return sorted(findings, key=lambda finding: list(STATUSES).index(finding.status))


def records(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return the findings as plain records, for programs and JSON: short name, status, text, rows, columns, claims.

    Rows are positions from 0, as programs count them; sentences, and all that people read, count rows from 1.
    """
    return [
        {
            "name": f.key,
            "status": f.status,
            "text": f.text,
            "rows": (f.rows - 1).tolist(),
            "columns": list(f.columns),
            "remedy": f.remedy,
            "claims": [claim.record() for claim in f.claims],
        }
        for f in findings
    ]


def verdict(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each status: ``"1 warning, 2 worth a look, 6 fine"``."""
    counts = {status: sum(finding.status == status for finding in findings) for status in STATUSES}
    words = [
        f"{n} {STATUSES[status]}{'s' if status == 'warning' and n > 1 else ''}" for status, n in counts.items() if n
    ]
    return ", ".join(words)


def findings_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return one row per finding: name, status, text, how many rows it is about, the first of them, its columns."""
    rows = [
        (
            f.name,
            STATUSES[f.status],
            f.text,
            len(f.rows),
            " ".join(map(str, f.rows[:20].tolist())),
            "; ".join(map(str, f.columns)),
        )
        for f in findings
    ]
    return pd.DataFrame(rows, columns=["name", "status", "text", "rows", "first rows", "columns"])


def findings_html(findings: Sequence[Finding], about: str = "") -> str:
    """Return the findings as HTML that needs no style sheet: their verdict, what it is about, then one block each.

    Its lines stay apart where the tags are taken away.
    """
    blocks = "".join(
        f'<div style="border-left: 4px solid {STATUS_COLOURS[f.status]}; margin: 8px 0; padding: 2px 12px">'
        f"<strong>{html.escape(f.name)}</strong> · {STATUSES[f.status]}<br>\n{html.escape(f.text)}"
        + (f"<br>\n<code>{html.escape(f.remedy)}</code>" if f.remedy else "")
        + "</div>\n"
        for f in findings
    )
    said = f"<p>{html.escape(about)}</p>\n" if about else ""
    return f"<p><strong>{html.escape(verdict(findings))}</strong></p>\n{said}{blocks}"


def plot_findings(findings: Sequence[Finding]) -> go.Figure:
    """Draw the findings one below the other: a mark for the grade, the title, the sentence.

    Parameters
    ----------
    findings : sequence of Finding
    """
    lines = [wrap(finding.text, _WIDE) for finding in findings]
    tops = np.cumsum([0, *(_ROW + _LINE * len(part) for part in lines)])
    middle = tops[:-1] + 0.5 * _LINE
    traces = []
    for grade, symbol in _MARKS.items():
        colour = STATUS_COLOURS[grade]
        places = [i for i, finding in enumerate(findings) if finding.status == grade]
        if places:
            traces.append(
                trace(
                    "scatter",
                    x=np.zeros(len(places)),
                    y=middle[places],
                    mode="markers",
                    name=STATUSES[grade],
                    marker={"color": colour, "symbol": symbol, "size": 13, "line": {"width": 2, "color": colour}},
                    text=[findings[i].name for i in places],
                    hovertemplate="%{text}<extra>" + STATUSES[grade] + "</extra>",
                    showlegend=True,
                )
            )
    left = {"showarrow": False, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "top", "align": "left"}
    words = []
    for top, finding, part in zip(tops, findings, lines, strict=False):
        words.append(left | {"x": 0.03, "y": top, "text": f"<b>{literal(finding.name)}</b>", "font": {"size": 14}})
        text = "<br>".join(map(literal, part))
        words.append(left | {"x": 0.19, "y": top, "text": text, "font": {"size": 14}})
    hidden = {"visible": False, "fixedrange": True}
    return styled(
        traces,
        x="",
        y="",
        height=int(tops[-1]) + 80,
        revision="",
        annotations=words,
        margin={"l": 12, "r": 12, "t": 56, "b": 8},
        xaxis=hidden | {"range": [-0.02, 1.0]},
        yaxis=hidden | {"range": [float(tops[-1]), -8.0]},
    )
