"""Speed of every feature map on this device, compared with the device's limit, and the sizes that stay interactive."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import psutil

from rfviz import backend, datasets
from rfviz.analysis.points import normalise
from rfviz.backend import Rates, Stopwatch, get_device, get_rates, remember_rates, wanted_precision
from rfviz.cache import Cache
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.cost import Work, metered, work
from rfviz.features.precision import tf32_cost
from rfviz.progress import Progress, silent

__all__ = [
    "BUDGETS", "DRAWS", "ROWS", "TURNS", "M", "Speed", "Timing", "digit_rows", "glance", "glance_of", "measure",
    "recorded", "speed_of", "to_frame", "two_digits", "with_best_rates",
]  # fmt: skip

#: Seconds that a user waits: while a slider is dragged, after it was let go, and with a bar to watch.
BUDGETS = (0.2, 2.0, 20.0)
#: Features whose mapping is timed, and rows that a page draws.
M, ROWS = 1000, 1000
#: Turns of mapping, and fresh draws, of which the best counts.
TURNS, DRAWS = 5, 3
# A timed call takes about so many seconds, unless a map is so slow that the fewest rows take longer.
_CALL_S, _FEWEST_ROWS, _MOST_ROWS = 0.05, 1000, 60_000
# The same for a first look.
_GLANCE_S = 0.02
_ROUNDED_ROWS = 200
# Share of the free memory that the map of the verification may take with its intermediate results.
_MEMORY_SHARE, _COPIES = 0.25, 3
# Seeds that no other draw has: the numbers behind a draw may be cached.
_seeds = itertools.count(1_000_000)
_MOST_FEATURES = 10_000_000  # that a map may have


@dataclass(frozen=True)
class Timing:
    """Times of one feature map with its default settings.

    Attributes
    ----------
    cls : type of FeatureMap
    n_samples, n_features, n_components : int
        Rows, columns, and features.
    draw_seconds, map_seconds : float
        Best times of drawing the map and of mapping the rows, with the way to the device and back.
    work : Work
        The least work of that mapping.
    rates : Rates
        Of the device, measured in between; see :func:`with_best_rates`.
    precision : str
        Of products: ``"float32"`` or ``"tf32"``.
    load : float
        Of the machine when it began: running programs per core.
    """

    cls: type[FeatureMap]
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
    def label(self) -> str:
        """The map's name for users."""
        return self.cls.label

    @property
    def limit_seconds(self) -> float:
        """The least time of that work on this device."""
        return self.rates.limit(self.work, self.precision)

    @property
    def share(self) -> float:
        """The device's least time over the measured one: 1 is the limit."""
        return self.limit_seconds / self.map_seconds

    @property
    def bound(self) -> str:
        """What sets the limit: arithmetic or memory."""
        return "memory" if self.work.bytes / self.rates.bandwidth >= 0.999 * self.limit_seconds else "arithmetic"

    def seconds(self, n_samples: float, n_components: float) -> float:
        """Predict the seconds to draw a map of `n_components` features and to map `n_samples` rows."""
        return n_components * (self._draw_rate + n_samples * self._map_rate)

    @property
    def _draw_rate(self) -> float:
        return self.draw_seconds / self.n_components

    @property
    def _map_rate(self) -> float:
        return self.map_seconds / (self.n_samples * self.n_components)

    def largest_m(self, seconds: float, n_samples: int = ROWS) -> int:
        """Return how many features can be drawn and used for `n_samples` rows within this time, by proportion."""
        return two_digits(min(seconds / (self._draw_rate + n_samples * self._map_rate), _MOST_FEATURES))

    def largest_n(self, seconds: float, n_components: int = M) -> int:
        """Return how many rows can be mapped to `n_components` features within this time; 0 if drawing takes longer."""
        return two_digits(max((seconds / n_components - self._draw_rate) / self._map_rate, 0.0))


@dataclass(frozen=True)
class Speed(Timing):
    """A careful :class:`Timing`, and the run that verifies it.

    Attributes
    ----------
    verified : (m, seconds)
        m features were drawn and ROWS rows mapped to them; 0.2 s are predicted.
    tf32_error : float
        Root mean square error of a feature with products in TF32, relative to that of the features; emulated where the
        device has no such products.
    """

    verified: tuple[int, float]
    tf32_error: float


