"""Texts of the page on kernel approximation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rfviz.experiments.kernel_approximation.compute import CONFIDENCE, KernelErrorResult
from rfviz.words import number

__all__ = ["BIAS_TEXT", "METHOD", "NUMBERS", "PARTS", "of_pair", "theory"]


PARTS = " Each reads all rows once."

METHOD = rf"""
A feature map $\Phi$ estimates its kernel by an inner product, which is a mean over its $m$ random features:

$$
\hat k(x,z)=\langle\Phi(x),\Phi(z)\rangle=\frac1m\sum_{{\ell=1}}^m f_\ell(x)\,f_\ell(z),
\qquad \mathbb E\,\hat k(x,z)=k(x,z).
$$

For every pair of the $N$ points, each counted once, the error is $e=\hat k(x,z)-k(x,z)$, with $k$ in closed form.

- **MAE**, the mean absolute error, is the mean of $|e|$ over the pairs: the error of a typical pair.
- **RMSE**, the root mean square error, is $\sqrt{{\text{{mean of }}e^2}}$: the same, but large errors count for more.
  It is never below the MAE; for errors that are normal it is $\sqrt{{\pi/2}}\approx1.25$ times as large.
- The **maximum error** is the worst pair: what a guarantee for all pairs is about.
- The **correlation** of $\hat k$ and $k$ over the pairs says whether similar pairs are *ranked* as similar. It does
  not see an error that all pairs share, nor a wrong scale, so a map may have a large RMSE and a correlation near 1.

**Why $1/\sqrt m$.** The features are independent, so $\operatorname{{Var}}\hat k(x,z)=v(x,z)/m$, with $v$ the
variance of one product $f(x)f(z)$. Four times the features halve the error. The dotted curve next to the RMSE is
$\sqrt{{\text{{mean of }}v/m}}$ from the exact $v$ of the map: nothing is fitted.

**Better draws.** Independent frequencies of Fourier features may by chance lie close to each other, and then repeat
each other. *Orthogonal* ones come in blocks of as many as there are columns $d$, at right angles: the exact variance
of the Gaussian kernel’s estimate has a further, mostly negative part for every pair of a block,
${{}}_1F_1(d;\tfrac d2;-\gamma\lVert\delta\rVert^2)-k^2$. *Structured* ones are nearly the same, by fast Hadamard
transforms, with a bias below 0.001. *Sobol* points spread evenly over all columns, which needs more points the more
columns there are. None of them helps where the kernel is nearly zero.

**Bounds.** If a product lies in an interval of length $B$, Hoeffding’s inequality gives
$P(|e|\ge\varepsilon)\le2e^{{-2m\varepsilon^2/B^2}}$ for one pair; a union over the pairs bounds the maximum error with
probability {CONFIDENCE:.0%}. Such a bound holds for all data, and is several times larger than what happens here.

**One draw for all $m$.** The first $m$ features of a larger map are the map with $m$ features, so the matrices
$\hat K$ for all $m$ are sums of the same blocks $FF^\top$, each added once. The points of a curve therefore share
their draws: a curve that is low at one $m$ tends to be low at the next. The band is ± 1 standard deviation of a draw.
The pairs of a draw share its features too, so their errors go together: with maxout features, which are all positive on
average, nearly by one common factor. Few draws may then all lie on one side of what theory predicts; more draws do not.

**All rows.** Of a file larger than memory the points are drawn at random. With “All rows” each row of the file that
can be used is paired with each of the points; a pair counts once, and no row is paired with itself. That is about
$n\cdot N$ pairs for $n$ rows. The draws are the same, and so is the scale: what a normalisation or a width learns from
data, it learns from the points. RMSE, MAE and correlation should agree with those of the points’ pairs, if the points
stand for the table. The maximum need not: it grows with the number of pairs, and rare rows may be missing among the
points. Pairs of two rows neither of which is a point are not looked at; the bounds and the exact lines are about the
points’ pairs. One pass over the file serves five draws of a map.

