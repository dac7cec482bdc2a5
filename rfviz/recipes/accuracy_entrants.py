"""Who races on the accuracy page: the maps and their settings as controls, the curves they make, and presets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rfviz import datasets
from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC
from rfviz.analysis.architectures import NAMES, architecture
from rfviz.analysis.baselines import BASELINES
from rfviz.errors import ParameterError
from rfviz.features import registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.recipes.entrants import Entrant
from rfviz.recipes.maps import receptive_field
from rfviz.skeleton import PRESETS as PRESET_SKELETONS

__all__ = [
    "RARER_SETTINGS",
    "EntrantSettings",
    "architectures",
    "choose_maps",
    "choose_rarer_settings",
    "choose_settings",
    "line_up",
    "presets",
]

#: Skeletons that race, as words of the address: presets, and the architectures of the paper's Table 1.
_ARCHITECTURE_OF = {name.replace(",", "-"): name for name in NAMES}
_SKELETONS = {name: name for name in PRESET_SKELETONS} | _ARCHITECTURE_OF
_SKELETON_HELP = (
    "Which inputs meet in a compositional feature: any of them (flat), or those that share windows of convolutions. "
    "The architectures of the paper’s Table 1 have two convolutions, named by their windows, over principal components "
    "of patches; “full” has one node above all pixels."
)
_MAPS = ("RandomFourier", "RandomMaxout", "RandomProjection")
_GAMMA = next(param for param in registry()["RandomFourier"].params if param.name == "gamma")
_PROJECTIONS = next(param for param in registry()["SharedPoolMaxout"].params if param.name == "n_projections")
_POOLS = (1, 2, 4, 8, 16, 32)
_WHOLE = Param(
    "whole", True, "bool", label="Whole images too", help="Two curves for each map: rectangles, and all pixels."
)
_DOUBLY = Param("doubly", False, "bool", label="Doubly stochastic",
                help="One more curve for each map that projects: trained by random rows and random features, which are "
                "drawn again whenever they are needed, so that no weights are stored.")  # fmt: skip
#: Controls that :func:`choose_rarer_settings` begins with.
RARER_SETTINGS = (_DOUBLY.name, RECEPTIVE_FIELD.name)

_DIGITS = {
    "data": "digits", "schemes": ["RandomFourier"], "references": ["rbf_svm", "linear_svm"], "m_max": 1000,
    "seeds": 3, "gamma": "scale", "alpha": "hold-out", "grow": "features", "test": 25, "normalise": "none",
    "loss": "ridge",
}  # fmt: skip
_ARCHITECTURES = {
    "data": "cifar10", "data.side": "24", "data.max_samples": 20_000, "normalise": "standardise rows",
    "schemes": ["CompositionalFeatures"], "references": [], "m_max": 4000, "seeds": 3, "alpha": "hold-out",
    "grow": "features", "loss": "ridge", "skeletons": list(_ARCHITECTURE_OF),
}  # fmt: skip
_RECTANGLES = {
    "schemes": ["RandomFourier", "RandomMaxout"], "pools": [4], "references": [], "seeds": 1, "gamma": "scale",
    "alpha": "hold-out", "grow": "features", "normalise": "none", "loss": "ridge", "whole": True,
}  # fmt: skip


def presets() -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """Label of each preset to its help and the values that it sets."""
    return {
        "The digits example": ("Fourier features beside the exact RBF-SVM and a linear SVM.", _DIGITS),
        "Ten architectures": (
            "Table 1 of the paper on compositional kernels: CIFAR-10, convolutions over principal components of "
            "patches.",
            _ARCHITECTURES,
        ),
        "Receptive fields": (
            "Maxout and Fourier features of whole images beside those of random rectangles: MNIST where the data "
            "folder has it, else small digits.",
            _receptive_fields(),
        ),
    }


def _receptive_fields() -> dict[str, Any]:
    """MNIST from the data folder, rectangles of 8 to 20 of its 28 pixels; else digits, which need no download."""
    for name, spec in datasets.specs().items():
        if name.startswith("folder:mnist") and spec.extra.get("image_shape") == (28, 28):
            data = {"data": name, "data.max_samples": 20_000, "m_max": 2000, "receptive_field": (8, 20)}
            return _RECTANGLES | data
    return _RECTANGLES | {"data": "digits", "m_max": 1000, "receptive_field": (3, 6), "test": 25, "seeds": 3}


@dataclass(frozen=True)
class EntrantSettings:
    """What the controls say about the maps' parameters.

    Attributes
    ----------
    pools : tuple of int
        Pool sizes of maxout, a curve each.
    gamma : float or "scale"
        Of the Gaussian kernels, that of the reference lines too.
    skeletons : tuple of str
        Of the compositional map, a curve each.
    n_projections : int
        Of the shared pool.
    fields : tuple of dict
        Receptive fields of the maps that project, a curve each: keyword arguments, none for whole images.
    doubly : bool
        Whether the maps that project are trained by doubly stochastic gradients too.
    """

    pools: tuple[int, ...]
    gamma: float | str
    skeletons: tuple[str, ...]
    n_projections: int = _PROJECTIONS.default
    fields: tuple[dict[str, Any], ...] = ({},)
    doubly: bool = False


def choose_maps(panel: Panel) -> list[str]:
    """Let the reader choose which maps race: class names, in the order of the registry."""
    schemes = registry()
    short = {name: scheme.label.removeprefix("Random ").capitalize() for name, scheme in schemes.items()}
    return panel.several("schemes", list(schemes), _MAPS, "Maps", "Which feature maps race.", short)


def choose_settings(panel: Panel, chosen: list[str], references: list[str]) -> EntrantSettings:
    """Let the reader set what the chosen maps and reference lines depend on."""
    pools, skeletons, gamma, projections = [4], ["flat"], _GAMMA.default, _PROJECTIONS.default
    if "RandomMaxout" in chosen or "SharedPoolMaxout" in chosen:
        pools = panel.several("pools", _POOLS, [4], "Pool sizes q", "One maxout curve for each.")
    if "SharedPoolMaxout" in chosen:
        projections = panel.control(_PROJECTIONS)
    if "RandomFourier" in chosen or any("gamma" in BASELINES[name].uses for name in references):
        gamma = panel.control(_GAMMA)
    if "CompositionalFeatures" in chosen:
        skeletons = panel.several("skeletons", list(_SKELETONS), ["flat"], "Skeletons", _SKELETON_HELP, _SKELETONS)
    return EntrantSettings(tuple(pools), gamma, tuple(skeletons), projections)


def choose_rarer_settings(
    panel: Panel, chosen: list[str], image_shape: tuple[int, ...] | None, settings: EntrantSettings
) -> EntrantSettings:
    """Let the reader confine maps that project to rectangles, and train them in the doubly stochastic way."""
    if not any(_projects(name) for name in chosen):
        return settings
    doubly, field = panel.control(_DOUBLY), receptive_field(panel, image_shape)
    fields = (({}, field) if panel.control(_WHOLE) else (field,)) if field else ({},)
    return replace(settings, fields=fields, doubly=doubly)


def _projects(name: str) -> bool:
    return RECEPTIVE_FIELD in registry()[name].params


def line_up(chosen: list[str], settings: EntrantSettings, image_shape: tuple[int, ...] | None) -> tuple[Entrant, ...]:
    """The curves: one for each map, for maxout one a pool size, for compositional features one a skeleton.

    Parameters
    ----------
    chosen : list of str
        Class names.
    settings : EntrantSettings
    image_shape : tuple of int or None
        Of the data, which the architectures need.

    Raises
    ------
    ParameterError
        For an architecture that the images do not fit, or where there are none.
    """
    entrants: list[Entrant] = []
    for name in chosen:
        if name == "CompositionalFeatures":
            entrants += [_compositional(word, image_shape) for word in settings.skeletons]
            continue
        for field in settings.fields if _projects(name) else ({},):
            more = ", rectangles" if field else ""
            for label, own in _versions(name, settings):
                entrant = Entrant(label + more, name, tuple((own | field).items()))
                entrants.append(entrant)
                if settings.doubly and _projects(name):
                    again = f"{entrant.label}, doubly stochastic"
                    entrants.append(dataclasses.replace(entrant, label=again, loss=DOUBLY_STOCHASTIC))
    return tuple(entrants)


def _versions(name: str, settings: EntrantSettings) -> list[tuple[str, dict[str, Any]]]:
    """The settings in which one map races on whole images, each with its label."""
    label = registry()[name].label
    if name in ("RandomMaxout", "SharedPoolMaxout"):
        pool = {"n_projections": settings.n_projections} if name == "SharedPoolMaxout" else {}
        return [(f"{label}, q = {q}", {"pool_size": q} | pool) for q in settings.pools]
    return [(label, {"gamma": settings.gamma} if name == "RandomFourier" else {})]


def _compositional(word: str, image_shape: tuple[int, ...] | None) -> Entrant:
    """The entrant of a skeleton."""
    label = f"{registry()['CompositionalFeatures'].label}, {_SKELETONS[word]}"
    if word not in _ARCHITECTURE_OF:
        return Entrant(label, "CompositionalFeatures", (("skeleton", word),))
    name = _ARCHITECTURE_OF[word]
    if image_shape is None:
        remedy = "Choose images, such as CIFAR-10 or digits, or another skeleton."
        raise ParameterError("skeletons", "must be presets where the data are no images", name, remedy)
    try:
        patches, skeleton = architecture(name, image_shape)
    except ParameterError:
        rule = f"must fit the images, which have {image_shape[0]}×{image_shape[1]} pixels"
        remedy = "Choose larger images, such as CIFAR-10 or MNIST, or another skeleton."
        raise ParameterError("skeletons", rule, name, remedy) from None
    setting = (("skeleton", skeleton.to_json()),)
    return Entrant(name, "CompositionalFeatures", setting, patches and (tuple(image_shape), patches))


def architectures(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Those entrants that are architectures of the paper's Table 1."""
    return [entrant for entrant in entrants if entrant.label in NAMES]
