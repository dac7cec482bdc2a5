"""Work in parts: a failed part stops its curve and no other, is told, and what is done is not done again."""

import logging

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.cache import Cache
from rfviz.errors import DataError, DeviceError, MemoryBudgetError, ParameterError, capture_warnings, warn
from rfviz.experiments.work import Part, Work
from tests.app_pages import run_to_its_end


def silent(share, text):
    pass


class Table:
    """A cached function that gives, or raises, what a table says; it counts its calls."""

    def __init__(self, **entries):
        self.entries, self.made = entries, []

    def __call__(self, label, number, *, cache):
        self.made.append((label, number))
        found = self.entries.get(f"{label}{number}", 10 * number)
        if isinstance(found, Exception):
            raise found
        return found

    def work(self, cache=None):
        parts = [Part(label, self, (label, number)) for number in (1, 2, 3) for label in ("a", "b")]
        return Work(parts, cache or Cache())


def test_all_is_computed_once_in_order():
    table, cache = Table(), Cache()
    for _ in range(2):
        work = table.work(cache)
        work.complete(silent)
        assert work.results("a") == work.results("b") == [10, 20, 30]
    assert table.made == [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("a", 3), ("b", 3)]
    assert work.missing() == [] and not work.failures() and not work.warnings()


def test_a_failure_stops_its_curve_and_is_told():
    table = Table(b2=ParameterError("m", "must be small", 2))
    work = table.work()
    with capture_warnings() as log:
        work.complete(silent)
    assert work.results("a") == [10, 20, 30] and work.results("b") == [10]
    assert ("b", 3) not in table.made
    assert work.failures() == {"b": "m must be small; got 2."}
    assert [text for text, _ in log.messages] == ["b stopped: m must be small; got 2."]
    assert work.missing() == []


def test_what_failed_for_want_of_memory_can_be_tried_again():
    table = Table(b2=MemoryBudgetError("Too much."))
    work = table.work()
    work.run_missing(silent)
    assert work.failures() == {"b": "Too much."} and work.missing() == []
    table.entries.clear()
    work.forget_failures()
    assert not work.failures() and [(part.label, part.args[1]) for part in work.missing()] == [("b", 2), ("b", 3)]
    work.run_missing(silent)
    assert work.results("b") == [10, 20, 30] and table.made.count(("a", 2)) == 1


def page_that_fails_at_first():
    import streamlit as st

    from rfviz.experiments.work import Part, Work
    from rfviz.ui.cache import session_cache
    from rfviz.ui.live_run import LiveRun
    from tests.lab.cluster_parts import once_there_is_memory

    live = LiveRun("page", Work([Part("a", once_there_is_memory, (number,)) for number in range(2)], session_cache()))
    live.start_and_stop()
    if live.wait():
        st.rerun()


def test_a_page_offers_to_try_again(monkeypatch):
    at = run_to_its_end(AppTest.from_function(page_that_fails_at_first).run())
    assert [warning.value for warning in at.warning] == ["a stopped: Too much."]
    assert [button.label for button in at.button] == ["Try again"]
    monkeypatch.setattr("tests.lab.cluster_parts.HAS_MEMORY", True)
    at = run_to_its_end(at.button[0].click().run())
    assert not at.warning and not at.button and not at.exception


def test_each_curve_that_stops_is_told_in_a_sentence_of_its_own():
    work = Table(b1=DataError("No."), c1=MemoryError()).work()
    parts = [*work.parts, Part("c", work.parts[0].function, ("c", 1))]
    with capture_warnings() as log:
        Work(parts, Cache()).complete(silent)
    assert [text for text, _ in log.messages] == ["b stopped: No.", "c stopped: out of memory"]


def test_a_part_may_not_know_how_far_it_is():
    def of_unknown_length(*, cache):
        cache.progress(None, "Downloading")

    heard = []
    Work([Part("a", of_unknown_length, ())], Cache()).run_missing(lambda *report: heard.append(report))
    assert heard[-1] == (0.0, "a: Downloading")


def test_where_nothing_can_be_computed_it_is_an_error():
    work = Table(a1=DataError("No."), b1=MemoryError()).work()
    with pytest.raises(DataError, match=r"a stopped: No\. b stopped: out of memory"):
        work.complete(silent)


def test_a_mistake_in_the_code_is_logged_and_the_others_go_on(caplog):
    work = Table(a1=KeyError("secret")).work()
    with caplog.at_level(logging.ERROR, "rfviz"), capture_warnings():
        work.complete(silent)
    assert work.failures() == {"a": "something went wrong; the server's log has the details"}
    assert work.results("b") == [10, 20, 30]
    assert "secret" in caplog.text


def test_a_gpu_that_fails_ends_all():
    with pytest.raises(DeviceError):
        Table(a2=DeviceError("lost")).work().complete(silent)


def test_a_stop_keeps_what_is_done_and_work_goes_on_there():
    table, cache = Table(), Cache()

    def stop(share, text):
        if share >= 0.5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        table.work(cache).run_missing(stop)
    assert len(table.made) == 3
    work = table.work(cache)
    assert [part.args for part in work.missing()] == [("b", 2), ("a", 3), ("b", 3)]
    heard = []
    work.run_missing(lambda share, text: heard.append(share))
    assert heard[0] == 0.5 and heard == sorted(heard)
    assert len(table.made) == 6


def test_a_snapshot_outlasts_the_cache():
    table, cache = Table(), Cache()
    work = table.work(cache)
    assert work.is_empty
    work.complete(silent)
    snapshot = work.snapshot()
    cache.store.clear()
    assert work.is_empty and snapshot.results("b") == [10, 20, 30]
    assert snapshot.identity == work.identity == Work(work.parts, Cache()).identity


def test_warnings_belong_to_the_curve_that_gave_them():
    def noisy(number, *, cache):
        warn(f"Number {number} is odd.", UserWarning)
        return number

    work = Work([Part("odd", noisy, (1,)), Part("odd", noisy, (3,)), Part("even", Table(), ("even", 2))], Cache())
    with capture_warnings():
        work.complete(silent)
    assert work.warnings() == {"odd": "Number 3 is odd."}
