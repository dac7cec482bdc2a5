"""Who races on the accuracy page: the maps and their settings as controls, the curves they make, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rfviz.features import registry
from rfviz.ui.controls import control, several
from rfviz.ui.race import Entrant
from rfviz.ui.state import PageState

__all__ = ["PRESETS", "EntrantSettings", "choose_maps", "choose_settings", "line_up"]

_MAPS = ("RandomFourier", "RandomMaxout", "RandomProjection")
_POOLS = (1, 2, 4, 8, 16, 32)

_DIGITS = {
    "data": "digits", "schemes": ["RandomFourier"], "references": ["rbf_svm", "linear_svm"], "m_max": 1000,
    "seeds": 3, "gamma": "scale", "alpha": "hold-out", "grow": "features", "test": 25, "normalise": "none",
    "loss": "ridge",
}  # fmt: skip
#: Label of each preset to its help and the values that it sets.
PRESETS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "The digits example": ("Fourier features beside the exact RBF-SVM and a linear SVM.", _DIGITS),
}


@dataclass(frozen=True)
class EntrantSettings:
    """What the controls say about the maps' parameters.

    Attributes
    ----------
    pools : tuple of int
        Pool sizes of maxout, a curve each.
    gamma : float or "scale"
        Of the Gaussian kernels, that of the reference lines too.
    """

    pools: tuple[int, ...]
    gamma: float | str


def choose_maps(state: PageState) -> list[str]:
    """Let the reader choose which maps race: class names, in the order of the registry."""
    schemes = registry()
    short = {name: scheme.label.removeprefix("Random ").capitalize() for name, scheme in schemes.items()}
    return several(state, "schemes", list(schemes), _MAPS, "Maps", "Which feature maps race.", short)


def choose_settings(state: PageState) -> EntrantSettings:
    """Let the reader set what the maps have in common."""
    pools = several(state, "pools", _POOLS, [4], "Pool sizes q", "One maxout curve for each.")
    gamma = control(state, next(p for p in registry()["RandomFourier"].params if p.name == "gamma"))
    return EntrantSettings(tuple(pools), gamma)


def line_up(chosen: list[str], settings: EntrantSettings) -> tuple[Entrant, ...]:
    """The curves: one for each map, and for maxout one a pool size."""
    entrants = []
    for name in chosen:
        if name == "RandomMaxout":
            entrants += [Entrant(f"Maxout, q = {q}", name, (("pool_size", q),)) for q in settings.pools]
        else:
            fixed = (("gamma", settings.gamma),) if name == "RandomFourier" else ()
            entrants.append(Entrant(registry()[name].label, name, fixed))
    return tuple(entrants)
