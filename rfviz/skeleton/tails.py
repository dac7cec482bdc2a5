"""Exact draws from the heavy tails of the step's and the ReLU's coefficients, which no table can hold.

With C_k = (2k choose k)/4^k the coefficients beyond the first are

    step:  a_{2k+1} = C_k / (π(2k+1))              ~ k^{-3/2}
    ReLU:  a_{2k+2} = C_k / (π(2k+1)(2k+2))        ~ k^{-5/2}

Their tail sums have no closed form, but those of close relatives do, because they telescope:

    Σ_{j≥k} C_j/(2j+2) = C_k,        Σ_{j≥k} 3C_j/((2j+2)(j+2)) = C_k/(k+1).

A relative is drawn by inverting its tail sum, and accepted with the ratio of the two laws, which beyond k = 32 is all
but constant. That is exact: nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["HEAD", "HeavyTail", "central", "relu_tail", "step_tail"]

# From this k on, draws come from here rather than from a table.
HEAD = 32
# Beyond this, integers are not told apart in float64 anyhow.
_LARGEST = 2.0**52


def central(n_terms: int) -> np.ndarray:
    """Return C_k = (2k choose k)/4^k for k < `n_terms`."""
    k = np.arange(1, n_terms)
    return np.concatenate([[1.0], np.cumprod((2.0 * k - 1.0) / (2.0 * k))])[:n_terms]


def _log_central(k: np.ndarray) -> np.ndarray:
    """Return log C_k for real k ≥ HEAD, to 1e-15: Stirling's series of the ratio of two gamma functions."""
    u = 1.0 / (k * k)
    return -0.5 * np.log(np.pi * k) - (0.125 - u * (1 / 192 - u * (1 / 640 - u * (17 / 14336)))) / k


@dataclass(frozen=True)
class HeavyTail:
    """A law on k ≥ HEAD, drawn by rejection from one whose tail sums are known.

    Attributes
    ----------
    log_tail : callable
        Logarithm of the relative's tail sum at real k.
    slope : callable
        Derivative of `log_tail`, roughly.
    ratio : callable
        The law over its relative, up to a constant; it falls with k.
    """

    log_tail: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    ratio: Callable[[np.ndarray], np.ndarray]

    def draw(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """Draw `size` numbers k ≥ HEAD, int64; the rare ones beyond 2^52 (once in 10^8) are clipped to it."""
        drawn = np.empty(size, dtype=np.int64)
        missing = np.arange(size)
        largest = self.ratio(np.array(float(HEAD)))
        while missing.size:
            k = self._relative(1.0 - generator.random(missing.size))
            accepted = generator.random(missing.size) * largest < self.ratio(k)
            drawn[missing[accepted]] = k[accepted].astype(np.int64)
            missing = missing[~accepted]
        return drawn

    def _relative(self, u: np.ndarray) -> np.ndarray:
        """Return the k whose tail sum, over that at HEAD, is the last one above `u`: Newton on the logarithm."""
        target = np.log(u) + self.log_tail(np.array(float(HEAD)))
        # On the logarithm of k the curve is nearly a line.
        log_k = np.log(HEAD) + (target - self.log_tail(np.array(float(HEAD)))) / (HEAD * self.slope(np.array(HEAD)))
        for _ in range(6):
            k = np.exp(np.clip(log_k, np.log(HEAD), 60.0))
            log_k = np.log(k) - (self.log_tail(k) - target) / (k * self.slope(k))
        return np.floor(np.clip(np.exp(np.minimum(log_k, 60.0)), HEAD, _LARGEST))


step_tail = HeavyTail(
    log_tail=_log_central,
    slope=lambda k: -0.5 / k,
    ratio=lambda k: (2 * k + 2) / (2 * k + 1),
)
relu_tail = HeavyTail(
    log_tail=lambda k: _log_central(k) - np.log(k + 1.0),
    slope=lambda k: -0.5 / k - 1.0 / (k + 1.0),
    ratio=lambda k: (k + 2) / (2 * k + 1),
)
