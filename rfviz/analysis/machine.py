"""How fast every feature map is on this device, beside the best that the device allows, and what that lets one draw."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import math
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rfviz import backend, datasets
from rfviz.analysis.points import normalise
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import get_device
from rfviz.features import FeatureMap, registry
from rfviz.features.cost import work
from rfviz.precision import wanted_precision
from rfviz.rates import Rates, Stopwatch, remember

__all__ = ["BUDGETS", "ROWS", "M", "SchemeSpeed", "digit_rows", "issue_text", "measure_scheme", "recorded", "to_frame"]

#: Seconds that a reader waits: while a slider is dragged, after it was let go, and with a bar to watch.
BUDGETS = (0.2, 2.0, 20.0)
#: Features whose mapping is timed, and rows that a page draws.
M, ROWS = 1000, 1000
# A timed call takes about as long, but for maps so slow that the fewest rows take longer.
_CALL_S, _FEWEST_ROWS, _MOST_ROWS = 0.05, 1000, 60_000
_TURNS, _DRAWS = 5, 3
# Of the free memory, what the map of the verification may take, with what is needed beside it.
_MEMORY_SHARE, _COPIES = 0.25, 3
_MOST_FEATURES = 10_000_000  # that a map may have


@dataclass(frozen=True)
class SchemeSpeed:
    """What was measured of one scheme with its default settings.

    Attributes
    ----------
    scheme, label : str
        Class name, and the name for a reader.
    device : str
    n_samples, n_features, n_components : int
        Rows and columns that were mapped, and features.
    draw_seconds, map_seconds : float
        Best times of drawing the map and of mapping the rows, with the way to the device and back.
    flops, n_bytes : int
        Least work of that mapping (:func:`rfviz.features.cost.work`).
    limit_seconds : float
        The least time of that work at `rates`, which were measured in between.
    rates : Rates
    verified : (m, seconds)
        So many features were drawn and ROWS rows mapped to them, which should take 0.2 s.
    """

    scheme: str
    label: str
    device: str
    n_samples: int
    n_features: int
    n_components: int
    draw_seconds: float
    map_seconds: float
    flops: int
    n_bytes: int
    limit_seconds: float
    rates: Rates
    verified: tuple[int, float]

    @property
    def share(self) -> float:
        """The device's least time over the measured one: 1 is the best that there can be."""
        return self.limit_seconds / self.map_seconds

    @property
    def bound(self) -> str:
        """What sets the limit: arithmetic or memory."""
        return "memory" if self.n_bytes / self.rates.bandwidth >= 0.999 * self.limit_seconds else "arithmetic"

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


@functools.lru_cache(maxsize=1)
def _digits() -> np.ndarray:
    return normalise(datasets.load("digits").X, "unit norm").astype(np.float32)


def digit_rows(n_samples: int) -> np.ndarray:
    """So many rows of the digits at unit norm, 64 columns in float32, over and over."""
    digits = _digits()
    return np.tile(digits, (-(-n_samples // len(digits)), 1))[:n_samples]


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
    progress(0.0, "drawing")
    feature_map = cls(M, random_state=0)
    # Other seeds, since the numbers behind a draw may be remembered.
    draw_seconds = min(
        _seconds(lambda seed=seed: cls(M, random_state=seed).fit(digit_rows(2))) for seed in range(1, _DRAWS)
    )
    feature_map.fit(digit_rows(2))
    once = _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS)))  # also makes ready what is kept
    once = min(once, _seconds(lambda: feature_map.transform(digit_rows(_FEWEST_ROWS))))
    X = digit_rows(int(np.clip(_FEWEST_ROWS * _CALL_S / once, _FEWEST_ROWS, _MOST_ROWS)))
    watch, map_seconds = Stopwatch(device), math.inf
    for turn in range(_TURNS):
        progress(0.1 + 0.7 * turn / _TURNS, "mapping, in turns with the device’s limits")
        watch.turn()
        map_seconds = min(map_seconds, _seconds(lambda: _map_all(feature_map, X)))
    rates, least = watch.rates(), work(feature_map, None, *X.shape)
    remember(device, rates)
    found = SchemeSpeed(
        scheme, cls.label, device.name, *X.shape, M, draw_seconds, map_seconds, least.flops, least.bytes,
        rates.limit(least, wanted_precision()), rates, (0, 0.0),
    )  # fmt: skip
    progress(0.85, "drawing and mapping for 0.2 s, as predicted")
    verified = _verify(cls, found)
    return SchemeSpeed(**{**vars(found), "verified": verified})


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

    return m, min(_seconds(lambda seed=seed: both(seed)) for seed in range(_DRAWS))


