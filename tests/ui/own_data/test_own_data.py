"""Data that a user brings: every page works with them, nobody else sees them, and nothing of them is left behind."""

import asyncio
import gc
import io
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

import rfviz
from rfviz.cache import Cache
from rfviz.datasets.downloads import openml
from rfviz.datasets.files import MAX_BYTES, read_upload
from rfviz.datasets.files.own import own_spec
from rfviz.errors import DataError
from rfviz.experiments.data import Data, in_plane
from rfviz.lab.index import NAVIGATION
from rfviz.lab.script import load_data
from rfviz.ui.cache import DRAWS_BYTES, STORE
from rfviz.ui.own_data import session as own_data
from rfviz.ui.own_data.session import SessionData
from rfviz.ui.streamlit_private import keep_uploads_in_memory
from tests.app_pages import changed, opened, page_at, prose, specs
from tests.datasets.files.samples import csv, pictures
from tests.ui.state.test_pins import in_address
from tests.ui.widgets.test_play import played

SATURATION, EMBEDDING = "distance-saturation", "maxout-pca"
TAKEN = {"table": read_upload("people.csv", csv()), "images": read_upload("pets.zip", pictures(24))}
# Pages that compute for seconds with their defaults.
SMALL = {
    "accuracy": {"maps": ["RandomMaxout"], "m_max": 40, "seeds": 1, "references": ["linear_ridge"]},
    "kitchen-sinks": {"k_max": 50, "stumps": 20, "draws": 1, "learners": ["SigmoidalRidge"]},
    "decision-surfaces": {"n_components": 20},
}
PAGES = [
    page.slug
    for page in NAVIGATION
    if page.slug not in ("home", "lessons", "your-machine", "zoo", "build-a-map", "errata", "speech")
]


def brought(kind):
    """Return what a session holds that has brought such data, and their key."""
    held = SessionData()
    return held, held.put(TAKEN[kind], TAKEN[kind].suggestion, TAKEN[kind].prepare())


def visited(slug, kind, settings=None):
    """Return a page of a session that has brought such data and has chosen them, and their key."""
    held, key = brought(kind)
    at = page_at(slug)
    at.session_state["rfviz:own data"] = held
    return changed(at, slug, {"data": key} | (settings or {})), key


def menu(at, slug):
    return next(box for box in at.selectbox if (box.key or "").startswith(f"{slug}.data:"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.parametrize("slug", PAGES)
def test_every_page_works_with_brought_data(slug, kind):
    at, key = visited(slug, kind, SMALL.get(slug, {}))
    assert not at.error and not at.warning and specs(at)
    assert menu(at, slug).value == key
    assert any("Only you see these data" in caption.value for caption in at.caption)


def test_binning_says_that_it_shows_a_plane():
    at, _ = visited("binning", "table")
    assert any("first two principal components" in caption.value for caption in at.caption)


def test_a_file_is_taken_looked_at_and_used():
    at = opened(SATURATION, query={"data": "own"})
    assert specs(at)  # the page is drawn beneath the dialog
    at.get("file_uploader")[0].set_value(("people.csv", csv(), "text/csv")).run()
    assert not at.exception and not at.error
    label = next(box for box in at.selectbox if box.label == "Label")
    assert label.value == "label" and "town" in label.options
    assert any("60 rows of 6 numbers, 2 classes" in markdown for markdown in prose(at))
    label.set_value("town").run()
    assert any("3 classes" in markdown for markdown in prose(at))
    next(button for button in at.button if button.key == "own-use").click().run()
    assert not at.exception and menu(at, SATURATION).value == "own:people" and specs(at)
    other = changed(at, SATURATION, {"normalise": "none"})
    assert specs(other) and menu(other, SATURATION).value == "own:people"
    # Undo goes back to the data set before, not to the dialog.
    assert [entry["data"] for entry in at.session_state[f"{SATURATION}:history"].entries][:2] == [
        "circle",
        "own:people",
    ]


def test_a_file_that_cannot_be_read_is_one_sentence():
    at = opened(SATURATION, query={"data": "own"})
    at.get("file_uploader")[0].set_value(("people.csv", b"a,b\n1,2\n3,4,5\n6,7\n", "text/csv")).run()
    assert not at.exception and [error.value for error in at.error] == [
        "people.csv: line 3 has 3 cells, and those before have 2. Give every line as many; text that holds a separator "
        "belongs in quotation marks."
    ]
    at.get("file_uploader")[0].set_value(("people.csv", csv(), "text/csv")).run()
    assert not at.error and any(button.key == "own-use" for button in at.button)


def test_a_set_of_openml_is_searched_chosen_and_looked_at(monkeypatch):
    found = [openml.Entry(number, f"wine_*{number}*", 1, 60, 7, 2) for number in range(1, 61)]
    fetched = []

    def search(query, progress):
        if query != "wine":
            raise DataError("None of that name.")
        progress(None, "asking…")
        return found

    def fetch(entry, progress):
        fetched.append(entry)
        return TAKEN["table"]

    monkeypatch.setattr(openml, "search", search)
    monkeypatch.setattr(openml, "fetch", fetch)
    at = opened(SATURATION, query={"data": "own"})
    at.segmented_control(key="own-where").set_value("OpenML").run()

    def ask(words):
        at.text_input(key="own-openml-query").set_value(words)
        next(button for button in at.button if button.label == "Search").click().run()

    ask("zebra")
    assert [error.value for error in at.error] == ["None of that name."] and not at.radio
    ask("wine")
    assert not at.error and any("60 data sets found. The 50 nearest" in caption.value for caption in at.caption)
    (choice,) = at.radio
    assert len(choice.options) == 50 and choice.options[2] == "wine\\_\\*3\\* · number 3"
    choice.set_value(choice.options[2]).run()
    next(button for button in at.button if button.key == "own-openml-get").click().run()
    assert not at.exception and [entry.number for entry in fetched] == [3]
    assert any(button.key == "own-use" for button in at.button)  # the preview


@pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])
def test_a_link_to_data_of_somebody_else(slug):
    at = opened(slug, query={"data": "own:secret"})
    assert [("secret" in info.value, "cannot carry" in info.value) for info in at.info] == [(True, True)]
    assert specs(at) and not menu(at, slug).value.startswith("own")
    assert not changed(at, slug, {"data": "sphere"}).info


