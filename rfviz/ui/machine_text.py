"""What the page about this machine says."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz.analysis.machine import BUDGETS, ROWS, M, SchemeSpeed, Timing

__all__ = ["CAREFULLY", "HINT", "METHOD", "NOTHING", "NO_RECORDS", "NUMBERS", "explanation", "first_look", "sizes"]

# Programs by core: one is the measurement itself, once it has gone on for a minute.
_BUSY = 1.6

HINT = "Press Start to measure them with care: half a minute to a minute."
CAREFULLY = "**Start** measures with care: the best of five turns for each map counts, and the sizes are run for real."
NOTHING = "Nothing has been measured with care yet: press **Start** above."
NUMBERS = (
    f"m: features that can be drawn, with {ROWS:,} rows mapped to them, within the time. n: rows that can be mapped to "
    f"{M:,} features. Both by proportion from the measured times, rounded down. “predicted s” and “took s”: the size "
    "for 0.2 s was really run (a smaller one where that would not fit into memory). TF32 error: what a feature would "
    "lose, in per cent of a typical feature, if a GPU’s products were taken in TF32; emulated here where it is not."
)
NO_RECORDS = (
    "There are no recorded results here: they lie in `benchmarks/results` of a checkout, and come with no installed "
    "package."
)
METHOD = f"""
**The limit.** A map has to do so many floating-point operations, and has to move so many bytes between the chip and its
memory: each row and weight once in, each feature once out. The device does so many operations a second in matrix
products, and so many bytes a second in copies; both are measured here, in turns with the maps, and the best rate of all
turns counts. The limit is the longer of the two times. Not counted is what a program adds: intermediate results,
waiting, the way from the host to a GPU.

**The share** is that limit over the time that the map took. Of each, the best of five turns counts, because whatever
else runs on the machine can only slow a turn down. A share over 100% would mean that a cache was faster than the
memory behind it.

**At first sight** (the pale bars) each map is drawn once and mapped twice, for a fiftieth of a second, with two
turns of the device’s limits in between: quick to see, and easily wrong by a third where something else runs.

**Which maps.** Each with its default settings and {M:,} features, on the 64 columns of the digits, as many rows as take
about a twentieth of a second, at least 1,000. Cosines and other functions count as 20 operations, and are no matrix
products, so a map that consists of them cannot come near 100% on a processor.

**The sizes.** Drawing takes time in proportion to m, mapping in proportion to n·m. With other data the times grow with
the number of columns d, but for stumps and structured maps.
"""


def first_look(glances: Sequence[Timing]) -> str:
    """What the pale bars are, what they say, and how to know better."""
    return (
        "**A first look.** Each pale bar is one short try, made when this page was first opened. The dotted line is "
        f"the **limit**, the time that no program can beat on this device: {_limit(glances[0])}. "
        f"{_ends(glances, 'about ')} {_interactive(glances, 'about ')}. {CAREFULLY}"
    )


def explanation(speeds: Sequence[Timing]) -> str:
    """What is seen in the chart, with its numbers."""
    return (
        f"**What am I seeing?** The dotted line is the best that this device can do: {_limit(speeds[0])}. "
        f"{_ends(speeds)}"
    )


def _limit(speed: Timing) -> str:
    rates = speed.rates
    return (
        f"{rates.products / 1e9:,.0f} billion operations a second in matrix products, {rates.bandwidth / 1e9:,.0f} GB "
        "a second in copies"
    )


def _ends(speeds: Sequence[Timing], about: str = "") -> str:
    """Which maps come nearest to the limit and least near."""
    first, last = max(speeds, key=lambda s: s.share), min(speeds, key=lambda s: s.share)
    said = f"**{first.label}** comes nearest, at {about}{_per_cent(first.share)}"
    if len(speeds) == 1:
        return said + "."
    return said + f"; **{last.label}** takes {about}{1 / last.share:,.0f} times its least time."


def sizes(speeds: Sequence[SchemeSpeed]) -> str:
    """What stays interactive, in a sentence."""
    off = sorted(s.verified[1] / s.seconds(ROWS, s.verified[0]) for s in speeds)
    return (
        f"{_interactive(speeds)}. Run for real, these sizes took {off[0]:.2g} to {off[-1]:.2g} times the predicted "
        "time."
    )


def _interactive(speeds: Sequence[Timing], about: str = "") -> str:
    quick = max(speeds, key=lambda s: s.largest_m(BUDGETS[0]))
    slow = min(speeds, key=lambda s: s.largest_m(BUDGETS[0]))
    said = (
        f"With {ROWS:,} points of {quick.n_features} columns, a slider still answers within 0.2 s at "
        f"{about}**m = {quick.largest_m(BUDGETS[0]):,}** for {_within(quick)}"
    )
    if slow is not quick:
        said += f", and at {about}**m = {slow.largest_m(BUDGETS[0]):,}** for {_within(slow)}"
    return said


def _within(speed: Timing) -> str:
    """The name of a map within a sentence: random Fourier."""
    return speed.label[:1].lower() + speed.label[1:]


def busy(speeds: Sequence[Timing], at_first_sight: bool = False) -> str:
    """That others computed on the machine, where they did so; empty otherwise."""
    load = max(speed.load for speed in speeds)
    if load < _BUSY:
        return ""
    said = f"The machine was busy: {load:.1f} programs wanted each of its cores."
    if at_first_sight:
        return f"{said} A first look can be far off then, either way."
    return f"{said} Times are too long then, and shares too low; measure again when it is quiet."


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.01 else "under 1%"
