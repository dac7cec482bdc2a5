"""The learning curve of ridge regression on random features as an experiment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.points import NORMALISATION
from rfviz.cache import Cache
from rfviz.errors import ParameterError, RfvizError
from rfviz.experiments.base import Chart, Experiment, Result, experiment, revision, specs_of
from rfviz.experiments.data import Data
from rfviz.experiments.learning_curve import describe
from rfviz.experiments.learning_curve.compute import (
    Draw,
    Population,
    ScalingLaw,
    Spread,
    feature_grid,
    learn,
    noisy_spectrum,
    prepare_population,
    scaling_law,
    spectrum_of,
    spread_of_features,
)
from rfviz.experiments.learning_curve.figures import plot_curve, plot_map, plot_spectrum
from rfviz.features import FeatureMap, MapSpec
from rfviz.params import Param
from rfviz.progress import Progress
from rfviz.theory import KernelSpectrum, PredictedError, best_penalty, features_needed, predicted_error

__all__ = [
    "ALPHA",
    "DRAWS",
    "NOISE",
    "N_ROWS",
    "TUNED",
    "CurveResult",
    "LearningCurve",
    "LearningCurveRun",
    "Prediction",
]

N_ROWS = Param(
    "n",
    200,
    "int",
    10,
    1000,
    log=True,
    marks=(20, 30, 50, 70, 100, 140, 200, 300, 400, 500, 700, 1000),
    symbol="n",
    label="Rows",
    help="How many rows are learnt from. Others of the data set test.",
)
ALPHA = Param(
    "alpha",
    1e-8,
    "float",
    1e-9,
    100.0,
    log=True,
    marks=(1e-8, 1e-6, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
    symbol=r"\alpha",
    label="Penalty",
    help="The ridge penalty, as a part of the features’ mean squared length. Nearly none: watch the peak at m = n.",
)
TUNED = Param(
    "tuned",
    False,
    "bool",
    label="Best penalty",
    help="For every number of features by itself, the penalty with the least leave-one-out error.",
)
NOISE = Param(
    "noise",
    0.0,
    "float",
    0.0,
    1.0,
    marks=(0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    label="Noise",
    help="Of classes: the share of labels that are replaced by a random one. Of numbers: the variance of added noise, "
    "as a part of the target’s. Test rows have the same noise.",
)
DRAWS = Param(
    "draws",
    6,
    "int",
    1,
    50,
    marks=(1, 2, 3, 4, 6, 8, 10, 20, 50),
    label="Draws",
    help="How many times rows and features are drawn. Dots are the mean, bars the standard deviation.",
)
WITHIN = 0.05
# Points of the predicted line; numbers of rows and of features of the map.
_FINE, _MAP_N, _MAP_M = 120, 28, 56
# Rows and numbers of features of the spectra.
_MOST_TIMES = 10


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the exact kernel predicts: squared errors as parts of the targets' variance.

    Attributes
    ----------
    m_grid : ndarray of int
        Finer than the measured one.
    test, train : ndarray of shape (len(m_grid),)
    is_reliable : ndarray of bool
    exact : float
        Test error of the exact kernel.
    needed : int or None
        The smallest m from which on the test error stays within 5% of it.
    spectrum : KernelSpectrum
        Of the targets without noise.
    """

    m_grid: np.ndarray
    test: np.ndarray
    train: np.ndarray
    is_reliable: np.ndarray
    exact: float
    needed: int | None
    spectrum: KernelSpectrum


