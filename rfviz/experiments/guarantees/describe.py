"""Sentences about guarantees next to measurements, and the table of what each bound requires."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.bounds import LOSSES, RiskBound
from rfviz.experiments.guarantees.compute import ABOUT, Comparison, Curve
from rfviz.experiments.guarantees.learning import Learnt
from rfviz.experiments.guarantees.risk import MeasuredRisk
from rfviz.experiments.learning_curve.describe import reasons
from rfviz.features import RandomBinning
from rfviz.words import counted, number, per_cent, times

if TYPE_CHECKING:
    import pandas as pd

    from rfviz.experiments.guarantees.complexity import Complexity
    from rfviz.experiments.guarantees.geometry import Geometry
    from rfviz.experiments.guarantees.minimiser import TheoremFits

__all__ = [
    "complexity_words",
    "count",
    "formulas",
    "free_words",
    "kernel_explanation",
    "kernel_sufficing",
    "kernel_summary",
    "reading",
    "required_words",
    "risk_explanation",
    "risk_sufficing",
    "risk_summary",
    "table",
]

# Of the bounds on kernels.
_LETTERS = r"""
$P$ is the probability of an error above $\varepsilon$, and $m$ the number of features. They have $D$ independent terms
of variance $v$, none farther than $b$ from its mean; a cosine and a sine of one frequency make one term, so that
$D=m/2$. There are $N$ pairs of points; a region has $d$ dimensions and a diameter; $\sigma_p$ is the root mean square
of the frequencies, $\beta_d$ a number that depends on $d$ alone, and $\alpha_\varepsilon=\min(1,v+\varepsilon/3)$.
Unbounded features have a slope $L$ along a projection, and the mean square $\sigma^2$ for a unit vector; $s$ is what
solves the equation.
"""

_HEADS = {
    "one pair": "One pair of points",
    "all pairs": "All {pairs} pairs of the {points} points",
    "everywhere": "Every pair of a region, diameter {diameter:.3g}, {d} dimensions",
}


def count(m: float) -> str:
    """Return a number of features as people write it; ∞ where no number will do."""
    return f"{m:,.0f}" if m < 1e7 else number(m, 2)


def table(comparison: Comparison, d: int) -> str:
    """Return what each statement requires, as a Markdown table."""
    measured = comparison.measured
    lines = [
        f"| For ε = {comparison.eps:g} and δ = {comparison.delta:g} | features m | × measured |",
        "|:--|--:|--:|",
    ]
    for about in ABOUT:
        curves = [c for c in comparison.curves if c.about == about]
        if not curves:
            continue
        head = _HEADS[about].format(
            pairs=count(measured.n_pairs), points=measured.n_points, diameter=measured.diameter, d=count(d)
        )
        lines.append(f"| **{head}** | | |")
        for curve in curves:
            ratio = "" if curve.kind == "measured" else times(curve.features / comparison.suffices(about).features)
            beyond = f", extrapolated beyond m = {count(measured.m_grid[-1])}" * curve.beyond
            lines.append(f"| {curve.name}{beyond} | {_needed(comparison, curve)} | {ratio} |")
    return "\n".join(lines)


def formulas(comparison: Comparison) -> str:
    """Return every bound with its formula and its source."""
    lines = [f"- **{c.name}**, {c.about}. {c.source}.  \n  $P\\le {c.formula}$" for c in comparison.curves if c.formula]
    return "\n".join([*lines, "", _LETTERS]) if lines else "No bound is about this map."


def _needed(comparison: Comparison, curve: Curve) -> str:
    """Write the features that a curve needs: how they are known decides how many digits they have."""
    if curve.kind == "bound":
        return count(curve.features)
    if curve.beyond:
        return f"≈ {number(curve.features, 2)}"
    at_most = "≤ " if curve.features <= comparison.measured.m_grid[0] else ""  # fewer are not looked at
    return f"{at_most}{count(curve.features)}"


def kernel_summary(comparison: Comparison, shown: Sequence[str] = ABOUT) -> str:
    """Return the chart in one sentence, as alternative text."""
    parts = [
        f"{c.name} for {c.about} {_needed(comparison, c)}{' (extrapolated)' * c.beyond}"
        for c in comparison.curves
        if c.about in shown
    ]
    measured = comparison.measured
    needed = f" Features needed for an error of {comparison.eps:g}: {'; '.join(parts)}." if parts else ""
    return (
        f"Error of the kernel estimate of {measured.spec.cls.label} on {measured.dataset} against the "
        f"number of features.{needed}"
    )


def kernel_explanation(comparison: Comparison, shown: Sequence[str], m: int, silent: str) -> str:
    """Return what one sees, with the numbers of the chart.

    Parameters
    ----------
    shown : sequence of str
        What the chart is about, of :data:`rfviz.experiments.guarantees.compute.ABOUT`.
    m : int
        The number of features that is marked.
    silent : str
        Why there is no bound, or an empty text if there are some.
    """
    if silent:
        return " ".join(["**No guarantee here.**", silent, *_measured_alone(comparison, shown)])
    sure = f"{100 * (1 - comparison.delta):g}%"
    parts = [_sentence(comparison, about, shown, sure) for about in ABOUT if about in shown]
    parts = [part for part in parts if part]
    after = [_at(comparison, m) if "all pairs" in shown else ""]
    if any("(extrapolated)" in part for part in parts):
        last = count(comparison.measured.m_grid[-1])
        after.append(f"Only up to {last} features were measured: hollow rings are extrapolated.")
    listed = parts if len(parts) < 2 else ["".join(f"- {part}\n" for part in parts)]
    return "\n\n".join(part for part in (*listed, " ".join(part for part in after if part)) if part)


def reading(comparison: Comparison) -> str:
    """Return how to read the chart."""
    kinds, last = {curve.kind for curve in comparison.curves}, count(comparison.measured.m_grid[-1])
    dotted = " Dotted curves hold if errors are normal with their exact variance." if "expected" in kinds else ""
    dashed = " Dashed curves are guaranteed." if "bound" in kinds else " No guarantee is drawn for this map."
    beyond = ""
    if any(curve.beyond for curve in comparison.curves):
        beyond = f" More than {last} were not measured: a thin dotted line goes on at the rate 1/√m, to a hollow ring."
    grids = (
        " Each grid of random binning counts as one feature." if comparison.measured.spec.cls is RandomBinning else ""
    )
    return (
        f"The error of the kernel estimate exceeds a curve with probability δ = {comparison.delta:g}. Curves with "
        f"marks are measured in {counted(comparison.measured.n_draws, 'draw')} of up to {last} "
        f"features.{dashed}{dotted} A disc marks where a curve reaches ε = {comparison.eps:g}.{beyond}{grids}"
    )


_STARTS = {
    "one pair": "**One pair**: for an error of at most ε = {eps:g} with probability {sure}, ",
    "all pairs": "**All pairs**: ",
    "everywhere": "**A whole region**: ",
}


def _sentence(comparison: Comparison, about: str, shown: Sequence[str], sure: str) -> str:
    found: list[Curve] = [c for c in comparison.find(about, "bound") if len(c.m)]
    if not found:
        return ""
    best = found[0]  # proven bounds come before those only printed
    start = _STARTS[about].format(eps=comparison.eps, sure=sure)
    if not math.isfinite(best.features):
        return f"{start}no number of features satisfies {best.name}."
    required = f"{start}{best.name} requires **{count(best.features)}** features."
    enough = comparison.suffices(about)
    if enough.about not in shown:
        return required
    least = bool(enough.features <= comparison.measured.m_grid[0])  # fewer features are not looked at
    ratio = f"{'at least ' * least}**{times(best.features / enough.features)}** times"
    loose = f"so the bound is {ratio} too large" if about == "one pair" else f"{ratio} fewer"
    practice = "For the measured pairs" if about == "everywhere" else "In practice"
    if enough.beyond:
        return f"{required} {practice} about {number(enough.features, 2)} would do (extrapolated), {loose}."
    return f"{required} {practice} {'at most ' * least}{count(enough.features)} suffice, {loose}."


def _measured_alone(comparison: Comparison, shown: Sequence[str]) -> Iterator[str]:
    """Yield what suffices in practice where nothing is guaranteed."""
    for about in ("one pair", "all pairs"):
        if about in shown:
            enough = comparison.suffices(about)
            least = bool(enough.features <= comparison.measured.m_grid[0])
            yield f"In practice {_practice(enough, least)} for an error of ε = {comparison.eps:g} on {about}."


def _practice(enough: Curve, least: bool) -> str:
    if enough.beyond:
        return f"about {number(enough.features, 2)} would do, by extrapolation,"
    return f"{'at most ' * least}{count(enough.features)} suffice"


def _at(comparison: Comparison, m: int) -> str:
    """Return what holds at the user’s m."""
    bound = [c for c in comparison.find("all pairs", "bound") if len(c.m)]
    if not bound or not bound[0].m[0] <= m <= bound[0].m[-1]:
        return ""
    allowed, grid = _read(bound[0], m), comparison.measured.m_grid
    found = comparison.find("all pairs", "measured")[0]
    happens = f"; measured: {number(_read(found, m), 2)}" if grid[0] <= m <= grid[-1] else ""
    return (
        f"At m = {count(m)}, the vertical line, {bound[0].name} allows an error of {number(allowed, 2)} for all pairs"
        f"{happens}."
    )


def _read(curve: Curve, m: int) -> float:
    """Return the error of a curve at one m, between its points."""
    return math.exp(np.interp(math.log(m), np.log(curve.m), np.log(np.maximum(curve.error, 1e-300))))


def risk_summary(measured: MeasuredRisk, bound: RiskBound, loss: str, n: int) -> str:
    """Return the chart in one sentence, as alternative text."""
    m = int(measured.m_grid[-1])
    return (
        f"{bound.name} on the excess {loss} risk against the number of features: {number(bound.total(n, m))} at m = "
        f"{m:,}; measured on {measured.dataset}: excess {number(measured.excess(loss)[0])} at m = "
        f"{measured.m_grid[0]:,}, test less training risk {number(measured.gap(loss)[-1])} at m = {m:,}."
    )


def risk_explanation(
    measured: MeasuredRisk, bound: RiskBound, loss: str, n: int, m: int, size: float, theorem: str
) -> str:
    """Return what one sees, with the numbers of the chart."""
    total, zero = float(bound.total(n, m)), LOSSES[loss].at_zero
    letter = "B" if theorem == "compositional" else "C"
    place = measured.place(m)
    verdict = (
        f"That is more than the risk {zero:.2g} of the function 0, so the theorem says **nothing** here"
        if total > zero
        else f"That is less than the risk {zero:.2g} of the function 0: the theorem says something"
    )
    rows = bound.rows(0.5 * zero)
    return (
        f"**What am I seeing?** {bound.name} bounds, {bound.holds}, how much worse the learnt function is than the "
        f"best of its class: a term that falls with the {count(n)} training rows (dashed), plus one that falls with "
        f"the features (dotted). With {letter} = {number(size)} it allows **{number(total)}** at m = {count(m)}. "
        f"{verdict}. Measured at m = {count(measured.m_grid[place])}: {number(measured.excess(loss)[place], 2)} over "
        f"the best m, and {number(measured.gap(loss)[place], 2)} between test and training risk. To bring the first "
        f"term to half of the risk of the function 0, it requires **{count(rows)}** rows."
    )


def free_words(geometry: Geometry, intrinsic: int, is_estimated: bool) -> str:
    """Say where the numbers come from that the theorem on maxout features leaves open."""
    said = f"The constant C′ is free: the paper gives no number. The intrinsic dimension is {intrinsic:,}, "
    if not is_estimated:
        said += "as chosen."
    elif geometry.estimate is None:
        said += f"which {geometry.n_rows:,} points do not exceed: distances do not tell it."
    else:
        said += "estimated from the data."
    if geometry.norm > 1.0:
        said += (
            f" The longest row has the length {number(geometry.norm)}, by which both terms are multiplied (Remark "
            "2.1): the theorem speaks of the unit sphere."
        )
    return said


def required_words(geometry: Geometry, required: pd.DataFrame, n: int, m: int, constant: float) -> str:
    """Say how many features Theorem 2 requires for ε = 1/√n, and where its dimension comes from.

    Parameters
    ----------
    required : DataFrame
        Of :func:`rfviz.experiments.guarantees.geometry.required_features`.
    n, m : int
        Training rows, and the features of the map.
    """
    first, eps = required.iloc[0], number(1.0 / math.sqrt(n), 2)
    said = [
        f"For an error of approximation ε = 1/√n = {eps}, as small as that of estimation from n = {count(n)} rows, "
        f"Theorem 2 requires **{count(first['features m'])}** features where the dimension is {first['d_M']:,} "
        f"({first['dimension']}) and C′ = {constant:g}: {_per_row(first['features m'] / n)} the rows. You have m = "
        f"{count(m)}."
    ]
    found = geometry.estimate
    if found is None:
        said.append(f"The dimension is not estimated. {geometry.why}")
    else:
        said.append(
            f"Two nearest neighbours give a dimension of {number(found.two_nn)} ± {number(found.two_nn_error, 2)}, "
            f"maximum likelihood {number(found.likelihood)} ± {number(found.likelihood_error, 2)}. The larger, rounded "
            "up, is taken, because the Assouad dimension is that of the place and the scale where it is largest. An "
            "estimate is not a guarantee."
        )
    said.append(
        f"It is certain that {geometry.n_rows:,} points have a dimension of at most log₂ of their number, "
        f"{geometry.by_count} (Remark 2.2)."
    )
    sparse = f"{geometry.nonzero:,} of {geometry.n_features:,} numbers other than 0"
    if geometry.by_zeros is None:
        said.append(f"A row has up to {sparse}, so these are not sparse signals.")
    elif geometry.by_zeros < geometry.by_columns:
        said.append(
            f"As sparse signals, with at most s = {sparse}, they have at most {geometry.by_zeros:,}, of the order of "
            f"s log d, where any points of as many columns have at most {geometry.by_columns:,}."
        )
    else:
        said.append(
            f"Rows have at most {sparse}: too many for sparse signals, whose dimension is of the order s log d."
        )
    return " ".join(said)


def _per_row(ratio: float) -> str:
    return f"{times(ratio)} times" if ratio >= 1 else f"{per_cent(ratio, 2)} of"


def complexity_words(complexity: Complexity, letter: str) -> str:
    """Say how complex the class is by measurement, next to the bound in the proof."""
    n, mean, error, bound = (
        values[-1] for values in (complexity.n_grid, complexity.mean, complexity.error, complexity.bound)
    )
    ratio = bound / mean
    said = (
        f"The Rademacher complexity, how well the best function of the class follows random signs, is "
        f"**{number(mean)}** ± {number(error, 2)} for {count(n)} rows and {letter} = {number(complexity.size)}: mean "
        f"and standard error of {counted(complexity.n_draws, 'draw')} of rows and features. The proof bounds it by "
        f"{number(bound)}, {times(ratio)} times as much."
    )
    if letter == "C":
        said += " Of that factor, √(π/2) = 1.25 is due to a root mean square in place of a mean."
    return said


def minimiser_words(found: TheoremFits) -> str:
    """Say how risky the theorem's own minimisers are, next to the bound."""
    frame = found.to_frame()
    row, exact, place = frame.iloc[-2], frame.iloc[-1], len(frame) - 2
    bound, mean = row["Theorem 5"], row["mean excess risk"]
    verdict = f"{times(bound / mean)} times as much" if mean > 0 else "while the minimiser’s own norm may be above B"
    return (
        f"With the theorem’s penalty, λ = {number(row['λ'], 2)} for random features, the mean excess {found.loss} risk "
        f"over the best function of norm B = {number(found.radius)} is **{number(mean, 2)}** ± "
        f"{number(row['standard error'], 1)} at m = {found.m_grid[place]:,.0f} and n = {found.n:,} rows; Theorem 5 "
        f"allows **{number(bound, 2)}**, {verdict}. With the exact kernel it is "
        f"{number(exact['mean excess risk'], 2)}, of {number(exact['Theorem 5'], 2)}. The best function "
        f"has the risk {number(found.best)}{_up_to(found)}."
    )


