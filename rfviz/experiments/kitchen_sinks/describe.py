"""Say what the charts of kitchen sinks show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rfviz.experiments.kitchen_sinks.approximation import DELTA, Distances
from rfviz.experiments.kitchen_sinks.compute import ADABOOST, JOINT, PURSUIT, ROUNDING, Curve, KitchenSinksResult
from rfviz.experiments.kitchen_sinks.constraint import C_GRID, ConstrainedErrors
from rfviz.experiments.kitchen_sinks.figures import BANDS_AT_ONCE
from rfviz.experiments.kitchen_sinks.weights import WeightDecay
from rfviz.figures.lines import DRAWS
from rfviz.words import counted, number, per_cent, seconds, times

__all__ = [
    "NO_FAMILIES",
    "constraint_explanation",
    "constraint_summary",
    "distances_explanation",
    "distances_summary",
    "explanation",
    "summary",
    "tail_explanation",
    "tail_summary",
    "weights_explanation",
    "weights_summary",
]

NO_FAMILIES = "Choose at least one family of random features."


def explanation(result: KitchenSinksResult, view: str, loss: str) -> str:
    """Return what one sees, with the numbers of the chart."""
    curves, split = [curve for curve in result.curves if len(curve.frame)], result.split
    what = {
        "error": "the share of wrong labels",
        "seconds": "the seconds that training and testing take",
        "reach": "the seconds after which each error was first reached",
    }[view]
    n_test = len(split.X_test)
    on = {
        "error": f" on {n_test:,} test rows, each {per_cent(1 / n_test)}, against K: the number of random features or "
        f"of stumps.{_bands(curves)}",
        "seconds": f" on {n_test:,} rows, against K: the number of random features or of stumps.",
        "reach": f", on {n_test:,} test rows, at those K where they are measured. The lower staircase belongs to the "
        "quicker learner.",
    }[view]
    fitted = "ridge regression" if loss == "ridge" else f"the {loss} loss"
    both = (
        f"The chart shows {what}{on} Both learn from the same {len(split.X_train):,} rows: random features are drawn "
        f"once and weighted by {fitted}, while AdaBoost searches for every stump."
    )
    say = {"error": _errors, "seconds": _times, "reach": _reached}[view]
    said = list(say(curves, result.is_complete))
    listed = said if len(said) < 2 else ["".join(f"- {sentence}\n" for sentence in said)]
    return "\n\n".join([*listed, both])


def _bands(curves: Sequence[Curve]) -> str:
    """Say what the bands are, or what shows them."""
    spread = [curve for curve in curves if (curve.frame["s.d."].to_numpy(float) > 0).any()]
    if not spread:
        return ""
    return f" Bands: {DRAWS}." if len(spread) <= BANDS_AT_ONCE else f" A click on “{DRAWS}” above shows the bands."


def _sides(curves: Sequence[Curve]) -> tuple[Curve | None, list[Curve]]:
    """Return AdaBoost’s curve, if there is one, and those of random features."""
    return next((c for c in curves if c.label == ADABOOST), None), [c for c in curves if c.cls is not None]


def _others(curves: Iterable[Curve]) -> Iterator[tuple[Curve, str]]:
    """Yield the curves of other methods, and what each does, as the subject of a sentence."""
    what = {
        PURSUIT: "**Matching pursuit**, which chooses among the drawn features of the first family,",
        JOINT: "The **joint fit** of functions tanh(w·x + b) and their weights, in at most 200 steps,",
    }
    return ((curve, what[curve.label]) for curve in curves if curve.label in what)


def _errors(curves: Sequence[Curve], is_complete: bool) -> Iterator[str]:
    """Compare the least errors, and the K that first have them."""
    boosted, sinks = _sides(curves)
    so_far = "" if is_complete else " so far"
    if boosted is not None:
        k, best = boosted.best
        yield f"**AdaBoost’s** least error{so_far} is {per_cent(best)}, with {counted(k, 'stump')}."
    for curve in sinks:
        k, error = curve.best
        reached = None if boosted is None else curve.reaches(boosted.best[1])
        least = f"do best{so_far} with {per_cent(error)} at K = {k:,}"
        if boosted is None:
            said = least
        elif reached is None:
            did = "do not reach it" if is_complete else "have not reached it yet"
            said = f"{did}: they {least}{_worse(error, boosted.best[1])}"
        else:
            is_better = error < boosted.best[1] - ROUNDING
            said = f"reach it with K = {reached:,}{f' and {least}' * is_better}"
        yield f"**{_features(curve)}** {said}."
    for curve, name in _others(curves):
        k, error = curve.best
        yield f"{name} does best{so_far} with {per_cent(error)} at K = {k:,}."


def _worse(error: float, best: float) -> str:
    return f", {times(error / best)} times that error" if best > 0 else ""


def _times(curves: Sequence[Curve], is_complete: bool) -> Iterator[str]:
    """Say how long the most features and stumps take."""
    for curve in curves:
        if len(curve.measured):
            last = curve.measured.iloc[-1]
            of = "stumps of AdaBoost" if curve.label == ADABOOST else f"functions of {curve.label.lower()}"
            what = f"{int(last['K']):,} {of if curve.cls is None else _features(curve)}"
            yield f"**{what}** take {seconds(last['total'])}."


def _reached(curves: Sequence[Curve], is_complete: bool) -> Iterator[str]:
    """Compare the seconds to AdaBoost's least error, or else to that of the features."""
    boosted, sinks = _sides([curve for curve in curves if len(curve.measured)])
    so_far = "" if is_complete else " so far"
    best = 0.0 if boosted is None else float(boosted.staircase()[0][-1])
    if boosted is not None:
        yield f"**AdaBoost** comes to its least error{so_far}, {per_cent(best)}, after {_after(boosted, best)}."
    for curve in sinks:
        own = curve.staircase()[0][-1]
        said = f"come to {per_cent(own)} at best{so_far}, after {_after(curve, own)}"
        if boosted is not None and curve.reached_after(best) is not None:
            said = f"come to it after {_after(curve, best)}: {_quicker(curve, boosted, best)}"
        elif boosted is not None:
            said += f"; AdaBoost is there after {_after(boosted, own)}: {_quicker(curve, boosted, own)}"
        yield f"**{_features(curve)}** {said}."
    for curve, name in _others(curve for curve in curves if len(curve.measured)):
        own = curve.staircase()[0][-1]
        yield f"{name} comes to {per_cent(own)} at best{so_far}, after {_after(curve, own)}."


