"""The app in a process of its own, for scripts that drive it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

__all__ = ["ROOT", "running_app", "server_of"]

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def running_app(
    data: str | None = None,
    script: Path = ROOT / "app.py",
    log: Any = None,
    wait: bool = True,
    module: str = "streamlit",
) -> Iterator[str]:
    """Run the app on a free port, as ``make app DATA=data`` starts it, and yield its address; stop it afterwards.

    Another `script` is run in its own folder, so without the laboratory's settings. What the server prints goes to the
    file `log`. Without `wait` the address is yielded at once, when nothing listens there yet. The
    `module` is the one that has Streamlit's commands.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        module,
        "run",
        script.name,
        "--server.headless",
        "true",
        "--server.address",
        "127.0.0.1",
        "--server.port",
        str(port),
    ]
    with tempfile.TemporaryFile() as temporary:
        log = log or temporary
        # What an earlier run has computed would be no computation now.
        environment = {"RFVIZ_DISK_MB": "0", **os.environ, "RFVIZ_DATA": data or ""}
        process = subprocess.Popen(command, cwd=script.parent, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            if wait:
                _wait_until_healthy(process, url, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def server_of(url: str) -> psutil.Process:
    """Return the process that serves an address."""
    port = url.rpartition(":")[2]
    return next(process for process in psutil.Process().children() if port in process.cmdline())


def _wait_until_healthy(process: subprocess.Popen, url: str, log: Any, patience_s: float = 300.0) -> None:
    until = time.monotonic() + patience_s
    while time.monotonic() < until and process.poll() is None:
        try:
            # The route of the device answers once the server has imported what pages need; another script has none.
            urllib.request.urlopen(f"{url}/rfviz/device", timeout=patience_s).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
    log.seek(0)
    raise RuntimeError(f"The app did not start:\n{log.read().decode(errors='replace')[-2000:]}")
