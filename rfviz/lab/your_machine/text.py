"""Texts of the page about this machine."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rfviz._version import __version__
from rfviz.backend import get_device
from rfviz.lab.cluster import VARIABLE
from rfviz.lab.your_machine.compute import BUDGETS, ROWS, M, Speed, Timing, to_frame
from rfviz.words import counted, number, per_cent

__all__ = [
    "CAREFULLY", "HINT", "METHOD", "NOTHING", "NO_RECORDS", "NUMBERS", "busy", "explanation", "first_look",
    "issue_text", "peaks", "sizes",
]  # fmt: skip

# Programs per core: one is the measurement itself, once it has gone on for a minute.
_BUSY = 1.6

HINT = "Press Start to measure carefully: half a minute to a minute."
CAREFULLY = "**Start** takes the best of five turns for each map, and measures the largest sizes."
NOTHING = "Nothing has been measured carefully yet: press **Start** above."
NUMBERS = (
    f"m: features that can be drawn, with {ROWS:,} rows mapped to them, within the time. n: rows that can be mapped to "
    f"{M:,} features. Both by proportion from the measured times, rounded down. “predicted s” and “took s”: the size "
    "for 0.2 s was really run (a smaller one where that would not fit into memory). TF32 error: what a feature would "
    "lose, in per cent of a typical feature, if a GPU’s products were taken in TF32; emulated here where it is not."
)
NO_RECORDS = (
    "There are no recorded results here: they are in the folder `benchmarks/results` of a checkout, not in an "
    "installed "
    "package."
)
METHOD = f"""
**The limit.** A map needs a number of floating-point operations, and moves a number of bytes between the chip and its
memory: each row and weight once in, each feature once out. The rates of the device, in matrix products and in copies,
are measured here, in turns with the maps; the best rate of all turns counts. The limit is the longer of the two times.
It leaves out what a program adds: intermediate results, waiting, the way from the host to a GPU.

**The share** is that limit over the time that the map took. Of each, the best of five turns counts, because whatever
else runs on the machine can only slow a turn down. A share over 100% would mean that a processor’s cache was faster
than the memory behind it.

**A first look** (the pale bars) draws each map once and maps twice, for a fiftieth of a second, with two turns of the
device’s limits in between. It is quick, and easily wrong by a third where something else runs.

**Which maps.** Each with its default settings and {M:,} features, on the 64 columns of the digits, as many rows as take
about a twentieth of a second, at least 1,000. Cosines and other functions count as 20 operations, and are no matrix
products, so a map that consists of them cannot come near 100% on a processor.

**A cluster.** Where the server was started with `{VARIABLE}=tcp://…`, this page shows the Dask cluster at that address:
workers, threads, memory, and what runs. Pages with a Start button then have a switch “On the cluster”, which sends the
parts of their computation, with the data, to its workers; all else is computed on the server. Visitors cannot enter an
address, for it could lead the server to any machine in its reach.

**The sizes.** Drawing takes time in proportion to m, mapping in proportion to n·m. With other data the times grow with
the number of columns d, except for stumps and structured maps.
"""


def first_look(glances: Sequence[Timing]) -> str:
    """Explain the pale bars, and how to measure better."""
    return f"{_ends(glances, 'about ')}\n\n**A first look.** Each pale bar is one short, rough try. {CAREFULLY}"


def explanation(speeds: Sequence[Timing], is_complete: bool = True) -> str:
    """Explain the chart, with its numbers; `is_complete` says whether every map was measured carefully."""
    return f"{'' if is_complete else 'Of the maps measured so far, '}{_ends(speeds)}"


def peaks(speeds: Sequence[Timing], rough: bool = False) -> str:
    """List the rates that set the limit, and after a first look, which has no table, the sizes that stay quick."""
    rates = speeds[0].rates
    lines = [
        f"Peak of matrix products: {number(rates.products / 1e9, 2)} billion operations per second",
        f"Peak of copies: {number(rates.bandwidth / 1e9, 2)} GB per second",
        *([_interactive(speeds, "about ")] if rough else []),
    ]
    return "\n".join(f"- {line}" for line in lines)


def _ends(speeds: Sequence[Timing], about: str = "") -> str:
    """Name the maps that come closest to the limit and least close."""
    first, last = max(speeds, key=lambda s: s.share), min(speeds, key=lambda s: s.share)
    mark = "" if about else "**"  # another first look may find another order
    said = (
        f"{mark}{first.label}{mark} reaches the largest share of the limit, the measured peak of this machine: "
        f"{about}{per_cent(first.share, 2)}."
    )
    if len(speeds) == 1:
        return said
    return f"{said} {mark}{last.label}{mark} reaches {about}{per_cent(last.share, 2)}."


def sizes(speeds: Sequence[Speed]) -> str:
    """Say what stays interactive."""
    off = sorted(s.verified[1] / s.seconds(ROWS, s.verified[0]) for s in speeds)
    return (
        f"{_interactive(speeds)}. Measured, these sizes took {number(off[0], 2)} to {number(off[-1], 2)} times the "
        "predicted time."
    )


def _interactive(speeds: Sequence[Timing], about: str = "") -> str:
    quick = max(speeds, key=lambda s: s.largest_m(BUDGETS[0]))
    slow = min(speeds, key=lambda s: s.largest_m(BUDGETS[0]))
    said = (
        f"With {ROWS:,} points of {counted(quick.n_features, 'column')}, a slider still answers within 0.2 s at "
        f"{about}**m = {quick.largest_m(BUDGETS[0]):,}** for {_within(quick)}"
    )
    if slow is not quick:
        said += f", and at {about}**m = {slow.largest_m(BUDGETS[0]):,}** for {_within(slow)}"
    return said


def _within(speed: Timing) -> str:
    """Return the name of a map within a sentence: random Fourier."""
    return speed.label[:1].lower() + speed.label[1:]


def busy(speeds: Sequence[Timing], rough: bool = False) -> str:
    """Say that others computed on the machine, where they did so; empty otherwise."""
    load = max(speed.load for speed in speeds)
    if load < _BUSY:
        return ""
    said = f"The machine was busy (load {number(load, 2)} per core)."
    if rough:
        return f"{said} A first look can then be far off, either way."
    return f"{said} Times are then too long, and shares too low: measure again when the machine is idle."


def issue_text(speeds: Sequence[Speed]) -> str:
    """Return Markdown to paste into an issue: the machine, its limits, a row for each map."""
    best = speeds[0].rates
    device = get_device(speeds[0].device)
    tf32 = f", {best.tf32_products / 1e9:,.0f} in TF32" if best.tf32_products else ""
    versions = [f"Python {platform.python_version()}"]
    versions += [f"{name} {_version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    lines = [
        f"**{device.describe()}**, {datetime.now(UTC):%Y-%m-%d}",
        f"rfviz {__version__}, {', '.join(versions)}, {platform.system()} {platform.machine()}",
        f"Matrix products: {best.products / 1e9:,.0f} Gflop/s in float32, {best.double_products / 1e9:,.0f} in "
        f"float64{tf32}; copies: {best.bandwidth / 1e9:,.0f} GB/s.",
        f"Rows of {speeds[0].n_features} columns; m for {ROWS} rows, n for {M} features.",
        "",
    ]
    frame = to_frame(speeds)
    lines += [f"| {' | '.join(frame.columns)} |", f"|{'---|' * len(frame.columns)}"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in frame.itertuples(index=False)]
    return "\n\n".join(lines[:4]) + "\n" + "\n".join(lines[4:])


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:.3g}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
