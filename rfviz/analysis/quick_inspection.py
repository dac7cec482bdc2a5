"""The parts of a quick inspection, each computed once and remembered, and the findings as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rfviz.analysis import inspection_text as text
from rfviz.analysis.inspection import MAP_ROWS, WORK_ROWS, Sample, scaling_of, take_sample
from rfviz.analysis.inspection_columns import ColumnResult, LeakResult, inspect_columns, inspect_leaks
from rfviz.analysis.inspection_duplicates import (
    CopyResult,
    NearCopyResult,
    exact_copies,
    near_copies,
    near_distance,
)
from rfviz.analysis.inspection_findings import Finding, unknown
from rfviz.analysis.inspection_maps import MapResult, draw_maps
from rfviz.analysis.inspection_neighbours import DistanceResult, NeighbourResult, distances, neighbours
from rfviz.analysis.inspection_structure import StructureResult, inspect_structure
from rfviz.analysis.intrinsic_dimension import DimensionResult, intrinsic_dimension
from rfviz.analysis.progress import Progress, silent
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError, RfvizError

__all__ = ["Inspection"]

Keep = Callable[[str, tuple, Callable[[Progress], Any]], Any]

_HASHED_ROWS, _HASHED_CELLS = 20_000, 10_000_000


def _memory() -> Keep:
    known: dict[tuple, Any] = {}

    def keep(name: str, key: tuple, compute: Callable[[Progress], Any]) -> Any:
        if (name, key) not in known:
            known[name, key] = compute(silent)
        return known[name, key]

    return keep


class Inspection:
    """What is asked of one data set.

    Every part raises an :class:`rfviz.errors.RfvizError` where the data cannot answer it.

    Parameters
    ----------
    dataset : Dataset
    how : str
        See :data:`rfviz.analysis.inspection.SCALING`.
    seed : int
        Of the maps' features.
    keep : callable, optional
        ``keep(name, key, compute)`` gives what ``compute(progress)`` does, perhaps from memory; without it, all is
        remembered for as long as the inspection lives.
    """

    def __init__(self, dataset: Dataset, how: str = "automatic", seed: int = 0, keep: Keep | None = None) -> None:
        self.dataset, self.seed = dataset, seed
        self.how = scaling_of(dataset, how)
        self._keep = keep or _memory()

    def _part(self, name: str, compute: Callable[[Progress], Any], *more: Any) -> Any:
        return self._keep(name, (self.how, *more), compute)

    def sample(self, most: int) -> Sample:
        """Rows that are looked at, at most so many."""
        return self._part("rows", lambda p: take_sample(self.dataset, self.how, most), most)

    def maps(self) -> MapResult:
        """Three pictures of up to 1000 rows."""
        few = self.sample(MAP_ROWS)
        return self._part("maps", lambda p: draw_maps(self.dataset, few, self.seed, p), self.seed)

    def columns(self) -> ColumnResult:
        """Columns that stand out."""
        return self._part("columns", lambda p: inspect_columns(self.dataset))

    def copies(self) -> CopyResult:
        """Equal rows."""
        return self._part("copies", lambda p: exact_copies(self.dataset))

    def distances(self) -> DistanceResult:
        """Distances of pairs."""
        return self._part("distances", lambda p: distances(self.sample(WORK_ROWS)))

    def neighbours(self) -> NeighbourResult:
        """Nearest rows, and how far each stands apart."""

        def compute(progress: Any) -> NeighbourResult:
            progress(0.1, "Searching the nearest rows")
            return neighbours(self.sample(WORK_ROWS))

        return self._part("neighbours", compute)

    def dimension(self) -> DimensionResult:
        """Intrinsic dimension."""
        return intrinsic_dimension(self.neighbours().distance, self.dataset.n_features)

    def near_copies(self) -> NearCopyResult:
        """Rows that are nearly equal."""
        known, dimension = self.neighbours(), self.dimension()
        threshold = near_distance(known, min(dimension.two_nn, dimension.likelihood))
        if not threshold > 0:
            raise DataError("Too many rows have equal neighbours to say which of the others are nearly equal.")

        def compute(progress: Any) -> NearCopyResult:
            progress(0.1, "Hashing rows")
            return near_copies(take_sample(self.dataset, self.how, _HASHED_ROWS, _HASHED_CELLS), threshold, known)

        return self._part("near copies", compute)

    def leaks(self) -> LeakResult | None:
        """Columns that alone predict the label."""
        return self._part("leaks", lambda p: inspect_leaks(self.dataset, p))

    def structure(self) -> StructureResult:
        """A linear model against random features."""
        return self._part("structure", lambda p: inspect_structure(self.dataset, self.how, p))

    def findings(self) -> Iterator[Finding]:
        """What is found, what costs least first."""
        data, how = self.dataset, self.how
        yield text.rows(data)
        for title, say in (
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
                finding = say()
            except RfvizError as error:
                finding = unknown(title, str(error))
            if finding is not None:
                yield finding

    def limits(self) -> str:
        """Which rows were looked at, where these are not all."""
        n, few, some = self.dataset.n_samples, len(self.sample(MAP_ROWS).rows), len(self.sample(WORK_ROWS).rows)
        if few == n:
            return ""
        rest = "neighbours are those of all rows" if some == n else f"neighbours are those of {some:,}"
        return f"The maps show {few:,} of the {n:,} rows, drawn at random; distances and {rest}."
