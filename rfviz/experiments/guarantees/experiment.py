"""Guarantees as experiments: bounds on kernel estimates, and on the risk of a function learned with random features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz import bounds
from rfviz.analysis.kernel_sample import KernelSample, error_grid, prepare_sample
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import Split, check_labels, make_split
from rfviz.bounds import LOSSES, RiskBound
from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.base import Chart, ExperimentOnMap, experiment, revision
from rfviz.experiments.data import Data
from rfviz.experiments.guarantees import function as functions
from rfviz.experiments.guarantees.compute import ABOUT, DELTAS, Comparison, MeasuredErrors, compare, measure_errors
from rfviz.experiments.guarantees.describe import (
    free_words,
    kernel_explanation,
    kernel_summary,
    risk_explanation,
    risk_summary,
)
from rfviz.experiments.guarantees.figures import plot_function, plot_guarantees, plot_risk
from rfviz.experiments.guarantees.function import ApproximatedFunction, approximate
from rfviz.experiments.guarantees.learning import Learnt, learnt_of
from rfviz.experiments.guarantees.risk import MeasuredRisk, measure_risk
from rfviz.experiments.learning_curve.experiment import WITHIN
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.kernels import expected_max_squared
from rfviz.params import Param

if TYPE_CHECKING:
    from rfviz.experiments.guarantees.complexity import Complexity
    from rfviz.experiments.guarantees.geometry import Geometry
    from rfviz.experiments.guarantees.minimiser import TheoremFits

__all__ = [
    "CONSTANT",
    "DELTA",
    "DIMENSION",
    "DRAWS",
    "EPS",
    "INTRINSIC",
    "POINTS",
    "RADIUS",
    "ROWS",
    "SIZE",
    "FunctionGuarantees",
    "KernelGuarantees",
    "KernelResult",
    "LearningGuarantees",
    "LearningResult",
]

DELTA = Param(
    "delta",
    0.05,
    "float",
    0.001,
    0.5,
    log=True,
    marks=tuple(sorted(DELTAS)),
    label="Failure δ",
    help="The probability, over draws of the map, that the error is larger.",
)
EPS = Param(
    "eps",
    0.1,
    "float",
    0.005,
    1.0,
    log=True,
    label="Error ε",
    marks=(0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0),
    help="The error that you accept. Half the error requires four times the features.",
)
POINTS = Param(
    "points",
    64,
    "int",
    3,
    1000,
    log=True,
    marks=(8, 16, 32, 64, 128, 256),
    symbol="n",
    label="Points",
    help="Rows chosen at random; all their pairs are compared.",
)
DIMENSION = Param(
    "dimension",
    "data",
    "int",
    1,
    1_000_000,
    ui_high=10_000,
    choices=("data",),
    log=True,
    symbol="d",
    label="Dimension",
    help="Of the region, in the bounds for all of it.",
)
DRAWS = Param(
    "draws",
    100,
    "int",
    20,
    1000,
    log=True,
    marks=(20, 50, 100, 200, 500, 1000),
    label="Draws",
    help="Independent draws of the map. A probability δ needs more than 1/δ of them.",
)
ROWS = Param(
    "rows",
    "data",
    "int",
    10,
    10**12,
    ui_low=100,
    ui_high=10**10,
    choices=("data",),
    log=True,
    symbol="n",
    label="Training rows",
    help="n in the bound. The measured curves use the data’s own rows.",
)
SIZE = Param(
    "size",
    "measured",
    "float",
    0.01,
    1e9,
    ui_low=0.1,
    ui_high=1000.0,
    choices=("measured",),
    log=True,
    label="Size C",
    help="How large coefficients may be. Measured: of the fit at this m.",
)
RADIUS = replace(SIZE, label="Norm B", help="The largest norm of the function. Measured: of the fit at this m.")
CONSTANT = Param(
    "constant",
    1.0,
    "float",
    1e-3,
    1e6,
    ui_low=0.01,
    ui_high=1000.0,
    log=True,
    label="Constant C′",
    help="The paper does not give its value.",
)
INTRINSIC = Param(
    "intrinsic",
    "data",
    "int",
    1,
    100_000,
    ui_high=1000,
    choices=("data",),
    log=True,
    label="Intrinsic dim.",
    help="The Assouad dimension of the data: estimated from them, or chosen.",
)
_THEOREM = Param("theorem", "kitchen sinks", "choice", choices=("kitchen sinks", "compositional", "maxout"))
_LOSS = Param("loss", "hinge", "choice", choices=tuple(LOSSES))
# Number of features up to which risks are measured, over how many seeds, and the share of rows to test on.
_RISK_M, _RISK_SEEDS, _TEST_SHARE = 1000, 3, 0.25
_COMPLEXITY_M = 200


@dataclass(frozen=True, eq=False)
class KernelResult:
    """Measured errors with bounds, the dimension in these, and the reason if no bound is known, else an empty text."""

    comparison: Comparison
    dimension: int
    no_bound: str


@dataclass(frozen=True, eq=False)
class LearningResult:
    """Measured risks, the bound, its number of rows, and the size that coefficients may have.

    Attributes
    ----------
    geometry : Geometry or None
        The points, if the theorem asks for more than their number.
    intrinsic : int
        The intrinsic dimension in the bound; 0 if it has none.
    """

    measured: MeasuredRisk
    bound: RiskBound
    rows: int
    size: float
    geometry: Geometry | None = None
    intrinsic: int = 0


@experiment
class KernelGuarantees(ExperimentOnMap[KernelResult]):
    """Compare errors of a kernel estimate with those that bounds allow, for one pair, all pairs, and a whole region.

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
        Its number of features is marked.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    eps, delta : float
        The error that the user accepts, and how often it may be larger; delta is one of
        :data:`rfviz.experiments.guarantees.compute.DELTAS`.
    points, draws : int
        Rows whose pairs are compared, and independent draws of the map.
    dimension : int or "data"
        Of the region, in bounds for all of it.
    shown : sequence of str
        Which errors are drawn, of :data:`rfviz.experiments.guarantees.compute.ABOUT`.

    Examples
    --------
    >>> from rfviz.experiments import KernelGuarantees
    >>> from rfviz.features import RandomFourier
    >>> result = KernelGuarantees(feature_map=RandomFourier(1000, gamma=1.0), points=16, draws=20).run("digits")
    >>> needed = result.numbers.comparison.to_frame().set_index("statement")["features"]
    >>> float(needed["Hoeffding"])
    1476.0

    The steps, one by one:

    >>> from rfviz import datasets
    >>> from rfviz.analysis.kernel_sample import error_grid, prepare_sample
    >>> from rfviz.experiments.guarantees.compute import compare, measure_errors
    >>> from rfviz.features import MapSpec
    >>> sample = prepare_sample(datasets.load("digits"), "unit norm", n_points=16)
    >>> measured = measure_errors(sample, MapSpec(RandomFourier, gamma=1.0), error_grid(2000), n_draws=20)
    >>> found = measured.feature_map.applicable_bounds(
    ...     measured.n_pairs, measured.n_features, measured.diameter, measured.largest_variance, measured.largest_norm
    ... )
    >>> bool(compare(measured, found, eps=0.1, delta=0.05).to_frame().equals(result.numbers.comparison.to_frame()))
    True
    """

    normalise: str = NORMALISATION.default
    eps: float = EPS.default
    delta: float = DELTA.default
    points: int = POINTS.default
    draws: int = DRAWS.default
    dimension: int | str = DIMENSION.default
    shown: Sequence[str] = ABOUT

    params = (NORMALISATION, EPS, DELTA, POINTS, DRAWS, DIMENSION)
    question = "How many random features does theory require, and how many suffice?"

    def __post_init__(self) -> None:
        """Check values; see :class:`rfviz.experiments.base.Experiment`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule.
        """
        super().__post_init__()
        if self.delta not in DELTAS:
            raise ParameterError("delta", f"must be one of {', '.join(map(str, DELTAS))}", self.delta)
        if not {*self.shown} <= {*ABOUT}:
            raise ParameterError("shown", f"must hold only {', '.join(map(repr, ABOUT))}", self.shown)

    def compute(self, data: Data, cache: Cache) -> KernelResult:
        measured = cache.call(errors_of, data, self.normalise, self.points, self.law, self.draws)
        d = measured.n_features if isinstance(self.dimension, str) else self.dimension
        feature_map = measured.feature_map
        found = feature_map.applicable_bounds(
            measured.n_pairs, d, measured.diameter, measured.largest_variance, measured.largest_norm
        )
        return KernelResult(compare(measured, found, self.eps, self.delta), d, feature_map.why_no_bound())

    def learnt(self, data: Data, cache: Cache) -> Learnt:
        """Find how many features suffice to learn within ε of the exact kernel, as a share of its squared error.

        Raises
        ------
        RfvizError
            Without labels.
        """
        return cache.call(learnt_of, data, self.normalise, self.law, self.eps)

    def charts(self, data: Data, numbers: KernelResult, cache: Cache) -> tuple[Chart, ...]:
        comparison, shown = numbers.comparison, tuple(self.shown)
        plot = partial(
            plot_guarantees,
            comparison,
            shown=shown,
            at=self.m,
            largest=comparison.measured.feature_map.largest_error(),
            revision=revision(data, self.normalise, self.points, self.law, self.draws),
        )
        words = kernel_explanation(comparison, shown, self.m, numbers.no_bound)
        table = partial(comparison.curves_frame, shown)
        return (Chart("guarantees", plot, table, kernel_summary(comparison, shown), words),)


@experiment
class FunctionGuarantees(ExperimentOnMap[ApproximatedFunction]):
    """Compare a function of the kernel's space with its version of random features, and with C‖f‖/√m (Corollary 4).

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
        Of bounded and independent features; its number of features is marked.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    eps : float
        The distance that the user accepts.
    points, draws : int
        Rows that the function is learnt and compared at, and independent draws of the map.

    Examples
    --------
    >>> from rfviz.experiments import FunctionGuarantees
    >>> from rfviz.features import RandomFourier
    >>> waves = RandomFourier(1000, gamma=1.0)
    >>> frame = FunctionGuarantees(feature_map=waves, points=16, draws=20).run("moons").to_frame()
    >>> bool((frame["distance"] < frame["C‖f‖/√m"]).all())
    True
    """

    normalise: str = NORMALISATION.default
    eps: float = EPS.default
    points: int = POINTS.default
    draws: int = DRAWS.default

    params = (NORMALISATION, EPS, POINTS, DRAWS)
    question = "How far is a function of the kernel's space from what random features make of it?"

    def compute(self, data: Data, cache: Cache) -> ApproximatedFunction:
        return cache.call(function_of, data, self.normalise, self.points, self.law, self.draws)

    def charts(self, data: Data, numbers: ApproximatedFunction, cache: Cache) -> tuple[Chart, ...]:
        plot = partial(
            plot_function,
            numbers,
            eps=self.eps,
            at=self.m,
            revision=revision(data, self.normalise, self.points, self.law, self.draws),
        )
        words = functions.explanation(numbers, self.eps, self.m)
        return (Chart("function", plot, numbers.to_frame, functions.summary(numbers), words),)


@experiment
class LearningGuarantees(ExperimentOnMap[LearningResult]):
    """Compare the risk of a function learned with random features with the bound of a theorem.

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
        Of the kind that the theorem is about; its number of features is marked. For that of compositional kernels pairs
        of independent waves, or a skeleton's features as they are drawn, where they are bounded.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    theorem : {"kitchen sinks", "compositional", "maxout"}
        Theorem 1 of random kitchen sinks, that of compositional kernels, or Theorem 2 of random maxout features.
    loss : str
        One of :data:`rfviz.bounds.LOSSES`; the maxout theorem is about the ramp.
    rows : int or "data"
        Training rows in the bound.
    size : float or "measured"
        How large coefficients, or in the compositional theorem the norm of the function, may be.
    delta : float
        How often the theorem may fail; the compositional one holds on average instead.
    constant : float
        C′, which the maxout theorem leaves open.
    intrinsic : int or "data"
        The intrinsic dimension in the maxout theorem; by default the larger of two estimates from the data.

    Examples
    --------
    >>> from rfviz.experiments import LearningGuarantees
    >>> from rfviz.features import RandomFourier
    >>> waves = RandomFourier(300, gamma=1.0, paired=False)
    >>> result = LearningGuarantees(feature_map=waves).run("digits")
    >>> list(result.to_frame())[:3]
    ['m', 'training risk', 'test risk']

    The steps, one by one:

    >>> import numpy as np
    >>> from rfviz import bounds, datasets
    >>> from rfviz.analysis.kernel_sample import error_grid
    >>> from rfviz.analysis.splits import make_split
    >>> from rfviz.experiments.guarantees.risk import measure_risk
    >>> from rfviz.features import MapSpec
    >>> split = make_split(datasets.load("digits"), "unit norm", 0.25)
    >>> measured = measure_risk(split, MapSpec(RandomFourier, gamma=1.0, paired=False), error_grid(1000), n_seeds=3)
    >>> size, hinge = float(np.median(measured.size, axis=0)[measured.place(300)]), bounds.LOSSES["hinge"]
    >>> theorem = bounds.kitchen_sinks_risk(hinge.lipschitz(size), size, hinge.at_zero, 0.05 / 2)
    >>> bool(np.allclose(theorem.total(measured.n_train, measured.m_grid), result.to_frame()["bound"]))
    True
    """

    normalise: str = NORMALISATION.default
    theorem: str = _THEOREM.default
    loss: str = _LOSS.default
    rows: int | str = ROWS.default
    size: float | str = SIZE.default
    delta: float = DELTA.default
    constant: float = CONSTANT.default
    intrinsic: int | str = INTRINSIC.default

    params = (NORMALISATION, _THEOREM, _LOSS, ROWS, SIZE, DELTA, CONSTANT, INTRINSIC)
    question = "How much worse is what is learnt with random features, in theory and in practice?"

    def __post_init__(self) -> None:
        """Check values; see :class:`rfviz.experiments.base.Experiment`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule, and for a map or a loss that the theorem is not about.
        """
        super().__post_init__()
        spec, rule = self.law, ""
        is_paired = spec.cls is RandomFourier and spec.get("paired")
        if self.theorem == "maxout":
            rule = "must be a RandomMaxout" if spec.cls is not RandomMaxout else ""
        elif self.theorem == "compositional":
            rule = _why_not_compositional(spec)
        elif not spec.cls.is_kitchen_sink or is_paired:
            rule = "must have features of at most 1, one for each draw, as RandomFourier with paired=False has"
        if rule:
            raise ParameterError("feature_map", f"{rule} for the theorem of {self.theorem}", spec)
        if self.theorem == "maxout" and self.loss != "ramp":
            raise ParameterError("loss", "must be 'ramp' for the theorem of maxout", self.loss)

    def compute(self, data: Data, cache: Cache) -> LearningResult:
        check_labels(data.dataset, "Bounds on learning need")
        measured = cache.call(risk_of, data, self.normalise, self.law)
        size = self.size
        if isinstance(size, str):
            norms = measured.radius if self.theorem == "compositional" else measured.size
            size = float(np.median(norms, axis=0)[measured.place(self.m)])
        rows = measured.n_train if isinstance(self.rows, str) else self.rows
        size = max(size, 1e-9)
        if self.theorem == "maxout":
            geometry = cache.call(geometry_of, data, self.normalise)
            intrinsic = geometry.intrinsic if isinstance(self.intrinsic, str) else self.intrinsic
            bound = self._maxout_bound(size, geometry, intrinsic)
            return LearningResult(measured, bound, rows, size, geometry, intrinsic)
        return LearningResult(measured, self._bound(size, self.loss), rows, size)

    def learnt(self, data: Data, cache: Cache) -> Learnt:
        """Find how many features suffice to learn within 5% of the exact kernel's squared error.

        Raises
        ------
        RfvizError
            If the kernel has no closed form.
        """
        return cache.call(learnt_of, data, self.normalise, self.law, WITHIN)

    def quadratic_bound(self, numbers: LearningResult) -> RiskBound | None:
        """Return the theorem for the quadratic loss, or None if it is about other losses only."""
        return None if self.theorem == "maxout" else self._bound(numbers.size, "quadratic")

    def required_features(self, numbers: LearningResult) -> pd.DataFrame:
        """Return the features that the maxout theorem requires for ε = 1/√n, for each possible dimension.

        Raises
        ------
        ParameterError
            If the theorem is another.
        """
        from rfviz.experiments.guarantees.geometry import required_features

        if numbers.geometry is None:
            raise ParameterError("theorem", "must be 'maxout' for an intrinsic dimension", self.theorem)
        chosen = None if isinstance(self.intrinsic, str) else self.intrinsic
        pool_size = self.spec.get("pool_size")
        return required_features(numbers.geometry, chosen, numbers.rows, self.delta / 3.0, pool_size, self.constant)

    def complexity(self, data: Data, numbers: LearningResult, cache: Cache) -> Complexity:
        """Measure the Rademacher complexity of the class, with coefficients as large as in the bound."""
        return cache.call(complexity_of, data, self.normalise, self.spec, self.theorem, numbers.size)

    def minimisers(self, data: Data, numbers: LearningResult, cache: Cache) -> TheoremFits:
        """Measure the risk of the minimiser that Theorem 5 of compositional kernels is about, with its own λ.

        Raises
        ------
        ParameterError
            If the theorem is another, or the loss is not convex with a slope of at most 1.
        """
        from rfviz.experiments.guarantees.minimiser import CONVEX

        if self.theorem != "compositional":
            raise ParameterError("theorem", "must be 'compositional' for a penalty of its own", self.theorem)
        if self.loss not in CONVEX:
            rule = f"must be {' or '.join(map(repr, CONVEX))}: the theorem is about convex losses with a slope of ρ"
            raise ParameterError("loss", rule, self.loss)
        return cache.call(minimisers_of, data, self.normalise, self.law, self.loss, numbers.size)

    def _bound(self, size: float, name: str) -> RiskBound:
        """Return the theorem with its constants for a loss; its own δ is such that it fails with the user's."""
        loss = LOSSES[name]
        slope = loss.lipschitz(size)
        if self.theorem == "compositional":
            # The loss's slope where the fitted function may be: |f| ≤ B for a kernel with k(x, x) = 1.
            return bounds.compositional_risk(slope, size, *_norm_and_features(self.law))
        return bounds.kitchen_sinks_risk(slope, size, loss.at_zero, self.delta / 2.0)

    def _maxout_bound(self, size: float, geometry: Geometry, intrinsic: int) -> RiskBound:
        loss = LOSSES[self.loss]
        return bounds.maxout_risk(
            loss.lipschitz(size),
            size,
            loss.at_zero,
            self.delta / 3.0,
            self.spec.get("pool_size"),
            geometry.n_features,
            intrinsic,
            constant=self.constant,
            norm=geometry.norm,
        )

    def charts(self, data: Data, numbers: LearningResult, cache: Cache) -> tuple[Chart, ...]:
        measured, bound, n = numbers.measured, numbers.bound, numbers.rows
        plot = partial(
            plot_risk,
            measured,
            bound,
            self.loss,
            n,
            at=self.m,
            largest=LOSSES[self.loss].at_zero,
            revision=revision(data, self.normalise, self.theorem, self.loss),
        )

        def table() -> pd.DataFrame:
            return measured.to_frame(self.loss).assign(bound=bound.total(n, measured.m_grid))

        words = risk_explanation(measured, bound, self.loss, n, self.m, numbers.size, self.theorem)
        if numbers.geometry is not None:
            words += f" {free_words(numbers.geometry, numbers.intrinsic, isinstance(self.intrinsic, str))}"
        return (Chart("risk", plot, table, risk_summary(measured, bound, self.loss, n), words),)