@dataclass(frozen=True, eq=False)
class CurveResult:
    """A measured learning curve, and the predicted one.

    Attributes
    ----------
    label : str
        Of the map.
    n, n_rows : int
        Training rows, and rows that they were drawn from.
    m_grid : ndarray of int
    draws : tuple of Draw
    prediction : Prediction or None
        Absent if the kernel has no closed form.
    unpredicted : str
        Why not.
    spread : Spread
        Whether the features are what the prediction takes them for.
    """

    spec: MapSpec[FeatureMap]
    n: int
    n_rows: int
    is_classification: bool
    is_tuned: bool
    m_grid: np.ndarray
    draws: tuple[Draw, ...]
    prediction: Prediction | None
    unpredicted: str
    spread: Spread

    @property
    def label(self) -> str:
        return self.spec.cls.label

    @cached_property
    def test(self) -> np.ndarray:
        """Test errors, of shape (draws, numbers of features)."""
        return np.array([draw.test[:-1] for draw in self.draws])

    @cached_property
    def train(self) -> np.ndarray:
        """Training errors likewise."""
        return np.array([draw.train[:-1] for draw in self.draws])

    @cached_property
    def wrong(self) -> np.ndarray:
        """Shares of wrong classes likewise; nan for numbers."""
        return np.array([draw.wrong[:-1] for draw in self.draws])

    @property
    def exact(self) -> float:
        """Mean test error of the exact kernel; nan where it has no closed form."""
        return float(np.mean([draw.test[-1] for draw in self.draws]))

    @cached_property
    def law(self) -> ScalingLaw | None:
        """The range of m where the error falls as a power of m, or None if it does over no decade."""
        return scaling_law(self.m_grid, self.test.mean(axis=0))

    @property
    def predicted_exponent(self) -> float | None:
        """The exponent of the predicted errors in that range, or None without a law or a prediction."""
        if self.law is None or self.prediction is None:
            return None
        m, law = self.prediction.m_grid, self.law
        there = (m >= law.low) & (m <= law.high)
        return -float(np.polyfit(np.log(m[there]), np.log(self.prediction.test[there]), 1)[0])

    def features_needed(self, within: float = WITHIN) -> int | None:
        """Return the smallest measured m from which on the mean error stays within a share of the exact kernel's.

        Returns
        -------
        int or None
            Absent if no m of the grid does, or the kernel has no closed form.
        """
        is_above = ~(self.test.mean(axis=0) <= (1.0 + within) * self.exact)
        first = 0 if not is_above.any() else int(np.flatnonzero(is_above)[-1]) + 1
        return int(self.m_grid[first]) if first < len(self.m_grid) else None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of features: mean errors, their deviations, and those predicted."""
        frame = pd.DataFrame(
            {
                "m": self.m_grid,
                "test error": self.test.mean(axis=0),
                "± draws": self.test.std(axis=0, ddof=min(1, len(self.test) - 1)),
                "training error": self.train.mean(axis=0),
            }
        )
        if self.is_classification:
            frame["wrong classes"] = self.wrong.mean(axis=0)
        if self.prediction is not None:
            known = np.searchsorted(self.prediction.m_grid, self.m_grid)
            frame["predicted test error"] = self.prediction.test[known]
            frame["predicted training error"] = self.prediction.train[known]
        return frame


@dataclass(frozen=True, eq=False)
class LearningCurveRun(Result[CurveResult]):
    """A learning curve with its charts, and how many features are enough."""

    def features_needed(self, within: float = WITHIN) -> int | None:
        """Return the smallest m whose predicted test error stays within a share of the exact kernel's.

        That of the measured errors, on the grid of m, is ``numbers.features_needed(within)``.

        Returns
        -------
        int or None
            None if that takes more than ten million features.

        Raises
        ------
        ParameterError
            If the share is not positive, or the kernel has no closed form, so that nothing is predicted.
        """
        made = self.experiment
        assert isinstance(made, LearningCurve)
        if self.numbers.prediction is None:
            raise ParameterError("feature_map", "must have a kernel with a closed form", self.numbers.label)
        case = self._cache.call(case_of, self.data, made.normalise, made.spec, made.noise)
        return case.needed(made.n, None if made.tuned else made.alpha, within)


@experiment
class LearningCurve(Experiment[CurveResult]):
    """Measure the error of ridge regression against the number of features, and predict it before anything is trained.

    Errors are mean squared errors as parts of the targets' variance: 1 is a model that always answers the mean. Classes
    are learnt as one column of 0 and 1 each. The prediction is that of :func:`rfviz.theory.predicted_error`, from the
    exact kernel of up to 2,000 rows.

    Parameters
    ----------
    feature_map : feature map, or MapSpec
        Its number of features does not matter.
    normalise : str
        How rows are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    n : int
        Training rows.
    alpha : float
        Ridge penalty, as a part of the features' mean squared length about their mean.
    tuned : bool
        Whether the penalty is the best for each number of features instead.
    noise : float
        Of classes, the share of labels that are replaced by a random one; of numbers, the variance of added noise as a
        part of the target's.
    draws : int
        How many times rows and features are drawn.
    seed : int
        Of the first draw.
    m : int
        The number of features that is marked.

    Examples
    --------
    >>> from rfviz.experiments import LearningCurve
    >>> from rfviz.features import RandomFourier
    >>> result = LearningCurve(feature_map=RandomFourier(gamma=2.0), n=50, draws=3, noise=0.2).run("digits")
    >>> int(result.numbers.m_grid[result.numbers.test.mean(axis=0).argmax()])
    50
    >>> result.features_needed(within=0.05) < result.features_needed(within=0.02)
    True
    """

    feature_map: FeatureMap | MapSpec[FeatureMap]
    normalise: str = NORMALISATION.default
    n: int = N_ROWS.default
    alpha: float = ALPHA.default
    tuned: bool = False
    noise: float = 0.0
    draws: int = DRAWS.default
    seed: int = 0
    m: int = N_ROWS.default

    params = (NORMALISATION, N_ROWS, ALPHA, TUNED, NOISE, DRAWS, Param("seed", 0, "int", 0), Param("m", 200, "int", 1))
    question = "Can there be too many random features, and can the error be known before training?"

    @property
    def spec(self) -> MapSpec[FeatureMap]:
        """The map as a specification."""
        return specs_of([self.feature_map])[0]

    @property
    def grid(self) -> tuple[int, ...]:
        """The numbers of features that are measured, up to ten times the rows."""
        return feature_grid(self.n, _MOST_TIMES * self.n)

    def run(self, data: Any, *, cache: Cache | None = None, progress: Progress | None = None) -> LearningCurveRun:
        """Run the experiment; see :meth:`rfviz.experiments.base.Experiment.run`."""
        return LearningCurveRun(**vars(super().run(data, cache=cache, progress=progress)))

    def compute(self, data: Data, cache: Cache) -> CurveResult:
        population = cache.call(population_of, data, self.normalise)
        if not 2 <= self.n < population.n_rows:
            raise ParameterError(
                "n",
                f"must be at least 2 and leave rows to test on; there are {population.n_rows:,} rows",
                self.n,
                f"Choose at most {max(population.n_rows // 2, 2):,}.",
            )
        unpredicted = ""
        try:
            prediction = self.predict(data, cache)
        except RfvizError as error:
            prediction, unpredicted = None, str(error)
        alpha = None if self.tuned else self.alpha
        draws = []
        for draw in range(self.seed, self.seed + self.draws):
            cache.progress(len(draws) / self.draws, f"Draw {len(draws) + 1} of {self.draws}")
            has_kernel = prediction is not None
            draws.append(
                cache.call(
                    draw_of, data, self.normalise, self.spec, self.n, self.grid, alpha, self.noise, draw, has_kernel
                )
            )
        spread = cache.call(spread_of, data, self.normalise, self.spec)
        is_classification = population.codes is not None
        return CurveResult(
            self.spec,
            self.n,
            population.n_rows,
            is_classification,
            self.tuned,
            np.array(self.grid),
            tuple(draws),
            prediction,
            unpredicted,
            spread,
        )

    def predict(self, data: Data, cache: Cache) -> Prediction:
        """Predict the curve from the exact kernel, without drawing a feature.

        Raises
        ------
        RfvizError
            If the kernel has no closed form, or tells no rows apart.
        """
        return cache.call(
            prediction_of, data, self.normalise, self.spec, self.n, None if self.tuned else self.alpha, self.noise
        )

    def charts(self, data: Data, numbers: CurveResult, cache: Cache) -> tuple[Chart, ...]:
        key = revision(data.key, self.normalise, self.spec.cls, self.n)
        curve = Chart(
            "learning-curve",
            partial(plot_curve, numbers, at=self.m, revision=key),
            numbers.to_frame,
            describe.summary(numbers),
            describe.explanation(numbers, self.m),
        )
        if numbers.prediction is None:
            return (curve,)
        grid = partial(
            cache.call, map_of, data, self.normalise, self.spec, None if self.tuned else self.alpha, self.noise
        )
        spectra = partial(cache.call, spectra_of, data, self.normalise, self.spec, self.n)
        spectrum = numbers.prediction.spectrum
        return (
            curve,
            Chart(
                "rows-and-features",
                lambda: plot_map(grid(), self.n, self.tuned, revision=key),
                lambda: grid().to_frame(),
                describe.map_summary(numbers),
                describe.MAP,
            ),
            Chart(
                "spectrum",
                lambda: plot_spectrum(spectrum, spectra(), numbers.label, revision=key),
                lambda: spectra().to_frame(),
                describe.spectrum_summary(numbers),
                describe.SPECTRUM,
            ),
        )


def population_of(data: Data, normalise: str, *, cache: Cache) -> Population:
    """Draw the rows that are trained and tested on."""
    return prepare_population(data.dataset, normalise)


def kernel_of(data: Data, normalise: str, law: MapSpec[FeatureMap], *, cache: Cache) -> KernelSpectrum:
    """Decompose the exact kernel."""
    cache.progress(0.0, "Decomposing the exact kernel")
    return spectrum_of(cache.call(population_of, data, normalise), law)


def spread_of(data: Data, normalise: str, spec: MapSpec[FeatureMap], *, cache: Cache) -> Spread:
    """Measure how alike features are."""
    return spread_of_features(cache.call(population_of, data, normalise), spec)


def draw_of(
    data: Data,
    normalise: str,
    spec: MapSpec[FeatureMap],
    n: int,
    grid: tuple[int, ...],
    alpha: float | None,
    noise: float,
    draw: int,
    has_kernel: bool,
    *,
    cache: Cache,
) -> Draw:
    """Train once for every m."""
    return learn(cache.call(population_of, data, normalise), spec, n, grid, alpha, noise, draw, has_kernel)


@dataclass(frozen=True, eq=False)
class Case:
    """A spectrum with noise, and the unit of errors."""

    spectrum: KernelSpectrum
    noise: float

    @property
    def variance(self) -> float:
        return self.spectrum.variance + self.noise

    def errors(self, n: np.ndarray, m: np.ndarray, alpha: float | None) -> PredictedError:
        """Predict errors as parts of the variance; alpha None is the best for each n and m."""
        if alpha is None:
            found = best_penalty(self.spectrum, n, m, noise=self.noise, from_population=True)[1]
        else:
            penalty = alpha * self.spectrum.trace
            found = predicted_error(self.spectrum, n, m, penalty, noise=self.noise, from_population=True)
        return replace(found, test=found.test / self.variance, train=found.train / self.variance)

    def needed(self, n: int, alpha: float | None, within: float = WITHIN) -> int | None:
        penalty = None if alpha is None else alpha * self.spectrum.trace
        return features_needed(self.spectrum, n, penalty, within=within, noise=self.noise, from_population=True)


def case_of(data: Data, normalise: str, spec: MapSpec[FeatureMap], noise: float, *, cache: Cache) -> Case:
    """Return the kernel's spectrum with what noise makes of it."""
    law = spec.replace(n_components=2, random_state=0)
    spectrum = cache.call(kernel_of, data, normalise, law)
    return Case(*noisy_spectrum(cache.call(population_of, data, normalise), spectrum, noise))


