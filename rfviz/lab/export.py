"""What can be taken away from a page: pictures, numbers, features."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pandas as pd
from scipy import sparse

from rfviz.backend import gigabytes, to_host
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.base import Chart
from rfviz.features import FeatureMap
from rfviz.figures.plotly_js import kinds_of, needed_script
from rfviz.figures.traces import plotly_json
from rfviz.lab.growing_npz import GrowingNpz
from rfviz.lab.page import MapExport
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.datasets.files import PreparedRows

__all__ = [
    "MOST_BYTES",
    "PLOTLY_CONFIG",
    "escaped",
    "feature_bytes",
    "features_in_memory",
    "write_chart",
    "write_csv",
    "write_features",
    "write_html",
    "write_parquet",
]

#: Of pictures that leave the app: no button that would send their data to a server of strangers.
PLOTLY_CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["sendChartToCloud"]}
#: Largest file of features that the app gives: it is held in memory on its way to the browser.
MOST_BYTES = 500_000_000


def write_html(figure: go.Figure, title: str = "") -> str:
    """Return a figure as a page that opens offline, and zooms and shows its numbers as in the app."""
    import plotly.graph_objects as go

    shown = go.Figure(figure.to_dict())
    shown.update_layout(template="plotly_white")
    plotly = needed_script(kinds_of(shown))
    chart = shown.to_html(include_plotlyjs=False, full_html=False, config=PLOTLY_CONFIG)
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{escaped(title)}</title>'
        f"<script>{plotly.text}</script></head><body>{chart}</body></html>\n"
    )


def _text_page(body: str, title: str) -> str:
    style = "body { font: 16px/1.45 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escaped(title)}</title>'
        f"<style>{style}</style></head><body>{body}</body></html>\n"
    )


def write_csv(frame: pd.DataFrame) -> str:
    """Return a table as text with commas, numbers in full precision."""
    return frame.to_csv(index=False)


def write_parquet(frame: pd.DataFrame) -> bytes:
    """Return a table as an Apache Parquet file; columns of mixed types become text."""
    buffer = io.BytesIO()
    plain = frame.rename(columns=str)
    for name in [name for name in plain if plain[name].dtype == object]:
        if len({type(value) for value in plain[name].dropna()}) > 1:
            plain[name] = plain[name].astype(str)
    plain.to_parquet(buffer, index=False)
    return buffer.getvalue()


def write_chart(chart: Chart, folder: Path) -> list[Path]:
    """Write a chart's page, its Plotly figure as JSON, and its numbers as CSV to a folder.

    Returns
    -------
    list of Path
        The files.
    """
    files = {
        f"{chart.name}.html": _text_page(chart.html(), chart.alt)
        if chart.html
        else write_html(chart.figure, chart.alt),
        f"{chart.name}.json": plotly_json(chart.figure.to_dict()),
        f"{chart.name}.csv": write_csv(chart.frame),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def feature_bytes(found: MapExport, rows: int | None = None, all_rows: bool = False) -> int:
    """Return the bytes that the features of the first `rows` points take, or of all; see :func:`write_features`."""
    n = found.X.shape[0] if rows is None else min(rows, found.X.shape[0])
    if all_rows and found.all_rows is not None:
        n = len(found.all_rows)
    # A sparse feature is one entry: its value, its column, and a share of the ends of rows.
    each = np.dtype(found.feature_map.dtype).itemsize + (8 if found.feature_map.sparse_output else 0)
    return n * found.feature_map.n_components * each


def write_features(
    found: MapExport,
    target: str | Path | BinaryIO,
    rows: int | None = None,
    all_rows: bool = False,
    progress: Progress = silent,
) -> FeatureMap:
    """Compute features and write them as an NPZ file, block by block, so that they need not fit into memory.

    Parameters
    ----------
    found : MapExport
        Fitted here on all its points.
    target : path or binary file
        Gets ``Phi`` of shape (rows, n_components); of a sparse map ``data``, ``indices``, ``indptr``, ``shape`` as
        :func:`scipy.sparse.load_npz` reads them; also ``y``, labels, and ``target_names``, the names of classes, if
        there are any; and of all rows of a table ``rows``, their places in it, from 0, if some cannot be used.
        Nothing in it is pickled. A path gets the whole file or none; a binary file is open for writing.
    rows : int, optional
        Only this number of points, from the first.
    all_rows : bool
        Whether to map all rows of the table that the points were drawn from, if they were.
    progress : callable
        Told how many rows of the table are read; may raise to stop.

    Returns
    -------
    FeatureMap
        The fitted map.

    Raises
    ------
    DataError
        If the file cannot be written, or as :meth:`rfviz.datasets.files.PreparedRows.batches`.
    """
    feature_map = found.feature_map.fit(found.X)
    table = found.all_rows if all_rows else None
    X = found.X if rows is None else found.X[:rows]
    y, names = found.labels
    if table is None:
        batches = iter([Dataset("", X, None if y is None else y[: len(X)])])
    else:
        batches, names = table.batches(progress), table.target_names
    if not isinstance(target, str | Path):
        _write(feature_map, batches, table, X, names, target, None)
        return feature_map
    path = Path(target)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            _write(feature_map, batches, table, X, names, file, path.parent)
        part.replace(path)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written ({error.strerror}), and nothing of it is left. Make room, or write elsewhere."
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return feature_map


def _write(
    feature_map: FeatureMap,
    batches: Iterable[Dataset],
    table: PreparedRows | None,
    X: Any,
    target_names: tuple[str, ...],
    target: BinaryIO,
    folder: Path | None,
) -> None:
    """Write the features of blocks, prepared as `X`, and what else is known of their rows."""
    n_expected = X.shape[0] if table is None else len(table)
    with GrowingNpz(folder) as file:
        n_rows = n_columns = 0
        for batch in batches:
            for Phi in map(to_host, feature_map.transform_blocks(batch.X.astype(X.dtype, copy=False))):
                n_rows, n_columns = n_rows + Phi.shape[0], Phi.shape[1]
                _append(file, Phi)
            if table is not None:
                file.append("rows", batch.row_numbers)
            if batch.y is not None:
                file.append("y", batch.y)
        if not n_rows:
            raise DataError("No row of the table can be used. Fill missing values in, or choose other columns.")
        if feature_map.sparse_output:
            file.append("shape", np.array([n_rows, n_columns]))
            file.append("format", np.array([b"csr"]))
        if table is not None and n_rows == n_expected:
            file.leave_out("rows")
        if target_names:
            file.append("target_names", np.array(target_names))
        file.save(target)


def _append(file: GrowingNpz, Phi: Any) -> None:
    if not sparse.issparse(Phi):
        file.append("Phi", Phi)
        return
    ends = file.length("data") + Phi.indptr.astype(np.int64)
    file.append("data", Phi.data)
    file.append("indptr", ends[1:] if file.length("indptr") else ends)
    file.append("indices", Phi.indices)


def features_in_memory(found: MapExport, rows: int | None = None, all_rows: bool = False) -> bytes:
    """Return the file of :func:`write_features` as bytes.

    Raises
    ------
    MemoryBudgetError
        If it would be larger than ``MOST_BYTES``.
    """
    needed = feature_bytes(found, rows, all_rows)
    if needed > MOST_BYTES:
        raise MemoryBudgetError(
            f"These features take {gigabytes(needed)}; a download may take {gigabytes(MOST_BYTES)}. Take a sample, or "
            "write them to a file with rfviz.lab.export.write_features."
        )
    buffer = io.BytesIO()
    write_features(found, buffer, rows, all_rows)
    return buffer.getvalue()


def escaped(text: str) -> str:
    """Escape text for HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
