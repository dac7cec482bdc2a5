"""The numbers of the errata: what a statement gives as printed, next to what holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.linalg import solve
from scipy.stats import chi2, norm

from rfviz.bounds import binning_log_failure_as_printed, kitchen_sinks_risk, phase_pair, phase_pair_hoeffding
from rfviz.features import DecisionStumps
from rfviz.kernels import (
    collision_rho,
    expected_max,
    expected_max_squared,
    maxout_by_argmax,
    maxout_rho,
    maxout_theorem1_as_printed,
)
from rfviz.skeleton import graph, preset, sparsity

__all__ = [
    "N_COLUMNS",
    "OTHER",
    "PRINTED",
    "RIGHT",
    "Picture",
    "categories",
    "constant_share",
    "copies",
    "deviation_term",
    "far_points",
    "large_pools",
    "longest_projection",
    "mended_once",
    "opposite_share",
    "paths_of_two_lengths",
    "phases",
    "recursive_calls",
    "share_beyond",
    "steepest_slope",
    "theorem_1",
    "units",
    "weights_of_copies",
]

#: What a curve is: the statement as printed, what holds, or something next to both.
PRINTED: str = "as printed"
RIGHT: str = "what holds"
OTHER: str = "for comparison"

# The powers of two, and the middles between them.
_POOLS = np.array([k << i for i in range(11) for k in (2, 3)] + [4096])
# Rows and columns of zeros and ones for copies of stumps.
_ROWS, N_COLUMNS = 2000, 30


@dataclass(frozen=True, eq=False)
class Picture:
    """Curves over one axis.

    Attributes
    ----------
    frame : DataFrame
        The axis first, then a column for each curve.
    kinds : mapping of str to str
        For each curve, one of :data:`PRINTED`, :data:`RIGHT` and :data:`OTHER`.
    y : str
        Title of the axis of values; that of the other is the first column.
    log : str
        Axes that are logarithmic: some of ``"xy"``.
    at : float, optional
        The chosen place.
    """

    frame: pd.DataFrame
    kinds: Mapping[str, str]
    y: str
    log: str = ""
    at: float | None = None


# --- Random Maxout Features -------------------------------------------------------------------------------------------


def mended_once(rho: float | np.ndarray, pool_size: int) -> np.ndarray:
    """Return the kernel with the first mistake of Theorem 1's proof mended alone: the term that it drops is added."""
    kappa, (_, different) = collision_rho(rho, pool_size), maxout_by_argmax(rho, pool_size)
    return maxout_theorem1_as_printed(rho, pool_size) + (1.0 - kappa) * np.nan_to_num(different)


def theorem_1(pool_size: int, rho: float) -> Picture:
    """Draw the kernel of maxout features over the cosine: right, as printed, and with one of two mistakes mended."""
    grid = np.linspace(-1.0, 1.0, 161)
    frame = pd.DataFrame(
        {
            "cosine ρ": grid,
            "exact kernel": maxout_rho(grid, pool_size),
            "Theorem 1 as printed": maxout_theorem1_as_printed(grid, pool_size),
            "one of two mistakes mended": mended_once(grid, pool_size),
            "its constant part, h₁²": np.full(grid.size, expected_max(pool_size) ** 2),
        }
    )
    kinds = dict(zip(frame.columns[1:], (RIGHT, PRINTED, OTHER, OTHER), strict=True))
    return Picture(frame, kinds, "K(ρ) = E h(x)h(z)", at=rho)


def constant_share(pool_size: int) -> float:
    """Return h₁²/σ²: the part of the maxout kernel that is the same for all pairs of unit vectors at right angles."""
    return expected_max(pool_size) ** 2 / expected_max_squared(pool_size)


def opposite_share(pool_size: int) -> float:
    """Return K(−1)/σ²: the kernel of opposite points as a share of that of equal ones."""
    return float(maxout_rho(-1.0, pool_size)) / expected_max_squared(pool_size)


def far_points(pool_size: int) -> Picture:
    """Draw the kernel of orthogonal and of opposite points over the pool size, as shares of that of equal ones."""
    frame = pd.DataFrame(
        {
            "pool size q": _POOLS,
            "points at right angles: h₁² ÷ σ²": [constant_share(int(q)) for q in _POOLS],
            "opposite points: K(−1) ÷ σ²": [opposite_share(int(q)) for q in _POOLS],
            "as printed: about 0": np.zeros(len(_POOLS)),
        }
    )
    kinds = dict(zip(frame.columns[1:], (RIGHT, RIGHT, PRINTED), strict=True))
    return Picture(frame, kinds, "share of the largest value", log="x", at=pool_size)


def large_pools(pool_size: int) -> Picture:
    """Draw what the largest of q normal numbers is, over what it is said to tend to."""
    mean, square = (np.array([of(int(q)) for q in _POOLS]) for of in (expected_max, expected_max_squared))
    logarithm = np.log(_POOLS)
    frame = pd.DataFrame(
        {
            "pool size q": _POOLS,
            "σ² ÷ (2 log q)": square / (2 * logarithm),
            "h₁ ÷ √(2 log q)": mean / np.sqrt(2 * logarithm),
            "σ² ÷ log q, as printed": square / logarithm,
            "1": np.ones(len(_POOLS)),
        }
    )
    kinds = dict(zip(frame.columns[1:], (RIGHT, OTHER, PRINTED, OTHER), strict=True))
    return Picture(frame, kinds, "ratio, which should tend to 1", log="x", at=pool_size)


