"""The parts of a quick inspection, each computed when it is first asked for and cached, and the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError, RfvizError
from rfviz.experiments.data import Data
from rfviz.lab.finding import Finding, unknown
from rfviz.lab.panel import ScaledData
from rfviz.lab.quick_inspection import all_rows, dependence, drift, text
from rfviz.lab.quick_inspection.balance import BalanceResult, describe_balance, inspect_balance
from rfviz.lab.quick_inspection.columns import ColumnResult, inspect_columns
from rfviz.lab.quick_inspection.copies import CopyResult, NearCopyResult, exact_copies, near_copies, near_distance
from rfviz.lab.quick_inspection.dependence import Dependence, HeldConstant, hold_constant, inspect_dependence
from rfviz.lab.quick_inspection.dimension import DimensionResult, intrinsic_dimension
from rfviz.lab.quick_inspection.drift import AUTOMATIC, Drift, inspect_drift
from rfviz.lab.quick_inspection.interactions import InteractionResult, describe_interactions, inspect_interactions
from rfviz.lab.quick_inspection.labels import LabelResult, inspect_labels
from rfviz.lab.quick_inspection.leaks import LeakResult, inspect_leaks
from rfviz.lab.quick_inspection.maps import MapResult, draw_maps
from rfviz.lab.quick_inspection.missing import MissingResult, inspect_missing
from rfviz.lab.quick_inspection.neighbours import (
    DistanceResult,
    NeighbourResult,
    distances,
    neighbours,
    scaled_by_most,
)
from rfviz.lab.quick_inspection.ordered import OrderedResult, describe_ordered, inspect_ordered
from rfviz.lab.quick_inspection.raw import Raw, Whole, count_rows, raw_of, whole_of_table
from rfviz.lab.quick_inspection.sample import MAP_ROWS, WORK_ROWS, Sample, scaling_of, take_sample
from rfviz.lab.quick_inspection.splits import SplitResult, inspect_splits
from rfviz.lab.quick_inspection.structure import StructureResult, inspect_structure
from rfviz.lab.quick_inspection.targets import TargetResult, inspect_targets
from rfviz.lab.quick_inspection.targets import describe as describe_targets
from rfviz.lab.quick_inspection.uncertainty import (
    IntervalResult,
    SetResult,
    describe_uncertainty,
    inspect_intervals,
    inspect_sets,
)
from rfviz.lab.quick_inspection.values import ValueResult, inspect_values

__all__ = ["Inspection", "InspectionResult"]

_HASHED_ROWS, _HASHED_CELLS = 20_000, 10_000_000


@dataclass(frozen=True, eq=False)
class InspectionResult:
    """All that was found.

    Attributes
    ----------
    maps : MapResult or None
        None where no map can be drawn.
    findings : tuple of Finding
    limits : str
        Which rows were used, where these are not all.
    """

    maps: MapResult | None
    findings: tuple[Finding, ...]
    limits: str


class Inspection:
    """Questions to one data set: to all rows of its file, or where distances or learning are asked for, to a sample.

    Every part raises an :class:`rfviz.errors.RfvizError` where the data cannot answer it.

    Parameters
    ----------
    data : Dataset or Data
    how : str
        See :data:`rfviz.lab.quick_inspection.sample.SCALING`.
    seed : int
        Of the maps' features.
    cache : Cache, optional
        One of its own by default.
    compare : str
        Which rows are compared, see :func:`rfviz.lab.quick_inspection.drift.inspect_drift`.
    """

    def __init__(
        self,
        data: Dataset | Data,
        how: str = "automatic",
        seed: int = 0,
        cache: Cache | None = None,
        compare: str = AUTOMATIC,
    ) -> None:
        if isinstance(data, Dataset):
            data = Data(data.name, (), None, data)
        self.seed, self.compare = seed, compare
        self.source = ScaledData(data, scaling_of(data.dataset, how))
        self._cache = Cache() if cache is None else cache

    @cached_property
    def raw(self) -> Raw:
        """The whole table, as the file has it."""
        return raw_of(self.source.dataset)

    @property
    def dataset(self) -> Dataset:
        """Prepared rows, of the whole table where there are more than were asked for."""
        return self._cache.call(whole_of, self.source.data).dataset

    def sample(self, most: int) -> Sample:
        """Return the rows that are used, at most so many."""
        return self._cache.call(sample_of, self.source, most)

    def maps(self) -> MapResult:
        """Return three maps of up to 1000 rows."""
        return self._cache.call(maps_of, self.source, self.seed)

    def balance(self) -> BalanceResult:
        """Return how the labels are spread over the rows."""
        return self._cache.call(balance_of, self.source.data)

    def columns(self) -> ColumnResult:
        """Return the columns that stand out."""
        return self._cache.call(columns_of, self.source.data)

    def missing(self) -> MissingResult:
        """Return the missing values."""
        return self._cache.call(missing_of, self.source.data)

    def odd_values(self) -> ValueResult:
        """Return values that are probably no values."""
        return self._cache.call(odd_values_of, self.source.data)

    def copies(self) -> CopyResult:
        """Return the equal rows."""
        return self._cache.call(copies_of, self.source.data)

    def distances(self) -> DistanceResult:
        """Return the distances of pairs."""
        return self._cache.call(distances_of, self.source)

    def neighbours(self) -> NeighbourResult:
        """Return the nearest rows."""
        return self._cache.call(neighbours_of, self.source)

    def outliers(self) -> NeighbourResult:
        """Return the nearest rows, and the outlier factors, in the columns of numbers."""
        return self._cache.call(outliers_of, self.source)

    def dimension(self) -> DimensionResult:
        """Return the intrinsic dimension."""
        return self._cache.call(dimension_of, self.source)

    def near_copies(self) -> NearCopyResult:
        """Return the rows that are nearly equal."""
        return self._cache.call(near_copies_of, self.source)

    def leaks(self) -> LeakResult | None:
        """Return the columns that alone, or two together, predict the label."""
        return self._cache.call(leaks_of, self.source.data)

    def labels(self) -> LabelResult:
        """Return the labels that the other rows contradict."""
        return self._cache.call(labels_of, self.source)

    def ordered(self) -> OrderedResult | None:
        """Return in how far the labels have an order; None where nothing shows it."""
        try:
            labels = self.labels()
        except DataError:  # which "Label errors" says
            return None
        return inspect_ordered(labels, self.source.dataset.target_names)

    def targets(self) -> TargetResult:
        """Return the numbers to predict that the other rows contradict."""
        return self._cache.call(targets_of, self.source)

    def uncertainty(self) -> IntervalResult | SetResult:
        """Return how sure predictions of each row by all others are."""
        return self._cache.call(uncertainty_of, self.source)

    def shown_uncertainty(self, colour: str) -> IntervalResult | SetResult | None:
        """Return what the colour "uncertainty" shows; None of another colour, or where it cannot be computed."""
        if colour == "uncertainty":
            with suppress(RfvizError):  # the findings say why
                return self.uncertainty()
        return None

    def structure(self) -> StructureResult:
        """Return a linear model compared with random features."""
        return self._cache.call(structure_of, self.source)

    def interactions(self) -> InteractionResult:
        """Return the columns that act together."""
        return self._cache.call(interactions_of, self.source)

    def splits(self) -> SplitResult | None:
        """Return random folds compared with folds of groups and stretches."""
        return self._cache.call(splits_of, self.source)

    def drift(self) -> Drift | None:
        """Return two parts of the rows compared."""
        return self._cache.call(drift_of, self.source.data, self.compare)

    def dependence(self) -> Dependence:
        """Return how strongly columns depend on each other."""
        return self._cache.call(dependence_of, self.source.data)

    def held_constant(self, given: str) -> HeldConstant:
        """Return which columns depend on each other among rows with the same value of one column."""
        return self._cache.call(held_constant_of, self.source.data, given)

    def findings(self) -> Iterator[Finding]:
        """Yield what is found, the quickest answers first."""
        for name, describe in self._questions():
            try:
                finding = describe()
            except RfvizError as error:
                finding = unknown(name, str(error))
            if finding is not None:
                yield replace(finding, columns=tuple(map(self.raw.table.own_name, finding.columns)))

    def questions(self) -> tuple[str, ...]:
        """Return the names of the findings that these data can have."""
        return tuple(name for name, _ in self._questions())

    def _questions(self) -> Iterator[tuple[str, Callable[[], Finding | None]]]:
        raw, how, rows = self.raw, self.source.normalise, count_rows(self.source.dataset)
        images = self.source.dataset.image_shape is not None
        yield "All rows", lambda: all_rows.describe(raw)
        yield "Rows and labels", lambda: describe_balance(raw, rows, self.source.dataset.n_features if images else 0)
        if images:
            yield "Columns", lambda: text.pixels(*self._cache.call(pixels_of, self.source.data))
        else:
            yield "Columns", lambda: text.columns(self.columns())
            yield "Missing values", lambda: text.missing(self.missing())
            yield "Odd values", lambda: text.odd_values(self.odd_values())
            yield "Leaks", lambda: text.leaks(self.leaks(), raw.y is not None)
        yield "Exact copies", lambda: text.copies(self.copies(), rows, how)
        yield "Near copies", lambda: text.near_copies(self.near_copies(), rows, how)
        yield "Distances", lambda: text.distances(self.distances(), rows, how)
        yield "Dimension", lambda: text.dimension(self.dimension(), how)
        yield (
            "Outliers",
            lambda: text.outliers(self.outliers(), len(self.sample(WORK_ROWS).rows), rows, how, self._n_others()),
        )
        if raw.target_names:
            yield "Label errors", lambda: text.labels(self.labels(), raw.label, rows)
            yield "Ordered labels", lambda: describe_ordered(self.ordered(), raw.label)
        elif self.source.dataset.y is not None:
            yield "Label errors", lambda: describe_targets(self.targets(), raw.label, rows)
        if self.source.dataset.y is not None:
            yield "Uncertainty", lambda: describe_uncertainty(self.uncertainty(), rows)
        yield "Linear or not", lambda: text.structure(self.structure(), self.splits(), rows, how)
        if raw.y is not None and not images:
            yield "Interactions", lambda: describe_interactions(self.interactions(), rows)
        if self.source.dataset.y is not None:
            yield "Unseen groups and times", lambda: text.splits(self.splits())
        if not images and len(raw.columns) > 1:
            yield "Dependence", lambda: dependence.describe(self.dependence())
        yield "Drift", lambda: drift.describe(self.drift())
        if self.source.dataset.order is not None:
            yield "Order", lambda: text.order(self.maps(), how)

    def _n_others(self) -> int:
        """Return how many columns there are that outliers are not looked for in."""
        whole = self._cache.call(whole_of, self.source.data)
        unused = set(self.raw.columns) - set(whole.sources)
        return int(_is_word(whole).sum()) + len(unused)

    def limits(self) -> str:
        """Return which rows were used, where these are not all."""
        rows = count_rows(self.source.dataset)
        few, some = (len(self.sample(most).rows) for most in (MAP_ROWS, WORK_ROWS))
        if few == rows.n_all:
            return ""
        rest = "all" if some == rows.n_all else "the same" if some == few else f"{some:,}{rows.of_all(some)}"
        return f"The maps show {few:,} rows{rows.of_all(few)}; distances and neighbours are those of {rest}."


def whole_of(data: Data, *, cache: Cache) -> Whole:
    """Prepare rows of the whole table."""
    return whole_of_table(data.dataset)


def sample_of(source: ScaledData, most: int, *, cache: Cache) -> Sample:
    """Draw and scale rows."""
    whole = cache.call(whole_of, source.data)
    return take_sample(whole.dataset, source.normalise, most, is_word=whole.is_word, exact=whole.exact)


def maps_of(source: ScaledData, seed: int, *, cache: Cache) -> MapResult:
    """Draw the three maps."""
    whole = cache.call(whole_of, source.data)
    return draw_maps(whole.dataset, cache.call(sample_of, source, MAP_ROWS), seed, cache.progress)


def balance_of(data: Data, *, cache: Cache) -> BalanceResult:
    """Count the rows of each class, or of each stretch of a target."""
    return inspect_balance(raw_of(data.dataset))


def columns_of(data: Data, *, cache: Cache) -> ColumnResult:
    """Inspect the columns."""
    cache.progress(0.1, "Columns")
    return inspect_columns(raw_of(data.dataset))


def pixels_of(data: Data, *, cache: Cache) -> tuple[int, int]:
    """Count pixels with a single value, and all."""
    X = data.dataset.X
    return int(np.sum(X.max(axis=0) == X.min(axis=0))), X.shape[1]


def missing_of(data: Data, *, cache: Cache) -> MissingResult:
    """Count missing values."""
    return inspect_missing(raw_of(data.dataset))


def odd_values_of(data: Data, *, cache: Cache) -> ValueResult:
    """Look for values that are probably no values."""
    cache.progress(0.1, "Odd values")
    return inspect_values(raw_of(data.dataset))


def copies_of(data: Data, *, cache: Cache) -> CopyResult:
    """Find equal rows; where there are none, those that are equal but for a number of the row, if not by chance."""
    cache.progress(0.1, "Exact copies")
    raw = raw_of(data.dataset)
    result = exact_copies(raw)
    if data.dataset.image_shape:  # of which some may have been drawn
        numbers = data.dataset.row_numbers
        return replace(result, rows=numbers, repeats=numbers[result.repeats])
    if result.n_extra:
        return result
    keys = cache.call(columns_of, data).numbering
    if not keys or len(keys) == len(raw.columns):
        return result
    apart = exact_copies(raw, keys)
    return result if apart.may_be_chance else apart


def distances_of(source: ScaledData, *, cache: Cache) -> DistanceResult:
    """Measure distances of pairs."""
    return distances(cache.call(sample_of, source, WORK_ROWS))


def neighbours_of(source: ScaledData, *, cache: Cache) -> NeighbourResult:
    """Find the nearest rows."""
    cache.progress(0.1, "Searching the nearest rows")
    return neighbours(scaled_by_most(cache.call(sample_of, source, WORK_ROWS)))


def outliers_of(source: ScaledData, *, cache: Cache) -> NeighbourResult:
    """Find the nearest rows in the columns of numbers: among words, rare ones would look like outliers."""
    whole = cache.call(whole_of, source.data)
    is_word = _is_word(whole)
    if not is_word.any():
        return cache.call(neighbours_of, source)
    if whole.is_word.all():
        raise DataError("There are only categories, among which a rare word is no outlier.")
    if is_word.all():
        raise DataError("Outliers are looked for in columns of more than two numbers, and there are none.")
    cache.progress(0.1, "Searching the nearest rows")
    sample = cache.call(sample_of, source, WORK_ROWS)
    return neighbours(scaled_by_most(replace(sample, X=np.ascontiguousarray(sample.X[:, ~is_word]))))


def _is_word(whole: Whole) -> np.ndarray:
    """Return which features take only two values, as those of a category do; of images none."""
    X = whole.dataset.X
    if whole.dataset.image_shape:
        return whole.is_word
    is_word = whole.is_word | _takes_two(X)
    if len(numbers := np.flatnonzero(is_word & ~whole.is_word)):  # in single precision more values may be equal
        is_word[numbers] = _takes_two(whole.exact(np.arange(len(X)))[:, numbers])
    return is_word


def _takes_two(X: np.ndarray) -> np.ndarray:
    """Return which columns take at most two values."""
    return ((X.min(axis=0) == X) | (X.max(axis=0) == X)).all(axis=0)


def dimension_of(source: ScaledData, *, cache: Cache) -> DimensionResult:
    """Estimate the intrinsic dimension."""
    return intrinsic_dimension(cache.call(neighbours_of, source).distance, source.dataset.n_features)


def near_copies_of(source: ScaledData, *, cache: Cache) -> NearCopyResult:
    """Find rows that are nearly equal."""
    known, dimension = cache.call(neighbours_of, source), cache.call(dimension_of, source)
    threshold = near_distance(known, min(dimension.two_nn, dimension.likelihood))
    if not threshold > 0:
        raise DataError("Too many rows have equal neighbours to say which of the others are nearly equal.")
    cache.progress(0.1, "Hashing rows")
    whole = cache.call(whole_of, source.data)
    sample = take_sample(whole.dataset, source.normalise, _HASHED_ROWS, _HASHED_CELLS, whole.is_word, exact=whole.exact)
    # Among more rows the neighbours that chance brings are nearer.
    share = min(len(cache.call(sample_of, source, WORK_ROWS).rows) / len(sample.rows), 1.0)
    threshold *= share ** (1.0 / max(min(dimension.two_nn, dimension.likelihood), 0.5))
    return near_copies(scaled_by_most(sample), threshold, known)


def leaks_of(data: Data, *, cache: Cache) -> LeakResult | None:
    """Find columns that alone, or two together, predict the label."""
    return inspect_leaks(raw_of(data.dataset), cache.progress)


def dependence_of(data: Data, *, cache: Cache) -> Dependence:
    """Measure how strongly columns depend on each other."""
    return inspect_dependence(raw_of(data.dataset), cache.progress)


def held_constant_of(data: Data, given: str, *, cache: Cache) -> HeldConstant:
    """Measure how strongly columns depend on each other among rows with the same value of one column."""
    return hold_constant(cache.call(dependence_of, data), given, cache.progress)


def drift_of(data: Data, by: str, *, cache: Cache) -> Drift | None:
    """Compare two parts of the rows."""
    return inspect_drift(raw_of(data.dataset), data.dataset, by, cache.progress)


def labels_of(source: ScaledData, *, cache: Cache) -> LabelResult:
    """Look for labels that the other rows contradict."""
    whole = cache.call(whole_of, source.data)
    return inspect_labels(whole.dataset, cache.call(sample_of, source, WORK_ROWS), cache.progress)


def targets_of(source: ScaledData, *, cache: Cache) -> TargetResult:
    """Look for numbers that the other rows contradict."""
    whole = cache.call(whole_of, source.data)
    return inspect_targets(whole.dataset, cache.call(sample_of, source, WORK_ROWS), cache.progress)


def uncertainty_of(source: ScaledData, *, cache: Cache) -> IntervalResult | SetResult:
    """Measure how sure predictions of each row by all others are."""
    dataset, sample = cache.call(whole_of, source.data).dataset, cache.call(sample_of, source, WORK_ROWS)
    if dataset.target_names:
        return inspect_sets(dataset, sample, cache.call(labels_of, source))
    return inspect_intervals(raw_of(source.dataset), dataset, sample, cache.call(targets_of, source), cache.progress)


def structure_of(source: ScaledData, *, cache: Cache) -> StructureResult:
    """Compare a linear model with random features."""
    return inspect_structure(cache.call(whole_of, source.data).dataset, source.normalise, cache.progress)


def interactions_of(source: ScaledData, *, cache: Cache) -> InteractionResult:
    """Look for columns that act together, judged apart where random rows would flatter."""
    try:
        splits = cache.call(splits_of, source)
    except DataError:  # too little for a model that could be flattered
        splits = None
    apart = None if splits is None else splits.worst
    return inspect_interactions(raw_of(source.dataset), cache.call(whole_of, source.data), apart, cache.progress)


def splits_of(source: ScaledData, *, cache: Cache) -> SplitResult | None:
    """Compare random folds with folds of groups and stretches."""
    structure, whole = cache.call(structure_of, source), cache.call(whole_of, source.data)
    return inspect_splits(raw_of(source.dataset), whole.dataset, structure, source.normalise, cache.progress)
