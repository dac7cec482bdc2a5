"""Controls that let a reader choose a feature map and its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rfviz.features import FeatureMap, registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.lab.panel import Panel

__all__ = ["choose_map", "receptive_field"]


def receptive_field(panel: Panel, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """Let the reader confine features to rectangles of images of this shape: the map's keyword arguments, if any."""
    if not image_shape:
        return {}
    field = panel.control(dataclasses.replace(RECEPTIVE_FIELD, high=max(image_shape[:2])))
    return {} if field is None else {"receptive_field": field, "image_shape": tuple(image_shape)}


def choose_map(
    panel: Panel,
    defaults: Mapping[str, Any],
    image_shape: Sequence[int] | None = None,
    *,
    first: str = "RandomMaxout",
) -> tuple[type[FeatureMap], dict[str, Any]]:
    """Let the reader choose a feature map and its parameters.

    Parameters
    ----------
    panel : Panel
    defaults : mapping
        Defaults of the page's own, by the name of the parameter.
    image_shape : tuple of int, optional
        Of the data, where they are images: maps that project can then be confined to rectangles.
    first : str
        Class name of the scheme to begin with.

    Returns
    -------
    scheme : type of FeatureMap
    setting : dict
        Its keyword arguments, without the seed.
    """
    schemes = registry()
    titles = {name: scheme.label for name, scheme in schemes.items()}
    name = panel.choice("scheme", list(schemes), first, "Map", "Which feature map.", titles)
    # The precision shows in no picture.
    setting: dict[str, Any] = {}
    for param in schemes[name].params:
        if param.name != "dtype" and param.kind != "range" and param.applies(setting):
            setting[param.name] = panel.control(param, defaults.get(param.name))
    if RECEPTIVE_FIELD in schemes[name].params:
        setting |= receptive_field(panel, image_shape)
    return schemes[name], setting
