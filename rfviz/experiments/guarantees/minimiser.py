"""The minimiser that Theorem 5 of compositional kernels is about, with its own penalty, on rows whose law is known.

The law of the data is that of a row chosen at random from all that are at hand, with repetition. So the risk of a
function is its mean loss over these rows, and the least risk of a function of norm B is a finite problem.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rfviz.bounds import LOSSES, compositional_risk
from rfviz.features import FeatureMap, MapSpec
from rfviz.progress import Progress, silent

__all__ = ["CONVEX", "TheoremFits", "fit_minimiser", "least_risk", "measure_minimisers"]

CONVEX = ("hinge", "logistic")
"""Losses of :data:`rfviz.bounds.LOSSES` that are convex and have a slope of at most 1 everywhere."""
_ROWS, _GRID, _DRAWS = 300, (10, 100, 1000), 10


@dataclass(frozen=True, eq=False)
class TheoremFits:
    """Risks of the theorem's minimisers; G numbers of features, the last of them infinite: the exact kernel.

    Attributes
    ----------
    n_rows, n : int
        Rows that the law of the data chooses from, and those of a training set.
    radius : float
        B.
    m_grid, penalty, bound : ndarray of shape (G,)
        λ, and the bound on the mean excess.
    excess : ndarray of shape (draws, G)
        Risk of the minimiser less `best`, for independent training sets and features.
    best : float
        A lower bound of the least risk of a function of norm B, so that the true excess is not larger.
    gap : float
        The least risk is at most this much larger.
    """

    spec: MapSpec[FeatureMap]
    loss: str
    n_rows: int
    n: int
    radius: float
    m_grid: np.ndarray
    penalty: np.ndarray
    bound: np.ndarray
    excess: np.ndarray
    best: float
    gap: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of features."""
        return pd.DataFrame(
            {
                "m": [f"{m:,.0f}" if math.isfinite(m) else "exact kernel" for m in self.m_grid],
                "λ": self.penalty,
                "mean excess risk": self.excess.mean(axis=0),
                "standard error": self.excess.std(axis=0, ddof=1) / math.sqrt(len(self.excess)),
                "Theorem 5": self.bound,
            }
        )


def fit_minimiser(F: np.ndarray, y: np.ndarray, loss: str, penalty: float) -> np.ndarray:
    """Return the w that minimises (1/n) Σ c(yᵢ w·Fᵢ) + λ‖w‖².

    Parameters
    ----------
    F : ndarray of shape (n, m)
    y : ndarray of shape (n,)
        ±1.
    loss : str
        One of :data:`CONVEX`.
    penalty : float
        λ.
    """
    # scikit-learn minimises ½‖w‖² + C Σ c. Divided by 2λ the sum above is ½‖w‖² + 1/(2λn) Σ c.
    C = 1.0 / (2.0 * penalty * len(y))
    if loss == "logistic":
        model = LogisticRegression(C=C, fit_intercept=False, tol=1e-7, max_iter=2000)
    else:
        model = LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-5, max_iter=20_000, random_state=0)
    with warnings.catch_warnings():
        # A hinge with next to no penalty is not solved to all digits; the remainder is in the gap of `least_risk`.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # The loss is of y F alone. With signs in turn there are always two classes, which scikit-learn asks for.
        signs = np.resize([1.0, -1.0], len(y))
        return model.fit(F * (y * signs)[:, None], signs).coef_[0]


def least_risk(F: np.ndarray, y: np.ndarray, loss: str, radius: float) -> tuple[float, float]:
    """Return a lower bound of the least mean loss with ‖w‖ ≤ B, and how much larger it can be.

    For every μ the least value of mean loss + μ(‖w‖² − B²) is a lower bound, to the digits that scikit-learn solves it
    to; the largest of these is the least risk.
    From above it is bounded by the minimisers, shortened to B where they are longer.
    """
    value, above = LOSSES[loss].value, LOSSES[loss].at_zero

    def negative(log_mu: float) -> float:
        nonlocal above
        mu = math.exp(log_mu)
        w = fit_minimiser(F, y, loss, mu)
        length = float(np.linalg.norm(w))
        scores = y * (F @ w)
        above = min(above, float(value(scores * min(1.0, radius / max(length, 1e-300))).mean()))
        return mu * (radius**2 - length**2) - float(value(scores).mean())

    # At the best μ, μB² is at most the loss of the function 0. One that is 16,000 times less costs no visible risk.
    end = math.log(2.0 * LOSSES[loss].at_zero / radius**2)
    found: Any = minimize_scalar(negative, bounds=(end - 9.0, end), method="bounded", options={"xatol": 0.02})
    best = max(-float(found.fun), 0.0)
    return best, max(above - best, 0.0)


def measure_minimisers(
    X: np.ndarray,
    y: np.ndarray,
    spec: MapSpec[FeatureMap],
    loss: str,
    radius: float,
    norm: float,
    per_draw: int,
    n_draws: int = _DRAWS,
    progress: Progress = silent,
) -> TheoremFits:
    """Measure how much riskier the theorem's minimiser is than the best function of norm B, on average over draws.

    Parameters
    ----------
    X : ndarray of shape (N, d)
        At most 300 of the rows are used; a training set has half as many, drawn with repetition.
    y : ndarray of shape (N,)
        Codes of classes: the most frequent one is told from the rest.
    spec : MapSpec
        Its number of features and its seed do not count.
    loss : str
        One of :data:`CONVEX`.
    radius, norm : float
        B, and C.
    per_draw : int
        Real features to one that the theorem counts.
    """
    rows = np.random.default_rng(0).permutation(len(X))[:_ROWS]
    X, signs, value = X[rows], np.where(y[rows] == np.bincount(y).argmax(), 1.0, -1.0), LOSSES[loss].value
    n, last = max(len(X) // 2, 2), len(_GRID)
    lengths = [norm] * last + [1.0]  # of all features at a point; k(x, x) = 1
    penalty = math.sqrt(2.0) * np.array(lengths) / (math.sqrt(n) * radius)
    excess = np.empty((n_draws, last + 1))
    best = gap = 0.0
    exact = np.empty(0)
    for draw in range(n_draws):
        progress(draw / n_draws, f"{spec.cls.label}: draw {draw + 1} of {n_draws}")
        drawn = spec.make(n_components=_GRID[-1], random_state=draw).fit(X)
        H = np.concatenate([np.asarray(block) for block in drawn.transform_blocks(X, scaled=False)]).astype(np.float64)
        if not draw:
            values, vectors = np.linalg.eigh(drawn.kernel(X))
            exact = vectors * np.sqrt(np.maximum(values, 0.0))  # inner products of its rows are the kernel
            best, gap = least_risk(exact, signs, loss, radius)
        chosen = np.random.default_rng((5, draw)).integers(len(X), size=n)
        for place, F in enumerate([*(H[:, :m] / math.sqrt(m) for m in _GRID), exact]):
            w = fit_minimiser(F[chosen], signs[chosen], loss, float(penalty[place]))
            excess[draw, place] = value(signs * (F @ w)).mean() - best
    random = compositional_risk(1.0, radius, norm, per_draw).total(n, np.array(_GRID))
    bound = np.append(random, compositional_risk(1.0, radius).estimation(n))
    grid = np.append(np.array(_GRID, dtype=float), np.inf)
    return TheoremFits(spec, loss, len(X), n, radius, grid, penalty, bound, excess, best, gap)