def _after(curve: Curve, error: float) -> str:
    return seconds(curve.reached_after(error) or 0.0)


def _quicker(curve: Curve, boosted: Curve, error: float) -> str:
    """Say how many times as long AdaBoost takes to an error that both reach."""
    ratio = (boosted.reached_after(error) or 0.0) / max(curve.reached_after(error) or 0.0, 1e-9)
    if 0.95 < ratio < 1.05:
        return "both take about as long"
    longer = "AdaBoost takes" if ratio > 1 else "the features take"
    return f"{longer} {times(ratio if ratio > 1 else 1 / ratio)} times as long"


def _features(curve: Curve) -> str:
    return curve.label if curve.label.endswith("s") else f"{curve.label} features"


def summary(curves: Sequence[Curve], view: str) -> str:
    """Return the chart in one sentence, as alternative text."""
    title = {"error": "Test error against K", "seconds": "Seconds against K", "reach": "Seconds to reach an error"}[
        view
    ]
    parts = []
    for curve in curves:
        if not len(curve.frame if view == "error" else curve.measured):
            continue
        if view == "error":
            k, error = curve.best
            parts.append(f"{curve.label}: least error {per_cent(error)} at K = {k:,}")
        elif view == "seconds":
            last = curve.measured.iloc[-1]
            parts.append(f"{curve.label}: {seconds(last['total'])} for K = {int(last['K']):,}")
        else:
            errors, after = curve.staircase()
            parts.append(f"{curve.label}: {per_cent(errors[-1])} after {seconds(after[-1])}")
    return f"{title}. " + ("; ".join(parts) or "No points yet") + "."


