"""The cache of the pages: every device has its own results, sessions share them, and warnings come each time."""

import threading
import time
import uuid
from contextlib import suppress
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.errors import capture_warnings, warn
from rfviz.experiments.data import Data
from rfviz.progress import stop_point
from rfviz.ui.cache import STORE, ProgressBar, SessionCache
from rfviz.ui.scheduler import Request, Target, current_request
from rfviz.ui.scheduler.requests import SLICE_S
from rfviz.ui.scheduler.session import acting_for

CPU, GPU, TF32 = Target("cpu"), Target("cuda:0"), Target("cuda:0", "tf32")


@pytest.fixture
def key():
    """Return an argument of its own for each test, so that tests do not see each other's results."""
    return f"test-{uuid.uuid4()}"


def test_each_device_and_precision_has_results_of_its_own(two_gpus, key):
    made = []

    def compute(key, *, cache):
        made.append(current_request().target)
        return len(made)

    for _ in range(2):
        for expected, target in enumerate((CPU, GPU, TF32), start=1):
            with acting_for(Request("", target)):
                assert SessionCache().call(compute, key) == expected
    assert made == [CPU, GPU, TF32]


def test_what_is_only_loaded_is_loaded_once_for_all_devices(two_gpus, key):
    made = []

    def load(key, *, cache):
        made.append(key)
        return len(made)

    for target in (CPU, GPU):
        with acting_for(Request("", target)):
            assert SessionCache().load(load, key) == 1


def test_the_bar_goes_when_the_data_are_there(key, monkeypatch):
    monkeypatch.setattr("rfviz.ui.cache._SHOW_AFTER_S", -1.0)
    drawn = []
    bar = SimpleNamespace(progress=lambda share, text: drawn.append(share), empty=lambda: drawn.append(None))

    def load(key, *, cache):
        cache.progress(1.0, "All rows read")
        return 1

    assert SessionCache(ProgressBar(bar)).load(load, key) == 1
    assert drawn == [1.0, None]


def test_the_bar_says_how_long_it_takes_where_nobody_knows_what_is_left(monkeypatch):
    now, drawn = [100.0], []
    monkeypatch.setattr("rfviz.ui.cache.time", SimpleNamespace(monotonic=lambda: now[0]))
    bar = ProgressBar(SimpleNamespace(progress=lambda share, text: drawn.append(text), empty=lambda: None))
    for seconds, share in ((0, None), (2, None), (5, 0.0), (5, 0.0), (0, 0.0), (5, 0.5)):  # the fifth says nothing new
        now[0] += seconds
        bar(share, "Mapping")
    assert drawn == ["Mapping", "Mapping, 5 s so far", "Mapping, about 10 s left"]
    bar.clear()
    bar(None, "Drawing")  # begins anew, and shows nothing yet
    assert len(drawn) == 3


def test_a_report_is_repeated_while_no_other_comes(key, monkeypatch):
    monkeypatch.setattr("rfviz.ui.scheduler.requests.BEAT_S", 0.01)

    def silent(key, *, cache):
        cache.progress(0.5, "Drawing gigabytes")
        for _ in range(50):
            time.sleep(0.01)
            stop_point()

    visitor = Visitor(silent, key)
    visitor.start()
    visitor.end()
    assert len(visitor.told) > 5 and set(visitor.told) == {0.5}


def test_results_within_results_are_remembered_too_with_their_warnings(key):
    def inner(key, *, cache):
        warn("Careful.", UserWarning)
        return 1

    def outer(key, *, cache):
        return 1 + cache.call(inner, key)

    for function, expected in ((outer, 2), (outer, 2), (inner, 1)):
        with capture_warnings() as log:
            assert SessionCache().call(function, key) == expected
        assert [text for text, _ in log.messages] == ["Careful."]


class Visitor(threading.Thread):
    """Asks for one result as a session of its own."""

    def __init__(self, function, *args, session="", background=False, check=lambda: None, then=None):
        super().__init__(daemon=True)
        self.request = Request(session, CPU, background, check)
        self.call, self.then, self.told, self.result, self.warnings = (function, *args), then, [], None, ()

    def run(self):
        with acting_for(self.request), capture_warnings() as log, suppress(Gone):
            self.result = SessionCache(lambda share, text: self.told.append(share)).call(*self.call)
        self.warnings = log.messages

    def end(self):
        self.join(60.0)
        assert not self.is_alive()
        return self.result


class Gone(BaseException):
    """A user went to another page."""


class Slow:
    """A function that computes until it is let go, and counts how often it is called."""

    def __init__(self):
        self.made, self.begun, self.may_end = [], threading.Semaphore(0), threading.Event()

    def __call__(self, key, *, cache):
        self.made.append(key)
        self.begun.release()
        while not self.may_end.wait(0.01):
            stop_point()
            cache.progress(0.25, "On the way")
        warn("Careful.", UserWarning)
        return f"result {len(self.made)}"


