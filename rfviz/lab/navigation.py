"""The pages in the order of the navigation, with their scripts and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rfviz.lab.folder import laboratory_folder
from rfviz.lab.index import PAGES, find_page
from rfviz.lab.page import Page

__all__ = ["ASSETS", "HEADING", "NAVIGATION", "Entry", "card_groups", "entry_of", "picture_of"]


# Groups with which one begins.
_BEGIN = ("", "Your data")
_ROOT = laboratory_folder() or Path(__file__).resolve().parents[2]
ASSETS = _ROOT / "assets"
#: Of the front page.
HEADING = "Random features, seen at work"


@dataclass(frozen=True)
class Entry:
    """A page in the navigation.

    Attributes
    ----------
    slug : str
        Its path in the address; its file in ``pages`` has underscores for hyphens.
    title, icon, group, question : str
        What the navigation and the front page show.
    """

    slug: str
    title: str
    icon: str
    group: str
    question: str

    @property
    def path(self) -> Path:
        """The script that Streamlit runs."""
        return _ROOT / "pages" / f"{self.slug.replace('-', '_')}.py"

    def picture(self, scheme: str = "light") -> Path | None:
        """Return a small picture of the page's chart in a colour scheme, if it has been made."""
        return picture_of(self.slug, scheme)


def picture_of(name: str, scheme: str = "light") -> Path | None:
    """Return the small picture for the card of a page or a lesson, if it has been made."""
    path = ASSETS / f"{name}-card-{scheme}.png"
    return path if path.is_file() else None


_HOME = Entry(
    "home",
    "Home",
    ":material/home:",
    "",
    "A random feature map turns a linear model into a kernel machine at linear cost. Here you pick data and a map, "
    "move a slider, and see what the map does to the data, measured against the exact kernel that it approximates.",
)
_LESSONS = Entry(
    "lessons",
    "Lessons",
    ":material/school:",
    "",
    "What would you predict? A lesson asks a few questions: you choose an answer, or draw a curve; then the page shows "
    "what happens, with its numbers.",
)
_MACHINE = Entry(
    "your-machine",
    "Your machine",
    ":material/speed:",
    "Laboratory",
    "How close to this machine’s limit do the maps run, and how many features can you afford?",
)


def _entry(page: Page[Any, Any, Any]) -> Entry:
    return Entry(page.slug, page.title, page.icon, page.group, page.question)


_ZOO = find_page("zoo")
#: All pages, in their order.
NAVIGATION: tuple[Entry, ...] = (
    _HOME,
    _entry(_ZOO),
    _LESSONS,
    *(_entry(page) for page in PAGES if page is not _ZOO),
    _MACHINE,
)


def entry_of(slug: str) -> Entry:
    """Return the entry of a page."""
    return next(entry for entry in NAVIGATION if entry.slug == slug)


def card_groups() -> dict[str, list[Entry]]:
    """Return the pages that have a card on the front page by their groups; those to begin with are under ""."""
    groups: dict[str, list[Entry]] = {}
    for entry in NAVIGATION:
        if entry.slug not in (_HOME.slug, _MACHINE.slug):
            groups.setdefault("" if entry.group in _BEGIN else entry.group, []).append(entry)
    return groups
