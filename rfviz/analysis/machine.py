"""How fast every feature map is on this device, beside the best that the device allows, and what that lets one draw."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import psutil

from rfviz import backend, datasets
from rfviz.analysis.points import normalise
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import Rates, Stopwatch, get_device, get_rates, remember_rates, wanted_precision
from rfviz.features import FeatureMap, registry
from rfviz.features.cost import Work, work
from rfviz.features.rounding import tf32_cost

__all__ = ["BUDGETS", "ROWS", "M", "SchemeSpeed", "Timing", "digit_rows", "glance", "measure_scheme", "settled"]

#: Seconds that a reader waits: while a slider is dragged, after it was let go, and with a bar to watch.
BUDGETS = (0.2, 2.0, 20.0)
#: Features whose mapping is timed, and rows that a page draws.
M, ROWS = 1000, 1000
# A timed call takes about as long, but for maps so slow that the fewest rows take longer.
_CALL_S, _FEWEST_ROWS, _MOST_ROWS = 0.05, 1000, 60_000
# At first sight.
_GLANCE_S = 0.02
_TURNS, _DRAWS = 5, 3
_ROUNDED_ROWS = 200
# Of the free memory, what the map of the verification may take, with what is needed beside it.
_MEMORY_SHARE, _COPIES = 0.25, 3
# Of draws that nobody has made: the numbers behind a draw may be remembered.
_seeds = itertools.count(1_000_000)
_MOST_FEATURES = 10_000_000  # that a map may have


@dataclass(frozen=True)
class Timing:
    """How long one scheme took with its default settings.

    Attributes
    ----------
    scheme, label : str
        Class name, and the name for a reader.
    device : str
    n_samples, n_features, n_components : int
        Rows and columns that were mapped, and features.
    draw_seconds, map_seconds : float
        Best times of drawing the map and of mapping the rows, with the way to the device and back.
    work : Work
        The least work of that mapping.
    rates : Rates
        Of the device, measured in between; see :func:`settled`.
    precision : str
        Of products: ``"float32"`` or ``"tf32"``.
    load : float
        Of the machine when it began: who wanted to compute, by the number of cores.
    """

    scheme: str
    label: str
    device: str
    n_samples: int
    n_features: int
    n_components: int
    draw_seconds: float
    map_seconds: float
    work: Work
    rates: Rates
    precision: str
    load: float

    @property
    def limit_seconds(self) -> float:
        """The least time of that work on this device."""
        return self.rates.limit(self.work, self.precision)

    @property
    def share(self) -> float:
        """The device's least time over the measured one: 1 is the best that there can be."""
        return self.limit_seconds / self.map_seconds

    @property
    def bound(self) -> str:
        """What sets the limit: arithmetic or memory."""
        return "memory" if self.work.bytes / self.rates.bandwidth >= 0.999 * self.limit_seconds else "arithmetic"

    def seconds(self, n_samples: float, n_components: float) -> float:
        """Predicted seconds to draw a map of so many features, and to map so many rows of as many columns."""
        return n_components * (self._draw_rate + n_samples * self._map_rate)

    @property
    def _draw_rate(self) -> float:
        return self.draw_seconds / self.n_components

    @property
    def _map_rate(self) -> float:
        return self.map_seconds / (self.n_samples * self.n_components)

    def largest_m(self, seconds: float, n_samples: int = ROWS) -> int:
        """Features that can be drawn and used for so many rows within this time, by proportion."""
        return _two_digits(min(seconds / (self._draw_rate + n_samples * self._map_rate), _MOST_FEATURES))

    def largest_n(self, seconds: float, n_components: int = M) -> int:
        """Rows that can be mapped to so many features within this time; 0 where drawing them takes longer."""
        return _two_digits(max((seconds / n_components - self._draw_rate) / self._map_rate, 0.0))


@dataclass(frozen=True)
class SchemeSpeed(Timing):
    """A :class:`Timing` that was taken with care, and what was run for real.

    Attributes
    ----------
    verified : (m, seconds)
        So many features were drawn and ROWS rows mapped to them, which should take 0.2 s.
    tf32_error : float
        Root mean square error of a feature if products were taken in TF32, relative to that of the features; emulated
        where the device has no such products.
    """

    verified: tuple[int, float]
    tf32_error: float


_T = TypeVar("_T", bound=Timing)


@functools.lru_cache(maxsize=1)
def _digits() -> np.ndarray:
    return normalise(datasets.load("digits").X, "unit norm").astype(np.float32)


