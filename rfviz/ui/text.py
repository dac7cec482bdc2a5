"""What the accuracy page says about its chart."""

from __future__ import annotations

__all__ = ["ACCURACY_METHOD", "accuracy_explanation", "accuracy_summary"]

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
