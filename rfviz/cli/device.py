"""``rfviz device``: what computes, with which libraries, and how fast."""

from __future__ import annotations

import argparse
import json
import platform
from typing import TYPE_CHECKING, Any

from rfviz._version import __version__

if TYPE_CHECKING:
    from rfviz.backend import Device

__all__ = ["add_arguments", "describe"]

# By the name that JSON has for a rate of matrix products, that of the text.
_PRECISIONS = {"float32": "float32", "float64": "float64", "tf32": "TF32"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz device``."""
    parser.add_argument(
        "--measure", action="store_true", help="measure its speed, too: matrix products and copies (takes a second)"
    )
    parser.add_argument("--json", action="store_true", help="for programs: JSON instead of a table")
    parser.set_defaults(command=describe)


def describe(given: argparse.Namespace) -> int:
    """Print the devices, the libraries and any measured rates; see :func:`rfviz.cli.main` for errors."""
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


def _rates(device: Device) -> dict[str, float]:
    from rfviz.backend import measure_rates

    found = measure_rates(device)
    rates = {"float32": found.products, "float64": found.double_products, "tf32": found.tf32_products}
    products = {f"{name}_products_per_second": rate for name, rate in rates.items() if rate}
    return products | {"copied_bytes_per_second": found.bandwidth}


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
    lines.append(("BLAS", f"{blas['library']} {blas['version']}, {kernels}, threads: {blas['most_threads']}"))
    lines.append(("versions", f"rfviz {facts['rfviz']}, Python {facts['python']}, NumPy {facts['numpy']}"))
    return lines


def _speeds(device: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the measured rates of a device as lines of text: none if nothing was measured."""
    known = ((title, device.get(f"{name}_products_per_second")) for name, title in _PRECISIONS.items())
    products = ", ".join(f"{rate / 1e9:,.0f} in {title}" for title, rate in known if rate)
    if not products:
        return []
    copies = device["copied_bytes_per_second"] / 1e9
    return [("", f"billion operations per second in matrix products: {products}; copies {copies:,.1f} GB/s")]
