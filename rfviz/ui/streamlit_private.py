"""Workarounds that use private parts of Streamlit, each with the reason for it and what makes it superfluous.

All of them leave Streamlit's own behaviour where a release has other internals: nothing here raises because an
attribute is gone. ``tests/ui/test_streamlit_private.py`` fails when the installed release no longer has what a
workaround needs; then see whether the release does without, and remove the workaround or adapt it.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import types
from collections.abc import Callable
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = [
    "close_session",
    "discard_upload",
    "forget_last_script",
    "has_open_dialog",
    "ignore_impossible_values",
    "is_anybody_there",
    "is_session_active",
    "keep_answers",
    "keep_caches",
    "keep_uploads_in_memory",
    "run_whole_page_first",
    "share_session_locks",
    "stop_superseded_run",
]

_log = logging.getLogger("rfviz")


def has_open_dialog() -> bool:
    """Return whether this run of the page has opened a dialog.

    Streamlit raises at a second one, which ends the run. Superfluous when it shows the last or the first of them.
    """
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "has_dialog_opened", False))


def stop_superseded_run() -> None:
    """End this run of the page if the user has changed something in the meantime.

    Streamlit ends a run at its next call, but lets a fragment finish before it runs the same fragment again; a slider
    that has moved on would wait for every computation on its way. Superfluous when a fragment's run yields to a request
    for the same fragment (https://github.com/streamlit/streamlit/issues/11030).
    """
    context = get_script_run_ctx(suppress_warning=True)
    check = getattr(context, "yield_check", None)
    if context is None or check is None:
        return
    _let_same_fragment_interrupt(
        getattr(getattr(check, "__self__", None), "_requests", None), context.fragment_ids_this_run
    )
    check()


def _let_same_fragment_interrupt(requests: Any, running: list[str] | None) -> None:
    """Make a waiting request for the fragments that run now end them, as one for the whole page would."""
    state, waiting = getattr(requests, "_state", None), getattr(requests, "_rerun_data", None)
    if not running or waiting is None or getattr(state, "name", "") != "RERUN":
        return
    if not set(running) <= set(waiting.fragment_id_queue):
        return
    with requests._lock:
        if requests._rerun_data is waiting:
            requests._rerun_data = dataclasses.replace(waiting, is_fragment_scoped_rerun=True)


def keep_uploads_in_memory(max_bytes: int) -> None:
    """Let the server receive files of this size into memory; it would write what exceeds 1 MB to a temporary file.

    Superfluous when Streamlit has an option for it.
    """
    from starlette.formparsers import MultiPartParser

    MultiPartParser.spool_max_size = max(MultiPartParser.spool_max_size, max_bytes + (2 << 20))


def ignore_impossible_values() -> None:
    """Let a widget whose value cannot be read have its default.

    A message that no browser sends can give a widget a value of another type. Streamlit reads it before the script
    runs, fails, and leaves it in place: every later run of the session fails as well. So does a state under a name that
    no widget has, when a script lists what the session holds. Superfluous when both are refused.
    """
    from streamlit.proto.WidgetStates_pb2 import WidgetState
    from streamlit.runtime.state import session_state
    from streamlit.runtime.state.common import is_element_id

    states, serialized = getattr(session_state, "WStates", None), getattr(session_state, "Serialized", None)
    read: Callable[[Any, str], Any] | None = getattr(states, "__getitem__", None)
    take: Callable[[Any, Any], None] | None = getattr(states, "set_widget_from_proto", None)
    if serialized is None or read is None or take is None or read.__module__ == __name__:
        return

    def readable(self: Any, k: str) -> Any:
        sent, widget = self.states.get(k), self.widget_metadata.get(k)
        try:
            if isinstance(sent, serialized) and widget is not None:
                _check_kind(sent.value.WhichOneof("value"), widget.value_type)
            return read(self, k)
        except KeyError:
            raise
        except Exception as error:
            _log.warning("A widget has its default, for what was sent cannot be read: %s", type(error).__name__)
            # Not removed, for Streamlit goes through the widgets meanwhile.
            self.states[k] = serialized(WidgetState(id=k))
        try:
            return read(self, k)
        except Exception:
            raise KeyError(k) from None
        finally:
            self.set_widget_metadata(widget)  # with the kind of its value, which the reading has replaced by none

    def taken(self: Any, widget_state: Any) -> None:
        if is_element_id(widget_state.id) or widget_state.id.startswith("$$STREAMLIT"):
            take(self, widget_state)

    setattr(states, "set_widget_from_proto", taken)  # noqa: B010 - a type that knows its attributes would refuse
    setattr(states, "__getitem__", readable)  # noqa: B010


def _check_kind(sent: str | None, expected: str | None) -> None:
    """Refuse a value of another kind than a widget has; whole numbers come as either kind of number."""
    numbers = {"int_value", "double_value"}
    if sent is not None and expected is not None and sent != expected and not {sent, expected} <= numbers:
        raise TypeError(f"{sent} in place of {expected}")


def share_session_locks() -> None:
    """Let all runs of a session take turns at its state by one lock.

    A run that is told to end goes on until its next call, next to the run that took its place, and each has a lock of
    its own around the state of both: one lists the state while the other adds to it, or removes a widget's value
    between the other's look whether there is one and the reading of it. Either page fails. Superfluous when both runs
    use one lock.
    """
    from streamlit.runtime.state.safe_session_state import SafeSessionState

    begin: Callable[..., None] = SafeSessionState.__init__
    if begin.__module__ == __name__:
        return

    def begun(self: Any, state: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, state, *args, **kwargs)
        # The state itself takes no attributes; this part of it does, and stays as long as it.
        kept = getattr(getattr(state, "query_params", None), "__dict__", None)
        if kept is not None and hasattr(self, "_lock"):
            object.__setattr__(self, "_lock", kept.setdefault("rfviz_lock", self._lock))

    setattr(SafeSessionState, "__init__", begun)  # noqa: B010 - as above


def keep_answers() -> None:
    """Let the answer to a browser that wants to upload a file survive the start of a run.

    A run that starts empties the queue of what has not been sent, the answer among it: the browser never learns where
    to upload the file to, and the user waits for ever. A page whose computation goes on starts a run every second.
    Superfluous when the queue keeps such an answer (``ForwardMsgQueue.clear``).
    """
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    clear: Callable[..., None] = ForwardMsgQueue.clear
    if clear.__module__ == __name__:
        return

    def cleared(self: Any, retain_lifecycle_msgs: bool = False, *args: Any, **kwargs: Any) -> None:
        waiting = getattr(self, "_queue", []) if retain_lifecycle_msgs else []
        answers = [message for message in waiting if message.WhichOneof("type") == "file_urls_response"]
        clear(self, retain_lifecycle_msgs, *args, **kwargs)
        if answers and not any(message in answers for message in self._queue):
            self._queue.extend(answers)

    setattr(ForwardMsgQueue, "clear", cleared)  # noqa: B010 - as above


def keep_caches() -> None:
    """Let no message clear the caches, which all sessions share, and with them data of the sender's running script.

    A browser sends it only from a menu and a key that the toolbar for viewers does not have. Superfluous when the
    server refuses it as well.
    """
    from streamlit.runtime.app_session import AppSession

    name = "_handle_clear_cache_request"
    if hasattr(AppSession, name):
        setattr(AppSession, name, lambda _: None)


def run_whole_page_first() -> None:
    """Let the first request of a session run the whole page, also where it asks for a fragment.

    A page whose connection comes back after the server was started anew, or after its session was closed, is in a new
    session that holds no fragment. It does not ask for itself, and what it asks for when a control is moved is ignored:
    nothing on it moves until it is reloaded. Superfluous when the browser asks for the whole page in a new session.
    """
    from streamlit.runtime.app_session import AppSession

    request: Callable[..., None] | None = getattr(AppSession, "request_rerun", None)
    if request is None or request.__module__ == __name__:
        return

    def requested(self: Any, client_state: Any, *args: Any, **kwargs: Any) -> None:
        if client_state and not getattr(self, "_rfviz_has_run", False):
            client_state.fragment_id = ""
        self._rfviz_has_run = True
        request(self, client_state, *args, **kwargs)

    setattr(AppSession, "request_rerun", requested)  # noqa: B010 - as above


def discard_upload(file: Any) -> None:
    """Remove an uploaded file from Streamlit, which would hold it as long as the session lives.

    Superfluous when ``st.file_uploader`` releases a file whose widget is gone.
    """
    context = get_script_run_ctx()
    remove = getattr(getattr(context, "uploaded_file_mgr", None), "remove_file", None)
    if context is not None and remove is not None:
        remove(session_id=context.session_id, file_id=file.file_id)


def is_session_active(session_id: str) -> bool:
    """Return whether a session has a connected browser."""
    instance = runtime.get_instance() if runtime.exists() else None
    return instance is not None and instance.is_active_session(session_id)


def is_anybody_there() -> bool:
    """Return whether any session has a connected browser; True where it cannot be told.

    Superfluous when the runtime lists its sessions.
    """
    instance = runtime.get_instance() if runtime.exists() else None
    sessions = getattr(instance, "_session_mgr", None)
    return sessions is None or bool(sessions.list_active_sessions())


def close_session(session_id: str) -> None:
    """Close a session now; Streamlit keeps the state of a disconnected one until another visitor comes.

    Superfluous when the time that a disconnected session is kept can be set.
    """
    if runtime.exists():
        runtime.get_instance().close_session(session_id)


def forget_last_script() -> None:
    """Remove the module of the last script that ran, which Streamlit leaves with all its names until the next run."""
    sys.modules["__main__"] = types.ModuleType("__main__")
