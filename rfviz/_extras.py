"""Packages that only some users need, and the extra of rfviz that brings each: ``pip install "rfviz[plot]"``."""

from __future__ import annotations

import importlib.util

from rfviz.errors import MissingPackageError

__all__ = ["require"]

# Module → name of its package and the extra, as pyproject.toml has them.
_EXTRAS = {
    "charset_normalizer": ("charset-normalizer", "files"),
    "PIL": ("Pillow", "files"),
    "plotly": ("Plotly", "plot"),
    "pyarrow": ("pyarrow", "files"),
    "python_calamine": ("python-calamine", "excel"),
    "streamlit": ("Streamlit", "app"),
}


def require(module: str, purpose: str, remedy: str = "") -> None:
    """Say which extra brings a package, if it is missing.

    Parameters
    ----------
    module : str
        As it is imported: ``"plotly"``.
    purpose : str
        What needs it, the beginning of the sentence: ``"A figure"``.
    remedy : str
        What else helps, the end of the sentence: ``"or save it as CSV"``.

    Raises
    ------
    MissingPackageError
        If it is not installed.
    """
    if importlib.util.find_spec(module) is None:
        package, extra = _EXTRAS[module]
        otherwise = f", {remedy}" if remedy else ""
        raise MissingPackageError(
            f'{purpose} needs {package}, which is not installed: pip install "rfviz[{extra}]"{otherwise}.'
        )
