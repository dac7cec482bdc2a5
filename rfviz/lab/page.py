"""The contract of a page: what it asks, computes, draws and exports, free of Streamlit.

The browser (:func:`rfviz.ui.page.show`) and the command ``rfviz run`` take the same steps: they ask a panel for
:meth:`Page.source` and :meth:`Page.settings`, and call :func:`compute`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from rfviz.cache import Cache
from rfviz.experiments.base import Chart, Experiment, ExperimentInParts
from rfviz.experiments.data import NO_DATA, Data
from rfviz.experiments.work import Work
from rfviz.features import FeatureMap
from rfviz.lab.animation import AnimationSpec
from rfviz.lab.index import PageRef, entry_of
from rfviz.lab.panel import Panel

if TYPE_CHECKING:
    from rfviz.datasets.files import PreparedRows
    from rfviz.inspection.finding import Finding

__all__ = ["Computed", "ExperimentPage", "MapExport", "Page", "Presets", "compute"]

Source = TypeVar("Source")
Settings = TypeVar("Settings")
Result = TypeVar("Result")
SourceOfData = TypeVar("SourceOfData", bound="Data | Sourced | None")
SomeExperiment = TypeVar("SomeExperiment", bound=Experiment[Any])

#: By the label of a preset: what it shows, in one sentence, and the values that it sets.
Presets = Mapping[str, tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True, eq=False)
class MapExport:
    """A feature map of a page, not fitted, and the points to fit it on.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    all_rows : PreparedRows or None
        All rows of the table that the points were drawn from, prepared as they are.
    labels : (ndarray or None, tuple of str)
        Classes or targets of the points, and the names of classes, as in a data set.
    """

    label: str
    feature_map: FeatureMap
    X: Any = field(repr=False)
    all_rows: PreparedRows | None = field(default=None, repr=False)
    labels: tuple[np.ndarray | None, tuple[str, ...]] = field(default=(None, ()), repr=False)


class Page(ABC, Generic[Source, Settings, Result]):
    """A page of the laboratory.

    Attributes
    ----------
    slug : str
        Its path in the address; :mod:`rfviz.lab.index` has what lists of pages show of it.
    inspects_files : bool
        Whether ``rfviz run`` with a data folder opens the file in it where no data set is named.
    """

    slug: ClassVar[str]
    inspects_files: ClassVar[bool] = False

    @property
    def entry(self) -> PageRef:
        """Its entry in the navigation: title and question."""
        return entry_of(self.slug)

    @property
    def presets(self) -> Presets:
        """The presets; asked for with every visit, since a data folder may have come."""
        return {}

    @abstractmethod
    def source(self, panel: Panel) -> Source:
        """Ask for the data and what is done to them first: the controls of the sidebar. Frozen and hashable."""

    @abstractmethod
    def settings(self, panel: Panel, source: Source) -> Settings:
        """Ask for all other settings: the controls above the chart. Frozen and hashable."""

    @abstractmethod
    def run(self, source: Source, settings: Settings, cache: Cache) -> Result:
        """Compute what the charts show.

        Raises
        ------
        RfvizError
            If it cannot be done: in one sentence.
        """

    def has_parts(self, source: Source) -> bool:
        """Return whether the result for these data grows part by part, while the page shows what is known."""
        return False

    def work(self, source: Source, settings: Settings, cache: Cache) -> Work:
        """Return all parts that are to be computed; computes none of them.

        Raises
        ------
        RfvizError
            If there is nothing to compute.
        """
        return Work((), cache)

    def collect(self, source: Source, settings: Settings, work: Work, cache: Cache) -> Result:
        """Return the result of the finished parts."""
        return self.run(source, settings, cache)

    def failures(self, result: Result) -> Mapping[str, str]:
        """Return why a map could not be computed though others were: sentences by the maps' labels."""
        return {}

    def findings(self, result: Result) -> Sequence[Finding]:
        """Return the findings of a page that inspects data."""
        return ()

    def uses_data(self, source: Source) -> bool:
        """Return whether the charts depend on the data that were asked for."""
        return True

    def record(self, source: Source, result: Result, cache: Cache) -> Mapping[str, Any]:
        """Return the findings of a page that inspects data, and how these were read, as plain objects for JSON."""
        return {}

    @abstractmethod
    def charts(self, source: Source, settings: Settings, result: Result, cache: Cache) -> tuple[Chart, ...]:
        """Return the charts of a result, the main one first."""

    @abstractmethod
    def script(self, source: Source, settings: Settings) -> str:
        """Return Python that does the same without the laboratory.

        It ends with the names ``frames`` and ``figures``, dictionaries by the charts' names, and shows the figures.
        """

    def maps(self, source: Source, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        """Return the feature maps of the page with their points, where there are any worth exporting."""
        return ()

    def animations(self, source: Source, settings: Settings, result: Result, panel: Panel) -> Sequence[AnimationSpec]:
        """Return the animations below the main chart; nothing is computed before the user presses Play."""
        return ()

    def cheaper_settings(self, source: Source, settings: Settings, cache: Cache) -> Mapping[str, Any]:
        """Return settings that end a long computation, for a button Stop; empty if it is not long."""
        return {}


class Sourced(Protocol):
    """The first choices of a page: data, and how they are prepared."""

    @property
    def data(self) -> Data: ...


class ExperimentPage(Page[SourceOfData, SomeExperiment, Result]):
    """A page whose settings are an experiment: it asks for one, and shows what its run gives."""

    def data(self, source: SourceOfData) -> Data:
        """Return the data that the experiment runs on."""
        if source is None:
            return NO_DATA
        return source if isinstance(source, Data) else source.data

    def uses_data(self, source: SourceOfData) -> bool:
        return self.data(source) is not NO_DATA

    def run(self, source: SourceOfData, settings: SomeExperiment, cache: Cache) -> Result:
        return settings.compute(self.data(source), cache)

    def work(self, source: SourceOfData, settings: SomeExperiment, cache: Cache) -> Work:
        if not isinstance(settings, ExperimentInParts):
            return super().work(source, settings, cache)
        return settings.work(self.data(source), cache)

    def collect(self, source: SourceOfData, settings: SomeExperiment, work: Work, cache: Cache) -> Result:
        if not isinstance(settings, ExperimentInParts):
            return super().collect(source, settings, work, cache)
        return settings.collect(self.data(source), work, cache)

    def charts(self, source: SourceOfData, settings: SomeExperiment, result: Result, cache: Cache) -> tuple[Chart, ...]:
        return settings.charts(self.data(source), result, cache)

    def script(self, source: SourceOfData, settings: SomeExperiment) -> str:
        from rfviz.lab import script

        return script.of_experiment(self.data(source), settings)


@dataclass(frozen=True, eq=False)
class Computed(Generic[Source, Settings, Result]):
    """A page with what it was asked for, the result, and its charts."""

    page: Page[Source, Settings, Result]
    source: Source
    settings: Settings
    result: Result = field(repr=False)
    charts: tuple[Chart, ...] = field(repr=False)


def compute(
    page: Page[Source, Settings, Result],
    source: Source,
    settings: Settings,
    cache: Cache,
    advance: Callable[[Work], None] | None = None,
) -> Computed[Source, Settings, Result]:
    """Compute a page and its charts.

    Parameters
    ----------
    advance : callable, optional
        Gets the work of a page that has parts and decides which are computed before it returns; all by default.

    Raises
    ------
    RfvizError
        If it cannot be done: in one sentence.
    """
    if advance is not None and page.has_parts(source):
        work = page.work(source, settings, cache)
        advance(work)
        result = page.collect(source, settings, work, cache)
    else:
        result = page.run(source, settings, cache)
    return Computed(page, source, settings, result, page.charts(source, settings, result, cache))
