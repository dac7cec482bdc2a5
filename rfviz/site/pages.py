"""The site's pages in HTML: a frame that all share, the front page, and a page with its charts."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rfviz._version import __version__
from rfviz.experiments.base import Chart
from rfviz.experiments.zoo.compute import ordered_maps
from rfviz.figures.plotly_js import Script, kinds_of, needed_script
from rfviz.figures.traces import plotly_json
from rfviz.lab.glossary import link_terms
from rfviz.lab.index import HEADING, card_groups, entry_of
from rfviz.lab.markdown import html_of
from rfviz.lab.report import numbers_table, settings_list
from rfviz.site.views import View

__all__ = [
    "FOLDER",
    "Part",
    "card",
    "chart_box",
    "chart_data",
    "framed",
    "front_page",
    "main_charts",
    "script_name",
    "view_page",
]

#: Folder of what several pages of the site share.
FOLDER = "shared"
#: A part of the site as the line at the top of each page names it: its title, and its first page.
Part = tuple[str, str]


def script_name(script: Script) -> str:
    """Return the name of one of Plotly's scripts in the site."""
    return f"{FOLDER}/{script.path.name}"


def framed(title: str, body: str, parts: Iterable[Part], summary: str = "") -> str:
    """Return a page of the site.

    Parameters
    ----------
    body : str
        HTML.
    summary : str
        One sentence, for search engines.
    """
    links = " ".join(f'<a href="{file}">{html.escape(name)}</a>' for name, file in parts)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="description" content="{html.escape(summary)}"><link rel="icon" href="{FOLDER}/icon.svg">
