"""Texts of the page on guarantees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rfviz.bounds import LOSSES, RiskBound
from rfviz.features import FeatureMap, RandomBinning, RandomMaxout, RandomProjection
from rfviz.lab.guarantees.compute import ABOUT, Comparison, Curve
from rfviz.lab.guarantees.risk import MeasuredRisk
from rfviz.words import counted, number, times

__all__ = [
    "ERRATA", "KERNEL_METHOD", "LETTERS", "LOOSENESS", "NUMBERS", "RISK_METHOD", "RISK_NUMBERS", "count",
    "formulas", "kernel_explanation", "kernel_summary", "no_bound", "reading", "risk_explanation", "risk_summary",
    "table",
]  # fmt: skip

LOOSENESS = r"""
Four things make a guarantee larger than what happens, and the table has a line for most of them.

1. **The variance is not used.** Hoeffding’s inequality knows only between which values a product lies. For a pair
   with a large kernel the products hardly vary. *Bernstein’s* inequality, with the exact variance, shows what that
   costs.
2. **A tail bound is not the tail.** The line *if normal* has the same variance and the tail of the normal
   distribution, which the central limit theorem promises for many features. It is an expectation and not a guarantee.
   For one pair it is that of the pair with the largest variance, whereas the measured pair is picked at random.
3. **The union adds up** the failures of all pairs as if they never came together. This costs little: a factor of
   $1+\log N/\log(2/\delta)$ in $m$, with $N$ pairs.
4. **A whole region.** A bound for *every* pair of points of a region needs a net of points, fine enough that the
   estimate cannot move far in between. The price is the factor $d+2$ in the exponent, so that $m$ grows with the
   dimension; the constant in front stands in a logarithm and hardly matters. No experiment on finitely many points
   can contradict it, and the points of real data do not fill their region.
"""

ERRATA = r"""
- **Fourier, one pair.** The constant ¼ in $2e^{-D\varepsilon^2/4}$ is Hoeffding’s for *pairs* (cos, sin), of which
  $D$ features hold $D/2$. It is printed for $\sqrt2\cos(\omega\cdot x+b)$, whose products lie in $[-2,2]$; there
  Hoeffding’s inequality gives ⅛ only. Yet the bound is true: a product is
  $\cos\omega\cdot(x-z)+\cos(\omega\cdot(x+z)+2b)$, and because of the uniform $b$ the two terms are independent. That
  gives even $2e^{-D\varepsilon^2/3}$, the line *with the phase*.
- **Fourier, a region.** The proof counts $D$ *frequencies*; $m$ paired features have $m/2$, which doubles what the
  bound requires. With a phase the error is no function of $x-z$, and the proof does not apply; Proposition 2 of
  Sutherland and Schneider does, with a net in twice the dimensions. The proof also treats the place where the
  error $s-k$ is steepest as if it were not random, which gives $\mathbb E\sup\lVert\nabla(s-k)\rVert^2\le\sigma_p^2$.
  With a single frequency in one dimension the left side is 1.17 where $\sigma_p^2=1$. Without that step $\sigma_p$
  doubles, inside a logarithm. Proposition 1 of Sutherland and Schneider, the line for pairs, uses the same net and
  the same inequality of Markov; we know of no proof of its constant without that step, so the remark holds for it too.
- **Binning, a region.** In $36\,dP\alpha\,\mathrm{diam}\,e^{-(P\varepsilon^2/8+\ln(\varepsilon/L_k))/(d+1)}$ the
  product $\alpha\,\mathrm{diam}$ has no unit, but the slope $L_k$ has one. Measure the same points in other units,
  and the right side becomes as small as one likes. So it cannot hold for every $\alpha$ and $L_k$; here lengths are
  measured in $1/\gamma$, where both are 1, as in the paper’s example.
- **Kitchen sinks, Theorem 1.** A loss of slope $L$ on $[-C,C]$ may range over $2LC$, while the term
  $LC\sqrt{\frac12\log\frac1\delta}$ belongs to losses of range $LC$. Up to this factor of two in one term, it stands.
- **Maxout, Theorem 2.** $C'$, $c$ and the data’s intrinsic dimension are left free, so that no number of features
  follows. What is missing is in the probability of failure: its term $2e^{-cd/4}$ bounds the length of *one*
  projection, and should be multiplied by $q$ and by $m$. Which projection is the largest depends on the point, so all
  $q$ have to be short, in all $m$ features. In two dimensions the longest of $q$ exceeds $1.5\sqrt d$ with probability
  0.11, 0.36 and 0.97 for $q=1$, 4 and 32. (The proof uses the largest value of one feature for all $m$, which would
  cost a $\log m$; the statement needs none, since features have the mean square $\sigma^2(q)$, so that their averages
  are off by $\sigma(q)/\sqrt m$, whatever $m$ and $d$.) The proof has $\log(2/\delta)$ where the theorem has
  $\log(1/\delta)$.
