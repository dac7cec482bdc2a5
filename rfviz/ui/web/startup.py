"""The start and the end of the server, and what it does where a page fails."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.ui.streamlit_private import run_whole_page_first

__all__ = ["ROUTER", "disable_nagle", "is_ready", "lifespan", "report_script_error", "wait_until_ready"]

#: What Streamlit runs for every visitor.
ROUTER = Path(__file__).resolve().parents[1] / "router.py"
_log = logging.getLogger("rfviz")
# Time for which a thread holds the interpreter while another waits for it. A chart's computation hands it on with every
# array, and behind three long ones in the background each of the usual 5 ms adds up to more than it takes itself.
_SWITCH_S = 0.0005

_ready = threading.Event()
_ready.set()  # where no server starts, no thread waits
_ends = threading.Event()


@asynccontextmanager
async def lifespan(app: Any) -> AsyncGenerator[dict[str, Any], None]:
    """Serve at once, and meanwhile import in a thread what pages need.

    Streamlit opens the port before it loads the application. A connection then waits until this yields, and a
    browser gives up on a websocket after ten seconds.
    """
    disable_nagle()
    run_whole_page_first()  # before the first request
    sys.setswitchinterval(_SWITCH_S)
    _ready.clear()
    _ends.clear()
    threading.Thread(target=_warm_up, daemon=True, name="rfviz-warm-up").start()
    yield {}
    _ends.set()
    if _ready.is_set():
        from rfviz.ui import scheduler  # not before: it imports NumPy

        scheduler.close()


def _warm_up() -> None:
    try:
        from rfviz.ui.web.warm_up import import_pages, warm_up

        warm_up()
    except Exception:  # pages then import for themselves, and say what fails
        if not _ends.is_set():  # at its end Python imports nothing more
            _log.exception("What pages need could not be prepared")
        return
    finally:
        _ready.set()
    import_pages()


def is_ready() -> bool:
    """Return whether the server has imported what every page needs."""
    return _ready.is_set()


def wait_until_ready() -> None:
    """Wait until the server has imported what every page needs.

    Two threads that import packages with circles among their modules can meet them half made.
    """
    _ready.wait()


def disable_nagle() -> None:
    """Set ``TCP_NODELAY`` on this process's listening sockets, from which accepted connections inherit it.

    Asyncio sets it on sockets that it has made itself, but Streamlit binds its own. Every file after a connection's
    first, and every message after a run's first, then waits for the client's delayed acknowledgement: 40 ms on Linux.
    Does nothing on Windows, where open files have no folder.
    """
    names = os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else []
    for number in map(int, names):
        try:
            found = socket.socket(fileno=number)
        except OSError:
            continue  # a file, or closed meanwhile
        try:
            is_tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
            if is_tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:
            _log.debug("Socket %d takes no options", number)
        finally:
            found.detach()  # it belongs to the server


def report_script_error(error: Exception) -> bool:
    """Show one sentence where a page fails; the traceback goes to the server's log.

    Returns
    -------
    bool
        True: Streamlit is not to show the exception itself.
    """
    if isinstance(error, RfvizError):
        st.error(str(error))
    elif isinstance(error, MemoryError):
        st.error("This computation does not fit into memory. Choose fewer features or fewer points.")
    else:
        _log.exception("A page failed", exc_info=error)
        st.error(
            "Something went wrong on this page; the server's log has the details. Change a setting, or reload the page "
            "without what follows the question mark in its address."
        )
    return True