def _two_digits(value: float) -> int:
    """Rounded down to two digits: more are not known."""
    if value < 100:
        return int(value)
    unit = 10 ** (int(math.log10(value)) - 1)
    return int(value // unit * unit)


def _seconds(function: Any) -> float:
    started = time.perf_counter()
    function()
    return max(time.perf_counter() - started, 1e-9)


# --- what is told -----------------------------------------------------------------------------------------------------


def to_frame(speeds: Sequence[SchemeSpeed]) -> pd.DataFrame:
    """One row a scheme: share of the limit, rates, and the sizes within each of BUDGETS."""
    rows = []
    for speed in speeds:
        m, took = speed.verified
        row = {
            "scheme": speed.label,
            "% of the limit": 100.0 * speed.share,
            "limit set by": speed.bound,
            "Gflop/s": speed.flops / speed.map_seconds / 1e9,
            "GB/s": speed.n_bytes / speed.map_seconds / 1e9,
            "million features/s": speed.n_samples * speed.n_components / speed.map_seconds / 1e6,
        }
        row |= {f"m in {budget:g} s": speed.largest_m(budget) for budget in BUDGETS}
        row |= {f"n in {budget:g} s": speed.largest_n(budget) for budget in BUDGETS}
        row |= {"predicted s": speed.seconds(ROWS, m), "took s": took}
        rows.append(row)
    return pd.DataFrame(rows)


def issue_text(speeds: Sequence[SchemeSpeed], version: str) -> str:
    """All of it as Markdown that can be pasted into an issue: the machine, its limits, a row for each scheme."""
    rates = [speed.rates for speed in speeds]
    names = ("products", "double_products", "tf32_products", "bandwidth")
    best = {name: max(getattr(rate, name) or 0.0 for rate in rates) for name in names}
    device = get_device(speeds[0].device)
    tf32 = f", {best['tf32_products'] / 1e9:,.0f} in TF32" if best["tf32_products"] else ""
    versions = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    lines = [
        f"**{device.describe()}**, {datetime.now(UTC):%Y-%m-%d}",
        f"rfviz {version}, Python {platform.python_version()}, {versions}, {platform.system()} {platform.machine()}",
        f"Matrix products: {best['products'] / 1e9:,.0f} Gflop/s in float32, {best['double_products'] / 1e9:,.0f} in "
        f"float64{tf32}; copies: {best['bandwidth'] / 1e9:,.0f} GB/s.",
        f"Rows of {speeds[0].n_features} columns; m for {ROWS} rows, n for {M} features.",
        "",
    ]
    frame = to_frame(speeds)
    lines += [f"| {' | '.join(frame.columns)} |", f"|{'---|' * len(frame.columns)}"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in frame.itertuples(index=False)]
    return "\n\n".join(lines[:4]) + "\n" + "\n".join(lines[4:])


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:.3g}"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def recorded(folder: Path) -> pd.DataFrame:
    """Results that were recorded by the scripts in ``benchmarks``: file, date and machine, the latest first.

    Parameters
    ----------
    folder : Path
        Of JSON files; those that do not say where they were measured are left out. It need not exist.
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
    gpu = content.get("gpu") or content.get("device") or machine.get("gpu")
    if isinstance(gpu, str) and gpu:
        return gpu
    cores = machine.get("cores") or machine.get("blas", {}).get("cores")
    return f"{machine.get('processor', 'unknown processor')}" + (f", {cores} cores" if cores else "")
