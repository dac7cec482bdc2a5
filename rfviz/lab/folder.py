"""Where the laboratory lies: the folder of its pages and pictures, which are not part of the package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["laboratory_folder"]


def laboratory_folder(code: Path = Path(__file__)) -> Path | None:
    """Return the folder with ``app.py``, ``pages`` and ``assets``, which lie next to the package and not in it.

    In a checkout it is the one that holds the package. ``pip install`` puts a copy below the environment's ``share``
    and writes down where; that copy, too, belongs to this version of the package.

    Parameters
    ----------
    code : Path
        This file, or another at its depth in a package.

    Returns
    -------
    Path or None
        None if there is neither, as after ``pip install --target``.
    """
    checkout = code.resolve().parents[2]
    if (checkout / "app.py").is_file() and (checkout / "pages" / "home.py").is_file():
        return checkout
    from importlib import metadata  # costs time that a checkout need not spend

    try:
        installed = metadata.files("rfviz") or []
    except metadata.PackageNotFoundError:
        return None
    found = (Path(file.locate()).resolve() for file in installed if file.parts[-3:] == ("share", "rfviz", "app.py"))
    return next((path.parent for path in found if path.is_file()), None)
