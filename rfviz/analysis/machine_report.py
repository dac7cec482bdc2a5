"""What was measured of this machine, as a table and as text, and what was recorded on others."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from rfviz.analysis.machine import BUDGETS, ROWS, M, SchemeSpeed
from rfviz.backend import get_device

__all__ = ["issue_text", "recorded", "to_frame"]


def to_frame(speeds: Sequence[SchemeSpeed]) -> pd.DataFrame:
    """One row a scheme: share of the limit, rates, and the sizes within each of BUDGETS."""
    rows = []
    for speed in speeds:
        m, took = speed.verified
        row = {
            "scheme": speed.label,
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


def issue_text(speeds: Sequence[SchemeSpeed], version: str) -> str:
    """All of it as Markdown that can be pasted into an issue: the machine, its limits, a row for each scheme."""
    best = speeds[0].rates
    device = get_device(speeds[0].device)
    tf32 = f", {best.tf32_products / 1e9:,.0f} in TF32" if best.tf32_products else ""
    versions = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    lines = [
        f"**{device.describe()}**, {datetime.now(UTC):%Y-%m-%d}",
        f"rfviz {version}, Python {platform.python_version()}, {versions}, {platform.system()} {platform.machine()}",
        f"Matrix products: {best.products / 1e9:,.0f} Gflop/s in float32, {best.double_products / 1e9:,.0f} in "
        f"float64{tf32}; copies: {best.bandwidth / 1e9:,.0f} GB/s.",
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