def _up_to(found: TheoremFits) -> str:
    """Say how much larger the least risk can be, where it is not known to three digits."""
    return f" to {number(found.best + found.gap)}" if found.gap > 0.005 * found.best else ""


_OF_KERNEL = {
    "one pair": "Kernel of one pair, off by at most ε",
    "all pairs": "Kernel of all pairs, off by at most ε",
    "everywhere": "Kernel of a whole region, off by at most ε",
}
# Two columns, which have room on a telephone.
_SUFFICING = "| {} | bound : theory : measured |\n|:--|--:|\n{}"


def kernel_sufficing(comparison: Comparison, learnt: Learnt | str) -> str:
    """Return bound, theory and measurement for the same ε: of the kernel, and of a model on it.

    Parameters
    ----------
    learnt : Learnt or str
        For `within` = ε, or why it is not known.
    """
    lines = []
    for about, what in _OF_KERNEL.items():
        bound, theory, measured = (comparison.find(about, kind) for kind in ("bound", "expected", "measured"))
        bound = [curve for curve in bound if len(curve.m)]
        if bound or measured:
            told = [_needed(comparison, kind[0]) if kind else "–" for kind in (bound, theory, measured)]
            name = f" ({bound[0].name})" if bound else ""
            lines.append(f"| {what}{name} | {' : '.join(told)} |")
    if isinstance(learnt, str):
        return f"{_SUFFICING.format(f'For ε = {comparison.eps:g}', _joined(lines))}\n\n{learnt}"
    lines.append(_learnt_line(learnt))
    said = _learnt_sentence(learnt)
    for curve in comparison.find("all pairs", "bound")[:1]:
        said += _against(curve.name, "for the kernel of all pairs", curve.features, learnt)
    return f"{_SUFFICING.format(f'For ε = {comparison.eps:g}', _joined(lines))}\n\n{said}"


