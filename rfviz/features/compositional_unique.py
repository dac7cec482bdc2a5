"""Selection of a compositional map's features: the first ones drawn, or the first different ones with their weights.

Features are drawn one after the other until the (m + 1)-th different one appears; the m before it are selected, each
with the number of draws that were equal to it. The mean over all those draws is an unbiased estimate of the kernel:
given when the stop came, every order of the draws before it was equally likely, so that the first draw, which is
unbiased, may be replaced by their mean. (Stopping *with* the m-th different feature would not be unbiased.) The same
holds where drawing ends at a limit that is set beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rfviz.features.compositional_draws import CHUNK, chunks
from rfviz.features.compositional_rows import Rows
from rfviz.skeleton import Skeleton

__all__ = ["Features", "draw_features", "draw_limit"]

_FEWEST_DRAWS, _DRAWS_A_FEATURE = 2**15, 64


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