def share_beyond(dimension: int, pool_size: int = 1, m: int = 1) -> float:
    """Return the probability that one of q·m Gaussian projections in d dimensions is longer than 1.5√d."""
    one = float(chi2.sf(2.25 * dimension, dimension))
    return -math.expm1(pool_size * m * math.log1p(-one)) if one < 1 else 1.0


def longest_projection(pool_size: int, m: int, dimension: int) -> Picture:
    """Draw the probability that some projection is long, over the dimension, for one, for q, and for all q·m."""
    grid = np.unique(np.geomspace(1, 100, 45).astype(int))
    curves = {
        "one projection, which is all that is counted": (1, 1),
        f"the longest of q = {pool_size}": (pool_size, 1),
        f"the longest of q·m = {pool_size * m:,}": (pool_size, m),
    }
    frame = pd.DataFrame(
        {"dimension d": grid}
        | {name: [max(share_beyond(int(d), *of), 1e-16) for d in grid] for name, of in curves.items()}
    )
    kinds = dict(zip(frame.columns[1:], (PRINTED, OTHER, RIGHT), strict=True))
    return Picture(frame, kinds, "probability to exceed 1.5√d", log="xy", at=dimension)


# --- Weighted Sums of Random Kitchen Sinks ----------------------------------------------------------------------------


def deviation_term(size: float) -> Picture:
    """Draw the estimation term of Theorem 1 over the number of rows, as printed and with losses of range 2LC."""
    delta, grid = 0.05, np.geomspace(10, 1_000_000, 60)
    bound = kitchen_sinks_risk(1.0, size, 1.0, delta)
    deviation = 2.0 * size * math.sqrt(0.5 * math.log(1.0 / delta)) / np.sqrt(grid)
    frame = pd.DataFrame(
        {
            "training rows n": grid,
            "estimation term, right": bound.estimation(grid) + deviation,
            "as printed": bound.estimation(grid),
            "its deviation, right": 2.0 * deviation,
            "its deviation, as printed": deviation,
        }
    )
    kinds = dict(zip(frame.columns[1:], (RIGHT, PRINTED, RIGHT, PRINTED), strict=True))
    return Picture(frame, kinds, "bound on the excess risk", log="xy")


@lru_cache(maxsize=8)
def weights_of_copies(seed: int) -> pd.DataFrame:
    """Fit random stumps to columns of zeros and ones: the largest weight of a stump, and of all its copies together.

    A column of zeros and ones has one cut, so that K stumps are copies of at most as many forms as there are columns,
    and a constant one. Least squares share the weight of a form evenly among its copies.

    Returns
    -------
    DataFrame
        Columns K, forms, largest weight, and largest weight of a form.
    """
    from rfviz.experiments.kitchen_sinks.weights import distinct_features  # with scikit-learn's ensembles

    rng = np.random.default_rng(seed)
    X = (rng.random((_ROWS, N_COLUMNS)) < rng.uniform(0.1, 0.5, N_COLUMNS)).astype(float)
    y = np.where(X @ rng.standard_normal(N_COLUMNS) + rng.standard_normal(_ROWS) > 0, 1.0, -1.0)
    grid = np.unique(np.geomspace(10, 4000, 24).astype(int))
    stumps = DecisionStumps(int(grid[-1]), random_state=seed).fit(X)
    first, place, _ = distinct_features(stumps, X)
    blocks = [np.asarray(block) for block in stumps.transform_blocks(X, scaled=False)]
    H = np.concatenate(blocks).astype(float)[:, first]
    gram, cross = H.T @ H, H.T @ y
    rows = []
    for k in grid:
        counts = np.bincount(place[:k], minlength=len(first))
        used = np.flatnonzero(counts)
        # The penalty of one row, as for the paper's Figure 2.
        system = gram[np.ix_(used, used)] + np.diag(1.0 / counts[used])
        total = np.abs(solve(system, cross[used], assume_a="pos"))
        rows.append((int(k), len(used), (total / counts[used]).max(), total.max()))
    return pd.DataFrame(rows, columns=["K", "forms", "largest weight", "largest weight of a form"])


def copies(seed: int) -> Picture:
    """Draw the largest weight over the number of stumps, of one stump and of all its copies together."""
    found = weights_of_copies(seed)
    frame = pd.DataFrame(
        {
            "stumps K": found["K"],
            "all copies of a stump together": found["largest weight of a form"],
            "largest weight ‖α‖∞, as Figure 2 draws it": found["largest weight"],
        }
    )
    return Picture(frame, dict(zip(frame.columns[1:], (RIGHT, PRINTED), strict=True)), "largest weight", log="xy")


# --- Fourier and binning features -------------------------------------------------------------------------------------


