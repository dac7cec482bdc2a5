"""Controls and presets of the accuracy page: the experiment that a user asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rfviz import datasets
from rfviz.experiments.accuracy import Accuracy
from rfviz.experiments.accuracy.architectures import NAMES
from rfviz.experiments.accuracy.baselines import BASELINES
from rfviz.experiments.accuracy.experiment import (
    ALPHA,
    DOUBLY,
    EXACT,
    GAMMA,
    GROW,
    INTERCEPT,
    LOSS,
    M_MAX,
    MEASURE,
    SEEDS,
    TABLE,
)
from rfviz.experiments.accuracy.maxout_table import TABLE_M, TABLE_Q
from rfviz.experiments.split_data import SplitData
from rfviz.features import FeatureMap, MapSpec, RandomMaxout, map_class
from rfviz.features.receptive import ReceptiveMap
from rfviz.lab.maps import choose_versions, offered_maps, receptive_field, told_the_shape
from rfviz.lab.page import Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS, NOTES, RANDOM_MAXOUT
from rfviz.params import Param
from rfviz.skeleton import PRESETS as PRESET_SKELETONS

__all__ = ["Source", "choose_experiment", "presets"]

_WHOLE = Param(
    "whole", True, "bool", label="Whole images too", help="Two curves for each map: rectangles, and all pixels."
)
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
_NOTES = {
    "data": "digits_0_to_8", "maps": ["RandomFourier"], "references": ["rbf_svm", "linear_svm"], "m_max": 300,
    "seeds": 5, "gamma": 0.2, "paired": False, "grow": "features", "normalise": "none", "loss": "linear SVM",
}  # fmt: skip
_ARCHITECTURES = {
    "data": "cifar10",
    "data.side": "24",
    "data.max_samples": 20_000,
    "normalise": "standardise rows",
    "maps": ["CompositionalFeatures"],
    "references": [],
    "m_max": 4000,
    "seeds": 3,
    "alpha": "auto",
    "grow": "features",
    "loss": "ridge",
    "skeletons": list(_ARCHITECTURE_OF),
}
_TABLE_1 = {
    "normalise": "none",
    "maps": ["RandomMaxout"],
    "pools": list(TABLE_Q),
    "references": ["knn_1", "knn_3"],
    "seeds": 5,
    "alpha": "auto",
    "grow": "features",
    "loss": "ridge",
    "exact": False,
    "intercept": False,
    "table": True,
}
_RECTANGLES = {
    "maps": ["RandomFourier", "RandomMaxout"], "pools": [4], "references": [], "seeds": 1, "gamma": "scale",
    "alpha": "auto", "grow": "features", "normalise": "none", "loss": "ridge", "whole": True,
}  # fmt: skip


def presets() -> Presets:
    """Return the presets; three of them take MNIST from the data folder, where it is there."""
    return {
        "The digits example": (
            "Fourier features with their exact kernel, the exact RBF-SVM and a linear SVM.",
            _DIGITS,
        ),
        "Table 1": (
            f"{RANDOM_MAXOUT}, Table 1: five pool sizes and numbers of features, without an intercept, and nearest "
            "neighbours: MNIST where the data folder has it (half an hour of two cores), else small digits.",
            _table_1(),
        ),
        "The notes’ example": (
            f"{NOTES}, Figure 4 and Table 1: Fourier features under a linear SVM, next to exact ones, on the digits 0 "
            "to 8, half of them to learn from. Times are under “Against seconds”.",
            _NOTES,
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


def _table_1() -> dict[str, Any]:
    name = _mnist()
    if name:
        return _TABLE_1 | {"data": name, "data.max_samples": 70_000, "m_max": TABLE_M[-1]}
    return _TABLE_1 | {"data": "digits", "m_max": 1000, "test": 25}


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
class Source(SplitData):
    """The data with their split, and whether the features grow or the rows."""

    grow: str = "features"


def choose_experiment(panel: Panel, source: Source) -> Accuracy:
    """Ask for all settings but the data."""
    image_shape = source.dataset.image_shape
    found: dict[str, Any] = {}
    is_squared = panel.peek(MEASURE) != MEASURE.default  # which other methods and other losses do not have
    with panel.section("controls", ["maps", "references", M_MAX.name, *([MEASURE.name] if is_squared else [])]):
        offered = offered_maps(image_shape)
        short = {name: cls.label.removeprefix("Random ").capitalize() for name, cls in offered.items()}
        names = panel.several("maps", list(short), _MAPS, "Maps", "The feature maps to compare.", short)
        classes = tuple(map(map_class, names))
        found["measure"] = panel.control(MEASURE)
        titles = {name: baseline.title for name, baseline in BASELINES.items()}
        help = "Other methods, as horizontal lines."
        usual = ["linear_ridge", "rbf_svm"]
        baselines = () if is_squared else panel.several("references", list(BASELINES), usual, "Baselines", help, titles)
        found |= {"baselines": baselines, "m_max": panel.control(M_MAX), "seeds": panel.control(SEEDS)}
        needs_gamma = any("gamma" in BASELINES[name].uses for name in baselines)
        versions = _choose_versions(panel, classes, image_shape)
        if needs_gamma:  # which Fourier features share
            is_asked = any(GAMMA in cls.params for cls in classes)
            found["gamma"] = panel.answers[GAMMA.name] if is_asked else panel.control(GAMMA)
        fields: list[dict[str, Any]] = [{}]
        if any(issubclass(cls, ReceptiveMap) for cls in classes):
            found["doubly_stochastic"] = panel.control(DOUBLY, name="doubly")
            field = receptive_field(panel, image_shape)
            if field:
                fields = [{}, field] if panel.control(_WHOLE) else [field]
        found["loss"] = LOSS.default if is_squared else panel.control(LOSS)
        if found["loss"] == "ridge":
            found["alpha"] = panel.control(ALPHA)
            if not source.all_rows and found["alpha"] == ALPHA.default:  # a fixed penalty vanishes as m grows
                found["exact"] = panel.control(EXACT)
            if not (found.get("exact") or is_squared):
                found["intercept"] = panel.control(INTERCEPT)
        maps = [
            spec.replace(**field)
            for cls in classes
            for field in (fields if issubclass(cls, ReceptiveMap) else [{}])
            for spec in versions[cls]
        ]
        is_plain = maps and all(spec == MapSpec(RandomMaxout, pool_size=spec.get("pool_size")) for spec in maps)
        if is_plain and not source.all_rows and source.grow == GROW.default and _is_by_the_book(found):
            found["table"] = panel.control(TABLE)
    return Accuracy(
        maps=maps,
        normalise=source.normalise,
        test_share=source.test_share,
        all_rows=source.all_rows,
        grow=source.grow,
        **found,
    )


def _is_by_the_book(found: Mapping[str, Any]) -> bool:
    """Return whether the model is trained as in the paper on random maxout features, but for penalty and intercept."""
    params = {param.name: param for param in (ALPHA, DOUBLY, EXACT, LOSS, MEASURE)}
    return all(found.get(name, param.default) == param.default for name, param in params.items())


def _choose_versions(
    panel: Panel, classes: Sequence[type[FeatureMap]], image_shape: Sequence[int] | None
) -> dict[type[FeatureMap], list[MapSpec[FeatureMap]]]:
    """Ask for the parameters of the maps, and for any number of pool sizes and of skeletons."""

    def pools(param: Param) -> Sequence[int]:
        return panel.several("pools", param.compared, [4], "Pool sizes q", "One curve for each.")

    def skeletons(param: Param) -> Sequence[str]:
        words = panel.several("skeletons", list(_SKELETONS), ["flat"], "Skeletons", _SKELETON_HELP, _SKELETONS)
        return [_SKELETONS[word] for word in words]

    several = {"pool_size": pools, "skeleton": skeletons}
    found = choose_versions(panel, classes, image_shape, (*Accuracy.params, _WHOLE), several=several)
    # An architecture's inputs are principal components, not pixels.
    return {
        cls: [spec if spec.get("skeleton") in NAMES else told_the_shape(spec, image_shape) for spec in specs]
        for cls, specs in found.items()
    }
