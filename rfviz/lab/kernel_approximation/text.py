"""Texts of the page on kernel approximation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rfviz.features import RandomMaxout, SharedPoolMaxout
from rfviz.lab.kernel_approximation.compute import CONFIDENCE, METRICS, KernelErrorResult
from rfviz.words import counted, join, number, per_cent

__all__ = [
    "BIAS_TEXT",
    "METHOD",
    "NUMBERS",
    "PARTS",
    "all_rows",
    "explanation",
    "of_pair",
    "pool_story",
    "summary",
    "theory",
]

# Measured over exact RMSE beyond which a curve is seen to leave its exact line, and draws that bring it back.
_ASTRAY, _MANY = 1.25, 50
# Up to this factor the error over all rows is that of the points' pairs.
_SAME = 1.1

# What errors are divided by, where they are.
_PER = " ÷ mean k(x, x)"

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
average, nearly by one common factor. Few draws may then all lie on one side of the exact prediction; more draws do not.

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


def summary(results: Sequence[KernelErrorResult], metric: str, relative: bool = True) -> str:
    """Return the chart in one sentence, for those who cannot see it."""
    relative = relative and metric != "correlation"
    first = results[0]

    def ends(pairs: Iterable[tuple[KernelErrorResult, np.ndarray]]) -> str:
        units = [(r.label, values / (r.unit if relative else 1.0)) for r, values in pairs]
        return "; ".join(f"{label} from {number(values[0])} to {number(values[-1])}" for label, values in units)

    of_points = ends((r, r.errors.average(metric)) for r in results)
    of_all = ends((r, r.all_rows.average(metric)) for r in results if r.all_rows is not None)
    return (
        f"{METRICS[metric]}{_PER * relative} of the kernel estimate over {counted(first.n_pairs, 'pair')} of "
        f"{first.dataset}, for {first.m_grid[0]:,} to {first.m_grid[-1]:,} features: {of_points}"
        f"{f'. Over all rows of the file: {of_all}' if of_all else ''}."
    )


def explanation(results: Sequence[KernelErrorResult], place: int, metric: str = "rmse", relative: bool = True) -> str:
    """Return what one sees, with the numbers of the chart: the same measure in the same unit."""
    first = results[0]
    m = int(first.m_grid[place])
    relative = relative and metric != "correlation"
    parts, astray = [], []
    for result in results:
        scale = result.unit if relative else 1.0
        value = result.errors.average(metric)[place] / scale
        part = f"{result.label} **{number(value)}**"
        known = {"rmse": result.reference.rmse, "mae": result.reference.mae}.get(metric)
        if known is not None:
            part += f" ({'exact prediction' if metric == 'rmse' else 'if normal'}: {number(known[place] / scale)})"
            if metric == "rmse" and not 1 / _ASTRAY < value * scale / known[place] < _ASTRAY:
                astray.append(result.label)
        parts.append(part)
    words = f"{METRICS[metric]}{_PER * relative} at m = {m:,}: {'; '.join(parts)}."
    if astray:
        words += (
            f" {join(astray)}: off the exact line by chance, since the errors of all pairs of a draw go "
            f"together{_more(first.n_draws)}."
        )
    words += (
        f" All {counted(first.n_pairs, 'pair')} of {first.n_points:,} points{_draws(first.n_draws)}; the error of "
        "independent features falls as 1/√m. Each cloud below shows all pairs: a point on the grey line is estimated "
        "without error."
    )
    outside = max(float(result.density.outside[place]) for result in results)
    note = f" Up to {per_cent(outside, 2)} of the pairs are outside the axes of a cloud." if outside >= 0.005 else ""
    return words + note


def _more(n: int) -> str:
    return f" and {counted(n, 'draw')} {'is' if n == 1 else 'are'} few" if n < _MANY else ""


def _draws(n: int) -> str:
    return "" if n == 1 else f" and {n} draws"


def all_rows(results: Sequence[KernelErrorResult], place: int, relative: bool = True) -> str:
    """Return whether the errors of the points' pairs hold for all rows of the file; empty where these were not read."""
    parts, other, now = [], [], ""
    n_rows = n_pairs = 0
    for result in results:
        rows = result.all_rows
        if rows is None:
            continue
        n_rows, n_pairs, unit = rows.n_rows, rows.n_pairs, result.unit if relative else 1.0
        now = f", {rows.n_draws} of {result.n_draws} draws so far" if rows.n_draws < result.n_draws else now
        values = {name: rows.average(name)[place] for name in ("rmse", "maximum")}
        # The same draws of the points: a draw that is off is off for all rows, too.
        with np.errstate(divide="ignore", invalid="ignore"):  # the points' pairs may have no error at all
            times = {name: values[name] / result.errors.average(name, rows.n_draws)[place] for name in values}
        parts.append(
            f"{result.label} RMSE **{number(values['rmse'] / unit)}**, {number(times['rmse'])} times that of the "
            f"points’ pairs, and maximum error **{number(values['maximum'] / unit)}**, {number(times['maximum'])} times"
        )
        if not 1 / _SAME < times["rmse"] < _SAME:
            other.append(result.label)
    if not parts:
        return ""
    found = f"The RMSE of the points’ pairs holds for the whole table, within {_SAME - 1:.0%}."
    if other:
        found = f"The RMSE of the points’ pairs does **not** hold for the whole table: {join(other)}."
    return f"\n\n**All {n_rows:,} rows** ({n_pairs:,} pairs of a point and a row{now}): {'; '.join(parts)}. {found}"


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
        lines.append(f"No exact prediction is drawn where the variance is not known: {'; '.join(silent)}.")
    if metric == "mae":
        lines.append("“If normal”: √(2/π) times the exact standard deviation, right in the limit of many features.")
    biased = [r.label for r in results if r.reference.bias is not None and np.any(r.reference.bias > 0)]
    if biased:
        lines.append(
            f"{'; '.join(biased)}: odd m leave a cosine without its sine, so the estimate is biased by k(x, −z)/m."
        )
    return " ".join(lines)


