"""Bounds for random Fourier features: one pair of points, and all points of a region at once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.bounds.products import bounded_products
from rfviz.bounds.tail import TailBound

__all__ = [
    "fourier_pair", "fourier_uniform", "phase_pair", "phase_pair_hoeffding", "sutherland_pairs", "sutherland_phases",
]  # fmt: skip

_RAHIMI_RECHT = "Rahimi and Recht 2007"
_SUTHERLAND = "Sutherland and Schneider 2015"
_INDEPENDENT = "Independent frequencies"


def fourier_pair(paired: bool = True) -> TailBound:
    r"""Bound the error of one pair of points with m Fourier features, as the paper prints it.

    .. math:: P(|\hat k - k| \ge \varepsilon) \le 2e^{-m\varepsilon^2/4}

    For pairs (cos, sin) this is Hoeffding's inequality: m/2 cosines of ω·(x − z), each in [−1, 1]. For √2 cos(ω·x + b),
    the map for which it is printed, each product lies in [−2, 2], and Hoeffding's inequality gives
    :func:`phase_pair_hoeffding` only. The bound holds all the same, by :func:`phase_pair`.

    Parameters
    ----------
    paired : bool
        Only decides whether the number of features has to be even.

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007.
    """
    return TailBound(
        "Hoeffding",
        _RAHIMI_RECHT,
        r"2\,e^{-m\varepsilon^2/4}",
        f"{_INDEPENDENT}, any stationary kernel, any data.",
        lambda m, eps: math.log(2.0) - 0.25 * m * np.square(eps),
        step=2 if paired else 1,
    )


def phase_pair_hoeffding() -> TailBound:
    """Bound one pair of points, features √2 cos(ω·x + b), by Hoeffding's inequality alone: 2 exp(−mε²/8)."""
    return replace(bounded_products(math.sqrt(2.0)), name="Hoeffding, without the phase")


def phase_pair() -> TailBound:
    r"""Bound one pair of points, features √2 cos(ω·x + b), by the independence of the phase: 2 exp(−mε²/3).

    2 cos(ω·x + b) cos(ω·z + b) = cos ω·(x − z) + cos(ω·(x + z) + 2b), and the second term, whose angle is uniform
    whatever ω, is independent of the first. The first lies in [−1, 1], so E exp t(U − EU) ≤ exp(t²/2); the second has
    E exp tV = I₀(t) ≤ exp(t²/4), term by term of the series. The product of the two is exp(¾t²), and Chernoff's bound
    does the rest. Sharper than the printed bound, and with it a proof of it.
    """
    return TailBound(
        "Hoeffding, with the phase",
        "here, from the independence of the phase",
        r"2\,e^{-m\varepsilon^2/3}",
        f"{_INDEPENDENT}, and a phase that is uniform on the circle.",
        lambda m, eps: math.log(2.0) - m * np.square(eps) / 3.0,
    )


def fourier_uniform(dimension: int, sigma: float, diameter: float, paired: bool = True) -> TailBound:
    r"""Bound the errors of all points of a region of that diameter at once, as the paper prints it.

    .. math:: P\Bigl(\sup_{x,z}|\hat k - k| \ge \varepsilon\Bigr)
        \le 2^8\Bigl(\frac{\sigma_p\,\mathrm{diam}}\varepsilon\Bigr)^2 e^{-D\varepsilon^2/(4(d+2))}

    Its proof counts frequencies, of which pairs (cos, sin) have D = m/2. For √2 cos(· + b) the error is not a function
    of x − z, so that the proof does not apply; the bound is then taken as printed, with D = m.

    The proof also takes the slope's expectation at its steepest point as if that point were not random, so that
    E sup‖∇(s − k)‖² ≤ σ_p²; for one frequency in one dimension that says 1.17 ≤ 1. Without this step, the triangle
    inequality doubles σ_p, which matters little inside a logarithm.

    Parameters
    ----------
    dimension : int
        d.
    sigma : float
        σ_p, the root of E‖ω‖²: √(2dγ) for the Gaussian kernel; infinite for the Laplacian, which has no such bound.
    diameter : float
        Of the region, with σ_p·diam ≥ ε.

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007, Claim 1.
    """
    per_draw = 2 if paired else 1
    start, rate = 8.0 * math.log(2.0) + 2.0 * _log(sigma * diameter), 1.0 / (4.0 * (dimension + 2.0) * per_draw)
    return TailBound(
        "Rahimi–Recht" if paired else "Rahimi–Recht, as printed",
        f"{_RAHIMI_RECHT}, Claim 1",
        rf"2^8\Bigl(\frac{{\sigma_p\,\mathrm{{diam}}}}{{\varepsilon}}\Bigr)^2"
        rf"e^{{-m\varepsilon^2/({4 * per_draw}(d+2))}}",
        f"{_INDEPENDENT} with a second moment, a region of diameter {diameter:.3g} in {dimension} dimensions.",
        lambda m, eps: start - 2.0 * np.log(eps) - rate * m * np.square(eps),
        step=per_draw,
    )


