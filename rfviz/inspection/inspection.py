"""The quick inspection of one data set: its rows as questions need them, their answers, and the findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, overload

from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.datasets.files.suggest import said_of_label
from rfviz.errors import DataError, RfvizError
from rfviz.features import FeatureMap, MapSpec
from rfviz.inspection.drift import AUTOMATIC
from rfviz.inspection.finding import Claims, Finding, records
from rfviz.inspection.maps import MapResult, Maps, feature_specs
from rfviz.inspection.question import Computation, Picture, Question
from rfviz.inspection.questions import QUESTIONS, keys_of
from rfviz.inspection.raw import Raw, RowCounts, Whole, count_rows, raw_of, whole_of_table
from rfviz.inspection.sample import MAP_ROWS, WORK_ROWS, Sample, scaling_of, take_sample
from rfviz.progress import Progress
from rfviz.words import counted

__all__ = ["InspectedData", "Inspection"]


class ChosenData(Protocol):
    """Data that were chosen somewhere: a hashable object, for it is part of the keys of a cache."""

    @property
    def dataset(self) -> Dataset:
        """The data set."""
        ...


R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
D = TypeVar("D", bound=ChosenData)


@dataclass(frozen=True)
class _Given:
    """A data set that has no name of its own: equal to the same object alone."""

    dataset: Dataset


@dataclass(frozen=True)
class InspectedData(Generic[D]):
    """Data, how their rows are scaled, the seed of the maps' features, and the rows that are compared.

    Attributes
    ----------
    normalise : str
        See :data:`rfviz.inspection.sample.SCALING`.
    compare : str
        See :func:`rfviz.inspection.drift.inspect_drift`.
    asked : tuple of str
        Short names of the questions that are asked; empty for all that are not on request.
    also : tuple of str
        Short names of questions on request that are asked next to these.
    axes : tuple of str
        Two columns of numbers, in whose plane the first map shows the rows; empty for principal components.
    """

    data: D
    normalise: str = "automatic"
    seed: int = 0
    compare: str = AUTOMATIC
    asked: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()

    @property
    def dataset(self) -> Dataset:
        return self.data.dataset

    def only(self, names: tuple[str, ...]) -> InspectedData[D]:
        """Return the same data with the settings that are named; all others have their default."""
        others = {field.name: field.default for field in fields(self) if field.name not in ("data", *names)}
        return replace(self, **others)

    def inspect(self, cache: Cache) -> Inspection:
        """Return the inspection, which computes what it is asked for."""
        return Inspection(self.data, self.normalise, self.seed, cache, self.compare, self.asked, self.also, self.axes)


class _Computes(Protocol[R_co]):
    """A :class:`Computation`, of which only the type of its result counts."""

    def compute(self, inspection: Inspection) -> R_co: ...


class Inspection:
    """Questions to one data set: to all rows of its file, or where distances or learning are asked for, to a sample.

    Parameters
    ----------
    data : Dataset or ChosenData
    how : str
        See :data:`rfviz.inspection.sample.SCALING`.
    seed : int
        Of the maps' features.
    cache : Cache, optional
        One of its own by default.
    compare : str
        Which rows are compared, see :func:`rfviz.inspection.drift.inspect_drift`.
    only : str or sequence of str
        Short names of the questions that are asked, see :func:`rfviz.inspection.questions.keys_of`; by default all
        that are not on request.
    also : str or sequence of str
        Likewise, of questions on request that are asked next to these.
    axes : sequence of str
        See :class:`InspectedData`.
    """

    def __init__(
        self,
        data: Dataset | ChosenData,
        how: str = "automatic",
        seed: int = 0,
        cache: Cache | None = None,
        compare: str = AUTOMATIC,
        only: str | Iterable[str] = (),
        also: str | Iterable[str] = (),
        axes: Sequence[str] = (),
    ) -> None:
        chosen = _Given(data) if isinstance(data, Dataset) else data
        how = scaling_of(chosen.dataset, how)
        self.source: InspectedData[Any] = InspectedData(
            chosen, how, seed, compare, keys_of(only), keys_of(also), tuple(axes)
        )
        self._cache = Cache() if cache is None else cache

    # --- the data ---------------------------------------------------------------------------------------------------

    @cached_property
    def raw(self) -> Raw:
        """The whole table, as the file has it."""
        return raw_of(self.source.dataset)

    @cached_property
    def rows(self) -> RowCounts:
        """How many rows there are, and how many of them can be used."""
        return count_rows(self.source.dataset)

    @property
    def has_images(self) -> bool:
        """Whether the rows are images."""
        return self.source.dataset.image_shape is not None

    @property
    def whole(self) -> Whole:
        """Prepared rows, of the whole table where there are more than were asked for."""
        return self.answer(_PreparedRows())

    @property
    def dataset(self) -> Dataset:
        """The same as a data set."""
        return self.whole.dataset

    def sample(self, most: int = WORK_ROWS) -> Sample:
        """Return at most this many rows, drawn and scaled."""
        return self.answer(_DrawnRows(most))

    def maps(self, feature_map: MapSpec[FeatureMap] | None = None) -> MapResult:
        """Return three maps of up to 1000 rows.

        Parameters
        ----------
        feature_map : MapSpec, optional
            Another map in the place of random maxout features; its seed is that of the inspection.
        """
        is_usual = feature_map is None or feature_map.replace(random_state=0) == feature_specs()[0]
        return self.answer(Maps(None if is_usual else feature_map, self.source.axes))

    def limits(self) -> str:
        """Return which rows were used, where these are not all."""
        rows = self.rows
        few, some = (len(self.sample(most).rows) for most in (MAP_ROWS, WORK_ROWS))
        if few == rows.n_all:
            return ""
        rest = "all" if some == rows.n_all else "the same" if some == few else f"{some:,}{rows.of_all(some)}"
        return f"The maps show {few:,} rows{rows.of_all(few)}; distances and neighbours are those of {rest}."

    @property
    def label(self) -> Any:
        """The name of the column of labels in its file, or None if there is none."""
        return None if self.raw.label is None else self.raw.table.own_name(self.raw.label)

    def notes(self) -> tuple[str, ...]:
        """Return notes on how the file was read: the label, the order, and what the reader of the file concluded."""
        origin = self.source.dataset.origin
        if origin is None:
            return ()
        how, said = origin.preparation, []
        said.append(said_of_label(origin.table, how.label, "label" in origin.guessed))
        if how.order is not None:
            is_guess = "order" in origin.guessed
            said.append(f"“{how.order}” {'was taken for' if is_guess else 'is'} the order of the rows.")
        if words := origin.table.missing_words:
            shown = ", ".join(f"“{word}” ({counted(n, 'cell')})" for word, n in words.items())
            said.append(f"Counted as missing, next to empty cells: {shown}.")
        return (*said, *origin.notes)

    def record(self, findings: Sequence[Finding]) -> dict[str, Any]:
        """Return findings, and notes on how the file was read, as plain objects for JSON."""
        origin, order = self.source.dataset.origin, self.raw.order
        used = {"label": self.label, "order": None if order is None else self.raw.table.own_name(order)}
        guessed = () if origin is None else origin.guessed
        return {
            "name": self.source.dataset.name,
            "rows": self.raw.n_rows,
            **used,
            "guessed": [part for part, name in used.items() if name is not None and part in guessed],
            "notes": list(self.notes()),
            "findings": records(findings),
        }

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def progress(self) -> Progress:
        """Where computations report how far they are."""
        return self._cache.progress

    @overload
    def answer(self, what: _Computes[R]) -> R: ...

    @overload
    def answer(self, what: str) -> Any: ...

    def answer(self, what: Any) -> Any:
        """Return the answer of a question, or of another computation: from memory where it was computed before.

        Parameters
        ----------
        what : Computation or str
            A question may be given by its short name, such as ``"leaks"``.

        Raises
        ------
        RfvizError
            If the data cannot answer it.
        """
        computation = self.question(what) if isinstance(what, str) else what
        return self._cache.call(computed, computation, self.source.only(computation.settings))

    def questions(self) -> tuple[Question[Any], ...]:
        """Return the questions that are asked and make sense for these data."""
        asked, also = self.source.asked, self.source.also
        chosen = [q for q in QUESTIONS if q.key in (*asked, *also) or not (asked or q.on_request)]
        return tuple(question for question in chosen if question.applies(self))

    def question(self, key: str) -> Question[Any]:
        """Return one of them by its short name.

        Raises
        ------
        DataError
            If none has that name; it lists them all.
        """
        known = {question.key: question for question in QUESTIONS if question.applies(self)}
        if key not in known:
            raise DataError(f"There is no question {key!r} of these data. Known: {', '.join(known)}.")
        return known[key]

    def findings(self) -> Iterator[Finding]:
        """Yield the findings, the quickest first."""
        for question in self.questions():
            finding = self.finding(question)
            if finding is not None:
                yield finding

    def finding(self, question: Question[Any] | str) -> Finding | None:
        """Return the finding of a question, given by itself or by its short name, or None if there is none.

        If the data cannot answer it, the finding is why.
        """
        question = self.question(question) if isinstance(question, str) else question
        claims = Claims()
        try:
            result = self.answer(question)
            if result is None:
                return None
            claims = Claims(question.claims(result, self))
            finding = question.describe(claims, self)
        except RfvizError as error:
            finding = question.say("unknown", str(error))
        if finding is None:
            return None
        finding = replace(finding, claims=claims)
        own_name, remedy = self.raw.table.own_name, question.remedy(finding, self)
        claims = Claims(replace(claim, columns=tuple(map(own_name, claim.columns))) for claim in claims)
        return replace(finding, columns=tuple(map(own_name, finding.columns)), claims=claims, remedy=remedy)

    def shown(self, question: Question[R]) -> R | None:
        """Return the answer of a question, or None if its sentence is all that there is to show."""
        try:
            result = self.answer(question)
        except RfvizError:  # the finding says why
            return None
        if result is None or not (any(question.pictures(result)) or len(question.numbers(result))):
            return None
        return result

    def pictures(self) -> Iterator[Picture]:
        """Yield the pictures of all answers."""
        for question in self.questions():
            result = self.shown(question)
            if result is not None:
                yield from question.pictures(result)


def computed(computation: Computation, source: InspectedData[Any], *, cache: Cache) -> Any:
    """Return what a computation gives of some data."""
    return computation.compute(source.inspect(cache))


class _PreparedRows(Computation):
    """Rows of the whole table, prepared."""

    def compute(self, inspection: Inspection) -> Whole:
        return whole_of_table(inspection.source.dataset)


@dataclass(frozen=True)
class _DrawnRows(Computation):
    """At most this many rows, drawn and scaled."""

    most: int
    settings = ("normalise",)

    def compute(self, inspection: Inspection) -> Sample:
        whole, how = inspection.whole, inspection.source.normalise
        return take_sample(whole.dataset, how, self.most, is_word=whole.is_word, exact=whole.exact)