def test_a_class_that_asks_at_the_same_moment_computes_once(key):
    slow = Slow()
    everybody = [Visitor(slow, key, session=number) for number in range(40)]
    for visitor in everybody:
        visitor.start()
    assert slow.begun.acquire(timeout=60.0)
    wait_for(lambda: all(0.25 in visitor.told for visitor in everybody))  # they all see how far it is
    slow.may_end.set()
    assert {visitor.end() for visitor in everybody} == {"result 1"}
    assert {visitor.warnings for visitor in everybody} == {(("Careful.", UserWarning),)}
    assert slow.made == [key]


def test_whoever_still_waits_computes_when_the_first_has_gone(key):
    slow, gone = Slow(), threading.Event()

    def leave():
        if gone.is_set():
            raise Gone

    first, second = Visitor(slow, key, session=1, check=leave), Visitor(slow, key, session=2)
    first.start()
    assert slow.begun.acquire(timeout=60.0)
    second.start()
    wait_for(lambda: 0.25 in second.told)
    gone.set()
    assert slow.begun.acquire(timeout=60.0)
    assert first.end() is None
    slow.may_end.set()
    assert second.end() == "result 2"


def test_whoever_waits_for_the_result_of_another_can_leave(key):
    slow, gone = Slow(), threading.Event()

    def leave():
        if gone.is_set():
            raise Gone

    first, second = Visitor(slow, key, session=1), Visitor(slow, key, session=2, check=leave)
    first.start()
    assert slow.begun.acquire(timeout=60.0)
    second.start()
    wait_for(lambda: 0.25 in second.told)
    gone.set()
    assert second.end() is None
    slow.may_end.set()
    assert first.end() == "result 1"


def test_users_do_not_wait_for_the_low_priority_of_the_background(key):
    slow = Slow()
    later, user = Visitor(slow, key, session=1, background=True), Visitor(slow, key, session=2)
    later.start()
    assert slow.begun.acquire(timeout=60.0)
    user.start()
    assert slow.begun.acquire(timeout=60.0)
    slow.may_end.set()
    assert user.end() is not None
    assert later.end() is not None


def test_waiting_within_a_computation_leaves_its_slot_to_others(key, monkeypatch):
    monkeypatch.setattr("rfviz.ui.scheduler._lanes", {})
    monkeypatch.setattr("rfviz.backend.worker_count", lambda: 1)  # one slot in the background
    slow = Slow()

    def outer(number, *, cache):
        return cache.call(slow, key), number

    visitors = [Visitor(outer, number, session=number, background=True) for number in range(3)]
    for visitor in visitors:
        visitor.start()
    assert slow.begun.acquire(timeout=60.0)
    time.sleep(2 * SLICE_S)  # long enough that the slot has been handed on
    slow.may_end.set()
    assert [visitor.end() for visitor in visitors] == [("result 1", number) for number in range(3)]


def wait_for(condition):
    """Wait until something is so, a minute at most."""
    until = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_results_of_an_upload_go_with_it_from_every_device(two_gpus, key):
    data = Data("own:table", (), key, dataset=SimpleNamespace())

    def compute(data, *, cache):
        return data.stamp

    for target in (CPU, GPU):
        with acting_for(Request("", target)):
            assert SessionCache().call(compute, data) == key
    assert STORE.drop_owner(key) == 2


def _page_with_warnings():
    import streamlit as st

    from rfviz.errors import warn
    from rfviz.ui.cache import session_cache

    gamma = st.slider("gamma", 1, 9, 5)

    def one(gamma, *, cache):
        if gamma > 3:
            warn(f"gamma={gamma} is large", UserWarning)

    def other(gamma, *, cache):
        one(gamma, cache=cache)

    def last(gamma, *, cache):
        warn("and then some", RuntimeWarning)

    @st.fragment
    def main_panel():
        st.button("again")
        cache = session_cache()
        cache.call(one, gamma)
        cache.call(other, gamma)
        if gamma > 6:
            cache.call(last, gamma)

    main_panel()


def test_a_page_shows_each_warning_once_also_from_memory():
    at = AppTest.from_function(_page_with_warnings).run()
    assert [w.value for w in at.warning] == ["gamma=5 is large"]
    for value, texts in [(2, []), (5, ["gamma=5 is large"]), (7, ["gamma=7 is large", "and then some"])]:
        at.slider[0].set_value(value).run()
        assert [w.value for w in at.warning] == texts
        at.button[0].click().run()
        assert [w.value for w in at.warning] == texts and not at.exception
