"""Collect what the laboratory shows of presets that take long, until they are computed there.

python benchmarks/recorded.py

The pages on accuracy and kitchen sinks draw these curves in place of an empty frame, and say when they were measured.
This writes rfviz/lab/recorded.json from what benchmarks/kitchen_sinks.py, benchmarks/table1.py and
benchmarks/cifar_architectures.py wrote to benchmarks/results/; run it after them.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["STORED", "collected"]

ROOT = Path(__file__).parents[1]
STORED = ROOT / "rfviz/lab/recorded.json"
# What the learners of the figure are called there, and the maps that they draw.
_MAPS = {"AdaBoost": None, "Random stumps": "DecisionStumps"}


def collected() -> dict[str, Any]:
    """Return by page and preset: the day, the data, draws, rows to train and test, and curves of errors in per cent."""
    sinks, table, images = (
        json.loads((ROOT / "benchmarks/results" / name).read_text(encoding="utf-8"))
        for name in ("kitchen-sinks-cpu.json", "table1-cpu-no-intercept.json", "cifar-architectures-cpu.json")
    )
    return {
        "kitchen-sinks": {
            {"adult": "Figure 1, adult", "kddcup99": "Figure 1, KDDCUP99", "activity": "Figure 1, activity"}[
                figure["data"]
            ]: _record(sinks, figure["data"], figure["draws"], (figure["train"], figure["test"]), _sinks(figure))
            for figure in sinks["figure 1"]
        },
        "accuracy": {
            "Table 1": _record(table, "mnist", table["draws"], (60_000, 10_000), _table(table)),
            "Ten architectures": _record(
                images,
                "cifar10",
                images["setting"]["draws"],
                (images["setting"]["train"], images["setting"]["test"]),
                [
                    _curve(name, "CompositionalFeatures", found["m"], 100.0 - np.array(found["accuracy"]))
                    for name, found in images["results"].items()
                ],
            ),
        },
    }


def _record(
    results: dict[str, Any], data: str, draws: int, rows: tuple[int, int], curves: list[dict[str, Any]]
) -> dict[str, Any]:
    day = results["machine"]["date"][:10]
    return {"day": day, "data": data, "draws": draws, "rows": list(rows), "curves": curves}


def _sinks(figure: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the curves of a figure of the paper on kitchen sinks, with seconds."""
    columns = {"k": "K", "error": "error %", "s.d.": "s.d.", "train": "train s", "test": "test s"}
    return [
        {"label": label, "map": cls}
        | {name: [_short(r[of]) for r in figure["rows"] if r["learner"] == label] for name, of in columns.items()}
        for label, cls in _MAPS.items()
    ]


def _table(table: dict[str, Any]) -> list[dict[str, Any]]:
    errors = 100.0 * np.array(table["errors"])  # by draw, pool size and m
    return [
        _curve(f"Random maxout, q = {q}", "RandomMaxout", table["m"], errors[:, place].T)
        for place, q in enumerate(table["q"])
    ]


def _curve(label: str, cls: str, m: list[int], errors: np.ndarray) -> dict[str, Any]:
    """Return a curve of errors of shape (len(m), draws)."""
    mean, spread = errors.mean(axis=1), errors.std(axis=1, ddof=1)
    points = {"m": m, "error": [*map(_short, mean)], "s.d.": [*map(_short, spread)]}
    return {"label": label, "map": cls} | points


def _short(value: float) -> float:
    """Round a number to what a chart can show."""
    return float(f"{value:.4g}")


if __name__ == "__main__":
    STORED.write_text(json.dumps(collected(), separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"Written to {STORED}")
