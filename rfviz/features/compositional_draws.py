"""Algorithm 1 of compositional random features, for thousands of features at once, and which of them a map selects.

A feature is a product of base features along random paths: at a node, draw how many children to multiply, choose each
among the in-edges. All features of a chunk walk down together, level by level: repeat, choose, gather. What they reach
is a sparse row of multiples N of the angles, so that the feature is the cosine of N·Θ plus a bias of 0 or π/2.

Rows are put into one form of the two, N and −N, that have the same inner products, so that equal features are equal
rows. Chunks have their own generators, so that the first features do not depend on how many are drawn after them.

Where equal features are stored once, features are drawn one after the other until the (m + 1)-th different one appears;
the m before it are selected, each with the number of draws that were equal to it. The mean over all those draws is an
unbiased estimate of the kernel: given when the stop came, every order of the draws before it was equally likely, so
that the first draw, which is unbiased, may be replaced by their mean. (Stopping *with* the m-th different feature would
not be unbiased.) The same holds where drawing ends at a limit that is set beforehand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rfviz.skeleton import InputGroup, Skeleton

__all__ = [
    "CHUNK",
    "COSINE",
    "REAL",
    "SINE",
    "Features",
    "Rows",
    "chunks",
    "draw_chunk",
    "draw_features",
    "draw_limit",
    "reached_inputs",
]

# What a feature is of its angle: √2·cos, √2·cos(· + π/2), or a cosine that is ±1 whatever the data, where neither the
# other quadrature nor the √2 is needed.
COSINE, SINE, REAL = 0, 1, 2
# Features that share a generator.
CHUNK = 8192
# With this many children of one node over inputs, count how often each is chosen instead of choosing one by one.
_MANY = 4096
_EMPTY = (np.empty(0, np.int32), np.empty(0, np.int32))
_FEWEST_DRAWS, _DRAWS_A_FEATURE = 2**15, 64


@dataclass(frozen=True, eq=False)
class Rows:
    """Sparse rows of some features.

    Attributes
    ----------
    kinds : ndarray of shape (n,), int8
        COSINE, SINE or REAL.
    ends : ndarray of shape (n + 1,)
        The entries of feature i are those from ``ends[i]`` to ``ends[i + 1]``.
    columns, multiples : ndarray of shape (n_entries,)
        Which angle, by the column of the data, and how often it is added.
    modulus_ends, modulus_columns, powers
        Likewise for the moduli that are multiplied (spheres only).
    """

    kinds: np.ndarray
    ends: np.ndarray
    columns: np.ndarray
    multiples: np.ndarray
    modulus_ends: np.ndarray
    modulus_columns: np.ndarray
    powers: np.ndarray

    def take(self, rows: np.ndarray) -> Rows:
        """Return the features `rows`, in that order."""
        ends, entries = _select(self.ends, rows)
        modulus_ends, moduli = _select(self.modulus_ends, rows)
        return Rows(
            self.kinds[rows],
            ends,
            self.columns[entries],
            self.multiples[entries],
            modulus_ends,
            self.modulus_columns[moduli],
            self.powers[moduli],
        )

    @staticmethod
    def stack(parts: list[Rows]) -> Rows:
        """Return all features of the parts, one after the other."""
        if len(parts) == 1:
            return parts[0]

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        def ends(name: str) -> np.ndarray:
            counts = np.concatenate([np.diff(getattr(part, name)) for part in parts])
            return np.concatenate([[0], np.cumsum(counts)])

        return Rows(
            joined("kinds"),
            ends("ends"),
            joined("columns"),
            joined("multiples"),
            ends("modulus_ends"),
            joined("modulus_columns"),
            joined("powers"),
        )

    def keys(self) -> np.ndarray:
        """Hash every row to 64 bits; among a million rows two differ and share a hash with a chance of 3·10⁻⁸."""
        keys = self.kinds.astype(np.uint64)
        for ends, columns, numbers, salt in (
            (self.ends, self.columns, self.multiples, 1),
            (self.modulus_ends, self.modulus_columns, self.powers, 2),
        ):
            bits = numbers.astype(np.int64) if numbers.dtype.kind == "i" else numbers.astype(np.float64)
            mixed = _mix(columns.astype(np.uint64) * np.uint64(4) + np.uint64(salt)) ^ bits.view(np.uint64)
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mix(mixed), dtype=np.uint64)])
            keys += sums[ends[1:]] - sums[ends[:-1]]
        return keys


def _select(ends: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return new ends, and the entries of the rows in order."""
    counts = (ends[1:] - ends[:-1])[rows]
    new = np.concatenate([[0], np.cumsum(counts)])
    return new, np.repeat(ends[:-1][rows] - new[:-1], counts) + np.arange(new[-1])


