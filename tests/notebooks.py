"""The notebooks of ``examples/``, one for each page with an experiment; ``python -m tests.notebooks`` writes them.

What they hold is written elsewhere: the words and lines of ``docs/gallery.md``, and the example of ``rfviz.inspect``.
"""

import doctest
import re

import rfviz
from rfviz.experiments import EXPERIMENTS
from rfviz.lab.index import entry_of
from rfviz.lab.script import notebook_of
from tests.gallery import PAGE, ROOT, sections

FOLDER = ROOT / "examples"


def notebooks() -> dict[str, str]:
    """Return the text of each notebook by the name of its file."""
    of_page = {}
    for name, module in EXPERIMENTS.items():
        of_page.setdefault(module, []).append(name)
    found = {f"{module}.ipynb": notebook_of(_cells(module, names)) for module, names in of_page.items()}
    return found | {"quick_inspection.ipynb": notebook_of(_inspection())}


def _cells(module: str, names: list[str]) -> list[tuple[str, str]]:
    cells = [("markdown", f"# {entry_of(module.replace('_', '-')).title}")]
    for name in names:
        cells.append(("markdown", (f"## {name}\n\n" if len(names) > 1 else "") + _words(name)))
        cells += [("code", block) for entry in sections()[name] for block in entry.code.strip().split("\n\n")]
    return cells


def _words(name: str) -> str:
    """Return what stands in the gallery between the heading of a section and its first lines of Python."""
    return re.search(rf"^## {name}\n\n(.*?)\n\n```python", PAGE.read_text(encoding="utf-8"), re.M | re.S)[1]


def _inspection() -> list[tuple[str, str]]:
    lines = [example.source.rstrip("\n") for example in doctest.DocTestParser().get_examples(rfviz.inspect.__doc__)]
    title, question = entry_of("quick-inspection").title, entry_of("quick-inspection").question
    return [("markdown", f"# {title}\n\n{question}"), *(("code", line) for line in lines), ("code", "report")]


def main() -> None:
    """Write all notebooks."""
    for name, text in notebooks().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