def pool_story(results: Sequence[KernelErrorResult], relative: bool = True) -> str:
    """Compare the shared pool with independent maxout on as many projections, by exact errors; empty without both."""
    independent = {r.spec.get("pool_size"): r for r in results if r.spec.cls is RandomMaxout}
    sentences = []
    for shared in results:
        q, P, m = shared.spec.get("pool_size"), shared.spec.get("n_projections"), int(shared.m_grid[-1])
        single = independent.get(q)
        if shared.spec.cls is not SharedPoolMaxout or single is None or len(shared.m_grid) < 2:
            continue
        exact = shared.reference.rmse, single.reference.rmse
        if exact[0] is None or exact[1] is None:
            continue
        alone = max(P // q, 1)
        units = (shared.unit, single.unit) if relative else (1.0, 1.0)
        together, apart = exact[0] / units[0], exact[1] / units[1]
        equal, floor = apart[-1] * np.sqrt(m / alone), _floor(shared.m_grid, together)
        sentences.append(
            f" **{P:,} projections** make {counted(alone, 'independent feature')}, with an exact RMSE{_PER * relative} "
            f"of {number(equal)}. Shared, they make {m:,} features with {number(together[-1])}; more features do not "
            f"fall below {number(floor)}, the error of the pool itself. {m:,} independent features reach "
            f"{number(apart[-1])}, but take {m * q:,} projections."
        )
    return "".join(sentences)


def _floor(m_grid: np.ndarray, rmse: np.ndarray) -> float:
    """Return the RMSE in the limit of many features: the mean square error is a + b/m, known at two points."""
    m, squares = m_grid[[0, -1]], rmse[[0, -1]] ** 2
    slope = (squares[0] - squares[1]) / (1 / m[0] - 1 / m[1])
    return float(np.sqrt(max(squares[1] - slope / m[1], 0.0)))
