"""Controls for a feature map and its parameters."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rfviz.features import COMMON_PARAMS, FeatureMap, MapSpec, RandomMaxout, map_class, registry
from rfviz.features.receptive import RECEPTIVE_FIELD, ReceptiveMap
from rfviz.lab.panel import Panel

__all__ = ["choose_map", "image_parameters", "offered_maps", "receptive_field", "told_the_shape"]


def offered_maps(image_shape: Sequence[int] | None) -> dict[str, type[FeatureMap]]:
    """Return the feature maps that suit the data, by class name: those for images only where the data are images."""
    return {name: cls for name, cls in registry().items() if image_shape or not cls.needs_images}


def image_parameters(panel: Panel, cls: type[FeatureMap], image_shape: Sequence[int]) -> dict[str, Any]:
    """Ask how a map that is for images looks at them; return its keyword arguments, which fit the shape."""
    found: dict[str, Any] = {"image_shape": tuple(image_shape)}
    for param in cls.params:
        if param not in COMMON_PARAMS:
            found[param.name] = panel.control(cls.for_images(param, image_shape, found))
    return found


def receptive_field(panel: Panel, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """Ask for rectangles of the images that features are confined to; return the map's keyword arguments, if any."""
    if not image_shape:
        return {}
    field = panel.control(dataclasses.replace(RECEPTIVE_FIELD, high=max(image_shape[:2])))
    return {} if field is None else {"receptive_field": field, "image_shape": tuple(image_shape)}


def told_the_shape(spec: MapSpec[FeatureMap], image_shape: Sequence[int] | None) -> MapSpec[FeatureMap]:
    """Return a map that knows the shape of the images, where it would have to guess it from their number of columns."""
    if image_shape is None or spec.make().guessed_image(math.prod(image_shape)) is None:
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
    cls = map_class(panel.choice("map", list(titles), first.__name__, "Map", "Which feature map.", titles))
    params: dict[str, Any] = {}
    for param in COMMON_PARAMS if cls.needs_images else cls.params:
        # The precision shows in no chart.
        if param.name not in ("dtype", *without) and param.kind != "range" and param.applies(params):
            params[param.name] = panel.control(param, defaults.get(param.name))
    if issubclass(cls, ReceptiveMap):
        params |= receptive_field(panel, image_shape)
    if image_shape and cls.needs_images:
        params |= image_parameters(panel, cls, image_shape)
    return told_the_shape(MapSpec(cls, **params), image_shape)
