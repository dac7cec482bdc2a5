"""Curves of presets that take long, as they were measured: what a page shows until they are computed there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rfviz.features import FeatureMap, map_class
from rfviz.words import counted, number

__all__ = ["Record", "RecordedCurve", "record_of"]

# Written by benchmarks/recorded.py, from benchmarks/results.
_STORED = Path(__file__).with_name("recorded.json")
# Curves that a sentence tells each; of more, it tells the best.
_TOLD = 3


@dataclass(frozen=True, eq=False)
class RecordedCurve:
    """A curve of errors in per cent.

    Attributes
    ----------
    cls : type of FeatureMap or None
        None for a method that draws no features.
    frame : DataFrame
        Columns m or k, error and s.d.; train and test (seconds) where they were measured.
    """

    label: str
    cls: type[FeatureMap] | None
    frame: pd.DataFrame

    def best(self) -> str:
        """Return the least error and where it is, as in ``15.2% at K = 312``."""
        errors, symbol = self.frame["error"].to_numpy(float), "K" if "k" in self.frame else "m"
        place = int(errors.argmin())
        return f"{number(errors[place])}% at {symbol} = {int(self.frame[symbol.lower()].iloc[place]):,}"


@dataclass(frozen=True, eq=False)
class Record:
    """The curves that were measured of a preset.

    Attributes
    ----------
    day : date
    rows : (int, int)
        To train and to test.
    """

    day: date
    data: str
    draws: int
    rows: tuple[int, int]
    curves: tuple[RecordedCurve, ...]

    def words(self) -> str:
        """Say what one sees, and when it was measured."""
        if len(self.curves) > _TOLD:
            best = min(self.curves, key=lambda curve: float(np.min(curve.frame["error"].to_numpy(float))))
            least = f"**{best.label}** has the least error of {len(self.curves)} curves: {best.best()}."
        else:
            least = f"Least errors: {'; '.join(f'**{c.label}** {c.best()}' for c in self.curves)}."
        train, test = self.rows
        return (
            f"{least} These curves were recorded on {self.day.day} {self.day:%B %Y} ({self.data}, {train:,} rows to "
            f"train, {test:,} to test, {counted(self.draws, 'draw')}); nothing was computed here yet."
        )


def record_of(page: str, preset: str, data: str) -> Record | None:
    """Return the curves that were measured of a preset, or None if there are none of these data.

    Parameters
    ----------
    page : str
        Its slug.
    preset : str
        Label of the button.
    data : str
        Name of the data set: ``adult``, or ``folder:mnist`` of the data folder.
    """
    found = _stored().get(page, {}).get(preset)
    if found is None or found["data"] != data.rpartition(":")[2]:
        return None
    curves = [
        RecordedCurve(
            held["label"],
            map_class(held["map"]) if held["map"] else None,
            pd.DataFrame({name: values for name, values in held.items() if name not in ("label", "map")}),
        )
        for held in found["curves"]
    ]
    train, test = found["rows"]
    return Record(date.fromisoformat(found["day"]), found["data"], found["draws"], (train, test), tuple(curves))


@lru_cache(maxsize=1)
def _stored() -> dict[str, dict[str, Any]]:
    return json.loads(_STORED.read_text(encoding="utf-8"))
