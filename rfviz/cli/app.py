"""``rfviz app``: start the laboratory, as a process of its own."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rfviz.errors import DataError, ParameterError, require

__all__ = ["add_arguments", "start"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz app``."""
    parser.add_argument("--port", help="the port of the server; by default 8501 or the next that is free")
    parser.add_argument("--data", metavar="FOLDER", help="a folder with your own files: tables and arrays")
    parser.add_argument(
        "--device", help="what it computes on: cpu, cuda or cuda:0, cuda:1, …; by default the first GPU"
    )
    parser.set_defaults(command=start)


def start(given: argparse.Namespace) -> int:
    """Start the laboratory and return the exit status of its server; see :func:`rfviz.cli.main` for errors."""
    from rfviz.lab.folder import laboratory_folder

    folder = laboratory_folder()
    if folder is None:
        raise DataError(
            "The laboratory's pages were not installed with the package; "
            "start it from a checkout, or install without --target."
        )
    require("streamlit", "The laboratory")
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py")]
    if given.port is not None:
        command += ["--server.port", str(_free_port(given.port))]
    environment = dict(os.environ)
    if given.data is not None:
        environment["RFVIZ_DATA"] = str(_data_folder(given.data))
    if given.device is not None:
        from rfviz import backend

        environment["RFVIZ_DEVICE"] = backend.get_device(given.device).name
    return _serve(command, environment)


def _free_port(text: str) -> int:
    from rfviz.params import Param

    rule = Param("--port", 8501, "int", low=1, high=65535)
    port = rule.validate(int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text)
    with socket.socket() as probe:
        # A server that has just ended leaves its port waiting; such a port can be had.
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            raise ParameterError("--port", f"must be a free port ({error.strerror})", port, "Try another.") from None
    return port


def _data_folder(text: str) -> Path:
    path = Path(os.path.expanduser(text))
    if not path.is_dir():
        raise DataError(f"The data folder {path} does not exist or is not a folder.")
    return path.resolve()


def _serve(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the server until it ends; a signal that ends this process ends the server too."""
    server = subprocess.Popen(command, env=environment)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    while True:
        try:
            return max(server.wait(), 0)
        except KeyboardInterrupt:  # the terminal has told the server, too, which takes a moment to close
            continue
