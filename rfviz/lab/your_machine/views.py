"""The layout of the page about this machine, and its benchmark, which users start and stop."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.errors import DataError
from rfviz.experiments.work import Part, Work
from rfviz.features import registry
from rfviz.lab.cluster import Cluster, cluster_address, look_at_cluster
from rfviz.lab.folder import laboratory_folder
from rfviz.lab.your_machine import text
from rfviz.lab.your_machine.compute import (
    BUDGETS,
    Speed,
    Timing,
    glance_of,
    recorded,
    speed_of,
    to_frame,
    with_best_rates,
)
from rfviz.lab.your_machine.figures import plot_shares
from rfviz.ui import device_use, layout
from rfviz.ui.cache import SessionCache
from rfviz.ui.live_run import WANTED, LiveRun
from rfviz.ui.scheduler.session import session_target
from rfviz.ui.session import SessionValue
from rfviz.ui.sidebar import show_device

__all__ = ["show_machine"]

_SLUG = "your-machine"
_RUN = SessionValue("benchmark run", int)
# All users share the first run; a user who measures again gets another one.
_runs = itertools.count(1)
# Between two redraws of a first look, so that its bars come one after the other and the page answers.
_LOOK_S = 0.25
# Seconds that a cluster's answer is shown.
_CLUSTER_S = 10.0


def show_machine() -> None:
    """Show the page."""
    device_use.begin()
    state = layout.page_header(_SLUG, controls=False)
    cache = SessionCache()
    work = _benchmark(cache)
    speeds = with_best_rates([work.result(part) for part in work.parts if work.result(part) is not None])
    live = LiveRun(_SLUG, work, hint=text.HINT, here_only=True)
    live.start_and_stop()
    glances, more = _first_look(work, cache, look=not live.is_going)
    _chart(speeds, glances, str(work.identity))
    if speeds:
        _sizes(speeds)
        if not work.missing():
            st.button("Measure again", on_click=_measure_again)
    if address := cluster_address():
        _cluster(seen_cluster(address, int(time.monotonic() // _CLUSTER_S)))
    layout.details(
        state,
        {
            "For an issue: the figures to paste": lambda: _issue(speeds),
            "Results that were recorded before": _records,
            "How it is computed": lambda: layout.explain(text.METHOD),
        },
    )
    state.finish()
    show_device(unfolded=True)
    # Last, when the page stands: what a run has not drawn yet is shown faded.
    if live.wait() or more:
        st.rerun()


def _benchmark(cache: SessionCache) -> Work:
    """Return the run that this user sees: a part for each map, which never starts without being asked for."""
    run = _RUN.get(), session_target()
    parts = [Part(cls.label, speed_of, (cls, run), cost=float("inf")) for cls in registry().values()]
    return Work(parts, cache)


def _measure_again() -> None:
    _RUN.set(next(_runs))
    WANTED.of(_SLUG).set(True)


def _first_look(work: Work, cache: SessionCache, look: bool) -> tuple[list[Timing], bool]:
    """Look for a quarter of a second at maps that are not measured; return the timings, and whether more are left."""
    until = time.monotonic() + _LOOK_S
    classes = [part.args[0] for part in work.missing()]
    found = {cls: cache.peek(glance_of, cls) for cls in classes}
    for cls in classes:
        if look and found[cls] is None and time.monotonic() < until:
            found[cls] = cache.call(glance_of, cls)
    seen = [timing for timing in found.values() if timing is not None]
    return with_best_rates(seen), look and len(seen) < len(classes)


def _chart(speeds: Sequence[Speed], glances: Sequence[Timing], revision: str) -> None:
    """Draw each map's share of the limit, and explain it."""
    words = text.explanation(speeds, not glances) if speeds else text.first_look(glances) if glances else text.CAREFULLY
    figure = plot_shares(speeds, list(registry().values()), glances=glances, revision=revision)
    layout.chart(figure, "machine-shares", words.replace("*", ""))
    layout.explain(words)
    if speeds or glances:
        layout.explain(text.peaks(speeds or glances, rough=not speeds))
    if (speeds or glances) and (busy := text.busy(speeds or glances, rough=not speeds)):
        st.caption(busy)


def _sizes(speeds: Sequence[Speed]) -> None:
    """Draw what stays interactive, as a table."""
    st.subheader("How large can a map be and stay interactive?", anchor=False)
    st.markdown(text.sizes(speeds))
    frame = to_frame(speeds)
    columns = [f"{size} in {budget:g} s" for size in "mn" for budget in BUDGETS]
    formats = (
        dict.fromkeys(columns, "localized") | {"predicted s": "%.2f", "took s": "%.2f"} | {"TF32 error, %": "%.3f"}
    )
    config: dict[str, Any] = {name: st.column_config.NumberColumn(format=how) for name, how in formats.items()}
    config["map"] = st.column_config.Column("map", width=150)
    shown = frame[["map", *columns, "predicted s", "took s", "TF32 error, %"]]
    st.dataframe(shown, hide_index=True, height="content", column_config=config)
    st.caption(text.NUMBERS)


@functools.lru_cache(maxsize=1)
def seen_cluster(address: str, moment: int) -> Cluster | DataError:
    """Return what a scheduler says, asked once in a while: the page is drawn several times a second."""
    try:
        return look_at_cluster(address)
    except DataError as error:
        return error


def _cluster(found: Cluster | DataError) -> None:
    """Draw the workers of the Dask cluster, or why there are none."""
    st.subheader("The Dask cluster", anchor=False)
    if isinstance(found, DataError):
        st.warning(str(found), icon="⚠️")
        return
    st.markdown(found.summary)
    if found.workers:
        st.dataframe(found.to_frame(), hide_index=True)


def _issue(speeds: Sequence[Speed]) -> None:
    """Draw the results to copy."""
    if not speeds:
        st.markdown(text.NOTHING)
        return
    st.markdown("Copy this into an issue to say how the laboratory runs on your machine.")
    st.code(text.issue_text(speeds), language="markdown", wrap_lines=True)


def _records() -> None:
    """Draw the results that came with the checkout."""
    folder = laboratory_folder()
    frame = recorded((folder or Path()) / "benchmarks" / "results")
    if folder is None or frame.empty:
        st.markdown(text.NO_RECORDS)
        return
    st.markdown("Recorded by the scripts in `benchmarks`, each on the device that is named.")
    layout.numbers(frame)