def _why_not_compositional(spec: MapSpec[FeatureMap]) -> str:
    """Return which rule of Theorem 5 of compositional kernels a map breaks, or an empty text."""
    from rfviz.features import CompositionalFeatures  # with skeletons, of which one theorem of three speaks

    if spec.cls is not CompositionalFeatures and not (spec.cls is RandomFourier and spec.get("paired")):
        return "must be a RandomFourier with paired=True or CompositionalFeatures with deduplicate=False"
    if spec.make().why_no_bound():
        return (
            "must have independent, bounded features: draw='iid', deduplicate=False, no endless products over spheres,"
        )
    return ""


def _norm_and_features(spec: MapSpec[FeatureMap]) -> tuple[float, int]:
    """Return C of the features that Theorem 5 counts, and how many real features one of them is."""
    if spec.cls is RandomFourier:
        return 1.0, 2  # a cosine and its sine together have the length 1 at every point
    largest = spec.make().largest_feature()
    assert largest is not None
    return largest, 1


def sample_of(data: Data, normalise: str, n_points: int, *, cache: Cache) -> KernelSample:
    """Choose the points."""
    return prepare_sample(data.dataset, normalise, n_points)


def errors_of(
    data: Data, normalise: str, n_points: int, spec: MapSpec[FeatureMap], draws: int, *, cache: Cache
) -> MeasuredErrors:
    """Measure errors of the kernel estimate; ε, δ and the bounds change nothing here."""
    sample = cache.call(sample_of, data, normalise, n_points)
    # Fewer features where each is a whole grid of boxes.
    grid = error_grid(400 if spec.cls.sparse_output else 2000)
    return measure_errors(sample, spec, grid, draws, cache.progress)


