"""Algorithm 1 of compositional random features for thousands of features at once, level by level.

A feature is a product of base features along random paths: at a node, draw how many children to multiply, choose each
among the in-edges. All features of a chunk walk down together: repeat, choose, gather. What they reach is a sparse row
of multiples N of the angles, so that the feature is the cosine of N·Θ plus a bias of 0 or π/2.

Rows are put into one form of the two, N and −N, that have the same inner products, so that equal features are equal
rows. Chunks have their own generators, so that the first features do not depend on how many are drawn after them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from rfviz.features.compositional_rows import REAL, Rows
from rfviz.skeleton import InputGroup, Skeleton

__all__ = ["CHUNK", "chunks", "draw_chunk", "reached_inputs"]

# Features that share a generator.
CHUNK = 8192
# From so many children of one node over inputs on, count how often each is chosen instead of choosing one by one.
_MANY = 4096


def chunks(skeleton: Skeleton, seed: int) -> Iterator[Rows]:
    """Yield chunks of :data:`CHUNK` features, in order, without end.

    One thread draws: the work is a few dozen short passes over each chunk, between which two threads would only wait
    for each other.
    """
    for index in itertools.count():
        child = np.random.SeedSequence(seed, spawn_key=(0, index))
        yield draw_chunk(skeleton, np.random.Generator(np.random.PCG64(child)), CHUNK)


def draw_chunk(skeleton: Skeleton, generator: np.random.Generator, size: int) -> Rows:
    """Draw `size` independent features of a skeleton."""
    quadrature = generator.integers(0, 2, size, dtype=np.int8)
    feature, node, count = reached_inputs(skeleton, generator, size)
    entries, moduli = _entries(skeleton, generator, feature, node, count)
    n_columns = skeleton.n_columns
    feature, column, multiple = _summed(entries, n_columns)
    period = _periods(skeleton)
    if period is not None:
        wraps = period[column] > 0
        multiple[wraps] %= period[column[wraps]]
    present = multiple != 0
    if not present.all():
        feature, column, multiple = feature[present], column[present], multiple[present]
    complex_entry = np.ones(len(feature), bool) if period is None else 2 * multiple != period[column]
    kinds = quadrature
    kinds[np.bincount(feature[complex_entry], minlength=size) == 0] = REAL
    multiple = _one_sign(feature, column, multiple, complex_entry, period)
    modulus_feature, modulus_column, power = _summed(moduli, n_columns)
    return Rows(
        kinds, _ends(feature, size), column, multiple, _ends(modulus_feature, size), modulus_column, power
    )  # fmt: skip


def reached_inputs(
    skeleton: Skeleton, generator: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Draw the inputs that the paths of `size` features end at.

    Returns
    -------
    feature, node : ndarray of shape (n_reached,)
        In no order; a feature may reach an input more than once.
    count : ndarray of shape (n_reached,) or None
        How many paths each of them stands for; None where that is 1 for all.
    """
    layers = skeleton.layers
    waiting: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in layers]
    waiting[-1].append((np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)))
    reached, counted = [], []
    for number in range(len(layers) - 1, -1, -1):
        if not waiting[number]:
            continue
        layer = layers[number]
        feature, node = (np.concatenate(parts) for parts in zip(*waiting[number], strict=True))
        waiting[number] = []
        children = layer.activation.draw(generator, len(feature))
        many = np.flatnonzero(children > _MANY) if layer.activation.kind == "step" else ()
        if len(many):
            counted.append(_counted(generator, layer.edges, feature[many], node[many], children[many]))
            children[many] = 0
        feature, node = np.repeat(feature, children), np.repeat(node, children)
        chosen = generator.integers(0, layer.degree, len(node), dtype=np.int32)
        child = layer.edges[node, chosen]
        if number == 0:
            reached.append((feature, child))
            continue
        for index, part in _by_layer(layers, number, feature, child):
            (reached if index < 0 else waiting[index]).append(part)
    parts = reached + [(f, n) for f, n, _ in counted]
    feature, node = (np.concatenate(part) for part in zip(*parts, strict=True)) if parts else _EMPTY
    if not counted:
        return feature, node, None
    ones = np.ones(len(feature) - sum(len(c) for _, _, c in counted), dtype=np.int64)
    return feature, node, np.concatenate([ones, *(c for _, _, c in counted)])


