"""A map of co-occurrence that plays: counted in more and more of the same features."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz.analysis.cooccurrence import FeatureSample, PixelMap, pixel_map
from rfviz.analysis.progress import Progress, silent
from rfviz.skeleton import CoOccurrence

__all__ = ["cooccurrence_over_features"]


def cooccurrence_over_features(
    sample: FeatureSample, pixel: int, values: Sequence[int], exact: CoOccurrence, progress: Progress = silent
) -> list[PixelMap]:
    """:func:`rfviz.analysis.cooccurrence.pixel_map` for several numbers of features, all beginnings of one sample.

    Parameters
    ----------
    sample : FeatureSample
        Of at least ``values[-1]`` features; nothing is drawn.
    pixel : int
    values : sequence of int
        Rising.
    exact : CoOccurrence
        Of that pixel.
    progress : callable

    Returns
    -------
    list of PixelMap
    """
    maps = []
    for number, value in enumerate(values):
        progress(number / len(values), f"{number} of {len(values)} pictures")
        maps.append(pixel_map(sample, pixel, int(value), exact))
    return maps
