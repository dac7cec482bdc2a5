"""Work beside the page: it goes on while somebody looks, and ends at its next report when nobody does."""

import os
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import pytest

from rfviz.errors import warn
from rfviz.ui import scheduler
from rfviz.ui.scheduler import background
from rfviz.ui.scheduler.background import BackgroundRun

# What a busy machine may take to start a thread.
DEADLINE = 60


def endless(seen):
    """Return work that reports a hundred times a second, and notes in `seen` that it ended."""

    def work(progress):
        try:
            while True:
                progress(0.5, "half")
                time.sleep(0.01)
        except scheduler.Superseded:
            seen.append("abandoned")
            raise

    return work


def test_work_ends_and_is_seen():
    kept = []
    run = BackgroundRun("name", lambda progress: (progress(0.25, "a quarter"), kept.append(1)))
    assert run.done.wait(DEADLINE)
    assert run.look() == (0.25, "a quarter")
    assert kept == [1] and run.error is None and not run.is_going_on


def test_leaving_ends_the_work():
    seen = []
    run = BackgroundRun("name", endless(seen))
    assert run.is_going_on
    run.leave()
    assert not run.is_going_on
    assert run.done.wait(DEADLINE)
    assert seen == ["abandoned"] and run.error is None


def test_leaving_does_not_wait_for_a_call_that_cannot_be_interrupted():
    free = threading.Event()

    def work(progress):
        free.wait(DEADLINE)
        progress(1.0, "too late")
        raise AssertionError("went on")

    run = BackgroundRun("name", work)
    run.leave()
    assert not run.is_going_on and not run.done.is_set()
    free.set()
    assert run.done.wait(DEADLINE) and run.error is None


def test_work_that_nobody_looks_at_ends(monkeypatch):
    now, seen = [0.0], []
    monkeypatch.setattr(background, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(background, "_PATIENCE_S", 1.0)
    run = BackgroundRun("name", endless(seen))
    for _ in range(10):
        now[0] += 0.9
        run.look()
        time.sleep(0.02)  # a report or two
    assert run.is_going_on
    now[0] += 1.1
    assert run.done.wait(DEADLINE) and seen == ["abandoned"]


def test_errors_are_kept_for_who_looks():
    run = BackgroundRun("name", lambda progress: 1 / 0)
    assert run.done.wait(DEADLINE)
    with pytest.raises(ZeroDivisionError):
        raise run.error


def test_warnings_of_the_work_do_not_go_to_the_log():
    with warnings.catch_warnings(record=True) as logged:
        warnings.simplefilter("always")
        run = BackgroundRun("name", lambda progress: warn("doubtful", UserWarning))
        assert run.done.wait(DEADLINE)
    assert run.error is None and not logged


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
def test_what_users_wait_for_goes_first_on_the_cores():
    def priority():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    found = []
    assert BackgroundRun("work", lambda progress: found.append(priority())).done.wait(DEADLINE)
    assert found[0] > priority()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
def test_a_server_with_a_lower_priority_still_works_in_the_background(monkeypatch):
    def refuse(*_):
        raise PermissionError("a priority may not be raised")

    monkeypatch.setattr(os, "getpriority", lambda *_: 19)
    monkeypatch.setattr(os, "setpriority", refuse)
    found = []
    assert BackgroundRun("work", lambda progress: found.append(1)).done.wait(DEADLINE)
    assert found == [1]
