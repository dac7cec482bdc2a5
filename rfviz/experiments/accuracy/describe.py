"""Say what the charts of test errors show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from rfviz.analysis.accuracy import LINEAR_SVM
from rfviz.experiments.accuracy.architectures import (
    AUGMENTED_EPOCHS,
    AUGMENTED_M,
    FEATURES_M,
    NETWORK_EPOCHS,
    NETWORK_FEATURES,
    PAPER_TABLE_1,
    RankCorrelations,
)
from rfviz.experiments.accuracy.baselines import NEIGHBOURS
from rfviz.experiments.accuracy.compute import AccuracyResult, Curve
from rfviz.experiments.accuracy.maxout_table import PAPER_KNN
from rfviz.experiments.accuracy.notes import notes_story
from rfviz.experiments.accuracy.prediction import ALIKE, WITHIN, Unpredicted
from rfviz.words import counted, join, number

__all__ = [
    "EPOCHS", "NETWORK_SETUP", "NO_MAPS", "RANKING", "TABLE_1", "TIMES", "about_architectures", "about_epochs",
    "about_table_1", "explanation", "summary",
]  # fmt: skip

# Errors that differ by less are equal: they are counts of rows.
_ROUNDING = 1e-9

# A smaller share is not worth a number.
_NEAR = 0.01
# Of the paper's standard deviations.
_APART = 2.0
# Of a number with two decimals.
_HALF_DIGIT = 0.005
_UNIT = "It is a share of the targets’ variance: 1 is a model that always answers the mean."
_CODES = "Classes are codes of ±1; the share of wrong classes (“accuracy”) can only be measured."

NO_MAPS = "Choose at least one map."
AUGMENTED_SETUP = (
    f"They were trained beforehand by gradients of the logistic loss, in {AUGMENTED_EPOCHS} epochs of 20,000 images "
    "that are cropped at random, flipped and coloured anew in each. The paper’s million features have 120 epochs of "
    "50,000 images."
)
NETWORK_SETUP = (
    f"They were trained beforehand for {NETWORK_EPOCHS} epochs on 20,000 augmented images; the paper’s have 200 epochs "
    "on 50,000."
)
TABLE_1 = "Test error of ridge regression on random maxout features, by number of features and pool size."
RANKING = "Test accuracy of the architectures of the compositional paper’s Table 1 against that in the paper."
TIMES = "Seconds to train and seconds to predict the test rows, against the number of features."
EPOCHS = "Test error of trained features and of networks of the same skeletons after each epoch of training."


def _model(loss: str) -> str:
    if loss == "ridge":
        return "ridge regression"
    return f"a {loss}" if loss == LINEAR_SVM else f"a linear model ({loss})"


def summary(result: AccuracyResult) -> str:
    """Return the chart in one sentence, as alternative text."""
    parts = [
        f"{c.label} reaches {_error(c.frame['error'].iloc[-1], result)} at m = {int(c.frame['m'].iloc[-1]):,}"
        for c in result.curves()
        if len(c.frame)
    ]
    parts = parts or [
        f"{c.label} is predicted to reach {number(c.prediction.test[-1])} at m = {c.prediction.m_grid[-1]:,}"
        for c in result.curves()
        if c.prediction is not None
    ]
    ends = "; ".join(parts) or "no points yet"
    return f"{result.name_of_errors} against the number of features on {result.split.name}: {ends}."


def explanation(result: AccuracyResult) -> str:
    """Return what one sees, with the numbers of the chart."""
    split, curves = result.split, [c for c in result.curves() if len(c.frame)]
    bands = ", ± 1 s.d. over the draws" if any((c.frame["seeds"] > 1).any() for c in curves) else ""
    n = next((s.n_train for runs in result.runs.values() for run in runs for s in run), split.n_train)
    what = (
        f"The chart shows the {_kind(result)} on {len(split.X_test):,} test rows{bands}, of "
        f"{_model(result.loss)} on m random features, trained on {n:,} rows."
    )
    if split.others is not None:
        what += (
            " These are all rows of the file that have what is needed and are not tested on; the other methods learn "
            f"from {len(split.X_train):,} that were drawn."
        )
    if result.is_squared:
        what += f" {_UNIT}"
        what += f" {_CODES}" if split.is_classification else ""
    elif result.is_empty and result.loss == "ridge":
        what += " The squared error (under “Error”) is predicted before anything is trained."
    more = (notes_story, _exact_story, _fields_story, _doubly_story, _networks_story, _augmented_story)
    return " ".join(["**What am I seeing?**", *_predicted(result), *_best(result, curves), what]) + "".join(
        part(result) for part in more
    )


def _error(value: float, result: AccuracyResult) -> str:
    """Write an error in the unit of the chart."""
    return number(value) + "%" * result.is_per_cent


def _kind(result: AccuracyResult) -> str:
    return "squared error" if result.is_squared else "error"


def _predicted(result: AccuracyResult) -> Iterator[str]:
    """Say how many features the exact kernels ask for, how far the measured errors agree, and what is not predicted."""
    if not result.is_squared:
        return
    found = [c for c in result.curves() if c.prediction is not None]
    for curve in found:
        name = f"**{curve.label}.** " if len(result.candidates) > 1 else ""
        yield name + " ".join(part for part in (_needed(result, curve), _agreement(curve), _doubts(curve)) if part)
    for label, prediction in result.predicted.items():
        if isinstance(prediction, Unpredicted):
            yield f"**{label}.** Only the measured curve can be drawn. {prediction.reason}"
    if found:
        (first, *_) = (c.prediction for c in found if c.prediction)
        rows = f"{first.n_rows:,} training rows"
        of = rows if first.n_sampled == first.n_rows else f"{first.n_sampled:,} of the {rows}"
        yield f"The lines are predicted from the exact kernel of {of}, before a feature is drawn."


def _needed(result: AccuracyResult, curve: Curve) -> str:
    """Say how many features come within 5% of the exact kernel, as predicted, and as measured once all is."""
    prediction = curve.prediction
    if prediction is None or not prediction.knows_exact:
        return ""
    comes = f"comes within {WITHIN:.0%} of the exact kernel’s squared error"
    needed = f"m = {float(f'{prediction.needed:.3g}'):,.0f}" if prediction.needed else "no m"
    there = np.abs(prediction.m_grid - prediction.needed).argmin() if prediction.needed else -1
    said = f"Predicted: {needed}{'' if prediction.is_sure[there] else ' (doubtful)'} {comes}"
    if not result.is_complete or curve.exact is None or not len(curve.frame):
        return f"{said}."
    m, errors = curve.frame["m"].to_numpy(int), curve.frame["error"].to_numpy(float)
    above = np.flatnonzero(errors > (1.0 + WITHIN) * curve.exact)
    first = above[-1] + 1 if len(above) else 0
    return f"{said}; measured: {f'{m[first]:,}' if first < len(m) else f'more than {m[-1]:,}'}."


def _agreement(curve: Curve) -> str:
    """Say how far the measured errors are from those predicted, at most."""
    if curve.prediction is None or not len(curve.frame):
        return ""
    m, errors = curve.frame["m"].to_numpy(int), curve.frame["error"].to_numpy(float)
    expected = np.exp(np.interp(np.log(m), np.log(curve.prediction.m_grid), np.log(curve.prediction.test)))
    apart = errors / expected - 1.0
    worst = int(np.abs(apart).argmax())
    if abs(apart[worst]) < _NEAR:
        return "The measured errors are within 1% of the line."
    way = "above" if apart[worst] > 0 else "below"
    return f"The measured errors are within {abs(apart[worst]):.0%} of the line, farthest at m = {m[worst]:,} ({way})."


def _doubts(curve: Curve) -> str:
    """Say why a line is dotted, if it is."""
    prediction = curve.prediction
    if prediction is None or prediction.is_sure.all():
        return ""
    why: list[str] = []
    if prediction.alike < ALIKE:
        why.append(f"some features vary far more than others (participation {prediction.alike:.2f})")
    if not prediction.is_reliable.all():
        sample = f"{prediction.n_sampled:,} rows tell too little about {prediction.n_rows:,}"
        steep = "the kernel’s eigenvalues fall so fast that single draws decide"
        why.append(sample if prediction.n_sampled < prediction.n_rows else steep)
    return f"Where the line is dotted, it may be off by a quarter and more: {' and '.join(why)}."


def _best(result: AccuracyResult, curves: Sequence[Curve]) -> Iterator[str]:
    """Name the maps with the least error at the largest m, and compare the first of them with the other methods."""
    if not curves:
        return
    last = max(int(c.frame["m"].iloc[-1]) for c in curves)
    ends = {c.label: float(c.frame["error"].iloc[-1]) for c in curves if c.frame["m"].iloc[-1] == last}
    least = min(ends.values())
    labels = [label for label, error in ends.items() if error <= least + _ROUNDING]
    so_far, each = "" if result.is_complete else " so far", " each" * (len(labels) > 1)
    named = join([f"**{label}**" for label in labels])
    yield f"Best{so_far} at m = {last:,}: {named} with {_error(least, result)}{each}."
    best = next(c for c in curves if c.label == labels[0])
    m, errors = best.frame["m"].to_numpy(int), best.frame["error"].to_numpy(float)
    beaten, alike, missed = [], [], []
    for name, value in result.baselines.items():
        line = f"{name} ({_error(value, result)}{', below the chart' * (value == 0)})"
        if abs(least - value) <= _ROUNDING or not result.is_told_from(best.label, last, name):
            alike.append(line)
        elif least < value:
            beaten.append(f"{line} {_from(m, errors, value)}")
        else:
            missed.append(line)
    it = f"**{best.label}**" if each else "It"
    if beaten:
        yield f"{it} beats {join(beaten)}."
    if alike:
        n = len(result.split.X_test)
        yield f"The difference to {join(alike, 'or')} is too small to tell on these {n:,} test rows."
    if missed:
        yield f"{it} does not reach {join(missed, 'or')}{so_far}."


def _from(m: np.ndarray, errors: np.ndarray, value: float) -> str:
    """Say from where on a curve that ends below a value stays below it; a tie is not below."""
    above = np.flatnonzero(errors >= value - _ROUNDING)
    return f"from m = {m[above[-1] + 1]:,} on" if len(above) else "at every m"


def _exact_story(result: AccuracyResult) -> str:
    """Say from which m on each curve is as good as its exact kernel; empty if none is known."""
    unit, parts = "%" if result.is_per_cent else "", []
    for curve in result.curves():
        exact = curve.exact
        if exact is None or not len(curve.frame):
            continue
        value = _error(exact, result) + (", below the chart" if exact == 0 else "")
        m, errors = curve.frame["m"].to_numpy(int), curve.frame["error"].to_numpy(float)
        noise = [_noise(error, exact, len(result.split.X_test)) if unit else 0.05 * exact for error in errors]
        worse = np.flatnonzero(errors > exact + np.array(noise))
        start = worse[-1] + 1 if len(worse) else 0
        parts.append(
            f"{curve.label} is as good as its kernel ({value}) from m = {m[start]:,} on"
            if start < len(m)
            else f"{curve.label} has not reached its kernel ({value})"
        )
    if not parts:
        return ""
    alike = f"two standard errors of {len(result.split.X_test):,} test rows" if unit else "five per cent"
    return (
        f" The thin **dashed lines**, each in the colour of its curve, are the exact kernels: {'; '.join(parts)}. "
        f"“As good” means: no worse by more than {alike}."
    )


def _noise(first: float, second: float, n_test: int) -> float:
    """Return two standard errors of the difference of two error rates, all in percent."""
    variances = (max(rate * (100 - rate), 0.0) for rate in (first, second))
    return 2 * math.sqrt(sum(variances) / n_test)


def _fields_story(result: AccuracyResult) -> str:
    """Compare rectangles with whole images at the largest m that both have reached; empty if there are none."""
    frames = {c.label: c.frame for c in result.curves() if len(c.frame)}
    parts, field = [], ""
    for candidate in result.candidates:
        whole = candidate.label.removesuffix(", rectangles")
        if whole == candidate.label or not {whole, candidate.label} <= frames.keys():
            continue
        low, high = candidate.spec.get("receptive_field")
        field = f"{low} to {high}"
        both = frames[whole].merge(frames[candidate.label], on="m", suffixes=("", " seen"))
        if len(both):
            last = both.iloc[-1]
            parts.append(
                f"{whole} from {_error(last['error'], result)} to {_error(last['error seen'], result)} at m = "
                f"{int(last['m']):,}"
            )
    if not parts:
        return ""
    return (
        f" Features that see only a random rectangle ({field} pixels per side) instead of the whole image change the "
        f"error of {'; of '.join(parts)}."
    )


def _doubly_story(result: AccuracyResult) -> str:
    """Compare doubly stochastic training with the exact solution of the same map at its largest m; empty without."""
    frames = {c.label: c.frame for c in result.curves() if len(c.frame)}
    parts, sizes = [], []
    for candidate in result.candidates:
        plain = candidate.label.removesuffix(", doubly stochastic")
        if plain == candidate.label or not {plain, candidate.label} <= frames.keys():
            continue
        both = frames[candidate.label].merge(frames[plain], on="m", suffixes=("", " exact"))
        if len(both):
            last = both.iloc[-1]
            errors = f"{_error(last['error'], result)} against {_error(last['error exact'], result)}"
            parts.append(f"{plain} {errors} (m = {int(last['m']):,})")
            sizes.append((last["bytes"], last["bytes exact"]))
    if not parts:
        return ""
    return (
        f" **Doubly stochastic** training, against the exact solution: {'; '.join(parts)}. It stores "
        f"{number(sizes[0][0] / 1e3, 2)} kB instead of {number(sizes[0][1] / 1e3, 2)} kB, since it draws its features "
        "again."
    )


def _networks_story(result: AccuracyResult) -> str:
    """Return what the networks next to the curves are."""
    if not any(curve.network for curve in result.curves()):
        return ""
    return (
        f" The **rings** at m = {NETWORK_FEATURES} are networks of the same skeletons: a network learns its "
        f"{NETWORK_FEATURES} features instead of drawing them. {NETWORK_SETUP}"
    )


def _augmented_story(result: AccuracyResult) -> str:
    """Return what the dotted lines to many features are."""
    if not any(curve.augmented for curve in result.curves()):
        return ""
    return f" The **dotted lines** with diamonds are the same features up to m = {AUGMENTED_M[-1]:,}. {AUGMENTED_SETUP}"


def about_epochs(curves: Sequence[Curve]) -> str:
    """Return what the chart of errors by epoch shows, of the curves that know them."""
    known = {curve.label: curve.epochs for curve in curves if curve.epochs}
    counts = [_ends([len(errors[trained]) for errors in known.values()]) for trained in (0, 1)]
    common = min(len(errors) for both in known.values() for errors in both)
    gaps = [network[common - 1] - features[common - 1] for features, network in known.values()]
    better, total = sum(gap > 0 for gap in gaps), len(known)
    papers = sum(features > network for features, network in (PAPER_TABLE_1[name] for name in known))
    return (
        f"**Error by epoch.** In one epoch, training sees each image once. Solid lines are {FEATURES_M:,} random "
        "features; dashed lines are networks of the same skeletons. Both were trained on two processor cores, with "
        "20,000 images, which are cropped at random, flipped and coloured anew in each epoch: the features for "
        f"{counts[0]} epochs, the networks for {counts[1]}. A curve ends where its training ended. "
        f"After {common} epochs the features have the smaller error for {better} of {total} "
        f"{'architecture' if total == 1 else 'architectures'}{_gap(gaps)}. In the paper, after 120 epochs (features) "
        f"and 200 (networks) of 50,000 images, this holds for {papers} of {total}."
    )


def _ends(counts: Sequence[int]) -> str:
    """Return "6", or "10 to 62"."""
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low} to {high}"


def _gap(gaps: Sequence[float]) -> str:
    """Say by how much features are better, where they all are."""
    low, high = (f"{gap:.0f}" for gap in (min(gaps), max(gaps)))
    if min(gaps) <= 0:
        return ""
    return f", by {low} percentage points" if low == high else f", by {low} to {high} percentage points"


def about_architectures(table: pd.DataFrame, m: int, correlations: RankCorrelations, result: AccuracyResult) -> str:
    """Return what the table of architectures shows."""
    seeds = len(result.runs[result.architectures[0]])
    words = f"At **m = {m:,}** features, {counted(seeds, 'seed')}."
    if not math.isnan(correlations.paper_features):
        words += (
            f" Rank correlation with the paper’s features **{correlations.paper_features:.2f}**, with its networks "
            f"**{correlations.paper_networks:.2f}**."
        )
        if any(curve.network for curve in result.curves()):
            words += (
                f" Between these features and our networks it is **{correlations.networks:.2f}**; between the paper’s "
                f"features and its networks **{correlations.paper:.2f}**."
            )
    return words if result.is_complete else f"{words} The table grows while the computation goes on."


def about_table_1(result: AccuracyResult, intercept: bool) -> str:
    """Return what Table 1 of the maxout paper shows, next to the paper's numbers where the data are its own."""
    table = result.table
    assert table is not None
    frame = table.to_frame(result.is_papers_mnist)
    draws = len(table.errors)
    has = "with an intercept" if intercept else "without an intercept, as in the paper"
    least = frame["error %"].min()
    best = frame[frame["error %"] <= least + _ROUNDING]
    where = join([f"q = {q} with m = {m:,}" for q, m in zip(best["q"], best["m"], strict=True)])
    words = (
        f"**Table 1** of the paper on random maxout features, {counted(draws, 'draw')}, {has}: the least error is "
        f"**{least:.2f}%**, of {where}."
    )
    if "apart" in frame:
        apart = frame["apart"].dropna().to_numpy(float)
        near, below, above = (
            int(np.sum(cells)) for cells in (np.abs(apart) <= _APART, apart < -_APART, apart > _APART)
        )
        near_ones = f"{near} {'is' if near == 1 else 'are'} within two of the paper’s standard deviations"
        words += f" Of {len(apart)} cells, {near_ones}, {below} below and {above} above."
    return words + _neighbours(result)


def _neighbours(result: AccuracyResult) -> str:
    """Compare the nearest neighbours with what the paper calls their optimum, on its data."""
    known = {k: result.baselines[title] for k, title in NEIGHBOURS.items() if title in result.baselines}
    if not (result.is_papers_mnist and known):
        return ""
    k, least = min(known.items(), key=lambda pair: pair[1])
    measured = join([f"{error:.2f}% for k = {k}" for k, error in known.items()])
    is_least = least >= PAPER_KNN - _HALF_DIGIT
    optimal = "" if is_least else f" That is not the optimum: k = {k} has less."
    paper = f"The paper names {PAPER_KNN}% as the error of the optimal k nearest neighbours"
    return f" {paper}; here it is {measured}.{optimal}"
