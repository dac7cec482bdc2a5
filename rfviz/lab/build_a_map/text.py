"""Texts of the page on maps of one's own."""

from __future__ import annotations

from rfviz.experiments.build_a_map.compute import What

__all__ = ["BASE_METHOD", "BASE_NUMBERS", "BUILT_FROM", "DRAW", "METHOD", "NUMBERS", "WHAT", "still_of"]

WHAT: dict[What, str] = {"function": "A function", "pool": "A pool", "density": "A density", "kernel": "A kernel"}
BUILT_FROM = {**WHAT, "base": "A base space"}
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

BASE_NUMBERS = (
    "Largest seen: of 5,000 random points, each with an ω of its own. Mean square: E|ψ|² = k(x, x) = 1 for every "
    "scheme. Theorem 3: features for an error of at most 0.1 with probability 95%, 2C⁴ log(2/δ)/ε²."
)

BASE_METHOD = r"""
**A random feature scheme** is a function $\psi(\omega,x)$ with $k(x,x')=\mathbb
E_\omega\,\psi(\omega,x)\overline{\psi(\omega,x')}$. Its norm is the largest $|\psi|$ over all $\omega$ and $x$; it is
*C-bounded* if that is at most $C$, and *norm-efficient* if $C=1$. With $C$, Theorem 3 gives the number of features for
one pair, and Theorem 5 the risk of what is learnt. A compositional feature multiplies features of base spaces: a
product of $l$ of them is bounded by $C^l$. So one prefers base spaces with $C=1$.

- **{±1}**, $k=xx'$: $\psi=x$. **Circle**, $k=\cos(\theta-\theta')$: $\psi=z^{\pm1}$ of $z=e^{i\theta}$. The real part
  of a product is the same for every $\omega$.
- **Gaussian**, $k=e^{-a^2\lVert x-x'\rVert^2/2}$: $\psi=e^{ia\langle\omega,x\rangle}$ with normal $\omega$; here $a=1$.
- **Categories**, $k=1$ for equal ones, else 0: $\psi=e^{2\pi i\omega x/n}$. The paper prints $e^{i\omega x/(2\pi n)}$,
  whose mean products do not vanish (see “Errors in the papers”).
- **Sphere**, $k=\langle x,x'\rangle$: $\psi=\sqrt{d/2}\,(x_j\pm ix_{j+1})$, with $x_{d+1}=x_1$. Its $C=\sqrt{d/2}$ is
  the least that there is. For comparison: $\sqrt d\,\langle w,x\rangle$ with a random unit vector $w$, and $\sqrt
  d\,x_j$. Both have $C=\sqrt d$.

**Why no bound below $\sqrt{d/2}$** (Theorem 6). On the sphere features of $\langle x,x'\rangle$ are linear:
$\psi(\omega,a)=\sum_ja_j\psi(\omega,e_j)$ for almost every $\omega$, since the mean square of the difference is $\lVert
a-\sum a_je_j\rVert^2=0$ (Lemma 8). For every complex vector $z$ some unit vector $a$ has $|\sum
a_jz_j|^2\ge\frac12\lVert z\rVert^2$: the direction of its real or of its imaginary part (Lemma 7). With
$z_j=\psi(\omega,e_j)$, $\mathbb E\lVert z\rVert^2=\sum_jk(e_j,e_j)=d$, so that some $|\psi|^2$ is at least $d/2$.

**Measured.** Pairs are the first point and every other: along a half circle in a random plane, a line, or all
categories. 16 draws of 4096 features; smaller numbers are the first of a draw. Variances are exact: means over all
$\omega$ where there are finitely many, else by the fourth moments of a direction and the double angle of the cosine.

**In a map** features are real, $\sqrt2R\cos(\theta+b)$ of $\psi=Re^{i\theta}$ with $b\in\{0,\frac\pi2\}$ at random.
Their $C$ is $\sqrt2$ times as large.
"""


def still_of(formula: str) -> str:
    """Return which formula is drawn while another one is being written."""
    return f"The picture is still that of `{formula}`."