def test_a_link_that_cannot_carry_them_says_so_and_offers_no_settings_file():
    at, _ = visited(SATURATION, "table")
    next(button for button in at.button if button.key == f"{SATURATION}.share").click().run()
    assert any("no link can carry your own data, “people”" in markdown for markdown in prose(at))
    labels = [button.proto.label for button in at.get("download_button")]
    assert "Script (.py)" in labels and "Settings (JSON)" not in labels


def test_forgotten_data_leave_the_menu():
    at, key = visited(SATURATION, "table")
    changed(at, SATURATION, {}).session_state[f"{SATURATION}:pin"] = "saturation"
    assert len(at.run().session_state[f"{SATURATION}:pins"]) == 1
    assert in_address(at) == ""  # no link can carry it
    assert at.session_state["rfviz:visited"][SATURATION].values["data"] == key
    next(button for button in at.button if button.key == f"{SATURATION}:own-forget").click().run()
    assert not at.session_state[f"{SATURATION}:pins"]
    assert "data" not in at.session_state["rfviz:visited"][SATURATION].values
    assert not at.exception and menu(at, SATURATION).value == "circle"
    assert key not in menu(at, SATURATION).options and not at.session_state["rfviz:own data"].sets


# --- who sees them, and for how long ----------------------------------------------------------------------------------


def test_no_two_sessions_share_a_key():
    marks = {brought("table")[0].sets["own:people"].owner for _ in range(3)}
    assert len(marks) == 3


def test_names_that_are_taken_and_the_most_that_a_session_holds():
    held, _ = brought("table")
    dataset = TAKEN["table"].prepare()
    assert held.put(TAKEN["table"], TAKEN["table"].suggestion, dataset) == "own:people" and len(held.sets) == 1
    for number in range(5):
        other = read_upload("people.csv", csv() + b"1,2,3,Bern,2024-01-01,%d\n" % number)
        key = held.put(other, other.suggestion, dataset)
    assert key in held.sets and len(held.sets) == own_data.MOST_SETS


@pytest.mark.slow
def test_a_second_file_is_compared_until_it_is_taken_back_and_only_for_its_session():
    at, key = visited("quick-inspection", "table")
    held = at.session_state["rfviz:own data"]
    before = held.sets[key].owner
    at.file_uploader[0].set_value(("later.png", b"no table", "")).run()
    assert not at.exception and len(at.error) == 1 and held.sets[key].dataset.origin.other is None
    at.file_uploader[0].set_value(("later.csv", csv().replace(b"Bern", b"Oslo"), "text/csv")).run()
    assert held.sets[key].owner != before and not STORE.drop_owner(before)
    assert not at.exception and any("Compared with **later.csv**" in markdown for markdown in prose(at))
    assert any("those of later.csv" in markdown for markdown in prose(at))
    next(button for button in at.button if button.label == "Stop").click().run()
    profile = rfviz.profile(pd.read_csv(io.BytesIO(csv()))).to_bytes()
    at.file_uploader[0].set_value(("before.npz", profile, "application/octet-stream")).run()
    assert not at.exception and any("the profile of the other table" in markdown for markdown in prose(at))
    next(button for button in at.button if button.label == "Stop").click().run()
    at.file_uploader[0].set_value(("later.csv", csv(), "text/csv")).run()
    held.put(TAKEN["table"], TAKEN["table"].suggestion.replace({"max_samples": 50}), TAKEN["table"].prepare())
    assert held.sets[key].dataset.origin.other_name == "later.csv"
    next(button for button in at.button if button.label == "Stop").click().run()
    assert not at.exception and held.sets[key].dataset.origin.other is None
    assert not any("later.csv" in markdown for markdown in prose(at))
    with pytest.raises(DataError, match="Only tables are compared"):
        held.compare(key, TAKEN["images"])
    assert brought("table")[0].sets[key].dataset.origin.other is None


