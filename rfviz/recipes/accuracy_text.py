"""What the accuracy page says about its chart, about receptive fields and doubly stochastic training."""

from __future__ import annotations

from collections.abc import Mapping

from rfviz.recipes.race import Race

__all__ = ["METHOD", "NOBODY", "PENALTY", "RESOURCES", "explanation", "stories", "summary"]

NOBODY = "No map races. Choose at least one under “Maps”."

RESOURCES = {
    "seconds": "The errors of the first tab over the **seconds** that training and testing took on this machine. Of "
    "two maps the lower curve errs less in the same time. Times of a few milliseconds differ from run to run.",
    "bytes": "The errors of the first tab over the **bytes** that a model takes: the weights of its map and its "
    "coefficients. Of two maps the lower curve errs less in the same memory.",
}
PENALTY = (
    "Ridge regression pays for large coefficients: **α** is the price. Shown is the one, of those that were tried, "
    "that erred least on a fifth of the training rows, for each m."
)

METHOD = r"""
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
points where they were measured on their own; **bytes** are the map’s weights and the coefficients.

**Receptive fields.** A feature sees only a random rectangle of the image: its weights outside are zero, and those
inside are scaled by $\sqrt{\text{pixels of the image}/\text{pixels of the rectangle}}$. Its kernel is the mean over all
rectangles of the map’s own kernel on their pixels. The $q$ projections of a maxout feature share a rectangle.

**Doubly stochastic** gradients (Dai and others, 2014) draw 256 random rows and 16 new random features for each step,
set the coefficients of these features once, and go on. No weights are stored: whenever the features are needed they
are drawn again from the seed. The model is its coefficients alone, so $m$ may grow without end; the price is time,
which grows as $m^2$, and a higher error at equal $m$ than that of ridge regression, which solves for all coefficients
together.
"""


def summary(race: Race) -> str:
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


def explanation(race: Race, lines: Mapping[str, float]) -> str:
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


def stories(race: Race) -> str:
    """What is seen of receptive fields and of doubly stochastic training, with numbers; empty where neither races."""
    return fields_story(race) + doubly_story(race)


def doubly_story(race: Race) -> str:
    """Doubly stochastic training against the exact solution of the same map, at its largest m; empty without both."""
    curves = {runner.label: runner.frame for runner in race.runners("m") if len(runner.frame)}
    parts, sizes = [], []
    for entrant in race.entrants:
        plain = entrant.label.removesuffix(", doubly stochastic")
        if plain == entrant.label or not {plain, entrant.label} <= curves.keys():
            continue
        own, exact = curves[entrant.label].iloc[-1], curves[plain].iloc[-1]
        parts.append(f"{plain} {own['error']:.3g} against {exact['error']:.3g} (m = {int(own['m']):,})")
        sizes.append((own["bytes"], exact["bytes"]))
    if not parts:
        return ""
    return (
        f" **Doubly stochastic** training, against the exact solution: {'; '.join(parts)}. It stores "
        f"{sizes[0][0] / 1e3:,.0f} kB instead of {sizes[0][1] / 1e3:,.0f} kB, since it draws its features again."
    )


def fields_story(race: Race) -> str:
    """Rectangles against whole images, map by map, at the largest m that both have reached; empty where none race."""
    curves = {runner.label: runner.frame for runner in race.runners("m") if len(runner.frame)}
    parts, unit = [], "%" if race.split.is_classification else ""
    for entrant in race.entrants:
        whole = entrant.label.removesuffix(", rectangles")
        if whole == entrant.label or not {whole, entrant.label} <= curves.keys():
            continue
        both = curves[whole].merge(curves[entrant.label], on="m", suffixes=("", " seen"))
        if len(both):
            last = both.iloc[-1]
            parts.append(
                f"{whole} from {last['error']:.3g}{unit} to {last['error seen']:.3g}{unit} at m = {int(last['m']):,}"
            )
    if not parts:
        return ""
    field = next(dict(e.setting)["receptive_field"] for e in race.entrants if "receptive_field" in dict(e.setting))
    return (
        f" Features that see only a random rectangle of {field[0]} to {field[1]} pixels a side, instead of the whole "
        f"image, take the error of {'; of '.join(parts)}."
    )
