"""Texts of the page on distance saturation."""

from __future__ import annotations

from collections.abc import Mapping

from rfviz.experiments.distance_saturation.compute import SATURATION_SHARE

__all__ = ["ERRATUM", "METHOD", "NUMBERS", "of_pair"]

ERRATUM = r"""
The paper’s **Theorem 1** gives the kernel of maxout features, for unit vectors at correlation $\rho$, as
$K(\rho)=\sigma^2(q)\,\rho\,\kappa_q(\rho)$, with $\kappa_q(\rho)$ the probability that both points choose the same
projection and $\sigma^2(q)=\mathbb E\,(\max)^2$.

Its proof splits the expectation by whether the two points choose the same projection, and is wrong in both parts.

1. Where they **do not**, it drops the product, “since the Gaussians are independent and zero centred”. But a projection
   that has just been found to be the *largest* is not centred any more: it is large. For $q=4$ and $\rho=0.3$ the mean
   product is 1.04, not 0. At $\rho=0$ the two features are independent, each with the mean $h_1(q)=\mathbb E\max>0$, so
   the kernel must be $h_1(q)^2$, and not 0 as printed.
2. Where they **do**, it takes $\rho\,\sigma^2$, here 0.465, for the mean product: it remembers that the projection is
   the largest for one point, and forgets that it is the largest for the other point too. The mean is 1.34.

Mending the first mistake alone gives a kernel of 0.831 there; it is 1.15. The right kernel follows from Price’s
theorem, $K'(\rho)=\kappa_q(\rho)$:

$$K(\rho)=h_1(q)^2+\int_0^\rho\kappa_q(t)\,dt .$$

**What stands:** near points keep their distance (slope 1), far points saturate, and a larger pool saturates sooner,
since all this rests on $\kappa_q$. **What falls:** that the kernel is about 0 for far points. For opposite points it is
62, 83 and 95% of $\sigma^2$ with $q=4$, 8 and 32, because the constant $h_1^2$ makes up 68, 84 and 95% of $\sigma^2$.
And equation 4, by which the best function is locally linear, is derived from Theorem 1 and has no proof left.

The **red dotted curve** in the chart is what Theorem 1 would predict. The measured pairs do not follow it.
"""

NUMBERS = (
    "Slope at 0: embedded over input distance of very near points; measured on the nearest 1% of pairs. Plateau: the "
    "largest expected embedded distance; measured, the mean over the farthest 1% of pairs. Saturation radius: the "
    f"input distance at which {SATURATION_SHARE:.0%} of the plateau is reached. RMS deviation: measured minus "
    "expected, over all pairs."
)

METHOD = r"""
Every pair of points gives one dot: its distance before the map, and its distance after it. Many dots in one place are
drawn as a darker cell, so a million pairs are drawn as quickly as a hundred.

The **solid curve** is $\sqrt{\mathbb E\,\lVert\Phi(x)-\Phi(z)\rVert^2}=\sqrt{k(x,x)+k(z,z)-2k(x,z)}$ with the map’s
exact kernel $k$; nothing is fitted. The **band** is one standard deviation of the squared distance over draws of the
features, also exact: it shrinks as $1/\sqrt m$. All pairs share one draw, so a whole cloud may lie above or below its
curve; change the seed to see how far.

Maxout depends on the angle alone only for points of **unit norm**. With another normalisation there is no single
curve; the line then shows, for each input distance, the mean of the exact expectations of the pairs at that distance.
The line is the same mean for kernels that look at the columns one by one (Laplacian, Cauchy), and for ways of drawing
the features whose spread is not known.
"""


def of_pair(rows: tuple[int, int], before: float, after: Mapping[str, float]) -> str:
    """Return how far one pair of points is apart, before the maps and after each."""
    distances = ", ".join(f"{distance:.3f} ({label})" for label, distance in after.items())
    return (
        f"**Your pair**: rows {rows[0] + 1:,} and {rows[1] + 1:,} are {before:.3f} apart; their features {distances}. "
        "The mark stays with the pair while a slider moves. One feature of both is written out below."
    )
