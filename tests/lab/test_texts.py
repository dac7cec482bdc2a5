"""The texts of the pages, as far as a parser of Markdown would stumble over them."""

import importlib
import pkgutil
import re

import pytest

import rfviz.lab

MODULES = [
    found.name for found in pkgutil.walk_packages(rfviz.lab.__path__, "rfviz.lab.") if found.name.endswith(".text")
]


def texts(module):
    """Return the long words of a module, by name."""
    found = vars(importlib.import_module(module))
    return {name: value for name, value in found.items() if isinstance(value, str) and name.isupper()}


def test_there_are_texts():
    assert sum("METHOD" in texts(module) for module in MODULES) >= 8


@pytest.mark.parametrize("module", MODULES)
def test_formulas_end_where_they_should(module):
    """Two dollars that open a line open a block; unless they close on it, they must stand alone, there and at its end.

    Otherwise everything after them is taken for one formula, and shown as a mistake in red.
    """
    for name, text in texts(module).items():
        for paragraph in re.split(r"\n\s*\n", text):
            lines = paragraph.strip("\n").splitlines()
            opened = [line.strip() for line in lines if line.strip().startswith("$$")]
            alone = opened.count("$$")
            assert alone % 2 == 0, f"{module}.{name}: {paragraph[:80]}"
            assert all(line == "$$" or line.count("$$") == 2 for line in opened), f"{module}.{name}: {paragraph[:80]}"
            plain = paragraph.replace("$$", "").replace(r"\$", "")
            assert plain.count("$") % 2 == 0, f"{module}.{name}: {paragraph[:80]}"