_T = TypeVar("_T", bound=Timing)


@functools.lru_cache(maxsize=1)
def _digits() -> np.ndarray:
    return normalise(datasets.load("digits").X, "unit norm").astype(np.float32)


def digit_rows(n_samples: int) -> np.ndarray:
    """Return rows of the digits at unit norm, 64 columns in float32, repeated as often as needed."""
    digits = _digits()
    return np.tile(digits, (-(-n_samples // len(digits)), 1))[:n_samples]


def glance(cls: type[FeatureMap]) -> Timing:
    """Time a feature map roughly: one draw, two calls at most, and the device's rates in between.

    It takes a fifth of a second on a processor, and whatever else runs at that moment disturbs it.
    """
    device = get_device()
    load = psutil.getloadavg()[0] / backend.core_count()
    watch, feature_map = Stopwatch(device), MapSpec(cls, n_components=M, random_state=0).make()
    draw_seconds = _seconds(lambda: feature_map.fit(digit_rows(2)))
    map_seconds = once = _seconds(lambda: _map_all(feature_map, digit_rows(_FEWEST_ROWS)))
    X = digit_rows(_FEWEST_ROWS)
    if once < _CALL_S:  # the first call fills caches, so it is too slow to count
        X = _rows_for(_GLANCE_S, once)
        map_seconds = _seconds(lambda: _map_all(feature_map, X))
        watch.turn()
        map_seconds = min(map_seconds, _seconds(lambda: _map_all(feature_map, X)))
    watch.turn()
    remember_rates(device, watch.rates())
    n, d = X.shape
    return Timing(
        cls,
        device.name,
        n,
        d,
        M,
        draw_seconds,
        map_seconds,
        work(feature_map, n, d),
        get_rates(device),
        wanted_precision(),
        load,
    )


def measure(cls: type[FeatureMap], progress: Progress = silent) -> Speed:
    """Time a feature map with its default settings on the device that ``"auto"`` stands for: some two seconds.

    Mapping takes turns with the matrix products and the copies whose rates set the limit, so that a slow spell of the
    machine affects both; of each the best turn counts.
    """
    device = get_device()
    load = psutil.getloadavg()[0] / backend.core_count()
    progress(0.0, "drawing")
    spec = MapSpec(cls, n_components=M)
    feature_map = spec.make(random_state=0)
    fresh = (spec.make(random_state=next(_seeds)) for _ in range(DRAWS))
    draw_seconds = min(_seconds(lambda other=other: other.fit(digit_rows(2))) for other in fresh)
    feature_map.fit(digit_rows(2))
    once = _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS)))  # also fills caches
    once = min(once, _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS))))
    X = _rows_for(_CALL_S, once)
    watch, map_seconds = Stopwatch(device), math.inf
    for turn in range(TURNS):
        progress(0.1 + 0.7 * turn / TURNS, "mapping, in turns with the device’s limits")
        watch.turn()
        map_seconds = min(map_seconds, _seconds(lambda: _map_all(feature_map, X)))
    remember_rates(device, watch.rates())
    n, d = X.shape
    found = Speed(
        cls,
        device.name,
        n,
        d,
        M,
        draw_seconds,
        map_seconds,
        work(feature_map, n, d),
        watch.rates(),
        wanted_precision(),
        load,
        (0, 0.0),
        tf32_cost(feature_map, digit_rows(_ROUNDED_ROWS)).typical,
    )
    progress(0.85, "drawing and mapping for 0.2 s, as predicted")
    return dataclasses.replace(found, verified=_verify(found))


def with_best_rates(speeds: Sequence[_T]) -> list[_T]:
    """Give all the best rates that were seen while any was measured: a device has only one limit."""
    if not speeds:
        return []
    best = functools.reduce(Rates.best, (speed.rates for speed in speeds))
    return [dataclasses.replace(speed, rates=best) for speed in speeds]


