"""What the accuracy page says about receptive fields and doubly stochastic training, beside the best curve."""

from __future__ import annotations

from rfviz.recipes.race import Race

__all__ = ["METHOD", "stories"]

METHOD = r"""
**Receptive fields.** A feature sees only a random rectangle of the image: its weights outside are zero, and those
inside are scaled by $\sqrt{\text{pixels of the image}/\text{pixels of the rectangle}}$. Its kernel is the mean over all
rectangles of the map’s own kernel on their pixels. The $q$ projections of a maxout feature share a rectangle.

**Doubly stochastic** gradients (Dai and others, 2014) draw 256 random rows and 16 new random features for each step,
set the coefficients of these features once, and go on. No weights are stored: whenever the features are needed they
are drawn again from the seed. The model is its coefficients alone, so $m$ may grow without end; the price is time,
which grows as $m^2$, and a higher error at equal $m$ than that of ridge regression, which solves for all coefficients
together.
"""


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
    parts = []
    for entrant in race.entrants:
        whole = entrant.label.removesuffix(", rectangles")
        if whole == entrant.label or not {whole, entrant.label} <= curves.keys():
            continue
        both = curves[whole].merge(curves[entrant.label], on="m", suffixes=("", " seen"))
        if len(both):
            last = both.iloc[-1]
            parts.append(f"{whole} from {last['error']:.3g} to {last['error seen']:.3g} at m = {int(last['m']):,}")
    if not parts:
        return ""
    field = next(dict(e.setting)["receptive_field"] for e in race.entrants if "receptive_field" in dict(e.setting))
    return (
        f" Features that see only a random rectangle of {field[0]} to {field[1]} pixels a side, instead of the whole "
        f"image, take the error of {'; of '.join(parts)}."
    )
