"""Texts of the page on guarantees."""

from __future__ import annotations

__all__ = [
    "COMPLEXITY",
    "COROLLARY_4",
    "ERRATA",
    "FUNCTION_METHOD",
    "KERNEL_METHOD",
    "LETTERS",
    "LOOSENESS",
    "NUMBERS",
    "OWN_PENALTY",
    "REQUIRED",
    "RISK_METHOD",
    "RISK_NUMBERS",
    "SUFFICING",
]

LOOSENESS = r"""
Four things make a guarantee larger than what happens, and the table has a line for most of them.

1. **The variance is not used.** Hoeffding’s inequality knows only between which values a product lies. For a pair
   with a large kernel the products hardly vary. *Bernstein’s* inequality, with the exact variance, shows what that
   costs.
2. **A tail bound is not the tail.** The line *normal approximation* has the same variance and the tail of the normal
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

COROLLARY_4 = r"\mathbb E_\omega\lVert f-f_\omega\rVert_{2,\chi}\le\frac{C\,\lVert f\rVert}{\sqrt q}"

FUNCTION_METHOD = r"""
**The function** is $f=\sum_i\alpha_ik(x_i,\cdot)$ with $\alpha=(K+0.1\,\overline{k(x,x)}\,I)^{-1}y$, kernel ridge
regression at the points. Its norm in the kernel’s space is $\sqrt{\alpha^\top K\alpha}$.

**Its random version.** With $\check f(\omega)=\sum_i\alpha_i\psi(\omega,x_i)$ one has $f(x)=\mathbb
E_\omega\check f(\omega)\psi(\omega,x)$ and $\mathbb E\check f^2=\lVert f\rVert^2$. The mean over $q$ draws instead of
the expectation is $f_\omega(x)=\sum_i\alpha_ik_\omega(x_i,x)$: the same sum with the estimated kernel. Its variance
at a point is at most $\mathbb E(\check f\psi)^2/q\le C^2\lVert f\rVert^2/q$, which is the corollary. It bounds the
*mean* distance; a single draw may be farther off.

**Measured** is the root mean square of $f-f_\omega$ over the points, which is the distance for the distribution $\chi$
that picks one of them. Real features have $C=\sqrt2$; a pair of a cosine and a sine counts as two features, which gives
the same number as $C=1$ and $q=m/2$.
"""

SUFFICING = (
    "*Theory* of the kernel: normal errors with the exact variance. Of learning: the error that the eigenvalues of the "
    "exact kernel and the target along them predict, as on the page “Too many features?”. *Measured* of learning: "
    "means over draws of features and rows, at numbers of features that grow by a fifth. What is above the exact "
    "kernel’s error falls as 1/m: where 5% more are allowed, 1% more error moves m by a fifth."
)

NUMBERS = "Above: features that ε and δ require. Below: the curves, ε against m."

RISK_NUMBERS = (
    "Means over the draws. C and B are medians: the constants of the theorems that the fit at this m would need."
)

REQUIRED = (
    "d_M is the Assouad dimension. “At most” is proven: n points are covered by n balls; a ball in d dimensions by 5ᵈ "
    "balls of half its radius, so that log₂ 5ᵈ suffices; points with s numbers other than 0 lie in one subspace for "
    "each choice of s columns. The paper leaves to the future a bound by the spectrum of the kernel and the intrinsic "
    "dimension together; we know of none for maxout. What the spectrum alone predicts is in the first part below the "
    "chart."
)

COMPLEXITY = (
    "The largest value of |Σ σᵢ f(xᵢ)|/n over the class has a closed form: C times the mean over the features of "
    "|Σ σᵢ φ(xᵢ)|/n, for coefficients of at most C/m; B times the length of that vector, for a norm of at most B. Its "
    "mean over rows, features and signs is estimated. Times 4L, with L the slope of the loss, its bound is the first "
    "term of the theorem for maxout, and times 8L that for kitchen sinks."
)

OWN_PENALTY = (
    "A training set is drawn from at most 300 rows, with repetition and half as many, so that the risk of a function, "
    "its mean loss over these rows, is known exactly. The most frequent class is told from the rest. 10 draws of rows "
    "and features; scikit-learn minimises the mean loss + λ‖w‖² without an intercept. The best function of norm B, of "
    "the exact kernel, is found by duality; the lower end of what its risk can be is subtracted, so that the excess is "
    "rather too large than too small."
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
$n$ training rows; $q=m/2$ waves, each a cosine and a sine, with $C=1$, or $q=m$ real features of a skeleton, of at most
$C$: $\sqrt2$ times the largest product of base features, which is 1 but on spheres; $\rho$ the slope of the loss; $B$
the norm of the best function in the kernel’s space. It holds on average over training sets and draws, so there is no
$\delta$.
Nothing is left free, but the ridge penalty has to be $\lambda=\sqrt2\rho C/(\sqrt n B)$, and the loss convex with
slope $\rho$ everywhere (hinge, logistic). On the sphere $C$ is at least $\sqrt{d/2}$ (Theorem 6), and both terms grow
with it.
""",
    "maxout": r"""
$n$ training rows on the unit sphere, $m$ maxout features of $q$ projections; $L$ the slope of a loss with values in
$[0,1]$, here the ramp; $C$ the size of the class as in kitchen sinks; $\sigma^2(q)$ the mean square of the largest of
$q$ normals; $d_M$ the Assouad dimension: the part of the points in a ball can be covered by $2^{d_M}$ balls of half the
radius. It is estimated from the data unless you choose it. **Left free by the paper**: $C'$ and $c$. The sliders show
the shape of the bound, but no number of features follows. The bound requires $\varepsilon<1$.

**Remark 2.1.** Where points have lengths up to $R$ and losses a size up to $B$, the right side is multiplied by $RB$.
The ramp has $B=1$; $R$ is the longest row, which is 1 with the normalisation “unit norm”.
""",
}
