"""Kernel approximation as an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from rfviz.analysis.kernel_sample import KernelSample, error_grid, other_rows, prepare_sample
from rfviz.analysis.points import NORMALISATION
from rfviz.cache import Cache
from rfviz.datasets import files
from rfviz.errors import ParameterError, RfvizError
from rfviz.experiments.base import Chart, ExperimentInParts, Maps, experiment, revision, specs_of
from rfviz.experiments.candidate import Candidate, told_apart
from rfviz.experiments.data import Data
from rfviz.experiments.kernel_approximation import describe
from rfviz.experiments.kernel_approximation.all_rows import DRAWS_AT_ONCE, RowErrors, join_draws, row_errors
from rfviz.experiments.kernel_approximation.compute import METRICS, KernelErrorResult, kernel_errors, pair_estimates
from rfviz.experiments.kernel_approximation.figures import plot_kernel_density, plot_kernel_errors, plot_kernel_spread
from rfviz.experiments.work import Part, Work
from rfviz.features import FeatureMap, MapSpec
from rfviz.figures.template import map_styles
from rfviz.params import Param
from rfviz.words import counted, number

__all__ = [
    "ALL_ROWS",
    "DRAWS",
    "FEATURES",
    "M_MAX",
    "ODD",
    "POINTS",
    "RELATIVE",
    "KernelApproximation",
    "KernelErrors",
    "NothingComputedError",
    "pair_estimates_of",
    "sample_of",
]

M_MAX = Param(
    "m_max",
    2000,
    "int",
    20,
    100_000,
    ui_high=20_000,
    log=True,
    symbol="m",
    label="Largest",
    help="Each curve has about twenty points, up to this number of features.",
)
DRAWS = Param(
    "draws",
    20,
    "int",
    1,
    200,
    log=True,
    marks=(1, 2, 3, 4, 5, 8, 10, 20, 50, 100, 200),
    label="Draws",
    help="More draws make the bands more reliable and reveal bias.",
)
POINTS = Param(
    "points",
    128,
    "int",
    3,
    2000,
    log=True,
    marks=(16, 32, 64, 128, 256, 512, 1024),
    symbol="N",
    label="Points compared",
    help="Rows chosen at random; all their pairs are compared.",
)
ALL_ROWS = Param(
    "all_rows",
    False,
    "bool",
    label="All rows",
    help="Read every row of the file, block by block, and compare it with each of the points. Do the errors of their "
    "pairs hold for the whole table, and how large is the largest?",
)
FEATURES = Param(
    "m",
    160,
    "int",
    1,
    log=True,
    symbol="m",
    label="Features",
    help="The number of features whose estimates the clouds show.",
)
ODD = Param(
    "odd",
    False,
    "bool",
    label="Odd m",
    help="Odd numbers leave a cosine of the paired Fourier features without its sine: a bias.",
)
RELATIVE = Param(
    "relative",
    True,
    "bool",
    label="Relative to k(x, x)",
    help="Divide errors by the kernel’s mean k(x, x), to compare kernels of different size.",
)
# Names of the ways in which frequencies are drawn.
_DRAWN = {"iid": "independent", "qmc": "Sobol"}
# What comparing one estimate takes, in multiply-adds.
_MEASURES = 30


class NothingComputedError(ParameterError):
    """None of the maps could be computed.

    Attributes
    ----------
    failures : mapping of str to str
        By the label of each map: why not.
    """

    def __init__(self, labels: Sequence[str], failures: Mapping[str, str]) -> None:
        why = " ".join(f"{label}: {reason}" for label, reason in failures.items())
        super().__init__("maps", "must hold a map that can be computed", list(labels), why or "Choose one.")
        self.failures = failures


@dataclass(frozen=True, eq=False)
class KernelErrors:
    """The results of the maps that could be computed, and by its label why another could not."""

    maps: tuple[KernelErrorResult, ...]
    failures: Mapping[str, str]


@experiment
class KernelApproximation(ExperimentInParts[KernelErrors]):
    """Compare the inner products of random features with the exact kernels, for every number of features.

    Its parts are the passes over all rows of a table, if `all_rows` asks for them.

    Parameters
    ----------
    maps : sequence of feature maps, or of MapSpec
        A curve each. Number of features and seed are the experiment's.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    points : int
        Rows chosen at random, all pairs of which are compared.
    all_rows : bool
        Whether each of the points is also compared with all rows of the table that the data were drawn from.
    m_max : int
        Largest number of features.
    odd : bool
        Whether all numbers of features are odd.
    m : int
        The number of features whose estimates the clouds show: becomes the nearest for which errors are measured.
    draws : int
        Independent draws of each map.
    metric : {"rmse", "mae", "maximum", "correlation"}
        What the main chart shows.
    relative : bool
        Whether errors are divided by the kernel's mean k(x, x).

    Examples
    --------
    >>> from rfviz.experiments import KernelApproximation
    >>> from rfviz.features import RandomFourier
    >>> result = KernelApproximation(maps=[RandomFourier(gamma=1.0)], m_max=400).run("digits")
    >>> list(result.charts)
    ['kernel-error', 'cloud-0', 'kernel-spread']
    >>> errors = result.to_frame().set_index("m")["RMSE ÷ mean k(x, x)"]
    >>> bool(1.6 < errors[102] / errors[400] < 2.4)  # about four times the features, half the error
    True

    The steps, one by one, for twenty draws of 400 features:

    >>> import numpy as np
    >>> from rfviz import datasets
    >>> from rfviz.analysis.kernel_sample import prepare_sample
    >>> X = prepare_sample(datasets.load("digits"), "unit norm", 128).original
    >>> pairs = np.triu_indices(len(X), 1)
    >>> squares = []
    >>> for seed in range(20):
    ...     feature_map = RandomFourier(400, gamma=1.0, random_state=seed).fit(X)
    ...     Phi = feature_map.transform(X).astype(float)
    ...     squares.append(np.mean((Phi @ Phi.T - feature_map.kernel(X))[pairs] ** 2))
    >>> bool(np.isclose(np.sqrt(np.mean(squares)), errors[400], rtol=1e-3))
    True
    """

    maps: Maps
    normalise: str = NORMALISATION.default
    points: int = POINTS.default
    all_rows: bool = False
    m_max: int = M_MAX.default
    odd: bool = False
    m: int = FEATURES.default
    draws: int = DRAWS.default
    metric: str = "rmse"
    relative: bool = True

    params = (
        NORMALISATION,
        POINTS,
        ALL_ROWS,
        M_MAX,
        ODD,
        FEATURES,
        DRAWS,
        Param("metric", "rmse", "choice", choices=tuple(METRICS)),
        RELATIVE,
    )
    question = "How many random features does it take to approximate the kernel well?"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "m", int(min(self.grid, key=lambda m: abs(m - self.m))))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The maps without number of features and seed, each once, with the names of their curves."""
        specs = list(dict.fromkeys(spec.without("n_components", "random_state") for spec in specs_of(self.maps)))
        names = [_name(spec, [other for other in specs if other.cls is spec.cls]) for spec in specs]
        return tuple(Candidate(label, spec) for label, spec in zip(told_apart(names, specs), specs, strict=True))

    @property
    def grid(self) -> np.ndarray:
        """Numbers of features."""
        return error_grid(self.m_max, self.odd)

    @property
    def place(self) -> int:
        """The place of m in the grid."""
        return self.grid.tolist().index(self.m)

    def sample(self, data: Data, cache: Cache) -> KernelSample:
        """Return the points."""
        return cache.call(sample_of, *self._points(data))

    def work(self, data: Data, cache: Cache) -> Work:
        return Work(tuple(self._all_rows_parts(data)) if self.all_rows else (), cache)

    def collect(self, data: Data, work: Work, cache: Cache) -> KernelErrors:
        self.sample(data, cache)  # unusable data are not a fault of a map
        candidates, results, failures = self.candidates, [], {}
        for candidate in candidates:
            try:
                found = cache.call(errors_of, *self._points(data), candidate, self.m_max, self.odd, self.draws)
            except RfvizError as error:
                failures[candidate.label] = str(error)
                continue
            passes = work.results(candidate.label)
            results.append(replace(found, all_rows=join_draws(passes)) if passes else found)
        if not results:
            raise NothingComputedError([candidate.label for candidate in candidates], failures)
        return KernelErrors(tuple(results), failures)

    def charts(self, data: Data, numbers: KernelErrors, cache: Cache) -> tuple[Chart, ...]:
        spread = [self._spread_chart(data, numbers.maps)] if self.draws > 1 else []  # one draw has none
        return (*self.moving_charts(data, numbers.maps), *spread)

    def moving_charts(self, data: Data, maps: Sequence[KernelErrorResult]) -> Iterator[Chart]:
        """Yield the charts that m moves: the measure of all maps, and the estimates of each on axes of its own."""
        place, metric, relative = self.place, self.metric, self.relative
        known_by = self._points(data)
        same = revision(known_by, metric, relative)
        plot = partial(plot_kernel_errors, maps, metric, at=self.m, relative=relative, revision=same)
        words = describe.explanation(maps, place, metric, relative)
        if metric == "rmse":  # whose exact curves are drawn
            words += describe.pool_story(maps, relative)
        words += describe.all_rows(maps, place, relative)
        yield Chart(
            "kernel-error", plot, partial(_table, maps, relative), describe.summary(maps, metric, relative), words
        )
        for index, (style, found) in enumerate(zip(map_styles(found.spec.cls for found in maps), maps, strict=True)):
            same = revision(known_by, found.label)
            plot = partial(plot_kernel_density, found, place, colour=style.colour, revision=same)
            rmse = found.errors.average("rmse")[place]
            pairs = counted(found.n_pairs, "pair")
            alt = f"Estimated against exact kernel of {pairs} by {found.label}: RMSE {number(rmse)}."
            yield Chart(f"cloud-{index}", plot, partial(found.cloud_frame, place), alt)

    def _spread_chart(self, data: Data, maps: Sequence[KernelErrorResult]) -> Chart:
        same = revision(self._points(data), self.relative)
        plot = partial(plot_kernel_spread, maps, at=self.m, relative=self.relative, revision=same)
        alt = "Spread over draws and bias against the number of features."

        def table() -> pd.DataFrame:
            return pd.concat([found.spread_frame(self.relative) for found in maps], ignore_index=True)

        return Chart("kernel-spread", plot, table, alt)

    def _points(self, data: Data) -> tuple[Data, str, int]:
        """Return what the points depend on."""
        return data, self.normalise, self.points

    def _all_rows_parts(self, data: Data) -> Iterator[Part]:
        """Yield the passes over all rows: some draws of each map, and then the next ones."""
        rows, d = len(files.PreparedRows(data.dataset)), data.dataset.n_features
        for first in range(0, self.draws, DRAWS_AT_ONCE):
            stop = min(first + DRAWS_AT_ONCE, self.draws)
            for candidate in self.candidates:
                args = *self._points(data), candidate, self.m_max, self.odd, first, stop
                features = d * candidate.products(self.m_max)
                measures = self.points * (self.m_max + _MEASURES * len(self.grid))
                title = f"{candidate.label}, draws {first + 1} to {stop}"
                yield Part(candidate.label, row_errors_of, args, (stop - first) * rows * (features + measures), title)


