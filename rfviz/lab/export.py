"""What can be taken away from a page: pictures, numbers, features."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import sparse

from rfviz.backend import gigabytes, to_host
from rfviz.errors import MemoryBudgetError
from rfviz.features import FeatureMap
from rfviz.figures.plotly_js import kinds_of, needed_script
from rfviz.figures.plotly_json import plotly_json
from rfviz.lab.page import Chart, MapExport

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


def feature_bytes(found: MapExport, rows: int | None = None) -> int:
    """Return the bytes that the features of the first `rows` rows take, or of all."""
    n = found.X.shape[0] if rows is None else min(rows, found.X.shape[0])
    # A sparse feature is one entry: its value, its column, and a share of the ends of rows.
    each = np.dtype(found.feature_map.dtype).itemsize + (8 if found.feature_map.sparse_output else 0)
    return n * found.feature_map.n_components * each


def write_features(found: MapExport, target: str | Path | BinaryIO, rows: int | None = None) -> FeatureMap:
    """Compute features and write them as an NPZ file, block by block, so that they need not fit into memory.

    Parameters
    ----------
    found : MapExport
        Fitted here on all its points.
    target : path or binary file
        Gets ``Phi`` of shape (rows, n_components); of a sparse map ``data``, ``indices``, ``indptr``, ``shape`` as
        :func:`scipy.sparse.load_npz` reads them. Nothing in it is pickled.
    rows : int, optional
        Only the first so many.

    Returns
    -------
    FeatureMap
        The fitted map.
    """
    feature_map = found.feature_map.fit(found.X)
    X = found.X if rows is None else found.X[:rows]
    if feature_map.sparse_output:
        sparse.save_npz(target, sparse.csr_matrix(feature_map.transform(X)))
        return feature_map
    shape = (X.shape[0], feature_map.n_components)
    header = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(feature_map.dtype)),
        "fortran_order": False,
        "shape": shape,
    }
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
        archive.open("Phi.npy", "w", force_zip64=True) as member,
    ):
        np.lib.format.write_array_header_2_0(member, header)
        for block in feature_map.transform_blocks(X):
            member.write(np.ascontiguousarray(to_host(block)).tobytes())
    return feature_map


def features_in_memory(found: MapExport, rows: int | None = None) -> bytes:
    """Return the file of :func:`write_features` as bytes.

    Raises
    ------
    MemoryBudgetError
        If it would be larger than ``MOST_BYTES``.
    """
    needed = feature_bytes(found, rows)
    if needed > MOST_BYTES:
        raise MemoryBudgetError(
            f"These features take {gigabytes(needed)}; a download may take {gigabytes(MOST_BYTES)}. Take a sample, or "
            "write them to a file with rfviz.lab.export.write_features."
        )
    buffer = io.BytesIO()
    write_features(found, buffer, rows)
    return buffer.getvalue()


def escaped(text: str) -> str:
    """Escape text for HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
