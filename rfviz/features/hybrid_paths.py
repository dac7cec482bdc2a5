"""Random paths through a skeleton that end at the patches of its bottom layer."""

from __future__ import annotations

import itertools

import numpy as np

from rfviz.features.compositional_draws import CHUNK, reached_inputs
from rfviz.skeleton import Skeleton, graph

__all__ = ["above_patches", "patch_paths"]

_PATH_STREAM = 2


def above_patches(skeleton: Skeleton) -> tuple[Skeleton | None, np.ndarray]:
    """Cut the bottom layer off: return the skeleton over its nodes, and their numbers; None if nothing is left.

    Nodes that no window above them covers are left out, as windows with strides do at the rim of an image.
    """
    bottom, *above = skeleton.layers
    if not above:
        return None, np.zeros(1, dtype=np.int32)
    n_bottom = len(bottom.edges)
    nodes = [(layer.activation, sources - skeleton.n_inputs) for layer in above for sources in layer.edges]
    seen = np.zeros(n_bottom + len(nodes), dtype=bool)
    seen[-1] = True  # the output
    for number in range(len(nodes) - 1, -1, -1):
        if seen[n_bottom + number]:
            seen[nodes[number][1]] = True
    renumbered = np.cumsum(seen) - 1
    kept = [(act, renumbered[sources].tolist()) for (act, sources), s in zip(nodes, seen[n_bottom:], strict=True) if s]
    patches = np.flatnonzero(seen[:n_bottom]).astype(np.int32)
    truncated = graph([("circle", len(patches))], kept)
    truncated.check_sampling()
    return truncated, patches


def patch_paths(skeleton: Skeleton, seed: int, n_angles: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count which patches the paths of each angle end at: (angle, node, how many paths), sorted by angle and node."""
    above, patches = above_patches(skeleton)
    n_nodes = len(patches)
    if above is None:
        return np.arange(n_angles), np.zeros(n_angles, dtype=np.int32), np.ones(n_angles)
    places, counts = [], []
    for index in itertools.count():
        if index * CHUNK >= n_angles:
            break
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_PATH_STREAM, index))))
        angle, node, count = reached_inputs(above, generator, CHUNK)
        place, inverse = np.unique(angle.astype(np.int64) * n_nodes + node, return_inverse=True)
        within = place < (n_angles - index * CHUNK) * n_nodes
        places.append(place[within] + index * CHUNK * n_nodes)
        counts.append(np.bincount(inverse, weights=count, minlength=len(place))[within])
    place = np.concatenate(places)
    return place // n_nodes, patches[place % n_nodes], np.concatenate(counts)
