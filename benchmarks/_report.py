"""What the benchmark scripts share: the machine in words, peak memory, interleaved timing, a table, a JSON file."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["PeakMemory", "interleaved", "machine", "markdown_table", "median_ratio", "write_json"]

_PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "streamlit",
    "plotly",
    "torch",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "cupy",
)


def machine() -> dict[str, Any]:
    """Return processor, memory, BLAS, versions and the date: what a timing means nothing without."""
    from rfviz.backend import blas_info

    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "blas": blas_info(),
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


class PeakMemory:
    """Context manager: the highest resident memory of the process above that at entry, sampled every 2 ms.

    Attributes
    ----------
    extra : int
        Bytes, after the context has ended.
    """

    def __enter__(self) -> PeakMemory:
        import psutil  # not on every machine that only takes times

        self._process, self._stop = psutil.Process(), threading.Event()
        self._start = self._highest = self._process.memory_info().rss
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        return self

    def _sample(self) -> None:
        while not self._stop.wait(0.002):
            self._highest = max(self._highest, self._process.memory_info().rss)

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()
        self.extra = self._highest - self._start


def interleaved(functions: dict[str, Callable[[], Any]], repetitions: int) -> dict[str, list[float]]:
    """Time each of the functions in rotation, so that a slow spell of the machine meets them all."""
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repetitions):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def median_ratio(seconds: list[float], reference: list[float]) -> float:
    """Return the median over the repetitions of time over time, each pair taken one right after the other."""
    return statistics.median(a / b for a, b in zip(seconds, reference, strict=True))


def markdown_table(rows: Iterable[dict[str, Any]]) -> str:
    """Format rows with equal keys as a Markdown table; floats with three digits."""
    rows = [{key: _shown(value) for key, value in row.items()} for row in rows]
    names = list(rows[0])
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in names}
    lines = [[name.ljust(widths[name]) for name in names], ["-" * widths[name] for name in names]]
    lines += [[row[name].ljust(widths[name]) for name in names] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return (
        f"{value:.3g}"
        if isinstance(value, float) and abs(value) < 1000
        else f"{value:.0f}"
        if isinstance(value, float)
        else str(value)
    )


def write_json(path: Path, payload: dict[str, Any]) -> None:
    """Write `payload` beside the description of the machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), **payload}, indent=1, ensure_ascii=False) + "\n")
    print(f"\nWritten to {path}")
