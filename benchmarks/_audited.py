"""Streamlit's command under an audit hook, which notes classes that are unpickled and files that are written.

    python -m benchmarks._audited run app.py

Each event is a line of JSON in the file that ``RFVIZ_AUDIT`` names.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Events that change the file system, by the place of the path among their arguments.
_CHANGES = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.remove": 0, "os.rmdir": 0, "os.chmod": 0}
_noting = threading.local()


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "pickle.find_class":
        _note(event, ".".join(map(str, arguments[:2])))
    elif event == "open":
        path, _, flags = arguments
        if not isinstance(path, int) and flags is not None and flags & _WRITING:
            _note(event, os.fsdecode(path))
    elif event in _CHANGES:
        _note(event, os.fsdecode(arguments[_CHANGES[event]]))
    elif event in ("subprocess.Popen", "os.system", "os.exec"):
        _note(event, str(arguments[0]))


def _note(event: str, what: str) -> None:
    if getattr(_noting, "now", False) or what == "/dev/null":
        return
    _noting.now = True
    try:
        stack = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_stack(limit=12)]
        line = json.dumps({"event": event, "what": what, "stack": stack[:-2]})
        os.write(_log, (line + "\n").encode())
    finally:
        _noting.now = False


if __name__ == "__main__":
    _log = os.open(os.environ["RFVIZ_AUDIT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.addaudithook(_audit)
    from streamlit.web.cli import main

    main()
