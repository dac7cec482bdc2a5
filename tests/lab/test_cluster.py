"""The Dask cluster on the page about this machine: what it has and does, and a sentence where there is none."""

import pytest

from rfviz.errors import DataError
from rfviz.lab.cluster import Cluster, Worker, cluster_address, look_at_cluster
from rfviz.lab.your_machine import views
from tests.app_pages import opened, prose

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def address():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(protocol="tcp", **options) as started:
        yield started.scheduler_address


def test_a_cluster_that_answers(address):
    found = look_at_cluster(address)
    assert len(found.workers) == 2 and found.version == found.own_version == distributed.__version__
    assert f"at {address} has 2 workers with 2 threads and" in found.summary
    assert found.summary.endswith("0 tasks are running or waiting.")
    assert found.to_frame()["threads"].tolist() == [1, 1]


def test_its_words():
    one = Worker("a", 4, 8 * 10**9, 10**9, ("sums_of", "sums_of", "merged"))
    busy = Cluster("tcp://host:1", (one,), "2026.1", "2026.1")
    assert busy.summary == (
        "The Dask cluster at tcp://host:1 has 1 worker with 4 threads and 8.0 GB of memory; 3 tasks are running or "
        "waiting."
    )
    assert busy.to_frame().loc[0, ["tasks", "what runs"]].tolist() == [3, "sums_of, merged"]
    assert "has no worker. Start one: dask worker" in Cluster("tcp://host:1", (), "1", "1").summary
    other = Cluster("tcp://host:1", (one,), "2024.1", "2026.1").summary
    assert other.endswith("It runs distributed 2024.1, the server 2026.1: install the same version.")


def test_where_there_is_none(monkeypatch):
    with pytest.raises(DataError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9\. Start one there"):
        look_at_cluster("tcp://127.0.0.1:9")
    with pytest.raises(DataError, match="must be an address such as tcp://host:8786, not 'host'"):
        look_at_cluster("host")
    monkeypatch.delenv("RFVIZ_SCHEDULER", raising=False)
    assert cluster_address() == ""


def test_the_page_shows_it(address, monkeypatch):
    monkeypatch.setattr(views, "registry", dict)  # nothing to measure
    views.seen_cluster.cache_clear()
    monkeypatch.setenv("RFVIZ_SCHEDULER", address)
    shown = prose(opened("your-machine"))
    assert any("has 2 workers with 2 threads" in text for text in shown)
    monkeypatch.setenv("RFVIZ_SCHEDULER", "tcp://127.0.0.1:9")
    assert any("No Dask scheduler answers" in warning.value for warning in opened("your-machine").warning)
    monkeypatch.delenv("RFVIZ_SCHEDULER")
    assert not opened("your-machine").warning
