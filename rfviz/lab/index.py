"""The pages, in the order of the navigation: what lists of pages show, without what the pages compute with.

A page's code is imported by :meth:`PageRef.load`, and the facts that lessons quote by their names.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfviz.errors import ParameterError
from rfviz.lab.folder import laboratory_folder

if TYPE_CHECKING:
    from rfviz.lab.page import Page

__all__ = [
    "ASSETS",
    "HEADING",
    "NAVIGATION",
    "PAGES",
    "PageRef",
    "card_groups",
    "entry_of",
    "find_page",
    "picture_of",
]

# Groups with which one begins.
_BEGIN = ("", "Your data")
_ROOT = laboratory_folder() or Path(__file__).resolve().parents[2]
ASSETS = _ROOT / "assets"
#: Of the front page.
HEADING = "Random features, seen at work"


@dataclass(frozen=True)
class PageRef:
    """A page, as lists of pages show it.

    Attributes
    ----------
    slug : str
        Its path in the address; its folder in ``rfviz/lab`` and its file in ``pages`` have underscores for hyphens.
    title, icon, group, question : str
        What the navigation and the front page show.
    elements : tuple of str
        Streamlit's modules that the page draws with, in addition to those of nearly every page.
    has_chart : bool
        Whether it draws a chart at first.
    computes : bool
        Whether ``rfviz run`` can compute it.
    """

    slug: str
    title: str
    icon: str
    group: str
    question: str
    elements: tuple[str, ...] = ()
    has_chart: bool = True
    computes: bool = True

    @property
    def folder(self) -> str:
        """The name of its folder in ``rfviz/lab``."""
        return self.slug.replace("-", "_")

    @property
    def path(self) -> Path:
        """The script that Streamlit runs."""
        return _ROOT / "pages" / f"{self.folder}.py"

    def picture(self, scheme: str = "light") -> Path | None:
        """Return a small picture of the page's chart in a colour scheme, if it has been made."""
        return picture_of(self.slug, scheme)

    def load(self) -> Page[Any, Any, Any]:
        """Import the page, which must be one that computes."""
        return importlib.import_module(f"rfviz.lab.{self.folder}.page").PAGE


def picture_of(name: str, scheme: str = "light") -> Path | None:
    """Return the small picture for the card of a page or a lesson, if it has been made."""
    path = ASSETS / f"{name}-card-{scheme}.png"
    return path if path.is_file() else None