def sample_of(data: Data, normalise: str, n_points: int, *, cache: Cache) -> KernelSample:
    """Choose the points."""
    return prepare_sample(data.dataset, normalise, n_points)


def errors_of(
    data: Data, normalise: str, n_points: int, candidate: Candidate, m_max: int, odd: bool, draws: int, *, cache: Cache
) -> KernelErrorResult:
    """Measure the errors of one map, so that a change of another one costs nothing here."""
    sample, grid = cache.call(sample_of, data, normalise, n_points), error_grid(m_max, odd)
    return kernel_errors(sample, candidate.spec, grid, draws, candidate.label, cache.progress)


def row_errors_of(
    data: Data,
    normalise: str,
    n_points: int,
    candidate: Candidate,
    m_max: int,
    odd: bool,
    first: int,
    stop: int,
    *,
    cache: Cache,
) -> RowErrors:
    """Measure the errors of some draws of one map over all rows."""
    sample = cache.call(sample_of, data, normalise, n_points)
    others = other_rows(data.dataset, sample, normalise)
    return row_errors(sample, others, candidate.spec, error_grid(m_max, odd), range(first, stop), cache.progress)


def pair_estimates_of(
    data: Data,
    normalise: str,
    n_points: int,
    spec: MapSpec[FeatureMap],
    m: int,
    rows: tuple[int, int] | None,
    *,
    cache: Cache,
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the kernel of all pairs, or of one, by the map that can be exported."""
    return pair_estimates(cache.call(sample_of, data, normalise, n_points), spec, m, rows)


def _table(maps: Sequence[KernelErrorResult], relative: bool) -> pd.DataFrame:
    return pd.concat([found.to_frame(relative) for found in maps], ignore_index=True)


def _name(spec: MapSpec[FeatureMap], of_class: Sequence[MapSpec[FeatureMap]]) -> str:
    """Return the name of a map among those of its class: with its way to draw, its pool size, or how equals count."""
    label, names = spec.cls.label, {param.name for param in spec.cls.params}
    if "draw" in names:
        ways = {one.get("draw") for one in of_class}
        way = spec.get("draw")
        return label if ways == {"iid"} else f"{label}, {_DRAWN.get(way, way)}"
    if "pool_size" in names:
        return f"{label}, q = {spec.get('pool_size')}"
    if len({one.get("deduplicate") for one in of_class}) > 1:
        return f"{label}, {'kept once' if spec.get('deduplicate') else 'as drawn'}"
    return label