def test_animations_go_with_the_data():
    at, key = visited(SATURATION, "table")
    held = at.session_state["rfviz:own data"]
    mark = held.sets[key].owner
    assert STORE.drop_owner(mark) and not STORE.drop_owner(mark)
    played(at, 1)
    held.drop(key)
    assert not STORE.drop_owner(mark)


@pytest.mark.parametrize("leave", [lambda held, key: held.drop(key), lambda held, key: held.clear()])
def test_cached_results_go_with_the_data(leave):
    def compute(data, *, cache):
        return data.name

    held, key = brought("table")
    cache, mine = Cache(STORE), Data(key, (), held.sets[key].owner, held.sets[key].dataset)
    theirs = Data(key, (), "somebody else", mine.dataset)
    assert cache.call(compute, mine) == cache.call(compute, theirs) == key
    leave(held, key)
    assert cache.peek(compute, mine) is None and cache.peek(compute, theirs) == key
    STORE.drop_owner(theirs.stamp)


def _dataset_of(data, *, cache):
    return data.dataset


@pytest.mark.parametrize("back", [False, True])
def test_a_session_that_has_left_takes_all_with_it(monkeypatch, back):
    """The hook waits, looks whether the user is back, and else closes the session and drops every result."""
    held, key = brought("table")
    mark, dataset = held.sets[key].owner, weakref.ref(held.sets[key].dataset)
    cache, mine = Cache(STORE), Data(key, (), mark, held.sets[key].dataset)
    cache.call(_dataset_of, mine)
    del mine
    closed = []
    runtime = SimpleNamespace(is_active_session=lambda _: back, close_session=closed.append)
    monkeypatch.setattr("streamlit.runtime.exists", lambda: True)
    monkeypatch.setattr("streamlit.runtime.get_instance", lambda: runtime)
    monkeypatch.setattr(own_data, "GRACE_S", 0.01)

    async def leave():
        own_data._left(own_data._Presence("the session", held))
        await asyncio.sleep(0.1)

    asyncio.run(leave())
    gc.collect()
    assert closed == ([] if back else ["the session"])
    assert any(function == _dataset_of for (function, *_), _ in STORE.entries()) == back
    assert (dataset() is None) != back
    held.clear()


def _bytes(n_bytes, *, cache):
    return np.empty(n_bytes, np.uint8)


def test_a_session_without_uploads_is_closed_too_and_the_last_one_leaves_few_results(monkeypatch):
    def script():
        from rfviz.ui.own_data.session import session_data

        session_data()

    AppTest.from_function(script).run()
    closed = []
    sessions = SimpleNamespace(list_active_sessions=list)
    runtime = SimpleNamespace(is_active_session=lambda _: False, close_session=closed.append, _session_mgr=sessions)
    monkeypatch.setattr("streamlit.runtime.exists", lambda: True)
    monkeypatch.setattr("streamlit.runtime.get_instance", lambda: runtime)
    monkeypatch.setattr(own_data, "GRACE_S", 0.0)
    rooms = []
    monkeypatch.setattr(own_data, "remember_normals", rooms.append)
    Cache(STORE).call(_bytes, own_data.IDLE_BYTES)
    Cache(STORE).call(_bytes, 10)

    async def leave():
        clear_session_resource_cache("test session id")
        await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert closed == ["test session id"]
    assert [args for (function, args, *_), _ in STORE.entries() if function == _bytes] == [(10,)]
    assert rooms == [DRAWS_BYTES]


def test_uploads_are_received_in_memory():
    from starlette.formparsers import MultiPartParser

    keep_uploads_in_memory(MAX_BYTES)
    assert MultiPartParser.spool_max_size > MAX_BYTES


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize("kind", TAKEN)
def test_a_script_makes_the_same_data_again(kind, plane, tmp_path, monkeypatch):
    held, key = brought(kind)
    own = held.sets[key]
    (tmp_path / own.upload.name).write_bytes(csv() if kind == "table" else pictures(24))
    monkeypatch.chdir(tmp_path)
    scope = {}
    values = own_spec(key, own.upload, own.how, own.dataset, own.owner).extra["values"]
    data = Data(key, tuple(values.items()), own.owner, own.dataset)
    data = in_plane(data)[0] if plane else data
    exec(compile(load_data(data), "script", "exec"), scope)
    assert scope["dataset"].X.shape[1] == 2 or not plane
    assert (scope["dataset"].X == data.dataset.X).all()
