"""Accuracy against the number of features as an experiment."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Iterator, Sequence

import numpy as np

from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC, LINEAR_SVM, grid_segments
from rfviz.analysis.accuracy import LOSS as SHARED_LOSS
from rfviz.analysis.exact_kernel import ExactKernel, run_exact_kernel
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import check_labels
from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError, RfvizError, warn
from rfviz.experiments.accuracy import describe
from rfviz.experiments.accuracy.architectures import NAMES, architecture, rank_correlations
from rfviz.experiments.accuracy.baselines import BASELINES, BaselineResult, run_baseline
from rfviz.experiments.accuracy.compute import AccuracyResult, curves_frame, epochs_frame, table_runs
from rfviz.experiments.accuracy.figures import plot_accuracy, plot_epochs, plot_ranking, plot_table_1, plot_times
from rfviz.experiments.accuracy.maxout_table import TABLE_M, join_draws, table_draw_of
from rfviz.experiments.accuracy.prediction import MOST_ROWS, Prediction, Unpredicted, predict_sweep
from rfviz.experiments.base import Chart, ExperimentInParts, Maps, experiment, revision, specs_of
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.data import Data
from rfviz.experiments.split_data import TEST_SHARE, SplitData
from rfviz.experiments.sweep import Step, inputs_of, runs_of, sweep_parts
from rfviz.experiments.work import Part, Work
from rfviz.features import CompositionalFeatures, FeatureMap, MapSpec, RandomFourier, RandomMaxout, RandomPool
from rfviz.features.receptive import ReceptiveMap
from rfviz.params import Param
from rfviz.result_files import durable
from rfviz.words import shown

__all__ = [
    "ALPHA",
    "DOUBLY",
    "EXACT",
    "GAMMA",
    "GROW",
    "INTERCEPT",
    "LOSS",
    "MEASURE",
    "M_MAX",
    "SEEDS",
    "TABLE",
    "Accuracy",
    "baseline_of",
    "has_pools",
    "predicted_of",
]

GROW = Param(
    "grow",
    "features",
    "choice",
    choices=("features", "rows"),
    label="What grows",
    help="What grows while results arrive: the number of features, or that of training rows.",
)
M_MAX = Param(
    "m_max",
    1000,
    "int",
    20,
    100_000,
    log=True,
    symbol="m",
    label="Largest",
    help="Each curve has about twenty points, up to this number of features.",
)
SEEDS = Param(
    "seeds",
    3,
    "int",
    1,
    20,
    ui_high=10,
    label="Draws",
    help="Independent draws of each map. A larger number computes only the new draws.",
)
ALPHA = Param(
    "alpha",
    "auto",
    "float",
    1e-6,
    1e8,
    choices=("auto",),
    ui_low=0.001,
    ui_high=1e6,
    log=True,
    symbol=r"\alpha",
    label="Penalty",
    help="Ridge penalty on the unscaled features: by leave-one-out errors, or fixed for all m.",
)
DOUBLY = Param(
    "doubly_stochastic",
    False,
    "bool",
    label="Doubly stochastic",
    help="One more curve for each map that projects: trained by random rows and random features, which are "
    "drawn again whenever they are needed, so that no weights are stored.",
)
EXACT = Param(
    "exact",
    False,
    "bool",
    label="Exact kernels",
    help="A dashed line for each curve: ridge regression with the kernel itself, which the features approximate.",
)
MEASURE = Param(
    "measure",
    "accuracy",
    "choice",
    choices=("accuracy", "squared error"),
    label="Error",
    help="Accuracy counts wrong classes (of numbers it is the root mean squared error), and is measured only. The "
    "squared error, of ±1 codes for classes, is what ridge regression makes small: it is also predicted, from the "
    "exact kernel alone.",
)
INTERCEPT = Param(
    "intercept",
    True,
    "bool",
    label="Intercept",
    help="Whether ridge regression adds a constant, which is not penalised. The formula of the paper on random maxout "
    "features has none: without it, features with mean zero have no constant part.",
)
TABLE = Param(
    "table",
    False,
    "bool",
    label="As in Table 1",
    help="As in Table 1 of the paper on random maxout features: its numbers of features, and a penalty that is chosen "
    "by a sixth of the training rows, which are held out. A draw of the largest pool serves all pool sizes, which is "
    "quicker than a curve for each.",
)
LOSS = dataclasses.replace(
    SHARED_LOSS,
    choices=(*SHARED_LOSS.choices, LINEAR_SVM),
    help="Ridge solves every m at once. The others train each m on its own: the linear SVM by scikit-learn, with C = "
    "1, the rest by stochastic gradients, slower, but without a Gram matrix that may not fit into memory.",
)
GAMMA = RandomFourier.param("gamma")
_BASELINES = Param("baselines", next(iter(BASELINES)), "choice", choices=tuple(BASELINES))
_OTHER_AXES = ("seconds", "bytes")
_SHARES = (1 / 16, 1 / 4, 1.0)
# What a kernel computes of an inner product, in multiply-adds.
_KERNEL_COST = 300
# What the procedure of Table 1 of the maxout paper settles.
_NOT_IN_TABLE = ("all_rows", "grow", "loss", "alpha", "doubly_stochastic", "exact", "measure")
# By which a word tells rectangles from whole images.
_OF_RECTANGLES = ("receptive_field", "image_shape")


@experiment
class Accuracy(ExperimentInParts[AccuracyResult]):
    """Compare the test errors of linear models on random features, against the number of features.

    Parameters
    ----------
    maps : sequence of feature maps, or of MapSpec
        A curve each; their numbers of features and seeds are the experiment's. ``CompositionalFeatures`` may name an
        architecture of Table 1 of the paper on compositional kernels, as in ``skeleton="4,5"``: it learns from
        principal components of patches of images.
    baselines : sequence of str
        Other methods, keys of :data:`rfviz.experiments.accuracy.baselines.BASELINES`.
    gamma : float or "scale"
        Of the Gaussian kernels of the baselines.
    m_max : int
        Largest number of features.
    seeds : int
        Independent draws of each map.
    normalise : str
        How the rows are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    test_share : float
        Share of the rows to test on, of data without a split of their own.
    all_rows : bool
        Whether to train on all rows of the table that the data were drawn from.
    grow : {"features", "rows"}
        What grows from part to part.
    loss : str
        See :data:`rfviz.analysis.accuracy.LOSS`; or "linear SVM", with C = 1, as then of the support vector machines
        among the baselines.
    alpha : float or "auto"
        Ridge penalty on the unscaled features; chosen by leave-one-out errors for each m by default.
    doubly_stochastic : bool
        Whether maps that project are trained by doubly stochastic gradients, too.
    exact : bool
        Whether to compute ridge regression with the exact kernel of each map.
    measure : {"accuracy", "squared error"}
        What curves are of: shares of wrong classes (root mean squared errors of numbers), or mean squared errors as
        parts of the targets' variance, of ±1 codes for classes. Squared errors are also predicted, before anything is
        trained, from the exact kernel of up to 2,000 training rows; other methods are left out then.
    intercept : bool
        Whether ridge regression has an intercept. Exact kernels and predictions are those of a model that has one.
    table : bool
        Whether to compute the cells of Table 1 of the paper on random maxout features, up to `m_max`, as the paper
        does; see :func:`rfviz.experiments.accuracy.maxout_table.maxout_table`. Maps are then ``RandomMaxout`` with
        pool sizes.

    Examples
    --------
    >>> from rfviz.experiments import Accuracy
    >>> from rfviz.features import RandomFourier, RandomMaxout
    >>> experiment = Accuracy(maps=[RandomFourier(), RandomMaxout(pool_size=4)], m_max=200, seeds=1)
    >>> results = list(experiment.parts("digits"))
    >>> errors = results[-1].to_frame().set_index("map")["error"]
    >>> bool((errors.groupby("map").last() < 5).all())  # per cent
    True

    What the exact kernel predicts comes first:

    >>> experiment = Accuracy(maps=[RandomFourier()], m_max=200, seeds=1, measure="squared error")
    >>> result = next(experiment.parts("digits"))
    >>> result.to_frame()["map"].unique().tolist(), result.numbers.is_empty
    (['Random Fourier, predicted'], True)

    The steps, one by one:

    >>> import numpy as np
    >>> from rfviz import datasets
    >>> from rfviz.analysis.accuracy import grid_segments, run_segment
    >>> from rfviz.analysis.splits import make_split
    >>> from rfviz.features import MapSpec
    >>> split = make_split(datasets.load("digits"), "none", 0.25)
    >>> segments = [run_segment(split, MapSpec(RandomFourier, random_state=0), grid) for grid in grid_segments(200)]
    >>> found = np.concatenate([segment.errors for segment in segments])
    >>> bool(np.allclose(100 * found, errors["Random Fourier"]))
    True
    """

    maps: Maps
    baselines: Sequence[str] = ()
    gamma: float | str = GAMMA.default
    m_max: int = M_MAX.default
    seeds: int = SEEDS.default
    normalise: str = "none"
    test_share: float = TEST_SHARE.default
    all_rows: bool = False
    grow: str = GROW.default
    loss: str = LOSS.default
    alpha: float | str = ALPHA.default
    doubly_stochastic: bool = False
    exact: bool = False
    measure: str = MEASURE.default
    intercept: bool = INTERCEPT.default
    table: bool = TABLE.default

    params = (
        GAMMA,
        M_MAX,
        SEEDS,
        NORMALISATION,
        TEST_SHARE,
        Param("all_rows", False, "bool"),
        GROW,
        LOSS,
        ALPHA,
        DOUBLY,
        EXACT,
        MEASURE,
        INTERCEPT,
        TABLE,
    )
    question = "How many random features does a linear model need?"

    def __post_init__(self) -> None:
        """Check values; see :class:`rfviz.experiments.base.Experiment`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule, and for settings that do not go together.
        """
        super().__post_init__()
        for name in self.baselines:
            _BASELINES.validate(name)
        if self.exact and (self.loss != "ridge" or self.alpha != "auto" or self.all_rows):
            # A fixed penalty vanishes as m grows, and a kernel matrix is of rows in memory.
            raise ParameterError("exact", "must be False unless loss='ridge', alpha='auto' and all_rows=False", True)
        if self.measure != MEASURE.default and self.loss != "ridge":  # other losses fit no codes
            raise ParameterError("measure", "must be 'accuracy' unless loss='ridge'", self.measure)
        if self.all_rows and self.grow == "rows":
            raise ParameterError("grow", "must be 'features' if all rows are trained on", self.grow)
        if not self.intercept and (self.exact or self.loss != "ridge" or self.measure != MEASURE.default):
            rule = "must be True unless loss='ridge', exact=False and measure='accuracy'"
            raise ParameterError("intercept", rule, self.intercept)
        if self.table:
            self._check_table()

    def _check_table(self) -> None:
        """Refuse what Table 1 of the maxout paper does not have."""
        defaults = {item.name: item.default for item in dataclasses.fields(self)}
        other = next((name for name in _NOT_IN_TABLE if getattr(self, name) != defaults[name]), None)
        if other is not None:
            raise ParameterError(other, f"must be {defaults[other]!r} if table=True", getattr(self, other))
        if any(spec != MapSpec(RandomMaxout, pool_size=spec.get("pool_size")) for spec in self.specs):
            raise ParameterError("table", "must be False unless all maps are RandomMaxout, told apart by q alone", True)

    @property
    def specs(self) -> tuple[MapSpec[FeatureMap], ...]:
        """The maps as specifications without number of features and seed, each once."""
        return tuple(dict.fromkeys(spec.without("n_components", "random_state") for spec in specs_of(self.maps)))

    def candidates(self, image_shape: Sequence[int] | None) -> tuple[Candidate, ...]:
        """Return the curves, given the shape of the images, which the architectures need; None for other data.

        Raises
        ------
        ParameterError
            For an architecture that does not fit the images, or of data other than images.
        """
        found: list[Candidate] = []
        for spec, label in zip(self.specs, _labels(self.specs), strict=True):
            is_architecture = spec.cls is CompositionalFeatures and spec.get("skeleton") in NAMES
            found.append(_architecture(spec, label, image_shape) if is_architecture else Candidate(label, spec))
            if self.doubly_stochastic and issubclass(spec.cls, ReceptiveMap):
                found.append(Candidate(f"{label}, doubly stochastic", spec, loss=DOUBLY_STOCHASTIC))
        return tuple(found)

    def split_data(self, data: Data) -> SplitData:
        """Return the data with their scaling and their split."""
        return SplitData(data, self.normalise, self.test_share, self.all_rows)

    def work(self, data: Data, cache: Cache) -> Work:
        if not self.maps:
            raise DataError(describe.NO_MAPS)
        check_labels(data.dataset, "Accuracy needs")
        if self.table:
            return Work(tuple(self._table_parts(data, cache)), cache)
        grids = [tuple(int(m) for m in grid) for grid in grid_segments(self.m_max)]
        steps: list[Step] = [(grid, 1.0) for grid in grids]
        if self.grow == "rows":
            whole = tuple(m for grid in grids for m in grid)
            steps = [(whole, share) for share in _SHARES]
        source, candidates = self.split_data(data), self.candidates(data.dataset.image_shape)
        sweep = sweep_parts(source, candidates, self.seeds, steps, self.alpha, self.loss, cache, self.intercept)
        exact = _exact_parts(source, candidates, cache) if self.exact else ()
        predicted = self._predicted_parts(source, candidates, cache) if self.measure != MEASURE.default else ()
        # What a curve tends to stands there before its larger m, which take longer.
        return Work((*predicted, *heapq.merge(sweep, exact, key=lambda part: part.cost)), cache)

    def _table_parts(self, data: Data, cache: Cache) -> Iterator[Part]:
        """Yield the draws of Table 1 of the maxout paper, each of which has all its cells."""
        source = self.split_data(data)
        m_values = (*(m for m in TABLE_M if m < self.m_max), self.m_max)
        q_values = tuple(sorted(spec.get("pool_size") for spec in self.specs))
        n, d = source.split(cache).X_train.shape
        cost = n * self.m_max * (d * q_values[-1] + len(q_values) * self.m_max)
        for seed in range(self.seeds):
            args = source, m_values, q_values, seed, self.intercept
            yield Part("Table 1", table_draw_of, args, float(cost), f"Table 1, draw {seed + 1} of {self.seeds}")

    def _predicted_parts(self, source: SplitData, candidates: Sequence[Candidate], cache: Cache) -> Iterator[Part]:
        """Yield the prediction of each map that is trained by ridge regression."""
        n = min(len(source.split(cache).X_train), MOST_ROWS)
        for candidate in candidates:
            if not candidate.loss:
                title = f"{candidate.label}, predicted"
                args = source, candidate, self.alpha, self.m_max
                yield Part(title, predicted_of, args, 20.0 * n**3, title)

    def collect(self, data: Data, work: Work, cache: Cache) -> AccuracyResult:
        source = self.split_data(data)
        split = source.split(cache)
        errors: dict[str, float] = {}
        losses: dict[str, np.ndarray] = {}
        costs: dict[str, tuple[float, float]] = {}
        times: dict[str, tuple[float, float]] = {}
        refused: list[str] = []
        n, d = split.X_train.shape
        drawn = dataclasses.replace(source, all_rows=False)  # other methods learn from these rows either way
        for name in self.baselines if self.measure == MEASURE.default else ():
            reason = BASELINES[name].refusal(n, d, len(split.target_names))
            try:
                if not reason:
                    is_given = self.loss == LINEAR_SVM and BASELINES[name].grid_name == "C"
                    found = cache.call(baseline_of, drawn, name, self.gamma, *([1.0] if is_given else []))
                    errors[found.title], losses[found.title] = found.error, found.losses
                    seconds = found.seconds_search + found.seconds_fit + found.seconds_predict
                    costs[found.title] = seconds, found.bytes_model
                    times[found.title] = found.seconds_fit, found.seconds_predict
            except RfvizError as error:
                reason = str(error)
            refused += [reason] if reason else []
        candidates, complete = self.candidates(data.dataset.image_shape), not work.missing()
        exact, predicted = (
            {part.args[1]: found for part in work.parts if part.function is function and (found := work.result(part))}
            for function in (exact_of, predicted_of)
        )
        draws = work.results("Table 1") if self.table else []
        table = join_draws(draws) if draws else None
        return AccuracyResult(
            split,
            candidates,
            self.loss,
            table_runs(table, candidates, split) if self.table else runs_of(work),
            errors,
            tuple(refused),
            complete,
            costs,
            {c.label: exact[c] for c in candidates if c in exact},
            losses,
            self.measure,
            {c.label: predicted[c] for c in candidates if c in predicted},
            table,
            times,
        )

    def compute(self, data: Data, cache: Cache) -> AccuracyResult:
        """Compute all parts; what stopped some of them, or refused a baseline, is a warning.

        Raises
        ------
        RfvizError
            If no part could be computed.
        """
        result = super().compute(data, cache)
        for reason in result.refused:
            warn(reason, UserWarning)
        return result

    def charts(self, data: Data, numbers: AccuracyResult, cache: Cache) -> tuple[Chart, ...]:
        def chart(name: str, axis: str, alt: str, words: str = "", x_range: tuple[float, float] | None = None) -> Chart:
            same = revision(data, self.normalise, *([self.measure] if numbers.is_squared else []))
            plot = lambda: plot_accuracy(  # noqa: E731
                numbers.curves(axis), numbers.baselines, axis=axis, x_range=x_range, unit=numbers.unit, revision=same
            )
            return Chart(name, plot, lambda: curves_frame(numbers.curves(axis), numbers.baselines), alt, words)

        least = 9 if numbers.table is None else 0.9 * numbers.table.m_values[0]
        whole = least, 1.1 * self.m_max  # on axes that stand still while points arrive
        return (
            chart("accuracy", "m", describe.summary(numbers), describe.explanation(numbers), whole),
            *(chart(f"accuracy-{axis}", axis, f"{numbers.name_of_errors} against {axis}.") for axis in _OTHER_AXES),
            *_table_charts(numbers, self.intercept),
            Chart("accuracy-m-seconds", lambda: plot_times(numbers), numbers.times_frame, describe.TIMES),
            *_epochs_charts(numbers),
        )


def has_pools(cls: type[FeatureMap]) -> bool:
    """Return whether features of a map are the winners of pools, whose size it is compared by."""
    compared = cls.compared()
    return compared is not None and compared.name == "pool_size"


def _labels(specs: Sequence[MapSpec[FeatureMap]]) -> list[str]:
    """Return the names of curves; maps of one name are told apart by the parameters in which they differ."""
    found = []
    for spec in specs:
        label, signs = _name(spec), {param.name: param.sign for param in spec.cls.params if param.symbol}
        alike = [other for other in specs if _name(other) == label]
        for name in spec.make().get_params(deep=False) if len(alike) > 1 else ():
            values = {other.get(name) for other in alike}
            if len(values - {None} if name in _OF_RECTANGLES else values) > 1:
                label += f", {signs.get(name, name)} = {shown(spec.get(name))}"
        found.append(label + ", rectangles" * bool(spec.get("receptive_field")))
    return found


def _name(spec: MapSpec[FeatureMap]) -> str:
    """Return the name of a map: its class, the rule of a pool and its size, or the skeleton."""
    skeleton = spec.get("skeleton")
    if spec.cls is CompositionalFeatures and isinstance(skeleton, str) and not skeleton.lstrip().startswith("{"):
        return skeleton if skeleton in NAMES else f"{spec.cls.label}, {skeleton}"
    label = f"{spec.cls.label}, {spec.get('rule')}" if spec.cls is RandomPool else spec.cls.label
    return f"{label}, q = {spec.get('pool_size')}" if has_pools(spec.cls) else label


def _architecture(spec: MapSpec[FeatureMap], label: str, image_shape: Sequence[int] | None) -> Candidate:
    name = spec.get("skeleton")
    if image_shape is None:
        remedy = "Choose images, such as CIFAR-10 or digits, or another skeleton."
        raise ParameterError("skeletons", "must be presets where the data are no images", name, remedy)
    try:
        patches, skeleton = architecture(name, image_shape)
    except ParameterError:
        rule = f"must fit the images, which have {image_shape[0]}×{image_shape[1]} pixels"
        remedy = "Choose larger images, such as CIFAR-10 or MNIST, or another skeleton."
        raise ParameterError("skeletons", rule, name, remedy) from None
    whole = spec.replace(skeleton=skeleton.to_json())
    return Candidate(label, whole, (tuple(image_shape), patches) if patches else None)


def _table_charts(result: AccuracyResult, intercept: bool) -> tuple[Chart, ...]:
    """Return the table of a paper that the maps belong to, as a chart, once something of it is known."""
    if result.table is not None:
        found, with_paper = result.table, result.is_papers_mnist
        plot = lambda: plot_table_1(found, with_paper=with_paper)  # noqa: E731
        words = describe.about_table_1(result, intercept)
        return (Chart("accuracy-table-1", plot, lambda: found.to_frame(with_paper), describe.TABLE_1, words),)
    found = result.architecture_table() if result.architectures else None
    if found is None:
        return ()
    table, m = found
    words = describe.about_architectures(table, m, rank_correlations(table), result)
    return (Chart("accuracy-ranking", lambda: plot_ranking(table), lambda: table, describe.RANKING, words),)


def _epochs_charts(result: AccuracyResult) -> tuple[Chart, ...]:
    """Return the chart of the errors by epoch, where some are known."""
    curves = result.curves()
    if not any(curve.epochs for curve in curves):
        return ()
    words = describe.about_epochs(curves)
    plot, table = lambda: plot_epochs(curves), lambda: epochs_frame(curves)
    return (Chart("accuracy-epochs", plot, table, describe.EPOCHS, words),)


def _exact_parts(source: SplitData, candidates: Sequence[Candidate], cache: Cache) -> Iterator[Part]:
    """Yield the exact kernel of each map that is trained by ridge regression."""
    split = source.split(cache)
    n, d = split.X_train.shape
    cost = n * (n / 2 + len(split.X_test)) * (d + _KERNEL_COST) + 3.0 * n**3
    for candidate in candidates:
        if not candidate.loss:
            title = f"{candidate.label}, exact kernel"
            yield Part(title, exact_of, (source, candidate), cost, title)


def exact_of(source: SplitData, candidate: Candidate, *, cache: Cache) -> ExactKernel:
    """Train and test ridge regression with the exact kernel of a map."""
    return run_exact_kernel(inputs_of(source, candidate.patches, cache), candidate.spec, cache.progress)


def predicted_of(
    source: SplitData, candidate: Candidate, alpha: float | str, m_max: int, *, cache: Cache
) -> Prediction | Unpredicted:
    """Predict the squared errors of a map from its exact kernel."""
    return predict_sweep(inputs_of(source, candidate.patches, cache), candidate.spec, alpha, m_max)


@durable
def baseline_of(
    data: SplitData, name: str, gamma: float | str, value: float | None = None, *, cache: Cache
) -> BaselineResult:
    """Train and test another method; with this value of its hyper-parameter, if one is given."""
    split = data.split(cache)
    rows = split.X_train, split.y_train, split.X_test, split.y_test
    return run_baseline(name, *rows, gamma=gamma, value=value, progress=cache.progress)