def phases(eps: float) -> Picture:
    """Draw bounds on one pair of features with a phase: Hoeffding's, the printed one, and the proven one."""
    m = np.unique(np.geomspace(10, 10_000, 60).astype(int))
    frame = pd.DataFrame(
        {
            "features D": m,
            "with the phase: 2 exp(−Dε²/3)": np.minimum(np.exp(phase_pair().log_failure(m, eps)), 1.0),
            "as printed: 2 exp(−Dε²/4)": np.minimum(2.0 * np.exp(-m * eps**2 / 4.0), 1.0),
            "what Hoeffding’s inequality gives: 2 exp(−Dε²/8)": np.minimum(
                np.exp(phase_pair_hoeffding().log_failure(m, eps)), 1.0
            ),
        }
    ).clip(lower=1e-12)
    kinds = dict(zip(frame.columns[1:], (RIGHT, PRINTED, OTHER), strict=True))
    return Picture(frame, kinds, "probability of an error above ε", log="xy")


@lru_cache(maxsize=1)
def steepest_slope() -> float:
    """Return E sup ‖∇(s − k)‖² for one frequency in one dimension and the kernel exp(−x²/2), whose σ_p² is 1."""
    places = np.linspace(0.0, 12.0, 1201)
    slope = -places * np.exp(-(places**2) / 2.0)
    frequencies, step = np.linspace(0.0, 7.0, 701, retstep=True)
    steepest = np.abs(-frequencies[:, None] * np.sin(frequencies[:, None] * places) - slope).max(axis=1) ** 2
    return float(np.trapezoid(2.0 * norm.pdf(frequencies) * steepest, dx=step))


def units(m: int) -> Picture:
    """Draw the printed bound of binning over the unit of length: the same points, map and error."""
    dimension, diameter, eps = 2, 3.0, 0.5
    grid = np.geomspace(1e-3, 1e6, 60)
    printed = np.array(
        [
            binning_log_failure_as_printed(m, eps, dimension, unit * diameter, 1.0 / unit, 1.0 / unit)
            for unit in grid
        ]
    )  # fmt: skip
    meant = float(binning_log_failure_as_printed(m, eps, dimension, diameter))
    frame = pd.DataFrame(
        {
            "1/γ in units of length": grid,
            "lengths measured in 1/γ": np.full(grid.size, math.exp(meant)),
            "as printed": np.exp(printed),
            "a probability is at most 1": np.ones(grid.size),
        }
    )
    kinds = dict(zip(frame.columns[1:], (RIGHT, PRINTED, OTHER), strict=True))
    return Picture(frame, kinds, "bound on the probability of failure", log="xy")


# --- Random Features for Compositional Kernels ------------------------------------------------------------------------


def categories(n: int) -> Picture:
    """Draw the mean product of features of two categories over their difference, for the printed exponent and n."""
    difference, omega = np.arange(n), np.arange(1, n + 1)
    printed = np.exp(1j * np.outer(difference, omega) / (2 * np.pi * n)).mean(axis=1)
    right = np.exp(2j * np.pi * np.outer(difference, omega) / n).mean(axis=1)
    frame = pd.DataFrame(
        {
            "difference of two categories": difference,
            "exponent 2πiωx/n": right.real,
            "exponent iωx/(2πn), as printed": printed.real,
            "its imaginary part": printed.imag,
        }
    )
    return Picture(frame, dict(zip(frame.columns[1:], (RIGHT, PRINTED, PRINTED), strict=True)), "mean product")


def recursive_calls(
    names: Sequence[str] = ("flat", "deep", "1 convolution", "2 convolutions", "3 convolutions"),
) -> Picture:
    """Draw C(S) of skeletons over 24×24 images next to what it is said to be: the number of recursive calls."""
    skeletons = [preset(name, (24, 24)) for name in names]
    frame = pd.DataFrame(
        {
            "skeleton": list(names),
            "recursive calls": [one.calls for one in skeletons],
            "C(S), as printed": [one.complexity for one in skeletons],
            "different inputs that meet": [sparsity(one) for one in skeletons],
        }
    )
    return Picture(frame, dict(zip(frame.columns[1:], (RIGHT, PRINTED, OTHER), strict=True)), "expected number")


def paths_of_two_lengths() -> Picture:
    """Draw C(S) over the slope σ̂'(1) of both nodes of a skeleton whose upper one has an input below it as well."""
    slopes = np.geomspace(0.05, 2.0, 38)
    found = [
        graph([("circle", 2)], [(act, [0]), (act, [2, 1])])
        for act in ({"kind": "exponential", "scale": float(slope)} for slope in slopes)
    ]
    frame = pd.DataFrame(
        {
            "slope σ̂′(1) of both nodes": slopes,
            "C(S)": [one.complexity for one in found],
            "σ̂′(1) to the power of the depth, as printed": slopes**2,
            "max(1, σ̂′(1)) to the power of the depth": [one.complexity_bound for one in found],
        }
    )
    return Picture(frame, dict(zip(frame.columns[1:], (RIGHT, PRINTED, RIGHT), strict=True)), "expected paths", "xy")
