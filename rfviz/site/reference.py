"""Reference of the library, made by pdoc from its docstrings."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pdoc
import pdoc.render

__all__ = ["MODULES", "write_reference"]

# Links that pdoc leaves without a name; signatures and examples that are wider than their place should scroll
# by the keyboard, too.
_ANCHOR = re.compile(r'<a (?=class="headerlink" href="#([^"]*)")')
# Classes of scikit-learn, which have a page of their documentation each.
_SKLEARN = re.compile(r'(?<![\w./"#])sklearn(?:\.[a-z_]+)+\.[A-Z]\w+')
_SKLEARN_PAGES = "https://scikit-learn.org/stable/modules/generated"
_TEMPLATES = Path(__file__).parent / "templates"
_DOCS = "const docs = "
#: Packages and modules of the library that the reference shows.
MODULES = ("experiments", "features", "kernels", "bounds", "skeleton", "linear_model", "datasets", "errors")


def write_reference(folder: Path) -> list[Path]:
    """Write the reference to a folder and return its files."""
    for module in (importlib.import_module(f"rfviz.{name}") for name in MODULES):
        for name in module.__all__:  # pdoc sees what a package has imported by now
            getattr(module, name)
    pdoc.render.configure(docformat="numpy", show_source=False, template_directory=_TEMPLATES)
    pdoc.pdoc(*(f"rfviz.{name}" for name in MODULES), output_directory=folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in files:
        if path.suffix == ".html":
            text = path.read_text(encoding="utf-8")
            text = _ANCHOR.sub(r'<a aria-label="Link to \1" ', text)
            text = _SKLEARN.sub(rf'<a href="{_SKLEARN_PAGES}/\g<0>.html">\g<0></a>', text)
            text = text.replace("**<strong>", "<strong>**")  # the name of keyword arguments begins with its stars
            text = text.replace('<div class="attr ', '<div tabindex="0" class="attr ').replace(
                "<pre>", '<pre tabindex="0">'
            )
            path.write_text(text, encoding="utf-8")
        elif path.name == "search.js":
            path.write_text(_without_index(path.read_text(encoding="utf-8")), encoding="utf-8")
    return files


def _without_index(script: str) -> str:
    """Return pdoc's search with the texts alone, which a browser indexes in a moment.

    A built index, which pdoc adds where there is Node.js, has four times their size.
    """
    before, mark, after = script.partition(_DOCS)
    found, end = json.JSONDecoder().raw_decode(after)
    if isinstance(found, dict):
        found = list(found["documentStore"]["docs"].values())
    return before + mark + json.dumps(found) + after[end:]
