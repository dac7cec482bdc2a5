"""The installed Streamlit has what the workarounds use; where one fails here, see whether it is still needed."""

import dataclasses
import inspect
import threading
from types import SimpleNamespace

import pytest
from starlette.formparsers import MultiPartParser
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState, WStates
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from rfviz.ui import streamlit_private


def names(cls):
    return {field.name for field in dataclasses.fields(cls)}


def test_a_waiting_run_can_be_made_to_interrupt_its_own_fragment():
    assert {"yield_check", "fragment_ids_this_run"} <= names(ScriptRunContext)
    assert {"fragment_id_queue", "is_fragment_scoped_rerun"} <= names(RerunData)
    assert {"_lock", "_state", "_rerun_data"} <= vars(ScriptRequests()).keys()


def test_a_run_knows_whether_it_has_opened_a_dialog():
    assert "has_dialog_opened" in names(ScriptRunContext)
    assert not streamlit_private.has_open_dialog()  # outside of any run


def test_a_run_of_the_same_fragment_ends_the_one_before():
    requests = ScriptRequests()
    requests.request_rerun(RerunData(fragment_id_queue=["one"]))
    streamlit_private._let_same_fragment_interrupt(requests, ["other"])
    assert not requests._rerun_data.is_fragment_scoped_rerun
    streamlit_private._let_same_fragment_interrupt(requests, ["one"])
    assert requests._rerun_data.is_fragment_scoped_rerun


def test_without_the_private_parts_nothing_happens():
    for requests in (None, object(), ScriptRequests()):
        streamlit_private._let_same_fragment_interrupt(requests, ["one"])
    streamlit_private.stop_superseded_run()


def test_uploads_and_sessions_can_be_let_go():
    assert isinstance(MultiPartParser.spool_max_size, int)
    assert {"session_id", "file_id"} <= inspect.signature(MemoryUploadedFileManager.remove_file).parameters.keys()
    assert "session_id" in inspect.signature(Runtime.is_active_session).parameters
    assert "session_id" in inspect.signature(Runtime.close_session).parameters
    assert not streamlit_private.is_session_active("nobody")


def test_who_is_there_can_be_told(monkeypatch):
    assert "self._session_mgr = " in inspect.getsource(Runtime.__init__)
    assert callable(WebsocketSessionManager.list_active_sessions)
    assert streamlit_private.is_anybody_there()  # without a server, and with one that keeps its sessions elsewhere
    monkeypatch.setattr("streamlit.runtime.exists", lambda: True)
    monkeypatch.setattr("streamlit.runtime.get_instance", object)
    assert streamlit_private.is_anybody_there()


@pytest.fixture
def readable(monkeypatch):
    """Install the workaround, for this test alone."""
    for name in ("__getitem__", "set_widget_from_proto"):
        monkeypatch.setattr(WStates, name, getattr(WStates, name))
    streamlit_private.ignore_impossible_values()


W = "$$ID-0-w"


def session_with(value, **widget):
    """Return the state of a session with a widget that reads numbers, after a message with this state of it."""
    state = SessionState()
    state._new_widget_state.set_widget_metadata(
        WidgetMetadata(W, lambda sent: 7 if sent is None else int(sent), int, "int_value", **widget)
    )
    state.on_script_will_rerun(WidgetStates(widgets=[value]))
    return state


def test_a_value_that_its_widget_cannot_read_ends_every_run_of_the_session():
    with pytest.raises(ValueError, match="invalid literal"):
        session_with(WidgetState(id=W, string_value="many"))


@pytest.mark.parametrize("wrong", [{"string_value": "many"}, {"double_value": float("nan")}, {"json_value": "{"}])
def test_a_value_that_its_widget_cannot_read_counts_as_none(readable, wrong):
    state = session_with(WidgetState(id=W, **wrong))
    assert state._new_widget_state[W] == 7
    state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id=W, int_value=3)]))
    assert state._new_widget_state[W] == 3


