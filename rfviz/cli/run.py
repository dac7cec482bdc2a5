"""``rfviz run``: a page's computation without a browser, its charts and numbers written to a folder."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfviz.cli.progress_bar import ProgressBar
from rfviz.cli.run_data import with_data
from rfviz.cli.run_settings import read_settings
from rfviz.errors import DataError, capture_warnings

if TYPE_CHECKING:
    from rfviz.lab.page import Computed, MapExport, Page

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz run``."""
    parser.add_argument(
        "preset",
        metavar="PRESET",
        help="a JSON file of settings (“Share” on any page gives one), the address of a page, or a page's name "
        'as in its address, alone or with settings: accuracy, "hashing?data=moons"',
    )
    parser.add_argument(
        "--out", metavar="DIR", help="where the files go; made where it is missing (here; with --json, nowhere)"
    )
    parser.add_argument("--figure", metavar="LABEL", help="with a page's name: one of its presets, such as a figure")
    parser.add_argument(
        "--data",
        metavar="PATH",
        help="a file of your own, as the laboratory takes it (CSV, Excel, Parquet, SQLite, JSON, ZIP of images); a "
        "folder of Parquet files, or of X.npy and y.npy, which may be larger than memory; or a data folder",
    )
    parser.add_argument(
        "--table", metavar="NAME", default="", help="the table of a database, or the sheet of a workbook"
    )
    parser.add_argument("--label", metavar="COLUMN", help="of the file that --data names: the column to predict")
    parser.add_argument("--no-label", action="store_true", help="the file has no label: take no column for one")
    parser.add_argument("--order", metavar="COLUMN", help="the column that gives the order of its rows")
    parser.add_argument("--leave-out", metavar="COLUMN", action="append", help="a column not to use; may be repeated")
    parser.add_argument(
        "--compare",
        metavar="PATH",
        help="another file with the same columns, or the profile of one (rfviz profile makes it), which a quick "
        "inspection compares with --data",
    )
    parser.add_argument(
        "--only",
        metavar="NAMES",
        action="append",
        help="of a quick inspection, answer these questions only, which is quicker: columns,copies; may be repeated",
    )
    parser.add_argument("--rows", metavar="N", type=int, help="rows to keep at most (2000)")
    parser.add_argument(
        "--features",
        action="store_true",
        help="write the features of the page's maps, too (NPZ): of all rows of a table that is larger than memory",
    )
    parser.add_argument(
        "--fail-on",
        metavar="STATUS",
        choices=("warning", "look"),
        help="end with status 3 if a finding is a warning, or at least worth a look",
    )
    parser.add_argument(
        "--json", action="store_true", help="for programs: print the findings as JSON, and nothing else"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no list of files")
    parser.set_defaults(command=run)


def run(given: argparse.Namespace) -> int:
    """Compute a page and write its files; see :func:`rfviz.cli.main` for errors.

    A map that could not be computed is told on stderr; it is an error only if no map could.
    """
    from rfviz.cache import Cache, Store
    from rfviz.lab.index import find_page
    from rfviz.lab.page import compute
    from rfviz.lab.preset import Preset
    from rfviz.result_files import result_files

    slug, values = read_settings(given.preset, given.figure)
    page = _asking(find_page(slug), given.only)
    chosen = {"label": given.label, "order": given.order, "leave_out": given.leave_out, "max_samples": given.rows}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if given.no_label:
        chosen["label"] = None
    _check(given, bool(chosen), page)
    bar = ProgressBar(None if given.quiet or given.json else sys.stderr)
    own = None
    if given.data is not None:
        other = Path(os.path.expanduser(given.compare)) if given.compare else None
        own, values = with_data(Path(os.path.expanduser(given.data)), page, values, chosen, given.table, other, bar)
    out = None if given.json and given.out is None else _folder(given.out or ".")
    zoom = str(values.get("zoom", ""))
    preset = Preset({name: value for name, value in values.items() if name != "zoom"}, bar, own)
    source = page.source(preset)
    settings = page.settings(preset, source)
    if given.data is not None and not (preset.has_data and page.uses_data(source)):
        raise DataError(f"--data has no effect: {slug} uses no data. Leave it out")
    for name in preset.unasked():
        _tell(f"{name} has no effect with the other settings, or is misspelt.")
    cache = Cache(Store(sys.maxsize, files=result_files()), bar)
    with capture_warnings() as heard:
        computed = compute(page, source, settings, cache)
    bar.end()
    for text, _ in heard.messages:
        _tell(text)
    for label, reason in page.failures(computed.result).items():
        _tell(f"{label} could not be computed: {reason}")
    findings = page.findings(computed.result)
    record = page.record(source, computed.result, cache)
    found = json.dumps(record, ensure_ascii=False, indent=1)
    # Records in place of the figure of the findings, which is in the page next to it.
    texts = {"findings.json": found} if findings else {}
    files = [] if out is None else _write(computed, preset.answers, zoom, texts, out)
    if given.features and out is not None:
        files += _write_features(page.slug, page.maps(source, settings, cache), out, bar)
    if given.json:
        print(found)
    elif not given.quiet:
        print("\n".join([*record.get("notes", ()), *map(str, findings), *map(str, files)]))
    urgent = {"warning": ("warning",), "look": ("warning", "look"), None: ()}[given.fail_on]
    return 3 if any(finding.status in urgent for finding in findings) else 0


def _asking(page: Page[Any, Any, Any], only: Sequence[str] | None) -> Page[Any, Any, Any]:
    """Return the page that asks some questions only, if these are named."""
    from rfviz.lab.quick_inspection.page import QuickInspection

    if only is None:
        return page
    if not page.inspects_files:
        raise DataError(f"--only names findings, and {page.slug} has none. Use rfviz run quick-inspection --only NAMES")
    return QuickInspection(only)


def _check(given: argparse.Namespace, is_chosen: bool, page: Page[Any, Any, Any]) -> None:
    """Refuse options that go with others, or with another page."""
    if given.no_label and given.label is not None:
        raise DataError("--label names a label, and --no-label says that there is none. Give one of them")
    if (is_chosen or given.table or given.compare) and given.data is None:
        raise DataError(
            "--label, --no-label, --order, --leave-out, --rows, --table and --compare go with a file. Name it: "
            "--data FILE"
        )
    if given.compare and not page.inspects_files:
        raise DataError(f"{page.slug} compares no files. Use rfviz run quick-inspection --compare FILE")
    if given.features and given.json and given.out is None:
        raise DataError("--features writes files. Name a folder for them: --out DIR")
    if given.json and not page.inspects_files:
        raise DataError(f"--json prints findings, and {page.slug} has none. Use rfviz run quick-inspection --json")


def _write(
    computed: Computed[Any, Any, Any], answers: Mapping[str, Any], zoom: str, texts: Mapping[str, str], out: Path
) -> list[Path]:
    """Write charts, settings, script and some texts to a folder and return the files."""
    from rfviz.lab.export import write_chart
    from rfviz.lab.preset import write_preset
    from rfviz.lab.zoom import zoom_charts

    zoom_charts(computed.charts, zoom)
    files = [path for chart in computed.charts for path in write_chart(chart, out)]
    page = computed.page
    kept = {"zoom": zoom} if zoom else {}
    settings = write_preset(page.slug, {**answers, **kept})
    script = page.script(computed.source, computed.settings)
    for name, text in {"settings.json": settings, "script.py": script, **texts}.items():
        (out / name).write_text(text, encoding="utf-8")
        files.append(out / name)
    return list(dict.fromkeys(files))


def _write_features(slug: str, maps: Sequence[MapExport], out: Path, bar: ProgressBar) -> list[Path]:
    """Write the features of all rows, one file a map, and return the files."""
    from rfviz.lab.export import write_features

    if not maps:
        _tell(f"{slug} draws no feature map of its own, so that there are no features to write.")
    files: list[Path] = []
    for number, found in enumerate(maps):
        path = out / (f"{slug}-{number}-features.npz" if len(maps) > 1 else f"{slug}-features.npz")
        try:
            write_features(found, path, all_rows=True, progress=partial(_of_map, bar, found.label))
        except KeyboardInterrupt:
            bar.end()
            _tell(f"{path.name} was not complete, and nothing of it is left.")
            raise
        bar.end()
        files.append(path)
    return files


def _of_map(bar: ProgressBar, label: str, share: float | None, text: str) -> None:
    bar(share, f"{label}: {text}")


def _folder(text: str) -> Path:
    path = Path(os.path.expanduser(text))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"The folder {path} cannot be made ({error.strerror}). Name another with --out.") from None
    return path


def _tell(text: str) -> None:
    print(f"rfviz run: {text}", file=sys.stderr)
