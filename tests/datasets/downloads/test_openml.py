"""OpenML by words, number or exact name, with stand-ins for the network: what is asked, understood and refused."""

import json
import os
import time
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.downloads import cache, openml, openml_api
from rfviz.errors import DataError, DownloadError, MemoryBudgetError


def answer(*entries):
    return {"data": {"dataset": list(entries)}}


def entry(number=61, name="iris", version=1, rows="150.0", columns="5.0"):
    sizes = {"NumberOfInstances": rows, "NumberOfFeatures": columns, "NumberOfClasses": "3.0"}
    return {
        "did": number,
        "name": name,
        "version": version,
        "status": "active",
        "quality": [{"name": key, "value": value} for key, value in sizes.items()],
    }


@pytest.fixture
def server(monkeypatch):
    """Return a function that sets what a server answers, and returns the list of addresses that were asked."""
    asked = []

    def use(reply):
        def ask(address):
            asked.append(address)
            if isinstance(reply, Exception):
                raise reply
            return reply

        monkeypatch.setattr(openml_api, "ask", ask)
        return asked

    return use


def test_by_name_and_by_number(server):
    asked = server(answer(entry(969, version=3), entry()))
    assert [e.number for e in openml.find(" iris ")] == [61, 969]
    found = openml.find("61")[0]
    assert (found.name, found.version, found.size) == ("iris", 1, "150 rows, 5 columns, 3 classes")
    assert [a.rsplit("/list/", 1)[1] for a in asked] == ["data_name/iris/limit/50", "data_id/61/limit/50"]
    assert all(a.startswith("https://www.openml.org/") for a in asked)


@pytest.mark.parametrize("query", ["", "two words", "../../x", "a/b", "x" * 200, "é", "?q=1", "a\nb"])
def test_names_that_openml_cannot_have_are_not_sent(server, query):
    asked = server(answer(entry()))
    with pytest.raises(DataError, match="without spaces"):
        openml.find(query)
    assert not asked


@pytest.mark.parametrize(
    "reply",
    [
        {},
        [],
        "x",
        None,
        {"data": 3},
        {"data": {"dataset": {}}},
        answer({"did": "x"}),
        answer(3, None, {"name": "a"}),
        answer(entry() | {"quality": 7}),
    ],
)
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
    monkeypatch.setattr(openml_api.urllib.request, "build_opener", lambda *_: opener)
    with pytest.raises(DownloadError, match="an answer of more than"):
        openml.find("iris")


def test_only_secure_addresses_are_followed():
    with pytest.raises(OSError, match="not https"):
        openml_api.OnlySecure().redirect_request(None, None, 302, "Found", {}, "http://openml.org/x")


@pytest.fixture
def fetched(monkeypatch):
    """Put in place of scikit-learn's downloader one that hands out a small table with words and gaps."""
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
        upload = openml.fetch(small)
        assert upload.suggestion.label == "kind" and upload.openml == 7
        found = upload.prepare()
        assert found.target_names == ("a", "b") and found.X.shape == (30, 4)
        assert found.provenance.startswith("toy of OpenML, version 2 (number 7); ")
    assert fetched == [7]


def test_the_cache_holds_a_parquet_file_which_is_checked(fetched):
    small = openml.Entry(7, "toy", 2, 30, 3)
    first = openml.fetch(small)
    (cached,) = (cache.cache_home() / "rfviz").iterdir()
    assert cached.name == "openml-7.parquet" and pd.read_parquet(cached).columns.tolist() == ["colour", "x", "kind"]
    for damaged in (b"", b"nothing", cached.read_bytes()[:-20]):
        cached.write_bytes(damaged)
        assert openml.fetch(small).digest == first.digest
    assert fetched == [7] * 4


def test_a_table_that_is_too_large_is_not_stored(fetched, monkeypatch):
    monkeypatch.setattr(openml, "MAX_BYTES", 1000)
    with pytest.raises(DownloadError, match=r"not what was expected \(.* kB, and at most 1.0 kB are stored\).*choose"):
        openml.fetch(openml.Entry(7, "toy", 2, 30, 3))
    assert not (cache.cache_home() / "rfviz").exists() and fetched == [7]


def test_a_data_set_that_would_not_fit_is_not_downloaded(fetched):
    datasets.set_memory_limit(10_000)
    with pytest.raises(MemoryBudgetError, match="Unpacking toy of OpenML"):
        openml.fetch(openml.Entry(8, "toy", 1, 1000, 10))
    assert not fetched


NAMES = ("wine", "wine-quality-red", "wine-quality-white", "Wine_Reviews", "swine-flu", "RedWineQuality", "iris",
         "year_1990", "credit-g")  # fmt: skip
LISTED = [entry(number, name, version) for number, name in enumerate(NAMES, 1) for version in (1, 2)]


