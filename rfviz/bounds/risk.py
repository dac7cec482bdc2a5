"""Bounds on the risk of models learnt with random features: an estimation term and an approximation term."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz import kernels
from rfviz.errors import ParameterError

__all__ = [
    "LOSSES",
    "Loss",
    "RiskBound",
    "compositional_risk",
    "kitchen_sinks_risk",
    "largest_dimension",
    "maxout_features",
    "maxout_risk",
]


@dataclass(frozen=True)
class Loss:
    """A loss c(z) of the margin z = y·f(x).

    Attributes
    ----------
    value : callable
        Margins to losses.
    lipschitz : callable
        C to the steepest slope of c on [−C, C].
    at_zero : float
        c(0).
    """

    label: str
    formula: str
    value: Callable[[np.ndarray], np.ndarray]
    lipschitz: Callable[[float], float]
    at_zero: float


LOSSES = {
    "hinge": Loss("Hinge", r"\max(0,1-z)", lambda z: np.maximum(0.0, 1.0 - z), lambda C: 1.0, 1.0),
    "logistic": Loss("Logistic", r"\log(1+e^{-z})", lambda z: np.logaddexp(0.0, -z), lambda C: 1.0, math.log(2.0)),
    "quadratic": Loss("Quadratic", "(1-z)^2", lambda z: np.square(1.0 - z), lambda C: 2.0 * (1.0 + C), 1.0),
    "ramp": Loss("Ramp", r"\min(1,\max(0,1-z))", lambda z: np.clip(1.0 - z, 0.0, 1.0), lambda C: 1.0, 1.0),
}


@dataclass(frozen=True)
class RiskBound:
    """Risk of the learnt function, less the least risk of its class, ≤ estimation/√n + approximation/√m.

    Attributes
    ----------
    holds : str
        With which probability, or on average.
    estimation_scale, approximation_scale : float
        The two terms at n = 1 row and at m = 1 feature.
    """

    name: str
    source: str
    formula: str
    holds: str
    estimation_scale: float
    approximation_scale: float

    def estimation(self, n: Any) -> Any:
        """Return the part of the bound that is due to n training rows instead of infinitely many."""
        return self.estimation_scale / np.sqrt(n)

    def approximation(self, m: Any) -> Any:
        """Return the part of the bound that is due to m random features instead of infinitely many."""
        return self.approximation_scale / np.sqrt(m)

    def total(self, n: Any, m: Any) -> Any:
        """Return the bound on the excess risk."""
        return self.estimation(n) + self.approximation(m)

    def features(self, excess: float, n: float) -> float:
        """Return the least number of features for a bound of at most `excess`; infinite if `n` is too small."""
        return self._count(self.approximation_scale, excess - float(self.estimation(n)))

    def rows(self, excess: float) -> float:
        """Return the number of rows below which no number of features makes the bound `excess` or less."""
        return self._count(self.estimation_scale, excess)

    @staticmethod
    def _count(scale: float, room: float) -> float:
        ratio = scale / room if room > 0 else math.inf
        return float(max(math.ceil(ratio**2 * (1.0 - 1e-13)), 1)) if ratio < 1e9 else math.inf


def kitchen_sinks_risk(lipschitz: float, size: float, at_zero: float, delta: float) -> RiskBound:
    r"""Bound the excess risk by Theorem 1 of random kitchen sinks, with the constants of its proof.

    .. math:: \frac{2}{\sqrt n}\Bigl(4LC + 2|c(0)| + LC\sqrt{\tfrac12\log\tfrac1\delta}\Bigr)
        + \frac{LC}{\sqrt m}\Bigl(1 + \sqrt{2\log\tfrac1\delta}\Bigr)

    with probability 1 − 2δ, for features |φ| ≤ 1 and coefficients |α| ≤ C/m. Where losses range over 2LC, as an
    L-Lipschitz function on [−C, C] may, the deviation term LC√(½ log 1/δ) of the proof's quoted theorem, which has
    losses of range LC, should be up to twice as large.

    Parameters
    ----------
    lipschitz, size, at_zero : float
        L, C and c(0); C has to be fixed before the data are seen.
    delta : float
        The theorem's own δ.

    References
    ----------
    A. Rahimi, B. Recht, "Weighted Sums of Random Kitchen Sinks", 2008, Lemmas 2 and 3.
    """
    _check(lipschitz=lipschitz, size=size, delta=delta)
    tail = math.log(1.0 / delta)
    return RiskBound(
        "Theorem 1",
        "Rahimi and Recht 2008, Lemmas 2 and 3",
        r"\frac{2}{\sqrt n}\Bigl(4LC+2|c(0)|+LC\sqrt{\tfrac12\log\tfrac1\delta}\Bigr)"
        r"+\frac{LC}{\sqrt m}\Bigl(1+\sqrt{2\log\tfrac1\delta}\Bigr)",
        f"with probability {1.0 - 2.0 * delta:.4g}",
        2.0 * (4.0 * lipschitz * size + 2.0 * abs(at_zero) + lipschitz * size * math.sqrt(0.5 * tail)),
        lipschitz * size * (1.0 + math.sqrt(2.0 * tail)),
    )


def maxout_risk(
    lipschitz: float,
    size: float,
    at_zero: float,
    delta: float,
    pool_size: int,
    dimension: int,
    intrinsic: float,
    diameter: float = 2.0,
    constant: float = 1.0,
    norm: float = 1.0,
    largest: float = 1.0,
) -> RiskBound:
    r"""Bound the excess risk by Theorem 2 of random maxout features, whose constant C' the paper leaves free.

    .. math:: 4LC\sqrt{\tfrac{\sigma^2(q)}{n}} + \frac{2|V(0)|}{\sqrt n} + 2\sqrt{\tfrac{2\log(1/\delta)}{n}}
        + LC\varepsilon\bigl(1 + \sqrt{2\log\tfrac1\delta}\bigr), \qquad
        m = \frac{C'}{\varepsilon^2}\Bigl(d_M\log\frac{\mathrm{diam}\sqrt d}{\delta} + \log(q+1)\Bigr)

    with probability 1 − 3δ − 2e^{−cd/4}, c free as well, for points on the unit sphere and a loss with values in
    [0, 1]. The failure term 2e^{−cd/4} bounds the length of one projection; since which of q is the largest depends on
    the point, it should be multiplied by q and by m. (That the proof uses the supremum of one feature for all m costs
    the statement nothing: averages of m features are off by σ(q)/√m.)

    Parameters
    ----------
    lipschitz, size, at_zero : float
        L, C and V(0).
    delta : float
        The theorem's own δ.
    pool_size : int
        q.
    dimension : int
        d.
    intrinsic : float
        d_M, the Assouad dimension of the data: at most of the order of d, and unknown for real data.
    diameter : float
        Of the data, in units of `norm`: up to 2 on the sphere.
    constant : float
        C'.
    norm, largest : float
        R and B of Remark 2.1: points of length up to R and losses of size up to B multiply the right side by RB. Both
        are taken as 1 where they are less.

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015, Theorem 2 and Remark 2.
    """
    _check(lipschitz=lipschitz, size=size, norm=norm, largest=largest)
    needed = maxout_features(1.0, delta, pool_size, dimension, intrinsic, diameter, constant)
    tail = math.log(1.0 / delta)
    scale = max(norm, 1.0) * max(largest, 1.0)
    estimation = 4.0 * lipschitz * size * math.sqrt(kernels.expected_max_squared(pool_size))
    return RiskBound(
        "Theorem 2",
        "Mroueh, Rennie and Goel 2015, Theorem 2",
        r"\frac{4LC\sigma(q)+2|V(0)|+2\sqrt{2\log\frac1\delta}}{\sqrt n}"
        r"+\frac{LC}{\sqrt m}\Bigl(1+\sqrt{2\log\tfrac1\delta}\Bigr)"
        r"\sqrt{C'\Bigl(d_M\log\tfrac{\mathrm{diam}\sqrt d}{\delta}+\log(q+1)\Bigr)}",
        f"with probability {1.0 - 3.0 * delta:.4g} (less 2 exp(−cd/4), with c left free)",
        scale * (estimation + 2.0 * abs(at_zero) + 2.0 * math.sqrt(2.0 * tail)),
        scale * lipschitz * size * (1.0 + math.sqrt(2.0 * tail)) * math.sqrt(needed),
    )


def maxout_features(
    eps: float,
    delta: float,
    pool_size: int,
    dimension: int,
    intrinsic: float,
    diameter: float = 2.0,
    constant: float = 1.0,
) -> float:
    r"""Return the number of features that Theorem 2 of random maxout features requires for an ε.

    .. math:: m = \frac{C'}{\varepsilon^2}\Bigl(d_M\log\frac{\mathrm{diam}\sqrt d}{\delta} + \log(q+1)\Bigr)

    The paper suggests ε = 1/√n, as small as the error of estimation from n rows: m grows as n then.

    Parameters
    ----------
    eps : float
        ε, which the second part of the bound is proportional to.
    delta, pool_size, dimension, intrinsic, diameter, constant
        As for :func:`maxout_risk`.

    Returns
    -------
    float
        Not rounded.
    """
    _check(eps=eps, delta=delta, intrinsic=intrinsic, constant=constant, diameter=diameter)
    net = intrinsic * max(math.log(diameter * math.sqrt(dimension) / delta), 0.0) + math.log(pool_size + 1.0)
    return constant * net / eps**2


def largest_dimension(n_points: float = math.inf, dimension: float = math.inf, nonzero: float = math.inf) -> float:
    r"""Return a number that the Assouad dimension of points does not exceed: the least that is known of them.

    The part of a set in a ball must be covered by :math:`2^k` balls of half the radius.

    - n points are covered by n balls: :math:`k\le\lceil\log_2 n\rceil`. So in Remark 2.2.
    - In d dimensions :math:`5^d` balls suffice, as for any ball: :math:`k\le\lceil d\log_25\rceil`.
    - Points with at most s numbers other than 0 lie in :math:`\binom ds` subspaces of dimension s:
      :math:`k\le\lceil\log_2\binom ds+s\log_25\rceil`, of the order of s log d. So in Section 3, for sparse signals.

    Parameters
    ----------
    n_points, dimension, nonzero : float
        n, d and s; infinite if unknown. Of s, d has to be known, too.

    Returns
    -------
    float
        Infinite if nothing is known.

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015, Definition 2, Section 3, Remark 2.2.
    """
    known = [math.log2(max(n_points, 1.0)), math.log2(5.0) * dimension]
    if nonzero < dimension < math.inf:
        d, s = dimension, nonzero
        choices = math.lgamma(d + 1.0) - math.lgamma(s + 1.0) - math.lgamma(d - s + 1.0)
        known.append(choices / math.log(2.0) + s * math.log2(5.0))
    least = min(known)
    return max(math.ceil(least * (1.0 - 1e-13)), 1) if math.isfinite(least) else math.inf


def compositional_risk(lipschitz: float, radius: float, norm: float = 1.0, per_draw: int = 1) -> RiskBound:
    r"""Bound the excess risk by Theorem 5 of the compositional kernels paper: on average over training sets and draws.

    .. math:: \frac{\sqrt8\,\rho BC}{\sqrt n} + \frac{\rho BC}{\sqrt q}, \qquad \lambda = \frac{\sqrt2\rho C}{\sqrt n B}

    Nothing is left free: B bounds the norm of the function in the kernel's space, C the features, ρ the loss's slope,
    and the q under the last root counts independent (complex) features.

    Parameters
    ----------
    lipschitz, radius, norm : float
        ρ, B and C.
    per_draw : int
        Real features to one of those: 2 for a cosine and its sine, so that q = m/2.

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017, equation (8).
    """
    _check(lipschitz=lipschitz, radius=radius, norm=norm)
    return RiskBound(
        "Theorem 5",
        "Daniely, Frostig, Gupta and Singer 2017, Theorem 5",
        r"\frac{\sqrt8\,\rho BC}{\sqrt n}+\frac{\rho BC}{\sqrt q}",
        "on average over training sets and draws",
        math.sqrt(8.0) * lipschitz * radius * norm,
        lipschitz * radius * norm * math.sqrt(per_draw),
    )


def _check(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)) or (name == "delta" and value >= 1):
            rule = "must lie between 0 and 1" if name == "delta" else "must be a finite number greater than 0"
            raise ParameterError(name, rule, value, f"Try {name}={0.05 if name == 'delta' else 1}.")
