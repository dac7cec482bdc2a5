"""Which folder is the data folder, whose files are data sets; :mod:`rfviz.datasets.files.folder` reads it."""

from __future__ import annotations

import os
from pathlib import Path

from rfviz.errors import DataError

__all__ = ["FOLDER", "data_folder", "set_folder"]

#: What the keys of data sets of the folder begin with.
FOLDER = "folder:"
_VARIABLE = "RFVIZ_DATA"

_chosen: Path | None = None


def data_folder() -> Path | None:
    """Return the data folder, whether it exists or not; None if none is set."""
    if _chosen is not None:
        return _chosen
    from_environment = os.environ.get(_VARIABLE, "").strip()
    return Path(os.path.expanduser(from_environment)) if from_environment else None


def set_folder(path: str | os.PathLike[str] | None) -> None:
    """Use `path` as the data folder; None goes back to ``RFVIZ_DATA``.

    Raises
    ------
    DataError
        If `path` is not a folder.
    """
    global _chosen
    if path is None:
        _chosen = None
        return
    path = Path(os.path.expanduser(path))
    if not path.is_dir():
        raise DataError(f"The data folder {path} does not exist or is not a folder.")
    _chosen = path.resolve()
