"""Animations of a map of co-occurrence: counted in more and more of the same features, or in others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rfviz.experiments.pixel_cooccurrence.compute import FeatureSample, PixelMap, pixel_map
from rfviz.experiments.pixel_cooccurrence.figures import plot_maps
from rfviz.lab.animation import Animation
from rfviz.progress import Progress, silent
from rfviz.skeleton import CoOccurrence
from rfviz.words import number

__all__ = ["maps_animation", "over_features"]


def over_features(
    sample: FeatureSample, pixel: int, values: Sequence[int], exact: CoOccurrence, progress: Progress = silent
) -> list[PixelMap]:
    """Count the map of a pixel in several numbers of features, all beginnings of one sample.

    Parameters
    ----------
    sample : FeatureSample
        Of at least ``values[-1]`` features; nothing is drawn.
    values : sequence of int
        Rising.
    exact : CoOccurrence
        Of that pixel.
    """
    maps = []
    for done, value in enumerate(values):
        progress(done / len(values), f"Frame {done} of {len(values)}")
        maps.append(pixel_map(sample, pixel, int(value), exact))
    return maps


def maps_animation(
    values: Sequence[int], maps: Sequence[PixelMap], side: int, averaged: bool = False, note: str = ""
) -> Animation:
    """Draw maps as frames; `averaged` adds mean and spread of their errors to each caption."""
    captions = [
        f"RMS error {number(found.rms[-1], 2)} · 1/√m predicts {number(found.predicted[-1], 2)}"
        if found.occurs
        else "no feature reaches the pixel yet"
        for found in maps
    ]
    if averaged:
        errors = [found.rms[-1] for found in maps]
        spread = np.std(errors, ddof=1) if len(errors) > 1 else 0.0
        captions = [
            f"{words} · {len(errors)} seeds: {number(np.mean(errors), 2)} ± {number(spread, 2)}" for words in captions
        ]
    return Animation(list(values), captions, [{"maps": plot_maps(found, side)} for found in maps], note)
