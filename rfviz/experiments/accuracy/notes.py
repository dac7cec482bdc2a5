"""The example of the notes on random features: their scores next to those that are found here."""

from __future__ import annotations

import math

import pandas as pd

from rfviz.analysis.accuracy import LINEAR_SVM
from rfviz.experiments.accuracy.compute import AccuracyResult
from rfviz.features import RandomFourier
from rfviz.words import join

__all__ = ["NOTES_SCORES", "notes_story", "notes_table"]

#: Shares of right labels as printed in Table 1 of the notes, which call them per cent.
NOTES_SCORES = {"RBF SVM": 0.972, "Linear SVM": 0.934, RandomFourier.label: 0.954}
_GAMMA = 0.2


def _is_example(result: AccuracyResult) -> bool:
    gammas = [c.spec.get("gamma") for c in result.candidates if c.spec.cls is RandomFourier]
    return result.split.name == "digits_0_to_8" and result.loss == LINEAR_SVM and gammas == [_GAMMA]


def notes_table(result: AccuracyResult) -> pd.DataFrame | None:
    """Return the notes' scores and those that are known here, or None if this is not their example.

    Returns
    -------
    DataFrame
        Columns method, m, printed, here, s.d. (of the draws), seconds to fit and seconds to predict.
    """
    if not _is_example(result):
        return None
    rows = []
    for method, printed in NOTES_SCORES.items():
        curve = next((c for c in result.curves() if c.label == method and len(c.frame)), None)
        if curve is not None:
            last = curve.frame.iloc[-1]
            found = {"m": last["m"], "here": 1 - last["error"] / 100, "s.d.": last["s.d."] / 100}
        else:
            found = {"m": None, "here": 1 - result.baseline_errors.get(method, math.nan), "s.d.": None}
        rows.append({"method": method, "printed": printed, **found})
    table = pd.DataFrame(rows).astype({"m": "Int64", "s.d.": float})
    times = result.times_frame().drop_duplicates("method", keep="last").set_index("method")
    seconds = times.reindex(table["method"])[["seconds to fit", "seconds to predict"]].reset_index(drop=True)
    return pd.concat([table.loc[:, ["method", "m", "printed", "here", "s.d."]], seconds], axis=1)


def notes_story(result: AccuracyResult) -> str:
    """Return the scores that are known, next to the notes', as a sentence; empty if this is not their example."""
    table = notes_table(result)
    known = None if table is None else table.dropna(subset=["here"])
    if known is None or known.empty:
        return ""
    said = [
        f"{printed} for {method} (here {here:.3f}{'' if m is pd.NA else f' with {m:,} features'})"
        for method, m, printed, here in known[["method", "m", "printed", "here"]].itertuples(index=False)
    ]
    return f" The notes print these scores, which are shares of right labels and not per cent: {join(said)}."
