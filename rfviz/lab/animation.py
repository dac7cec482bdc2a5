"""Animations of a chart: one computation gives every frame, and the browser shows them at its own rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from rfviz.backend import memory_budget
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.cache import Cache

if TYPE_CHECKING:
    from rfviz.lab.panel import Panel

__all__ = ["SEEDS", "Animation", "AnimationSpec", "affordable", "animate", "one_by_one", "spread_words", "thinned"]

#: Seeds of an animation over draws.
SEEDS = 24
# Seconds that frames computed one by one may take together, judged by the first; and how many there are at least.
_BUDGET_S, _FEWEST = 8.0, 6
# Multiply-adds of all frames together that take a few seconds on two cores, the share of memory that their features may
# take, and the cost of a frame apart from its features, in multiply-adds for each pair of points.
_WORK, _MEMORY_SHARE, _PER_PAIR, _FEWEST_SIZES = 4e10, 0.25, 60, 8


@dataclass(frozen=True, eq=False)
class Animation:
    """All frames of an animation.

    Attributes
    ----------
    values : sequence
        Of the control, one a frame.
    captions : sequence of str
        What is said of each frame next to its value.
    frames : sequence of mappings
        Figures by the name of each chart that moves.
    note : str
        What is left out, if anything.
    """

    values: Sequence[Any]
    captions: Sequence[str]
    frames: Sequence[Mapping[str, go.Figure]]
    note: str = ""


@dataclass(frozen=True, eq=False)
class AnimationSpec:
    """A control that can be played.

    Attributes
    ----------
    symbol : str
        What a user reads: ``"m"``.
    control : str
        Its name in the address.
    now : object
        Its value.
    key : hashable
        All else that the frames depend on.
    render : callable
        ``render(cache)`` computes the frames, or raises RfvizError.
    """

    symbol: str
    control: str
    now: Any
    key: Hashable
    render: Callable[[Cache], Animation]


def animate(
    panel: Panel, symbol: str, control: str, on: Hashable, render: Callable[[Sequence[Any], Any, Cache], Animation]
) -> AnimationSpec:
    """Return the animation of a control over the values it can take.

    Parameters
    ----------
    panel : Panel
        Has asked for the control.
    symbol, control : str
    on : hashable
        The data that the frames depend on; the values of all other controls are added.
    render : callable
        ``render(values, now, cache)``.
    """
    answers = dict(panel.answers)
    now, asked = answers.pop(control), panel.controls[control]
    options = asked.options or range(asked.low, asked.high + 1)
    values = [option for option in options if not isinstance(option, str)]
    key = (control, on, tuple(sorted((name, repr(value)) for name, value in answers.items())))
    return AnimationSpec(symbol, control, now, key, lambda cache: render(values, now, cache))


def one_by_one(values: Sequence[Any], now: Any, run: Callable[[Any], Any], cache: Cache) -> tuple[list[Any], list[Any]]:
    """Return as many of the values as some seconds allow, and what ``run`` gives for each."""
    started = time.monotonic()
    results = {now: run(now)}
    took = max(time.monotonic() - started, 1e-3)
    chosen = thinned(values, max(_FEWEST, int(_BUDGET_S / took)), now)
    for number, value in enumerate(chosen):
        cache.progress(number / len(chosen), f"Frame {number} of {len(chosen)}")
        if value not in results:
            results[value] = run(value)
    return chosen, [results[value] for value in chosen]


def affordable(
    spec: MapSpec[FeatureMap], shape: tuple[int, int], m_values: Sequence[int], keep: int, maps: int = 1
) -> list[int]:
    """Return the numbers of features whose frames take a few seconds and a part of the memory.

    Parameters
    ----------
    spec : MapSpec
    shape : (n_samples, n_features)
        Of the points.
    m_values : sequence of int
        Rising; the largest are left out first.
    keep : int
        The present one, which stays unless its features alone do not fit.
    maps : int
        Of about that size in the picture.
    """
    n, d = shape
    most = [m for m in sorted({*m_values, keep}) if 2 * maps * n * m * 4 <= _MEMORY_SHARE * memory_budget("cpu")]
    work = {m: maps * (spec.make(n_components=m).multiply_adds(n, d) + m * n**2) for m in most}
    chosen = [m for m in most if work[m] <= _WORK or m <= keep]
    return thinned(chosen, max(_FEWEST_SIZES, int(_WORK / (maps * _PER_PAIR * n**2))), keep)


def spread_words(values: Sequence[float], form: str) -> str:
    """Return mean and standard deviation over seeds, each in the format `form`."""
    mean, spread = float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return f"{len(values)} seeds: {mean:{form}} ± {spread:{form}}"


def thinned(values: Sequence[Any], most: int, keep: Any) -> list[Any]:
    """Return at most `most` (and at least 2) of the values, evenly spaced, with the first, the last and `keep`."""
    values = list(values)
    if len(values) <= most:
        return values
    places = set(np.rint(np.linspace(0, len(values) - 1, max(most, 2))).astype(int).tolist())
    if keep in values:
        places.add(values.index(keep))
    return [values[place] for place in sorted(places)]