def risk_sufficing(bound: RiskBound | None, learnt: Learnt | str) -> str:
    """Return bound, theory and measurement of a squared error that is as small as the exact kernel's but for a share.

    Parameters
    ----------
    bound : RiskBound or None
        For the quadratic loss; None if the theorem does not speak of it.
    learnt : Learnt or str
        See :func:`kernel_sufficing`.
    """
    if isinstance(learnt, str):
        return learnt
    asked = math.inf if bound is None else bound.features(learnt.within * learnt.risk, math.inf)
    line = _learnt_line(learnt, *(() if bound is None else (count(asked), f" ({bound.name})")))
    said = _learnt_sentence(learnt)
    if bound is None:
        said += " The theorem speaks of losses between 0 and 1, and says nothing of the squared error."
    else:
        said += _against(f"The second term of {bound.name}", "to be as small for the quadratic loss", asked, learnt)
    return f"{_SUFFICING.format('For the same squared error', line)}\n\n{said}"


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _learnt_line(learnt: Learnt, bound: str = "–", name: str = "") -> str:
    doubtful = " (doubtful)" * bool(reasons(learnt.curve))
    theory = f"{count(learnt.predicted)}{doubtful}" if learnt.predicted else "–"
    what = f"Squared error at most {100.0 * learnt.within:g}% above the exact kernel’s, {learnt.curve.n:,} rows"
    return f"| {what}{name} | {bound} : {theory} : {_measured(learnt, '> ', '≤ ')} |"


