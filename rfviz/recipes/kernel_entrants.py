"""Which maps are compared on the page on kernel approximation, in which settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rfviz.features import COMMON_PARAMS, registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.recipes import kernel_text as text
from rfviz.recipes.entrants import Entrant
from rfviz.recipes.maps import receptive_field

__all__ = ["RARER_SETTINGS", "MapSettings", "choose_entrants", "choose_settings"]

_DEFAULTS = {"pool_size": 4, "gamma": 1.0}
_DRAWN = {"iid": "independent", "qmc": "Sobol"}
_POOLS = [1, 2, 4, 8, 16, 32]
_BOTH = Param("both", False, "bool", label="Both ways",
              help="Two curves: equal features kept once, and all features as they are drawn.")  # fmt: skip

#: What :func:`choose_entrants` asks for.
RARER_SETTINGS = ("pools", _BOTH.name, RECEPTIVE_FIELD.name)


@dataclass(frozen=True, eq=False)
class MapSettings:
    """What is chosen for the maps that race.

    Attributes
    ----------
    chosen : list of str
        Class names.
    values : dict
        Parameters, each with one value for all maps that have it (gamma), so that they estimate the same kernel.
    draws : list of str
        The ways in which frequencies are drawn, a curve for each.
    """

    chosen: list[str]
    values: dict[str, Any]
    draws: list[str]


def choose_settings(panel: Panel, chosen: list[str]) -> MapSettings:
    """Ask for the parameters of the chosen maps, each parameter once."""
    common = {param.name for param in COMMON_PARAMS}
    values, draws = {}, ["iid"]
    for name in chosen:
        for param in registry()[name].params:
            if param.name in common or param.name in values or param.kind == "range" or not param.applies(values):
                continue
            if param.name == "draw":
                draws = _choose_draws(panel, param)
            else:
                values[param.name] = panel.control(param, _DEFAULTS.get(param.name))
    return MapSettings(chosen, values, draws)


def choose_entrants(panel: Panel, settings: MapSettings, image_shape: Sequence[int] | None = None) -> list[Entrant]:
    """Ask in which further versions maps race, and give all that race.

    Parameters
    ----------
    panel : Panel
    settings : MapSettings
    image_shape : sequence of int, optional
        Of the data, where they are images: maps that project can then be confined to rectangles.
    """
    values = settings.values
    pools = (
        panel.several("pools", _POOLS, [], "Further pool sizes", "One curve for each.") if "pool_size" in values else ()
    )
    both = "deduplicate" in values and panel.control(_BOTH)
    projecting = [name for name in settings.chosen if RECEPTIVE_FIELD in registry()[name].params]
    field = receptive_field(panel, image_shape) if projecting else {}
    entrants = []
    for name in settings.chosen:
        params = registry()[name].params
        own = {p.name: values[p.name] for p in params if p.name in values} | (field if name in projecting else {})
        draws = settings.draws if any(p.name == "draw" for p in params) else ()
        for more, setting in _versions(own, pools, both, draws):
            entrants.append(Entrant(registry()[name].label + more, name, tuple(setting.items())))
    return entrants


def _choose_draws(panel: Panel, param: Param) -> list[str]:
    """Which ways to draw race: those chosen, or the default where none is."""
    titles = dict(zip(param.choices, param.titles, strict=True))
    chosen = panel.several(param.name, param.choices, [param.default], param.label, text.DRAW_HELP, titles)
    return chosen or [param.default]


def _versions(
    own: dict[str, Any], pools: Sequence[int], both: bool, draws: Sequence[str] = ()
) -> list[tuple[str, dict[str, Any]]]:
    """The settings in which one map races, and what each adds to its name."""
    if draws:
        alone = tuple(draws) == ("iid",)
        return [("" if alone else f", {_DRAWN.get(draw, draw)}", own | {"draw": draw}) for draw in draws]
    if "pool_size" in own:
        sizes = [own["pool_size"], *(q for q in pools if q != own["pool_size"])]
        return [(f", q = {q}", own | {"pool_size": q}) for q in sizes]
    if "deduplicate" in own and both:
        return [(", kept once", own | {"deduplicate": True}), (", as drawn", own | {"deduplicate": False})]
    return [("", own)]
