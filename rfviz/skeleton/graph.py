"""Computation skeletons: a DAG of averages and dual activations over base spaces, held as layers of index arrays."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rfviz.errors import ParameterError
from rfviz.skeleton.activations import Activation
from rfviz.skeleton.bases import Base
from rfviz.skeleton.compile import compile_form

__all__ = ["InputGroup", "Layer", "Skeleton"]

# With more expected paths a feature than this, features are long products, of which nothing but the variance shows.
MAX_COMPLEXITY = 10_000.0
# A mean over in-edges is a product with a matrix of weights that is not larger, and not much sparser than this.
_LARGEST_MATRIX, _MOST_ZEROS = 1_000_000, 20


@dataclass(frozen=True, eq=False)
class InputGroup:
    """Neighbouring inputs with one base space.

    Attributes
    ----------
    first, count : int
        The nodes ``first`` to ``first + count − 1``.
    column : int
        First column of the data; input i of the group takes `base.dimension` columns from ``column + i·dimension`` on.
    """

    base: Base
    first: int
    count: int
    column: int

    @property
    def columns(self) -> slice:
        return slice(self.column, self.column + self.count * self.base.dimension)


@dataclass(frozen=True, eq=False)
class Layer:
    """Inner nodes with one activation, equally many in-edges, and no edges among them.

    Attributes
    ----------
    first : int
        Number of the first node; the layer's nodes are consecutive.
    edges : ndarray of shape (n_nodes, in_degree), int32
        The nodes that each node averages.
    """

    activation: Activation
    first: int
    edges: np.ndarray

    @property
    def stop(self) -> int:
        return self.first + len(self.edges)

    @property
    def degree(self) -> int:
        return self.edges.shape[1]


class Skeleton:
    """A computation skeleton; immutable, compared by its JSON form.

    Node v has the kernel κ_v = σ̂_v(mean of κ_u over its in-edges u); inputs have their base space's kernel; the last
    node is the output. Nodes are numbered inputs first, then layer by layer, every edge from a lower to a higher one.

    Make one with :func:`rfviz.skeleton.preset`, :func:`~rfviz.skeleton.flat`, :func:`~rfviz.skeleton.convolutions`,
    :func:`~rfviz.skeleton.graph`, or from a JSON form.

    Parameters
    ----------
    form : mapping or str
        The JSON form, as an object or as text: either of

        - ``{"image": [H, W, C], "base": …, "layers": [{"size": 5, "stride": 2, "activation": …}, …], "top": …}``, a
          stack of convolutions over an image whose columns run row by row, channels last, with a fully connected top;
        - ``{"inputs": [{"base": …, "count": 3}, …], "nodes": [{"activation": …, "in": [0, 1]}, …]}``, any DAG: inputs
          are numbered from 0 in order, then the nodes as listed; edges may go to nodes that are listed later.

    Attributes
    ----------
    inputs : tuple of InputGroup
    layers : tuple of Layer
        In topological order.
    image_shape : tuple of int or None
        (H, W, C) of a stack.

    Raises
    ------
    ParameterError
        For a form that describes no skeleton: a cycle, no or several outputs, an unknown node, an image that a
        convolution does not fit, bad coefficients, too many nodes or edges.
    """

    def __init__(self, form: Mapping[str, Any] | str) -> None:
        if isinstance(form, str):
            form = _parsed(form)
        self.form, groups, layers, self.image_shape = compile_form(form)
        inputs, first, column = [], 0, 0
        for base, count in groups:
            inputs.append(InputGroup(base, first, count, column))
            first, column = first + count, column + count * base.dimension
        self.inputs, self.n_inputs, self.n_columns = tuple(inputs), first, column
        made = []
        for activation, edges in layers:
            made.append(Layer(activation, first, edges))
            first += len(edges)
        self.layers, self.n_nodes = tuple(made), first

    # --- as a value ---------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the JSON form as text; ``Skeleton(text)`` is equal to this one."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.form, sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Skeleton) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Skeleton, (self.form,)

    def __deepcopy__(self, memo: dict[int, Any]) -> Skeleton:
        return self  # immutable, so that scikit-learn's clone may share it

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.image_shape)) if self.image_shape else f"{self.n_inputs} inputs"
        return f"<Skeleton: {shape}, {self.n_nodes - self.n_inputs} inner nodes in {len(self.layers)} layers>"

    # --- sizes --------------------------------------------------------------------------------------------------------

    @property
    def n_edges(self) -> int:
        return sum(layer.edges.size for layer in self.layers)

    @cached_property
    def complexity(self) -> float:
        """Return C(S): expected paths of a feature, 1 at inputs, σ̂'(1)·mean over in-edges; infinite for a step.

        It is also the expected number of base features that a random feature multiplies.
        """
        paths = np.ones(self.n_nodes)
        for layer in self.layers:
            paths[layer.first : layer.stop] = layer.activation.slope * paths[layer.edges].mean(axis=1)
        return float(paths[-1])

    @cached_property
    def calls(self) -> float:
        """Return the expected calls of Algorithm 1 for a feature: one at each node on the way, inputs among them."""
        calls = np.ones(self.n_nodes)
        for layer in self.layers:
            calls[layer.first : layer.stop] = 1.0 + layer.activation.slope * calls[layer.edges].mean(axis=1)
        return float(calls[-1])

    @cached_property
    def depths(self) -> tuple[int, int]:
        """Return the least and the largest number of edges from the output to an input; equal where it is layered."""
        ends = np.zeros((2, self.n_nodes), dtype=np.int64)
        for layer in self.layers:
            below = ends[:, layer.edges]
            ends[:, layer.first : layer.stop] = 1 + below[0].min(axis=1), 1 + below[1].max(axis=1)
        return int(ends[0, -1]), int(ends[1, -1])

    @property
    def complexity_bound(self) -> float:
        """Return max(1, s)^depth, s the largest σ̂'(1) of a node, which C(S) never exceeds.

        The paper prints s^depth, which holds where s ≥ 1 or where all paths are as long (Section 5).
        """
        return max(1.0, *(layer.activation.slope for layer in self.layers)) ** self.depths[1]

    @property
    def bound(self) -> float:
        """Return C such that every base feature is C-bounded: 1 where the features are norm-efficient."""
        return max(group.base.bound for group in self.inputs)

    @property
    def feature_bound(self) -> float:
        """Return the largest modulus that a (complex) feature can have: C^l for l factors, infinite if l has no end."""
        largest = np.empty(self.n_nodes)
        for group in self.inputs:
            largest[group.first : group.first + group.count] = group.base.bound
        for layer in self.layers:
            below = largest[layer.edges].max(axis=1)
            most = np.power(below, layer.activation.most_children, where=below > 1, out=np.ones_like(below))
            largest[layer.first : layer.stop] = most
        return float(largest[-1])

    # --- the recursion ------------------------------------------------------------------------------------------------

    def propagate(self, xp: Any, values: Any, means: Sequence[Any] = ()) -> Any:
        """Propagate one value per input up to the output: σ̂_v of the mean over in-edges, node by node.

        With base kernels as values this is the kernel; with weights s_p it is the generating function of how often each
        input occurs in a random feature.

        Parameters
        ----------
        xp : module
            NumPy or CuPy.
        values : array of shape (n_inputs, batch) or None
            None if only the layers of `means` have inputs below them.
        means : sequence of arrays of shape (nodes of the layer, batch)
            Means over in-edges of the first layers, where they are known already.

        Returns
        -------
        array of shape (batch,)
        """
        first = self.n_inputs if values is None else 0  # of the nodes that are kept
        given = means[0] if values is None else values
        known = xp.empty((self.n_nodes - first, given.shape[1]), dtype=given.dtype)
        if values is not None:
            known[: self.n_inputs] = values
        for number, layer in enumerate(self.layers):
            mean = means[number] if number < len(means) else _mean_over_edges(xp, known, layer.edges - first)
            known[layer.first - first : layer.stop - first] = layer.activation.value(xp, mean)
        return known[-1]

    def check_sampling(self) -> None:
        """Refuse a skeleton whose features cannot be drawn.

        Raises
        ------
        ParameterError
            Where a step, whose number of children has no mean, stands above inner nodes, so that a feature would be a
            product of billions of paths; or where the expected number of paths is beyond all use.
        """
        for layer in self.layers:
            if layer.activation.kind == "step" and int(layer.edges.max()) >= self.n_inputs:
                raise ParameterError(
                    "skeleton",
                    "must have the activation 'step' only on nodes whose in-edges all come from inputs",
                    self,
                    "The number of paths has no mean; use 'relu' above, or the exact kernel alone.",
                )
        finite = self.complexity
        if math.isfinite(finite) and finite > MAX_COMPLEXITY:
            raise ParameterError(
                "skeleton",
                f"must have at most {MAX_COMPLEXITY:,.0f} expected paths a feature",
                finite,
                "Lower the degrees or scales: the complexity is the product of σ̂'(1) over the levels.",
            )


def _mean_over_edges(xp: Any, values: Any, edges: np.ndarray) -> Any:
    """Average ``values[edges]`` over axis 1 without that array: by a matrix, or the fewer of nodes and in-edges."""
    n_nodes, degree = edges.shape
    first, last = int(edges.min()), int(edges.max()) + 1
    if last - first <= _MOST_ZEROS * degree and n_nodes * (last - first) <= _LARGEST_MATRIX:
        places = np.arange(n_nodes)[:, None] * (last - first) + edges - first
        counts = np.bincount(places.ravel(), minlength=n_nodes * (last - first)).reshape(n_nodes, -1)
        return xp.asarray(counts, dtype=values.dtype) @ values[first:last] / degree  # so that ones give exactly 1
    index = xp.asarray(edges.T.copy() if degree <= n_nodes else edges)
    if degree <= n_nodes:
        total = values[index[0]]
        for j in range(1, degree):
            total += values[index[j]]
        total /= degree
        return total
    return xp.stack([values[index[v]].mean(axis=0) for v in range(n_nodes)])


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ParameterError("skeleton", f"must be JSON ({error})", text, "See rfviz.skeleton.Skeleton.") from None
