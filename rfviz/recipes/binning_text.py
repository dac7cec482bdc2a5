"""What the page on random binning says."""

from __future__ import annotations

from rfviz.analysis.binning import BoxView, PlaneGrids, SharedBoxes

__all__ = ["METHOD", "NUMBERS", "PROFILES", "boxes_summary", "explanation", "pairs_explanation", "shared_summary"]

PROFILES = {"laplacian": "Laplacian, exp(−γt)", "hat": "Hat, max(0, 1 − γt)", "rational": "Rational, 1 ÷ (1 + γt)"}

NUMBERS = (
    "RMS error: root mean square over the picture of estimate minus kernel, by the first P grids of this draw. "
    "Predicted: what it is on average over draws, √(mean of k(1 − k) ÷ P)."
)

METHOD = r"""
A **repetition** lays a grid over the plane. On each axis $j$ it draws a **pitch** $\delta_j$, the width of the bins,
and a **shift** $u_j$, uniform from 0 to $\delta_j$. The point $x$ is in the bin $\lceil (x_j-u_j)/\delta_j\rceil$ of
axis $j$, and both bins together are its **box**. The feature is 1 for the box that the point is in and 0 for all
others.

With one pitch, two numbers that are $t$ apart share a bin with probability $\max(0, 1-t/\delta)$: a *hat*. Averaging
hats over the law $p(\delta)$ of the pitch gives $k(t)=\int\max(0,1-t/\delta)\,p(\delta)\,d\delta$, and
$p(\delta)=\delta\,k''(\delta)$ is the law that gives a wanted $k$. For $e^{-\gamma t}$ it is
$\gamma^2\delta\,e^{-\gamma\delta}$, the Gamma law with shape 2. The axes are drawn independently, so the chances
multiply to $e^{-\gamma\lVert x-z\rVert_1}$, whose lines of equal height are diamonds.

After $P$ repetitions the share of common boxes is a mean of $P$ independent yes-or-no draws, so its variance is exactly
$k(1-k)/P$. The picture of shares is made of boxes: it has sharp edges, which only fade as more grids are averaged.
"""


def boxes_summary(grids: PlaneGrids, view: BoxView) -> str:
    """The grid in one sentence, for those who cannot see it."""
    return (
        f"Grid number {view.repetition + 1} over {len(grids.points)} points of {grids.name}: boxes {view.pitch[0]:.2f} "
        f"wide and {view.pitch[1]:.2f} high hold them, {len(view.sizes)} with a point in them."
    )


def shared_summary(shared: SharedBoxes) -> str:
    """The estimate in one sentence, for those who cannot see it."""
    place = list(shared.p_grid).index(min(shared.p_grid, key=lambda p: abs(p - shared.n_repetitions)))
    return (
        f"Share of {shared.n_repetitions} grids in which each point of the plane lies in the box of point "
        f"{shared.row + 1}; root mean square error about {shared.rms[place]:.2g}."
    )


def explanation(grids: PlaneGrids, view: BoxView, shared: SharedBoxes, error: float) -> str:
    """What one sees, with the numbers of the picture."""
    own = int(view.sizes[view.box[shared.row]])
    others = f"{own - 1} other point{'s' if own != 2 else ''}" if own > 1 else "no other point"
    return (
        f"**What am I seeing?** First: grid number {view.repetition + 1}, one of {shared.n_repetitions:,}. Its boxes "
        f"are {view.pitch[0]:.2f} wide and {view.pitch[1]:.2f} high; points of one box have one colour and mark, and "
        f"the ringed point shares its box (grey) with {others}. Second: in what share of the {shared.n_repetitions:,} "
        "grids each place lies in the box of the ringed point. That share estimates the kernel, whose exact heights "
        f"are the orange lines; it is off by **{error:.3f}** (root mean square)."
    )


def pairs_explanation(grids: PlaneGrids, view: BoxView, n_repetitions: int) -> str:
    """What the matrix of all pairs shows."""
    lead = (
        f"**What am I seeing?** First: grid number {view.repetition + 1}, which puts {len(grids.points)} points into "
        f"{len(view.sizes)} boxes. Second: the features’ inner product of every pair of points, sorted by those boxes."
    )
    if n_repetitions == 1:
        return f"{lead} With a single grid it is 1 for two points of one box and 0 otherwise: one block for each box."
    return (
        f"{lead} It is the share of {n_repetitions:,} grids, from this one on, in which the two points share a box; as "
        "grids are added, the sharp blocks become a smooth kernel."
    )
