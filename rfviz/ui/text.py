"""What the pages say about their charts."""

from __future__ import annotations

import math

from rfviz.analysis.embedding import EmbeddingResult
from rfviz.analysis.saturation import SATURATION_SHARE, SaturationResult

__all__ = [
    "EMBEDDING_METHOD",
    "ERRATUM",
    "SATURATION_METHOD",
    "SATURATION_NUMBERS",
    "embedding_explanation",
    "embedding_summary",
    "saturation_explanation",
    "saturation_summary",
]

# A lower rank correlation with the given order is no curve that is worth the name.
_ORDERED = 0.5

ERRATUM = r"""
The paper’s **Theorem 1** gives the kernel of maxout features, for unit vectors at correlation $\rho$, as
$K(\rho)=\sigma^2(q)\,\rho\,\kappa_q(\rho)$, with $\kappa_q(\rho)$ the probability that both points choose the same
projection and $\sigma^2(q)=\mathbb E\,(\max)^2$.

Its proof splits the expectation by whether the two points choose the same projection, and drops the part where they do
not, “since the Gaussians are independent and zero centred”. But a projection that has just been found to be the
*largest* is not centred any more: it is large. At $\rho=0$ the two features are independent, each with the mean
$h_1(q)=\mathbb E\max>0$, so the kernel must be $h_1(q)^2$, and not $0$ as printed.

The right kernel follows from Price’s theorem, $K'(\rho)=\kappa_q(\rho)$:

$$K(\rho)=h_1(q)^2+\int_0^\rho\kappa_q(t)\,dt .$$

The story of the paper survives, because it rests on $\kappa_q$: near points keep their distance (slope 1), far points
saturate, and a larger pool saturates sooner. The **dashed curve** in the chart is what Theorem 1 would predict. The
measured pairs do not follow it.
"""

SATURATION_NUMBERS = (
    "Slope at 0: embedded over input distance of very near points; measured on the nearest 1 % of pairs. Plateau: the "
    "largest expected embedded distance; measured, the mean over the farthest 1 % of pairs. Saturation radius: the "
    f"input distance at which {SATURATION_SHARE:.0%} of the plateau is reached. RMS deviation: measured minus "
    "expected, over all pairs."
)

SATURATION_METHOD = r"""
Every pair of points gives one dot: its distance before the map, and its distance after it. Many dots in one place are
drawn as a darker cell, so a million pairs are as quick as a hundred.

The **solid curve** is $\sqrt{\mathbb E\,\lVert\Phi(x)-\Phi(z)\rVert^2}=\sqrt{k(x,x)+k(z,z)-2k(x,z)}$ with the scheme’s
exact kernel $k$; nothing is fitted. The **band** is one standard deviation of the squared distance over draws of the
features, also exact: it shrinks as $1/\sqrt m$. All pairs share one draw, so a whole cloud may lie above or below its
curve; change the seed to see how far.

Maxout depends on the angle alone only for points of **unit norm**. With another normalisation there is no single
curve; the line then shows, for each input distance, the mean of the exact expectations of the pairs at that distance.
So it does for kernels that look at the columns one by one (Laplacian, Cauchy), and for ways of drawing the features
whose spread is not known.
"""

EMBEDDING_METHOD = r"""
The points are normalised, mapped by $m$ random features, and projected on the first principal components of the
features. **Plain PCA** does the same without the map. **Exact kernel PCA** uses the kernel that the features estimate,
so it is what the picture tends to as $m$ grows. The sign of a component means nothing; axes are turned to agree.

**Order along the curve**: each point is tied to its near neighbours, and the slowest vibration of that net (the Fiedler
vector of its graph) rises from one end of the curve to the other. Spearman’s $\rho$ compares the places it gives with
the given ones: 1 is the same order, 0 is none.

Where there are fewer points than coordinates, the points are first written in a basis of their span. Distances stay
exactly the same, and Gaussian weights have the same law in every basis, so nothing changes but the cost.
"""


def saturation_summary(result: SaturationResult) -> str:
    """The chart in one sentence, for those who cannot see it."""
    curves = "; ".join(
        f"{c.label} plateaus at {c.plateau:.2f}" if c.plateau is not None else f"{c.label} has no plateau"
        for c in result.curves
    )
    return (
        f"Embedded against input distance of {result.n_pairs} pairs of points of {result.dataset}, "
        f"{result.label} with {result.n_components} features: {curves}."
    )


