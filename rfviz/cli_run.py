"""``rfviz run``: a page's computation without a browser, its charts and numbers written to a folder."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rfviz.errors import DataError, ParameterError, capture_warnings

if TYPE_CHECKING:
    from rfviz.datasets import DatasetSpec
    from rfviz.lab.page import Page

__all__ = ["add_arguments", "run"]

_WIDTH = 30
_MOST_PRESET_BYTES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz run``."""
    parser.add_argument(
        "preset", metavar="PRESET",
        help="a JSON file of settings (“Share” on any page gives one), the address of a page, or a page's name",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", default=".", help="where the files go; made where it is missing")
    parser.add_argument("--figure", metavar="LABEL", help="with a page's name: one of its presets, such as a figure")
    parser.add_argument(
        "--data",
        metavar="PATH",
        help="a file of your own, as the laboratory takes it (CSV, Parquet, NPZ, a ZIP of images), or a data folder",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no list of files")
    parser.set_defaults(command=run)


def run(given: argparse.Namespace) -> int:
    """Run the command; see :func:`rfviz.cli.main` for errors."""
    from rfviz.lab.cache import Cache
    from rfviz.lab.export import write_chart
    from rfviz.lab.index import find_page
    from rfviz.lab.page import compute
    from rfviz.lab.preset import Preset, write_preset
    from rfviz.lab.zoom import zoom_charts

    slug, values = _settings(given)
    page = find_page(slug)
    own, values = (None, values) if given.data is None else _with_data(Path(given.data).expanduser(), page, values)
    out = _folder(given.out)
    bar = _Bar(None if given.quiet else sys.stderr)
    zoom = str(values.get("zoom", ""))
    preset = Preset({name: value for name, value in values.items() if name != "zoom"}, bar, own)
    source = page.source(preset)
    settings = page.settings(preset, source)
    for name in preset.unasked():
        print(f"rfviz run: {name} has no effect with the other settings, or is misspelt.", file=sys.stderr)
    with capture_warnings() as heard:
        charts = compute(page, source, settings, Cache(progress=bar)).charts
    bar.end()
    for text, _ in heard.messages:
        print(f"rfviz run: {text}", file=sys.stderr)
    zoom_charts(charts, zoom)
    files = [path for chart in charts for path in write_chart(chart, out)]
    kept = {"zoom": zoom} if zoom else {}
    texts = {"settings.json": write_preset(slug, preset.answers | kept), "script.py": page.script(source, settings)}
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
        files.append(out / name)
    if not given.quiet:
        print("\n".join(map(str, files)))
    return 0


def _with_data(path: Path, page: Page, values: Mapping[str, Any]) -> tuple[DatasetSpec | None, Mapping[str, Any]]:
    """Return the user's file, None where a data folder is given, and the values that name the data set."""
    from rfviz import datasets
    from rfviz.datasets.files.folder import PREFIX

    if path.is_file() and str(values.get("data", "")).startswith(PREFIX):
        path = path.parent  # settings that name a file of a data folder
    if not path.is_dir():
        own = _own_file(path)
        return own, {**values, "data": own.name}
    datasets.set_folder(path)
    return None, {**values, "data": _only_one(path)} if page.inspects_files and "data" not in values else values


def _own_file(path: Path) -> DatasetSpec:
    """Read a file as “Your own data…” does, and prepare it as suggested there."""
    from rfviz.datasets.files import MAX_BYTES, read_upload
    from rfviz.datasets.files.own import PREFIX, own_spec

    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(
                f"{path} is larger than {MAX_BYTES // 1024**2} MB. Put it into a folder of its own, as numbers, "
                "and give that: --data FOLDER"
            )
        upload = read_upload(path.name, path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}). Give a file or a folder that exists.") from None
    return own_spec(PREFIX + upload.stem, upload, upload.suggestion, upload.prepare(), upload.digest)


def _only_one(path: Path) -> str:
    """Return the only data set of a folder."""
    from rfviz.datasets.files import folder

    files = folder.files()
    if len(files) == 1:
        return next(iter(files))
    if files:
        raise DataError(f"{path} holds {len(files)} data files. Name one: --data {next(iter(files.values()))}")
    raise DataError(f"{path} holds no data file. These are known by .npz, .csv and .parquet at the end of their name.")


def _settings(given: argparse.Namespace) -> tuple[str, Mapping[str, Any]]:
    """Return the page and its values that the command line names."""
    from rfviz.lab.index import PAGES, find_page
    from rfviz.lab.preset import read_preset

    text, known = given.preset, [page.slug for page in PAGES]
    if text in known:
        presets = find_page(text).presets
        if given.figure is None:
            return text, {}
        if given.figure not in presets:
            labels = ", ".join(map(repr, presets)) or "none"
            raise ParameterError("--figure", f"must be a preset of {text}", given.figure, f"Known: {labels}.")
        return text, presets[given.figure][1]
    if given.figure is not None:
        raise ParameterError("--figure", "must come with a page's name", text, f"Pages: {', '.join(known)}.")
    if text.startswith(("http://", "https://")):
        return read_preset(text)
    path = Path(text)
    try:
        if path.stat().st_size > _MOST_PRESET_BYTES:
            raise DataError(f"{path} is no preset: it is larger than {_MOST_PRESET_BYTES // 10**6} MB.")
        return read_preset(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, DataError):
            raise DataError(f"{path}: {error}") from None
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(
            f"{text} cannot be read ({reason}). A preset is a JSON file or one of: {', '.join(known)}."
        ) from None


def _folder(text: str) -> Path:
    path = Path(text).expanduser()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"The folder {path} cannot be made ({error.strerror}). Name another with --out.") from None
    return path


class _Bar:
    """A line of progress on a terminal; on anything else a line whenever the text changes."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self._drawn, self._text = stream, 0.0, ""

    def __call__(self, share: float | None, text: str) -> None:
        if self._stream is None:
            return
        if not self._stream.isatty():
            if text != self._text:
                print(text, file=self._stream, flush=True)
        elif time.monotonic() - self._drawn > 0.1:
            done = round(_WIDTH * min(max(share or 0.0, 0.0), 1.0))
            print(f"\r\033[K[{'█' * done}{'·' * (_WIDTH - done)}] {text[:80]}", end="", file=self._stream, flush=True)
            self._drawn = time.monotonic()
        self._text = text

    def end(self) -> None:
        """Leave an empty line for what comes next."""
        if self._stream is not None and self._drawn:
            print("\r\033[K", end="", file=self._stream, flush=True)
