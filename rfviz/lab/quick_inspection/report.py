"""A quick inspection without the laboratory: for a notebook, a script, a pipeline."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rfviz.analysis.profiles import TableProfile, read_compared
from rfviz.cache import Cache
from rfviz.datasets import DatasetSpec
from rfviz.datasets.files.frames import frame_of, with_label
from rfviz.datasets.files.own import own_spec_of
from rfviz.datasets.files.table import Table
from rfviz.datasets.files.upload import Upload, read_file, upload_of_frame
from rfviz.errors import DataError
from rfviz.experiments.base import Chart
from rfviz.inspection.drift import AUTOMATIC
from rfviz.inspection.finding import Finding, findings_html, records
from rfviz.inspection.profile import profile_table
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from rfviz.lab.quick_inspection.page import PAGE, QuickInspection
from rfviz.lab.report import Entry, write_report

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["InspectionReport", "inspect_table", "profile_of_data"]


class InspectionReport:
    """What a quick inspection found, with its pictures.

    Parameters
    ----------
    spec : DatasetSpec
        See :func:`rfviz.datasets.files.own.own_spec`.
    frame : DataFrame, optional
        What it was made of, for :meth:`rows` and :meth:`mask`.
    by : str, optional
        The column whose values say which rows are compared.
    only : str or sequence of str, optional
        Short names of the questions that are answered; by default all.
    axes : tuple of str
        Two columns of numbers, in whose plane the first picture shows the rows; by default principal components.

    Attributes
    ----------
    name : str
        Of the inspected data.
    label : object
        The name of the column of labels, or None if there is none.
    notes : tuple of str
        Notes on the file: the label, the order, and what the reader of the file concluded.
    """

    def __init__(
        self,
        spec: DatasetSpec,
        frame: pd.DataFrame | None = None,
        by: str = AUTOMATIC,
        only: str | Iterable[str] = (),
        axes: tuple[str, ...] = (),
    ) -> None:
        self._frame, self._cache = frame, Cache()
        values = {"data": spec.name, "compare": by} | dict(zip(("across", "up"), axes, strict=False))
        panel, page = Preset(values, own=spec), QuickInspection(only)
        source = page.source(panel)
        self._page = compute(page, source, page.settings(panel, source), self._cache)
        self._inspection = source.inspect(self._cache)
        self.name = source.dataset.name
        self.label, self.notes = self._inspection.label, self._page.result.notes

    @property
    def findings(self) -> pd.DataFrame:
        """One row per question, the most urgent first: its name, status, text, rows, columns and remedy.

        The status is ``"fine"``, ``"look"`` (worth a look), ``"warning"`` or ``"unknown"``. Rows are positions from 0,
        as ``df.iloc`` takes them; the sentences count rows from 1. The remedy is Python that mends it, an expression of
        the table ``df`` (see :attr:`frame`) and the ``report``; empty if there is none.
        """
        return pd.DataFrame(records(self._found), columns=["name", "status", "text", "rows", "columns", "remedy"])

    @property
    def claims(self) -> pd.DataFrame:
        """One row per claim: the finding, the kind, columns, value, n_rows, least, of, rows.

        ``n_rows`` are the rows that it was computed on, ``least`` the smallest value that would have been told; see
        :class:`rfviz.inspection.finding.Claim`.
        """
        names = ["finding", "what", "columns", "value", "n_rows", "least", "of", "rows"]
        made = [{"finding": f.key, **claim.record()} for f in self._found for claim in f.claims]
        return pd.DataFrame(made, columns=names, dtype=object)  # values stay whole, and None stays None

    @property
    def frame(self) -> pd.DataFrame:
        """The table that was inspected: as it was given, or as its file was read, all rows and columns."""
        return self._rows(np.arange(self._n_rows)) if self._frame is None else self._frame

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the findings with their claims and the notes on the file, and write them to a file if asked."""
        text = json.dumps(self._inspection.record(self._found), ensure_ascii=False, indent=1, default=str)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def mask(self, name: str) -> np.ndarray:
        """Return which rows a finding is about, whatever their index: ``df[~report.mask("copies")]`` leaves them out.

        Returns
        -------
        ndarray of bool, shape (n_rows,)
            One for each row of the table, the array or the file, or of the rows drawn from a table in parts.
        """
        found = np.zeros(self._n_rows, dtype=bool)
        found[self._finding(name).rows - 1] = True
        return found

    def rows(self, name: str) -> pd.DataFrame:
        """Return the rows that a finding is about, as the data have them.

        Their index is that of the DataFrame that was inspected; of a file, positions from 0.
        """
        return self._rows(self._finding(name).rows - 1)

    def _rows(self, places: np.ndarray) -> pd.DataFrame:
        if self._frame is not None:
            return self._frame.iloc[places]
        raw, dataset = self._inspection.raw, self._inspection.source.dataset
        held = np.searchsorted(dataset.row_numbers, places) if dataset.image_shape else places
        cells = raw.cells(list(raw.table.names), held).set_index(places)
        return cells.set_axis([raw.table.own_name(name) for name in raw.table.names], axis=1)

    def figure(self, name: str) -> go.Figure:
        """Return a picture by its name; an unknown one raises a DataError that lists them all."""
        if name not in self._charts:
            raise DataError(f"There is no figure {name!r}. Known: {', '.join(self._charts)}.")
        return self._charts[name].figure

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the findings and all pictures as one page that opens offline, and write it to a file if asked."""
        page = PAGE.entry
        entry = Entry(page.slug, page.title, page.question, {"data": self.name}, tuple(self._charts.values()))
        text = write_report([entry], time.strftime("on %d %B %Y at %H:%M"))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def __repr__(self) -> str:
        said = (f"{finding}\n    {finding.remedy}" if finding.remedy else str(finding) for finding in self._found)
        return "\n".join([*self.notes, *said])

    def _repr_html_(self) -> str:
        return findings_html(self._found, " ".join(self.notes))

    @property
    def _found(self) -> Sequence[Finding]:
        return self._page.result.findings

    def _finding(self, name: str) -> Finding:
        for finding in self._found:
            if finding.key == name:
                return finding
        raise DataError(f"There is no finding {name!r}. Known: {', '.join(f.key for f in self._found)}.")

    @property
    def _n_rows(self) -> int:
        if self._frame is not None:
            return len(self._frame)
        origin = self._inspection.source.dataset.origin
        return self._inspection.raw.table.n_rows if origin is None else origin.table.n_rows

    @cached_property
    def _charts(self) -> Mapping[str, Chart]:
        return {chart.name: chart for chart in self._page.charts}


def inspect_table(
    data: Any,
    label: Any = None,
    order: Any = None,
    leave_out: Any = (),
    table: str = "",
    compare: Any = None,
    only: str | Iterable[str] = (),
    axes: Iterable[Any] = (),
) -> InspectionReport:
    """Inspect a table; see :func:`rfviz.inspect`.

    Raises
    ------
    DataError
        If it is not a table, or too few rows or columns can be used.
    """
    frame = None
    if isinstance(data, (str, Path)):
        if not isinstance(label, Hashable):
            raise DataError("label must name a column of the file. Put the labels into the file, or read it first.")
        upload = read_file(Path(data).expanduser(), table)
    else:
        frame, notes = frame_of(data)
        frame, label = with_label(frame, label)
        upload = upload_of_frame(frame, notes=notes)
    chosen = {"label": label, "order": order, "leave_out": _several(upload.table, leave_out)}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if label is False:
        chosen["label"] = None
    other, by = _other(compare, upload)
    plane = tuple(upload.table.find(name) for name in axes)
    if len(plane) not in (0, 2):
        raise DataError(f"axes must name two columns, not {len(plane)}: what runs across, and what runs up.")
    return InspectionReport(own_spec_of(upload, chosen, other), frame, by, only, plane)


def profile_of_data(data: Any, name: str, table: str = "") -> TableProfile:
    """Return the profile of a table; see :func:`rfviz.profile`.

    Raises
    ------
    DataError
        If it is not a table, or has no column of numbers or categories, or fewer than 40 rows.
    """
    if isinstance(data, (str, Path)):
        upload = read_file(Path(data).expanduser(), table)
        return profile_table(upload.table, upload.name)
    frame, notes = frame_of(data)
    return profile_table(upload_of_frame(frame, name, notes=notes).table, name)


def _several(table: Table, names: Any) -> tuple[Any, ...]:
    """Return the names of columns to leave out, of which one alone may be given: a tuple may be one."""
    is_one = isinstance(names, (str, bytes)) or not isinstance(names, Iterable)
    is_tuple = isinstance(names, tuple) and names in set(table.own_names.values())
    return (names,) if is_one or is_tuple else tuple(names)


def _other(compare: Any, upload: Upload) -> tuple[Upload | TableProfile | None, str]:
    """Return the other table that the data are compared with, or the column of theirs that says what is compared."""
    if compare is None:
        return None, AUTOMATIC
    if isinstance(compare, TableProfile):
        return compare, AUTOMATIC
    if not isinstance(compare, (str, Path)):
        try:
            return None, upload.table.find(compare)
        except DataError:
            frame, notes = frame_of(compare)
            return upload_of_frame(frame, "the other table", notes=notes), AUTOMATIC
    try:
        return None, upload.table.find(compare)
    except DataError as error:
        path = Path(compare).expanduser()
        if path.exists():
            return read_compared(path), AUTOMATIC
        raise DataError(f"{str(error).rstrip('.')}. Nor is it the path of a file.") from None
