"""The data that ``rfviz run --data`` names: a file of the user's own, or a data folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfviz.errors import DataError
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    from rfviz.datasets import DatasetSpec
    from rfviz.lab.page import Page

__all__ = ["with_data"]


def with_data(
    path: Path,
    page: Page[Any, Any, Any],
    values: Mapping[str, Any],
    chosen: Mapping[str, Any] | None = None,
    table: str = "",
    other: Path | None = None,
    progress: Progress = silent,
) -> tuple[DatasetSpec | None, Mapping[str, Any]]:
    """Return the user's file, or None if a data folder is given, and the values that name the data set.

    A folder that is one table in parts counts as a file, unless the values name a data set of the folder.

    Parameters
    ----------
    values : mapping
        Settings of the page.
    chosen : mapping, optional
        Choices of a :class:`rfviz.datasets.files.Preparation`, for a file of the user's own.
    table : str
        The table of a database, or the sheet of a workbook.
    other : Path, optional
        Another file, or the profile of one, to compare that one with.
    progress : callable
        Told how many rows of a table in parts are read.

    Raises
    ------
    DataError
        If there is no such file or folder, or no data in it.
    """
    from rfviz import datasets
    from rfviz.datasets.data_folder import FOLDER
    from rfviz.datasets.files.own import own_spec_of
    from rfviz.datasets.files.parts import is_folder_of_parts
    from rfviz.datasets.files.upload import read_file
    from rfviz.inspection.profile import read_compared

    is_named = str(values.get("data", "")).startswith(FOLDER)
    if is_named and (path.is_file() or (is_folder_of_parts(path) and values["data"] == FOLDER + path.stem)):
        path = path.parent  # settings that name a file of a data folder
    if not path.is_dir() or (not is_named and is_folder_of_parts(path)):
        compared = None if other is None else read_compared(other, progress)
        own = own_spec_of(read_file(path, table, progress), chosen or {}, compared)
        return own, {**values, "data": own.name}
    if chosen or table or other is not None:
        raise DataError(
            "--label, --order, --leave-out, --rows, --table and --compare are for a file. Give one: --data FILE"
        )
    datasets.set_folder(path)
    return None, {**values, "data": _only_one(path)} if page.inspects_files and "data" not in values else values


def _only_one(path: Path) -> str:
    """Return the only data set of a folder."""
    from rfviz.datasets.files import folder

    files = folder.files()
    if len(files) == 1:
        return next(iter(files))
    if files:
        raise DataError(f"{path} holds {len(files)} data files. Name one: --data {next(iter(files.values()))}")
    raise DataError(f"{path} holds no data file. Their names end in {', '.join(folder.SUFFIXES)}.")
