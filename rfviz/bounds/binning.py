"""Bounds for random binning features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rfviz.bounds.tail import TailBound

__all__ = ["binning_log_failure_as_printed", "binning_pair", "binning_uniform"]

_SOURCE = "Rahimi and Recht 2007, Claim 2"


def binning_pair() -> TailBound:
    r"""Bound the error of one pair of points over P repetitions: Hoeffding's inequality for products that are 0 or 1.

    .. math:: P(|\hat k - k| \ge \varepsilon) \le 2e^{-2P\varepsilon^2}
    """
    return TailBound(
        "Hoeffding",
        "Hoeffding's inequality, as Rahimi and Recht 2007 use it",
        r"2\,e^{-2m\varepsilon^2}",
        "Independent grids, any data.",
        lambda m, eps: math.log(2.0) - 2.0 * m * np.square(eps),
    )


def binning_log_failure_as_printed(
    m: Any, eps: Any, dimension: int, diameter: float, alpha: float = 1.0, lipschitz: float = 1.0
) -> Any:
    r"""Return the logarithm of the printed bound on the failure of binning, in any unit of length.

    .. math:: 36\,d\,P\,\alpha\,\mathrm{diam}\,\exp\frac{-(P\varepsilon^2/8 + \ln(\varepsilon/L_k))}{d+1}

    **Erratum.** α·diam has no unit, but L_k, a slope, has one. Measure the same points in a smaller unit of length, and
    L_k, hence the bound, becomes as small as one likes, with the same map and the same error. So it cannot hold as
    printed for every α and L_k. It is meant where both are 1, as in the paper's own example.

    Parameters
    ----------
    m : float or ndarray
        Repetitions P.
    eps : float or ndarray
    diameter, alpha, lipschitz : float
        diam(M), α = E[1/δ] of the pitch δ, and L_k. For exp(−γ‖x − z‖₁) both α and L_k are γ.
    """
    start = math.log(36.0 * dimension * alpha * diameter)
    return start + np.log(m) - (m * np.square(eps) / 8.0 + np.log(eps / lipschitz)) / (dimension + 1.0)


def binning_uniform(dimension: int, diameter: float, gamma: float = 1.0) -> TailBound:
    """Bound the errors of all points of a region at once, for the Laplacian kernel exp(−γ‖x − z‖₁).

    The printed bound with lengths measured in 1/γ, the only unit in which it makes sense (see
    :func:`binning_log_failure_as_printed`). The factor P in front makes it *grow* up to P = 8(d + 1)/ε², far above 1.

    Parameters
    ----------
    diameter : float
        Of the region, in the units of the data.

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007, Claim 2.
    """
    return TailBound(
        "Rahimi–Recht",
        _SOURCE,
        r"36\,d\,m\,\gamma\,\mathrm{diam}\,e^{-(m\varepsilon^2/8+\ln\varepsilon)/(d+1)}",
        f"Independent grids, a region of diameter {diameter:.3g} in {dimension} dimensions.",
        lambda m, eps: binning_log_failure_as_printed(m, eps, dimension, gamma * diameter),
        falls_from=lambda eps: 8.0 * (dimension + 1.0) / eps**2,
    )
