"""``rfviz app``: what it starts, from where, and how it ends and refuses."""

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from rfviz import cli
from rfviz.cli import app
from rfviz.lab import folder
from tests.cli.command import COMMAND, ROOT, environment


def test_port_that_is_taken(capsys):
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["app", "--port", str(port)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rfviz app: --port must be a free port (") and f"got {port}. Try another.\n" in error


def test_without_streamlit_or_without_pages(capsys, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert cli.main(["app"]) == 2
    assert "needs Streamlit, which is not installed" in capsys.readouterr().err
    monkeypatch.setattr(folder, "laboratory_folder", lambda: None)
    assert cli.main(["app"]) == 2
    assert "pages were not installed with the package" in capsys.readouterr().err


def test_command_by_itself_starts_the_laboratory(monkeypatch):
    started = []
    monkeypatch.setattr(app, "_serve", lambda *given: started.append(given) or 0)
    assert cli.main([]) == cli.main(["app"]) == 0
    assert started[0] == started[1] and started[0][0][-1].endswith("app.py")
    assert cli.main(["maps"]) == 0 and len(started) == 2


def test_what_is_started(monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr(app, "_serve", lambda *given: started.append(given) or 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert cli.main(["app", "--data", "mine"]) == 0
    ((command, variables),) = started
    assert command == [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    assert variables["RFVIZ_DATA"] == str((tmp_path / "mine").resolve())


def _answers(url):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="ends the command by a signal")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "interrupt"])
def test_laboratory_starts_from_any_folder_and_ends_with_the_command(tmp_path, how):
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as out:
        command = subprocess.Popen(
            [*COMMAND, "app", "--port", str(port)],
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment(STREAMLIT_SERVER_HEADLESS="true"),
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 300
        while not _answers(f"http://127.0.0.1:{port}/_stcore/health"):
            assert command.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        # A terminal interrupts everybody in it; who terminates the command means the command alone.
        os.killpg(command.pid, how) if how == signal.SIGINT else command.send_signal(how)
        command.wait(60)
        assert not _answers(f"http://127.0.0.1:{port}/_stcore/health")
        assert "Traceback" not in log.read_text()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)
