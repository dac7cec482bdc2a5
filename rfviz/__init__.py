"""Random feature maps, their exact kernels, and the pictures that compare them.

>>> import rfviz
>>> rfviz.features.RandomMaxout(n_components=100)
RandomMaxout(n_components=100)

The parts are loaded when they are first used: importing the package is fast, and never loads CuPy, Streamlit or Plotly.
Figures and the laboratory have to be imported by name: ``import rfviz.figures``.

:func:`inspect` says what is odd in a table, and draws it.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rfviz._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rfviz import (
        analysis,
        backend,
        bounds,
        datasets,
        errors,
        features,
        kernels,
        linear_model,
        params,
        skeleton,
    )
    from rfviz.analysis.profiles import TableProfile
    from rfviz.lab.quick_inspection.report import InspectionReport

__all__ = [
    "__version__",
    "analysis",
    "backend",
    "bounds",
    "datasets",
    "errors",
    "features",
    "inspect",
    "kernels",
    "linear_model",
    "params",
    "profile",
    "skeleton",
]


def inspect(
    data: Any,
    label: Any = None,
    order: Any = None,
    leave_out: Any = (),
    table: str = "",
    compare: Any = None,
    only: str | Iterable[str] = (),
    axes: Iterable[Any] = (),
) -> InspectionReport:
    """Inspect a table, as the page “Quick inspection” of the laboratory does.

    A column is given by its name, as the table has it, whatever its type. A whole number counts columns from 0, and
    from the last one if it is negative, unless the table names columns by whole numbers.

    Parameters
    ----------
    data : DataFrame, table of another library, array of shape (n_samples, n_features), or path
        A table that pyarrow can read (polars, DuckDB) or that converts itself to pandas (xarray) keeps the names of its
        columns; masked cells of an array are missing. Or the path of a file that the laboratory reads.
    label : column, or array-like of shape (n_samples,), optional
        The column to predict, or its values; those of a Series are matched by its index. Without it, a column is taken
        only if nothing speaks against it: ``report.label`` is it, and the first of ``report.notes`` says why. False
        for no label.
    order : column, optional
        The one that gives the order of the rows.
    leave_out : column or sequence of columns
        Those that are not used.
    table : str
        Of a file: the table of a database, or the sheet of a workbook.
    compare : DataFrame, array, path, profile or column, optional
        Another table with the same columns, its :func:`profile`, or a column whose values say which rows are
        compared, to find drift. By default the first half of the rows is compared with the second.
    only : str or sequence of str
        Short names of findings, as ``"columns,copies"``, to compute these alone and no picture of all rows.
        ``"features"``, how many random features are enough, is answered only if it is named.
    axes : pair of columns, optional
        Of numbers, such as a projection that you computed elsewhere: the first picture shows the rows in their plane.
        They are features all the same, unless ``leave_out`` names them.

    Returns
    -------
    InspectionReport
        A notebook shows its findings, the most urgent first. ``findings`` holds them as a DataFrame, with rows as
        positions from 0, as ``df.iloc`` takes them (the sentences count rows from 1), and with the Python that mends
        them; ``claims`` holds what they say as data; ``label`` and ``notes`` say what was taken for what.
        ``mask(name)`` says of each row whether a finding is about it, ``rows(name)`` returns these rows,
        ``figure(name)`` a picture; ``to_json(path)`` and ``to_html(path)`` write all of it.

    Raises
    ------
    rfviz.errors.DataError
        If it is not a table, or too few rows or columns can be used.
    rfviz.errors.ParameterError
        If ``only`` names a finding that does not exist.

    Examples
    --------
    >>> import numpy as np, pandas as pd, rfviz
    >>> df = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["a", "b", "c"])
    >>> df["sold"] = np.where(df.a + df.b > 0, "yes", "no")
    >>> twice = pd.concat([df, df.head(3)])
    >>> report = rfviz.inspect(twice, label="sold")
    >>> report.findings.set_index("name").loc["copies", ["status", "rows"]].tolist()
    ['look', [200, 201, 202]]
    >>> len(twice[~report.mask("copies")])
    200
    """
    from rfviz.lab.quick_inspection.report import inspect_table

    return inspect_table(data, label, order, leave_out, table, compare, only, axes)


def profile(data: Any, name: str = "the other table", table: str = "") -> TableProfile:
    """Return what a comparison with a table needs of it: some kB, without a row of it.

    It holds the names of the columns, words that at least five rows have, and 63 quantiles of each column of numbers.

    Parameters
    ----------
    data : DataFrame, table of another library, array of shape (n_samples, n_features), or path
        As :func:`inspect` takes it.
    name : str
        What sentences call it; a file has its own name.
    table : str
        Of a file: the table of a database, or the sheet of a workbook.

    Returns
    -------
    TableProfile
        ``save(path)`` writes it. :func:`inspect` compares with it, or with the path of its file.

    Raises
    ------
    rfviz.errors.DataError
        If it is not a table, or has no column of numbers or categories, or fewer than 40 rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd, rfviz
    >>> draw = np.random.default_rng(0).normal
    >>> reference = rfviz.profile(pd.DataFrame(draw(size=(500, 3)), columns=["a", "b", "c"]))
    >>> later = pd.DataFrame(draw(size=(400, 3)) + [0, 0.5, 0], columns=["a", "b", "c"])
    >>> rfviz.inspect(later, compare=reference, only="drift").findings["columns"].tolist()
    [['b']]
    """
    from rfviz.lab.quick_inspection.report import profile_of_data

    return profile_of_data(data, name, table)


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"rfviz.{name}")
    raise AttributeError(f"module 'rfviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
