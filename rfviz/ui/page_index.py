"""The pages that there are, found by their files: a page says its title, icon, group and place at its top."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

from rfviz.lab.index import PAGES

# Until every page is one of those, which have an order of their own.
ORDER = {"zoo": 5, "quick-inspection": 7, "distance-saturation": 10, "maxout-pca": 12, "hashing": 14,
         "kernel-approximation": 20, "binning": 22, "pixel-cooccurrence": 24, "guarantees": 26, "decision-surfaces": 30,
         "accuracy": 32, "kitchen-sinks": 34, "your-machine": 90}  # fmt: skip

__all__ = ["ASSETS", "ROUTER", "Page", "find_pages", "laboratory_folder", "picture_of"]


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
        None where there is neither, as after ``pip install --target``.
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


_ROOT = laboratory_folder() or Path(__file__).resolve().parents[2]
ASSETS = _ROOT / "assets"
ROUTER = Path(__file__).resolve().with_name("router.py")
_FIELDS = ("TITLE", "ICON", "GROUP", "ORDER", "QUESTION")


@dataclass(frozen=True)
class Page:
    """A page of the laboratory.

    Attributes
    ----------
    path : Path
    slug : str
        Its place in the address: the file's name with hyphens.
    title, icon, group, question : str
        What the navigation and the gallery show.
    order : int
        Place in the navigation.
    """

    path: Path
    slug: str
    title: str
    icon: str
    group: str
    order: int
    question: str

    def picture(self, scheme: str = "light") -> Path | None:
        """A small picture of the page's chart for the gallery, in the colour scheme, if it has been made."""
        return picture_of(self.slug, scheme)


def picture_of(name: str, scheme: str = "light") -> Path | None:
    """A small picture for the card of a page, or of a lesson that has one of its own, if it has been made."""
    path = ASSETS / f"{name}-card-{scheme}.png"
    return path if path.is_file() else None


@functools.lru_cache(maxsize=4)
def find_pages(folder: Path = _ROOT / "pages") -> tuple[Page, ...]:
    """All pages of a folder, in the order of the navigation; read without running them.

    Raises
    ------
    ValueError
        For a page that lacks a field; the message names both.
    """
    pages, known = [], {page.slug: page for page in PAGES}
    for path in folder.glob("*.py"):
        page = known.get(path.stem.replace("_", "-"))
        if page is not None:
            pages.append(Page(path, page.slug, page.title, page.icon, page.group, ORDER[page.slug], page.question))
            continue
        fields = _constants(path)
        missing = [name for name in _FIELDS if name not in fields]
        if missing:
            raise ValueError(f"{path.name} must define {', '.join(missing)} as plain constants at its top.")
        pages.append(Page(path, path.stem.replace("_", "-"), *(fields[name] for name in ("TITLE", "ICON", "GROUP")),
                          fields["ORDER"], fields["QUESTION"]))  # fmt: skip
    return tuple(sorted(pages, key=lambda page: (page.order, page.slug)))


def _constants(path: Path) -> dict[str, object]:
    """Module-level assignments of literals, by name."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in _FIELDS:
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found
