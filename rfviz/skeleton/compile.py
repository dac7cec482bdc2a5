"""From the JSON form of a skeleton to layers of index arrays, with every check on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rfviz.errors import ParameterError
from rfviz.params import Param
from rfviz.skeleton.activations import Activation, activation
from rfviz.skeleton.bases import Base, base

__all__ = ["MAX_EDGES", "MAX_NODES", "compile_form"]

MAX_NODES, MAX_EDGES = 1_000_000, 50_000_000
Compiled = tuple[
    dict[str, Any], list[tuple[Base, int]], list[tuple[Activation, np.ndarray]], tuple[int, int, int] | None
]


def compile_form(form: Any) -> Compiled:
    """Compile a form: defaults filled in, inputs (base, count), layers (activation, edges), the image shape.

    Raises
    ------
    ParameterError
        See :class:`rfviz.skeleton.Skeleton`.
    """
    if isinstance(form, Mapping) and "image" in form:
        _check_keys(form, ("image", "base", "layers", "top"))
        return _stack(form)
    if isinstance(form, Mapping) and "nodes" in form and "inputs" in form:
        _check_keys(form, ("inputs", "nodes"))
        return _graph(form)
    raise ParameterError(
        "skeleton",
        "must be an object with 'image' (a stack of convolutions) or with 'inputs' and 'nodes' (any graph)",
        form,
        "See rfviz.skeleton.Skeleton.",
    )


def _check_keys(form: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in form:
        if key not in known:
            raise ParameterError("skeleton", f"has the parts {', '.join(known)}", key, "Leave it out.")


def _check_size(n_nodes: int, n_edges: int) -> None:
    if n_nodes > MAX_NODES:
        raise ParameterError("skeleton", f"must have at most {MAX_NODES:,} nodes", n_nodes, "Make the image smaller.")
    if n_edges > MAX_EDGES:
        raise ParameterError(
            "skeleton", f"must have at most {MAX_EDGES:,} edges", n_edges, "Use smaller windows or larger strides."
        )


# --- stacks of convolutions -------------------------------------------------------------------------------------------


def _stack(form: Mapping[str, Any]) -> Compiled:
    image = _image_shape(form["image"])
    height, width, channels = image
    input_base = base(form.get("base", "circle"))
    given = form.get("layers", [])
    if not isinstance(given, (list, tuple)):
        raise ParameterError("layers", "must be a list of convolutions", given, "Try [].")
    n_nodes, n_edges, layers, made = height * width * channels, 0, [], []
    _check_size(n_nodes, 0)
    offset = 0
    for number, layer in enumerate(given, 1):
        size, stride, act = _convolution(layer, number, height, width)
        rows, columns = (height - size[0]) // stride + 1, (width - size[1]) // stride + 1
        n_edges += rows * columns * size[0] * size[1] * channels
        _check_size(n_nodes + rows * columns, n_edges)
        layers.append((act, _windows(offset, (height, width, channels), size, stride, (rows, columns))))
        made.append({"size": list(size), "stride": stride, "activation": act.to_form()})
        offset, n_nodes = n_nodes, n_nodes + rows * columns
        height, width, channels = rows, columns, 1
    top = activation(form.get("top", "relu"))
    n_last = height * width * channels
    _check_size(n_nodes + 1, n_edges + n_last)
    layers.append((top, np.arange(offset, offset + n_last, dtype=np.int32)[None]))
    full = {"image": list(image), "base": input_base.to_form(), "layers": made, "top": top.to_form()}
    return full, [(input_base, int(np.prod(image)))], layers, image


def _image_shape(given: Any) -> tuple[int, int, int]:
    if not isinstance(given, (list, tuple)) or len(given) not in (2, 3):
        raise ParameterError("image", "must be [height, width] or [height, width, channels]", given, "Try [24, 24, 3].")
    sides = [Param("image", 24, "int", low=1, high=MAX_NODES).validate(side) for side in given]
    return sides[0], sides[1], sides[2] if len(sides) == 3 else 1


def _convolution(layer: Any, number: int, height: int, width: int) -> tuple[tuple[int, int], int, Activation]:
    if not isinstance(layer, Mapping) or "size" not in layer:
        raise ParameterError(f"Layer {number}", "must be an object with size, stride and activation", layer)
    for key in layer:
        if key not in ("size", "stride", "activation"):
            raise ParameterError(f"Layer {number}", "has size, stride and activation", key, "Leave it out.")
    given = layer["size"]
    sides = list(given) if isinstance(given, (list, tuple)) else [given, given]
    if len(sides) != 2:
        raise ParameterError(f"Layer {number}, size", "must be a number or [height, width]", given, "Try 5.")
    side = Param(f"Layer {number}, size", 5, "int", low=1, high=100_000)
    size = side.validate(sides[0]), side.validate(sides[1])
    stride = Param(f"Layer {number}, stride", 1, "int", low=1, high=100_000).validate(layer.get("stride", 1))
    if size[0] > height or size[1] > width:
        raise ParameterError(
            f"Layer {number}, size",
            f"must fit into the {height}×{width} nodes below it",
            given,
            "Use a smaller window, a larger image, or smaller strides below.",
        )
    if stride > max(size):
        rule = f"must leave no gaps between windows: at most {max(size)}"
        raise ParameterError(f"Layer {number}, stride", rule, stride, "Use a smaller stride, or a larger window.")
    return size, stride, activation(layer.get("activation", "relu"))


def _windows(offset: int, below: Sequence[int], size: Sequence[int], stride: int, above: Sequence[int]) -> np.ndarray:
    """Return the in-edges of a convolution: for each node above, its window below, all channels."""
    _, width, channels = below
    corner = (np.arange(above[0])[:, None] * width + np.arange(above[1])) * stride
    within = np.arange(size[0])[:, None] * width + np.arange(size[1])
    pixels = corner.reshape(-1, 1) + within.reshape(1, -1)
    edges = offset + pixels[:, :, None] * channels + np.arange(channels)
    return edges.reshape(len(corner.ravel()), -1).astype(np.int32)


# --- any graph --------------------------------------------------------------------------------------------------------


def _graph(form: Mapping[str, Any]) -> Compiled:
    groups = _input_groups(form["inputs"])
    nodes = form["nodes"]
    if not isinstance(nodes, (list, tuple)):
        raise ParameterError("nodes", "must be a list", nodes, "Try [].")
    n_inputs = sum(count for _, count in groups)
    n = n_inputs + len(nodes)
    _check_size(n, 0)
    activations, edges = [], []
    for number, node in enumerate(nodes, n_inputs):
        if not isinstance(node, Mapping) or set(node) != {"activation", "in"}:
            raise ParameterError(f"node {number}", "must be an object with activation and in", node)
        activations.append(activation(node["activation"]))
        edges.append(_in_edges(node["in"], number, n))
    _check_size(n, sum(map(len, edges)))
    levels = _levels(edges, n_inputs)
    _check_output(edges, n_inputs, n)
    full = {
        "inputs": [{"base": b.to_form(), "count": count} for b, count in groups],
        "nodes": [{"activation": a.to_form(), "in": e.tolist()} for a, e in zip(activations, edges, strict=True)],
    }
    return full, groups, _by_layer(levels, activations, edges, n_inputs), None


def _input_groups(given: Any) -> list[tuple[Base, int]]:
    if not isinstance(given, (list, tuple)) or not given:
        raise ParameterError("inputs", "must be a list of at least one base space", given, 'Try [{"base": "circle"}].')
    groups = []
    for entry in given:
        if not isinstance(entry, Mapping) or "base" not in entry or set(entry) - {"base", "count"}:
            raise ParameterError("inputs", "must hold objects with base and count", entry)
        count = Param("count", 1, "int", low=1, high=MAX_NODES).validate(entry.get("count", 1))
        groups.append((base(entry["base"]), count))
    return groups


def _in_edges(given: Any, number: int, n: int) -> np.ndarray:
    rule = f"must have a non-empty list of in-edges, nodes from 0 to {n - 1}"
    if not isinstance(given, (list, tuple)) or not given:
        raise ParameterError(f"node {number}", rule, given)
    for u in given:
        if isinstance(u, bool) or not isinstance(u, int) or not 0 <= u < n:
            raise ParameterError(f"node {number}", rule, u)
    return np.array(given, dtype=np.int64)


def _levels(edges: list[np.ndarray], n_inputs: int) -> np.ndarray:
    """Return the length of the longest path from an input, for every node.

    Raises
    ------
    ParameterError
        Where there is a cycle.
    """
    n = n_inputs + len(edges)
    above: list[list[int]] = [[] for _ in range(n)]
    waiting = np.zeros(n, dtype=np.int64)
    for v, sources in enumerate(edges, n_inputs):
        waiting[v] = len(sources)
        for u in sources:
            above[u].append(v)
    level = np.zeros(n, dtype=np.int64)
    ready, done = list(range(n_inputs)), 0
    while ready:
        u = ready.pop()
        done += 1
        for v in above[u]:
            level[v] = max(level[v], level[u] + 1)
            waiting[v] -= 1
            if waiting[v] == 0:
                ready.append(v)
    if done < n:
        stuck = int(np.flatnonzero(waiting > 0)[0])
        raise ParameterError("skeleton", "must have no cycle", f"node {stuck} in or above one", "Reverse an edge.")
    return level


def _check_output(edges: list[np.ndarray], n_inputs: int, n: int) -> None:
    used = np.zeros(n, dtype=bool)
    for sources in edges:
        used[sources] = True
    outputs = np.flatnonzero(~used)
    if len(outputs) != 1:
        shown = ", ".join(map(str, outputs[:5])) + (", …" if len(outputs) > 5 else "")
        remedy = "Connect the others to it, or leave them out."
        raise ParameterError("skeleton", "must have exactly one node without out-edges, the output", shown, remedy)
    if outputs[0] < n_inputs:
        raise ParameterError("skeleton", "must have an inner node as its output", "an input", "Add a node.")


def _by_layer(
    levels: np.ndarray, activations: list[Activation], edges: list[np.ndarray], n_inputs: int
) -> list[tuple[Activation, np.ndarray]]:
    """Sort nodes by level, activation and in-degree, and renumber them so that each layer is consecutive."""
    layers: dict[tuple[int, int, Activation], list[int]] = {}
    for v, (act, sources) in enumerate(zip(activations, edges, strict=True)):
        layers.setdefault((int(levels[n_inputs + v]), len(sources), act), []).append(v)
    order = sorted(layers, key=lambda key: key[0])
    number = np.arange(n_inputs + len(edges))
    number[n_inputs + np.concatenate([layers[key] for key in order])] = n_inputs + np.arange(len(edges))
    return [(key[2], number[np.stack([edges[v] for v in layers[key]])].astype(np.int32)) for key in order]
