"""Controls for a feature map and its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rfviz.features import FeatureMap, MapSpec, RandomMaxout, map_class, registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.lab.panel import Panel

__all__ = ["choose_map", "receptive_field"]


def receptive_field(panel: Panel, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """Ask for rectangles of the images that features are confined to; return the map's keyword arguments, if any."""
    if not image_shape:
        return {}
    field = panel.control(dataclasses.replace(RECEPTIVE_FIELD, high=max(image_shape[:2])))
    return {} if field is None else {"receptive_field": field, "image_shape": tuple(image_shape)}


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
        Of the data, where they are images: maps that project can then be confined to rectangles.
    first : type of FeatureMap
        The map where nothing is chosen.
    without : collection of str
        Parameters that the page asks for itself.
    """
    titles = {name: cls.label for name, cls in registry().items()}
    cls = map_class(panel.choice("scheme", list(titles), first.__name__, "Map", "Which feature map.", titles))
    params: dict[str, Any] = {}
    for param in cls.params:
        # The precision shows in no chart.
        if param.name not in ("dtype", *without) and param.kind != "range" and param.applies(params):
            params[param.name] = panel.control(param, defaults.get(param.name))
    if RECEPTIVE_FIELD in cls.params:
        params |= receptive_field(panel, image_shape)
    return MapSpec(cls, **params)
