"""What every experiment has: fields that are its settings, `run`, and a result of charts, tables and sentences."""

from __future__ import annotations

import html
import inspect
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, dataclass_transform

import numpy as np
import pandas as pd

from rfviz.cache import Cache
from rfviz.errors import ParameterError, require
from rfviz.experiments.data import NO_DATA, Data, as_data
from rfviz.experiments.work import Work
from rfviz.features import FeatureMap, MapSpec
from rfviz.params import Param, annotation_of
from rfviz.progress import Progress

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "Chart",
    "Experiment",
    "ExperimentInParts",
    "ExperimentOnMap",
    "ExperimentWithoutData",
    "Maps",
    "Result",
    "experiment",
    "revision",
    "specs_of",
]

#: Feature maps, not fitted, or their specifications; an experiment keeps specifications.
Maps = Sequence[FeatureMap | MapSpec[FeatureMap]]

_ROWS_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart and the numbers that it shows; both are made when they are first asked for.

    Attributes
    ----------
    name : str
        Short, as in a file name: ``"saturation"``.
    plot : callable
        Returns the figure.
    table : callable
        Returns the numbers, one row an observation.
    alt : str
        What it shows, in one sentence, as alternative text.
    words : str
        What one sees in it, with its numbers, in Markdown.
    on_page : bool
        Whether the page draws it as it is; False where the page shows the same in another form.
    html : callable, optional
        Returns HTML that files show in place of the figure: text that can be read aloud, copied and wrapped.
    square : bool
        Whether to limit the plot area's height to its width; such charts stand next to each other.
    """

    name: str
    plot: Callable[[], go.Figure] = field(repr=False)
    table: Callable[[], pd.DataFrame] = field(repr=False)
    alt: str
    words: str = ""
    on_page: bool = True
    html: Callable[[], str] | None = field(default=None, repr=False)
    square: bool = False

    @cached_property
    def figure(self) -> go.Figure:
        """The figure, drawn once."""
        require("plotly", "A figure")
        return self.plot()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The numbers as a table, made once."""
        return self.table()


N = TypeVar("N")


@dataclass(frozen=True, eq=False)
class Result(Generic[N]):
    """What an experiment found: numbers, charts with their tables, and sentences. A notebook shows the main chart.

    Attributes
    ----------
    numbers : object
        All that was computed; each experiment says what it is.
    """

    experiment: Experiment[N]
    data: Data
    numbers: N = field(repr=False)
    _cache: Cache = field(repr=False)

    @cached_property
    def charts(self) -> Mapping[str, Chart]:
        """All charts by their names, the main one first; each is drawn when it is first asked for."""
        return {chart.name: chart for chart in self.experiment.charts(self.data, self.numbers, self._cache)}

    def chart(self, name: str | None = None) -> Chart:
        """Return one of the charts, the main one by default.

        Raises
        ------
        ParameterError
            If the result has no chart of that name.
        """
        if name is None:
            return next(iter(self.charts.values()))
        if name not in self.charts:
            raise ParameterError("chart", f"must be one of {', '.join(map(repr, self.charts))}", name)
        return self.charts[name]

    def to_frame(self, chart: str | None = None) -> pd.DataFrame:
        """Return the numbers of a chart, the main one by default, one row an observation."""
        return self.chart(chart).frame

    def figure(self, chart: str | None = None) -> go.Figure:
        """Return the figure of a chart, the main one by default."""
        return self.chart(chart).figure

    def summary(self) -> str:
        """Say in one sentence what the main chart shows."""
        return self.chart().alt

    def _repr_html_(self) -> str:
        # With the script of Plotly in it: a saved picture is seen without a network.
        chart = self.chart()
        picture = chart.figure.to_html(full_html=False, include_plotlyjs=True)
        table = chart.frame.head(_ROWS_SHOWN).to_html(float_format="{:.4g}".format, na_rep="–", border=0)
        return f"<p>{html.escape(chart.alt)}</p>{picture}{table}"

    def _ipython_display_(self) -> None:
        # Jupyter has Plotly's script already: a notebook stays small.
        from IPython.display import display  # pyright: ignore[reportMissingImports] - who calls this has it

        chart = self.chart()
        for part in (chart.alt, chart.figure, chart.frame):
            display(part)


class Experiment(ABC, Generic[N]):
    """Settings that can be run on data. Subclasses are frozen dataclasses, made by ``@experiment``.

    Equal experiments have equal hashes: an experiment is part of the key of its results in a cache. Its ``repr`` is
    Python that makes it again.

    Attributes
    ----------
    params : tuple of Param
        Rules of the fields of the same names; every value is checked against them when the experiment is made.
    question : str
        What it answers.
    """

    params: ClassVar[tuple[Param, ...]] = ()
    question: ClassVar[str]

    def __post_init__(self) -> None:
        """Freeze lists, take maps as their specifications, and check values by the rules of `params`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule.
        """
        rules = {param.name: param for param in self.params}
        for item in fields(self):  # pyright: ignore[reportArgumentType] - subclasses are dataclasses
            value = _frozen(getattr(self, item.name))
            object.__setattr__(self, item.name, rules[item.name].validate(value) if item.name in rules else value)

    def run(self, data: Any, *, cache: Cache | None = None, progress: Progress | None = None) -> Result[N]:
        """Run the experiment.

        Parameters
        ----------
        data : str, Dataset, DataFrame or array of shape (n_samples, n_features)
            The name of a data set with its default settings, a data set, a table (prepared as
            :func:`rfviz.datasets.from_frame` does by default), or numbers without labels.
        cache : Cache, optional
            Remembers results and the steps that several experiments share; by default nothing is remembered.
        progress : callable, optional
            ``progress(share, text)``, called now and then; it may raise to stop.

        Raises
        ------
        RfvizError
            If it cannot be done, in one sentence.
        """
        return self._run(as_data(data), cache, progress)

    def _run(self, data: Data, cache: Cache | None, progress: Progress | None) -> Result[N]:
        found = _reporting(cache, progress)
        return Result(self, data, self.compute(data, found), found)

    @abstractmethod
    def compute(self, data: Data, cache: Cache) -> N:
        """Return the numbers, computed through a cache by module-level functions of hashable arguments."""

    @abstractmethod
    def charts(self, data: Data, numbers: N, cache: Cache) -> tuple[Chart, ...]:
        """Return the charts of these numbers, the main one first."""

    def __repr__(self) -> str:
        """Return Python source that makes an equal experiment."""
        from rfviz.experiments.source import source

        return source(self)


