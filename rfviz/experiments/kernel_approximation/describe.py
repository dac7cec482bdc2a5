"""Say what the charts of kernel estimates show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rfviz.experiments.kernel_approximation.compute import METRICS, KernelErrorResult
from rfviz.features import RandomMaxout, SharedPoolMaxout
from rfviz.words import counted, join, number, per_cent

__all__ = ["all_rows", "explanation", "pool_story", "summary"]

# Measured over exact RMSE beyond which a curve is seen to leave what theory predicts, and draws that bring it back.
_ASTRAY, _MANY = 1.25, 50
# Up to this factor the error over all rows is that of the points' pairs.
_SAME = 1.1

# What errors are divided by, where they are.
_PER, _OF = " ÷ mean k(x, x)", " of mean k(x, x)"


def summary(results: Sequence[KernelErrorResult], metric: str, relative: bool = True) -> str:
    """Return the chart in one sentence, as alternative text."""
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
    write = per_cent if relative else number
    parts, astray = [], []
    for result in results:
        scale = result.unit if relative else 1.0
        value = result.errors.average(metric)[place] / scale
        part = f"**{write(value)}**{_OF * (relative and not parts)} for {result.label}"
        known = {"rmse": result.reference.rmse, "mae": result.reference.mae}.get(metric)
        if known is not None:
            part += f" ({'theory' if metric == 'rmse' else 'if normal'}: {write(known[place] / scale)})"
            if metric == "rmse" and not 1 / _ASTRAY < value * scale / known[place] < _ASTRAY:
                astray.append(result.label)
        parts.append(part)
    words = f"With {counted(m, 'feature')} the {METRICS[metric]} is {join(parts)}."
    if astray:
        words += (
            f" {join(astray)}: off the theory by chance, since the errors of all pairs of a draw go "
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
    """Return whether the errors of the points' pairs hold for all rows of the file; empty if these were not read."""
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