- **Maxout, equation 4.** That the best function is locally linear is derived from the paper’s Theorem 1, which is wrong
  (see the page on distance saturation), so nothing proves it.
- **Compositional, Theorem 3** is Hoeffding’s inequality and exact as printed; Theorem 5 has no free constant.
"""

KERNEL_METHOD = r"""
**Measured.** For every draw of the map, and every $m$ of a grid, the kernel of all pairs is estimated and compared
with the closed form; one draw of the largest map holds all smaller ones. *One pair*: the error that a random pair in
a random draw exceeds with probability $\delta$. *All pairs*: the $1-\delta$ quantile over draws of the largest error.
Where there are fewer draws than $1/\delta$ that is the worst draw. The number of features that suffices is where the
curve comes down to $\varepsilon$ for good; beyond the largest $m$ it is continued by the rate $1/\sqrt m$.

**Bounds.** Each is a function $P(m,\varepsilon)$. It is solved for $\varepsilon$ at given $m$ and $\delta$ (the
curves), and for $m$ at given $\varepsilon$ and $\delta$ (the table), by halving a logarithmic interval 64 times; all
in logarithms, so that nothing overflows. *All pairs* multiplies by the number of pairs. *Everywhere* is about a
region with the diameter of the points, in the dimension $d$ of the data or of your choice; $\sigma_p^2=\mathbb
E\|\omega\|^2$ is $2d\gamma$ for the Gaussian kernel. It is compared with the measured error of all pairs, because
more cannot be measured.
"""

NUMBERS = "Above: features that ε and δ require. Below: the curves, ε against m."
RISK_NUMBERS = (
    "Means over the draws. C and B are medians: the constants of the theorems that the fit at this m would need."
)

RISK_METHOD = r"""
Ridge regression on codes of $\pm1$, each class against the rest, without an intercept, for all $m$ from one
factorisation per penalty; the penalty of each $m$ by leave-one-out errors; three draws of the map. The loss is that of
the margin $y f(x)$, averaged over classes and rows. *Excess over the best*: the test risk less the least one on the
grid. It stands in for the risk of the best function of the class, which is not known. *Test less training risk* is what
the estimation term bounds: it holds for every function of the class at once, however it was found.

The theorems are about the minimiser of the empirical risk under $|\alpha|\le C/m$, with $C$ fixed in advance. As the
paper of kitchen sinks does in practice, the constraint is dropped; $C$ is read off the fit afterwards.
"""

LETTERS = {
    "kitchen sinks": r"""
$n$ training rows, $m$ features $|\varphi|\le1$: waves $\cos(\omega\cdot x+b)$, stumps or sigmoids; $L$ the slope of
the loss; $C$ the size of the class, $f=\sum_k\alpha_k\varphi_k$ with $|\alpha_k|\le C/m$. It holds with probability
$1-2\delta'$, and $\delta'$ is half of the $\delta$ that you chose. Nothing is left free but $C$, which has to be
chosen before the data are seen; the comparison is with the best function *of that size*.
""",
    "compositional": r"""
$n$ training rows, $q=m/2$ waves, each a cosine and a sine, with $C=1$; $\rho$ the slope of the loss; $B$ the norm of
the best function in the kernel’s space. It holds on average over training sets and draws, so there is no $\delta$.
Nothing is left free, but the ridge penalty has to be $\lambda=\sqrt2\rho C/(\sqrt n B)$, and the loss convex with
slope $\rho$ everywhere (hinge, logistic). On the sphere $C$ is at least $\sqrt{d/2}$ (Theorem 6), and both terms grow
with it.
""",
    "maxout": r"""
$n$ training rows on the unit sphere, $m$ maxout features of $q$ projections; $L$ the slope of a loss with values in
$[0,1]$, here the ramp; $C$ the size of the class as in kitchen sinks; $\sigma^2(q)$ the mean square of the largest of
$q$ normals. **Left free by the paper**: $C'$ and $c$, and $d_M$, the Assouad dimension of the data, is unknown. The
sliders for them show the shape of the bound, but no number of features follows. The bound requires $\varepsilon<1$.
""",
}

# Of maps without a bound here, by class: which one there is elsewhere.
_OTHERS: dict[type[FeatureMap], str] = {
    RandomProjection: " A bound there is, which is not drawn here: by the lemma of Johnson and Lindenstrauss, with the "
    "constants of Dasgupta and Gupta, the product of two unit vectors is off by more than $\\varepsilon$ with a "
    "probability of at most $4e^{-m(\\varepsilon^2/2-\\varepsilon^3/3)/2}$.",
    RandomMaxout: " The paper has none; one would follow from the concentration of Lipschitz functions of normal "
    "numbers.",
}
# Of the bounds on kernels.
_LETTERS = r"""
$P$ is the probability of an error above $\varepsilon$, and $m$ the number of features. They have $D$ independent terms
of variance $v$, none farther than $b$ from its mean; a cosine and a sine of one frequency make one term, so that
$D=m/2$. There are $N$ pairs of points; a region has $d$ dimensions and a diameter; $\sigma_p$ is the root mean square
of the frequencies, $\beta_d$ a number that depends on $d$ alone, and $\alpha_\varepsilon=\min(1,v+\varepsilon/3)$.
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
        head = _HEADS[about].format(pairs=count(measured.n_pairs), points=measured.n_points, diameter=measured.diameter,
                                   d=count(d))  # fmt: skip
        lines.append(f"| **{head}** | | |")
        for curve in curves:
            ratio = "" if curve.kind == "measured" else times(curve.features / comparison.suffices(about).features)
            beyond = f", extrapolated beyond m = {count(measured.m_grid[-1])}" * curve.beyond
            lines.append(f"| {curve.name}{beyond} | {_needed(comparison, curve)} | {ratio} |")
    return "\n".join(lines)


