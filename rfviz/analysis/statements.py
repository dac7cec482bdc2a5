"""Which bounds speak of which scheme, with the constants of its setting and of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz import bounds
from rfviz.bounds import TailBound

__all__ = ["Statement", "largest_error", "silence", "statements"]

# Schemes whose independent features, before the 1/√m, have a largest absolute value: the C of Theorem 3.
_NORMS = {
    "DecisionStumps": 1.0, "SigmoidalRidge": 1.0, "CompositionalFeatures": math.sqrt(2.0),
    "HybridCompositional": math.sqrt(2.0),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Statement:
    """A bound with all its constants.

    Attributes
    ----------
    about : {"one pair", "all pairs", "everywhere"}
    bound : TailBound
    drawn : bool
        Whether it is a curve of its own, or one of the table only.
    """

    about: str
    bound: TailBound
    drawn: bool = True


def statements(
    scheme: str,
    setting: Mapping[str, Any],
    n_pairs: int,
    dimension: int,
    diameter: float,
    variance: float | None = None,
) -> list[Statement]:
    """The bounds for one scheme; none where there is no bound with explicit constants (see :func:`silence`).

    Parameters
    ----------
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its parameters, as numbers.
    n_pairs : int
        For the union over all pairs.
    dimension : int
        d of the bounds for a region.
    diameter : float
        Of the region.
    variance : float, optional
        m times the largest exact variance of an estimate, for Bernstein's inequality.
    """
    if silence(scheme, setting):
        return []
    if scheme == "RandomFourier":
        return _fourier(setting, n_pairs, dimension, diameter, variance)
    if scheme == "RandomBinning":
        # Every built-in mixture of hats has E[1/δ] = L_k = γ; where each column has its own, the largest serves all.
        uniform = bounds.binning_uniform(dimension, diameter, float(np.max(setting["gamma"])))
        extra = [Statement("one pair", bounds.bernstein(variance, 1.0), drawn=False)] if variance else []
        return [*extra, *_pairs(bounds.binning_pair(), n_pairs), Statement("everywhere", uniform)]
    if setting.get("paired"):  # a wave of norm 1, whose cosine and sine are two features
        return _pairs(bounds.bounded_products(1.0, per_draw=2), n_pairs)
    sharper = [Statement("one pair", bounds.phase_pair(), drawn=False)] if scheme == "HybridCompositional" else []
    return [*sharper, *_pairs(bounds.bounded_products(_NORMS[scheme]), n_pairs)]


def _pairs(bound: TailBound, n_pairs: int) -> list[Statement]:
    return [Statement("one pair", bound), Statement("all pairs", bound.over(n_pairs))]


def _fourier(
    setting: Mapping[str, Any], n_pairs: int, dimension: int, diameter: float, variance: float | None
) -> list[Statement]:
    paired = bool(setting.get("paired", True))
    sigma, spread = _spectrum(setting, dimension)
    found = []
    if variance:
        # One term: a cosine in [−1, 1] for a pair of features, a product in [−2, 2] for one with a phase.
        one = bounds.bernstein(0.5 * variance, 2.0, 2) if paired else bounds.bernstein(variance, 3.0)
        found.append(Statement("one pair", one, drawn=False))
    if not paired:
        found += [Statement("one pair", b, drawn=False) for b in (bounds.phase_pair(), bounds.phase_pair_hoeffding())]
    found += _pairs(bounds.fourier_pair(paired), n_pairs)
    if not math.isfinite(sigma):
        return found
    if paired:
        sharper = bounds.sutherland_pairs(dimension, sigma, diameter, spread)
    else:
        sharper = bounds.sutherland_phases(dimension, sigma, diameter)
    uniform = bounds.fourier_uniform(dimension, sigma, diameter, paired)
    return [*found, Statement("everywhere", sharper), Statement("everywhere", uniform)]


def _spectrum(setting: Mapping[str, Any], dimension: int) -> tuple[float, float]:
    """σ_p, the root of E‖ω‖², infinite where the kernel has a cusp at 0; and the largest variance of cos ω·(x − z).

    The variance is ½ + ½k(2δ) − k(δ)². For the Gaussian kernel k(2δ) = k(δ)⁴, which makes it ½(1 − k²)². Any kernel
    that falls from 1 to 0 along a line has k(2δ) ≤ k(δ), which makes it 9/16 at most.
    """
    gamma, name, nu = np.atleast_1d(setting["gamma"]), setting.get("spectrum", "gaussian"), setting.get("nu", 1.5)
    if name == "laplacian" or (name == "matern" and nu <= 1.0):
        return math.inf, 9 / 16
    per_column = 2.0 * np.mean(gamma**2) if name == "cauchy" else 2.0 * np.mean(gamma)
    heavier = nu / (nu - 1.0) if name == "matern" else 1.0
    return math.sqrt(dimension * float(per_column) * heavier), 0.5 if name == "gaussian" else 9 / 16


def silence(scheme: str, setting: Mapping[str, Any]) -> str:
    """Why no bound speaks of a scheme in this setting, as a sentence; empty where one does.

    Parameters
    ----------
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments, words replaced by numbers.
    """
    if setting.get("draw", "iid") != "iid":
        return "Its frequencies are not independent of each other, and all these bounds ask for that."
    if setting.get("deduplicate"):
        return "Equal features are kept once, so that the features are not independent, which the bounds ask for."
    if scheme in ("RandomFourier", "RandomBinning", *_NORMS):
        return ""
    return "Its features are unbounded, and no paper gives a bound on their kernel estimate with all its constants."


def largest_error(scheme: str, setting: Mapping[str, Any]) -> float | None:
    """An error that no draw can exceed: a bound above it says nothing. None where there is no such error.

    Parameters
    ----------
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments.
    """
    if scheme == "RandomFourier":
        return 2.0 if setting.get("paired", True) else 3.0
    if scheme == "RandomBinning":
        return 1.0
    return _NORMS[scheme] ** 2 + 1.0 if scheme in _NORMS else None