class ExperimentWithoutData(Experiment[N]):
    """Settings of an experiment that makes its own points."""

    def run(self, data: None = None, *, cache: Cache | None = None, progress: Progress | None = None) -> Result[N]:
        """Run the experiment; see :meth:`Experiment.run`.

        Raises
        ------
        ParameterError
            If data are given.
        """
        if data is not None:
            raise ParameterError("data", f"must be left out: {type(self).__name__} makes its own points", data)
        return self._run(NO_DATA, cache, progress)


class ExperimentInParts(Experiment[N]):
    """Settings of a long experiment, whose result grows part by part."""

    @abstractmethod
    def work(self, data: Data, cache: Cache) -> Work:
        """Return all parts that are to be computed; computes none of them.

        Raises
        ------
        RfvizError
            If there is nothing to compute.
        """

    @abstractmethod
    def collect(self, data: Data, work: Work, cache: Cache) -> N:
        """Return the numbers of the parts that are done."""

    def compute(self, data: Data, cache: Cache) -> N:
        """Compute all parts; what stopped some of them is a warning.

        Raises
        ------
        RfvizError
            If no part could be computed.
        """
        work = self.work(data, cache)
        work.complete(cache.progress)
        return self.collect(data, work, cache)

    def parts(self, data: Any, *, cache: Cache | None = None, progress: Progress | None = None) -> Iterator[Result[N]]:
        """Run the experiment and yield a result after each part; the last is that of :meth:`run`.

        The first result has the parts of the cache. Parts not asked for are not computed: stop when you know enough.

        Parameters
        ----------
        data, cache, progress
            See :meth:`Experiment.run`.

        Raises
        ------
        RfvizError
            If it cannot be done, in one sentence. What stopped some of the parts is a warning.
        """
        found, cache = as_data(data), _reporting(cache, progress)
        work = self.work(found, cache)
        any_left = bool(work.missing())
        for _ in work.steps(cache.progress):
            if not work.is_empty:
                yield Result(self, found, self.collect(found, work, cache), cache)
        work.tell_failures()
        if not any_left:
            yield Result(self, found, self.collect(found, work, cache), cache)


E = TypeVar("E", bound=Experiment[Any])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def experiment(cls: type[E]) -> type[E]:
    """Make a class of experiments a frozen dataclass that keeps the ``repr`` of :class:`Experiment`."""
    made = dataclass(frozen=True, repr=False, kw_only=True)(cls)
    # The constructor has the fields of classes of other modules, too, whose annotations name what only these import.
    arguments = inspect.get_annotations(made.__init__)
    for base in reversed(made.__mro__):
        hints = inspect.get_annotations(base)
        arguments |= {name: annotation_of(hints[name], base) for name in hints.keys() & arguments.keys()}
    made.__init__.__annotations__ = arguments
    return made


@experiment
class ExperimentOnMap(Experiment[N]):
    """Settings of an experiment on one feature map, which is given with its number of features."""

    feature_map: FeatureMap | MapSpec[FeatureMap]

    @property
    def spec(self) -> MapSpec[FeatureMap]:
        """The map as a specification."""
        return specs_of([self.feature_map])[0]

    @property
    def law(self) -> MapSpec[FeatureMap]:
        """The map without its number of features."""
        return self.spec.without("n_components")

    @property
    def m(self) -> int:
        """The number of features."""
        return self.spec.get("n_components")


def specs_of(maps: Maps) -> tuple[MapSpec[FeatureMap], ...]:
    """Return feature maps as their specifications."""
    return tuple(item if isinstance(item, MapSpec) else MapSpec.of(item) for item in maps)


def revision(*parts: Any) -> str:
    """Return a short text that differs where the parts do: while it stays the same, a chart keeps its zoom."""
    return f"{zlib.crc32(repr(parts).encode()):08x}"


def _reporting(cache: Cache | None, progress: Progress | None) -> Cache:
    """Return the cache, or a new one, with reports of progress to the caller."""
    cache = Cache() if cache is None else cache
    return cache if progress is None else cache.with_progress(progress)


def _frozen(value: Any) -> Any:
    if isinstance(value, FeatureMap):
        return MapSpec.of(value)
    if isinstance(value, np.ndarray):
        return _frozen(value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    return value.item() if isinstance(value, np.generic) else value
