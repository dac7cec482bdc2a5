"""Show a page of the laboratory in the browser: the same steps as ``rfviz run``, laid out by a view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import streamlit as st

from rfviz.cache import CachedFunction
from rfviz.errors import ParameterError, RfvizError
from rfviz.experiments.base import Chart, revision
from rfviz.experiments.work import Work
from rfviz.expressions import ExpressionError
from rfviz.lab.animation import AnimationSpec
from rfviz.lab.controls import Control
from rfviz.lab.page import Computed, Page, compute
from rfviz.ui import device_use, layout
from rfviz.ui.cache import SessionCache, session_cache
from rfviz.ui.controls import PagePanel
from rfviz.ui.session import SessionValue
from rfviz.ui.share import share
from rfviz.ui.sidebar import show_device
from rfviz.ui.state import pins

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.lab.recorded import Record
    from rfviz.ui.live_run import LiveRun

__all__ = ["CLICK_A_PAIR", "LAST_PICTURE", "START", "STEPS", "View", "show"]

#: The folded part that writes out one feature of two rows.
STEPS = "One feature, step by step"
#: Above a chart that does not follow the controls, because something is wrong with these.
LAST_PICTURE = "This is still the picture of the last settings that could be drawn."
#: Below a chart of pairs none of which is followed.
CLICK_A_PAIR = "Click a pair in the chart to mark it and to see the formula with its numbers."
#: After the words of a recorded chart, until the user starts.
START = " Press **Start** to compute the curves here."
# Of each page, the data and the settings of its last picture.
_SHOWN = SessionValue[tuple[int | None, Any]]("shown", lambda: (None, None))

Source = TypeVar("Source")
Settings = TypeVar("Settings")
Result = TypeVar("Result")


class View(Generic[Source, Settings, Result]):
    """The layout of a page: its main chart, sentences about it, and folded details below.

    A page's own view overrides what it lays out otherwise.

    Attributes
    ----------
    source
        Known once the sidebar is drawn.
    cache : SessionCache
        Known in the main panel.
    live : LiveRun or None
        The buttons of a computation in parts.
    """

    #: By name, what draws a control that has a form of its own: ``draw(view, control, key, on_change)``.
    widgets: ClassVar[Mapping[str, Callable[[Any, Control, str, Callable[[], None]], Any]]] = {}
    #: The function of the first parts of a long computation, which are computed before the user presses Start.
    at_once: ClassVar[CachedFunction[Any] | None] = None

    def __init__(self, page: Page[Source, Settings, Result]) -> None:
        self.page = page
        self.state = layout.page_header(page.slug, page.presets)
        draw = {name: partial(function, self) for name, function in self.widgets.items()}
        self.panel = PagePanel(self.state, draw)
        self.source: Source
        self.cache: SessionCache
        self.live: LiveRun | None = None
        self._opened = ""

    # --- what a page's own view may override --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Take clicks and make places for elements that are drawn out of order, before the controls are asked for."""

    def below_source(self) -> None:
        """Draw in the sidebar, below the data."""

    def preview(self, settings: Settings) -> None:
        """Draw the first elements before everything is computed."""

    def draw(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        """Draw the charts and all that belongs to them."""
        self.main_chart(settings, result, charts[0])
        self.draw_details(settings, result, charts)

    def refuse(self, settings: Settings, error: RfvizError) -> None:
        """Draw the page where nothing can be computed: why not, and the last chart of the same data."""
        layout.refused(error)
        last = self.last_settings()
        # A fault of the data, or a lack of memory, concerns the last picture too.
        if last is not None and isinstance(error, (ParameterError, ExpressionError)):
            charts = self.recomputed(last).charts
            st.caption(LAST_PICTURE)
            layout.chart(charts[0].figure, charts[0].name, charts[0].alt)
            layout.explain(charts[0].words)

    def last_settings(self) -> Settings | None:
        """Return the settings of the last picture of the same data, or None if there is none, or only in parts."""
        source, settings = _SHOWN.of(self.page.slug).get()
        return settings if source == hash(self.source) and not self.page.has_parts(self.source) else None

    def recomputed(self, settings: Settings) -> Computed[Source, Settings, Result]:
        """Return the shown result of some settings, from the cache."""
        return compute(self.page, self.source, settings, self.cache)

    def details(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        """Return the folded parts below the charts, by their titles; each is drawn while it is open."""
        return {"Numbers": lambda: layout.numbers(charts[0].frame)}

    @contextmanager
    def stoppable(self, settings: Settings) -> Generator[None, None, None]:
        """Draw a button that ends a computation while it is long, if the page knows how."""
        if type(self.page).cheaper_settings is Page.cheaper_settings:
            yield
            return
        place = st.empty()
        cheaper = self.page.cheaper_settings(self.source, settings, self.cache)
        if cheaper:
            # Under a key of its own for each computation: a late click does not stop the next one.
            key = f"{self.page.slug}:stop:{revision(self.source, settings)}"
            place.button("Stop", key=key, on_click=self.state.apply, args=(cheaper,))
        try:
            yield
        finally:
            place.empty()

    def work_note(self, settings: Settings) -> str:
        """Return why a computation in parts takes unusually long, for next to its buttons, or an empty string."""
        return ""

    def advance(self, settings: Settings, work: Work) -> None:
        """Draw the buttons of a computation in parts, and let it go on next to the page."""
        if work.parts:
            from rfviz.ui.live_run import LiveRun  # with the cluster

            self.live = LiveRun(self.page.slug, work, self.work_note(settings), at_once=self.at_once)
            self.live.start_and_stop()

    def keep(self, settings: Settings) -> None:
        """Remember the settings of a picture that was drawn."""
        _SHOWN.of(self.page.slug).set((hash(self.source), settings))  # which data, without holding them in memory

    # --- parts --------------------------------------------------------------------------------------------------------

    def main_chart(self, settings: Settings, result: Result, chart: Chart, **options: Any) -> None:
        """Draw a chart with its toolbar, what one sees in it, and the button Share."""
        animations, figure, alt, words = self.animations(settings, result), chart.figure, chart.alt, chart.words
        if self.live is not None:
            from rfviz.ui.earlier import with_earlier_curves  # of pages that compute in parts

            work = self.live.work
            record = self.record() if work.missing() else None
            recorded = None if record is None else self.recorded(settings, result, record)
            figure = with_earlier_curves(chart.name, figure, hash(self.source), work, recorded)
            if record is not None and work.is_empty:
                words = record.words()
                alt, words = words.replace("**", ""), words + START * (not self.live.is_going)
        layout.chart(figure, chart.name, alt, animations=animations, **options)
        layout.explain(words)
        self.share(settings, result)

    def record(self) -> Record | None:
        """Return the recorded curves of the preset that the page shows, or None if there are none."""
        return None

    def recorded(self, settings: Settings, result: Result, record: Record) -> go.Figure:
        """Return the main chart of recorded curves."""
        raise NotImplementedError

    def record_of(self, data: str, but: Collection[str] = ()) -> Record | None:
        """Return the recorded curves of the preset that the controls hold.

        Parameters
        ----------
        data : str
            Name of the data set.
        but : collection of str
            Controls that may differ from the preset.
        """
        from rfviz.lab.recorded import record_of  # of pages that compute in parts

        for label, (_, values) in self.page.presets.items():
            if self.state.holds({name: value for name, value in values.items() if name not in but}):
                return record_of(self.page.slug, label, data)
        return None

    def animations(self, settings: Settings, result: Result) -> Sequence[AnimationSpec]:
        """Return what can be played."""
        return self.page.animations(self.source, settings, result, self.panel)

    def share(self, settings: Settings, result: Result) -> None:
        """Draw the button that opens all that can be taken away."""
        share(self.state, self.page, self.source, settings, result)

    def steps(self, settings: Settings) -> None:
        """Draw one feature of the page's maps with numbers in each place."""
        from rfviz.ui.widgets.feature_steps import feature_steps  # when that part is opened

        feature_steps(self.state, self.page.maps(self.source, settings, self.cache))

    def follow(self, rows: tuple[int, int]) -> None:
        """Mark a pair of rows from now on, and write out one feature of both."""
        self.state.set("pair", rows)
        self.export(rows)

    def export(self, rows: tuple[int, int]) -> None:
        """Open the part that writes out one feature, at these rows."""
        self._write_out(rows)
        self._opened = STEPS

    def _write_out(self, rows: tuple[int, int]) -> None:
        for name, row in zip(("x", "z"), rows, strict=True):
            self.state.set(f"steps-{name}", row + 1)

    def followed(self, n: int) -> tuple[int, int] | None:
        """Return the pair of rows that is followed, if there is one and all n points have it.

        The address holds it, by numbers from 1: ``pair=55,83``.
        """
        if text := self.state.address.text("pair"):
            numbers = [int(word) - 1 for word in text.split(",") if word.isdecimal() and len(word) < 8]
            if len(numbers) == 2 and 0 <= min(numbers) < max(numbers) < n and text.count(",") == 1:
                rows = (numbers[0], numbers[1])
                self.state.set("pair", rows)
                self._write_out(rows)
            else:
                self.state.address.refuse(f"pair in the address must be two of the {n:,} rows, as in pair=1,2.")
        rows = self.state.value("pair")
        found = None if rows is None or max(rows) >= n else rows
        self.state.view["pair"] = "" if found is None else ",".join(str(row + 1) for row in found)
        return found

    def draw_details(self, settings: Settings, result: Result, charts: Sequence[Chart]) -> None:
        """Draw the folded parts."""
        layout.details(self.state, self.details(settings, result, charts), self._opened)
        self._opened = ""


def show(page: Page[Any, Any, Any], view: type[View[Any, Any, Any]] = View) -> None:
    """Show a page: header, sidebar, and the main panel, which a control draws again without the sidebar."""
    shown = view(page)
    with st.sidebar:
        shown.source = page.source(shown.panel)
        shown.below_source()
    if page.has_parts(shown.source):
        unfinished = _main_panel(shown)
        show_device()
        # Last, when the page stands: what a run has not drawn yet is shown faded.
        if unfinished and shown.live is not None and shown.live.wait():
            st.rerun()
    else:
        st.fragment(_main_panel)(shown)
        show_device()


def _main_panel(view: View[Any, Any, Any]) -> bool:
    """Draw everything that answers a control; whether a computation in parts goes on."""
    device_use.begin()
    view.state.told = set(view.state.told_above)
    view.prepare()
    settings = view.page.settings(view.panel, view.source)
    view.cache = session_cache()
    try:
        with view.stoppable(settings):
            view.preview(settings)
            found = compute(view.page, view.source, settings, view.cache, partial(view.advance, settings))
        view.draw(settings, found.result, found.charts)
        view.keep(settings)
    except RfvizError as error:
        view.refuse(settings, error)
    came = pins.draw_linked(view.page, view.state, view.cache)
    view.state.view["pins"] = pins.in_address(view.page.slug)
    view.state.finish()
    if came:
        st.rerun()
    return view.live is not None
