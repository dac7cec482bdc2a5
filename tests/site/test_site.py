"""``rfviz site``: a folder whose pages hold what ``rfviz run`` gives, and ask nobody for anything."""

import ast
import html
import inspect
import itertools
import json
import re
import warnings
from dataclasses import is_dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import ForwardRef, get_type_hints
from urllib.parse import unquote, urlsplit

import pytest

from rfviz import cli
from rfviz.lab.index import entry_of, find_page

pytest.importorskip("pdoc", reason="pip install 'rfviz[site]'")

import pdoc
import plotly.graph_objects as go

import rfviz
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.features import FeatureMap
from rfviz.lab.markdown import html_of
from rfviz.params import Declared
from rfviz.site import build, views
from rfviz.site.examples import examples_page
from rfviz.site.lessons import file_of
from rfviz.site.reference import MODULES, write_reference
from rfviz.site.search import search_index
from rfviz.site.views import View, compute_view

SLUG = "distance-saturation"
FIGURE = "Figure 1 of the paper"


class Addresses(HTMLParser):
    """What a page links to, or loads."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src", "srcset", "action", "poster")]


class Faults(HTMLParser):
    """What is wrong with the elements of a page: those left open, and what a list may not hold."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], []
        self.feed(text)
        self.found += [f"<{tag}> is left open" for tag in self.open]
        # Of a docstring that a converter of Markdown takes for a list of parameters although it is none.
        self.found += re.findall(r"<li>(?:<p>)?<strong>[^<]*(?:&gt;&gt;&gt;| : )[^<]*</strong>", text)

    def handle_starttag(self, tag, attrs):
        if self.open[-1:] in (["ul"], ["ol"]) and tag != "li":
            self.found.append(f"<{tag}> in a list, line {self.getpos()[0]}")
        if tag not in ("br", "hr", "img", "input", "link", "meta", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass  # of a picture in SVG

    def handle_endtag(self, tag):
        if self.open[-1:] != [tag]:
            self.found.append(f"</{tag}> closes {self.open[-2:]}, line {self.getpos()[0]}")
        if tag in self.open:
            del self.open[len(self.open) - self.open[::-1].index(tag) - 1 :]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Write a site of one page, with few frames."""
    folder = tmp_path_factory.mktemp("site") / "new"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "PLAY_S", 0.05)
        assert cli.main(["site", "--out", str(folder), "--page", SLUG, "--quiet"]) == 0
    return folder


def pages(folder):
    return sorted(folder.glob("*.html"))


def charts(path):
    texts = re.findall(r'<script type="application/json">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)
    return {chart["key"]: chart for chart in map(json.loads, texts)}


@pytest.mark.slow
def test_every_address_is_a_file_of_the_site(site):
    assert len(pages(site)) == 6  # the front page, two views, the lessons and two of them
    for page in pages(site):
        for address in Addresses(page.read_text(encoding="utf-8")).found:
            parts = urlsplit(address)
            assert not parts.scheme and not parts.netloc and not parts.path.startswith("/"), (page.name, address)
            assert not parts.path or (site / unquote(parts.path)).is_file(), (page.name, address)
    styles = (site / "shared" / "site.css").read_text(encoding="utf-8")
    assert "url(" not in styles and "@import" not in styles


def test_a_lesson_holds_its_questions_its_answers_and_both_charts(site):
    text = (site / "lesson--saturation.html").read_text(encoding="utf-8")
    assert "{{" not in text and "$" not in text
    steps = re.findall(r'<section class="step" (.*?)</section>', text, re.S)
    assert [re.match(r'data-right="(\d)"', step)[1] for step in steps if "radio" in step] == ["1", "1", "2", "1"]
    assert all(step.count("radio") == 3 for step in steps if "data-curve" not in step)
    drawn = next(step for step in steps if "data-curve" in step)
    before, after = (json.loads(part) for part in re.findall(r"application/json.*?>(.*?)</script>", drawn, re.S))
    assert before["drawing"]["ends"] == [0.1, 2] and "drawing" not in after[0]
    names = [[curve.get("name", "") for curve in chart["figure"]["data"]] for chart in (before, *after)]
    assert not any("32" in name for name in names[0]) and any("32" in name for name in names[1])
    assert "instead of 1.23" in drawn, "facts are worked out"


def test_a_lesson_that_cannot_be_computed_is_left_out_and_linked_nowhere(tmp_path, monkeypatch, capsys):
    def refused(lesson, following, progress, parts):
        if lesson.slug == "kitchen-sinks-error":
            raise DataError("There are no data.")
        return f'<a href="{file_of(following)}"></a>' if following else ""

    monkeypatch.setattr(build, "lesson_page", refused)
    monkeypatch.setattr(build, "views_of", lambda page, progress: [])
    assert cli.main(["site", "--out", str(tmp_path), "--page", "kitchen-sinks", "--page", "hashing", "--quiet"]) == 0
    assert "lesson “" in capsys.readouterr().err.lower()
    assert not (tmp_path / "lesson--kitchen-sinks-error.html").exists()
    linked = [name for page in tmp_path.glob("less*.html") for name in Addresses(page.read_text("utf-8")).found]
    assert "lesson--hashing.html" in linked and "lesson--kitchen-sinks-error.html" not in linked


def test_the_search_knows_titles_and_headings_and_where_they_are(site):
    script = (site / "shared" / "search.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("rfviz.index = ").rstrip(";\n"))
    found = {file: (title, headings) for file, title, headings in index}
    assert set(found) == {page.name for page in pages(site)}
    for file, (title, headings) in found.items():
        text = html.unescape(re.sub("<[^>]+>", "", (site / file).read_text(encoding="utf-8")))
        assert title in text and all(heading in text for heading in headings), file
    assert "Feature maps" in found["index.html"][1] and found["lesson--saturation.html"][1]
    library = '<title>rfviz.features</title><section id="RandomMaxout"><section id="RandomMaxout.fit">'
    assert '["a.html","rfviz.features",{"RandomMaxout":"#RandomMaxout"}]' in search_index({"a.html": library})


def test_plotly_is_there_once_and_no_page_holds_it(site):
    addresses = {chart["plotly"]["address"] for page in pages(site) for chart in charts(page).values()}
    assert len(addresses) == 1 and (site / addresses.pop()).stat().st_size > 1_000_000
    assert len(list(site.rglob("plotly*.js"))) == 1
    assert all(page.stat().st_size < 600_000 for page in pages(site))


@pytest.mark.parametrize("figure", ["", FIGURE])
def test_charts_hold_what_run_gives(site, tmp_path, figure):
    chosen = ["--figure", figure] if figure else []
    assert cli.main(["run", SLUG, *chosen, "--out", str(tmp_path), "--quiet"]) == 0
    path = site / (f"{SLUG}--figure-1-of-the-paper.html" if figure else f"{SLUG}.html")
    chart = charts(path)["saturation"]
    expected = json.loads((tmp_path / "saturation.json").read_text(encoding="utf-8"))
    assert chart["figure"]["data"] == expected["data"]
    assert chart["figure"]["layout"]["xaxis"] == expected["layout"]["xaxis"]
    text = path.read_text(encoding="utf-8")
    assert "the 4,950 pairs of 100 points" in text and chart["alt"] in text


def test_what_can_be_played_is_in_files_of_its_own(site):
    text = (site / f"{SLUG}.html").read_text(encoding="utf-8")
    for symbol in ("m", "q", "seed"):
        name = re.search(rf"&quot;id&quot;: &quot;(\w+\.js)&quot;, &quot;symbol&quot;: &quot;{symbol}&quot;", text)[1]
        code = (site / "shared" / "frames" / name).read_text(encoding="utf-8")
        frames = json.loads(json.loads(code.partition(" = ")[2].rstrip(";\n")))
        assert len(frames["values"]) == len(frames["changes"]) > 1 and "saturation" in frames["first"]


@pytest.mark.slow
def test_a_new_site_replaces_the_old_one_and_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "lessons_of", lambda slugs: ())
    assert cli.main(["site", "--out", str(tmp_path), "--page", "binning", "--quiet"]) == 0
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert cli.main(["site", "--out", str(tmp_path), "--page", "hashing"]) == 0
    assert not list(tmp_path.glob("binning*"))
    assert (tmp_path / "hashing--faces.html").is_file() and (tmp_path / "notes.txt").read_text() == "mine"
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) - len("mine")
    assert f"{size / 1e6:.1f} MB" in capsys.readouterr().out and size < 8e6


@pytest.mark.parametrize(
    ("folder", "page", "says"),
    [
        ("full", SLUG, "is not empty, and no site of rfviz. Name a new folder with --out, or empty it."),
        ("broken", SLUG, "is no list of files. Name another folder with --out."),
        ("full/file/below", SLUG, "cannot be written (Not a directory). Name another with --out."),
        ("new", "no-such-page", "page must be the name of a page that computes; got 'no-such-page'."),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(tmp_path, capsys, folder, page, says):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "site.json").write_text("{", encoding="utf-8")
    assert cli.main(["site", "--out", str(tmp_path / folder), "--page", page, "--quiet"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("rfviz site: ") and says in told and told.count("\n") == 1
    assert (tmp_path / "full" / "file").read_text(encoding="utf-8") == "mine" and not (tmp_path / "new").exists()


@pytest.mark.slow
def test_a_list_of_files_names_no_file_outside_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "lessons_of", lambda slugs: ())
    monkeypatch.setattr(views, "PLAY_S", 0.05)
    (tmp_path / "outside.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "site.json").write_text('["../outside.txt"]', encoding="utf-8")
    assert cli.main(["site", "--out", str(tmp_path / "site"), "--page", "hashing", "--quiet"]) == 0
    assert (tmp_path / "outside.txt").is_file()


def of(slug):
    return View(find_page(slug), "Start", "", f"{slug}.html", f"rfviz run {slug}")


def test_a_view_that_takes_too_long_is_left_out_with_the_command_that_computes_it():
    view = compute_view(of("guarantees"), {}, lambda share, text: None, limit=-1.0, cache=Cache())
    assert view.computed is None
    assert "takes longer than -1 seconds" in view.reason and view.reason.endswith("rfviz run guarantees")
    view = compute_view(of("guarantees"), {"data": "no-such-data"}, lambda share, text: None)
    assert view.computed is None and "no-such-data" in view.reason


@pytest.mark.slow
def test_a_sweep_that_takes_too_long_shows_its_parts(monkeypatch):
    values = {"data": "moons", "data.n_samples": 100, "m_max": 100}

    def computed(limit):
        clock = itertools.count()
        with monkeypatch.context() as patch:
            patch.setattr(views.time, "process_time", lambda: next(clock))
            view = compute_view(of("accuracy"), values, lambda share, text: None, limit, cache=Cache())
            return view, next(clock)

    whole, n_asked = computed(10_000)
    part, _ = computed(n_asked * 3 // 4)
    assert whole.reason == "" and "Some parts would have taken" in part.reason and "rfviz run accuracy" in part.reason
    errors = [view.computed.charts[0].frame["error"] for view in (part, whole)]
    assert errors[0].notna().any() and not errors[0].equals(errors[1])


def test_words_become_html_with_formulas():
    text = html_of("The **plateau** at $\\sigma_q$ is 1.\n\n$$\\arg\\max_j \\langle w_j, x\\rangle$$")
    assert "<strong>plateau</strong>" in text and text.count("<math") == 2 and "\\" not in text and "$" not in text


def test_examples_stand_with_what_they_print(tmp_path):
    (tmp_path / "sums.py").write_text(
        '"""Add <two> numbers.\n\nOne learns $x^2$.\n"""\n\nprint(3 < 17, 8 + 9)\n', encoding="utf-8"
    )
    text = examples_page(tmp_path, lambda share, text: None, [])
    assert "<h2>Add &lt;two&gt; numbers</h2>" in text and "print(3 &lt; 17, 8 + 9)" in text and "True 17" in text
    (tmp_path / "broken.py").write_text("raise ValueError", encoding="utf-8")
    with pytest.raises(DataError, match=r"The example broken\.py did not finish"):
        examples_page(tmp_path, lambda share, text: None, [])


@pytest.mark.slow
def test_the_whole_site_holds_the_library(tmp_path, monkeypatch):
    def write_stub(folder):
        folder.mkdir()
        (folder / "index.html").write_text("reference", encoding="utf-8")
        return [folder / "index.html"]

    monkeypatch.setattr(views, "PLAY_S", 0.05)
    monkeypatch.setattr(build, "PAGES", (entry_of("hashing"),))
    monkeypatch.setattr(build, "lessons_of", lambda slugs: ())
    monkeypatch.setattr(build, "write_reference", write_stub)
    monkeypatch.setattr(build, "examples_page", lambda folder, progress, parts: f"{folder.name}")
    assert cli.main(["site", "--out", str(tmp_path), "--quiet"]) == 0
    linked = Addresses((tmp_path / "index.html").read_text(encoding="utf-8")).found
    assert {"library/index.html", "gallery.html", "examples.html", "hashing.html"} <= set(linked)
    gallery = (tmp_path / "gallery.html").read_text(encoding="utf-8")
    assert "RandomMaxout" in gallery and not Faults(gallery).found
    pictures = [address for address in Addresses(gallery).found if address.endswith(".webp")]
    assert pictures and all((tmp_path / picture).is_file() for picture in pictures)
    assert (tmp_path / "examples.html").read_text() == "examples" and (tmp_path / "library" / "index.html").is_file()
    # The files of the reference go with the site.
    assert "library/index.html" in json.loads((tmp_path / "site.json").read_text(encoding="utf-8"))


def docstrings(module):
    """Yield the docstrings of a module or package of rfviz that its reference can show, with their places."""
    root = Path(rfviz.__file__).parent / module
    for path in [*root.rglob("*.py"), *root.parent.glob(f"{module}.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "name", path.name)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and not name.startswith("_"):
                yield f"{path.relative_to(root.parent)}: {name}", ast.get_docstring(node) or ""


def faults_of(docstring):
    return Faults(pdoc.render_helpers.to_html(pdoc.docstrings.numpy(docstring))).found


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_docstrings_are_lists_where_they_look_like_lists(module):
    faults = {place: found for place, text in docstrings(module) if (found := faults_of(text))}
    assert not faults


@pytest.mark.parametrize(
    "text",
    [
        "Do it.\n\nRaises\n------\nDataError\n    If not.\n\n>>> do()\n<Result of 3>",
        'Do it.\n\nParameters\n----------\ndevice : {"cpu", "cuda:0"}',
        "Do it for each a_{i<j} of them.",
    ],
)
def test_docstrings_that_no_page_shows_well_are_found(text):
    assert faults_of(text)


@pytest.mark.parametrize("module", MODULES)
def test_constructors_say_their_types_wherever_they_are_read(module):
    """What a class inherits was annotated in another module, by names that its own may not import."""
    public = import_module(f"rfviz.{module}")
    classes = [one for name in public.__all__ if inspect.isclass(one := getattr(public, name))]
    for cls in (one for one in classes if inspect.isfunction(one.__init__)):
        # What their modules import for type checkers alone: Plotly is an extra, and models must not need maps.
        hints = get_type_hints(cls.__init__, localns={"go": go, "FeatureMap": FeatureMap})
        arguments = inspect.signature(cls).parameters.values()
        is_made = issubclass(cls, Declared) or is_dataclass(cls)
        assert not is_made or {one.name for one in arguments} <= set(hints), cls
        assert not any(isinstance(hint, str | ForwardRef) for hint in hints.values()), cls


@pytest.mark.slow
def test_the_reference_asks_no_host_and_leads_back(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of an annotation that says nothing where it is read
        files = write_reference(tmp_path / "library")
    assert tmp_path / "library" / "rfviz" / "features.html" in files
    (search,) = (path.read_text(encoding="utf-8") for path in files if path.name == "search.js")
    docs, _ = json.JSONDecoder().raw_decode(search.partition("const docs = ")[2])
    assert "rfviz.features.RandomMaxout" in {doc["fullname"] for doc in docs}
    features = (tmp_path / "library" / "rfviz" / "features.html").read_text(encoding="utf-8")
    base = "sklearn.base.ClassNamePrefixFeaturesOutMixin"
    assert f'<a href="https://scikit-learn.org/stable/modules/generated/{base}.html">{base}</a>' in features
    assert len(search) < 1_500_000  # without an index of its words, which is four times as large
    for page in (path for path in files if path.suffix == ".html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?//', text), page.name
        assert not Faults(text).found, page.name
        home = [
            address for address in Addresses(text).found if (page.parent / address).resolve() == tmp_path / "index.html"
        ]
        assert home, page.name
        for address in Addresses(text).found:
            path = urlsplit(address).path
            assert urlsplit(address).scheme or not path or address in home or (page.parent / path).is_file(), address
