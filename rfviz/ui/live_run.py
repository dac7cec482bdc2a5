"""Work that a user starts, watches and stops while the page shows what is known already."""

from __future__ import annotations

import functools
import time
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.cache import CachedFunction
from rfviz.errors import RfvizError
from rfviz.experiments.work import Part, Work
from rfviz.lab.cluster import cluster_address
from rfviz.lab.cluster_work import compute_on_cluster
from rfviz.ui.component import Component
from rfviz.ui.plain import plain
from rfviz.ui.scheduler.background import BackgroundRun
from rfviz.ui.session import SessionValue, widget_value
from rfviz.ui.teaching.presenter import is_presenting
from rfviz.words import counted

__all__ = ["WANTED", "LiveRun"]

# Multiply-adds that run without being asked for: a second or two on two cores.
_AT_ONCE = 2e11
_REDRAW_S, _LOOK_S = 0.3, 0.1
# Times that the work goes on for as long as the page took to draw: drawing takes time from all that is computed.
_WORK_PER_DRAWING = 5
# Remembers in the browser's tab which work is under way.
_race = Component("race", Path(__file__).with_name("live_run.js"))
# Whether the session wants the cluster.
_SENT = SessionValue("on-cluster", bool)
#: Of each page, whether the user has pressed Start.
WANTED = SessionValue("wanted", bool)
# Of each page, which work was stopped, and the work under way.
_STOPPED = SessionValue[Hashable]("stopped", lambda: None)
_RUN = SessionValue[BackgroundRun | None]("run", lambda: None)
_CLUSTER_HELP = (
    "Send the computation to the workers of the Dask cluster at `{}`, with the data, uploads included. They compute "
    "several parts at a time. “Your machine” shows them."
)


