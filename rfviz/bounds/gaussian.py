"""Bounds for features that are unbounded: Gaussian projections, and what chooses one of several."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rfviz.bounds.tail import TailBound

__all__ = ["piecewise_linear_pair", "projection_pair"]


def projection_pair(norm: float = 1.0) -> TailBound:
    r"""Bound the error of the inner product of one pair of points under Gaussian projections.

    .. math:: P(|\hat k - k| \ge \varepsilon) \le 4e^{-\frac m2(\eta - \ln(1+\eta))}, \quad \eta = \varepsilon/R^2

    The inner product is a quarter of ‖x + z‖² − ‖x − z‖², and m‖Φ(v)‖²/‖v‖² has the law χ²_m. Its tails are those of
    Dasgupta and Gupta's proof of the Johnson–Lindenstrauss lemma, before they bound η − ln(1 + η) by η²/2 − η³/3.

    Parameters
    ----------
    norm : float
        R, of the longer of the two points.

    References
    ----------
    S. Dasgupta, A. Gupta, "An Elementary Proof of a Theorem of Johnson and Lindenstrauss", 2003.
    """

    def log_failure(m: Any, eps: Any) -> Any:
        eta = eps / norm**2
        return math.log(4.0) - 0.5 * m * (eta - np.log1p(eta))

    return TailBound(
        "Johnson–Lindenstrauss",
        "Dasgupta and Gupta 2003, lemma 2.2, for x + z and x − z",
        r"4\,e^{-\frac m2(\eta-\ln(1+\eta))},\;\eta=" + _share(norm),
        f"Gaussian projections of points of norm {norm:.3g} at most.",
        log_failure,
    )


def piecewise_linear_pair(slope: float, second_moment: float, norm: float = 1.0) -> TailBound:
    r"""Bound the error of one pair of points, where a feature is one of some Gaussian projections, or zero.

    .. math::
        P\Bigl(|\hat k - k| \ge R^2\Bigl(\sqrt{6/m}\,\sigma Ls + \tfrac{L^2(s^2+1)}{m}\Bigr)\Bigr) \le 4e^{-s^2/2}

    For a continuous f(W; x) that is L⟨w_j, x⟩ with a j that W and x decide, or 0, and E f² ≤ σ²‖x‖²: the largest, the
    smallest or the median of q projections (L = 1), or √2 times the positive part of one (L = √2).

    No paper on random features has it. Proof, for R = 1: the estimate is a quarter of (‖U‖² − ‖V‖²)/m, where U and V
    hold the sums and the differences of the two points' features. As a function of all weights, ‖U‖ has a Lipschitz
    constant of L·max(‖x + z‖, √2), and ‖V‖ one of L·max(‖x − z‖, √2); neither is above 2L, nor the sum of their squares
    above 6L². Each deviates from its mean by s times its constant with probability e^{−s²/2} on either side, and its
    mean is below √E‖·‖² by its constant squared over that root at most, since its variance is at most the constant
    squared. With E‖U‖² + E‖V‖² ≤ 4mσ² and s² ≥ 2, below which the bound says nothing, the rest is arithmetic.

    Parameters
    ----------
    slope, second_moment : float
        L and σ².
    norm : float
        R, of the longer of the two points.

    References
    ----------
    S. Boucheron, G. Lugosi, P. Massart, "Concentration Inequalities", 2013, theorems 3.20 and 5.6.
    """

    def log_failure(m: Any, eps: Any) -> Any:
        # s solves s²/m + √(6/m)(σ/L)s + 1/m = ε/(RL)².
        linear = math.sqrt(6.0 * second_moment) / slope
        rest = np.maximum(m * eps / (norm * slope) ** 2 - 1.0, 0.0)
        half = 0.5 * linear * np.sqrt(m)
        # The positive root, without the difference of two near numbers.
        s = rest / (half + np.sqrt(half * half + rest))
        return math.log(4.0) - 0.5 * s * s

    return TailBound(
        "Lipschitz concentration",
        "derived here from Boucheron, Lugosi and Massart 2013, theorems 3.20 and 5.6",
        rf"4\,e^{{-s^2/2}},\;{_share(norm)}=\sqrt{{6/m}}\,\sigma Ls+L^2(s^2+1)/m,"
        rf"\;L={slope:.3g},\;\sigma^2={second_moment:.3g}",
        f"Features that are one of some Gaussian projections each, or zero, of points of norm {norm:.3g} at most.",
        log_failure,
    )


def _share(norm: float) -> str:
    return r"\varepsilon" if math.isclose(norm, 1.0) else rf"\varepsilon/{norm**2:.3g}"
