"""Texts of the page on random binning."""

from __future__ import annotations

from rfviz.lab.binning.compute import BoxView, PlaneGrids, SharedBoxes

__all__ = ["METHOD", "NUMBERS", "PROFILES", "boxes_summary", "explanation", "pairs_explanation", "summary"]

PROFILES = {"laplacian": "Laplacian, exp(−γt)", "hat": "Hat, max(0, 1 − γt)", "rational": "Rational, 1 ÷ (1 + γt)"}

NUMBERS = (
    "RMS error: root mean square over the picture of estimate minus kernel, with the first P grids of this draw. "
    "Predicted: what it is on average over draws, √(mean of k(1 − k) ÷ P)."
)

METHOD = r"""
A **repetition** lays a grid over the plane. On each axis $j$ it draws a **pitch** $\delta_j$, the width of the bins,
and a **shift** $u_j$, uniform from 0 to $\delta_j$. The point $x$ is in the bin $\lceil (x_j-u_j)/\delta_j\rceil$ of
axis $j$, and both bins together are its **box**. The feature is 1 for the box that the point is in and 0 for all
others.

With one pitch, two numbers that are $t$ apart share a bin with probability $\max(0, 1-t/\delta)$: a *hat*. Averaging
hats over the density $p(\delta)$ of the pitch gives $k(t)=\int\max(0,1-t/\delta)\,p(\delta)\,d\delta$, and
$p(\delta)=\delta\,k''(\delta)$ is the density that gives a wanted $k$. For $e^{-\gamma t}$ it is
$\gamma^2\delta\,e^{-\gamma\delta}$, the Gamma distribution with shape 2. The axes are drawn independently, so the
probabilities multiply to $e^{-\gamma\lVert x-z\rVert_1}$, whose level lines are diamonds.

After $P$ repetitions the share of common boxes is a mean of $P$ independent yes-or-no draws, so its variance is exactly
$k(1-k)/P$. The picture of shares consists of boxes: its edges are sharp and fade only as more grids are averaged.
"""


def boxes_summary(grids: PlaneGrids, view: BoxView) -> str:
    """Return the grid in one sentence, for those who cannot see it."""
    return (
        f"Grid number {view.repetition + 1} over {len(grids.points)} points of {grids.name}: boxes {view.pitch[0]:.2f} "
        f"wide and {view.pitch[1]:.2f} high, {len(view.sizes)} of them with a point."
    )


def summary(shared: SharedBoxes) -> str:
    """Return the estimate in one sentence, for those who cannot see it."""
    return (
        f"Share of {shared.n_repetitions} grids in which each point of the plane lies in the box of point "
        f"{shared.row + 1}; RMS error {shared.error:.2g}."
    )


def explanation(view: BoxView, shared: SharedBoxes) -> str:
    """Return what one sees, with the numbers of the picture."""
    others = int(view.sizes[view.box[shared.row]]) - 1
    company = f"{others or 'no'} other point{'s' if others > 1 else ''}"
    return (
        f"**What am I seeing?** First: grid number {view.repetition + 1}. Its boxes are "
        f"{view.pitch[0]:.2f} wide and {view.pitch[1]:.2f} high. Points in the same box share a colour and a mark; the "
        f"ringed point shares its box (grey) with {company}. Second: the share of the {shared.n_repetitions:,} grids "
        "in which each place lies in the box of the ringed point. This share estimates the kernel; the orange lines "
        f"are contours of the exact kernel. The RMS error is **{shared.error:.3f}**."
    )


def pairs_explanation(grids: PlaneGrids, view: BoxView, n_repetitions: int) -> str:
    """Return what the matrix of all pairs shows."""
    lead = (
        f"**What am I seeing?** First: grid number {view.repetition + 1}, which puts {len(grids.points)} points into "
        f"{len(view.sizes)} boxes. Second: the features’ inner product of every pair of points, sorted by those boxes."
    )
    if n_repetitions == 1:
        return f"{lead} With a single grid it is 1 for two points of one box and 0 otherwise: one block for each box."
    return (
        f"{lead} It is the share of {n_repetitions:,} grids, from this one on, in which the two points share a box. "
        "More grids turn the sharp blocks into a smooth kernel."
    )
