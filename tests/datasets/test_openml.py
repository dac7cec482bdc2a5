"""OpenML by number or exact name, with stand-ins for the network: what is asked, understood and refused."""

import json
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets import openml
from rfviz.errors import DataError, DownloadError, MemoryBudgetError


def answer(*entries):
    return {"data": {"dataset": list(entries)}}


def entry(number=61, name="iris", version=1, rows="150.0", columns="5.0"):
    sizes = {"NumberOfInstances": rows, "NumberOfFeatures": columns}
    return {"did": number, "name": name, "version": version, "status": "active",
            "quality": [{"name": key, "value": value} for key, value in sizes.items()]}  # fmt: skip


@pytest.fixture
def server(monkeypatch):
    """What a server answers, and which addresses were asked."""
    asked = []

    def use(reply):
        def ask(address):
            asked.append(address)
            if isinstance(reply, Exception):
                raise reply
            return reply

        monkeypatch.setattr(openml, "_ask", ask)
        return asked

    return use


def test_by_name_and_by_number(server):
    asked = server(answer(entry(969, version=3), entry()))
    assert [e.number for e in openml.find(" iris ")] == [61, 969]
    assert openml.find("61")[0].title == "iris, version 1 (number 61): 150 rows, 5 columns"
    assert [a.rsplit("/list/", 1)[1] for a in asked] == ["data_name/iris/limit/50", "data_id/61/limit/50"]
    assert all(a.startswith("https://www.openml.org/") for a in asked)


@pytest.mark.parametrize("query", ["", "two words", "../../x", "a/b", "x" * 200, "é", "?q=1", "a\nb"])
def test_names_that_openml_cannot_have_are_not_sent(server, query):
    asked = server(answer(entry()))
    with pytest.raises(DataError, match="without spaces"):
        openml.find(query)
    assert not asked


@pytest.mark.parametrize("reply", [{}, [], "x", None, {"data": 3}, {"data": {"dataset": {}}}, answer({"did": "x"}),
                                   answer(3, None, {"name": "a"}), answer(entry() | {"quality": 7})])  # fmt: skip
def test_an_answer_of_another_form_lists_nothing(server, reply):
    server(reply)
    with pytest.raises(DataError, match="no active data set"):
        openml.find("iris")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (HTTPError("", 412, "Precondition Failed", {}, None), DataError, "no active data set named iris"),
        (HTTPError("", 503, "Busy", {}, None), DownloadError, "the server answered 503 Busy"),
        (URLError(OSError(111, "Connection refused")), DownloadError, "no network connection"),
        (TimeoutError(), DownloadError, "no answer within"),
        (json.JSONDecodeError("x", "", 0), DownloadError, "not what was expected"),
    ],
)
def test_a_network_that_fails_is_one_sentence(server, error, kind, message):
    server(error)
    with pytest.raises(kind, match=message) as caught:
        openml.find("iris")
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


class _Response:
    def __init__(self, content):
        self.content = content

    def read(self, most):
        return self.content[:most]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_a_long_answer_is_not_read(monkeypatch):
    opener = type("Opener", (), {"open": lambda self, request, timeout: _Response(b"1" * 10_000_000)})()
    monkeypatch.setattr(openml.urllib.request, "build_opener", lambda *_: opener)
    with pytest.raises(DownloadError, match="an answer of more than"):
        openml.find("iris")


def test_only_secure_addresses_are_followed():
    with pytest.raises(OSError, match="not https"):
        openml._OnlySecure().redirect_request(None, None, 302, "Found", {}, "http://openml.org/x")


@pytest.fixture
def fetched(monkeypatch):
    """Scikit-learn's downloader, handing out a small table with words and gaps."""
    frame = pd.DataFrame(
        {"colour": pd.Categorical(["r", "g", None, "b", "r"] * 6), "x": [1.0, 2.0, np.nan, 4.0, 5.0] * 6}
    )
    calls = []

    def fetch_openml(data_id, **options):
        calls.append(data_id)
        full = frame.assign(kind=pd.Categorical(list("ab") * 15))[["kind", "colour", "x"]]
        return type("Bunch", (), {"frame": full, "target_names": ["kind"]})

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return calls


def test_a_data_set_is_downloaded_once_and_prepared_like_a_file(fetched):
    small = openml.Entry(7, "toy", 2, 30, 3)
    for _ in range(2):
        taken = openml.fetch(small)
        assert taken.suggestion.label == "kind" and taken.openml == 7
        found = taken.prepare()
        assert found.target_names == ("a", "b") and found.X.shape == (30, 4)
        assert found.provenance.startswith("toy of OpenML, version 2 (number 7); ")
    assert fetched == [7]


def test_a_data_set_that_would_not_fit_is_not_downloaded(fetched):
    datasets.set_memory_limit(10_000)
    with pytest.raises(MemoryBudgetError, match="Unpacking toy of OpenML"):
        openml.fetch(openml.Entry(8, "toy", 1, 1000, 10))
    assert not fetched
