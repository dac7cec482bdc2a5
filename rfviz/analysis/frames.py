"""Which frames a picture that plays has: as many as a few seconds and a part of the memory are enough for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rfviz.backend import memory_budget
from rfviz.features import registry

__all__ = ["affordable", "thinned"]

# Multiply-adds of a whole film that are a few seconds on two cores, and the share of memory that its features may take.
_WORK = 4e10
_SHARE = 0.25
# What a frame costs beside its features, in multiply-adds for each pair of points: sorting pairs into cells and so on.
_PER_PAIR = 60
_FEWEST = 8


def affordable(
    scheme: str, setting: Mapping[str, Any], shape: tuple[int, int], m_values: Sequence[int], keep: int, maps: int = 1
) -> list[int]:
    """Numbers of features whose pictures take a few seconds and a part of the memory, the largest ones left out first.

    Parameters
    ----------
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments.
    shape : (n_samples, n_features)
        Of the points.
    m_values : sequence of int
        Rising; those that a slider stops at.
    keep : int
        The present one, which stays unless its features alone do not fit.
    maps : int
        Of about that size in the picture.
    """
    n, d = shape
    cls, itemsize = registry()[scheme], 4
    most = [m for m in sorted({*m_values, keep}) if 2 * maps * n * m * itemsize <= _SHARE * memory_budget("cpu")]
    work = {m: maps * (cls(**{**setting, "n_components": m}).multiply_adds(n, d) + m * n**2) for m in most}
    chosen = [m for m in most if work[m] <= _WORK or m <= keep]
    return thinned(chosen, max(_FEWEST, int(_WORK / (maps * _PER_PAIR * n**2))), keep)


def thinned(values: Sequence[Any], most: int, keep: Any) -> list[Any]:
    """At most `most` of the values, evenly, with the first, the last, and `keep` if it is among them.

    Parameters
    ----------
    values : sequence
    most : int
        At least 2.
    keep : object
        The value that is shown now.
    """
    values = list(values)
    if len(values) <= most:
        return values
    places = set(np.rint(np.linspace(0, len(values) - 1, max(most, 2))).astype(int).tolist())
    if keep in values:
        places.add(values.index(keep))
    return [values[place] for place in sorted(places)]
