"""Controls for a feature map and its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rfviz.features import COMMON_PARAMS, FeatureMap, MapSpec, RandomConvolution, RandomMaxout, map_class, registry
from rfviz.features.compositional import SkeletonMap
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.lab.panel import Panel
from rfviz.skeleton import PRESETS

__all__ = ["choose_map", "image_parameters", "offered_maps", "receptive_field", "told_the_shape"]

# Of these, all but the flat one depend on where pixels lie.
_PLACED = frozenset(PRESETS) - {"flat"}


def offered_maps(image_shape: Sequence[int] | None) -> dict[str, type[FeatureMap]]:
    """Return the feature maps that suit the data, by class name: those for images only where the data are images."""
    return {name: cls for name, cls in registry().items() if image_shape or not cls.needs_images}


def image_parameters(panel: Panel, image_shape: Sequence[int]) -> dict[str, Any]:
    """Ask how a :class:`RandomConvolution` looks at images; return its keyword arguments, which fit the shape."""
    declared = {param.name: param for param in RandomConvolution.params}

    def ask(name: str, high: int) -> Any:
        param = declared[name]
        default = min(param.default, high)
        return panel.control(
            dataclasses.replace(param, default=default, high=high, ui_high=min(param.ui_high or high, high))
        )

    side = min(image_shape[:2])
    found: dict[str, Any] = {"image_shape": tuple(image_shape), "patch_size": ask("patch_size", side)}
    found["grid"] = ask("grid", side - found["patch_size"] + 1)
    return found | {name: panel.control(declared[name]) for name in ("threshold", "floor")}


def receptive_field(panel: Panel, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """Ask for rectangles of the images that features are confined to; return the map's keyword arguments, if any."""
    if not image_shape:
        return {}
    field = panel.control(dataclasses.replace(RECEPTIVE_FIELD, high=max(image_shape[:2])))
    return {} if field is None else {"receptive_field": field, "image_shape": tuple(image_shape)}


def told_the_shape(spec: MapSpec[FeatureMap], image_shape: Sequence[int] | None) -> MapSpec[FeatureMap]:
    """Return a map that knows the shape of the images, where it would have to guess it from their number of columns."""
    if image_shape is None or not issubclass(spec.cls, SkeletonMap) or spec.params.get("skeleton") not in _PLACED:
        return spec
    return spec.replace(image_shape=tuple(image_shape))


def choose_map(
    panel: Panel,
    defaults: Mapping[str, Any],
    image_shape: Sequence[int] | None = None,
    *,
    first: type[FeatureMap] = RandomMaxout,
    without: Collection[str] = (),
) -> MapSpec[FeatureMap]:
    """Ask for a feature map and its parameters, all but the seed.

    Parameters
    ----------
    panel : Panel
    defaults : mapping
        Defaults of the page's own, by the name of the parameter.
    image_shape : tuple of int, optional
        Of the data, where they are images: maps that project can then be confined to rectangles, and maps that are for
        images are offered.
    first : type of FeatureMap
        The map where nothing is chosen.
    without : collection of str
        Parameters that the page asks for itself.
    """
    titles = {name: cls.label for name, cls in offered_maps(image_shape).items()}
    cls = map_class(panel.choice("scheme", list(titles), first.__name__, "Map", "Which feature map.", titles))
    # The controls of patches depend on the shape of the images.
    own = [param.name for param in COMMON_PARAMS] if cls is RandomConvolution else [param.name for param in cls.params]
    params: dict[str, Any] = {}
    for param in cls.params:
        # The precision shows in no chart.
        if (
            param.name in own
            and param.name not in ("dtype", *without)
            and param.kind != "range"
            and param.applies(params)
        ):
            params[param.name] = panel.control(param, defaults.get(param.name))
    if RECEPTIVE_FIELD in cls.params:
        params |= receptive_field(panel, image_shape)
    if image_shape and cls is RandomConvolution:
        params |= image_parameters(panel, image_shape)
    return told_the_shape(MapSpec(cls, **params), image_shape)
