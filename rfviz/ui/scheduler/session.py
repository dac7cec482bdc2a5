"""The scheduler's view of Streamlit: which session asks, for which device, and whether it still waits."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz import backend
from rfviz.ui.scheduler.requests import Request, Target, current_request
from rfviz.ui.session import SessionValue
from rfviz.ui.streamlit_private import stop_superseded_run

__all__ = ["DEVICE", "PRECISION", "acting_for", "new_request", "session_target"]

#: A session's choices; empty if it has made none.
DEVICE, PRECISION = SessionValue("device", str), SessionValue("precision", str)
_acting: ContextVar[Request | None] = ContextVar("rfviz_request", default=None)


def session_target() -> Target:
    """Return the device that the session computes on: the chosen one, else the first."""
    request = current_request() or _acting.get()
    if request is not None:
        return request.target
    devices = [device.name for device in backend.available_devices()]
    if len(devices) == 1:
        return Target(devices[0])
    chosen = precision = ""
    if get_script_run_ctx(suppress_warning=True) is not None:
        chosen, precision = DEVICE.get(), PRECISION.get()
    name = chosen if chosen in devices else backend.get_device().name
    return Target(name, precision or "float32") if name != "cpu" else Target(name)


def new_request(target: Target | None = None) -> Request:
    """Return the request of the calling thread."""
    request = current_request() or _acting.get()
    if request is not None:
        return request
    target = target or session_target()
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return Request("", target)
    return Request(context.session_id, target, check=stop_superseded_run)


@contextmanager
def acting_for(request: Request) -> Generator[None, None, None]:
    """Let the calling thread compute for a request while inside."""
    token = _acting.set(request)
    try:
        yield
    finally:
        _acting.reset(token)
