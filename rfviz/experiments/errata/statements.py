"""The errata in words: each statement of a paper as printed, why it fails, what holds, and its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from scipy.stats import chi2

from rfviz.bounds import bounded_products
from rfviz.experiments.errata import compute
from rfviz.experiments.errata.compute import Picture
from rfviz.kernels import (
    collision_rho,
    expected_max,
    expected_max_squared,
    maxout_by_argmax,
    maxout_rho,
    maxout_theorem1_as_printed,
)
from rfviz.skeleton import graph
from rfviz.words import number, per_cent

__all__ = ["ERRATA", "PAPERS", "STATEMENTS", "Asked", "Erratum"]

_MAXOUT = "Random Maxout Features"
_SINKS = "Weighted Sums of Random Kitchen Sinks"
_LARGE = "Fourier and binning features"
_COMPOSITIONAL = "Random Features for Compositional Kernels"
#: The papers, as headings.
PAPERS = (_MAXOUT, _SINKS, _LARGE, _COMPOSITIONAL)


class Asked(Protocol):
    """The settings that numbers and pictures depend on."""

    @property
    def pool_size(self) -> int: ...
    @property
    def rho(self) -> float: ...
    @property
    def m(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def size(self) -> float: ...
    @property
    def eps(self) -> float: ...
    @property
    def categories(self) -> int: ...
    @property
    def seed(self) -> int: ...


@dataclass(frozen=True)
class Erratum:
    """A statement that does not hold.

    Attributes
    ----------
    paper, place : str
        Where it is printed.
    printed, why, right : str
        In Markdown: the statement, why it fails, and what holds instead.
    numbers : callable, optional
        Settings to a sentence with numbers.
    picture : callable, optional
        Settings to curves.
    controls : tuple of str
        The settings that change its picture.
    page, values : str, mapping
        Another page that shows it, and the settings there.
    """

    paper: str
    place: str
    printed: str
    why: str
    right: str
    numbers: Callable[[Asked], str] | None = None
    picture: Callable[[Asked], Picture] | None = None
    controls: tuple[str, ...] = ()
    page: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def _theorem_1(asked: Asked) -> str:
    q, rho = asked.pool_size, asked.rho
    same, different = (float(value) for value in maxout_by_argmax(rho, q))
    square, kappa, K = expected_max_squared(q), float(collision_rho(rho, q)), float(maxout_rho(rho, q))
    printed, mended = float(maxout_theorem1_as_printed(rho, q)), float(compute.mended_once(rho, q))
    cases = f"At q = {q} and ρ = {rho:g} both points choose the same projection with probability κ = {number(kappa)}. "
    if not math.isnan(same):
        cases += f"Then the mean product is **{number(same)}**; the proof has ρσ² = {number(rho * square)}. "
    if not math.isnan(different):
        cases += f"Otherwise it is **{number(different)}**; the proof has 0. "
    return (
        f"{cases}The kernel is **{number(K)}**; the paper’s formula gives {number(printed)}, and {number(mended)} with "
        "the dropped term put back."
    )


def _far(asked: Asked) -> str:
    q = asked.pool_size
    return (
        f"At q = {q} the kernel of points at right angles is {per_cent(compute.constant_share(q))} of that of equal "
        f"points (h₁²/σ²), and that of opposite points {per_cent(compute.opposite_share(q))}."
    )


def _pools(asked: Asked) -> str:
    q = asked.pool_size
    mean, square = expected_max(q), expected_max_squared(q)
    if q < 2:
        return "With q = 1 there is no maximum; choose a larger pool."
    return (
        f"At q = {q} σ² = {number(square)}: {number(square / (2 * math.log(q)))} times 2 log q and "
        f"{number(square / math.log(q))} times log q; h₁ = {number(mean)} is "
        f"{number(mean / math.sqrt(2 * math.log(q)))} times √(2 log q)."
    )


def _longest(asked: Asked) -> str:
    q, m, d = asked.pool_size, asked.m, asked.dimension
    one, pool, every = (compute.share_beyond(d, *of) for of in ((1, 1), (q, 1), (q, m)))
    return (
        f"In {d} dimension{'s' * (d > 1)} one projection is longer than 1.5√d with probability {number(one, 2)}, the "
        f"longest of q = {q} with probability {number(pool, 2)}, and the longest of all q·m = {q * m:,} with "
        f"probability {number(every, 2)}."
    )


def _deviation(asked: Asked) -> str:
    frame = compute.deviation_term(asked.size).frame
    ratio = frame["estimation term, right"] / frame["as printed"]
    return (
        f"With L = 1, C = {asked.size:g}, c(0) = 1 and δ = 0.05 the deviation doubles, and the whole estimation term "
        f"is {number(ratio.iloc[0])} times the printed one, for every number of rows."
    )


def _copies(asked: Asked) -> str:
    found = compute.weights_of_copies(asked.seed)
    few = found[found["K"] >= 100].iloc[0]
    last = found.iloc[-1]
    return (
        f"On {compute.N_COLUMNS} columns of zeros and ones {last['K']:,.0f} stumps have {last['forms']:.0f} forms. "
        f"From "
        f"K = {few['K']:,.0f} to {last['K']:,.0f} the largest weight of a stump falls from "
        f"{number(few['largest weight'], 2)} to {number(last['largest weight'], 2)}, and that of all its copies "
        f"together "
        f"goes from {number(few['largest weight of a form'], 2)} to {number(last['largest weight of a form'], 2)}."
    )


def _phases(asked: Asked) -> str:
    needed = [math.ceil(c * math.log(2 / 0.05) / asked.eps**2) for c in (8, 4, 3)]
    return (
        f"For an error of at most ε = {asked.eps:g} with probability 95% Hoeffding’s inequality requires {needed[0]:,} "
        f"features with a phase, the printed bound {needed[1]:,}, and the proven one {needed[2]:,}."
    )


def _units(asked: Asked) -> str:
    frame = compute.units(asked.m).frame
    start, end = frame["lengths measured in 1/γ"].iloc[0], frame["as printed"].iloc[-1]
    return (
        f"For {asked.m:,} grids and a region of diameter 3/γ in two dimensions, ε = 0.5, the bound is {number(start)} "
        f"with lengths in 1/γ. If 1/γ is a million units, the same points, the same map and the same error have the "
        f"bound {number(end)}."
    )


def _categories(asked: Asked) -> str:
    frame = compute.categories(asked.categories).frame
    if asked.categories < 2:
        return ""
    one = frame.iloc[1]
    real, imaginary = one["exponent iωx/(2πn), as printed"], one["its imaginary part"]
    return (
        f"With n = {asked.categories} and categories that differ by one, the printed features have the mean product "
        f"**{number(real)} + {number(imaginary)}i**; it should be {abs(round(one['exponent 2πiωx/n'], 9)):g}."
    )


def _calls(asked: Asked) -> str:
    frame = compute.recursive_calls().frame.set_index("skeleton")
    one = frame.loc["2 convolutions"]
    return (
        f"Of the skeleton with two convolutions over 24×24 pixels C(S) is {number(one['C(S), as printed'])}; a feature "
        f"takes {number(one['recursive calls'])} calls on average and multiplies "
        f"{number(one['different inputs that meet'])} different inputs."
    )


def _two_lengths(asked: Asked) -> str:
    slope = 0.25
    node = {"kind": "exponential", "scale": slope}
    two = graph([("circle", 2)], [(node, [0]), (node, [2, 1])])
    printed = slope ** two.depths[1]
    return (
        f"Of two nodes with σ̂′(1) = ¼, the upper one above the lower one and an input, C(S) is "
        f"{number(two.complexity)}; the printed bound is {number(printed)}."
    )


def _sums(asked: Asked) -> str:
    # Where the sum is within, the shorter one is within half of that.
    share = 2.0 * float(chi2.cdf(0.5625 * 200, 200))
    return f"In 200 dimensions the sum of two lengths is within 1.5√d with a probability below {number(share, 2)}."


def _four_times(asked: Asked) -> str:
    complex_form, real_form = (bounded_products(C).features(0.1, 0.05) for C in (1.0, math.sqrt(2.0)))
    return f"For ε = 0.1 and δ = 0.05: {complex_form:,.0f} complex features, {real_form:,.0f} real ones."


#: All errata, by short names; those with a picture first in each paper.
ERRATA: dict[str, Erratum] = {
    "maxout kernel": Erratum(
        _MAXOUT,
        "Theorem 1 and its proof",
        r"For unit vectors the kernel of maxout features is $K(\rho)=\sigma^2(q)\,\rho\,\kappa_q(\rho)$.",
        r"The proof asks whether both points choose the same projection. If not, it takes 0 for the mean product, "
        r"“since "
        r"the Gaussians are independent and zero centred”; but a projection that is the *largest* is not centred. If "
        r"so, "
        r"it takes $\rho\sigma^2$: the projection is the largest for one point, and it forgets that it is for the "
        r"other "
        r"point too.",
        r"$K(\rho)=h_1(q)^2+\int_0^\rho\kappa_q(t)\,dt$, by Price’s theorem, with $h_1$ the mean of the largest of "
        r"$q$.",
        _theorem_1,
        lambda asked: compute.theorem_1(asked.pool_size, asked.rho),
        ("pool_size", "rho"),
        "distance-saturation",
        {"map": "RandomMaxout", "printed": True},
    ),
    "far points": Erratum(
        _MAXOUT,
        "Section 2.1, and equation 4",
        r"The kernel is about 0 for far points and about $\sigma^2\rho$ for near ones. So the best function is a "
        r"locally "
        r"linear one, $f^*=\langle\sum\beta_i\kappa(x,x_i)x_i,x\rangle$.",
        "Both are derived from Theorem 1. Most of the right kernel is a constant, the same for all pairs.",
        r"Distances do survive near a point and saturate far from it, since $K'=\kappa_q$. That far points have a "
        r"kernel "
        r"near 0 is false, and equation 4 has no proof.",
        _far,
        lambda asked: compute.far_points(asked.pool_size),
        ("pool_size",),
        "distance-saturation",
        {"map": "RandomMaxout", "printed": True},
    ),
    "large pools": Erratum(
        _MAXOUT,
        "Appendix A",
        r"$\sigma^2(q)\sim\log q$.",
        r"The largest of $q$ normal numbers grows as $\sqrt{2\log q}$; its square has twice the printed size.",
        r"$\sigma^2(q)\sim2\log q$, which is approached so slowly that exact values are better.",
        _pools,
        lambda asked: compute.large_pools(asked.pool_size),
        ("pool_size",),
        "hashing",
        {"map": "RandomMaxout"},
    ),
    "longest projection": Erratum(
        _MAXOUT,
        "Theorem 2 and Lemma 2",
        r"The bound holds with probability $1-3\delta-2e^{-cd/4}$, whatever $q$ and $m$.",
        r"The last term bounds the length of *one* projection. Which one is the largest depends on the point, so that "
        r"all "
        r"$q$ have to be short, in all $m$ features.",
        r"The term should be multiplied by $q$ and by $m$. The error itself needs no $\log m$: averages of $m$ "
        r"features "
        r"are "
        r"off by $\sigma(q)/\sqrt m$, whatever $m$ and $d$.",
        _longest,
        lambda asked: compute.longest_projection(asked.pool_size, asked.m, asked.dimension),
        ("dimension", "pool_size", "m"),
        "guarantees",
        {"view": "Learning", "theorem": "maxout"},
    ),
    "sum of lengths": Erratum(
        _MAXOUT,
        "Lemma 2",
        r"With probability $1-2e^{-cd/4}$ the *sum* of two lengths $\lVert w\rVert$ is at most $1.5\sqrt d$.",
        r"Each length is about $\sqrt d$, so that the sum is about $2\sqrt d$.",
        "It holds for the larger of the two, which changes a constant.",
        _sums,
    ),
    "conditioning": Erratum(
        _MAXOUT,
        "Lemma 3",
        r"The mean over features is taken as if the event that projections are short changed nothing.",
        r"Given this event the features have another mean, and it has to hold for all $m$ of them at once.",
        "The statement stands up to constants: a feature is a Lipschitz function of its weights and concentrates.",
    ),
    "exchanged weights": Erratum(
        _MAXOUT,
        "Proof of Theorem 2",
        r"By McDiarmid’s inequality for exchanging one row “or the random projections”: the change is at most $2/N$.",
        "Another projection is another class of functions, whose risks may all differ.",
        "The inequality is needed for the rows alone, given the projections.",
    ),
    "two logarithms": Erratum(
        _MAXOUT,
        "Theorem 2 and equation 10",
        r"The theorem has $\log(1/\delta)$, the last line of its proof $\log(2/\delta)$.",
        "Two tails are added in the proof.",
        r"$\log(2/\delta)$.",
        lambda asked: (
            f"At δ = 0.05: √(2 log 1/δ) = {number(math.sqrt(2 * math.log(20)))}, and "
            f"√(2 log 2/δ) = {number(math.sqrt(2 * math.log(40)))}."
        ),
        page="guarantees",
        values={"view": "Learning", "theorem": "maxout"},
    ),
    "cost of testing": Erratum(
        _MAXOUT,
        "Section 1",
        r"A prediction costs $O(dm)$.",
        r"A maxout feature takes $q$ products of length $d$.",
        r"$O(dmq)$.",
    ),
    "optimal neighbours": Erratum(
        _MAXOUT,
        "Section 5.2.1",
        "An optimal nearest-neighbour classifier has an error of 3.09% on MNIST.",
        "That is the error of one neighbour; three have fewer.",
        "2.95%, with three neighbours. Maxout’s best, 2.23%, stays below both.",
    ),
    "deviation term": Erratum(
        _SINKS,
        "Lemma 3",
        r"The deviation of the empirical risk is at most $LC\sqrt{\tfrac12\log\frac1\delta}$, over $\sqrt n$.",
        r"That is McDiarmid’s inequality for losses of range $LC$. A loss of slope $L$ on $[-C,C]$ may range over "
        r"$2LC$.",
        r"$LC\sqrt{2\log\frac1\delta}$. The rest of Theorem 1 stands.",
        _deviation,
        lambda asked: compute.deviation_term(asked.size),
        ("size",),
        "guarantees",
        {"view": "Learning", "theorem": "kitchen sinks"},
    ),
    "copies of stumps": Erratum(
        _SINKS,
        "Figure 2",
        r"The largest weight $\lVert\alpha\rVert_\infty$ falls as $K$ grows, so that the constraint $|\alpha|\le C/K$ "
        r"holds "
        "by itself.",
        "The data are adult: 123 columns of zeros and ones, each with one cut, hence at most 124 different stumps. "
        "More "
        "stumps are copies, and least squares share a weight among copies.",
        "The weight of all copies of a stump together does not fall. With features that differ, it has to be looked at "
        "anew.",
        _copies,
        lambda asked: compute.copies(asked.seed),
        ("seed",),
        "kitchen-sinks",
        {"view": "weights"},
    ),
    "one side, two sides": Erratum(
        _SINKS,
        "Lemma 3",
        "A bound on the absolute difference of the risks, from a theorem about one side.",
        "The other side fails with probability δ too.",
        r"$\log\frac2\delta$ in place of $\log\frac1\delta$.",
    ),
    "dropped terms": Erratum(
        _SINKS,
        "Theorem 1 and equation 7",
        r"The bound is $O\bigl((\frac1{\sqrt m}+\frac1{\sqrt K})LC\sqrt{\log\frac1\delta}\bigr)$, for the quadratic "
        r"loss "
        "too; its proof goes “by Theorem 1”.",
        r"The term $2|c(0)|$ is not below this order for small $C$; the quadratic loss has a slope of at most $L$ only "
        r"on "
        r"$[-C,C]$; and Lemma 2 is meant.",
        "Theorem 1 with the constants of its proof, as the page on guarantees draws it.",
        page="guarantees",
        values={"view": "Learning", "theorem": "kitchen sinks"},
    ),
    "almost as accurate": Erratum(
        _SINKS,
        "Figure 1",
        "Random features are almost as accurate as AdaBoost, and two to three orders of magnitude quicker for a given "
        "$K$.",
        "It depends on the data.",
        "On KDDCUP99 random stumps end at 0.33% and AdaBoost at 0.10%, three times fewer errors. On adult they end at "
        "15.46 and 15.19%, and are some 50 times quicker for a given $K$.",
        page="kitchen-sinks",
    ),
    "constant of Hoeffding": Erratum(
        _LARGE,
        "One pair of points",
        r"By Hoeffding’s inequality $P(|\hat k-k|\ge\varepsilon)\le2e^{-D\varepsilon^2/4}$ for $D$ features "
        r"$\sqrt2\cos(\omega\cdot x+b)$.",
        r"The products of such features lie in $[-2,2]$, for which the inequality gives ⅛. The constant ¼ is that of "
        r"pairs "
        "(cos, sin) whose products lie in $[-1,1]$, with two features each.",
        r"It is true all the same: a product is $\cos\omega\cdot(x-z)+\cos(\omega\cdot(x+z)+2b)$, two independent "
        r"terms, "
        r"and even $2e^{-D\varepsilon^2/3}$ holds.",
        _phases,
        lambda asked: compute.phases(asked.eps),
        ("eps",),
        "guarantees",
        {"map": "RandomFourier", "paired": False},
    ),
    "unit of length": Erratum(
        _LARGE,
        "Binning, a whole region",
        r"The failure has probability at most $36\,dP\alpha\,\mathrm{diam}\,"
        r"\exp\frac{-(P\varepsilon^2/8+\ln(\varepsilon/L_k))}{d+1}$.",
        r"$\alpha\,\mathrm{diam}$ has no unit, but the slope $L_k$ has one: in a smaller unit of length the bound is "
        r"smaller, "
        "with the same points and the same map.",
        r"It can be meant only with lengths in $1/\gamma$, where $\alpha=L_k=1$, as in the example of the paper.",
        _units,
        lambda asked: compute.units(asked.m),
        ("m",),
        "guarantees",
        {"map": "RandomBinning"},
    ),
    "steepest point": Erratum(
        _LARGE,
        "Fourier, a whole region",
        r"The proof uses $\mathbb E\sup\lVert\nabla(s-k)\rVert^2\le\sigma_p^2$, and counts $D$ frequencies.",
        "The place where the error is steepest is treated as if it were not random. With a phase the error is no "
        "function "
        "of $x-z$, and $m$ paired features have $m/2$ frequencies.",
        r"Without that step $\sigma_p$ doubles, inside a logarithm.",
        lambda asked: (
            f"With one frequency in one dimension the left side is {number(compute.steepest_slope())}, where σ_p² = 1."
        ),
        page="guarantees",
        values={"map": "RandomFourier"},
    ),
    "slips of the notes": Erratum(
        _LARGE,
        "The lecture notes",
        r"$\sigma_p^2$ is the trace of the Hessian of $k$ at 0; $\zeta(x)\zeta(y)$ estimates $k$; a prediction costs "
        "$O(D+d)$; scores are 0.972% and the like.",
        "A maximum has a negative Hessian; complex features need a conjugate; $D$ products have length $d$; scores are "
        "shares.",
        r"Minus the trace; $\zeta(x)\overline{\zeta(y)}$; $O(Dd)$; 97.2%.",
        page="accuracy",
        values={"data": "digits"},
    ),
    "categories": Erratum(
        _COMPOSITIONAL,
        "Example 4",
        r"Features $e^{i\omega x/(2\pi n)}$, $\omega$ uniform on $n$ categories, have the kernel that is 1 for equal "
        "categories and 0 for others.",
        r"The roots of unity are $e^{2\pi i\omega/n}$; with the printed exponent the angles stay so small that nothing "
        "cancels.",
        r"$e^{2\pi i\omega x/n}$.",
        _categories,
        lambda asked: compute.categories(asked.categories),
        ("categories",),
        "build-a-map",
        {"what": "base", "base": "categorical"},
    ),
    "recursive calls": Erratum(
        _COMPOSITIONAL,
        "Section 5, complexity",
        "$C(S)$ is the expected number of recursive calls of Algorithm 1, and bounds its cost.",
        "It counts the base features at the ends. Every node on the way is a call as well, and an input may be met "
        "twice.",
        "$C(S)$ is the expected number of base features that are multiplied.",
        _calls,
        lambda asked: compute.recursive_calls(),
        (),
        "pixel-cooccurrence",
        {},
    ),
    "paths of two lengths": Erratum(
        _COMPOSITIONAL,
        "Section 5, complexity",
        r"Where all nodes have one activation, $C(S)\le\hat\sigma'(1)^{\mathrm{depth}(S)}$, with equality in layers.",
        r"A shorter path has fewer factors $\hat\sigma'(1)$. If they are below 1, as for $e^{(\rho-1)/4}$ of the "
        r"paper’s own experiments, it has the larger product.",
        r"$C(S)\le\max(1,\hat\sigma'(1))^{\mathrm{depth}(S)}$. For layers, and for slopes from 1 on, the paper’s "
        r"statement holds.",
        _two_lengths,
        lambda asked: compute.paths_of_two_lengths(),
        (),
        "pixel-cooccurrence",
        {},
    ),
    "the exponential": Erratum(
        _COMPOSITIONAL,
        "Section 5",
        r"The exponential activation has $\hat\sigma(\rho)=e^\rho$.",
        r"A dual activation is 1 at $\rho=1$; this one is $e$.",
        r"$e^{\rho-1}$.",
    ),
    "real features": Erratum(
        _COMPOSITIONAL,
        "Comment 1",
        r"Complex features may be replaced by real ones, $\sqrt2R\cos(\theta+b)$.",
        r"Their bound $C$ is $\sqrt2$ times as large, and Theorem 3 has $C^4$; Theorem 5 has a factor of $\sqrt2$ and "
        r"of 2.",
        "The kernel is the same; the bound requires four times as many.",
        _four_times,
        page="guarantees",
        values={"map": "CompositionalFeatures"},
    ),
    "small contradictions": Erratum(
        _COMPOSITIONAL,
        "Sections 2 to 6",
        "All activations are ReLU; Theorem 6 holds for $d\\ge1$; equation 4 is about any loss.",
        r"The shallow skeleton of Section 6 has an exponential node; for $d=1$ the bound $\sqrt{1/2}$ is below 1, "
        r"which no "
        "normalised features have; eq. 4 needs a convex loss.",
        r"Here the *full* skeleton of Table 1 has a ReLU, the shallow one of Figure 3 an exponential; "
        r"$C\ge\max(1,\sqrt{d/2})$.",
        page="pixel-cooccurrence",
    ),
}
#: The errata with a picture, by name.
STATEMENTS = tuple(name for name, erratum in ERRATA.items() if erratum.picture is not None)