def digit_rows(n_samples: int) -> np.ndarray:
    """So many rows of the digits at unit norm, 64 columns in float32, over and over."""
    digits = _digits()
    return np.tile(digits, (-(-n_samples // len(digits)), 1))[:n_samples]


def glance(scheme: str) -> Timing:
    """Time one scheme at first sight: one draw, two calls at most, and the device's rates in between.

    A fifth of a second on a processor. It is what to show before anybody has asked for :func:`measure_scheme`, and no
    more than that: whatever else runs at that moment is in it.

    Parameters
    ----------
    scheme : str
        Class name.

    Returns
    -------
    Timing
    """
    device, cls = get_device(), registry()[scheme]
    load = psutil.getloadavg()[0] / backend.worker_count()
    watch, feature_map = Stopwatch(device), cls(M, random_state=0)
    draw_seconds = _seconds(lambda: feature_map.fit(digit_rows(2)))
    map_seconds = once = _seconds(lambda: _map_all(feature_map, digit_rows(_FEWEST_ROWS)))
    X = digit_rows(_FEWEST_ROWS)
    if once < _CALL_S:  # the first call makes ready what is kept, so it is too slow to count
        X = _rows_for(_GLANCE_S, once)
        map_seconds = _seconds(lambda: _map_all(feature_map, X))
        watch.turn()
        map_seconds = min(map_seconds, _seconds(lambda: _map_all(feature_map, X)))
    watch.turn()
    remember_rates(device, watch.rates())
    return Timing(scheme, cls.label, device.name, *X.shape, M, draw_seconds, map_seconds,
                  work(feature_map, *X.shape), get_rates(device), wanted_precision(), load)  # fmt: skip


def measure_scheme(scheme: str, progress: Progress = silent) -> SchemeSpeed:
    """Time one scheme with its default settings on the device that ``"auto"`` stands for: some two seconds.

    Mapping takes turns with the matrix products and the copies whose rates set the limit, so that a slow spell of the
    machine meets both; of each the best turn counts.

    Parameters
    ----------
    scheme : str
        Class name.
    progress : callable

    Returns
    -------
    SchemeSpeed
    """
    device, cls = get_device(), registry()[scheme]
    load = psutil.getloadavg()[0] / backend.worker_count()
    progress(0.0, "drawing")
    feature_map = cls(M, random_state=0)
    fresh = (cls(M, random_state=next(_seeds)) for _ in range(_DRAWS))
    draw_seconds = min(_seconds(lambda other=other: other.fit(digit_rows(2))) for other in fresh)
    feature_map.fit(digit_rows(2))
    once = _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS)))  # also makes ready what is kept
    once = min(once, _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS))))
    X = _rows_for(_CALL_S, once)
    watch, map_seconds = Stopwatch(device), math.inf
    for turn in range(_TURNS):
        progress(0.1 + 0.7 * turn / _TURNS, "mapping, in turns with the device’s limits")
        watch.turn()
        map_seconds = min(map_seconds, _seconds(lambda: _map_all(feature_map, X)))
    remember_rates(device, watch.rates())
    found = SchemeSpeed(
        scheme, cls.label, device.name, *X.shape, M, draw_seconds, map_seconds, work(feature_map, *X.shape),
        watch.rates(), wanted_precision(), load, (0, 0.0), tf32_cost(feature_map, digit_rows(_ROUNDED_ROWS)).typical,
    )  # fmt: skip
    progress(0.85, "drawing and mapping for 0.2 s, as predicted")
    verified = _verify(cls, found)
    return dataclasses.replace(found, verified=verified)


def settled(speeds: Sequence[_T]) -> list[_T]:
    """The same with the best rates that were seen while any of them was measured: a device has but one limit."""
    best = functools.reduce(Rates.best, (speed.rates for speed in speeds)) if speeds else None
    return [dataclasses.replace(speed, rates=best) for speed in speeds]


def _rows_for(seconds: float, once: float) -> np.ndarray:
    """As many rows as take this long, if the fewest take `once`."""
    return digit_rows(int(np.clip(_FEWEST_ROWS * seconds / once, _FEWEST_ROWS, _MOST_ROWS)))


def _map_all(feature_map: FeatureMap, X: np.ndarray) -> None:
    for block in feature_map.transform_blocks(X):
        last = block
    backend.to_host(last[:1])  # the device has computed all that came before


def _verify(cls: type[FeatureMap], speed: SchemeSpeed) -> tuple[int, float]:
    """Draw and map what is predicted to take 0.2 s."""
    fits = _MEMORY_SHARE * min(backend.memory_budget("cpu"), backend.memory_budget(speed.device)) / (4 * _COPIES)
    m = int(max(min(speed.largest_m(BUDGETS[0]), fits / (ROWS + speed.n_features)), 1))
    X = digit_rows(ROWS)

    def both(seed: int) -> None:
        _map_all(cls(m, random_state=seed).fit(X[:2]), X)

    return m, min(_seconds(lambda: both(next(_seeds))) for _ in range(_DRAWS))


def _two_digits(value: float) -> int:
    """Rounded down to two digits: more are not known."""
    if value < 100:
        return int(value)
    value *= 1.0 + 1e-9  # or a rounding error would cost a digit
    unit = 10 ** (int(math.log10(value)) - 1)
    return int(value // unit * unit)


def _seconds(function: Any) -> float:
    started = time.perf_counter()
    function()
    return max(time.perf_counter() - started, 1e-9)