def test_a_value_of_another_kind_counts_as_none_though_it_could_be_read(readable):
    state = session_with(WidgetState(id=W, string_value="12"), callbacks={"moved": lambda: None})
    for _ in range(2):
        assert state._new_widget_state[W] == 7
        state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id=W, string_value="12")]))
    state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id=W, double_value=5.0)]))
    assert state._new_widget_state[W] == 5, "a browser sends whole numbers as either kind"


def test_a_state_of_no_widget_does_not_keep_a_script_from_listing_the_session(readable):
    state = session_with(WidgetState(id=W, int_value=3))
    state.on_script_will_rerun(WidgetStates(widgets=[WidgetState(id="rfviz:device", json_value="{}")]))
    state["own"] = 1
    assert state.filtered_state == {"own": 1}


def test_what_clears_the_caches_can_be_left_out(monkeypatch):
    monkeypatch.setattr(AppSession, "_handle_clear_cache_request", AppSession._handle_clear_cache_request)
    streamlit_private.keep_caches()
    AppSession._handle_clear_cache_request(None)


def test_the_first_request_of_a_session_runs_the_whole_page(monkeypatch):
    assert "client_state" in inspect.signature(AppSession.request_rerun).parameters
    asked = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda self, state: asked.append(state and state.fragment_id))
    streamlit_private.run_whole_page_first()
    installed = AppSession.request_rerun
    streamlit_private.run_whole_page_first()
    assert AppSession.request_rerun is installed
    for session in (SimpleNamespace(), SimpleNamespace()):
        for _ in range(2):
            installed(session, ClientState(fragment_id="one"))
    installed(SimpleNamespace(), None)
    assert asked == ["", "one", "", "one", None]


def test_the_workaround_is_installed_once(readable):
    installed = WStates.__getitem__
    streamlit_private.ignore_impossible_values()
    assert WStates.__getitem__ is installed


@pytest.fixture
def two_runs(monkeypatch):
    """Return two runs of one session, made by a function, the second of which writes while the first one reads."""
    monkeypatch.setattr(SafeSessionState, "__init__", SafeSessionState.__init__)
    read = SessionState._get_widget_id

    def made():
        state = SessionState()
        first, second = (SafeSessionState(state, lambda: None) for _ in range(2))
        first["old"], writers = 0, []

        def interrupted(self, key):
            if not writers:
                writers.append(threading.Thread(target=second.__setitem__, args=("new", 1)))
                writers[0].start()
                writers[0].join(0.2)  # in vain where the other waits
            return read(self, key)

        monkeypatch.setattr(SessionState, "_get_widget_id", interrupted)
        return first, second, writers

    return made


def test_a_state_that_another_run_writes_meanwhile_cannot_be_listed(two_runs):
    first, _, _ = two_runs()
    with pytest.raises(RuntimeError):
        _ = first.filtered_state


def test_runs_of_a_session_take_turns_at_its_state(two_runs):
    streamlit_private.share_session_locks()
    installed = SafeSessionState.__init__
    streamlit_private.share_session_locks()
    assert SafeSessionState.__init__ is installed
    first, second, writers = two_runs()
    assert first.filtered_state == {"old": 0}
    writers[0].join()
    assert second.filtered_state == {"old": 0, "new": 1}
    assert first._lock is second._lock and first._lock is not two_runs()[0]._lock


@pytest.fixture
def queue(monkeypatch):
    """Return a queue in which an answer about an upload waits, next to a part of the page."""
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    queue, answer, part = ForwardMsgQueue(), ForwardMsg(), ForwardMsg()
    answer.file_urls_response.response_id = "asked"
    part.delta.new_element.markdown.body = "of the run before"
    for message in (answer, part):
        queue.enqueue(message)
    return queue


def test_a_run_that_starts_drops_an_answer_about_an_upload(queue):
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.is_empty()


def test_an_answer_about_an_upload_is_kept_and_sent_once(queue):
    streamlit_private.keep_answers()
    installed = ForwardMsgQueue.clear
    streamlit_private.keep_answers()
    assert ForwardMsgQueue.clear is installed
    for _ in range(2):
        queue.clear(retain_lifecycle_msgs=True)
    assert [message.file_urls_response.response_id for message in queue.flush()] == ["asked"]
    assert queue.is_empty()
