"""What the page on kernel approximation says about maxout over a shared pool, beside independent maxout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rfviz.analysis.kernel_error import KernelErrorResult
from rfviz.recipes.entrants import Entrant

__all__ = ["POOL_PRESET", "pool_story"]

POOL_PRESET = {
    "data": "digits", "points": 128, "normalise": "unit norm", "schemes": ["RandomMaxout", "SharedPoolMaxout"],
    "pool_size": 4, "pools": [], "n_projections": 400, "m_max": 2000, "m": 94, "draws": 20, "odd": False,
    "metric": "rmse", "relative": True,
}  # fmt: skip


def pool_story(results: Sequence[KernelErrorResult], entrants: Sequence[Entrant]) -> str:
    """The shared pool against independent maxout on as many projections, by their exact errors; empty without both."""
    settings = {entrant.label: dict(entrant.setting) for entrant in entrants}
    single = {settings[r.label]["pool_size"]: r for r in results if r.scheme == "RandomMaxout"}
    sentences = []
    for shared in results:
        setting = settings[shared.label]
        rival = single.get(setting.get("pool_size"))
        if shared.scheme != "SharedPoolMaxout" or rival is None or len(shared.m_grid) < 2:
            continue
        if shared.reference.rmse is None or rival.reference.rmse is None:
            continue
        q, P, m = setting["pool_size"], setting["n_projections"], int(shared.m_grid[-1])
        alone = max(P // q, 1)
        equal = rival.reference.rmse[-1] * np.sqrt(m / alone)
        sentences.append(
            f" **{P:,} projections** make {alone:,} independent features, with an exact RMSE of {equal:.3g}. Shared, "
            f"they make {m:,} features with {shared.reference.rmse[-1]:.3g}; more features would not fall below "
            f"{_floor(shared):.3g}, which is the share of the pool itself. {m:,} independent features err by only "
            f"{rival.reference.rmse[-1]:.3g}, but take {m * q:,} projections."
        )
    return "".join(sentences)


def _floor(result: KernelErrorResult) -> float:
    """RMSE in the limit of many features: the mean square error is a + b/m, two points of which are known."""
    m, squares = result.m_grid[[0, -1]], result.reference.rmse[[0, -1]] ** 2
    slope = (squares[0] - squares[1]) / (1 / m[0] - 1 / m[1])
    return float(np.sqrt(max(squares[1] - slope / m[1], 0.0)))
