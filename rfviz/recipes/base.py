"""The contract of a recipe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import pandas as pd
import plotly.graph_objects as go

from rfviz.analysis.progress import Progress, silent
from rfviz.features import FeatureMap
from rfviz.lab.panel import Panel

__all__ = ["Bench", "Chart", "Keeper", "MapOn", "Recipe"]

R = TypeVar("R")
Source, Settings, Result = TypeVar("Source"), TypeVar("Settings"), TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Chart:
    """A picture and the numbers it was drawn from.

    Attributes
    ----------
    name : str
        Short, as in a file name: ``"saturation"``.
    figure : plotly.graph_objects.Figure
    frame : DataFrame
        What it shows, one row an observation.
    alt : str
        What it shows, in one sentence, for those who cannot see it.
    words : str
        What one sees in it, with its numbers, in Markdown.
    on_page : bool
        Whether the page draws it too, as it does but for what stands there in another form.
    """

    name: str
    figure: go.Figure = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    alt: str
    words: str = ""
    on_page: bool = True


@dataclass(frozen=True, eq=False)
class MapOn:
    """A feature map of a page, not yet fitted, and the points it is fitted on there: for export.

    Attributes
    ----------
    label : str
    feature_map : FeatureMap
    X : array of shape (n_samples, n_features)
    """

    label: str
    feature_map: FeatureMap
    X: Any = field(repr=False)


class Keeper(Protocol):
    """Computes, and remembers what was computed; in the app this is the module :mod:`rfviz.ui.results`."""

    def kept(self, shelf: str, key: Hashable, compute: Callable[[], R], most: int = 32) -> R:
        """What ``compute()`` gives, from memory where this `key` was seen before on this `shelf`."""

    def watched(self, shelf: str, key: Hashable, compute: Callable[[Progress], R], most: int = 32) -> R:
        """The same of ``compute(progress)``, which takes long enough to be watched."""

    def known(self, shelf: str, key: Hashable) -> Any:
        """What was computed before, or None; nothing is computed."""

    def warnings_of(self, shelf: str, keys: Iterable[Hashable]) -> str:
        """What those results warned of that are known."""


class Bench:
    """A keeper without a page.

    Parameters
    ----------
    progress : callable, optional
        ``progress(share, text)``, told what is going on.
    """

    def __init__(self, progress: Progress = silent) -> None:
        self.progress = progress
        self._results: dict[Hashable, Any] = {}

    def kept(self, shelf: str, key: Hashable, compute: Callable[[], R], most: int = 32) -> R:
        """See :class:`Keeper`; everything is remembered for as long as the bench lives."""
        if (shelf, key) not in self._results:
            self._results[shelf, key] = compute()
        return self._results[shelf, key]

    def watched(self, shelf: str, key: Hashable, compute: Callable[[Progress], R], most: int = 32) -> R:
        """See :class:`Keeper`."""
        return self.kept(shelf, key, lambda: compute(self.progress))

    def known(self, shelf: str, key: Hashable) -> Any:
        """See :class:`Keeper`."""
        return self._results.get((shelf, key))

    def warnings_of(self, shelf: str, keys: Iterable[Hashable]) -> str:
        """Nothing: whoever listens while a bench computes hears of it then."""
        return ""


class Recipe(ABC, Generic[Source, Settings, Result]):
    """What a page does: four steps, of which a page in the browser and ``rfviz run`` each do all.

    Attributes
    ----------
    slug : str
        The page's place in the address.
    presets : mapping
        Label of each preset to what it shows, in one sentence, and the values it sets.
    own_file : bool
        Whether ``rfviz run`` with a folder of the reader's looks at the file in it where no data set is named.
    """

    slug: ClassVar[str]
    own_file: ClassVar[bool] = False
    presets: ClassVar[Mapping[str, tuple[str, Mapping[str, Any]]]] = {}

    @abstractmethod
    def source(self, panel: Panel) -> Source:
        """What is computed on: the data and what is done to them before; the controls of the sidebar."""

    @abstractmethod
    def settings(self, panel: Panel, source: Source) -> Settings:
        """All other settings; the controls beside the chart."""

    @abstractmethod
    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Result:
        """The computation.

        Raises
        ------
        RfvizError
            If it cannot be done: in one sentence.
        """

    @abstractmethod
    def charts(self, source: Source, settings: Settings, result: Result) -> tuple[Chart, ...]:
        """The pictures of a result, the main one first."""

    @abstractmethod
    def script(self, source: Source, settings: Settings) -> str:
        """Python that does all of it without the app.

        It ends with the names ``frames`` and ``figures``, dictionaries by the charts' names, and shows the figures.
        """

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        """The feature maps of the page with their points, where there are any worth exporting."""
        return ()
