"""``docs/gallery.md`` has lines for each chart of each experiment, and they draw what it says."""

import json
import re

import pytest

from rfviz.experiments import EXPERIMENTS
from tests.gallery import PAGE, charts_of, sections, told_of
from tests.lab.record import RECORD

SECTIONS = sections()
# Those that take seconds, or want what not every machine has.
SLOW = {"Speech", "Accuracy", "KitchenSinks", "KernelApproximation", "KernelGuarantees", "LearningGuarantees"}


def names_of(charts):
    """Return the names of charts, those of one kind that are numbered only once."""
    return {re.sub(r"-\d+$", "", name) for name in charts}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_its_section_with_every_chart_on_record(name):
    assert name in SECTIONS, f"write “## {name}” and its lines into {PAGE.name}, then run python -m tests.gallery"
    # A page may show several experiments, of one module.
    entries = [entry for other in SECTIONS if EXPERIMENTS[other] == EXPERIMENTS[name] for entry in SECTIONS[other]]
    shown = names_of(re.findall(r"!\[(.*?)\]", "".join(entry.told for entry in entries)))
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    page = EXPERIMENTS[name].replace("_", "-")
    on_record = names_of(
        chart for case, charts in record.items() if case.rpartition(" ")[0] == page for chart in charts
    )
    assert on_record and on_record <= shown


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SECTIONS]
)
def test_the_lines_of_a_section_draw_what_stands_below_them(name):
    entries = SECTIONS[name]
    charts = charts_of(entries)
    assert [entry.told for entry in entries] == [told_of(chart) for chart in charts], "run python -m tests.gallery"
    for chart in charts:
        assert chart.figure.data or chart.figure.layout.images
        assert (PAGE.with_suffix("") / f"{chart.name}.webp").is_file()


def test_lines_are_few_and_every_picture_is_one_of_theirs():
    for name, entries in SECTIONS.items():
        for entry in entries:
            lines = [line for line in entry.code.splitlines() if line and not line.startswith(("from ", "import "))]
            assert len(lines) <= 3, name
    linked = re.findall(r"\]\(gallery/(.*?)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(path.name for path in PAGE.with_suffix("").iterdir())
