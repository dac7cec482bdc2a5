"""The installed Streamlit has what the workarounds use; where one fails here, see whether it is still needed."""

import dataclasses
import inspect

from starlette.formparsers import MultiPartParser
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from rfviz.ui import streamlit_private


def names(cls):
    return {field.name for field in dataclasses.fields(cls)}


def test_a_waiting_run_can_be_made_to_interrupt_its_own_fragment():
    assert {"yield_check", "fragment_ids_this_run"} <= names(ScriptRunContext)
    assert {"fragment_id_queue", "is_fragment_scoped_rerun"} <= names(RerunData)
    assert {"_lock", "_state", "_rerun_data"} <= vars(ScriptRequests()).keys()


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
