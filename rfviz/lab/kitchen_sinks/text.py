"""Texts of the page on kitchen sinks."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz.lab.kitchen_sinks.compute import Comparison, Curve, KitchenSinksResult, compare
from rfviz.lab.kitchen_sinks.weights import WeightDecay

__all__ = [
    "METHOD",
    "NO_FAMILIES",
    "NUMBERS",
    "PAPER",
    "explanation",
    "summary",
    "weights_explanation",
    "weights_summary",
]

NO_FAMILIES = "Choose at least one family of random features."

NUMBERS = (
    "Errors in per cent, mean over the draws; seconds are medians over the draws, at those K where they were measured "
    "on their own."
)

METHOD = r"""
**Kitchen sinks** are a weighted sum $f(x)=\sum_{k\le K}\alpha_k\,\varphi(x;w_k)$ whose $w_k$ are drawn at random and
never changed; only the weights $\alpha$ are fitted, which is a convex problem. Three families of $\varphi$ are here:
*stumps* $\mathrm{sign}(x_d-t)$ with a random column $d$ and threshold $t\sim\mathcal N(0,1)$, *sigmoids*
$\sigma(w^\top x+b)$, and Fourier features. The columns have mean 0 and variance 1, as the thresholds expect.

**AdaBoost** is scikit-learn’s, with stumps (trees of one question) that it chooses one after another, each on
reweighted rows. You set the largest number of stumps, since each choice looks at every threshold of every column.

The **quadratic** loss is ridge regression on codes $\pm1$: one factorisation serves every K. The other losses
(*exponential* is AdaBoost’s own) are trained for each K by stochastic gradients.

**Seconds** are those of training and testing together, everything included that the learner does by itself: for
random features drawing them, and choosing the penalty where it is not fixed. They are measured at a few K, each
on its own (a smaller K that comes along is not counted). For AdaBoost they are measured stump by stump in one run.
While you watch, the page is drawn by the same machine, so short times are a little too long;
`benchmarks/kitchen_sinks.py` measures alone.

