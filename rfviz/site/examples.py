"""Python to learn from: the example scripts with what they print, and the gallery of charts."""

from __future__ import annotations

import ast
import html
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rfviz.errors import DataError
from rfviz.lab.markdown import html_of
from rfviz.progress import Progress
from rfviz.site.pages import Part, framed
from rfviz.site.views import LIMIT_S

__all__ = ["examples_page", "gallery_page"]


def examples_page(folder: Path, progress: Progress, parts: Sequence[Part]) -> str:
    """Return the page with all scripts of a folder, each run anew.

    Raises
    ------
    DataError
        If one of them fails, or takes too long.
    """
    paths = sorted(folder.glob("*.py"))
    shown: list[str] = []
    for number, path in enumerate(paths):
        progress(number / len(paths), "Examples")
        shown.append(_shown(path))
    about = "Each script is run as it stands here; what it prints is below it."
    return framed("Examples", f"<h1>Examples</h1><p>{about}</p>{''.join(shown)}", parts, about)


def gallery_page(text: str, parts: Sequence[Part]) -> str:
    """Return the page of a gallery that is written in Markdown."""
    body = html_of(text).replace("<pre>", '<pre tabindex="0">').replace("<img ", '<img loading="lazy" width="560" ')
    return framed("Gallery", body, parts, "Every chart of the laboratory, with the lines of Python that draw it.")


def _shown(path: Path) -> str:
    code = path.read_text(encoding="utf-8")
    title, _, words = (ast.get_docstring(ast.parse(code)) or path.stem).partition("\n")
    try:
        done = subprocess.run(
            [sys.executable, path.name],
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=2 * LIMIT_S,
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise DataError(f"The example {path.name} did not finish: {error}") from None
    name = html.escape(path.name)
    return (
        f'<section id="{path.stem}"><h2>{html.escape(title.rstrip("."))}</h2>{html_of(words.strip())}'
        f'<details><summary>{name}</summary><pre tabindex="0"><code>{html.escape(code)}</code></pre></details>'
        f'<pre tabindex="0" role="group" aria-label="What {name} prints">{html.escape(done.stdout)}</pre></section>'
    )