def _mix(x: np.ndarray) -> np.ndarray:
    """Apply a bijection of 64 bits that leaves no pattern (the finaliser of SplitMix64)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


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
    return Rows(kinds, _ends(feature, size), column, multiple, _ends(modulus_feature, size), modulus_column, power)


def reached_inputs(
    skeleton: Skeleton, generator: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Draw the inputs that the paths of `size` features end at.

    Returns
    -------
    feature, node : ndarray of shape (n_reached,)
        In no order; a feature may reach an input more than once.
    count : ndarray of shape (n_reached,) or None
        How many paths each of them stands for, or None if each is one path.
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


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a map.

    Attributes
    ----------
    rows : Rows
        At most as many as were asked for.
    multiplicities : ndarray of shape (n,), int32
        How many draws each of them stands for.
    n_draws : int
        All draws.
    """

    rows: Rows
    multiplicities: np.ndarray
    n_draws: int


def draw_limit(n_components: int) -> int:
    """Return the draws after which a map stops to look for different features: 64 a feature, and 32768 at least."""
    return max(_FEWEST_DRAWS, _DRAWS_A_FEATURE * n_components)


def draw_features(skeleton: Skeleton, seed: int, n_components: int, deduplicate: bool) -> Features:
    """Draw the features of a map.

    Parameters
    ----------
    skeleton : Skeleton
    seed : int
    n_components : int
        Features to select.
    deduplicate : bool
        Whether equal features are stored once.

    Returns
    -------
    Features
        Fewer than `n_components` only where :func:`draw_limit` is reached first.
    """
    if deduplicate:
        return _different(skeleton, seed, n_components)
    parts = []
    for rows in chunks(skeleton, seed):
        parts.append(rows)
        if len(parts) * CHUNK >= n_components:
            break
    parts[-1] = parts[-1].take(np.arange(n_components - (len(parts) - 1) * CHUNK))
    return Features(Rows.stack(parts), np.ones(n_components, dtype=np.int32), n_components)


def _different(skeleton: Skeleton, seed: int, n_components: int) -> Features:
    limit, drawn = draw_limit(n_components), 0
    known, numbers = np.empty(0, np.uint64), np.empty(0, np.int64)  # sorted keys, and which features they are
    multiplicities = np.zeros(n_components, dtype=np.int32)
    selected: list[Rows] = []
    for rows in _batches(skeleton, seed, n_components, limit):
        keys, first, inverse = np.unique(rows.keys(), return_index=True, return_inverse=True)
        place = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        old = known[place] == keys if len(known) else np.zeros(len(keys), dtype=bool)
        number = np.empty(len(keys), dtype=np.int64)
        number[old] = numbers[place[old]] if len(known) else 0
        new = np.flatnonzero(~old)
        new = new[np.argsort(first[new])]  # in the order of appearance
        number[new] = len(known) + np.arange(len(new))
        room = n_components - len(known)
        cut = min(len(rows.kinds), limit - drawn)
        if len(new) > room:
            cut = min(cut, int(first[new[room]]))
        multiplicities += np.bincount(number[inverse[:cut]], minlength=n_components).astype(np.int32)
        drawn += cut
        new = new[first[new] < cut]
        selected.append(rows.take(first[new]))
        if cut < len(rows.kinds) or drawn == limit:
            break
        order = np.argsort(both := np.concatenate([known, keys[new]]), kind="stable")
        known, numbers = both[order], np.concatenate([numbers, number[new]])[order]
    rows = Rows.stack(selected)
    return Features(rows, multiplicities[: len(rows.kinds)], drawn)


def _batches(skeleton: Skeleton, seed: int, n_components: int, limit: int) -> Iterator[Rows]:
    """Yield chunks, several at a time once many are needed, so that the sorted keys are merged seldom."""
    parts: list[Rows] = []
    size, drawn = max(n_components // 4, 1), 0
    for rows in chunks(skeleton, seed):
        parts.append(rows)
        drawn += CHUNK
        if len(parts) * CHUNK >= size or drawn >= limit:
            yield Rows.stack(parts)
            parts = []
