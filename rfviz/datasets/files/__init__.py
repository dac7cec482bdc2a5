r"""Files as data sets: one reader for uploads, the data folder, OpenML and the command line.

>>> from rfviz.datasets.files import Preparation, read_upload
>>> upload = read_upload("points.csv", b"x,y,label\n1,2,a\n3,4,b\n5,6,a\n")
>>> upload.prepare(Preparation(label="label", scale="none")).X.tolist()
[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]

CSV (commas, semicolons, tabs or vertical bars), JSON, Parquet, Feather and Arrow, sheets of Excel workbooks,
tables of SQLite databases, ``.npz`` and ZIP archives of PNG or JPEG images go the same way: bytes or a path
(:mod:`~rfviz.datasets.files.content`) → an entry of the list of formats (:mod:`~rfviz.datasets.files.formats`) → a
table (:mod:`~rfviz.datasets.files.table`) → choices (:mod:`~rfviz.datasets.files.preparation`) → a data set
(:mod:`~rfviz.datasets.files.prepare`). Pickles are never read, no name inside a file is used as a path, and sizes are
checked before anything is expanded. Another format is a module that reads it, and an entry in that list.

Pandas, scikit-learn, PyArrow and Pillow are imported inside the functions that use them: the registry of data sets
imports this package, and must be quick to import.
"""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.datasets.files.content import MAX_BYTES
    from rfviz.datasets.files.own import own_spec, own_spec_of
    from rfviz.datasets.files.preparation import Preparation
    from rfviz.datasets.files.prepare import without
    from rfviz.datasets.files.prepared_rows import PreparedRows
    from rfviz.datasets.files.statistics import ColumnStatistics, TableStatistics
    from rfviz.datasets.files.table import CATEGORY, DATE, EMPTY, NUMBER, TEXT, Column, Table
    from rfviz.datasets.files.upload import SUFFIXES, Upload, compare_with, read_file, read_upload

__all__ = [
    "CATEGORY",
    "DATE",
    "EMPTY",
    "MAX_BYTES",
    "NUMBER",
    "SUFFIXES",
    "TEXT",
    "Column",
    "ColumnStatistics",
    "Preparation",
    "PreparedRows",
    "Table",
    "TableStatistics",
    "Upload",
    "compare_with",
    "own_spec",
    "own_spec_of",
    "read_file",
    "read_upload",
    "without",
]

import_when_asked(__name__)
