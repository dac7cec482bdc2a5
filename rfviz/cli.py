"""The command ``rfviz``: start the laboratory, run a page without it, say what computes, list the schemes.

What a command needs is imported inside it, so that ``rfviz --version`` answers at once.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from rfviz._version import __version__
from rfviz.cli_run import add_arguments
from rfviz.errors import DataError, ParameterError, RfvizError

__all__ = ["main"]

_FAILED = 2
_STOPPED = 130  # as shells say it


class _Parser(argparse.ArgumentParser):
    """One sentence where argparse would print its usage first."""

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {message}; {self.prog} --help says what it takes.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows its name; that of this process by default.

    Returns
    -------
    int
        Exit status: 0; 2 after an error, which is told on stderr in one sentence; 130 where Ctrl+C was pressed; of
        ``rfviz app``, the server's.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows "?" for it
    given = _parser().parse_args(arguments)
    try:
        return given.command(given)
    except RfvizError as error:
        print(f"rfviz {given.name}: {error}", file=sys.stderr)
        return _FAILED
    except ModuleNotFoundError as error:
        if (error.name or "rfviz").startswith("rfviz"):
            raise
        print(f"rfviz {given.name}: The package {error.name}, which rfviz needs, is not installed.", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        below = "\n" if sys.stderr.isatty() else ""  # of what the terminal shows for the keys
        print(f"{below}rfviz {given.name}: Stopped.", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:  # who reads has seen enough, as in "rfviz schemes | head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("rfviz", description="A laboratory for random feature maps, and a library of them.")
    parser.add_argument("--version", action="version", version=f"rfviz {__version__}")
    commands = parser.add_subparsers(title="commands", dest="name", metavar="COMMAND", required=True)

    app = commands.add_parser("app", help="start the laboratory in the browser")
    app.add_argument("--port", help="where it listens; by default 8501 or the next that is free")
    app.add_argument("--data", metavar="FOLDER", help="a folder with your own .npz, .csv and .parquet files")
    app.add_argument("--device", help="what it computes on: cpu, cuda or cuda:0, cuda:1, …; by default the first GPU")
    app.set_defaults(command=_app)

    add_arguments(commands.add_parser("run", help="compute a page without a browser: charts and numbers as files"))
    device = commands.add_parser("device", help="which device computes, with which libraries and how much memory")
    device.add_argument("--measure", action="store_true", help="also how fast: matrix products and copies, in a second")
    device.set_defaults(command=_device)
    schemes = commands.add_parser("schemes", help="the feature maps that there are")
    schemes.set_defaults(command=_schemes)
    for command in (device, schemes):
        command.add_argument("--json", action="store_true", help="for programs: JSON instead of a table")
    return parser


# --- rfviz app --------------------------------------------------------------------------------------------------------


def _app(given: argparse.Namespace) -> int:
    from rfviz.ui.page_index import laboratory_folder

    folder = laboratory_folder()
    if folder is None:
        raise DataError(
            "The laboratory's pages were not installed with the package; "
            "start it from a checkout, or install without --target."
        )
    if importlib.util.find_spec("streamlit") is None:
        raise DataError("The laboratory needs Streamlit, which is not installed; pip install streamlit brings it.")
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py")]
    if given.port is not None:
        command += ["--server.port", str(_free_port(given.port))]
    environment = dict(os.environ)
    if given.data is not None:
        environment["RFVIZ_DATA"] = str(_data_folder(given.data))
    if given.device is not None:
        from rfviz import backend

        environment["RFVIZ_DEVICE"] = backend.get_device(given.device).name
    return _run(command, environment)


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
    path = Path(text).expanduser()
    if not path.is_dir():
        raise DataError(f"The data folder {path} does not exist or is not a folder.")
    return path.resolve()


def _run(command: list[str], environment: dict[str, str]) -> int:
    """Run the server until it ends; a signal that ends this process ends the server too."""
    server = subprocess.Popen(command, env=environment)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    while True:
        try:
            return max(server.wait(), 0)
        except KeyboardInterrupt:  # the terminal has told the server, too, which takes a moment to close
            continue


# --- rfviz device -----------------------------------------------------------------------------------------------------


def _device(given: argparse.Namespace) -> int:
    from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

    shorten_openblas_waits()
    note = choose_openblas_kernels()  # before anything imports NumPy, as the laboratory does it
    facts = _facts(note, given.measure)
    if given.json:
        print(json.dumps(facts, indent=2))
    else:
        print("\n".join(f"{name:<10}{text}" for name, text in _lines(facts)))
    return 0


def _facts(note: str, measure: bool) -> dict[str, Any]:
    import numpy

    from rfviz import backend

    return {
        "rfviz": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "device": backend.get_device("auto").name,
        "devices": [
            {
                "name": device.name,
                "description": device.describe(),
                "free_bytes": int(device.free_bytes()),
                "budget_bytes": backend.memory_budget(device),
                **(_rates(device) if measure else {}),
            }
            for device in backend.available_devices()
        ],
        "no_gpu_because": backend.gpu_status() or None,
        "blas": {**backend.blas_info(), "note": note or None},
    }


def _rates(device: Any) -> dict[str, float]:
    from rfviz.backend import measure_rates

    found = measure_rates(device)
    rates = {"float32": found.products, "float64": found.double_products, "tf32": found.tf32_products}
    products = {f"{name}_products_per_second": rate for name, rate in rates.items() if rate}
    return products | {"copied_bytes_per_second": found.bandwidth}


def _speeds(device: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the measured rates of a device as text, empty where nothing was measured."""
    titles = {"float32": "float32", "float64": "float64", "tf32": "TF32"}
    known = ((title, device.get(f"{name}_products_per_second")) for name, title in titles.items())
    products = ", ".join(f"{rate / 1e9:,.0f} in {title}" for title, rate in known if rate)
    if not products:
        return []
    copies = device["copied_bytes_per_second"] / 1e9
    return [("", f"billion operations a second in matrix products: {products}; copies {copies:,.1f} GB/s")]


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return `facts` as text, a line for each."""
    blas = facts["blas"]
    lines = [("computes", facts["device"])]
    for device in facts["devices"]:
        free, budget = (f"{device[key] / 1e9:.1f} GB" for key in ("free_bytes", "budget_bytes"))
        lines += [
            (device["name"], device["description"]),
            ("", f"{free} free, of which one computation may use {budget}"),
            *_speeds(device),
        ]
    if facts["no_gpu_because"]:
        lines.append(("no GPU", f"{facts['no_gpu_because']}."))
    kernels = f"{blas['architecture']} kernels" + (f" ({blas['note']})" if blas["note"] else "")
    lines.append(("BLAS", f"{blas['library']} {blas['version']}, {kernels}, {blas['most_threads']} threads"))
    lines.append(("versions", f"rfviz {facts['rfviz']}, Python {facts['python']}, NumPy {facts['numpy']}"))
    return lines


# --- rfviz schemes ----------------------------------------------------------------------------------------------------


def _schemes(given: argparse.Namespace) -> int:
    from rfviz.features import registry

    if given.json:
        print(json.dumps([_entry(name, scheme) for name, scheme in registry().items()], indent=2))
        return 0
    print("n samples, m features, d columns, q the pool size, P grids or projections.")
    for name, scheme in registry().items():
        print(f"\n{scheme.label}  (rfviz.features.{name})")
        print(textwrap.fill(scheme.summary, 100, initial_indent="  ", subsequent_indent="  "))
        print(f"  cost {scheme.cost}; {scheme.reference}")
    return 0


def _entry(name: str, scheme: Any) -> dict[str, Any]:
    told = {key: getattr(scheme, key) for key in ("label", "summary", "formula", "cost", "reference")}
    params = [{"name": p.name, "default": p.default, "rule": p.rule, "help": p.help} for p in scheme.params]
    return {"class": name, **told, "parameters": params}


if __name__ == "__main__":
    sys.exit(main())
