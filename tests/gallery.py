"""The entries of ``docs/gallery.md``; ``python -m tests.gallery`` takes their pictures and writes their sentences."""

import base64
import io
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from rfviz.experiments import Chart

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gallery.md"
# In pixels: of a figure, of a sheet of small ones, and of a figure without a height. SCALE keeps text sharp.
WIDTH, SHEET_WIDTH, HEIGHT, SCALE = 560, 1100, 400, 1.5
_ENTRY = re.compile(r"```python\n(?P<code>.*?)```\n(?P<told>\n(?:>[^\n]*\n)+\n!\[[^\n]*\]\([^\n]*\)\n)?", re.S)
_ASKED = re.compile(r'result\.figure\((?:"(?P<name>[\w-]+)")?\)\n\Z')


class Entry(NamedTuple):
    """Lines of Python, whose last one asks `result` for a figure; the sentence and the picture below them."""

    code: str
    told: str


def sections() -> dict[str, list[Entry]]:
    """Return the entries of each section by its heading, which is the name of an experiment."""
    _, *parts = re.split(r"^## (.*)\n", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {
        heading: [Entry(match["code"], match["told"] or "") for match in _ENTRY.finditer(text)]
        for heading, text in zip(parts[::2], parts[1::2], strict=True)
    }


def charts_of(entries: list[Entry]) -> list[Chart]:
    """Run the entries of a section one after another, and return the chart that the last line of each asks for."""
    names, charts = {}, []
    for entry in entries:
        exec(entry.code, names)
        charts.append(names["result"].chart(_ASKED.search(entry.code)["name"]))
    return charts


def told_of(chart: Chart) -> str:
    """Return what stands below the lines of a chart."""
    sentence = textwrap.fill(chart.alt, 120, initial_indent="> ", subsequent_indent="> ")
    return f"\n{sentence}\n\n![{chart.name}](gallery/{chart.name}.webp)\n"


def main() -> None:
    """Take pictures and write sentences: those of the sections that are named, or all."""
    found = sections()
    charts = {name: charts_of(found[name]) for name in sys.argv[1:] or found}
    take_pictures([chart for some in charts.values() for chart in some])
    text = PAGE.read_text(encoding="utf-8")
    for name, some in charts.items():
        told = map(told_of, some)
        begin = text.index(f"## {name}\n")
        end = text.find("\n## ", begin) % (len(text) + 1)
        written = _ENTRY.sub(lambda match, told=told: f"```python\n{match['code']}```\n{next(told)}", text[begin:end])
        text = text[:begin] + written + text[end:]
    PAGE.write_text(text, encoding="utf-8")


def take_pictures(charts: list[Chart]) -> None:
    """Let a browser draw charts, and save them small."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from benchmarks._chromium import find_chromium
    from rfviz.figures.plotly_js import needed_script

    folder = PAGE.with_suffix("")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page()
        page.add_script_tag(path=needed_script(["scatter3d"]).path)  # the whole of Plotly
        for chart in charts:
            sheet, height = not chart.on_page, chart.figure.layout.height or HEIGHT
            size = {"width": SHEET_WIDTH if sheet else WIDTH, "height": height, "scale": 1 if sheet else SCALE}
            drawn = page.evaluate(
                "([figure, size]) => Plotly.toImage(JSON.parse(figure), {format: 'png', ...size})",
                [chart.figure.to_json(), size],
            )
            picture = Image.open(io.BytesIO(base64.b64decode(drawn.partition(",")[2])))
            path = folder / f"{chart.name}.webp"
            picture.convert("RGB").save(path, quality=70, method=6)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