@pytest.fixture
def shop(monkeypatch, tmp_path):
    """Put a list of our own in place of OpenML's, which can be taken off the net; note which addresses are asked."""
    monkeypatch.setenv("RFVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr("rfviz.datasets.downloads.openml_list._PAGE", 5)
    state = {"asked": [], "items": LISTED, "down": None}

    def ask(address):
        state["asked"].append(address.rsplit("/list/", 1)[1])
        if state["down"]:
            raise state["down"]
        filters = state["asked"][-1].split("/")
        given = dict(zip(filters[::2], filters[1::2], strict=True))
        items = state["items"]
        if "data_id" in given:
            items = [item for item in items if item["did"] == int(given["data_id"])]
        if "data_name" in given:
            items = [item for item in items if item["name"] == given["data_name"]]
        first = int(given.get("offset", 0))
        items = items[first : first + int(given["limit"])]
        if not items:
            raise HTTPError("", 412, "Precondition Failed", {}, None)
        return answer(*items)

    monkeypatch.setattr(openml_api, "ask", ask)
    return state


def names(query):
    """Return the names that a search finds, each once, in its order."""
    return list(dict.fromkeys(found.name for found in openml.search(query)))


def test_words_are_found_in_any_order_and_case_the_nearest_first(shop):
    assert names("wine") == [
        "wine",
        "Wine_Reviews",
        "wine-quality-red",
        "wine-quality-white",
        "swine-flu",
        "RedWineQuality",
    ]
    assert names("QUALITY wine") == ["wine-quality-red", "wine-quality-white", "RedWineQuality"]
    assert names("wine, red!") == ["wine-quality-red", "RedWineQuality"]
    assert names("qual") == ["wine-quality-red", "wine-quality-white", "RedWineQuality"]
    assert [found.version for found in openml.search("iris")] == [1, 2]


def test_the_list_is_fetched_page_by_page_and_once(shop):
    openml.search("wine")
    pages = [f"status/active/limit/5/offset/{first}" for first in (0, 5, 10, 15, 18)]
    assert shop["asked"] == pages
    openml.search("iris")
    assert shop["asked"] == pages


def test_a_page_that_holds_items_of_another_form_does_not_end_the_list(shop):
    shop["items"] = [{"did": "x"}] * 6 + LISTED
    assert names("credit g") == ["credit-g"]


def test_a_number_is_that_data_set_and_else_a_part_of_a_name(shop):
    assert [found.name for found in openml.search("7")] == ["iris", "iris"]
    assert names("1990") == ["year_1990"]


@pytest.mark.parametrize("query", ["", "  ", "?!", "_", "\n"])
def test_a_search_needs_a_word(shop, query):
    with pytest.raises(DataError, match="needs a word or a number"):
        openml.search(query)
    assert not shop["asked"]


def test_words_that_no_name_has(shop):
    with pytest.raises(DataError, match=r"of OpenML's 18 active data sets has 'wnie-quality-red'.*wine-quality-red"):
        openml.search("wnie-quality-red")
    with pytest.raises(DataError, match="fewer or other words"):
        openml.search("wine " * 2 + "\x00 zebra" * 10_000)


def test_without_a_list_a_name_is_asked_for(shop, monkeypatch):
    monkeypatch.setattr(
        "rfviz.datasets.downloads.openml_list._pages", lambda: (_ for _ in ()).throw(ValueError("too long"))
    )
    assert names("iris") == ["iris"]
    for query in ("Iris", "two words"):
        with pytest.raises(DownloadError, match=r"list of data sets.*too long.*, or bring the data as a file\.$"):
            openml.search(query)


@pytest.mark.parametrize("error", [URLError(OSError(111, "Connection refused")), TimeoutError(), ValueError("x")])
def test_without_a_network_one_sentence_or_the_list_of_last_week(shop, tmp_path, error):
    shop["down"] = error
    with pytest.raises(DownloadError, match=r"OpenML’s list of data sets could not be .* bring the data as a file\.$"):
        openml.search("wine")
    shop["down"] = None
    assert names("credit") == ["credit-g"]
    (kept,) = (tmp_path / "rfviz").glob("openml-list*.json")
    old = time.time() - 8 * 86_400
    os.utime(kept, (old, old))
    shop["down"], shop["asked"][:] = error, []
    assert names("credit") == ["credit-g"] and shop["asked"]  # it was asked for, in vain
    shop["down"], shop["items"] = None, [*LISTED, entry(99, "credit-new")]
    assert names("credit") == ["credit-g", "credit-new"]  # a fresh list


def test_a_kept_list_that_was_damaged_is_fetched_anew(shop, tmp_path):
    names("wine")
    (kept,) = (tmp_path / "rfviz").glob("openml-list*.json")
    kept.write_bytes(b"nothing")
    assert names("iris") == ["iris"]


def test_sparse_tables_are_written_out(monkeypatch):
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.5, 0.0] * 10), "kind": pd.Categorical(list("abb") * 10)})
    bunch = type("Bunch", (), {"frame": frame, "target_names": ["kind"]})
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    found = openml.fetch(openml.Entry(12, "sparse", 1, 30, 2)).prepare()
    assert found.X.shape == (30, 1) and len(np.unique(found.X)) == 2