def _rows_for(seconds: float, once: float) -> np.ndarray:
    """Return as many rows as take this long, if the fewest take `once`."""
    return digit_rows(int(np.clip(_FEWEST_ROWS * seconds / once, _FEWEST_ROWS, _MOST_ROWS)))


def _map_all(feature_map: FeatureMap, X: np.ndarray) -> None:
    """Map all rows and wait for the device."""
    (last,) = deque(feature_map.transform_blocks(X), maxlen=1)
    backend.to_host(last[:1])  # the device has computed all that came before


def _verify(speed: Speed) -> tuple[int, float]:
    """Draw and apply a map that is predicted to take 0.2 s."""
    fits = _MEMORY_SHARE * min(backend.memory_budget("cpu"), backend.memory_budget(speed.device)) / (4 * _COPIES)
    m = int(max(min(speed.largest_m(BUDGETS[0]), fits / (ROWS + speed.n_features)), 1))
    X, spec = digit_rows(ROWS), MapSpec(speed.cls, n_components=m)

    def both(seed: int) -> None:
        _map_all(spec.make(random_state=seed).fit(X[:2]), X)

    return m, min(_seconds(lambda: both(next(_seeds))) for _ in range(DRAWS))


def two_digits(value: float) -> int:
    """Round down to two digits: more are not known."""
    if value < 100:
        return int(value)
    value *= 1.0 + 1e-9  # or a rounding error would cost a digit
    unit = 10 ** (int(math.log10(value)) - 1)
    return int(value // unit * unit)


def _seconds(function: Callable[[], Any]) -> float:
    """Return the seconds that a call takes."""
    started = time.perf_counter()
    function()
    return max(time.perf_counter() - started, 1e-9)


# The time that a benchmark takes must not count as the user's last computation: hence a meter of its own.


def speed_of(cls: type[FeatureMap], run: Hashable, *, cache: Cache) -> Speed:
    """Measure a map; another run measures it again."""
    with metered():
        return measure(cls, cache.progress)


def glance_of(cls: type[FeatureMap], *, cache: Cache) -> Timing:
    """Look at a map."""
    with metered():
        return glance(cls)


def to_frame(speeds: Sequence[Speed]) -> pd.DataFrame:
    """Return one row per map: share of the limit, rates, and the sizes within each of BUDGETS."""
    rows = []
    for speed in speeds:
        m, took = speed.verified
        row = {
            "map": speed.label,
            "% of the limit": 100.0 * speed.share,
            "limit set by": speed.bound,
            "Gflop/s": speed.work.flops / speed.map_seconds / 1e9,
            "GB/s": speed.work.bytes / speed.map_seconds / 1e9,
            "million features/s": speed.n_samples * speed.n_components / speed.map_seconds / 1e6,
        }
        row |= {f"m in {budget:g} s": speed.largest_m(budget) for budget in BUDGETS}
        row |= {f"n in {budget:g} s": speed.largest_n(budget) for budget in BUDGETS}
        row["TF32 error, %"] = 100.0 * speed.tf32_error
        row |= {"predicted s": speed.seconds(ROWS, m), "took s": took}
        rows.append(row)
    return pd.DataFrame(rows)


def recorded(folder: Path) -> pd.DataFrame:
    """List results that were recorded by the scripts in ``benchmarks``: file, date and device, the latest first.

    Parameters
    ----------
    folder : Path
        Of JSON files; those without a machine and a date are left out. It need not exist.
    """
    rows = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            machine = content["machine"]
            row = {"result": path.stem, "date": str(machine["date"])[:10], "device": _device_of(content, machine)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        rows.append(row)
    frame = pd.DataFrame(rows, columns=["result", "date", "device"])
    return frame.sort_values(["date", "result"], ascending=[False, True], ignore_index=True)


def _device_of(content: dict[str, Any], machine: dict[str, Any]) -> str:
    """Return the name of the device that a record was made on."""
    gpu = content.get("gpu") or content.get("device") or machine.get("gpu")
    if isinstance(gpu, str) and gpu:
        return gpu
    cores = machine.get("cores") or machine.get("blas", {}).get("cores")
    return f"{machine.get('processor', 'unknown processor')}" + (f", {cores} cores" if cores else "")