def prediction_of(
    data: Data,
    normalise: str,
    spec: MapSpec[FeatureMap],
    n: int,
    alpha: float | None,
    noise: float,
    *,
    cache: Cache,
) -> Prediction:
    """Predict a curve."""
    case = cache.call(case_of, data, normalise, spec, noise)
    fine = np.round(np.geomspace(1, _MOST_TIMES * n, _FINE)).astype(int)
    m_grid = np.unique([*fine, *feature_grid(n, _MOST_TIMES * n)])
    found = case.errors(np.array(n), np.append(m_grid, np.inf), alpha)
    reliable = found.is_reliable[:-1]
    return Prediction(
        m_grid,
        found.test[:-1],
        found.train[:-1],
        reliable,
        float(found.test[-1]),
        case.needed(n, alpha),
        case.spectrum,
    )


@dataclass(frozen=True, eq=False)
class CurveMap:
    """Predicted test errors over numbers of rows and of features.

    Attributes
    ----------
    n, m : ndarray of int
    error : ndarray of shape (len(n), len(m))
        As parts of the targets' variance.
    needed : ndarray of shape (len(n),)
        The features that come within 5% of the exact kernel; nan where none of the map's do.
    """

    n: np.ndarray
    m: np.ndarray
    error: np.ndarray
    needed: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return one row per n and m."""
        n, m = np.meshgrid(self.n, self.m, indexing="ij")
        return pd.DataFrame({"n": n.ravel(), "m": m.ravel(), "predicted test error": self.error.ravel()})


def map_of(
    data: Data, normalise: str, spec: MapSpec[FeatureMap], alpha: float | None, noise: float, *, cache: Cache
) -> CurveMap:
    """Predict the errors for many n and m."""
    case = cache.call(case_of, data, normalise, spec, noise)
    most = max(min(N_ROWS.high or 1000, case.spectrum.n_rows // 4), 2)  # of fewer rows the kernel says too little
    n = np.unique(np.round(np.geomspace(min(N_ROWS.low or 10, most), most, _MAP_N)).astype(int))
    m = np.unique(np.round(np.geomspace(2, _MOST_TIMES * most, _MAP_M)).astype(int))
    error = case.errors(n[:, None], np.append(m, np.inf), alpha).test
    return CurveMap(n, m, error[:, :-1], np.array([_enough(m, row) for row in error]))


def _enough(m: np.ndarray, error: np.ndarray) -> float:
    """Return the m above which errors stay within 5% of the last, that of the exact kernel; nan if none does."""
    over = np.log(error[:-1] / ((1.0 + WITHIN) * error[-1]))
    above = np.flatnonzero(over > 0)
    if not len(above):
        return float(m[0])
    if above[-1] == len(m) - 1:
        return np.nan
    pair = slice(above[-1], above[-1] + 2)
    return float(np.exp(np.interp(0.0, -over[pair], np.log(m[pair]))))


@dataclass(frozen=True, eq=False)
class Spectra:
    """Eigenvalues of the kernel and of its estimates by features, over the same rows.

    Attributes
    ----------
    exact : ndarray
    estimates : dict of int to ndarray
        By the number of features.
    """

    exact: np.ndarray
    estimates: dict[int, np.ndarray]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per eigenvalue."""
        named = {"exact kernel": self.exact, **{f"m = {m:,}": values for m, values in self.estimates.items()}}
        parts = [
            pd.DataFrame({"spectrum": name, "rank": np.arange(1, len(values) + 1), "eigenvalue": values})
            for name, values in named.items()
        ]
        return pd.concat(parts, ignore_index=True)


def spectra_of(data: Data, normalise: str, spec: MapSpec[FeatureMap], n: int, *, cache: Cache) -> Spectra:
    """Compute the eigenvalues of the kernel and of estimates with fewer, as many and more features than rows."""
    population = cache.call(population_of, data, normalise)
    X = population.X[: max(n, 2)]
    m_grid = sorted({max(n // 4, 1), n, 4 * n})
    fitted = spec.make(n_components=m_grid[-1], random_state=0, dtype="float64").fit(population.X)
    K = fitted.kernel(X)
    mean = K.mean(axis=0)
    exact = K - mean - (mean[:, None] - mean.mean())
    grams = dict(zip(m_grid, prefix_grams(fitted, X, m_grid), strict=True))
    floor = 1e-12 * np.trace(exact)
    values = {m: np.linalg.eigvalsh(gram)[::-1] for m, gram in grams.items()}
    found = np.linalg.eigvalsh(exact)[::-1]
    kept = {m: some[some > floor] / len(X) for m, some in values.items()}
    return Spectra(found[found > floor] / len(X), kept)
