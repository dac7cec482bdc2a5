"""What learning curves show, in sentences: each is said only where the numbers say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rfviz.words import number, per_cent

if TYPE_CHECKING:
    from rfviz.experiments.learning_curve.experiment import CurveResult

__all__ = ["MAP", "SPECTRUM", "explanation", "map_summary", "reasons", "spectrum_summary", "summary"]

# A peak is higher than the error on both sides by this factor, and no farther from m = n than this share of n.
_HIGHER, _NEAR = 1.2, 0.15
# The prediction was within about 5% of images and random points with these participations or more, this mean cosine or
# less, and with this many rows for each training row; of voices, within 6%, and 15% where features have 0.88.
_ALIKE_FEATURES, _ALIKE_ROWS, _CONE, _FEW_ROWS = 0.9, 0.6, 0.6, 8
# Patches of photographs, at 0.01, are off a hundredfold with nearly no penalty; images, voices and movements have 0.15
# or more.
_APART = 0.02
_FAST = "the kernel’s eigenvalues fall so fast that single draws decide"
MAP = (
    "Each point of the map is a model of n rows and m features; its colour is the predicted test error. Dotted: m = n. "
    "Line: from here on to the right the error stays within 5% of that of the exact kernel. Click to take a curve."
)
SPECTRUM = (
    "The eigenvalues of the exact kernel of the training rows, and of its estimate by features, the largest first. An "
    "estimate by m features has at most m of them: the rest is 0. The more features there are, the more of the "
    "kernel’s spectrum they inherit."
)


def summary(result: CurveResult) -> str:
    """Say where the error is largest and smallest."""
    error, m = result.test.mean(axis=0), result.m_grid
    worst, best = int(error.argmax()), int(error.argmin())
    of = f"Test error of ridge regression on {result.label} features of {result.n:,} rows against their number: "
    if has_peak(result):
        right = error[worst:].min()
        text = f"largest at m = {m[worst]:,} ({number(error[worst], 2)}), and down to {number(right, 2)} beyond"
    else:
        text = f"from {number(error[0], 2)} at m = {m[0]:,} to {number(error[-1], 2)} at m = {m[-1]:,}"
        text += f", the least, {number(error[best], 2)}, at m = {m[best]:,}" if best != len(m) - 1 else ""
    return f"{of}{text}, as parts of the targets’ variance."


def has_peak(result: CurveResult) -> bool:
    """Return whether the error has a maximum near m = n that stands out on both sides."""
    error, m = result.test.mean(axis=0), result.m_grid
    worst = int(error.argmax())
    sides = error[:worst], error[worst + 1 :]
    stands_out = all(len(side) and error[worst] >= _HIGHER * side.min() for side in sides)
    return stands_out and abs(m[worst] - result.n) <= _NEAR * result.n


def explanation(result: CurveResult, at: int) -> str:
    """Explain the curve, the prediction and how far they agree."""
    error = result.test.mean(axis=0)
    place = int(np.abs(np.log(result.m_grid / at)).argmin())
    m = int(result.m_grid[place])
    parts = []
    if has_peak(result):
        parts.append(
            f"With m = n = {result.n:,} the features just fit every row, and a small change of the rows changes the "
            "model wildly: the test error explodes. With more features it falls again."
        )
    elif result.is_tuned:
        parts.append("With the best penalty for each m there is no peak at m = n.")
    here = f"At m = {m:,}: {number(error[place])} measured"
    if result.prediction is not None:
        predicted = result.prediction.test[np.searchsorted(result.prediction.m_grid, m)]
        here += f", {number(predicted)} predicted before training"
    if result.is_classification:
        here += f"; {per_cent(result.wrong.mean(axis=0)[place], 2)} of the classes are wrong"
    parts.append(f"{here}.")
    parts.append(law(result))
    parts.append(needed(result))
    parts.append(doubts(result))
    return " ".join(part for part in parts if part)


def law(result: CurveResult) -> str:
    """Say where the error falls as a power of m, if it does."""
    if result.law is None:
        return ""
    predicted = result.predicted_exponent
    said = "" if predicted is None else f" (predicted: m^−{predicted:.2f})"
    found = result.law
    return f"From m = {found.low:,} to {found.high:,} the error falls as m^−{found.exponent:.2f}{said}."


def needed(result: CurveResult) -> str:
    """Say how many features come within 5% of the exact kernel."""
    if result.prediction is None:
        return f"Only the measured curve can be drawn. {result.unpredicted}"
    predicted, measured = result.prediction.needed, result.features_needed()
    exact = f"within 5% of the exact kernel’s squared error ({number(result.exact)})"
    said = f"Predicted: m = {predicted:,} comes {exact}" if predicted else f"Predicted: no m comes {exact}"
    return f"{said}; measured: {f'{measured:,}' if measured else f'more than {result.m_grid[-1]:,}'}."


def doubts(result: CurveResult) -> str:
    """Say why the predicted line may be off, if anything does."""
    why = reasons(result)
    if not why:
        return ""
    thin = "; there the line is thin" * (_FAST in why)
    return f"The predicted line may be off by a quarter and more, most with a small penalty: {'; '.join(why)}{thin}."


def reasons(result: CurveResult) -> list[str]:
    """Return the reasons to doubt a prediction."""
    if result.prediction is None:
        return []
    why = []
    if result.spread.features < _ALIKE_FEATURES:
        why.append(f"some features vary far more than others (participation {result.spread.features:.2f})")
    if result.spread.rows < _ALIKE_ROWS:
        why.append(f"some rows are far longer than others (participation {result.spread.rows:.2f})")
    if result.spread.cosine > _CONE:
        why.append(f"the rows lie in a cone (mean cosine {result.spread.cosine:.2f})")
    if result.spread.nearest < _APART:
        near = per_cent(result.spread.nearest, 1) if result.spread.nearest else "0%"
        why.append(f"some rows are nearly equal (1% have another within {near} of the usual distance)")
    if result.n_rows < _FEW_ROWS * result.n:
        why.append(f"there are only {result.n_rows:,} rows to predict from")
    shown = np.isin(result.prediction.m_grid, result.m_grid)
    if not result.prediction.is_reliable[shown].all():
        why.append(_FAST)
    return why


def map_summary(result: CurveResult) -> str:
    """Say what the map shows."""
    return f"Predicted test error of {result.label} features by the numbers of rows and of features."


def spectrum_summary(result: CurveResult) -> str:
    """Say what the spectra show."""
    return f"Eigenvalues of the exact kernel of {result.label} features and of its estimates by them."
