"""Controls for a feature map and its parameters."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rfviz.features import COMMON_PARAMS, FeatureMap, MapSpec, RandomMaxout, map_class, registry
from rfviz.features.receptive import RECEPTIVE_FIELD, ReceptiveMap
from rfviz.lab.panel import Panel
from rfviz.params import Param

__all__ = ["choose_map", "choose_versions", "offered_maps", "receptive_field", "told_the_shape"]

_COMMON = tuple(param.name for param in COMMON_PARAMS)
# Name and label of the control of further values, where it is older than the rule that names all others.
_FURTHER = {"pool_size": ("pools", "Further pool sizes")}


def offered_maps(image_shape: Sequence[int] | None) -> dict[str, type[FeatureMap]]:
    """Return the feature maps that suit the data, by class name: those for images only where the data are images."""
    return {name: cls for name, cls in registry().items() if image_shape or not cls.needs_images}


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
    help: str = "Which feature map.",
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
    help : str
        What the map is for.
    """
    titles = {name: cls.label for name, cls in offered_maps(image_shape).items()}
    cls = map_class(panel.choice("map", list(titles), first.__name__, "Map", help, titles))
    params = _ask_params(
        cls, image_shape, lambda param: panel.control(param, defaults.get(param.name)), ("dtype", *without)
    )
    if issubclass(cls, ReceptiveMap):
        params |= receptive_field(panel, image_shape)
    return told_the_shape(MapSpec(cls, **params), image_shape)


def _declared_alike(one: Param, other: Param) -> bool:
    """Return whether two declarations of one name mean the same."""
    return (one.kind, one.default, one.choices) == (other.kind, other.default, other.choices)


def choose_versions(
    panel: Panel,
    classes: Sequence[type[FeatureMap]],
    image_shape: Sequence[int] | None,
    page: Iterable[Param],
    *,
    several: Mapping[str, Callable[[Param], Sequence[Any]]],
    defaults: Mapping[str, Any] = MappingProxyType({}),
    alike: Callable[[Param, Param], bool] = _declared_alike,
) -> dict[type[FeatureMap], list[MapSpec[FeatureMap]]]:
    """Ask for the parameters of maps that are compared, and return the versions of each: a curve for each.

    Maps that declare a parameter alike share its control. Where a map before in the registry, or the page, declares
    another one of that name, the control is named after the map: ``RandomBinning.gamma``. A parameter with `compared`
    can have further values, for a curve each.

    Parameters
    ----------
    panel, classes, image_shape
        As for :func:`choose_map`; the classes are feature maps that suit the data.
    page : iterable of Param
        What the page asks for itself.
    several : mapping of str to callable
        By its control's name, how to ask for a parameter that the page asks for in its own way, and for any number of
        values at once; it is handed the parameter, with all values that maps compare.
    defaults : mapping
        Defaults of the page's own, by the name of the parameter.
    alike : callable
        Whether two declarations of one name may share a control; by default if they have the same default and choices.
    """
    controls = _SharedControls(panel, page, several, defaults, alike)
    return {cls: controls.versions(cls, image_shape) for cls in classes}


class _SharedControls:
    """The controls of maps on a page that compares them; see :func:`choose_versions`."""

    def __init__(
        self,
        panel: Panel,
        page: Iterable[Param],
        several: Mapping[str, Callable[[Param], Sequence[Any]]],
        defaults: Mapping[str, Any],
        alike: Callable[[Param, Param], bool],
    ) -> None:
        self._panel, self._several, self._defaults, self._alike = panel, several, defaults, alike
        self._of_page = {param.name: param for param in page}
        self._of_maps: dict[str, Param] = {}
        self._compared: dict[str, tuple[Any, ...]] = {}  # by control: what any map compares
        self._asked: dict[str, Sequence[Any]] = {}
        for cls in registry().values():
            for param in cls.params:
                self._of_maps.setdefault(param.name, param)
                name = self._name(cls, param.name)
                self._compared[name] = tuple(dict.fromkeys((*self._compared.get(name, ()), *param.compared)))

    def versions(self, cls: type[FeatureMap], image_shape: Sequence[int] | None) -> list[MapSpec[FeatureMap]]:
        values: dict[str, Sequence[Any]] = {}

        def ask(param: Param) -> Any:
            values[param.name] = found = self._values(cls, param)
            return found[0] if found else param.default

        fixed = _ask_params(cls, image_shape, ask, _COMMON)
        products = (dict(zip(values, version, strict=True)) for version in itertools.product(*values.values()))
        return [MapSpec(cls, **fixed | version) for version in products]

    def _values(self, cls: type[FeatureMap], param: Param) -> Sequence[Any]:
        """Return the values of a parameter; of a choice of several to compare, those that this map can have."""
        name = self._name(cls, param.name)
        if name not in self._asked:
            self._asked[name] = self._ask(cls, name, dataclasses.replace(param, compared=self._compared[name]))
        values = self._asked[name]
        if name in self._several and param.compared:
            return [value for value in values if param.clamp(value) == value]
        return values

    def _ask(self, cls: type[FeatureMap], name: str, param: Param) -> Sequence[Any]:
        if name in self._several:
            return self._several[name](param)
        if name != param.name:
            param = dataclasses.replace(param, label=f"{cls.label}: {param.label or param.name}")
        value = self._panel.control(param, self._defaults.get(param.name), name)
        if not param.compared:
            return (value,)
        further, label = _FURTHER.get(name, (f"further.{name}", f"{param.label}: further values"))
        return tuple(
            dict.fromkeys([value, *self._panel.several(further, param.compared, [], label, "One curve for each.")])
        )

    def _name(self, cls: type[FeatureMap], name: str) -> str:
        """Return the name of the control of a parameter: its own, unless the page or another map has taken it."""
        param, of_page = cls.param(name), self._of_page.get(name)
        shared = param == of_page if of_page else self._alike(param, self._of_maps[name])
        return name if shared else f"{cls.__name__}.{name}"


def _ask_params(
    cls: type[FeatureMap], image_shape: Sequence[int] | None, ask: Callable[[Param], Any], without: Collection[str]
) -> dict[str, Any]:
    """Ask for the parameters of a map that have an effect, as images bound them; return its keyword arguments."""
    shape = tuple(image_shape) if image_shape and cls.needs_images else None
    found: dict[str, Any] = {} if shape is None else {"image_shape": shape}
    for param in cls.params:
        if param.name not in without and param.kind != "range" and param.applies(found):
            found[param.name] = ask(param if shape is None else cls.for_images(param, shape, found))
    return found
