"""Texts of the page on random binning."""

__all__ = ["DRAW", "METHOD", "NUMBERS", "PROFILES"]

PROFILES = {
    "laplacian": "Laplacian, exp(−γt)",
    "hat": "Hat, max(0, 1 − γt)",
    "rational": "Rational, 1 ÷ (1 + γt)",
    "own": "Own mixture of hats",
}
DRAW = ":material/draw: Draw in this chart, with the mouse or a finger. With the keyboard: Tab to it, then arrow keys."

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

A **mixture of maps** puts the features of several side by side, each times the root of its share:
$\langle\Phi(x),\Phi(z)\rangle=a\,\langle z_1(x),z_1(z)\rangle+(1-a)\,\langle z_2(x),z_2(z)\rangle$, whose mean is
$a\,k_1+(1-a)\,k_2$. Both are drawn independently, so the variances add up with $a^2$ and $(1-a)^2$. In scikit-learn it
is `FeatureUnion([("grids", RandomBinning(…)), ("waves", RandomFourier(…))], transformer_weights={"grids": √a, …})`.
"""
