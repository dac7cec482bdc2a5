"""What each page of the laboratory does, without the page: its controls, its computation, its charts, its script.

A recipe asks a :class:`~rfviz.lab.panel.Panel` for its settings. In the browser the panel draws widgets; a
:class:`~rfviz.lab.preset.Preset` answers from names and values, those of the page's address. So one set of
declarations says what is legal, wherever the values come from.
"""

from __future__ import annotations

import importlib
import pkgutil

from rfviz.errors import ParameterError
from rfviz.lab.index import PAGES
from rfviz.recipes.base import Chart, Recipe

__all__ = ["Chart", "Recipe", "find", "recipes"]


def recipes() -> dict[str, Recipe]:
    """Every recipe by the slug of its page: each module of this package that has a ``RECIPE``."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        recipe = getattr(importlib.import_module(f"{__name__}.{module.name}"), "RECIPE", None)
        if recipe is not None:
            found[recipe.slug] = recipe
    return found | {page.slug: page for page in PAGES}


def find(slug: str) -> Recipe:
    """The recipe of a page.

    Raises
    ------
    ParameterError
        If no page of that name computes anything.
    """
    known = recipes()
    if slug not in known:
        raise ParameterError("page", "must be the name of a page that computes", slug, f"Known: {', '.join(known)}.")
    return known[slug]
