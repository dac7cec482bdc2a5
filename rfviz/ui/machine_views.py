"""The benchmark of this machine as work that a reader starts and stops, and what is shown of it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from rfviz._version import __version__
from rfviz.analysis.machine import BUDGETS, SchemeSpeed, Timing, glance, measure_scheme, settled
from rfviz.analysis.machine_report import issue_text, recorded, to_frame
from rfviz.features import registry
from rfviz.features.meter import metered
from rfviz.figures.machine import plot_shares
from rfviz.ui import layout
from rfviz.ui import machine_text as text
from rfviz.ui.page_index import laboratory_folder
from rfviz.ui.results import kept, known, warnings_of
from rfviz.ui.scheduler import Target
from rfviz.ui.scheduler.session import session_target

__all__ = ["Benchmark", "again", "benchmark", "chart", "issue", "look", "records", "sizes"]

_SHELF = "machine"
_RUN = "your-machine:run"
# Between two pictures of a first look, so that its bars come one after the other and the page answers.
_LOOK_S = 0.25


@dataclass(frozen=True)
class Benchmark:
    """All schemes, one after the other; see :class:`rfviz.ui.live_run.Work`.

    Attributes
    ----------
    run : int
        The first run is shared by all readers; who measures again gets runs of his own.
    place : Target
    """

    run: Hashable
    place: Target

    @property
    def identity(self) -> Hashable:
        return _SHELF, self.run, self.place

    def parts(self) -> list[str]:
        return list(registry())

    def missing(self) -> list[str]:
        return [name for name in self.parts() if known(_SHELF, (self.run, name)) is None]

    def failures(self) -> dict[str, str]:
        return {}

    def warnings(self) -> dict[str, str]:
        texts = {registry()[name].label: warnings_of(_SHELF, [(self.run, name)]) for name in self.parts()}
        return {label: text for label, text in texts.items() if text}

    def cost(self, parts: Sequence[str]) -> float:
        return float("inf")  # never without being asked for

    def run_missing(self, progress: Callable[[float, str], None]) -> None:
        parts = self.parts()
        for name in self.missing():
            done, label = len(parts) - len(self.missing()), registry()[name].label

            def report(share: float, words: str, done: int = done, label: str = label) -> None:
                progress((done + share) / len(parts), f"{label}: {words}")

            kept(_SHELF, (self.run, name), functools.partial(_measure, name, report), 500)

    def speeds(self) -> list[SchemeSpeed]:
        """What is known."""
        found = [known(_SHELF, (self.run, name)) for name in self.parts()]
        return settled([speed for speed in found if speed is not None])

    def unseen(self) -> list[str]:
        """What has neither been measured nor looked at."""
        return [name for name in self.missing() if known(_SHELF, ("glance", name)) is None]

    def glances(self) -> list[Timing]:
        """The first look at what has not been measured."""
        found = [known(_SHELF, ("glance", name)) for name in self.missing()]
        return settled([timing for timing in found if timing is not None])


def _measure(name: str, report: Callable[[float, str], None]) -> SchemeSpeed:
    with metered():  # of its own, so that it does not count as the last computation
        return measure_scheme(name, report)


def _glance(name: str) -> Timing:
    with metered():
        return glance(name)


def look(work: Benchmark) -> bool:
    """Look at the maps that nobody has looked at, for a quarter of a second; whether any are left."""
    until = time.monotonic() + _LOOK_S
    for name in work.unseen():
        kept(_SHELF, ("glance", name), functools.partial(_glance, name), 500)
        if time.monotonic() > until:
            break
    return bool(work.unseen())


def benchmark() -> Benchmark:
    """The run that this reader sees."""
    return Benchmark(st.session_state.get(_RUN, 0), session_target())


def again(work: Benchmark) -> None:
    """A button that forgets the results and measures anew."""

    def start() -> None:
        st.session_state[_RUN] = work.run + 1 if isinstance(work.run, int) else 1
        st.session_state["your-machine:wanted"] = True

    if not work.missing():
        st.button("Measure again", on_click=start)


def chart(speeds: Sequence[SchemeSpeed], glances: Sequence[Timing], revision: str) -> None:
    """Share of the limit for each scheme, and what is seen."""
    labels = {name: cls.label for name, cls in registry().items()}
    words = text.explanation(speeds) if speeds else text.first_look(glances) if glances else text.CAREFULLY
    figure = plot_shares(speeds, labels, glances=glances, revision=revision)
    layout.chart(figure, "machine-shares", words.replace("*", ""))
    layout.explain(words)
    if (speeds or glances) and (busy := text.busy(speeds or glances, not speeds)):
        st.caption(busy)


def sizes(speeds: Sequence[SchemeSpeed]) -> None:
    """What stays interactive, as a table."""
    st.subheader("How large may it be, and stay interactive?", anchor=False)
    st.markdown(text.sizes(speeds))
    frame = to_frame(speeds)
    columns = [f"{size} in {budget:g} s" for size in "mn" for budget in BUDGETS]
    formats = (
        dict.fromkeys(columns, "localized") | {"predicted s": "%.2f", "took s": "%.2f"} | {"TF32 error, %": "%.3f"}
    )
    config: dict = {name: st.column_config.NumberColumn(format=how) for name, how in formats.items()}
    config["scheme"] = st.column_config.Column("map", width=150)
    shown = frame[["scheme", *columns, "predicted s", "took s", "TF32 error, %"]]
    st.dataframe(shown, hide_index=True, height="content", column_config=config)
    st.caption(text.NUMBERS)


def issue(speeds: Sequence[SchemeSpeed]) -> None:
    """The results to copy."""
    if not speeds:
        st.markdown(text.NOTHING)
        return
    st.markdown("Copy this into an issue to say how the laboratory runs on your machine.")
    st.code(issue_text(speeds, __version__), language="markdown", wrap_lines=True)


def records() -> None:
    """Results that came with the checkout."""
    folder = laboratory_folder()
    frame = recorded((folder or Path()) / "benchmarks" / "results")
    if folder is None or frame.empty:
        st.markdown(text.NO_RECORDS)
        return
    st.markdown("Recorded by the scripts in `benchmarks`, each on the device that is named.")
    layout.numbers(frame)