def sutherland_pairs(dimension: int, sigma: float, diameter: float, variance: float = 1.0) -> TailBound:
    r"""Bound the errors of all points of a region at once, pairs (cos, sin), with the sharper constants.

    .. math:: \beta_d\Bigl(\frac{\sigma_p\,\mathrm{diam}}\varepsilon\Bigr)^{\frac{2}{1+2/d}}
        \exp\frac{-m\varepsilon^2}{8(d+2)\alpha_\varepsilon},\qquad \alpha_\varepsilon=\min(1, v+\varepsilon/3)

    with β_d = ((d/2)^{−d/(d+2)} + (d/2)^{2/(d+2)})·2^{(6d+2)/(d+2)}, at most 66. The same net of points and Markov's
    inequality as Rahimi and Recht's, put together at the best radius, and Bernstein's inequality as well as
    Hoeffding's; so the remark on the steepest point in :func:`fourier_uniform` holds here, too.

    Parameters
    ----------
    sigma, diameter : float
        See :func:`fourier_uniform`.
    variance : float
        v, the largest variance of cos ω·(x − z) over the region: ½ for the Gaussian kernel; 1 always holds.

    References
    ----------
    D. Sutherland, J. Schneider, "On the Error of Random Fourier Features", 2015, Proposition 1.
    """
    d = float(dimension)
    power = 2.0 * d / (d + 2.0)
    beta = np.logaddexp(-d / (d + 2.0) * math.log(d / 2.0), 2.0 / (d + 2.0) * math.log(d / 2.0))
    beta += (6.0 * d + 2.0) / (d + 2.0) * math.log(2.0)
    start = float(beta) + power * _log(sigma * diameter)

    def log_failure(m: Any, eps: Any) -> Any:
        alpha = np.minimum(1.0, variance + np.asarray(eps) / 3.0)
        return start - power * np.log(eps) - m * np.square(eps) / (8.0 * (d + 2.0) * alpha)

    return TailBound(
        "Sutherland–Schneider",
        f"{_SUTHERLAND}, Proposition 1",
        r"\beta_d\Bigl(\frac{\sigma_p\,\mathrm{diam}}{\varepsilon}\Bigr)^{2d/(d+2)}"
        r"e^{-m\varepsilon^2/(8(d+2)\alpha_\varepsilon)}",
        f"Pairs of {_INDEPENDENT.lower()}, a region of diameter {diameter:.3g} in {dimension} dimensions.",
        log_failure,
        step=2,
    )


def sutherland_phases(dimension: int, sigma: float, diameter: float) -> TailBound:
    r"""Bound the errors of all points of a region at once, features √2 cos(ω·x + b), by a net in 2d dimensions.

    .. math:: \beta'_d\Bigl(\frac{\sigma_p\,\mathrm{diam}}\varepsilon\Bigr)^{\frac{2}{1+1/d}}
        e^{-m\varepsilon^2/(32(d+1))}

    with β'_d = (d^{−d/(d+1)} + d^{1/(d+1)})·2^{(5d+1)/(d+1)}·3^{d/(d+1)}, at most 98.

    Parameters
    ----------
    sigma, diameter : float
        See :func:`fourier_uniform`.

    References
    ----------
    D. Sutherland, J. Schneider, "On the Error of Random Fourier Features", 2015, Proposition 2.
    """
    d = float(dimension)
    power = 2.0 * d / (d + 1.0)
    beta = float(np.logaddexp(-d / (d + 1.0) * math.log(d), math.log(d) / (d + 1.0)))
    beta += ((5.0 * d + 1.0) * math.log(2.0) + d * math.log(3.0)) / (d + 1.0)
    start, rate = beta + power * _log(sigma * diameter), 1.0 / (32.0 * (d + 1.0))
    return TailBound(
        "Sutherland–Schneider",
        f"{_SUTHERLAND}, Proposition 2",
        r"\beta'_d\Bigl(\frac{\sigma_p\,\mathrm{diam}}{\varepsilon}\Bigr)^{2d/(d+1)}e^{-m\varepsilon^2/(32(d+1))}",
        f"{_INDEPENDENT} and phases, a region of diameter {diameter:.3g} in {dimension} dimensions.",
        lambda m, eps: start - power * np.log(eps) - rate * m * np.square(eps),
    )


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
