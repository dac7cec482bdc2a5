"""The record of the numbers that every page shows.

``python -m tests.lab.record`` renews what has changed, of all pages or of those whose slugs follow.

The record holds, of each column of each chart, what any change of its numbers would move: extent, mean, spread, ends.
A change of the code that should leave results alone must leave the record alone; one that should not is seen in its
difference.
"""

import json
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from tests.page_settings import CASES, computed

RECORD = Path(__file__).with_name("frames.json")
# Measured by a clock, so that no two runs agree.
TIMES = {"seconds", "train", "test", "total", "train s", "test s", "total s", "ms to hash a query", "ms to search"}


def digest(frame: pd.DataFrame) -> dict[str, object]:
    """Return what describes a frame, by column: six numbers, or a checksum of words."""
    columns = {str(name): _column(frame[name]) for name in frame.columns if name not in TIMES}
    return {"rows": len(frame), "columns": columns}


def _column(values: pd.Series) -> list[float | None] | int:
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return zlib.crc32("\n".join(map(str, values)).encode())
    numbers = values.to_numpy(dtype=float)
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        return [None] * 6
    found = [known.min(), known.max(), known.mean(), known.std(), known[0], known[-1], len(known)]
    return [float(f"{value:.7g}") for value in found]


def digests(slug: str, number: int) -> dict[str, object]:
    """Return the digest of every chart of a case, by name."""
    charts = computed(slug, number).charts
    return {chart.name: digest(chart.frame) for chart in charts if not chart.name.endswith("-seconds")}


def assert_same(found: object, expected: object, where: str) -> None:
    """Assert that two digests agree, numbers within what another BLAS may change."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        assert list(found) == list(expected), where
        for name, value in expected.items():
            assert_same(found[name], value, f"{where}, {name}")
    elif isinstance(expected, list):
        numbers, record = np.array(found, dtype=float), np.array(expected, dtype=float)
        # A spread is a difference of the values, and rounded like these.
        extent = np.nan_to_num(np.abs(record[:2])).max(initial=0.0)
        np.testing.assert_allclose(numbers, record, rtol=2e-4, atol=1e-6 + 1e-5 * extent, err_msg=where)
    else:
        assert found == expected, where


def renewed(old: dict[str, object], new: dict[str, object]) -> dict[str, object]:
    """Return the new record with the old digest of each chart that only another BLAS has moved."""

    def settled(found: object, expected: object) -> object:
        try:
            assert_same(found, expected, "")
        except AssertionError:
            return found
        return expected

    return {
        case: {name: settled(found, old.get(case, {}).get(name)) for name, found in charts.items()}
        for case, charts in new.items()
    }


def main(slugs: list[str]) -> None:
    """Renew the record of these pages, or of all; every other case keeps its place and its numbers."""
    held = json.loads(RECORD.read_text(encoding="utf-8"))
    asked = [(slug, number) for slug, number in sorted(CASES) if not slugs or slug in slugs]
    found = renewed(held, {f"{slug} {number}": digests(slug, number) for slug, number in asked})
    known = {f"{slug} {number}" for slug, number in CASES}
    record = {case: charts for case, charts in (held | found).items() if case in known}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