<link rel="stylesheet" href="{FOLDER}/site.css"></head><body>
<a class="skip" href="#main">Skip to the page</a>
<header data-index="{FOLDER}/search.js">
<a class="home" href="index.html"><img src="{FOLDER}/icon.svg" alt="" width="24" height="24"> rfviz</a>
<nav aria-label="Site">{links}</nav></header>
<main id="main" data-testid="stMain">{body}</main>
<footer>Made with rfviz {__version__}. The full laboratory computes again while you move its sliders:
<code>rfviz app</code> starts it.</footer>
<script src="{FOLDER}/site.js"></script></body></html>
"""


def card(href: str, title: str, text: str, picture: str = "", note: str = "") -> str:
    """Return a card that links to a page.

    Parameters
    ----------
    text : str
        Markdown.
    picture : str
        Name of the pictures in the site, one for each colour scheme; none by default.
    note : str
        A few words in small print.
    """
    shown = ""
    if picture:
        shown = (
            f'<picture><source media="(prefers-color-scheme: dark)" srcset="{FOLDER}/{picture}-card-dark.png">'
            f'<img src="{FOLDER}/{picture}-card-light.png" alt="" loading="lazy"></picture>'
        )
    small = f'<p class="note">{html.escape(note)}</p>' if note else ""
    return f'<li class="card">{shown}<h3><a href="{href}">{html.escape(title)}</a></h3>{html_of(text)}{small}</li>'


def front_page(slugs: Sequence[str], parts: Sequence[Part], others: Sequence[str] = ()) -> str:
    """Return the front page.

    Parameters
    ----------
    slugs : sequence of str
        The pages that the site has.
    others : sequence of str
        Cards of all else.
    """
    groups = {group: [one for one in entries if one.slug in slugs] for group, entries in card_groups().items()}
    cards = "".join(
        (f"<h2>{html.escape(group)}</h2>" if group else "")
        + f'<ul class="cards">{"".join(card(f"{e.slug}.html", e.title, e.question, e.slug) for e in entries)}</ul>'
        for group, entries in groups.items()
        if entries
    )
    more = f'<h2>More</h2><ul class="cards">{"".join(others)}</ul>' if others else ""
    maps = "".join(f"<dt>{html.escape(cls.label)}</dt><dd>{html_of(cls.summary)}</dd>" for cls in ordered_maps())
    summary = entry_of("home").question
    about = (
        "These pages need no server: they hold what the laboratory shows at its start and with each of its presets. "
        "Charts zoom and play here; the laboratory computes them for your own settings and data."
    )
    words = f"{html_of(link_terms(summary, set()))}<p>{about}</p>"
    body = f"<h1>{HEADING}</h1>{words}{cards}{more}<h2>Feature maps</h2><dl>{maps}</dl>"
    return framed(HEADING, body, parts, summary)


def chart_box(chart: Chart, is_main: bool, figure: Mapping[str, Any] | None = None, **more: Any) -> str:
    """Return the place of a chart, with its numbers for the script that draws it.

    Parameters
    ----------
    is_main : bool
        Whether it is seen first.
    figure : mapping, optional
        In place of the chart's own.
    **more
        Anything else that the script is told.
    """
    label, name = html.escape(chart.alt), html.escape(chart.name)
    # A sheet of many small pictures, which the laboratory shows in another form, keeps its size, and is moved in a
    # narrow window.
    sheet = "" if chart.on_page or not is_main else ' data-sheet tabindex="0"'
    return (
        f'<div class="chart st-key-{name}"{sheet}><div class="live-chart" role="figure" aria-label="{label}"></div>'
        f'<script type="application/json">{chart_data(chart, is_main, figure, **more)}</script>'
        f"<noscript><p>{label} JavaScript draws it.</p></noscript></div>"
    )


def chart_data(chart: Chart, is_main: bool, figure: Mapping[str, Any] | None = None, **more: Any) -> str:
    """Return the data of a chart for the script, as JSON that may stand in a page; see :func:`chart_box`."""
    spec: dict[str, Any] = dict(figure or chart.figure.to_dict())
    spec["layout"] = {name: value for name, value in spec["layout"].items() if name != "template"}
    script = needed_script(kinds_of(chart.figure))
    asked = {
        "key": chart.name,
        "alt": chart.alt,
        "secondary": not is_main,
        "clickable": False,
        "placing": False,
        "square": chart.square,
        "large": False,
        "plotly": {"address": script_name(script), "whole": script.traces is None},
        "figure": spec,
        **more,
    }
    return plotly_json(asked).replace("<", "\\u003c")


def view_page(view: View, siblings: Sequence[View], parts: Sequence[Part]) -> str:
    """Return the page of a view.

    Parameters
    ----------
    siblings : sequence of View
        All views of its page.
    """
    page, told = view.page.entry, set[str]()
    body = [f"<h1>{html.escape(page.title)}</h1>{html_of(link_terms(page.question, told))}"]
    if len(siblings) > 1:
        links = "".join(_tab(one, one.file == view.file) for one in siblings)
        body.append(f'<nav class="tabs" aria-label="Presets"><ul>{links}</ul></nav>')
    if view.summary:
        body.append(f"<p>{html.escape(view.summary)}</p>")
    if view.reason:
        body.append(f'<p class="told">{html.escape(view.reason)}</p>')
    if view.computed is not None:
        body.append(_charts(view, told))
    title = page.title if view is siblings[0] else f"{page.title}: {view.preset}"
    return framed(title, "".join(body), parts, view.summary or page.question)


def _tab(view: View, is_open: bool) -> str:
    here = ' aria-current="page"' if is_open else ""
    return f'<li><a href="{view.file}"{here}>{html.escape(view.preset)}</a></li>'


def main_charts(charts: Sequence[Chart]) -> Sequence[Chart]:
    """Return the chart that a page is about, or those first ones that stand in one row with it."""
    n_square = next((place for place, chart in enumerate(charts) if not chart.square), len(charts))
    return charts[: max(n_square, 1)]


def _charts(view: View, told: set[str]) -> str:
    assert view.computed is not None
    main = main_charts(view.computed.charts)
    first, others = main[0], view.computed.charts[len(main) :]
    if len(main) > 1:
        pictures = f'<div class="charts squares">{"".join(map(_beside, main))}</div>'
    else:
        pictures = chart_box(first, True)
    beside = _side_by_side([chart for chart in others if chart.on_page or not first.html])
    if first.html:  # text, which is read with the pictures in view; then what it rests on
        rest = _side_by_side([chart for chart in others if not chart.on_page])
        texts = [beside, f'<div class="text">{first.html()}</div>', _beyond(view), rest]
    else:
        texts = [pictures, _bar(view, first), _words(first, told), _beyond(view), beside]
    texts += [_numbers(chart) for chart in view.computed.charts]
    texts.append(f"<details><summary>Settings</summary>{settings_list(view.answers)}</details>")
    script = view.page.script(view.computed.source, view.computed.settings)
    if script:
        code = f'<pre tabindex="0"><code>{html.escape(script)}</code></pre>'
        texts.append(f"<details><summary>Python that computes it</summary>{code}</details>")
    return "".join(texts)


def _side_by_side(charts: Sequence[Chart]) -> str:
    return f'<div class="charts">{"".join(map(_beside, charts))}</div>' if charts else ""


def _beside(chart: Chart) -> str:
    return f'<div>{chart_box(chart, False)}<p class="note">{html.escape(chart.alt)}</p></div>'


def _words(chart: Chart, told: set[str]) -> str:
    words = html_of(link_terms(chart.words, told))
    return f'<div class="words" data-testid="stMarkdown">{words}</div>' if words else ""


def _numbers(chart: Chart) -> str:
    table = f'<div class="table" tabindex="0" role="group" aria-label="Numbers">{numbers_table(chart.frame)}</div>'
    return f"<details><summary>Numbers: {html.escape(chart.name)}</summary>{table}</details>"


def _bar(view: View, chart: Chart) -> str:
    if not view.players:
        return ""
    asked = [
        {"id": player.name, "symbol": player.symbol, "now": player.now, "slider": chart.name} for player in view.players
    ]
    data = json.dumps({"address": f"{FOLDER}/frames/", "animations": asked, "pin": False})
    return f'<div class="bar-host" data-bar="{html.escape(data)}"></div>'


def _beyond(view: View) -> str:
    """Say what the laboratory can do with this chart that the site cannot."""
    plays = _listed([player.symbol for player in view.players])
    here = f"Here {plays} can be played. " if plays else ""
    choices = _listed([*view.choices[:5], "more"] if len(view.choices) > 6 else view.choices)
    data = "bring your own data, " if "data" in view.answers else ""
    return (
        f'<p class="beyond">{here}In the full laboratory you also choose {html.escape(choices)}, {data}'
        f"pin and export this chart. <code>{html.escape(view.command)}</code> computes this view.</p>"
    )


def _listed(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
