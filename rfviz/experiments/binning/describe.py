"""Say what the charts of random binning show."""

from __future__ import annotations

from rfviz.experiments.binning.compute import BoxView, PlaneGrids, SharedBoxes
from rfviz.experiments.binning.mixed import MixedMaps
from rfviz.words import counted, number, per_cent

__all__ = ["boxes_summary", "explanation", "mixed_explanation", "mixed_summary", "pairs_explanation", "summary"]


def boxes_summary(grids: PlaneGrids, view: BoxView) -> str:
    """Return the grid in one sentence, as alternative text."""
    return (
        f"Grid number {view.repetition + 1} over {counted(len(grids.points), 'point')} of {grids.name}: {_size(view)}, "
        f"{len(view.sizes):,} of them with a point."
    )


def _size(view: BoxView) -> str:
    return f"boxes {number(view.pitch[0])} wide and {number(view.pitch[1])} high"


def summary(shared: SharedBoxes) -> str:
    """Return the estimate in one sentence, as alternative text."""
    return f"{_shares(shared)} of point {shared.row + 1:,}; RMS error {number(shared.error, 2)}."


def _shares(shared: SharedBoxes) -> str:
    """Return what the picture of shares is, up to whose box it is about."""
    if shared.n_repetitions == 1:
        return "The places that grid number 1, the only one, puts into the box"
    return f"The share of the {shared.n_repetitions:,} grids in which each place lies in the box"


def explanation(view: BoxView, shared: SharedBoxes) -> str:
    """Return what one sees, with the numbers of the picture."""
    others = int(view.sizes[view.box[shared.row]]) - 1
    company = counted(others, "other point") if others else "no other point"
    shares = _shares(shared)
    return (
        f"The RMS error is **{number(shared.error, 2)}**.\n- First: grid number {view.repetition + 1}, with "
        f"{_size(view)}. Points in the same box share a colour and a mark; the ringed point shares its box (grey) with "
        f"{company}.\n- Second: {shares[0].lower()}{shares[1:]} of the ringed point. This estimates the kernel; the "
        "orange lines are contours of the exact kernel."
    )


def mixed_summary(mixed: MixedMaps) -> str:
    """Return the mixture in one sentence, as alternative text."""
    return (
        f"Inner product of each place with point {mixed.boxes.row + 1:,}, of {mixed.boxes.n_repetitions:,} grids "
        f"(share {per_cent(mixed.share, 2)}) and as many waves; RMS error {number(mixed.error, 2)}."
    )


def mixed_explanation(view: BoxView, mixed: MixedMaps) -> str:
    """Return what the mixture of grids and waves shows, with its errors."""
    p = mixed.boxes.n_repetitions
    return (
        f"First: grid number {view.repetition + 1}, with {_size(view)}. Second: the inner "
        f"product with the ringed point of {counted(p, 'grid')} and {counted(p, 'wave')} (Fourier features) side by "
        "side, "
        r"$(\sqrt a\,z_\text{grids},\sqrt{1-a}\,z_\text{waves})$ with "
        f"a = {number(mixed.share, 2)}. Its kernel (orange contours) is the same mixture of the grids’ kernel and the "
        f"Gaussian one. The RMS error is **{number(mixed.error, 2)}**; expected over draws are "
        f"{number(mixed.expected(mixed.share), 2)} for this mixture, {number(mixed.expected(1.0), 2)} for grids alone "
        f"and {number(mixed.expected(0.0), 2)} for waves alone."
    )


def pairs_explanation(grids: PlaneGrids, view: BoxView, n_repetitions: int) -> str:
    """Return what the matrix of all pairs shows."""
    lead = (
        f"First: grid number {view.repetition + 1}, which puts "
        f"{counted(len(grids.points), 'point')} into {counted(len(view.sizes), 'box', 'boxes')}. Second: the features’ "
        "inner product of every pair of points, sorted by those boxes."
    )
    if n_repetitions == 1:
        return f"{lead} With a single grid it is 1 for two points of one box and 0 otherwise: one block for each box."
    return (
        f"{lead} It is the share of {n_repetitions:,} grids, from this one on, in which the two points share a box. "
        "More grids turn the sharp blocks into a smooth kernel."
    )