class LiveRun:
    """The buttons of a page's work, and the loop that lets it go on while the page is redrawn; made in each run.

    Parameters
    ----------
    page : str
        Whose work it is: each page starts and stops its own.
    note : str
        What to say next to the number of parts that are left.
    hint : str
        What pressing Start is good for, said while nothing is known.
    here_only : bool
        Whether no cluster may compute it.
    at_once : callable, optional
        The cached function of those first parts that are computed without being asked for, once the page stands.

    Attributes
    ----------
    is_going : bool
        Whether the work goes on next to the page; known once its buttons are drawn.
    """

    def __init__(
        self,
        page: str,
        work: Work,
        note: str = "",
        hint: str = "Press Start.",
        here_only: bool = False,
        at_once: CachedFunction[Any] | None = None,
    ) -> None:
        self.work, self.note, self.hint, self._page = work, note, hint, page
        self._cluster = "" if here_only else cluster_address()
        self._wanted, self._stopped, self._run = WANTED.of(page), _STOPPED.of(page), _RUN.of(page)
        self._at_once = at_once
        self.is_going, self._n_left = False, 0
        self._bar: Any = None
        self._begun = time.monotonic()

    def start_and_stop(self) -> None:
        """Draw the buttons Start, Resume and Stop, how much is left to do, and the place of the progress bar."""
        work = self.work
        left, failures = work.missing(), work.failures()
        total = len(work.parts)
        self._remember(left)
        for label, reason in failures.items():
            st.warning(plain(f"{label} stopped: {reason}"), icon="⚠️")
        for label, text in work.warnings().items():
            st.warning(plain(f"{label}: {text}"), icon="⚠️")
        if not left:
            self._wanted.set(False)
            if not is_presenting():
                with self._row("-done"):
                    st.caption("The other parts are done." if failures else "Done.")
                    if failures:
                        st.button("Try again", on_click=self._try_again)
            self._bar = st.empty()
            return
        running = self._going(left)
        with self._row():
            has_begun = self._n_asked(left) < self._n_asked(work.parts)
            label = "Resume" if has_begun else "Start"
            st.button(label, type="primary", disabled=running, on_click=self._want, args=(True, None))
            st.button("Stop", disabled=not running, on_click=self._want, args=(False, work.identity))
            if self._cluster:
                key = f"{self._page}:on-cluster"
                st.toggle(
                    "On the cluster",
                    self._is_sent,
                    key=key,
                    help=_CLUSTER_HELP.format(self._cluster),
                    on_change=lambda: _SENT.set(widget_value(key)),
                )
            said = f"{len(left)} of {total} parts to compute."
            if not (has_begun or running):
                said = f"Not computed yet ({counted(total, 'part')}). {self.hint}"
            st.caption(f"{said}{self.note}", width="content")
            self._bar = st.empty()
            if running:  # points that arrive draw the page anew, and the old elements are not out of date
                st.html("<style>[data-stale='true'] { opacity: 1 !important; }</style>")
        if running:  # from the first moment on, or the page would jump when the first part reports
            self._bar.progress(1 - len(left) / total, text="…")

    def _remember(self, left: Sequence[Part]) -> None:
        """Let the browser's tab remember the work that the user has started, and go on with it after a reload."""
        name, known = f"{hash(self.work.identity):x}", self._stopped.get()
        is_wanted = bool(left) and self._wanted.get() and known != self.work.identity
        is_new = bool(left) and not is_wanted and known is None
        data = {"work": name, "state": "going" if is_wanted else "new" if is_new else "ended"}
        # Of this work alone: a late message may speak of another.
        resume = {"resume": lambda told: self._want(True, None) if told == name else None}
        _race.mount(f"{self._page}-race-sheet", data, resume, height=1)

    def _row(self, end: str = "") -> Any:
        """Return a row of one height before and during the work, so that the page does not jump."""
        return st.container(horizontal=True, vertical_alignment="center", key=f"{self._page}-live-run{end}")

    def _going(self, left: Sequence[Any]) -> bool:
        """Start or leave the run, and return whether the work goes on."""
        work, run = self.work, self._run.get()
        name = work.identity, self._is_sent
        stopped = self._stopped.get() == work.identity
        running = not stopped and (self._wanted.get() or work.cost(left) < _AT_ONCE)
        self.is_going, self._n_left = running, len(left)
        if run is not None and (not running or run.name != name):
            run.leave()
        if running:
            if run is None or not run.is_going_on:
                send = functools.partial(compute_on_cluster, work, self._cluster)
                run = BackgroundRun(name, send if self._is_sent else work.run_missing)
                self._run.set(run)
            run.look()
        return running

    @property
    def _is_sent(self) -> bool:
        """Whether the workers of the cluster compute, as the user has chosen for all pages."""
        return bool(self._cluster) and _SENT.get()

    def _want(self, wanted: bool, stopped: Hashable) -> None:
        self._wanted.set(wanted)
        self._stopped.set(stopped)

    def _try_again(self) -> None:
        self.work.forget_failures()
        self._want(True, None)

    def wait(self) -> bool:
        """Let the work go on next to the page until there is something new to draw.

        Returns
        -------
        bool
            Whether there is more to draw; the page then ends with a rerun. In between a user can stop the work or
            change it: the calls to Streamlit in here are where an outdated run ends.
        """
        if not self.is_going and self._compute_next():
            return True
        run, begun = self._run.get(), time.monotonic()
        if not self.is_going or run is None:
            return False
        patience = max(_REDRAW_S, _WORK_PER_DRAWING * (begun - self._begun))
        while not run.done.wait(_LOOK_S):
            self._bar.progress(*run.look())
            if time.monotonic() - begun > patience and len(self.work.missing()) < self._n_left:
                return True
        if isinstance(run.error, RfvizError):
            st.error(plain(str(run.error)))
            return False
        if run.error is not None:
            raise run.error
        return True  # once more, to say that all is done

    def _n_asked(self, parts: Sequence[Part]) -> int:
        """Return how many parts wait for a click."""
        return sum(part.function is not self._at_once for part in parts)

    def _compute_next(self) -> bool:
        """Compute the next of the parts that wait for no click, and return whether there was one."""
        first = next(iter(self.work.missing()), None)
        if first is None or first.function is not self._at_once:
            return False
        next(self.work.steps(lambda share, text: self._bar.progress(share or 0.0, text=text)))
        self._bar.empty()
        return True