def saturation_explanation(result: SaturationResult) -> str:
    """What one sees, with the numbers of the picture."""
    first = result.curves[0]
    lead = (
        f"**What am I seeing?** {result.n_pairs:,} pairs of {result.n_points:,} points: how far apart they are "
        f"(across), and how far apart their {result.n_components:,} features are (up)."
    )
    if first.expected is None:
        return f"{lead} {first.no_curve} The line is the mean of the pairs’ own exact expectations."
    if first.plateau is None:
        return f"{lead} This map is linear: it keeps every distance up to a random error, and never saturates."
    near = f"keep their distance (slope {first.slope:.3g})"
    if not math.isfinite(first.slope):
        near = "are pulled apart (the kernel has a cusp at 0, so the curve starts vertically)"
    story = (
        f"{lead} Near points {near}, far ones all end up about "
        f"{first.plateau:.2f} apart: the map is **local**. With {first.label} it has reached {SATURATION_SHARE:.0%} of "
        f"that plateau at a distance of {first.radius:.2f}."
    )
    others = [c for c in result.curves[1:] if c.radius is not None]
    if others:
        story += " With " + ", with ".join(f"{c.label} it does so at {c.radius:.2f}" for c in others) + "."
    return story


def embedding_summary(result: EmbeddingResult) -> str:
    """The chart in one sentence, for those who cannot see it."""
    p = result.features
    order = f" Spearman's correlation with the given order is {p.order.spearman:.3f}." if p.order else ""
    return (
        f"{p.title} of {len(p.coordinates)} points on {p.coordinates.shape[1]} axes that hold "
        f"{p.explained.sum():.0%} of the variance.{order}"
    )


def embedding_explanation(result: EmbeddingResult) -> str:
    """What one sees, with the numbers of the picture."""
    p = result.features
    lead = (
        f"**What am I seeing?** Each mark is one of {len(p.coordinates):,} points, placed by the first "
        f"{p.coordinates.shape[1]} principal components of its features, which hold {p.explained.sum():.0%} of their "
        "variance."
    )
    if p.order is None:
        return lead + " Points that the map sees as alike are close; hover over a mark to see its nearest neighbours."
    moved = int((p.order.recovered != p.order.given).sum())
    if p.order.spearman < _ORDERED:
        return (
            f"{lead} In their given order the points should lie on a curve. Here the map does not show it: the order "
            f"found in the picture has a rank correlation (Spearman’s ρ) of only **{p.order.spearman:.4f}** with it. "
            "Where there is a γ, a smaller one lets the map see farther."
        )
    return (
        f"{lead} The points lie on a curve. Their order along it agrees with the given one to a rank correlation "
        f"(Spearman’s ρ) of **{p.order.spearman:.4f}**, where 1 is the same order; {moved} of them sit elsewhere than "
        "the given order says."
    )


ACCURACY_METHOD = r"""
Each map is trained by **ridge regression** on codes $\pm1$, one column a class, and the largest score wins. The maps
are nested: the first $m$ features of a larger map are the map with $m$ features. So one Gram matrix
$H^\top H$, summed over blocks of rows, and one Cholesky factor $LL^\top$ hold the solution for **every** $m$:
$\beta_m=L_{:m,:m}^{-\top}\,u_{:m}$ with $u=L^{-1}H^\top Y$. A curve costs hardly more than its last point.

The **penalty** is chosen for each $m$ on a fifth of the training rows, which then join the training. It belongs to the
features without their factor $1/\sqrt m$; on scaled features it is $\alpha/m$.

The losses **logistic**, **hinge** and **exponential** (AdaBoost’s) are trained by stochastic gradients instead. Nothing
then solves every $m$ at once: each $m$ has weights of its own, which take their own steps, 5 to 50 passes over the
rows. Only the features are computed once for all of them. That takes longer, but needs no Gram matrix, whose memory
grows as $m^2$: it is the way to an $m$ that ridge regression refuses.

The curve is the mean over seeds, the band one standard deviation. **Seconds** are those of training and testing at the
points where they were measured on their own; **bytes** are the map's weights and the coefficients.
"""


def accuracy_summary(race) -> str:
    """The chart in one sentence, for those who cannot see it."""
    parts = [
        f"{r.label} reaches {r.frame['error'].iloc[-1]:.3g} at m = {int(r.frame['m'].iloc[-1])}"
        for r in race.runners("m")
        if len(r.frame)
    ]
    return (
        f"Test error against the number of features on {race.split.name}: "
        + ("; ".join(parts) or "no points yet")
        + "."
    )


def accuracy_explanation(race, lines) -> str:
    """What one sees, with the numbers of the picture."""
    runners = [r for r in race.runners("m") if len(r.frame)]
    lead = (
        f"**What am I seeing?** The error on {len(race.split.X_test):,} test rows of a linear model ({race.loss}) on m "
        f"random features of {len(race.split.X_train):,} training rows, for each m; both axes are logarithmic."
    )
    if not runners:
        return lead
    unit = "%" if race.split.is_classification else ""
    best = min(runners, key=lambda r: r.frame["error"].iloc[-1])
    story = f" **{best.label}** ends at {best.frame['error'].iloc[-1]:.3g}{unit}."
    for name, value in lines.items():
        reached = best.frame[best.frame["error"] <= value]
        if len(reached):
            story += f" It passes {name} ({value:.3g}{unit}) at m = {int(reached['m'].iloc[0]):,}."
        else:
            story += f" It does not reach {name} ({value:.3g}{unit}) by m = {int(best.frame['m'].iloc[-1]):,}."
    return lead + story