**Figure 3 of the paper** compares compositional features with Rahimi and Recht’s Fourier features (shallow), and with a
mixture (deep): a random path down to a patch, and Fourier features of that patch. Here both are the map “Hybrid
compositional”. The paper draws new images for each of its ten repetitions; here all draws see the same 128. Every pixel
is an angle, π times its value. A compositional feature that is the same for all data is drawn again and again. Kept
once, it makes room for others, and the error falls faster than $1/\sqrt m$: those are the two curves.
The baseline is the paper’s, cos(· + b). With “Cos/sin pairs” it has a much lower variance where the kernel is large.

**A fair comparison.** Kernels differ in size: that of maxout grows with its pool. Divided by the mean of $k(x,x)$,
errors of different kernels can be compared.
"""

BIAS_TEXT = r"""
The error of one estimate has two parts, $\mathbb E\,e^2=\underbrace{(\mathbb E\,\hat k-k)^2}_{\text{bias}^2}
+\underbrace{\operatorname{Var}\hat k}_{\text{spread}^2}$. The **spread** differs from draw to draw and falls as
$1/\sqrt m$; averaging many draws removes it. The **bias** stays, however many draws are averaged. A map is **unbiased**
where it has none.

The mean over $S$ draws still holds $1/S$ of the variance, which looks like bias. It is removed by multiplying errors of
*different* draws only: $\text{bias}^2\approx\text{mean of }e_s e_t$ over $s\ne t$ and all pairs. What remains by
chance is the dotted line (at two standard errors); a mark above it is a bias, and no mark means that none was found.
More draws push the line down, and with fewer than four it cannot be crossed.
"""

NUMBERS = (
    "Measures: over all draws (of the RMSE the root of the mean square, of the others the mean), with the standard "
    "deviation of one draw. Predicted RMSE: from the exact variance, and the exact bias where there is one. Bias²: "
    "mean over pairs, free of the variance, so it may be negative by chance; bias² by chance: its standard error "
    "where there is none. All rows: the same measures over all pairs of a point and a row of the file."
)


def of_pair(rows: tuple[int, int], n_points: int, m: int, places: Mapping[str, tuple[float, float]]) -> str:
    """Return the kernel of one pair of points and its estimate by each map."""
    values = "; ".join(
        f"{label}: kernel {number(kernel)}, estimate {number(found)}" for label, (kernel, found) in places.items()
    )
    return (
        f"**Your pair**: rows {rows[0] + 1:,} and {rows[1] + 1:,} of the {n_points:,} points. {values}. The estimate, "
        f"and the ring, are of one draw of {m:,} features; they follow the sliders. One of these features is written "
        "out below."
    )


def theory(results: Sequence[KernelErrorResult], metric: str) -> str:
    """Return which references exist for the chosen measure, and why others do not."""
    if metric == "correlation":
        return (
            "No exact prediction of the correlation is known; it depends on how much the kernel varies over the data."
        )
    silent = [r.label for r in results if r.reference.rmse is None]
    lines = []
    if metric == "maximum":
        unbounded = [r.label for r in results if r.reference.bound is None]
        named = [f"{r.label}: {r.reference.bound_name}" for r in results if r.reference.bound is not None]
        if named:
            lines.append(f"Bounds on the maximum that hold with probability {CONFIDENCE:.0%}: {'; '.join(named)}.")
            lines.append("They are drawn where they are not far above the curves.")
            if any(r.all_rows is not None for r in results):
                lines.append("They are about the points’ pairs, not about all rows.")
        if unbounded:
            lines.append(f"No bound with explicit constants is known for {'; '.join(unbounded)}.")
    elif silent:
        lines.append(f"No theory is drawn where the variance is not known: {'; '.join(silent)}.")
    if metric == "mae":
        lines.append("“If normal”: √(2/π) times the exact standard deviation, right in the limit of many features.")
    biased = [r.label for r in results if r.reference.bias is not None and np.any(r.reference.bias > 0)]
    if biased:
        lines.append(
            f"{'; '.join(biased)}: odd m leave a cosine without its sine, so the estimate is biased by k(x, −z)/m."
        )
    return " ".join(lines)