def function_of(
    data: Data, normalise: str, n_points: int, spec: MapSpec[FeatureMap], draws: int, *, cache: Cache
) -> ApproximatedFunction:
    """Measure distances of a function from its random versions; ε changes nothing here."""
    sample, dataset = cache.call(sample_of, data, normalise, n_points), data.dataset
    y = None if dataset.y is None else np.asarray(dataset.y)[sample.rows]
    if y is None:
        target, named = np.random.default_rng(0).choice([-1.0, 1.0], sample.n_points), "signs at random, without labels"
    elif y.dtype.kind in "iu":
        target, named = np.where(y == y[0], 1.0, -1.0), "one class against the rest (±1)"
    else:
        target, named = (y - y.mean()) / max(float(y.std()), 1e-300), "the standardised target"
    grid = error_grid(400 if spec.cls.sparse_output else 2000)
    return approximate(sample, target, named, spec, grid, draws, cache.progress)


def split_of(data: Data, normalise: str, *, cache: Cache) -> Split:
    """Split the data."""
    return make_split(data.dataset, normalise, _TEST_SHARE)


def geometry_of(data: Data, normalise: str, *, cache: Cache) -> Geometry:
    """Measure the points, for the theorem that asks for more than their number."""
    from rfviz.experiments.guarantees.geometry import geometry_of_rows  # one theorem of three asks for it

    return geometry_of_rows(cache.call(split_of, data, normalise))


