"""The parts of a quick inspection, each computed when it is first asked for and cached, and the findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rfviz.datasets import Dataset
from rfviz.errors import DataError, RfvizError
from rfviz.lab.cache import Cache
from rfviz.lab.panel import Data, ScaledData
from rfviz.lab.quick_inspection import text
from rfviz.lab.quick_inspection.columns import ColumnResult, LeakResult, inspect_columns, inspect_leaks
from rfviz.lab.quick_inspection.copies import CopyResult, NearCopyResult, exact_copies, near_copies, near_distance
from rfviz.lab.quick_inspection.dimension import DimensionResult, intrinsic_dimension
from rfviz.lab.quick_inspection.maps import MapResult, draw_maps
from rfviz.lab.quick_inspection.neighbours import DistanceResult, NeighbourResult, distances, neighbours
from rfviz.lab.quick_inspection.sample import MAP_ROWS, WORK_ROWS, Sample, scaling_of, take_sample
from rfviz.lab.quick_inspection.structure import StructureResult, inspect_structure
from rfviz.lab.quick_inspection.text import Finding, unknown

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
    """Questions to one data set.

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
    """

    def __init__(self, data: Dataset | Data, how: str = "automatic", seed: int = 0, cache: Cache | None = None) -> None:
        if isinstance(data, Dataset):
            data = Data(data.name, (), None, data)
        self.dataset, self.seed = data.dataset, seed
        self.source = ScaledData(data, scaling_of(data.dataset, how))
        self._cache = Cache() if cache is None else cache

    def sample(self, most: int) -> Sample:
        """Return the rows that are used, at most so many."""
        return self._cache.call(sample_of, self.source, most)

    def maps(self) -> MapResult:
        """Return three maps of up to 1000 rows."""
        return self._cache.call(maps_of, self.source, self.seed)

    def columns(self) -> ColumnResult:
        """Return the columns that stand out."""
        return self._cache.call(columns_of, self.source.data)

    def copies(self) -> CopyResult:
        """Return the equal rows."""
        return self._cache.call(copies_of, self.source.data)

    def distances(self) -> DistanceResult:
        """Return the distances of pairs."""
        return self._cache.call(distances_of, self.source)

    def neighbours(self) -> NeighbourResult:
        """Return the nearest rows and the outlier factors."""
        return self._cache.call(neighbours_of, self.source)

    def dimension(self) -> DimensionResult:
        """Return the intrinsic dimension."""
        return self._cache.call(dimension_of, self.source)

    def near_copies(self) -> NearCopyResult:
        """Return the rows that are nearly equal."""
        return self._cache.call(near_copies_of, self.source)

    def leaks(self) -> LeakResult | None:
        """Return the columns that alone predict the label."""
        return self._cache.call(leaks_of, self.source.data)

    def structure(self) -> StructureResult:
        """Return a linear model compared with random features."""
        return self._cache.call(structure_of, self.source)

    def findings(self) -> Iterator[Finding]:
        """Yield what is found, the quickest answers first."""
        data, how = self.dataset, self.source.normalise
        yield text.rows(data)
        for title, describe in (
            ("Columns", lambda: text.columns(self.columns(), data)),
            ("Leaks", lambda: text.leaks(self.leaks(), data)),
            ("Exact copies", lambda: text.copies(self.copies(), data, how)),
            ("Near copies", lambda: text.near_copies(self.near_copies(), how)),
            ("Distances", lambda: text.distances(self.distances(), how)),
            ("Dimension", lambda: text.dimension(self.dimension(), how)),
            ("Outliers", lambda: text.outliers(self.neighbours(), how)),
            ("Linear or not", lambda: text.structure(self.structure(), how)),
            ("Order", lambda: text.order(self.maps(), how) if data.order is not None else None),
        ):
            try:
                finding = describe()
            except RfvizError as error:
                finding = unknown(title, str(error))
            if finding is not None:
                yield finding

    def limits(self) -> str:
        """Return which rows were used, where these are not all."""
        n, few, some = self.dataset.n_samples, len(self.sample(MAP_ROWS).rows), len(self.sample(WORK_ROWS).rows)
        if few == n:
            return ""
        rest = "neighbours are those of all rows" if some == n else f"neighbours are those of {some:,}"
        return f"The maps show {few:,} of the {n:,} rows, drawn at random; distances and {rest}."


def sample_of(source: ScaledData, most: int, *, cache: Cache) -> Sample:
    """Draw and scale rows."""
    return take_sample(source.dataset, source.normalise, most)


def maps_of(source: ScaledData, seed: int, *, cache: Cache) -> MapResult:
    """Draw the three maps."""
    return draw_maps(source.dataset, cache.call(sample_of, source, MAP_ROWS), seed, cache.progress)


def columns_of(data: Data, *, cache: Cache) -> ColumnResult:
    """Inspect the columns."""
    return inspect_columns(data.dataset)


def copies_of(data: Data, *, cache: Cache) -> CopyResult:
    """Find equal rows."""
    return exact_copies(data.dataset)


def distances_of(source: ScaledData, *, cache: Cache) -> DistanceResult:
    """Measure distances of pairs."""
    return distances(cache.call(sample_of, source, WORK_ROWS))


def neighbours_of(source: ScaledData, *, cache: Cache) -> NeighbourResult:
    """Find the nearest rows."""
    cache.progress(0.1, "Searching the nearest rows")
    return neighbours(cache.call(sample_of, source, WORK_ROWS))


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
    return near_copies(take_sample(source.dataset, source.normalise, _HASHED_ROWS, _HASHED_CELLS), threshold, known)


def leaks_of(data: Data, *, cache: Cache) -> LeakResult | None:
    """Find columns that alone predict the label."""
    return inspect_leaks(data.dataset, cache.progress)


def structure_of(source: ScaledData, *, cache: Cache) -> StructureResult:
    """Compare a linear model with random features."""
    return inspect_structure(source.dataset, source.normalise, cache.progress)
