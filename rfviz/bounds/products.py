"""Bounds for means of independent products of bounded features, whatever the map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rfviz.bounds.tail import TailBound

__all__ = ["bernstein", "bounded_products", "sphere_norm"]


def bounded_products(norm: float, per_draw: int = 1) -> TailBound:
    r"""Bound the error of one pair of points, features with |ψ| ≤ C: Theorem 3 of the compositional kernels paper.

    .. math:: P(|\hat k - k| \ge \varepsilon) \le 2e^{-q\varepsilon^2/(2C^4)}
        \quad\Longleftrightarrow\quad q \ge 2C^4\log(2/\delta)/\varepsilon^2

    It is Hoeffding's inequality for q independent products in [−C², C²], and correct as printed.

    Parameters
    ----------
    norm : float
        C: 1 for signs and for complex waves, √2 for √2 cos(· + b), √(d/2) at least on the sphere (Theorem 6), and Cˡ
        for the product of l features with that C.
    per_draw : int
        Real features that one draw holds: 2 for the cosine and the sine of one wave.

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017.
    """
    rate = 1.0 / (2.0 * norm**4 * per_draw)
    return TailBound(
        "Theorem 3",
        "Daniely, Frostig, Gupta and Singer 2017, Theorem 3",
        rf"2\,e^{{-m\varepsilon^2/{2.0 * norm**4 * per_draw:.4g}}}",
        f"Independent features of absolute value {norm:.3g} at most.",
        lambda m, eps: math.log(2.0) - rate * m * np.square(eps),
        step=per_draw,
    )


def sphere_norm(dimension: int, degree: int = 1) -> float:
    """Return the least bound C on features for the unit sphere's inner product to the power `degree`: √(d/2) a factor.

    By Theorem 6 of the compositional kernels paper no random features have a smaller one, and the pairs of neighbouring
    coordinates reach it. In one and two dimensions a norm of 1 is possible (signs, and waves on the circle), and none
    below 1 ever is.

    Parameters
    ----------
    dimension : int
        d.
    degree : int
        How many of them a feature multiplies.
    """
    return max(math.sqrt(dimension / 2.0), 1.0) ** degree


def bernstein(variance: float, largest: float, per_draw: int = 1) -> TailBound:
    r"""Bound the error of one pair of points, with the variance known: Bernstein's inequality.

    .. math:: P(|\hat k - k| \ge \varepsilon) \le 2\exp\frac{-D\varepsilon^2}{2v + \tfrac23 b\varepsilon}

    Not in the papers. Compared with Hoeffding's it shows how much of the looseness is that the variance is not used.

    Parameters
    ----------
    variance : float
        v, of one independent term of the mean.
    largest : float
        b, the largest absolute deviation of one term from its mean.
    per_draw : int
        Features that one term holds, so that D = m / per_draw.

    References
    ----------
    S. Boucheron, G. Lugosi, P. Massart, "Concentration Inequalities", 2013, equation (2.10).
    """

    def log_failure(m: Any, eps: Any) -> Any:
        return math.log(2.0) - (m / per_draw) * np.square(eps) / (2.0 * variance + 2.0 / 3.0 * largest * eps)

    return TailBound(
        "Bernstein, exact variance",
        "Boucheron, Lugosi and Massart 2013, equation (2.10)",
        r"2\exp\frac{-D\varepsilon^2}{2v+\frac23b\varepsilon}",
        f"Independent terms of variance {variance:.3g}, at most {largest:.3g} from their mean.",
        log_failure,
        step=per_draw,
    )
