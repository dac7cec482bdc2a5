"""Ridge regression on the first m features of n rows: its errors over draws, and those that the kernel predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.neighbors import NearestNeighbors

from rfviz.analysis.nested import estimates_between, unscaled_features
from rfviz.analysis.points import normalise
from rfviz.backend import to_host
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.theory import KernelSpectrum, kernel_spectrum

__all__ = [
    "Draw",
    "Population",
    "ScalingLaw",
    "Spread",
    "feature_grid",
    "learn",
    "noisy_spectrum",
    "prepare_population",
    "scaling_law",
    "spectrum_of",
    "spread_of_features",
]

#: Rows whose kernel is decomposed, and of those that are not trained on, how many test.
MOST_ROWS, MOST_TESTED = 2000, 800
_POINTS = 26
# Around m = n the error changes fast.
_NEAR_N = (0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5)
# Penalties that leave-one-out errors choose from, in the unit of `learn`.
_PENALTIES = np.logspace(-8.0, 4.0, 37)
_SPREAD_FEATURES, _SPREAD_ROWS, _FEW = 256, 1000, 0.01
# A power law is told over a decade or more of a straight line on logarithmic axes, whose thirds have about one slope.
_DECADE, _STRAIGHT, _ALIKE, _FLAT, _STEPS = 10.0, 0.99, 0.25, 0.1, 42


@dataclass(frozen=True, eq=False)
class Population:
    """Rows that are trained and tested on.

    Attributes
    ----------
    X : ndarray of shape (N, d)
    Y : ndarray of shape (N, k)
        Targets about their mean; of classes, one column of 0 and 1 for each.
    codes : ndarray of int or None
        Classes.
    """

    X: np.ndarray
    Y: np.ndarray
    codes: np.ndarray | None

    @property
    def n_rows(self) -> int:
        return len(self.X)

    @property
    def variance(self) -> float:
        """Mean square of the targets about their mean, summed over outputs."""
        return float(np.square(self.Y - self.Y.mean(axis=0)).sum(axis=1).mean())


def prepare_population(dataset: Dataset, how: str, seed: int = 0) -> Population:
    """Draw up to 2,000 rows that have a label, and scale them.

    Raises
    ------
    DataError
        Without labels, or if all are equal.
    """
    if dataset.y is None:
        raise DataError(f"A learning curve needs labels, and {dataset.name} has none. Choose a data set with labels.")
    order = np.random.default_rng(seed).permutation(dataset.n_samples)[:MOST_ROWS]
    X, y = normalise(dataset.X[order], how), dataset.y[order]
    if dataset.target_names:
        present, codes = np.unique(y, return_inverse=True)
        if len(present) < 2:
            raise DataError(f"All rows are of the class “{dataset.target_names[present[0]]}”: nothing can be learnt.")
        return Population(X, np.eye(len(present))[codes], codes)
    y = y.astype(np.float64)
    if not np.ptp(y):
        raise DataError("The target is the same in all rows: nothing can be learnt.")
    return Population(X, ((y - y.mean()) / y.std())[:, None], None)


def feature_grid(n: int, m_max: int) -> tuple[int, ...]:
    """Return numbers of features up to a largest one, evenly on a logarithmic scale and closer around n."""
    even = np.geomspace(2, m_max, _POINTS)
    grid = np.unique(np.round([*even, *(share * n for share in _NEAR_N)]).astype(int))
    return tuple(grid[(grid >= 1) & (grid <= m_max)].tolist())


def spectrum_of(population: Population, spec: MapSpec[FeatureMap], top: int | None = None) -> KernelSpectrum:
    """Decompose the exact kernel of a map over all rows of the population.

    Parameters
    ----------
    top : int, optional
        Eigenvalues to compute; the others are sketched.

    Raises
    ------
    ParameterError
        If it has no closed form.
    """
    fitted = spec.make(n_components=2, random_state=0, dtype="float64").fit(population.X)
    return kernel_spectrum(fitted.kernel(population.X), population.Y, top=top)


def noisy_spectrum(population: Population, spectrum: KernelSpectrum, noise: float) -> tuple[KernelSpectrum, float]:
    """Return the spectrum with the power that noisy targets keep, and the variance that the noise adds.

    Parameters
    ----------
    noise : float
        Of numbers, the variance of the noise as a part of the target's; of classes, the share of labels that are
        replaced by a class drawn at random.
    """
    if population.codes is None:
        return spectrum, noise * population.variance
    keep, k = 1.0 - noise, population.Y.shape[1]
    variance = 1.0 - (keep**2 + 2.0 * keep * noise / k + noise**2 / k)
    return replace(spectrum, power=keep**2 * spectrum.power, rest=keep**2 * spectrum.rest), variance


@dataclass(frozen=True, eq=False)
class Draw:
    """Errors of one draw of rows and features.

    Attributes
    ----------
    test, train : ndarray of shape (len(m_grid) + 1,)
        Squared errors, as parts of the targets' variance; the last of each are those of the exact kernel, or nan
        where it has no closed form.
    wrong : ndarray of shape (len(m_grid) + 1,)
        Shares of test rows with a wrong class; nan for numbers.
    alpha : ndarray of shape (len(m_grid) + 1,)
        Penalties.
    """

    test: np.ndarray
    train: np.ndarray
    wrong: np.ndarray
    alpha: np.ndarray


def learn(
    population: Population,
    spec: MapSpec[FeatureMap],
    n: int,
    m_grid: Sequence[int],
    alpha: float | None,
    noise: float,
    draw: int,
    has_kernel: bool = True,
) -> Draw:
    """Train on n rows drawn at random, with the first m features for every m of the grid, and test on up to 800 others.

    An intercept is fitted. Cost: O(N·n·m) for the largest m, and O(n³) for every m.

    Parameters
    ----------
    alpha : float or None
        Penalty on features scaled by 1/√m, as a part of their mean squared length about their mean; None for the one
        with the least leave-one-out error at each m.
    noise : float
        See :func:`noisy_spectrum`. Test rows have it as well.
    """
    generator = np.random.default_rng([draw, n])
    order = generator.permutation(population.n_rows)[: n + MOST_TESTED]
    X, (Y, codes) = population.X[order], _with_noise(population, noise, generator)
    Y, codes = Y[order], None if codes is None else codes[order]
    fitted = spec.make(n_components=m_grid[-1], random_state=draw, dtype="float64").fit(population.X)
    F = unscaled_features(fitted, X)
    products = [*estimates_between(F, F[:n], fitted, m_grid)]
    if has_kernel:
        products.append(to_host(fitted.kernel(X, X[:n])))
    variance = float(np.square(Y - Y.mean(axis=0)).sum(axis=1).mean())
    rows = [_train(part, Y, codes, alpha) for part in products]
    rows += [(np.nan,) * 4] * (not has_kernel)
    test, train, wrong, alphas = np.array(rows).T
    return Draw(test / variance, train / variance, wrong, alphas)


def _with_noise(
    population: Population, noise: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None]:
    Y, codes = population.Y, population.codes
    if codes is None:
        return Y + np.sqrt(noise * population.variance) * generator.normal(size=Y.shape), None
    codes = np.where(generator.uniform(size=len(codes)) < noise, generator.integers(Y.shape[1], size=len(codes)), codes)
    return np.eye(Y.shape[1])[codes], codes


def _train(
    products: np.ndarray, Y: np.ndarray, codes: np.ndarray | None, alpha: float | None
) -> tuple[float, float, float, float]:
    """Return test and training error, the share of wrong classes, and the penalty.

    Parameters
    ----------
    products : ndarray of shape (N, n)
        Inner products of all rows with the training rows, which are the first.
    """
    n = products.shape[1]
    means = products[:n].mean(axis=0)
    products = products - means - (products.mean(axis=1) - means.mean())[:, None]
    answer = Y[:n].mean(axis=0)
    T, gram = Y[:n] - answer, products[:n]
    size = float(np.trace(gram)) / n
    # The direction of the intercept has the eigenvalue 0: it gets another, since one near 0 is divided by.
    gram = gram + size / n
    chosen, coefficients = alpha or 0.0, None if alpha is None else _solve(gram, T, alpha * size)
    if coefficients is None:
        values, vectors = eigh(gram, check_finite=False)
        values, along = np.maximum(values, 0.0), vectors.T @ T
        if alpha is None:
            tried = size * _PENALTIES
            inverse = 1.0 / (values[:, None] + tried)
            slack = np.square(vectors) @ inverse - 1.0 / (n * (size + tried))
            solved = (vectors @ (inverse[:, :, None] * along[:, None, :]).reshape(n, -1)).reshape(n, len(tried), -1)
            errors = np.square(solved / slack[:, :, None]).sum(axis=2).mean(axis=0)
            chosen = float(_PENALTIES[errors.argmin()])
        coefficients = vectors @ (along / (values + chosen * size)[:, None])
    scores = products @ coefficients + answer
    errors = np.square(scores - Y).sum(axis=1)
    wrong = np.nan if codes is None else float(np.mean(scores[n:].argmax(axis=1) != codes[n:]))
    return float(errors[n:].mean()), float(errors[:n].mean()), wrong, chosen


def _solve(gram: np.ndarray, T: np.ndarray, penalty: float) -> np.ndarray | None:
    """Solve (gram + penalty·I)a = T, or return None if the penalty is below the rounding."""
    A = gram.copy()
    A[np.diag_indices_from(A)] += penalty
    try:
        return cho_solve(cho_factor(A, overwrite_a=True, check_finite=False), T, check_finite=False)
    except LinAlgError:
        return None


@dataclass(frozen=True)
class ScalingLaw:
    """A range of numbers of features where the error falls as a power of their number.

    Attributes
    ----------
    exponent : float
        The error falls as m to the minus this.
    low, high : int
        The range.
    """

    exponent: float
    low: int
    high: int


def scaling_law(m: np.ndarray, error: np.ndarray) -> ScalingLaw | None:
    """Return the longest range where the error falls along a straight line on logarithmic axes, or None.

    The line has R² ≥ 0.99 over a factor of ten or more, its thirds have slopes within a quarter of its own, and it
    falls at least as m to the −0.1.

    Parameters
    ----------
    m : ndarray of shape (k,)
        Rising.
    error : ndarray of shape (k,)
        Positive.
    """
    x, y = np.log(m), np.log(error)
    ends = [(i, j) for i in range(len(x)) for j in range(i + 4, len(x) + 1) if m[j - 1] >= _DECADE * m[i]]
    for i, j in sorted(ends, key=lambda pair: x[pair[0]] - x[pair[1] - 1]):
        # Even steps, as the grid is closer around n.
        even = np.linspace(x[i], x[j - 1], _STEPS)
        there = np.interp(even, x, y)
        slope, thirds = _slope(even, there), map(_slope, np.array_split(even, 3), np.array_split(there, 3))
        is_straight = np.var(there - slope * even) <= (1.0 - _STRAIGHT) * np.var(there)
        if is_straight and slope <= -_FLAT and all(abs(part - slope) <= -_ALIKE * slope for part in thirds):
            return ScalingLaw(-slope, int(m[i]), int(m[j - 1]))
    return None


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    x = x - x.mean()
    return float(x @ y) / float(x @ x)


@dataclass(frozen=True)
class Spread:
    """Whether features and rows are as alike as the prediction takes them to be.

    Attributes
    ----------
    features, rows : float
        (Σp)²/(m·Σp²) of the features' variances p over the rows, and of the rows' squared lengths p in the features: 1
        if all are alike, near 0 if few have most.
    cosine : float
        Mean cosine of two rows: near 1, they lie in a cone.
    nearest : float
        The distance to the nearest row that 1% of the rows fall below, as a part of the root mean square distance of
        two rows: near 0, some are nearly equal.
    """

    features: float
    rows: float
    cosine: float
    nearest: float


def spread_of_features(population: Population, spec: MapSpec[FeatureMap]) -> Spread:
    """Measure how unequally the features of one draw vary over the rows, and the rows over the features."""
    X = population.X[:_SPREAD_ROWS]
    fitted = spec.make(n_components=_SPREAD_FEATURES, random_state=0, dtype="float64").fit(population.X)
    F = to_host(unscaled_features(fitted, X))
    F = F.toarray() if sparse.issparse(F) else np.asarray(F)
    squares = np.square(F - F.mean(axis=0))
    unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), np.finfo(float).tiny)
    n = len(X)
    cosine = (float(np.square(unit.sum(axis=0)).sum()) - n) / (n * (n - 1))
    distances = NearestNeighbors(n_neighbors=1).fit(X).kneighbors()[0]
    usual = float(np.sqrt(2.0 * X.var(axis=0, ddof=1).sum()))
    nearest = float(np.quantile(distances, _FEW)) / max(usual, np.finfo(float).tiny)
    return Spread(_participation(squares.sum(axis=0)), _participation(squares.sum(axis=1)), cosine, nearest)


def _participation(p: np.ndarray) -> float:
    return float(p.sum()) ** 2 / max(len(p) * float(np.square(p).sum()), np.finfo(float).tiny)