def _by_layer(
    layers: tuple[Any, ...], number: int, feature: np.ndarray, child: np.ndarray
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Group children by the layer that they are in, counted from its first node; inputs are in layer −1."""
    target = np.searchsorted([below.first for below in layers[:number]], child, side="right") - 1
    for index in range(-1, number):
        here = target == index
        first = np.int32(layers[index].first if index >= 0 else 0)
        if here.all():
            yield index, (feature, child - first)
        elif here.any():
            yield index, (feature[here], child[here] - first)


_EMPTY = (np.empty(0, np.int32), np.empty(0, np.int32))


def _counted(generator: Any, edges: np.ndarray, feature: np.ndarray, node: np.ndarray, children: np.ndarray) -> Entries:
    """Draw the children of nodes that have very many, each in-edge once with its count."""
    degree = edges.shape[1]
    counts = np.stack([generator.multinomial(n, np.full(degree, 1.0 / degree)) for n in children])
    which, edge = np.nonzero(counts)
    return feature[which], edges[node[which], edge], counts[which, edge]


# --- from reached inputs to sparse rows -------------------------------------------------------------------------------

Entries = tuple[np.ndarray, np.ndarray, np.ndarray]


def _entries(skeleton: Skeleton, generator: Any, feature: Any, node: Any, count: Any) -> tuple[Entries, Entries]:
    """Draw the base features: (feature, column, multiple of the angle) and (feature, column, power of the modulus)."""
    angles: list[Entries] = []
    moduli: list[Entries] = []
    for group in skeleton.inputs:
        if len(skeleton.inputs) == 1:
            f, v, c = feature, node, count
        else:
            here = (node >= group.first) & (node < group.first + group.count)
            f, v, c = feature[here], node[here], None if count is None else count[here]
        column = (v - np.int32(group.first)) * np.int32(group.base.dimension) + np.int32(group.column)
        if group.base.kind == "gaussian":
            angles.append(_gaussian(generator, group, f, column, c))
        elif group.base.kind == "sphere":
            f, column, c = _coordinates(generator, group, f, column, c)
            angles.append((f, column, _signs(generator, len(f), c)))
            moduli.append((f, column, np.ones(len(f), np.int64) if c is None else c))
        elif group.base.kind == "circle":
            angles.append((f, column, _signs(generator, len(f), c)))
        elif group.base.kind == "binary":
            angles.append((f, column, np.ones(len(f), np.int64) if c is None else c % 2))
        else:  # a sum of categories' ω is uniform again
            angles.append((f, column, generator.integers(0, group.base.categories, len(f))))
    if not moduli:
        moduli = [(*_EMPTY, np.empty(0, np.int64))]
    return _joined(angles), _joined(moduli)


def _joined(parts: list[Entries]) -> Entries:
    feature, column, number = (np.concatenate(part) for part in zip(*parts, strict=True))
    return feature, column, number


def _signs(generator: Any, size: int, count: np.ndarray | None) -> np.ndarray:
    """Draw sums of `count` signs, of one each where it is None."""
    signs = 2 * generator.integers(0, 2, size, dtype=np.int8).astype(np.int64) - 1
    if count is not None:
        many = np.flatnonzero(count > 1)
        signs[many] = 2 * generator.binomial(count[many], 0.5) - count[many]
    return signs


def _gaussian(generator: Any, group: InputGroup, feature: Any, column: Any, count: Any) -> Entries:
    d = group.base.dimension
    omega = generator.standard_normal((len(feature), d))
    if count is not None:
        omega *= np.sqrt(count)[:, None]
    return np.repeat(feature, d), (column[:, None] + np.arange(d, dtype=np.int32)).ravel(), omega.ravel()


def _coordinates(generator: Any, group: InputGroup, feature: Any, column: Any, count: Any) -> tuple[Any, Any, Any]:
    """Draw uniform coordinates of spheres, one for each path."""
    d = group.base.dimension
    once = slice(None) if count is None else count == 1
    one = feature[once], column[once] + generator.integers(0, d, len(feature[once]), dtype=np.int32)
    if count is None:
        return *one, None
    many = np.flatnonzero(count > 1)
    if not len(many):
        return *one, np.ones(len(one[0]), np.int64)
    places = column[many][:, None] + np.arange(d, dtype=np.int32)
    f, c, n = _counted(generator, places, feature[many], np.arange(len(many)), count[many])
    counts = np.concatenate([np.ones(len(one[0]), np.int64), n])
    return np.concatenate([one[0], f]), np.concatenate([one[1], c]), counts


def _summed(entries: Entries, n_columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort entries by feature and column, and add up those of the same one."""
    feature, column, multiple = entries
    place = feature.astype(np.int64) * n_columns + column
    if multiple.dtype.kind == "i" and multiple.size and max(-multiple.min(), multiple.max()) < 4:
        # Small multiples ride in the low bits, so that a sort does for an argsort.
        place = np.sort(place * 8 + (multiple + 4))
        multiple = (place & 7) - 4
        place >>= 3
    else:
        order = np.argsort(place, kind="stable")
        place, multiple = place[order], multiple[order]
    first = np.ones(len(place), dtype=bool)
    np.not_equal(place[1:], place[:-1], out=first[1:])
    if not first.all():
        starts = np.flatnonzero(first)
        place, multiple = place[starts], np.add.reduceat(multiple, starts)
    feature = place // n_columns
    return feature, (place - feature * n_columns).astype(np.int32), multiple


def _periods(skeleton: Skeleton) -> np.ndarray | None:
    """Return, by column, the multiple of a full turn whatever the data: 2, or the number of categories; 0 for none."""
    period = np.zeros(skeleton.n_columns, dtype=np.int64)
    for group in skeleton.inputs:
        kind = group.base.kind
        period[group.columns] = {"binary": 2, "categorical": group.base.categories}.get(kind, 0)
    return period if period.any() else None


def _one_sign(feature: Any, column: Any, multiple: Any, complex_entry: Any, period: Any) -> np.ndarray:
    """Choose between N and −N the one whose first entry that tells them apart is the positive one."""
    if not len(feature):
        return multiple
    told = np.flatnonzero(complex_entry)
    first = told[np.concatenate([[True], feature[told][1:] != feature[told][:-1]])] if len(told) else told
    negative = multiple[first] < 0
    if period is not None:
        negative = np.where(period[column[first]] > 0, 2 * multiple[first] > period[column[first]], negative)
    turned = np.zeros(int(feature[-1]) + 1, dtype=bool)
    turned[feature[first[negative]]] = True
    turn = turned[feature]
    multiple = np.where(turn, -multiple, multiple)
    if period is not None:
        wraps = turn & (period[column] > 0)
        multiple[wraps] += period[column[wraps]]
    return multiple


def _ends(feature: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.bincount(feature, minlength=size))])
