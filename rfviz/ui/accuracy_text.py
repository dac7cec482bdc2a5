"""What the accuracy page says about receptive fields, beside the story of the best curve."""

from __future__ import annotations

from rfviz.ui.race import Race

__all__ = ["fields_story"]


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