def _measured(learnt: Learnt, more: str, at_most: str) -> str:
    """Write the features that were measured to suffice; fewer than the sweep's first were not looked at."""
    grid = learnt.curve.m_grid
    if learnt.measured is None:
        return f"{more}{count(grid[-1])}"
    return f"{at_most if learnt.measured <= grid[0] else ''}{count(learnt.measured)}"


def _learnt_sentence(learnt: Learnt) -> str:
    """Say what is predicted and what is measured, and whether the prediction is to be trusted."""
    curve = learnt.curve
    aim = (
        f"a squared error within {100.0 * learnt.within:g}% of the exact kernel’s, with {curve.n:,} training rows and "
        "the best penalty for each m"
    )
    end = f"{counted(len(curve.draws), 'draw')} of up to {count(curve.m_grid[-1])} features"
    found = _measured(learnt, "more than ", "at most ")
    if curve.spec.cls.sparse_output:
        return (
            f"For {aim}, {found} are measured to suffice in {end}. Nothing is predicted: the theory is about features "
            "of one number each, and here each is a whole grid of boxes."
        )
    predicted = f"m = {count(learnt.predicted)}" if learnt.predicted else "more than ten million features"
    said = f"The kernel’s spectrum alone predicts {predicted} for {aim}; measured in {end}: {found}."
    why = reasons(curve)
    if why:
        said += f" The theory is **not reliable** here: {'; '.join(why)}."
    return said


def _against(name: str, what: str, asked: float, learnt: Learnt) -> str:
    """Compare the features that a bound asks for with those that learning took."""
    if not math.isfinite(asked):
        return f" {name} cannot promise it with any number of features."
    if learnt.measured is None:
        return f" {name} requires {count(asked)} {what}."
    ratio = asked / learnt.measured
    more = f"{times(ratio)} times" if ratio >= 1 else f"only {per_cent(ratio, 2)} of"
    return f" {name} requires {count(asked)} {what}, {more} what was measured for learning."
