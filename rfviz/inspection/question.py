"""What a quick inspection asks of a table: each question with its answer, its sentence and its pictures."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

import pandas as pd

from rfviz.datasets.files.table import Table
from rfviz.inspection.finding import Claim, Claims, Finding

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["SCORES", "Computation", "Picture", "Question", "without_columns"]

Result = TypeVar("Result")
#: Formats of cross-validated scores.
SCORES = {"right labels": "%.4f", "R²": "%.4f"}


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture of an answer, which is drawn when it is asked for.

    Attributes
    ----------
    name : str
        Of its file.
    result : object
        The answer.
    plot : callable
        Draws it: ``plot(result, revision)``. A user's zoom survives while the revision stays the same.
    words : str
        What it shows, as alternative text.
    explanation : str
        What one sees in it.
    table : callable, optional
        Returns the numbers that it draws; by default those of the answer.
    """

    name: str
    result: Any
    plot: Callable[[Any, str], go.Figure]
    words: str
    explanation: str = ""
    table: Callable[[], pd.DataFrame] | None = None

    def figure(self, revision: str = "") -> go.Figure:
        """Draw it."""
        return self.plot(self.result, revision)

    def frame(self) -> pd.DataFrame:
        """Return the numbers that it draws."""
        return self.result.to_frame() if self.table is None else self.table()


@dataclass(frozen=True)
class Computation(ABC):
    """Something that is computed of the data, once, and remembered; its class and its fields are its key.

    Attributes
    ----------
    settings : tuple of str
        The fields of :class:`rfviz.inspection.inspection.InspectedData`, next to the data, that it depends on. It sees
        the defaults of all others, so that changing one of those computes nothing anew.
    """

    settings: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def compute(self, inspection: Inspection) -> Any:
        """Return the result.

        Raises
        ------
        RfvizError
            If these data cannot give it: in one sentence.
        """


class Question(Computation, Generic[Result]):
    """A question of a quick inspection.

    :data:`rfviz.inspection.questions.QUESTIONS` lists them in the order in which they are answered. The page, the
    report, the command line and a notebook show whatever is there.

    Attributes
    ----------
    name : str
        Its title.
    key : str
        Its short name, for programs, which stays though the title changes.
    method : str
        How the answer is found, in Markdown; empty if the sentence says it.
    formats : mapping
        Formats of numbers in the table of the answer, by their column.
    on_request : bool
        Whether it is answered only if it is asked for by its name: it is about models more than about the data.
    cost : int
        Its place among all by what it takes: the page asks the cheapest first, those of 0 before it draws its maps.
    leaves_out : {"", "rows", "columns"}
        What its remedy leaves out: the rows or the columns that a finding worth a look is about, or nothing.
    kinds : mapping of str to str
        The kinds of claims that it makes, and how each is computed from the cells of the file, so that another program
        can check them.
    """

    name: ClassVar[str]
    key: ClassVar[str]
    method: ClassVar[str] = ""
    formats: ClassVar[Mapping[str, str]] = {}
    kinds: ClassVar[Mapping[str, str]] = {}
    on_request: ClassVar[bool] = False
    cost: ClassVar[int] = 0
    leaves_out: ClassVar[Literal["", "rows", "columns"]] = ""

    def applies(self, inspection: Inspection) -> bool:
        """Return whether it makes sense to ask it of these data."""
        return True

    @abstractmethod
    def compute(self, inspection: Inspection) -> Result | None:
        """Return the answer, or None if there is nothing to say.

        Raises
        ------
        RfvizError
            If these data cannot answer: the sentence is then the finding.
        """

    @abstractmethod
    def claims(self, result: Result, inspection: Inspection) -> Iterable[Claim]:
        """Return what the answer claims of the data; columns as the table names them."""

    @abstractmethod
    def describe(self, claims: Claims, inspection: Inspection) -> Finding | None:
        """Return the answer in a sentence that says nothing but its claims, or None if there is nothing to say."""

    def remedy(self, finding: Finding, inspection: Inspection) -> str:
        """Return Python that mends the finding; see :class:`rfviz.inspection.finding.Finding`.

        Columns of the finding are named as in the table that was read.
        """
        if finding.status not in ("warning", "look") or inspection.has_images:
            return ""
        if self.leaves_out == "rows" and len(finding.rows):
            return f'df[~report.mask("{self.key}")]'
        if self.leaves_out == "columns" and finding.columns:
            return without_columns(inspection.raw.table, finding.columns)
        return ""

    def pictures(self, result: Result) -> Iterable[Picture]:
        """Return what there is to draw."""
        return ()

    def numbers(self, result: Result) -> pd.DataFrame:
        """Return the table below the pictures; without rows, and without pictures, the sentence is all."""
        return result.to_frame()  # pyright: ignore[reportAttributeAccessIssue]

    def note(self, result: Result) -> str:
        """Return what stands below that table."""
        return ""

    def say(self, status: str, text: str, page: str = "", values: Mapping[str, Any] | None = None) -> Finding:
        """Return a finding of this question; see :class:`rfviz.inspection.finding.Finding`."""
        return Finding(self.name, self.key, status, text, page, values or {})


def without_columns(table: Table, columns: Iterable[str]) -> str:
    """Return Python that leaves columns out: by their names, or by their places where these do not tell them apart."""
    names = [table.own_name(name) for name in columns]
    own = [table.own_name(name) for name in table.names]
    if all(isinstance(name, str) and own.count(name) == 1 for name in names):
        return f"df.drop(columns={json.dumps(names, ensure_ascii=False)})"
    places = [table.names.index(name) for name in columns]
    return f"df.iloc[:, [place for place in range(df.shape[1]) if place not in {places!r}]]"
