"""Texts of the page on maps of one's own."""

from __future__ import annotations

from rfviz.experiments.build_a_map.compute import What

__all__ = ["DRAW", "METHOD", "NUMBERS", "WHAT", "still_of"]

WHAT: dict[What, str] = {"function": "A function", "pool": "A pool", "density": "A density", "kernel": "A kernel"}
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


def still_of(formula: str) -> str:
    """Return which formula is drawn while another one is being written."""
    return f"The picture is still that of `{formula}`."
