"""Common skeletons: flat, stacks of convolutions, those of the paper's experiments, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rfviz import skeleton
from rfviz.errors import ParameterError

if TYPE_CHECKING:
    from rfviz.skeleton import Skeleton

__all__ = ["ARCHITECTURES", "PRESETS", "as_skeleton", "convolutions", "flat", "graph", "image_shape_of", "preset"]

# What the paper calls shallow and deep (Section 6), and the skeletons of its Figure 4.
_QUARTER = {"kind": "exponential", "scale": 0.25}
_RELU = {"kind": "relu"}
_PRESETS: dict[str, tuple[list[tuple[int, int, dict[str, Any]]], dict[str, Any]]] = {
    "flat": ([], _QUARTER),
    "1 convolution": ([(5, 2, _RELU)], _RELU),
    "2 convolutions": ([(5, 2, _RELU), (4, 2, _RELU)], _RELU),
    "3 convolutions": ([(4, 2, _RELU), (3, 2, _RELU), (3, 1, _RELU)], _RELU),
    "deep": ([(5, 2, _QUARTER), (4, 2, _RELU)], _RELU),
}
PRESETS = tuple(_PRESETS)
# The convolutional architectures of the paper's Table 1: sides of the two windows, both of stride 2, ReLU throughout;
# and how many principal components of a patch the first sees.
ARCHITECTURES = {(a, b): {4: 10, 5: 12, 6: 16}[a] for a in (4, 5, 6) for b in (4, 5, 6)}


def flat(n_inputs: int, activation: Any = _QUARTER, base: Any = "circle") -> Skeleton:
    """Build one node above all inputs; by default the paper's shallow kernel exp((ρ − 1)/4).

    Parameters
    ----------
    activation : str, mapping or Activation
        See :func:`rfviz.skeleton.activation`.
    base : str, mapping or Base
        See :func:`rfviz.skeleton.base`.
    """
    return convolutions((n_inputs, 1, 1), [], activation, base)


def convolutions(
    image_shape: Sequence[int],
    layers: Sequence[tuple[int, int, Any]],
    top: Any = "relu",
    base: Any = "circle",
    components: int | None = None,
    shrink: bool = False,
) -> Skeleton:
    """Build a stack of convolutions over an image, with a fully connected node on top.

    Parameters
    ----------
    image_shape : (height, width) or (height, width, channels)
        Columns of the data run row by row, channels last.
    layers : sequence of (size, stride, activation)
        From the image upwards; the first sees all channels. A size may be (height, width). Windows lie inside the
        image; pixels left over at its far edges are not seen.
    top : str, mapping or Activation
        Of the output, which averages all nodes of the last convolution.
    base : str, mapping or Base
        Of every pixel and channel.
    components : int, optional
        Number of principal components of each window that the first convolution sees instead of the pixels. The
        skeleton then takes the output of ``PatchPCA(image_shape, size=…, stride=…, n_components=components)``, with
        that convolution's size and stride; see :class:`rfviz.skeleton.PatchPCA`.
    shrink : bool
        Whether windows, of one number each, shrink to fit the layer below them, rather than be refused.

    Raises
    ------
    ParameterError
        For a window that does not fit, and what :class:`Skeleton` refuses.
    """
    if shrink:
        layers = _shrunk(layers, image_shape[0], image_shape[1])
    if components is not None:
        image_shape, layers = _over_components(image_shape, list(layers), components)
    form = {
        "image": list(image_shape) if hasattr(image_shape, "__iter__") else image_shape,  # checked there
        "base": _form(base),
        "layers": [{"size": size, "stride": stride, "activation": _form(act)} for size, stride, act in layers],
        "top": _form(top),
    }
    return skeleton.Skeleton(form)


def _over_components(image_shape: Sequence[int], layers: list[Any], components: int) -> tuple[Sequence[int], list[Any]]:
    """Return the smaller image of principal components, one pixel a window, and the layers over it."""
    if not layers:
        raise ParameterError("components", "need a convolution whose windows they describe", layers, "Add a layer.")
    first = convolutions(image_shape, layers[:1]).form["layers"][0]  # checked
    (height, width), stride = first["size"], first["stride"]
    if height != width:
        raise ParameterError("components", "need square windows", first["size"], "Use one number as the size.")
    sides = [(side - height) // stride + 1 for side in image_shape[:2]]
    return (*sides, components), [(1, 1, first["activation"]), *layers[1:]]


def graph(inputs: Sequence[tuple[Any, int]], nodes: Sequence[tuple[Any, Sequence[int]]]) -> Skeleton:
    """Build any directed acyclic graph.

    Parameters
    ----------
    inputs : sequence of (base, count)
        Inputs are numbered from 0 in this order.
    nodes : sequence of (activation, in-edges)
        Numbered after the inputs, in this order; exactly one has no out-edge.
    """
    form = {
        "inputs": [{"base": _form(b), "count": count} for b, count in inputs],
        "nodes": [{"activation": _form(act), "in": [int(u) for u in sources]} for act, sources in nodes],
    }
    return skeleton.Skeleton(form)


def preset(name: str, image_shape: Sequence[int], base: Any = "circle", shrink: bool = False) -> Skeleton:
    """Build a skeleton by name, for images of this shape.

    Parameters
    ----------
    name : {"flat", "1 convolution", "2 convolutions", "3 convolutions", "deep"}
        ``"flat"``: the paper's shallow kernel, exp((ρ − 1)/4) of all inputs. ``"1 …"`` to ``"3 convolutions"``: ReLU
        throughout, windows of 5 (stride 2); 5 and 4 (2, 2); 4, 3 and 3 (2, 2, 1). ``"deep"``: as two convolutions, the
        first with exp((ρ − 1)/4), which the paper compares with the shallow one.
    image_shape : (height, width) or (height, width, channels)
    base : str, mapping or Base
    shrink : bool
        Whether windows shrink to fit the layer below them, rather than be refused.

    Raises
    ------
    ParameterError
        For an unknown name, or windows that do not fit.
    """
    if name not in _PRESETS:
        raise ParameterError("skeleton", f"must be one of {', '.join(map(repr, PRESETS))}", name, "Try 'flat'.")
    layers, top = _PRESETS[name]
    return convolutions(image_shape, layers, top, base, shrink=shrink)


def _shrunk(layers: Sequence[tuple[int, int, Any]], height: int, width: int) -> list[Any]:
    made: list[Any] = []
    for size, stride, act in layers:
        rows, columns = min(size, height), min(size, width)
        step = min(stride, max(rows, columns))
        made.append(((rows, columns), step, act))
        height, width = (height - rows) // step + 1, (width - columns) // step + 1
    return made


def image_shape_of(n_features: int) -> tuple[int, int, int]:
    """Guess the image shape of n columns: square, square with three channels, else the one nearest to a square.

    Returns
    -------
    height, width, channels : int
    """
    side = math.isqrt(n_features)
    if side * side == n_features:
        return side, side, 1
    colour = math.isqrt(n_features // 3)
    if n_features >= 12 and 3 * colour * colour == n_features:
        return colour, colour, 3
    height = next(h for h in range(side, 0, -1) if n_features % h == 0)
    return height, n_features // height, 1


def as_skeleton(given: Any, n_features: int, turn: float = 0.5, image_shape: Sequence[int] | None = None) -> Skeleton:
    """Return the skeleton that a parameter stands for, for data with `n_features` columns.

    Parameters
    ----------
    given : None, str, mapping or Skeleton
        None is ``"flat"``; a preset's name stands for that preset over circles, on the image that
        :func:`image_shape_of` makes of the columns, with windows that shrink to fit; text that begins with a brace and
        mappings are JSON forms.
    turn : float
        For presets: see :class:`~rfviz.skeleton.Base`.
    image_shape : (height, width) or (height, width, channels), optional
        For presets, in place of the guess.

    Raises
    ------
    ParameterError
        If `given` does not describe a skeleton, or one for another number of columns.
    """
    if given is None or (isinstance(given, str) and not given.lstrip().startswith("{")):
        circle = {"kind": "circle", "turn": turn}
        shape = image_shape_of(n_features) if image_shape is None else image_shape
        return preset("flat" if given is None else given, shape, circle, shrink=True)
    made = given if isinstance(given, skeleton.Skeleton) else skeleton.Skeleton(given)
    if made.n_columns != n_features:
        raise ParameterError(
            "skeleton",
            f"must take as many columns as the data have, {n_features}",
            made.n_columns,
            "Change the image's shape or the inputs.",
        )
    return made


def _form(given: Any) -> Any:
    """Return the JSON form of a base or an activation, or a name as it is."""
    if isinstance(given, (skeleton.Activation, skeleton.Base)):
        return given.to_form()
    return dict(given) if isinstance(given, Mapping) else given
