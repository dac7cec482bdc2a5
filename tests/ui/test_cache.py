"""The cache of the pages: every device has its own results, sessions share them, and warnings come each time."""

import uuid
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.errors import capture_warnings, warn
from rfviz.lab.panel import Data
from rfviz.ui.cache import STORE, ProgressBar, SessionCache
from rfviz.ui.scheduler import Request, Target, current_request
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
