"""How far a reader has come in each lesson: kept by the browser, and drawn by it on cards and links."""

from __future__ import annotations

from pathlib import Path

from rfviz.ui.component import Component

__all__ = ["LINK", "keep_progress", "show_progress"]

#: What the key of a container begins with that shows the progress of the lesson that it is named after.
LINK = "lesson-link-"
_SCRIPT = Path(__file__).with_name("lesson_progress.js")
_JS = f"""
export default function ({{ data }}) {{
  if (data) keepProgress(data);
  else showProgress((lesson) => `.st-key-{LINK}${{lesson}}`);
}}
"""
_progress = Component("lesson_progress", js=f"{_SCRIPT.read_text(encoding='utf-8')}\n{_JS}")


def keep_progress(lesson: str, step: int, n_steps: int, done: bool) -> None:
    """Let the browser remember where the reader is."""
    data = {"lesson": lesson, "step": step, "of": n_steps, "done": done}
    _progress.mount("lesson-progress-sheet", data, height=1)


def show_progress() -> None:
    """Draw how far the reader has come, in each container whose key begins with :data:`LINK`."""
    _progress.mount("lesson-progress-sheet", height=1)