def weights_summary(decay: WeightDecay, label: str) -> str:
    """Return the chart of largest weights in one sentence."""
    median, k = decay.quantiles[1], decay.k_grid
    return (
        f"Largest weight of {label} in {counted(len(decay.norms), 'run')}: median {number(median[0])} at K = {k[0]:,}, "
        f"{number(median[-1])} at K = {k[-1]:,}."
    )


def weights_explanation(decay: WeightDecay, label: str) -> str:
    """Return what one sees of the largest weights, with the numbers of the chart."""
    median, k = decay.quantiles[1], decay.k_grid
    peak, half = int(median.argmax()), len(k) // 2
    name = label[:1].lower() + label[1:]
    lead = (
        r"**What am I seeing?** The chart shows the largest of K weights, in size $\lVert\alpha\rVert_\infty$,"
        f" after least squares on K random features ({name}){_of_runs(len(decay.norms))}. The theorem requires "
        "weights of at most C/K; the dotted line has the smallest C that holds the median."
    )
    if median[-1] >= median[peak]:
        return f"{lead} Up to K = {k[-1]:,} the largest weight does not fall yet. Choose a larger K.{_copies(decay)}"
    return (
        f"{lead} From its peak of {number(median[peak])} at K = {k[peak]:,} it falls to **{number(median[-1])}** at "
        f"K = {k[-1]:,}. From K = {k[half]:,} on it goes like K to the power {number(decay.slope(half), 2)}; C/K would "
        f"be −1.{_copies(decay)}"
    )


def _copies(decay: WeightDecay) -> str:
    """Say how much of the fall comes of features that are equal, and share a weight."""
    together, k, median = decay.of_forms, decay.k_grid, decay.quantiles[1]
    if together is None:
        return ""
    half = len(k) // 2
    fall, own = together[-1] / together[half], median[-1] / median[half]
    said = (
        f" Only {decay.n_forms[-1]:,.0f} of the {k[-1]:,} features differ on these rows by more than their sign, and "
        f"equal features share a weight. From K = {k[half]:,} on the largest weight of **equal features together** "
        f"goes from {number(together[half])} to {number(together[-1])}, that of a single one from "
        f"{number(median[half])} to {number(median[-1])}"
    )
    if own < 1.0 and fall > own**0.5:
        return f"{said}: most of the fall is that more features share."
    return f"{said}."


def _of_runs(n: int) -> str:
    """Say what line and band are."""
    return f"; the line is the median of {n:,} runs, the band holds two thirds of them" if n > 1 else ", in one run"


def constraint_summary(found: ConstrainedErrors, label: str) -> str:
    """Return the chart of constrained weights in one sentence."""
    c, error = _least(found)
    return (
        f"Test error of {found.k:,} {_features_of(label)} with weights of at most C/K: least {per_cent(error)} at C = "
        f"{c:g}; {per_cent(found.free_error)} without the constraint."
    )


def constraint_explanation(found: ConstrainedErrors, label: str, n_test: int) -> str:
    """Return what one sees of constrained weights, with the numbers of the chart."""
    c, error = _least(found)
    place = C_GRID.index(c)
    gain = found.free_error - error
    gains = np.array([run.free_error - run.errors[place] for run in found.runs])
    # What chance moves: the mean over draws on the same rows, or the count of wrong rows of one draw.
    draws = len(gains)
    scatter = gains.std(ddof=1) / draws**0.5 if draws > 1 else ((found.free_error + error) / n_test) ** 0.5
    within = max(3.0 * float(scatter), 1.0 / n_test)
    if gain > within:
        said = f"**With C = {c:g} the error is {per_cent(error)}**: the constraint works as a penalty does."
    elif gain < -within:
        said = f"No C up to {C_GRID[-1]:g} does as well: the least error is {per_cent(error)}, at C = {c:g}."
    else:
        said = f"The constraint neither helps nor costs much: the least error is {per_cent(error)}, at C = {c:g}."
    runs = f", mean of {counted(len(found.runs), 'run')}" if len(found.runs) > 1 else ", in one run"
    return (
        r"**What am I seeing?** The theorem is about weights with $\lVert\alpha\rVert_\infty\le C/K$, and the paper’s "
        "algorithm minimises under this constraint. The chart shows the share of wrong labels on "
        f"{n_test:,} test rows against C, with K = {found.k:,} {_features_of(label)}{runs}. Without the constraint the "
        f"error is {per_cent(found.free_error)}, and K times the largest weight is {number(found.free_size)}: a larger "
        f"C changes nothing. {said} There {per_cent(found.at_border[place])} of the weights stand at ±C/K."
    )


