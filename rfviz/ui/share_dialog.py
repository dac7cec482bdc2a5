"""What can be taken away from a page: its address, its Python, pictures, numbers, features, a report of the session."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import streamlit as st

from rfviz import backend
from rfviz.datasets.base import OWN, is_own
from rfviz.datasets.memory import size_text
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.features import to_json
from rfviz.lab import export
from rfviz.lab.page import MapExport
from rfviz.lab.preset import write_preset
from rfviz.lab.report import Entry, write_report
from rfviz.lab.script import notebook
from rfviz.lab.zoom import apply_zoom, read_zoom, zoom_charts
from rfviz.ui.component import Component
from rfviz.ui.state import PageState
from rfviz.ui.state.zoom import current_zoom
from rfviz.ui.teaching.student_link import reach
from rfviz.words import counted

if TYPE_CHECKING:
    from rfviz.ui.share import Visit

__all__ = ["share_dialog"]

_HERE = Path(__file__).parent
_SAMPLE = 1000
_OWN = (
    "The address holds every setting, but no link can carry your own data, “{name}”: whoever opens it sees another "
    "data set. The script under “Python” prepares the same data in the same way and makes this chart; send your file "
    "with it."
)
_COMMAND = "rfviz run settings.json --data FOLDER --features --out results"

_link = Component(
    "copy_link",
    _HERE / "copy_link.js",
    _HERE / "share.css",
    html='<div class="row"><input readonly aria-label="Address of this page"><button>Copy link</button></div>',
)
_picture = Component(
    "save_picture",
    _HERE / "save_picture.js",
    _HERE / "share.css",
    html='<div class="row"><button data-format="png">PNG</button><button data-format="svg">SVG</button>'
    '<span class="note" role="status"></span></div>',
)


@st.dialog("Share", width="large")
def share_dialog(state: PageState, visit: Visit, visits: list[Visit]) -> None:
    """Draw what can be taken away from a page; the report is of all pages that were visited."""
    names = ("Link", "Python", "Picture", "Numbers", "Features", "Report")
    tabs = dict(zip(names, st.tabs(names), strict=True))
    charts = visit.charts()
    zoom = current_zoom(state, "share")
    with tabs["Link"]:
        _offer_link(state, visit, zoom)
    with tabs["Python"]:
        _offer_script(state, visit)
    with tabs["Picture"]:
        for chart in charts:
            _offer_picture(state, chart, zoom, alone=len(charts) == 1)
        st.caption("All are as on the page, zoom included. The HTML file holds all it needs and opens offline.")
    with tabs["Numbers"]:
        for chart in charts:
            _offer_numbers(state, chart, alone=len(charts) == 1)
    with tabs["Features"]:
        _offer_features(state, visit)
    with tabs["Report"]:
        _offer_report(state, visits, zoom)


def _offer_link(state: PageState, visit: Visit, zoom: str) -> None:
    own = str(visit.values.get("data", ""))
    if is_own(own):
        st.markdown(_OWN.format(name=own.removeprefix(OWN)))
        _link.mount(state.key("copy-link"))
        return
    st.markdown("The address holds every setting, and the zoom. Whoever reaches this server sees the same chart.")
    if words := reach(st.context.url or "")[1]:
        st.caption(words)
    _link.mount(state.key("copy-link"))
    st.markdown(
        "The same settings as a file, for the command `rfviz run settings.json --out results`, which needs no browser:"
    )
    text = write_preset(visit.page.slug, visit.values | ({"zoom": zoom} if zoom else {}))
    _download(state, "Settings (JSON)", text, "settings.json", "application/json")


def _offer_script(state: PageState, visit: Visit) -> None:
    script = visit.script()
    st.markdown("Makes the chart without the laboratory; it needs only the package `rfviz`.")
    st.code(script, height=460)
    with st.container(horizontal=True):
        _download(state, "Script (.py)", script, f"{visit.page.slug}.py", "text/x-python")
        _download(state, "Notebook (.ipynb)", notebook(script), f"{visit.page.slug}.ipynb", "application/x-ipynb+json")


def _offer_picture(state: PageState, chart: Chart, zoom: str, alone: bool) -> None:
    if not alone:
        st.markdown(f"**{_title(chart)}.** {chart.alt}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if chart.on_page:  # the browser saves what it shows
            data = {"chart": chart.name, "name": chart.name}
            _picture.mount(state.key(f"picture-{chart.name}"), data, width="content")
        _download(
            state,
            "Interactive (HTML)",
            lambda: export.write_html(_zoomed(chart, zoom), chart.alt),
            f"{chart.name}.html",
            "text/html",
        )


def _zoomed(chart: Chart, zoom: str) -> go.Figure:
    figure = go.Figure(chart.figure)  # a copy: the page keeps its own
    apply_zoom(figure, read_zoom(zoom)[0].get(chart.name, {}))
    return figure


def _offer_numbers(state: PageState, chart: Chart, alone: bool) -> None:
    rows, columns = chart.frame.shape
    st.markdown(("" if alone else f"**{_title(chart)}.** ") + f"{counted(rows, 'row')}, {counted(columns, 'column')}.")
    with st.container(horizontal=True):
        _download(state, "CSV", lambda: export.write_csv(chart.frame), f"{chart.name}.csv", "text/csv")
        _download(
            state,
            "Parquet",
            lambda: export.write_parquet(chart.frame),
            f"{chart.name}.parquet",
            "application/vnd.apache.parquet",
        )


def _offer_features(state: PageState, visit: Visit) -> None:
    maps = visit.maps()
    if not maps:
        st.markdown("This page draws no feature map of its own.")
    for number, found in enumerate(maps):
        n, table = found.X.shape[0], found.all_rows
        drawn = "" if table is None else f", drawn from {len(table):,}"
        st.markdown(f"**{found.label}**: {n:,} rows × {found.feature_map.n_components:,} features{drawn}.")
        stem = f"{visit.page.slug}-{number}" if len(maps) > 1 else visit.page.slug
        with st.container(horizontal=True):
            _offer_rows(state, found, "All rows", f"{stem}-features.npz", all_rows=True)
            if table is not None:
                _offer_rows(state, found, "Drawn rows", f"{stem}-features-drawn.npz")
            if n > _SAMPLE:
                _offer_rows(state, found, f"First {_SAMPLE:,}", f"{stem}-features-{_SAMPLE}.npz", _SAMPLE)
            _download(state, "Map (JSON)", _map(found), f"{stem}-map.json", "application/json")
    if maps:
        st.caption(
            "The features are computed when the download begins. The JSON holds parameters, seed and what was "
            "learnt from the data; `rfviz.features.from_json` makes the same map from it."
        )


def _offer_rows(
    state: PageState, found: MapExport, which: str, name: str, rows: int | None = None, all_rows: bool = False
) -> None:
    """Offer the features of some rows, or say how else one gets them."""
    needed = export.feature_bytes(found, rows, all_rows)
    if needed <= export.MOST_BYTES:
        file = partial(export.features_in_memory, found, rows, all_rows)
        _download(state, f"{which} (NPZ, {size_text(needed)})", file, name, "application/zip")
        return
    remedy = "the script can write them"
    if all_rows and found.all_rows is not None:
        remedy = f"the settings under “Link” and the data folder write them: `{_COMMAND}`"
    st.caption(
        f"{which} would take {size_text(needed)}, more than a download may ({size_text(export.MOST_BYTES)}); {remedy}."
    )


def _map(found: MapExport) -> Any:
    return lambda: to_json(found.feature_map.fit(found.X))


def _offer_report(state: PageState, visits: list[Visit], zoom: str) -> None:
    pages = _words([v.page.entry.title for v in visits])
    st.markdown(
        f"One HTML file of {pages} as you last set them: charts, settings, numbers and scripts. It opens offline. This "
        "page’s charts are zoomed as you see them; a double click shows the whole."
    )

    def build() -> str:
        entries = []
        for visit in visits:
            page, drawn = visit.page.entry, visit.charts()
            if page.slug == state.page:  # other pages are drawn anew, from their settings
                zoom_charts(drawn, zoom)
            entries.append(Entry(page.slug, page.title, page.question, visit.values, drawn, visit.script()))
        return write_report(entries, time.strftime("on %d %B %Y at %H:%M"), backend.get_device().describe())

    _download(state, "Report (HTML)", build, "rfviz-report.html", "text/html")


def _download(state: PageState, label: str, data: Any, name: str, mime: str) -> None:
    """Draw a button whose file is made when it is pressed, where it is not text already."""
    file = _or_reason(data) if callable(data) else data
    st.download_button(label, file, name, mime, key=state.key(f"download-{name}"), on_click="ignore")


def _or_reason(make: Callable[[], Any]) -> Callable[[], Any]:
    """Wrap `make` so that a failure yields a text file with the error instead of no file."""

    def file() -> Any:
        try:
            return make()
        except RfvizError as error:
            return f"{error}\n"

    return file


def _title(chart: Chart) -> str:
    words = chart.name.replace("-", " ").capitalize()
    return "RMS error" if words == "Rms" else words


def _words(titles: list[str]) -> str:
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"
