"""Exact probabilities that inputs meet in a random feature: the structure behind the paper's Figure 4.

σ̂_v is the generating function of the number of children drawn at v. Hence G(s) = E Π_p s_p^(count of p) follows the
recursion of the kernel, with G = s_p at input p, and with every s = 1 unless said otherwise

    P(p occurs) = 1 − G(s_p = 0),
    P(p and r occur) = 1 − G(s_p = 0) − G(s_r = 0) + G(s_p = s_r = 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.errors import ParameterError
from rfviz.params import Param
from rfviz.skeleton.graph import Skeleton

__all__ = ["CoOccurrence", "co_occurrence", "lowest_meetings", "occurrence", "pixel_groups", "sparsity"]

_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class CoOccurrence:
    """Probabilities that one group of inputs and every other occur in a random feature.

    Attributes
    ----------
    group : int
        The group that was asked for.
    single : ndarray of shape (n_groups,)
        P(r occurs).
    joint : ndarray of shape (n_groups,)
        P(the group and r occur in the same feature).
    correlation : ndarray of shape (n_groups,)
        Of the two indicators; 1 at the group itself, 0 where an indicator is constant.
    """

    group: int
    single: np.ndarray
    joint: np.ndarray
    correlation: np.ndarray


def occurrence(skeleton: Skeleton, groups: Any = None) -> np.ndarray:
    """Return P(group occurs in a random feature), for every group of inputs.

    Parameters
    ----------
    groups : array-like of shape (n_inputs,), optional
        Number of each input's group, from 0; each input is its own where not given. See :func:`pixel_groups`.

    Returns
    -------
    ndarray of shape (n_groups,)
        An input counts as occurring where a path reaches it, even if ω = +1 and ω = −1 then cancel on a circle.
    """
    groups = _checked(skeleton, groups)
    return 1.0 - _without(skeleton, groups, None)


def sparsity(skeleton: Skeleton) -> float:
    """Return the expected number of different inputs that meet in a random feature: Σ_p P(p is reached), exactly."""
    return float(occurrence(skeleton).sum())


def co_occurrence(skeleton: Skeleton, group: int, groups: Any = None) -> CoOccurrence:
    """Compute how often one group of inputs occurs together with every other, in two sweeps over the skeleton.

    Parameters
    ----------
    groups : array-like of shape (n_inputs,), optional
        As for :func:`occurrence`.

    Raises
    ------
    ParameterError
        If there is no such group.
    """
    groups = _checked(skeleton, groups)
    n_groups = int(groups.max()) + 1
    group = Param("group", 0, "int", low=0, high=n_groups - 1).validate(group)
    none = _without(skeleton, groups, None)
    neither = _without(skeleton, groups, group)
    single = 1.0 - none
    joint = np.maximum(1.0 - none[group] - none + neither, 0.0)
    joint[group] = single[group]
    spread = np.sqrt(single * none)
    scale = spread * spread[group]
    covariance = joint - single * single[group]
    correlation = np.divide(covariance, scale, out=np.zeros(n_groups), where=scale > 1e-14)
    return CoOccurrence(group, single, joint, correlation)


def lowest_meetings(skeleton: Skeleton, group: int, groups: Any = None) -> np.ndarray:
    """Find the lowest layer with a node that is above both one group of inputs and each other group.

    Parameters
    ----------
    groups : array-like of shape (n_inputs,), optional
        As for :func:`occurrence`.

    Returns
    -------
    ndarray of shape (n_groups,)
        Layers from 1 up, the last of which is the output; 0 for groups that the output does not reach together.
    """
    groups = _checked(skeleton, groups)
    n_groups = int(groups.max()) + 1
    above = np.zeros((skeleton.n_nodes, n_groups), dtype=bool)
    above[np.arange(skeleton.n_inputs), groups] = True
    found = np.zeros(n_groups, dtype=np.int64)
    for number, layer in enumerate(skeleton.layers, 1):
        for node, edges in enumerate(layer.edges, layer.first):
            above[node] = above[edges].any(axis=0)
        nodes = above[layer.first : layer.stop]
        together = nodes[nodes[:, group]].any(axis=0)
        found[together & (found == 0)] = number
    return found


def pixel_groups(skeleton: Skeleton) -> np.ndarray:
    """Group the channels of each pixel, pixels numbered row by row; every input is its own group without an image.

    Returns
    -------
    ndarray of shape (n_inputs,)
    """
    channels = skeleton.image_shape[2] if skeleton.image_shape else 1
    return np.arange(skeleton.n_inputs) // channels


def _checked(skeleton: Skeleton, groups: Any) -> np.ndarray:
    if groups is None:
        return np.arange(skeleton.n_inputs)
    groups = np.asarray(groups)
    if groups.shape != (skeleton.n_inputs,) or groups.dtype.kind not in "iu" or groups.min() < 0:
        rule = f"must number the group of each of the {skeleton.n_inputs} inputs, from 0"
        raise ParameterError("groups", rule, groups.shape)
    return groups


def _without(skeleton: Skeleton, groups: np.ndarray, also: int | None) -> np.ndarray:
    """Return P(none of them occurs) for each group together with the group `also`: G with their weights at 0."""
    result = np.empty(int(groups.max()) + 1)
    for start, stop in _blocks(len(result), skeleton.n_nodes):
        weights = (groups[:, None] != np.arange(start, stop)).astype(np.float64)
        if also is not None:
            weights[groups == also] = 0.0
        result[start:stop] = skeleton.propagate(np, weights)
    return result


def _blocks(n: int, n_nodes: int) -> Iterator[tuple[int, int]]:
    step = max(_BLOCK_NUMBERS // n_nodes, 1)
    return ((start, min(start + step, n)) for start in range(0, n, step))
