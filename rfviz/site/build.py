"""Write the site: what it holds, where its files go, and which folder may be overwritten."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rfviz.errors import DataError, RfvizError
from rfviz.figures.plotly_js import scripts
from rfviz.lab.facts import CACHE
from rfviz.lab.glossary import definitions
from rfviz.lab.index import ASSETS, PAGES, entry_of, find_page
from rfviz.lessons import Lesson
from rfviz.progress import Progress, silent
from rfviz.result_files import result_files
from rfviz.site.examples import examples_page, gallery_page
from rfviz.site.lessons import file_of, lesson_page, lessons_of, lessons_page, picture_name
from rfviz.site.pages import FOLDER, Part, card, front_page, script_name, view_page
from rfviz.site.reference import write_reference
from rfviz.site.search import search_index
from rfviz.site.views import View, views_of

__all__ = ["Built", "write_site"]

_HERE = Path(__file__).parent
_WIDGETS = _HERE.parent / "ui" / "widgets"
# Lists the files of a site, so that the next one written to its folder replaces it and nothing else.
_MANIFEST = "site.json"
# An installation includes neither of them.
_EXAMPLES_FOLDER = ASSETS.parent / "examples"
_GALLERY_TEXT = ASSETS.parent / "docs" / "gallery.md"
_REFERENCE: Part = ("Library", "library/index.html")
_EXAMPLES: Part = ("Examples", "examples.html")
_GALLERY: Part = ("Gallery", "gallery.html")
_CHART_SCRIPTS = ("load_plotly", "chart_room", "drawn_curve", "live_chart")


@dataclass
class Built:
    """The files that were written.

    Attributes
    ----------
    files : list of str
        Relative to the folder.
    left_out : list of str
        A sentence for each view that is not in the site.
    scripts : set of str
        Plotly's, which its charts need.
    """

    folder: Path
    files: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    scripts: set[str] = field(default_factory=set[str])

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the site."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        if name.endswith(".html"):
            self.scripts |= {script_name(script) for script in scripts() if script.path.name in str(content)}
        if name not in self.files:
            self.files.append(name)

    @property
    def n_bytes(self) -> int:
        """Return the size of all files."""
        return sum((self.folder / name).stat().st_size for name in self.files)


def write_site(folder: Path, slugs: Sequence[str] = (), progress: Progress = silent) -> Built:
    """Write the site to a folder.

    Parameters
    ----------
    folder : Path
        New, empty, or a site that was written before, which is replaced.
    slugs : sequence of str
        The pages that it is to hold, with their lessons; by default all, the examples and the library's reference.

    Raises
    ------
    DataError, ParameterError
        If the folder holds something else or cannot be written, or a page is unknown.
    """
    chosen = [find_page(slug).slug for slug in slugs]
    _clear(folder)
    built = Built(folder)
    CACHE.store.files = result_files()  # sweeps of hours that were computed before
    try:
        _write(built, [page.load() for page in PAGES if not chosen or page.slug in chosen], not slugs, progress)
    except OSError as error:
        raise DataError(f"The folder {folder} cannot be written ({error.strerror}). Name another with --out.") from None
    return built


def _write(built: Built, pages: Sequence[Any], is_whole: bool, progress: Progress) -> None:
    """Write the pages and their lessons, and, of the whole site, what concerns the library."""
    built.write(_MANIFEST, "[]")  # a site that was left half written is replaced, too
    slugs = [page.slug for page in pages]
    lessons = lessons_of(slugs)
    parts: list[Part] = [("Pages", "index.html")]
    if lessons:
        parts.append((entry_of("lessons").title, "lessons.html"))
    if is_whole:
        parts += [_REFERENCE, *([_GALLERY] if _GALLERY_TEXT.is_file() else [])]
        parts += [_EXAMPLES] if _EXAMPLES_FOLDER.is_dir() else []
    for page in pages:
        views = list(views_of(page, progress))
        for view in views:
            _write_view(built, view, views, parts)
    _write_lessons(built, lessons, parts, progress)
    others = _write_library(built, parts, progress) if is_whole else []
    built.write("index.html", front_page([*slugs, *(["lessons"] if lessons else [])], parts, others))
    _write_shared(built, {*slugs, "lessons", *map(picture_name, lessons)})
    texts = {name: _read(built.folder / name) for name in built.files if name.endswith(".html")}
    built.write(f"{FOLDER}/search.js", search_index(texts))
    built.write(_MANIFEST, json.dumps([*built.files, _MANIFEST], indent=0))


def _write_lessons(built: Built, lessons: Sequence[Lesson], parts: Sequence[Part], progress: Progress) -> None:
    """Write those lessons that can be computed, and the page with their cards."""
    written = list[Lesson]()
    for lesson in reversed(lessons):  # each names the next one that there is
        try:
            built.write(file_of(lesson), lesson_page(lesson, written[0] if written else None, progress, parts))
            written.insert(0, lesson)
        except RfvizError as error:
            built.left_out.append(f"The lesson “{lesson.title}”: {error}")
    if lessons:
        built.write("lessons.html", lessons_page(written, parts))


def _write_library(built: Built, parts: Sequence[Part], progress: Progress) -> list[str]:
    """Write the reference and the examples, and return their cards."""
    progress(None, "Reference")
    for path in write_reference(built.folder / Path(_REFERENCE[1]).parent):
        built.files.append(str(path.relative_to(built.folder)))
    cards = [card(_REFERENCE[1], "The library", "Classes and functions, from their docstrings.")]
    if _GALLERY in parts:
        built.write(_GALLERY[1], gallery_page(_GALLERY_TEXT.read_text(encoding="utf-8"), parts))
        for path in _GALLERY_TEXT.with_suffix("").iterdir():
            built.write(f"gallery/{path.name}", path.read_bytes())
        cards.append(card(_GALLERY[1], "Gallery", "Every chart, with the lines of Python that draw it."))
    if _EXAMPLES in parts:
        built.write(_EXAMPLES[1], examples_page(_EXAMPLES_FOLDER, progress, parts))
        cards.append(card(_EXAMPLES[1], "Examples", "Short scripts for the library, with what they print."))
    return cards


def _write_view(built: Built, view: View, views: Sequence[View], parts: Sequence[Part]) -> None:
    built.write(view.file, view_page(view, views, parts))
    for player in view.players:
        text = f"rfviz.frames[{json.dumps(player.name)}] = {json.dumps(player.frames)};\n"
        built.write(f"{FOLDER}/frames/{player.name}", text)
    if view.computed is None:
        built.left_out.append(f"{view.page.entry.title}, {view.preset}: {view.reason}")


def _write_shared(built: Built, pictures: Collection[str]) -> None:
    for script in scripts():
        if script_name(script) in built.scripts:
            built.write(script_name(script), script.text)
    styles = [_HERE / "site.css", _WIDGETS / "live_chart.css", _WIDGETS / "glossary.css"]
    built.write(f"{FOLDER}/site.css", _theme() + "".join(map(_read, styles)))
    built.write(f"{FOLDER}/site.js", _script())
    built.write(f"{FOLDER}/icon.svg", _read(ASSETS / "icon.svg"))
    for name in pictures:
        for path in sorted(ASSETS.glob(f"{name}-card-*.png")):
            built.write(f"{FOLDER}/{path.name}", path.read_bytes())


def _script() -> str:
    """Return the site's script: the laboratory's own chart and player, and what stands in for its server."""
    chart = "".join(_read(_WIDGETS / f"{name}.js") for name in _CHART_SCRIPTS)
    bar = f"const CSS_TEXT = {json.dumps(_read(_WIDGETS / 'play.css'))};\n{_read(_WIDGETS / 'play.js')}"
    terms = (
        f"const GLOSSARY = {json.dumps(dict(definitions()), ensure_ascii=False)};\n{_read(_WIDGETS / 'glossary.js')}"
    )
    progress = _read(_WIDGETS.parent / "teaching" / "lesson_progress.js")
    mounts = {"MOUNT_CHART": chart, "MOUNT_BAR": bar, "GLOSSARY": terms, "PROGRESS": progress}
    text = _read(_HERE / "site.js")
    for name, code in mounts.items():
        text = text.replace(f"/* {name} */", code.replace("export default function", "return function"))
    return text


def _theme() -> str:
    """Return the laboratory's colours and fonts, by the names that its charts read."""
    config: dict[str, Any] = tomllib.loads(_read(ASSETS.parent / ".streamlit" / "config.toml"))["theme"]

    def rules(values: dict[str, Any]) -> str:
        css: Callable[[str], str] = lambda name: "".join(f"-{c.lower()}" if c.isupper() else c for c in name)  # noqa: E731
        return "".join(f"--st-{css(name)}: {value}; " for name, value in values.items() if isinstance(value, str))

    return (
        f":root {{ {rules(config)}{rules(config['light'])}}}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {rules(config['dark'])}}} }}\n"
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _clear(folder: Path) -> None:
    """Make the folder, or empty it of the site that it holds."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            for path in _files_of(folder):
                path.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"The folder {folder} cannot be written ({reason}). Name another with --out.") from None


def _files_of(folder: Path) -> list[Path]:
    """Return the files of the site that a folder holds."""
    manifest = folder / _MANIFEST
    if not manifest.is_file():
        raise DataError(f"{folder} is not empty, and no site of rfviz. Name a new folder with --out, or empty it.")
    try:
        names = json.loads(_read(manifest))
    except ValueError:
        names = None
    if not isinstance(names, list):
        raise DataError(f"{manifest} is no list of files. Name another folder with --out.")
    paths = [(folder / str(name)).resolve() for name in names]
    return [path for path in paths if path.is_relative_to(folder.resolve()) and path.is_file()]