def distances_summary(found: Distances, label: str) -> str:
    """Return the chart of distances from a function of the class in one sentence."""
    k, means = found.k_grid, found.means.mean(axis=0)
    return (
        f"Distance of the mean of K {_features_of(label)} from the function that they estimate: {number(means[0])} at "
        f"K = {k[0]:,}, {number(means[-1])} at K = {k[-1]:,}; C/√K is {number(found.scale[-1])} there."
    )


def distances_explanation(found: Distances, label: str) -> str:
    """Return what one sees of Lemma 1, with the numbers of the chart."""
    k, means = found.k_grid[-1], found.means
    draws, beyond = len(means), np.mean(means > found.bound)
    said = f"{per_cent(beyond)} of all are" if beyond > 0 else "none is"
    return (
        r"**What am I seeing?** Lemma 1: of K random features **some** sum with weights of at most $C/K$ is near every "
        r"function $f^*$ of the class, within $(C/\sqrt K)(1+\sqrt{2\log(1/\delta)})$ but for a share δ of the draws. "
        f"The proof takes the **mean** of K draws: at K = {k:,} it is {number(means[:, -1].mean())} away (mean of "
        f"{draws:,} draws), where C/√K is {number(found.scale[-1])}. Of draws beyond the bound for δ = {DELTA:g} "
        f"{said}. The weights within C/K that come **nearest** are {number(found.nearest[-1])} away: a fit can do "
        f"better than the lemma asks. Here $f^*$ weighs {_features_of(label)} by ±1, as each goes with the classes; "
        f"C is the largest norm of one on these rows, {number(found.size)}."
    )


def tail_summary(found: Distances, label: str) -> str:
    """Return the chart of Lemma 4 in one sentence."""
    units = found.means[:, -1] / found.scale[-1]
    return (
        f"Share of {len(units):,} draws of {found.k_grid[-1]:,} {_features_of(label)} whose mean is further from its "
        f"expectation than a multiple of C/√K: all are within {number(units.max())} of it."
    )


def tail_explanation(found: Distances) -> str:
    """Return what one sees of Lemma 4, with the numbers of the chart."""
    units, typical = found.means[:, -1] / found.scale[-1], found.expected[-1] / found.scale[-1]
    return (
        r"**What am I seeing?** Lemma 4, from which Lemma 1 follows: the mean of K vectors no longer than $M$ is "
        r"further than $t\,M/\sqrt K$ from its expectation with a probability of at most $e^{-(t-1)^2/2}$. "
        f"Of {len(units):,} draws of K = {found.k_grid[-1]:,} the median is at t = {number(np.median(units))} and the "
        f"furthest at {number(units.max())}; the variance of one vector gives a root mean square of {number(typical)}, "
        "which cannot exceed 1."
    )


def _least(found: ConstrainedErrors) -> tuple[float, float]:
    """Return the C with the least error, the smallest of several, and that error."""
    errors = found.errors
    first = int(np.flatnonzero(errors <= errors.min() + ROUNDING)[0])
    return C_GRID[first], float(errors[first])


def _features_of(label: str) -> str:
    name = label[:1].lower() + label[1:]
    return name if name.endswith("s") else f"{name} features"