def no_bound(feature_map: FeatureMap) -> str:
    """Return why no bound is drawn for a map, in Markdown, or an empty text if one is."""
    reason = feature_map.why_no_bound()
    if not reason or type(feature_map).why_no_bound is not FeatureMap.why_no_bound:
        return reason
    more = _OTHERS.get(type(feature_map), "")
    return f"Its features are unbounded, so that Hoeffding’s inequality says nothing of them.{more}"


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
    """Return the chart in one sentence, for those who cannot see it."""
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
    comparison : Comparison
    shown : sequence of str
        What the chart is about, of :data:`rfviz.lab.guarantees.compute.ABOUT`.
    m : int
        The number of features that is marked.
    silent : str
        Why there is no bound; empty where there are some.
    """
    if silent:
        return " ".join(["**No guarantee here.**", silent, *_measured_alone(comparison, shown)])
    sure = f"{100 * (1 - comparison.delta):g}%"
    parts = [_sentence(comparison, about, shown, sure) for about in ABOUT if about in shown]
    if any("(extrapolated)" in part for part in parts):
        parts.append(f"Only up to {count(comparison.measured.m_grid[-1])} features were measured.")
    parts.append(_at(comparison, m) if "all pairs" in shown else "")
    return " ".join(["**What am I seeing?**", *(part for part in parts if part)])


def reading(comparison: Comparison) -> str:
    """Return how to read the chart."""
    kinds, last = {curve.kind for curve in comparison.curves}, count(comparison.measured.m_grid[-1])
    dotted = " Dotted curves hold if errors are normal with their exact variance." if "expected" in kinds else ""
    dashed = " Dashed curves are guaranteed." if "bound" in kinds else " No guarantee is drawn for this map."
    beyond = ""
    if any(curve.beyond for curve in comparison.curves):
        beyond = f" More than {last} were not measured: a thin dotted line goes on at the rate 1/√m, to a pale ring."
    grids = (
        " Each grid of random binning counts as one feature." if comparison.measured.spec.cls is RandomBinning else ""
    )
    return (
        f"The error of the kernel estimate exceeds a curve with probability δ = {comparison.delta:g}. Curves with "
        f"marks are measured in {counted(comparison.measured.n_draws, 'draw')} of up to {last} "
        f"features.{dashed}{dotted} A ring marks where a curve comes down to ε = {comparison.eps:g}.{beyond}{grids}"
    )


_STARTS = {
    "one pair": "For an error of at most ε = {eps:g} on one pair with probability {sure}, ",
    "all pairs": "For all pairs, ",
    "everywhere": "For a whole region, ",
}


def _sentence(comparison: Comparison, about: str, shown: Sequence[str], sure: str) -> str:
    found: list[Curve] = [c for c in comparison.find(about, "bound") if len(c.m)]
    if not found:
        return ""
    best = found[0]  # what is proven comes before what is only printed
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
    """Return the chart in one sentence, for those who cannot see it."""
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
    free = " The constant C′ and the intrinsic dimension are free: the paper gives no numbers." * (theorem == "maxout")
    return (
        f"**What am I seeing?** {bound.name} bounds, {bound.holds}, how much worse the learnt function is than the "
        f"best of its class: a term that falls with the {count(n)} training rows (dashed), plus one that falls with "
        f"the features (dotted). With {letter} = {number(size)} it allows **{number(total)}** at m = {count(m)}. "
        f"{verdict}. Measured at m = {count(measured.m_grid[place])}: {number(measured.excess(loss)[place], 2)} over "
        f"the best m, and {number(measured.gap(loss)[place], 2)} between test and training risk. To bring the first "
        f"term to half of the risk of the function 0, it requires **{count(rows)}** rows.{free}"
    )