The **largest weight** is that of least squares without an intercept and with a penalty of 1 (for tens of thousands of
rows: nothing but a way to share a weight evenly among features that are equal).
"""

PAPER = """
*A. Rahimi, B. Recht: Weighted Sums of Random Kitchen Sinks, 2008.* Figure 1 compares random stumps with AdaBoost on
three problems: **adult** (32,000 people, 123 columns of zeros and ones), **KDDCUP99** (50,000 connections to learn
from, 150,000 to test) and **activity**, which was never published; features of telephones’ accelerometers (WISDM)
stand in for it here, with six classes and far fewer rows. The paper says that kitchen sinks need more features than
AdaBoost needs stumps, end almost as accurate, and are quicker by one to three orders of magnitude. Figure 2 shows, in
500 runs on adult, that the largest weight falls with K, which is why the constraint of the theorem (weights of at
most C/K) can be left out.
"""


def explanation(result: KitchenSinksResult, view: str, loss: str) -> str:
    """Return what one sees, with the numbers of the chart."""
    curves, split = result.curves, result.split
    what = {
        "error": "the share of wrong labels",
        "seconds": "the seconds that training and testing take",
        "reach": "the seconds after which each error was first reached",
    }[view]
    bands = " (bands: ± 1 s.d. over the draws)" if any((c.frame["draws"] > 1).any() for c in curves) else ""
    on = {
        "error": f" on {len(split.X_test):,} test rows, against K: the number of random features or of stumps{bands}",
        "seconds": f" on {len(split.X_test):,} rows, against K: the number of random features or of stumps",
        "reach": f", on {len(split.X_test):,} test rows; the lower staircase belongs to the quicker learner",
    }[view]
    fitted = "ridge regression" if loss == "ridge" else f"the {loss} loss"
    chart = f"The chart shows {what}{on}."
    both = (
        f"Both learn from the same {len(split.X_train):,} rows: random features are drawn once and weighted by "
        f"{fitted}, while AdaBoost searches for every stump."
    )
    return " ".join(["**What am I seeing?**", *map(_verdict, compare(curves)), chart, both])


def _verdict(c: Comparison) -> str:
    """Compare one family of random features with AdaBoost, in a sentence."""
    features = c.label if c.label.endswith("s") else f"{c.label} features"
    best = f"AdaBoost’s best error ({c.error:.2%})"
    if c.sinks is not None:
        return (
            f"**{features}** reach {best} with K = {c.sinks[0]:,} in {_seconds(c.sinks[1])}; AdaBoost takes "
            f"{c.boosted[0]:,} stumps and {_seconds(c.boosted[1])}, {_times(c.boosted[1], c.sinks[1])}."
        )
    story = f"**{features}** do not reach {best}: they end at {c.own_error:.2%}"
    if c.near is None:
        return f"{story}."
    return (
        f"{story}, and come within half a percentage point with K = {c.near[0]:,} in {_seconds(c.near[1])}, where "
        f"AdaBoost takes {_seconds(c.boosted_near[1])}, {_times(c.boosted_near[1], c.near[1])}."
    )


def summary(curves: Sequence[Curve], view: str) -> str:
    """Return the chart in one sentence, for those who cannot see it."""
    title = {"error": "Test error against K", "seconds": "Seconds against K", "reach": "Seconds to reach an error"}[
        view
    ]
    parts = []
    for curve in curves:
        if not len(curve.measured):
            continue
        last = curve.measured.iloc[-1]
        noun = "stumps" if curve.cls is None else "features"
        parts.append(
            f"{curve.label}: {last['error']:.2%} after {_seconds(last['total'])} with {int(last['K']):,} {noun}"
        )
    return f"{title}. " + ("; ".join(parts) or "No points yet") + "."


def weights_summary(decay: WeightDecay, label: str) -> str:
    """Return the chart of largest weights in one sentence."""
    median, k = decay.quantiles[1], decay.k_grid
    return (
        f"Largest weight of {label} in {len(decay.norms)} runs: median {median[0]:.3g} at K = {k[0]:,}, "
        f"{median[-1]:.3g} at K = {k[-1]:,}."
    )


def weights_explanation(decay: WeightDecay, label: str) -> str:
    """Return what one sees of the largest weights, with the numbers of the chart."""
    median, k = decay.quantiles[1], decay.k_grid
    peak, half = int(median.argmax()), len(k) // 2
    name = label[:1].lower() + label[1:]
    lead = (
        r"**What am I seeing?** The chart shows the largest of K weights, in size $\lVert\alpha\rVert_\infty$,"
        f" after least squares on K random features ({name}); the line is the median of {len(decay.norms):,} "
        f"run{'s' if len(decay.norms) > 1 else ''}, the band holds two thirds of them. The theorem requires "
        "weights of at most C/K; the dotted line has the smallest C that holds the median."
    )
    if median[-1] >= median[peak]:
        return f"{lead} Up to K = {k[-1]:,} the largest weight does not fall yet. Choose a larger K."
    power = f"{decay.slope(half):.2f}".replace("-", "−")
    return (
        f"{lead} From its peak of {median[peak]:.3g} at K = {k[peak]:,} it falls to **{median[-1]:.3g}** at "
        f"K = {k[-1]:,}. Over the upper half of the grid it goes like K to the power {power}; C/K "
        "would be −1."
    )


def _seconds(value: float) -> str:
    return f"{1000 * value:.2g} ms" if value < 0.0995 else f"{value:.2g} s" if value < 99.5 else f"{value:.0f} s"


def _times(boosted: float, sinks: float) -> str:
    ratio = max(boosted, sinks) / max(min(boosted, sinks), 1e-9)
    number = f"{ratio:.2g}" if ratio < 9.95 else f"{ratio:,.0f}"
    return f"{number} times as long" if boosted >= sinks else f"which is {number} times as quick"
