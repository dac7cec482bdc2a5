"""Controls and presets of the accuracy page, and the feature maps that it compares."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rfviz import datasets
from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC, LOSS
from rfviz.errors import ParameterError
from rfviz.experiments.candidate import Candidate
from rfviz.features import (
    CompositionalFeatures,
    FeatureMap,
    MapSpec,
    RandomActivation,
    RandomConvolution,
    RandomFourier,
    RandomPool,
    SharedPoolMaxout,
    map_class,
)
from rfviz.features.receptive import ReceptiveMap
from rfviz.lab.accuracy.architectures import NAMES, architecture
from rfviz.lab.accuracy.baselines import BASELINES
from rfviz.lab.maps import image_parameters, offered_maps, receptive_field, told_the_shape
from rfviz.lab.page import Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS
from rfviz.params import Param
from rfviz.skeleton import PRESETS as PRESET_SKELETONS

__all__ = ["GROW", "Settings", "candidates_of", "choose_settings", "presets"]

GROW = Param("grow", "features", "choice", choices=("features", "rows"), label="What grows",
             help="What grows while results arrive: the number of features, or that of training rows.")  # fmt: skip
_M_MAX = Param("m_max", 1000, "int", 20, 100_000, log=True, symbol="m", label="Largest",
               help="Each curve has about twenty points, up to this number of features.")  # fmt: skip
_SEEDS = Param("seeds", 3, "int", 1, 20, ui_high=10, label="Draws",
               help="Independent draws of each map. A larger number computes only the new draws.")  # fmt: skip
_ALPHA = Param("alpha", "auto", "float", 1e-6, 1e8, choices=("auto",), ui_low=0.001, ui_high=1e6, log=True,
               symbol=r"\alpha", label="Penalty",
               help="Ridge penalty on the unscaled features: by leave-one-out errors, or fixed for all m.")  # fmt: skip
_WHOLE = Param(
    "whole", True, "bool", label="Whole images too", help="Two curves for each map: rectangles, and all pixels."
)
_DOUBLY = Param("doubly", False, "bool", label="Doubly stochastic",
                help="One more curve for each map that projects: trained by random rows and random features, which are "
                "drawn again whenever they are needed, so that no weights are stored.")  # fmt: skip
_EXACT = Param("exact", False, "bool", label="Exact kernels",
               help="A dashed line for each curve: ridge regression with the kernel itself, which the features "
               "approximate.")  # fmt: skip
_GAMMA, _SPECTRUM = RandomFourier.param("gamma"), RandomFourier.param("spectrum")
_OF_SPECTRUM = RandomFourier.param("nu"), RandomFourier.param("density")
_FUNCTION, _WEIGHTS = RandomActivation.param("function"), RandomActivation.param("weights")
_ACTIVATION = MapSpec(RandomActivation)
_RULE, _PROJECTIONS = RandomPool.param("rule"), SharedPoolMaxout.param("n_projections")
_FOURIER = MapSpec(RandomFourier)
_CONVOLUTION = MapSpec(RandomConvolution)
_POOLS = (1, 2, 4, 8, 16, 32)
_MAPS = ("RandomFourier", "RandomMaxout", "RandomProjection")

# Words of the address for skeletons: presets, and the architectures of the paper's Table 1.
_ARCHITECTURE_OF = {name.replace(",", "-"): name for name in NAMES}
_SKELETONS = {name: name for name in PRESET_SKELETONS} | _ARCHITECTURE_OF
_SKELETON_HELP = (
    "Which inputs meet in a compositional feature: any of them (flat), or those that share windows of convolutions. "
    "The architectures of the paper’s Table 1 have two convolutions, named by their windows, over principal components "
    "of patches; “full” has one node above all pixels."
)

_DIGITS = {
    "data": "digits", "maps": ["RandomFourier"], "references": ["rbf_svm", "linear_svm"], "m_max": 1000,
    "seeds": 3, "gamma": "scale", "alpha": "auto", "grow": "features", "test": 25, "normalise": "none",
    "loss": "ridge", "exact": True,
}  # fmt: skip
_ARCHITECTURES = {
    "data": "cifar10", "data.side": "24", "data.max_samples": 20_000, "normalise": "standardise rows",
    "maps": ["CompositionalFeatures"], "references": [], "m_max": 4000, "seeds": 3, "alpha": "auto",
    "grow": "features", "loss": "ridge", "skeletons": list(_ARCHITECTURE_OF),
}  # fmt: skip
_RECTANGLES = {
    "maps": ["RandomFourier", "RandomMaxout"], "pools": [4], "references": [], "seeds": 1, "gamma": "scale",
    "alpha": "auto", "grow": "features", "normalise": "none", "loss": "ridge", "whole": True,
}  # fmt: skip


def presets() -> Presets:
    """Return the presets; two of them take MNIST from the data folder, where it is there."""
    return {
        "The digits example": (
            "Fourier features with their exact kernel, the exact RBF-SVM and a linear SVM.",
            _DIGITS,
        ),
        "Ten architectures": (
            f"{COMPOSITIONAL_KERNELS}, Table 1: CIFAR-10, convolutions over principal components of patches.",
            _ARCHITECTURES,
        ),
        "Receptive fields": (
            "Maxout and Fourier features of whole images and of random rectangles: MNIST where the data folder has "
            "it, else small digits.",
            _receptive_fields(),
        ),
        "The ladder": (
            "A linear model on pixels, on Fourier, maxout, receptive-field and convolutional features, the exact "
            "Gaussian kernel, and a small network: MNIST where the data folder has it, else small digits.",
            _ladder(),
        ),
    }


def _receptive_fields() -> dict[str, Any]:
    name = _mnist()
    if name:
        data = {"data": name, "data.max_samples": 20_000, "m_max": 2000, "receptive_field": (8, 20)}
        return _RECTANGLES | data
    return _RECTANGLES | {"data": "digits", "m_max": 1000, "receptive_field": (3, 6), "test": 25, "seeds": 3}


def _ladder() -> dict[str, Any]:
    rungs = _RECTANGLES | {
        "maps": ["RandomFourier", "RandomMaxout", "RandomConvolution"],
        "references": ["linear_ridge", "kernel_ridge", "network"],
        "threshold": 1.0,
    }
    name = _mnist()
    if name:
        field = {"receptive_field": (8, 20), "patch_size": 7, "grid": 3, "floor": 5.0}
        return rungs | field | {"data": name, "data.max_samples": 10_000, "m_max": 2000}
    field = {"receptive_field": (3, 6), "patch_size": 4, "grid": 2, "floor": 1.0}
    return rungs | field | {"data": "digits", "m_max": 1000, "test": 25, "seeds": 3}


def _mnist() -> str | None:
    """Return the name of MNIST in the data folder, where it is there."""
    for name, spec in datasets.specs().items():
        if name.startswith("folder:mnist") and spec.extra.get("image_shape") == (28, 28):
            return name
    return None


@dataclass(frozen=True)
class Settings:
    """The maps that are compared, how they are trained, and the baselines.

    Attributes
    ----------
    maps : tuple of types of FeatureMap
    baselines : tuple of str
        Keys of :data:`rfviz.lab.accuracy.baselines.BASELINES`.
    m_max, seeds : int
    pools : tuple of int
        Pool sizes of maxout and of other rules, a curve for each.
    gamma : float or "scale"
        Of the Gaussian kernels, that of the baselines too.
    fourier : MapSpec
        The kernel of Fourier features.
    activation : MapSpec
        Function and weights of a user's own activation.
    rule : str
        Of :class:`rfviz.features.RandomPool`.
    skeletons : tuple of str
        Of the compositional map, a curve for each.
    n_projections : int
        Of the shared pool.
    convolution : MapSpec
        Patches and regions of random convolutions.
    receptive_field : (int, int) or None
        Sides of the rectangles that maps that project are confined to.
    whole_images : bool
        Whether they see whole images too.
    doubly_stochastic : bool
        Whether they are trained by doubly stochastic gradients too.
    loss : str
    alpha : float or "auto"
    exact : bool
        Whether ridge regression with the exact kernel of each map is drawn too.
    """

    maps: tuple[type[FeatureMap], ...]
    baselines: tuple[str, ...] = ()
    m_max: int = _M_MAX.default
    seeds: int = _SEEDS.default
    pools: tuple[int, ...] = (4,)
    gamma: float | str = _GAMMA.default
    fourier: MapSpec[RandomFourier] = _FOURIER
    activation: MapSpec[RandomActivation] = _ACTIVATION
    rule: str = _RULE.default
    skeletons: tuple[str, ...] = ("flat",)
    n_projections: int = _PROJECTIONS.default
    convolution: MapSpec[RandomConvolution] = _CONVOLUTION
    receptive_field: tuple[int, int] | None = None
    whole_images: bool = True
    doubly_stochastic: bool = False
    loss: str = LOSS.default
    alpha: float | str = _ALPHA.default
    exact: bool = False


def choose_settings(panel: Panel, image_shape: tuple[int, ...] | None, in_memory: bool = True) -> Settings:
    """Ask for all settings but the data.

    Parameters
    ----------
    panel : Panel
    image_shape : tuple of int or None
        Of the data, where they are images.
    in_memory : bool
        Whether all training rows are, as exact kernels need them.
    """
    found: dict[str, Any] = {}
    with panel.section("controls", ["maps", "references", _M_MAX.name]):
        offered = offered_maps(image_shape)
        short = {name: cls.label.removeprefix("Random ").capitalize() for name, cls in offered.items()}
        names = panel.several("maps", list(short), _MAPS, "Maps", "The feature maps to compare.", short)
        maps = tuple(map(map_class, names))
        titles = {name: baseline.title for name, baseline in BASELINES.items()}
        help = "Other methods, as horizontal lines."
        baselines = panel.several("references", list(BASELINES), ["linear_ridge", "rbf_svm"], "Baselines", help, titles)
        found |= {"m_max": panel.control(_M_MAX), "seeds": panel.control(_SEEDS)}
        if any(map(_has_pools, maps)):
            found["pools"] = panel.several("pools", _POOLS, [4], "Pool sizes q", "One curve for each.")
        if SharedPoolMaxout in maps:
            found["n_projections"] = panel.control(_PROJECTIONS)
        if RandomFourier in maps or any("gamma" in BASELINES[name].uses for name in baselines):
            found["gamma"] = panel.control(_GAMMA)
        found |= _own(panel, maps)
        if CompositionalFeatures in maps:
            found["skeletons"] = panel.several(
                "skeletons", list(_SKELETONS), ["flat"], "Skeletons", _SKELETON_HELP, _SKELETONS
            )
        if image_shape and RandomConvolution in maps:
            found["convolution"] = _CONVOLUTION.replace(**image_parameters(panel, RandomConvolution, image_shape))
        if any(issubclass(cls, ReceptiveMap) for cls in maps):
            found["doubly_stochastic"] = panel.control(_DOUBLY)
            field = receptive_field(panel, image_shape).get("receptive_field")
            if field:
                found |= {"receptive_field": field, "whole_images": panel.control(_WHOLE)}
        found["loss"] = panel.control(LOSS)
        if found["loss"] == "ridge":
            found["alpha"] = panel.control(_ALPHA)
            if in_memory and found["alpha"] == _ALPHA.default:  # a fixed penalty vanishes as m grows
                found["exact"] = panel.control(_EXACT)
    return Settings(maps, baselines, **found)


def _own(panel: Panel, maps: Sequence[type[FeatureMap]]) -> dict[str, Any]:
    """Ask for the kernel of Fourier features, and for what else a user builds maps of."""
    found: dict[str, Any] = {}
    if RandomFourier in maps:
        asked = {_SPECTRUM.name: panel.control(_SPECTRUM)}
        asked |= {param.name: panel.control(param) for param in _OF_SPECTRUM if param.applies(asked)}
        found["fourier"] = _FOURIER if asked == {_SPECTRUM.name: _SPECTRUM.default} else _FOURIER.replace(**asked)
    if RandomActivation in maps:
        asked = {param.name: panel.control(param) for param in (_FUNCTION, _WEIGHTS)}
        found["activation"] = _ACTIVATION.replace(**asked)
    if RandomPool in maps:
        found["rule"] = panel.control(_RULE)
    return found


def candidates_of(settings: Settings, image_shape: Sequence[int] | None) -> tuple[Candidate, ...]:
    """Return the curves: one for each map, for maxout one per pool size, for compositional features one per skeleton.

    Parameters
    ----------
    settings : Settings
    image_shape : tuple of int or None
        Of the data, which the architectures need.

    Raises
    ------
    ParameterError
        For an architecture that the images do not fit, or where there are none.
    """
    found: list[Candidate] = []
    for cls in settings.maps:
        if cls is CompositionalFeatures:
            found += [_compositional(word, image_shape) for word in settings.skeletons]
            continue
        own = [Candidate(label, spec) for label, spec in _versions(cls, settings)]
        projects = issubclass(cls, ReceptiveMap)
        if projects and settings.receptive_field and image_shape:
            field = {"receptive_field": settings.receptive_field, "image_shape": tuple(image_shape)}
            confined = [Candidate(f"{c.label}, rectangles", c.spec.replace(**field)) for c in own]
            own = [*own, *confined] if settings.whole_images else confined
        for candidate in own:
            found.append(candidate)
            if settings.doubly_stochastic and projects:
                label = f"{candidate.label}, doubly stochastic"
                found.append(dataclasses.replace(candidate, label=label, loss=DOUBLY_STOCHASTIC))
    return tuple(found)


def _has_pools(cls: type[FeatureMap]) -> bool:
    compared = cls.compared()
    return compared is not None and compared.name == "pool_size"


def _versions(cls: type[FeatureMap], settings: Settings) -> list[tuple[str, MapSpec[FeatureMap]]]:
    label = f"{cls.label}, {settings.rule}" if cls is RandomPool else cls.label
    own: tuple[MapSpec[FeatureMap], ...] = (
        settings.fourier.replace(gamma=settings.gamma),
        settings.activation,
        settings.convolution,
        MapSpec(RandomPool, rule=settings.rule),
        MapSpec(SharedPoolMaxout, n_projections=settings.n_projections),
    )
    spec = next((spec for spec in own if spec.cls is cls), MapSpec(cls))
    if not _has_pools(cls):
        return [(label, spec)]
    least = cls.param("pool_size").low or 1  # one projection has no order
    return [(f"{label}, q = {q}", spec.replace(pool_size=q)) for q in settings.pools if q >= least]


def _compositional(word: str, image_shape: Sequence[int] | None) -> Candidate:
    cls = CompositionalFeatures
    if word not in _ARCHITECTURE_OF:
        spec = told_the_shape(MapSpec(cls, skeleton=word), image_shape)
        return Candidate(f"{cls.label}, {_SKELETONS[word]}", spec)
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
    spec = MapSpec(cls, skeleton=skeleton.to_json())
    return Candidate(name, spec, (tuple(image_shape), patches) if patches else None)
