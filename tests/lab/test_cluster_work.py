"""Work of a page on a Dask cluster: the results of this process, whoever computed them and whoever died meanwhile."""

import os
import signal
import time

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rfviz.cache import Cache
from rfviz.datasets.base import OWN
from rfviz.datasets.files import read_upload
from rfviz.errors import DataError
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.data import Data
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import sweep_parts
from rfviz.experiments.work import Part, Work
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab.cluster_work import compute_on_cluster
from rfviz.lab.index import find_page
from rfviz.lab.preset import Preset
from rfviz.ui.cache import STORE
from rfviz.ui.plain import plain
from tests.app_pages import run_to_its_end
from tests.datasets.files.samples import csv
from tests.lab.cluster_parts import slowly, squared
from tests.page_settings import computed, values_of

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(protocol="tcp", **options) as started:
        yield started.scheduler_address


def silent(share, text):
    pass


def work_of(function, labels="ab", numbers=(1, 2, 3)):
    return Work([Part(label, function, (label, number)) for number in numbers for label in labels], Cache())


@pytest.mark.parametrize("slug", ["accuracy", "kitchen-sinks", pytest.param("speech", marks=pytest.mark.slow)])
def test_pages_have_the_results_of_this_process(address, slug):
    page, preset, cache = find_page(slug), Preset(values_of(slug, 1)), Cache()
    source = page.source(preset)
    settings = page.settings(preset, source)
    work = page.work(source, settings, cache)
    compute_on_cluster(work, address, silent)
    assert not work.missing() and not work.failures()
    result = page.collect(source, settings, work, cache)
    found, expected = (
        [chart.frame for chart in charts]
        for charts in (page.charts(source, settings, result, cache), computed(slug, 1).charts)
    )
    for frame, other in zip(found, expected, strict=True):
        measured = [name for name in frame if "second" in name]
        assert len(frame)
        pd.testing.assert_frame_equal(frame.drop(columns=measured), other.drop(columns=measured), rtol=1e-4)


def test_a_failed_part_stops_its_curve_and_warnings_come_along(address):
    work = work_of(squared)
    compute_on_cluster(work, address, silent)
    assert work.results("a") == [1, 4, 9] and work.results("b") in ([1], [1, 9])
    assert work.failures() == {"b": "number must not be 2; got 2."}
    assert work.warnings()["a"] == "a was squared."
    assert work.missing() == []
    with distributed.Client(address, set_as_default=False) as client:
        for _ in range(50):
            held = client.run(lambda dask_worker: list(dask_worker.data))
            if not any(held.values()):
                return
            time.sleep(0.1)
    raise AssertionError(f"data stay with the workers: {held}")


def test_a_stop_keeps_what_has_come(address):
    work, heard = work_of(squared, "a", (1, 2, 3, 4, 5)), []

    def stop(share, text):
        heard.append(text)
        if share > 0:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        compute_on_cluster(work, address, stop)
    assert work.results("a") and heard[-1].endswith(" of 5 parts, 2 workers")
    compute_on_cluster(work, address, silent)
    assert work.results("a") == [1, 4, 9, 16, 25]


def test_what_an_upload_gave_goes_with_it(address):
    upload = read_upload("people.csv", csv())
    source = SplitData(Data(f"{OWN}people", (), "an upload", upload.prepare()), "standardise", 0.25)
    cache, maxout = Cache(), Candidate("maxout", MapSpec(RandomMaxout))
    work = Work(tuple(sweep_parts(source, [maxout], 2, [((5, 10), 1.0)], 1.0, "ridge", cache)), cache)
    here = Work(work.parts, Cache())
    here.run_missing(silent)
    compute_on_cluster(work, address, silent)
    for found, expected in zip(work.results("maxout"), here.results("maxout"), strict=True):
        np.testing.assert_allclose(found.errors, expected.errors)
    cache.store.drop_owner("an upload")
    assert len(work.missing()) == 2


class Unknown:
    """What a worker cannot make, as of another version of the code."""

    def __call__(self, *args, cache):
        raise AssertionError

    def __reduce__(self):
        return _made_there, (os.getpid(),)


def _made_there(_):
    raise ModuleNotFoundError("No module named 'rfviz.lab.other'")


def test_what_no_worker_can_compute_is_an_error(address):
    with pytest.raises(DataError, match=r"could not compute 2 parts \(a: .*Install the same version of rfviz"):
        compute_on_cluster(work_of(Unknown(), "a", (1, 2)), address, silent)
    with pytest.raises(DataError, match="No Dask scheduler answers"):
        compute_on_cluster(work_of(squared), "tcp://127.0.0.1:9", silent)


def test_a_scheduler_that_ends():
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    started = distributed.LocalCluster(protocol="tcp", **options)
    try:
        work = work_of(slowly, "a", range(20))

        def close(share, text):
            if share > 0:
                started.close()

        with pytest.raises(DataError, match=r"does not answer any more\. What has come is kept"):
            compute_on_cluster(work, started.scheduler_address, close)
        assert work.results("a")
    finally:
        started.close()


@pytest.mark.slow
def test_a_worker_that_dies():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    heard, killed = [], []
    with distributed.LocalCluster(**options) as started, distributed.Client(started, set_as_default=False) as client:
        client.run(slowly, "a", 0, cache=None)  # both have imported what they need
        work = work_of(slowly, "a", range(12))

        def kill(share, text):
            heard.append(text)
            if share > 0 and not killed:  # who gave the last result has just begun another part
                killed.append(int(work.results("a")[-1][0]))
                os.kill(killed[0], signal.SIGKILL)

        compute_on_cluster(work, started.scheduler_address, kill)
    assert len(work.results("a")) == 12
    assert any("; 1 gone, its parts begin anew" in text for text in heard)


def page_with_work():
    import math

    import streamlit as st

    from rfviz.experiments.work import Part, Work
    from rfviz.ui.cache import session_cache
    from rfviz.ui.live_run import LiveRun
    from tests.lab.cluster_parts import thread

    work = Work([Part("a", thread, ("a", number), cost=math.inf) for number in range(3)], session_cache())
    live = LiveRun("page", work)
    live.start_and_stop()
    st.text(" ".join(work.results("a")))
    if live.wait():
        st.rerun()


def test_who_asks_for_the_cluster_has_it_and_nobody_else(address, monkeypatch):
    at = AppTest.from_function(page_with_work).run()
    assert not at.toggle
    monkeypatch.setenv("RFVIZ_SCHEDULER", address)
    at = AppTest.from_function(page_with_work).run()
    [toggle] = at.toggle
    assert (toggle.label, toggle.value) == ("On the cluster", False) and address in toggle.help
    toggle.set_value(True).run()
    assert not at.text[0].value  # before Start
    at.button[0].click().run()
    assert run_to_its_end(at).text[0].value.count("Dask") == 3
    assert not at.exception and not at.toggle


def test_a_cluster_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setenv("RFVIZ_SCHEDULER", "tcp://127.0.0.1:9")
    STORE.clear()
    at = AppTest.from_function(page_with_work).run()
    at.toggle[0].set_value(True).run()
    at.button[0].click().run()
    assert plain("No Dask scheduler answers at tcp://127.0.0.1:9") in at.error[0].value
    at.toggle[0].set_value(False).run()
    assert not at.error
    assert "Dask" not in run_to_its_end(at).text[0].value
