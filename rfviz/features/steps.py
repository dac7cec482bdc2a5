"""One feature of one point, step by step: what :meth:`rfviz.features.FeatureMap.explain` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

__all__ = ["Step", "number", "pool_steps", "projection_step", "scaled_step"]

# Terms of a sum that are written out.
_TERMS = 3


@dataclass(frozen=True)
class Step:
    """One step of a computation.

    Attributes
    ----------
    words : str
        What is done, in one sentence.
    latex : str
        The same with the numbers of the point, without dollar signs.
    value : float
        What it gives.
    competes : bool
        Whether its value is one of a pool from which a later step chooses.
    wins : bool
        Whether it is the one that is chosen.
    weights : tuple of float
        Of a projection.
    """

    words: str
    latex: str
    value: float
    competes: bool = False
    wins: bool = False
    weights: tuple[float, ...] = ()


def number(value: float) -> str:
    """Return a number in LaTeX with four digits, without an exponent in letters."""
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def projection_step(
    w: np.ndarray, x: np.ndarray, name: str, offset: float = 0.0, competes: bool = False, wins: bool = False
) -> Step:
    """Return the step ⟨w, x⟩ + offset; of long sums the largest terms are written out.

    Parameters
    ----------
    w, x : ndarray of shape (n_features,)
    name : str
        The left side in LaTeX.
    offset : float
    competes, wins : bool
    """
    w, x = w.astype(np.float64), x.astype(np.float64)
    value = float(w @ x) + offset
    chosen = np.sort(np.argsort(-np.abs(w * x), kind="stable")[:_TERMS])
    terms = [_product(float(w[j]), float(x[j])) for j in chosen]
    if len(w) > _TERMS:
        terms.append(rf"\dots\text{{ ({len(w) - _TERMS:,} more)}}")
    if offset:
        terms.append(_signed(offset))
    what = "Multiply each coordinate of the point by its random weight, and add up."
    return Step(what, f"{name}={'+'.join(terms)}={number(value)}", value, competes, wins, tuple(w.tolist()))


def scaled_step(scale: float, value: float, words: str = "Scale the feature, so that products of features add up to "
                "the estimate of the kernel.") -> Step:  # fmt: skip
    """Return the last step: the scale of a feature in the map times its value."""
    found = scale * value
    return Step(words, rf"\Phi_\ell={number(scale)}\cdot {_signed(value)}={number(found)}", found)


def pool_steps(weights: np.ndarray, x: np.ndarray) -> list[Step]:
    """Return the projections of a pool, of shape (pool_size, n_features), and which of them is the largest."""
    values = [float(w.astype(np.float64) @ x.astype(np.float64)) for w in weights]
    best = int(np.argmax(values))
    steps = [
        projection_step(w, x, rf"\langle w_{{{j + 1}}},x\rangle", competes=True, wins=j == best)
        for j, w in enumerate(weights)
    ]
    latex = rf"\max_{{j\le {len(values)}}}\langle w_j,x\rangle=\langle w_{{{best + 1}}},x\rangle={number(values[best])}"
    return [*steps, Step(f"The largest wins: projection {best + 1}.", latex, values[best])]


def _product(one: float, other: float) -> str:
    return rf"{_signed(one)}\cdot {_signed(other)}"


def _signed(value: float) -> str:
    return f"({number(value)})" if math.copysign(1.0, value) < 0 else number(value)
