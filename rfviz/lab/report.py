"""One HTML file of the visited pages: charts with their settings, words, numbers and scripts. It opens offline."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from rfviz._version import __version__
from rfviz.experiments.base import Chart
from rfviz.figures.plotly_js import kinds_of, needed_script
from rfviz.lab.address import format_value
from rfviz.lab.export import PLOTLY_CONFIG

__all__ = ["Entry", "numbers_table", "settings_list", "write_report"]

_MOST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Entry:
    """A page of the report.

    Attributes
    ----------
    page : str
        Its slug.
    values : mapping
        Settings by name.
    charts : tuple of Chart
    script : str
        Python that makes them; empty if there is none.
    """

    page: str
    title: str
    question: str
    values: Mapping[str, Any]
    charts: tuple[Chart, ...] = field(repr=False)
    script: str = field(default="", repr=False)


def write_report(entries: Iterable[Entry], made: str, device: str = "") -> str:
    """Return the whole report.

    Parameters
    ----------
    entries : iterable of Entry
        In the order in which they are shown.
    made : str
        When, in words.
    device : str
        What computed.

    Returns
    -------
    str
        HTML that holds all it needs, Plotly's script included (1.5 MB, or 4.8 with a scene).
    """
    entries = list(entries)
    drawn = [chart for entry in entries for chart in entry.charts if chart.html is None]
    plotly = needed_script(kind for chart in drawn for kind in kinds_of(chart.figure))
    links = " ".join(f'<a href="#{html.escape(e.page)}">{html.escape(e.title)}</a>' for e in entries)
    note = f"Made {html.escape(made)} with rfviz {__version__}" + (f" on {html.escape(device)}" if device else "") + "."
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>rfviz report</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_style()}</style><script>{plotly.text}</script></head><body><header>"
        "<h1>Random features: a report</h1>"
        f'<p class="note">{note}</p><nav>{links}</nav></header>{"".join(map(_section, entries))}</body></html>'
    )


def _style() -> str:
    return (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def _section(entry: Entry) -> str:
    charts = "".join(map(_chart, entry.charts))
    script = (
        f"<details><summary>Python</summary><pre>{html.escape(entry.script)}</pre></details>" if entry.script else ""
    )
    return (
        f'<section id="{html.escape(entry.page)}"><h2>{html.escape(entry.title)}</h2>'
        f'<p class="note">{html.escape(entry.question)}</p>{charts}'
        f"<details><summary>Settings</summary>{settings_list(entry.values)}</details>{script}</section>"
    )


def _chart(chart: Chart) -> str:
    import plotly.graph_objects as go

    if chart.html is not None:
        drawn = chart.html()
    else:
        figure = go.Figure(chart.figure.to_dict())
        figure.update_layout(template="plotly_white")
        drawn = figure.to_html(include_plotlyjs=False, full_html=False, config=PLOTLY_CONFIG)
    words = "".join(f"<p>{_inline(part)}</p>" for part in chart.words.split("\n\n") if part.strip())
    return (
        f"<figure>{drawn}<figcaption>{html.escape(chart.alt)}</figcaption></figure>{words}"
        f"<details><summary>Numbers</summary>{numbers_table(chart.frame)}</details>"
    )


def _inline(text: str) -> str:
    """Render the little Markdown that explanations use: bold and italics."""
    text = html.escape(text.strip())
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"<em>\1</em>", text)


def settings_list(values: Mapping[str, Any]) -> str:
    """Return settings by name as a list in HTML."""
    rows = (
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(format_value(value))}</dd>" for name, value in values.items()
    )
    return f"<dl>{''.join(rows)}</dl>"


def numbers_table(frame: pd.DataFrame) -> str:
    """Return the first rows of a chart's numbers as a table in HTML."""
    table = frame.head(_MOST_ROWS).to_html(index=False, border=0, float_format=lambda x: f"{x:.4g}", na_rep="")
    rest = len(frame) - _MOST_ROWS
    return table + (f'<p class="note">… and {rest:,} more rows.</p>' if rest > 0 else "")