def complexity_of(
    data: Data, normalise: str, spec: MapSpec[FeatureMap], theorem: str, size: float, *, cache: Cache
) -> Complexity:
    """Measure the Rademacher complexity of a theorem's class."""
    from rfviz.experiments.guarantees.complexity import measure_complexity  # of a part that few open

    X = cache.call(split_of, data, normalise).X_train
    root = 1.0
    if theorem == "maxout":
        # E K(x, x) is σ²(q) times the mean square of the lengths.
        lengths = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        root = float(np.sqrt(expected_max_squared(spec.get("pool_size")) * lengths.mean()))
    is_norm = theorem == "compositional"
    if not is_norm:
        # The mean over independent features does not depend on their number.
        spec = spec.replace(n_components=min(spec.get("n_components"), _COMPLEXITY_M))
    return measure_complexity(X, spec, size, root, is_norm=is_norm, progress=cache.progress)


def minimisers_of(
    data: Data, normalise: str, spec: MapSpec[FeatureMap], loss: str, radius: float, *, cache: Cache
) -> TheoremFits:
    """Measure the minimisers of a theorem."""
    from rfviz.experiments.guarantees.minimiser import measure_minimisers  # of a part that few open

    split = cache.call(split_of, data, normalise)
    norm, per_draw = _norm_and_features(spec)
    return measure_minimisers(split.X_train, split.y_train, spec, loss, radius, norm, per_draw, progress=cache.progress)


def risk_of(data: Data, normalise: str, spec: MapSpec[FeatureMap], *, cache: Cache) -> MeasuredRisk:
    """Measure risks; the theorem, its constants and the loss change nothing here."""
    split = cache.call(split_of, data, normalise)
    return measure_risk(split, spec, error_grid(_RISK_M), _RISK_SEEDS, cache.progress)