#: All pages.
NAVIGATION: tuple[PageRef, ...] = (
    PageRef(
        "home",
        "Home",
        ":material/home:",
        "",
        "A random feature map turns a linear model into a kernel machine at linear cost. Here you pick data and a "
        "map, move a slider, and see what the map does to the data, measured against the exact kernel that it "
        "approximates.",
        elements=("PageLink", "ImageList"),
        has_chart=False,
        computes=False,
    ),
    PageRef(
        "zoo",
        "The zoo",
        ":material/apps:",
        "",
        "What random feature maps exist, what does a single feature look like, and which kernel do many of them "
        "approximate?",
        has_chart=False,
    ),
    PageRef(
        "lessons",
        "Lessons",
        ":material/school:",
        "",
        "What would you predict? A lesson asks a few questions: you choose an answer, or draw a curve; then the "
        "page shows what happens, with its numbers.",
        elements=("PageLink", "ImageList"),
        has_chart=False,
        computes=False,
    ),
    PageRef(
        "quick-inspection",
        "Quick inspection",
        ":material/troubleshoot:",
        "Your data",
        "What do random features say about these data: what is odd, what repeats, and is a linear model enough?",
        elements=("PageLink",),
    ),
    PageRef(
        "distance-saturation",
        "Distance saturation",
        ":material/straighten:",
        "Distances",
        "Which distances between points survive a random feature map, and which does it forget?",
    ),
    PageRef(
        "maxout-pca",
        "Maxout-PCA",
        ":material/scatter_plot:",
        "Distances",
        "How do points arrange themselves after the map: do images of a turning head line up by angle?",
        elements=("Slider",),
    ),
    PageRef(
        "hashing",
        "Hashing",
        ":material/tag:",
        "Distances",
        "How well do hash codes reveal the angle between two points, and do they find nearest neighbours?",
    ),
    PageRef(
        "kernel-approximation",
        "Kernel approximation",
        ":material/target:",
        "Kernels",
        "How many random features does it take to approximate the kernel well, and is the estimate unbiased?",
        elements=("Multiselect", "Slider"),
    ),
    PageRef(
        "build-a-map",
        "Build a map",
        ":material/construction:",
        "Kernels",
        "Write or draw a function: which kernel do its random features have? And can every curve be a kernel?",
        elements=("TextInput", "PageLink"),
    ),
    PageRef(
        "binning",
        "Random binning",
        ":material/grid_4x4:",
        "Kernels",
        "How do random grids add up to a smooth kernel?",
    ),
    PageRef(
        "pixel-cooccurrence",
        "Pixel co-occurrence",
        ":material/grid_on:",
        "Kernels",
        "Which pixels meet in a random feature of a convolutional skeleton, and which never do?",
    ),
    PageRef(
        "guarantees",
        "Guarantees",
        ":material/verified_user:",
        "Kernels",
        "How many random features does theory require, how many suffice in practice, and what do the theorems leave "
        "open?",
    ),
    PageRef(
        "errata",
        "Errors in the papers",
        ":material/error:",
        "Kernels",
        "Which statements of the five papers do not hold, why not, and what holds instead?",
        elements=("PageLink",),
    ),
    PageRef(
        "decision-surfaces",
        "Decision surfaces",
        ":material/blur_on:",
        "Learning",
        "Which shapes can a linear classifier draw once it sees random features, and how many features does it take?",
    ),
    PageRef(
        "accuracy",
        "Accuracy against m",
        ":material/trending_down:",
        "Learning",
        "How many random features does a linear model need to do as well as the exact kernel?",
        elements=("Multiselect",),
    ),
    PageRef(
        "learning-curve",
        "Too many features?",
        ":material/ssid_chart:",
        "Learning",
        "Can there be too many random features? And can the error be known before a single one is drawn?",
    ),
    PageRef(
        "kitchen-sinks",
        "Kitchen sinks",
        ":material/casino:",
        "Learning",
        "AdaBoost chooses every feature with care. How close do random features come, and how fast?",
        elements=("Multiselect",),
    ),
    PageRef(
        "speech",
        "Speech",
        ":material/graphic_eq:",
        "Learning",
        "Which phones (speech sounds) does a new voice say?",
        elements=("Multiselect", "Audio"),
    ),
    PageRef(
        "your-machine",
        "Your machine",
        ":material/speed:",
        "Laboratory",
        "How close to this machine’s limit do the maps run, and how many features can you afford?",
        computes=False,
    ),
)
#: Those that compute something.
PAGES: tuple[PageRef, ...] = tuple(entry for entry in NAVIGATION if entry.computes)


def entry_of(slug: str) -> PageRef:
    """Return the entry of a page."""
    return next(entry for entry in NAVIGATION if entry.slug == slug)


def find_page(slug: str) -> Page[Any, Any, Any]:
    """Import the page of a path.

    Raises
    ------
    ParameterError
        If no page of that name computes anything.
    """
    for entry in PAGES:
        if entry.slug == slug:
            return entry.load()
    known = ", ".join(entry.slug for entry in PAGES)
    raise ParameterError("page", "must be the name of a page that computes", slug, f"Known: {known}.")


def card_groups() -> dict[str, list[PageRef]]:
    """Return the pages that have a card on the front page by their groups; those to begin with are under ""."""
    groups: dict[str, list[PageRef]] = {}
    for entry in NAVIGATION:
        if entry.slug not in ("home", "your-machine"):
            groups.setdefault("" if entry.group in _BEGIN else entry.group, []).append(entry)
    return groups
