"""Animations of a chart: one computation gives every frame, and the browser shows them at its own rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.backend import memory_budget
from rfviz.cache import Cache
from rfviz.features import FeatureMap, MapSpec
from rfviz.figures.traces import plotly_json

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.lab.panel import Panel

__all__ = [
    "SEEDS",
    "Animation",
    "AnimationSpec",
    "affordable",
    "animate",
    "encode",
    "one_by_one",
    "spread_words",
    "thinned",
]

#: Seeds of an animation over draws.
SEEDS = 24
# Multiply-adds a second on two cores, the share of memory that the features of all frames may take, and the cost of a
# frame apart from its features, in multiply-adds for each pair of points.
_RATE, _MEMORY_SHARE, _PER_PAIR, _FEWEST_SIZES = 2e10, 0.25, 60, 8


# Where a part of a figure is: names of attributes, places in lists.
_Path = tuple[str | int, ...]


@dataclass(frozen=True, eq=False)
class Animation:
    """All frames of an animation.

    Attributes
    ----------
    values : sequence
        Of the control, one a frame.
    captions : sequence of str
        A note on each frame, next to its value.
    frames : sequence of mappings
        Figures by the name of each chart that moves.
    note : str
        The parts that are left out, if any.
    n_extra : int
        How many of the last traces of each chart the page's own picture lacks.
    """

    values: Sequence[Any]
    captions: Sequence[str]
    frames: Sequence[Mapping[str, go.Figure]]
    note: str = ""
    n_extra: int = 0

    def fewer(self, most: int, keep: Any) -> Animation:
        """Return at most so many frames, evenly spaced, with the first, the last and that of the value `keep`."""
        values = thinned(self.values, most, keep)
        places = [self.values.index(value) for value in values]
        captions, frames = ([part[place] for place in places] for part in (self.captions, self.frames))
        return replace(self, values=values, captions=captions, frames=frames)


@dataclass(frozen=True, eq=False)
class AnimationSpec:
    """A control whose values can be played, or drawn by the browser while its slider is dragged.

    Attributes
    ----------
    symbol : str
        What a user reads: ``"m"``.
    control : str
        Its name in the address; empty if the page has no such control, and the frames can only be watched.
    now : object
        Its value.
    options : sequence
        The values that it can take.
    key : hashable
        All else that the frames depend on.
    render : callable
        ``render(cache, seconds)`` computes as many frames as take about that time, or raises RfvizError.
    """

    symbol: str
    control: str
    now: Any
    options: Sequence[Any]
    key: Hashable
    render: Callable[[Cache, float], Animation]


def animate(
    panel: Panel,
    symbol: str,
    control: str,
    on: Hashable,
    render: Callable[[Sequence[Any], Any, Cache, float], Animation],
) -> AnimationSpec:
    """Return the animation of a control over the values it can take.

    Parameters
    ----------
    panel : Panel
        Has asked for the control.
    on : hashable
        The data that the frames depend on; the values of all other controls are added.
    render : callable
        ``render(values, now, cache, seconds)``.
    """
    answers = dict(panel.answers)
    now, asked = answers.pop(control), panel.controls[control]
    options = asked.options or range(asked.low, asked.high + 1)
    values = [option for option in options if not isinstance(option, str)]
    key = (control, on, tuple(sorted((name, repr(value)) for name, value in answers.items())))
    return AnimationSpec(symbol, control, now, options, key, lambda cache, seconds: render(values, now, cache, seconds))


def one_by_one(
    values: Sequence[Any], now: Any, run: Callable[[Any], Any], cache: Cache, seconds: float
) -> tuple[list[Any], list[Any]]:
    """Return as many of the values as some seconds allow, and what ``run`` gives for each.

    The present one comes first, then the two ends, then those that halve the gaps.
    """
    started, results = time.monotonic(), dict[Any, Any]()
    for value in [now, values[0], values[-1], *_halving(values)]:
        if value in results:
            continue
        share = (time.monotonic() - started) / seconds
        if share > 1 and len(results) > 1:
            break
        cache.progress(min(max(share, len(results) / len(values)), 1.0), f"Frame {len(results)} of {len(values)}")
        results[value] = run(value)
    chosen = [value for value in values if value in results]
    return chosen, [results[value] for value in chosen]


def _halving(values: Sequence[Any]) -> Iterator[Any]:
    step = 1 << len(values).bit_length()
    while step:
        yield from values[::step]
        step //= 2


def affordable(
    spec: MapSpec[FeatureMap], shape: tuple[int, int], m_values: Sequence[int], keep: int, seconds: float, maps: int = 1
) -> list[int]:
    """Return the numbers of features whose frames take about some seconds and a part of the memory.

    Parameters
    ----------
    shape : (n_samples, n_features)
        Of the points.
    m_values : sequence of int
        Rising; the largest are left out first.
    keep : int
        The present one, which stays unless its features alone do not fit.
    seconds : float
        On two cores.
    maps : int
        Of about that size in the picture.
    """
    n, d = shape
    most = [m for m in sorted({*m_values, keep}) if 2 * maps * n * m * 4 <= _MEMORY_SHARE * memory_budget("cpu")]
    work = {m: maps * (spec.make(n_components=m).multiply_adds(n, d) + m * n**2) for m in most}
    chosen = [m for m in most if work[m] <= _RATE * seconds or m <= keep]
    return thinned(chosen, max(_FEWEST_SIZES, int(_RATE * seconds / (maps * _PER_PAIR * n**2))), keep)


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


def encode(animation: Animation, options: Sequence[Any]) -> bytes:
    """Return an animation as JSON: the first frame of each chart, and for every frame what differs there.

    Arrays that do not change, images above all, are sent once.

    Parameters
    ----------
    options : sequence
        The stops of its slider.
    """
    charts = [chart for chart in animation.frames[0] if all(chart in frame for frame in animation.frames)]
    specs = [{chart: _spec(frame[chart]) for chart in charts} for frame in animation.frames]
    first = specs[0]
    changes = [
        [[[chart, *path], value] for chart in charts for path, value in _changes(first[chart], spec[chart])]
        for spec in specs
    ]
    stops = {option: stop for stop, option in enumerate(options)}
    message = {
        "values": list(animation.values),
        "stops": [stops.get(value, -1) for value in animation.values],
        "complete": len(animation.values) == len(options),
        "captions": list(animation.captions),
        "note": animation.note,
        "extra": animation.n_extra,
        "first": first,
        "changes": changes,
        "views": {chart: _one_view([spec[chart]["layout"] for spec in specs]) for chart in charts},
    }
    return plotly_json(message).encode()


def _spec(figure: go.Figure) -> dict[str, Any]:
    spec: dict[str, Any] = figure.to_dict()
    # The template is made from the page's theme, and the zoom is that of the page's own picture.
    layout = {name: value for name, value in spec["layout"].items() if name not in ("template", "uirevision")}
    return {"data": list(spec["data"]), "layout": layout}


def _one_view(layouts: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return ranges of the axes that hold all frames: axes that follow the points hide how far these move."""
    views: dict[str, list[Any]] = {}
    for name in ("xaxis", "yaxis"):
        ranges = [layout.get(name, {}).get("range") for layout in layouts]
        if all(ranges):
            low, high = min(map(min, ranges)), max(map(max, ranges))
            views[name] = [high, low] if ranges[0][0] > ranges[0][1] else [low, high]
    return views


def _changes(old: Any, new: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Yield where a figure differs from another one, by the smallest parts that can be exchanged."""
    if isinstance(old, dict) and isinstance(new, dict) and "bdata" not in old and "bdata" not in new:
        for name in {**old, **new}:
            yield from _changes(old.get(name), new.get(name), (*path, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and _nested(old):
        for place, pair in enumerate(zip(old, new, strict=True)):
            yield from _changes(*pair, (*path, place))
    elif type(old) is not type(new) or old != new:
        yield path, new


def _nested(values: list[Any]) -> bool:
    return bool(values) and isinstance(values[0], dict)
