"""Texts of the page on maps of one's own."""

from __future__ import annotations

from rfviz.lab.build_a_map.compute import Built, What
from rfviz.words import number, shown

__all__ = [
    "DRAW",
    "HEADINGS",
    "METHOD",
    "NUMBERS",
    "WHAT",
    "explanation",
    "formula_alt",
    "still_of",
    "summary",
    "verdict",
]

WHAT: dict[What, str] = {"function": "A function", "pool": "A pool", "density": "A density", "kernel": "A kernel"}
HEADINGS: dict[What, str] = {
    "function": "Your function f of a projection",
    "pool": "The rule of your pool",
    "density": "Your density of frequencies",
    "kernel": "Your kernel of the distance",
}
DRAW = ":material/draw: Draw in this chart, with the mouse or a finger. With the keyboard: Tab to it, then arrow keys."
NUMBERS = "Error: root mean square over all places of estimate − kernel; mean and standard deviation of 16 draws."

METHOD = r"""
**A function** $f$ makes the features $\Phi_\ell(x)=f(\langle w^\ell,x\rangle)/\sqrt m$ with Gaussian weights $w$. Two
points of norm $r$ at the angle $\theta$ have projections $u,v$ that are normal, with variance $r^2$ and correlation
$\rho=\cos\theta$. The kernel is $\mathbb E f(u)f(v)=\sum_k a_k^2\rho^k$, with $a_k$ the coefficients of $f$ in
Hermite polynomials: 512 of them by quadrature, the rest by their total. All these squares are positive: every
function gives a kernel. The variance of one product is $\mathbb E f(u)^2f(v)^2-(\mathbb E f(u)f(v))^2$; the first
term is the series of $f^2$. Weights of two or four lengths are $s\,w$ with a random length $s$, and
$\mathbb E\,s^2=1$: their kernel is the mean of the kernels of all lengths. Weights that prefer some directions have no
kernel of the angle alone, so they are not offered.

**A pool** sorts $q$ Gaussian projections, and the feature is one of them, or the range. Its kernel comes from the
chance that, of two points, so many projections lie below $s$ and so many below $t$ (Hoeffding’s formula). Its
variance is measured.

**A density** $p$ makes the features $\cos\omega x$ and $\sin\omega x$ with $|\omega|\sim p$, from 0 to 20. The kernel
is the cosine transform $k(\delta)=\int\cos(\omega\delta)\,p(\omega)\,d\omega$. Data of several columns have the
product of $k$ over the columns.

**A kernel** $k(\delta)$ goes the other way. Its cosine transform has to be the density of the frequencies, and a
density is nowhere negative (Bochner’s theorem). If the transform is negative somewhere, no features estimate $k$; the
page then leaves out the negative part and shows what is left. Before the transform, $k$ is multiplied by
$1-\delta/400$. This is a kernel, and a product of two kernels is a kernel, so that a negative value proves that $k$ is
no kernel. What is below zero by less than 0.2% of the largest value counts as zero. Frequencies above 20 are left out.

The error is measured on 181 points, with 16 draws of 4096 features. Smaller maps use the first features of a draw.
"""


def verdict(built: Built) -> str:
    """Return whether what was written is a kernel, and why."""
    transform = built.transform
    if transform is None:
        made = f"Every {built.what} makes a kernel"
        return f"{made}: an inner product of features is positive definite."
    if transform.is_positive:
        return "**It is a kernel**: its transform is nowhere negative, so it is a density of frequencies."
    return (
        f"**It is no kernel**: its transform is negative, lowest at ω = {number(transform.where)} with "
        f"{number(100 * transform.lowest, 2)}% of the largest value. No random features estimate it. The charts show "
        "what is left without the negative part."
    )


def explanation(built: Built, m: int) -> str:
    """Return what one sees in the chart of the kernel, with its numbers."""
    return (
        f"{verdict(built)} With **m = {shown(m)}** features the estimate has an RMS error of "
        f"**{number(built.error(m), 2)}**; theory predicts {number(built.predicted(m), 2)}. Four times as many "
        "features halve it."
    )


def summary(built: Built, m: int) -> str:
    """Return the chart of the kernel in a sentence, for those who cannot see it."""
    across = "the angle between two points" if built.what in ("function", "pool") else "the distance of two points"
    return f"Kernel against {across}, exact and estimated from {m:,} features; RMS error {number(built.error(m), 2)}."


def still_of(formula: str) -> str:
    """Return which formula is drawn while another one is being written."""
    return f"The picture is still that of `{formula}`."


def formula_alt(what: What, text: str) -> str:
    """Return the chart of what was written in a sentence, for those who cannot see it."""
    if what == "pool":
        return f"Weights of the sorted projections of a pool in a feature, which is the {text}."
    return f"{HEADINGS[what]}: {text}. Draw in it to change it."
