"""Every item of the five papers has a row that says what there is of it, and a number that shows it.

The checks are Python in `rows.yaml`. They compare what a preset, an experiment or a function gives with the paper, with
a closed form or with scikit-learn, so that a row does not stay "full" by its words alone.
"""

import importlib
import inspect
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.papers import tools

HERE = Path(__file__).parent
ROWS = yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8"))
DOC = HERE.parents[1] / "docs" / "papers.md"
PAPERS = {"A": 51, "B": 31, "C": 28, "D": 45}
STATUSES = ("full", "part", "missing", "impossible here")
CHECKED = [row for row in ROWS if "check" in row]


def test_every_item_of_the_papers_has_its_row():
    assert [row["row"] for row in ROWS] == [f"{p}{i}" for p, n in PAPERS.items() for i in range(1, n + 1)]
    for row in ROWS:
        assert row["status"] in STATUSES
        assert row.keys() <= {"row", "place", "what", "status", "reason", "check", "test", "slow"}
        # What is not whole says what lacks; what is there, wholly or in part, shows a number.
        assert ("reason" in row) == (row["status"] != "full"), row["row"]
        assert ("check" in row) != ("test" in row) or row["status"] in ("missing", "impossible here"), row["row"]


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=r["row"], marks=[pytest.mark.slow] if r.get("slow") else []) for r in CHECKED]
)
@pytest.mark.filterwarnings("ignore")  # small settings are noisy; that is not what a row is about
def test_the_check_of_a_row_holds(row):
    assert "assert" in row["check"] or "near(" in row["check"]
    exec(
        compile(row["check"], f"rows.yaml, {row['row']}", "exec"),
        {name: getattr(tools, name) for name in tools.__all__},
    )


@pytest.mark.parametrize("row", [pytest.param(r, id=r["row"]) for r in ROWS if "test" in r])
def test_the_test_of_a_row_is_there_and_asserts(row):
    module, name = row["test"].split("::")
    test = getattr(importlib.import_module(module.removesuffix(".py").replace("/", ".")), name)
    assert "assert" in inspect.getsource(test)


def test_the_document_has_these_rows():
    assert DOC.read_text(encoding="utf-8") == document(), "Write it anew: python -m tests.papers.test_rows"


HEADINGS = {
    "A": "*Random Maxout Features* (Mroueh, Rennie, Goel 2015)",
    "B": "*Weighted Sums of Random Kitchen Sinks* (Rahimi, Recht 2008)",
    "C": "Lecture notes on random Fourier and binning features, after Rahimi and Recht 2007",
    "D": "*Random Features for Compositional Kernels* (Daniely, Frostig, Gupta, Singer 2017)",
}


def document():
    """Return the text of the document."""
    counts = Counter(row["status"] for row in ROWS)
    lines = [
        "# The papers, row by row",
        "",
        "What there is of the five papers, and what lacks: theorems, remarks, figures, tables, experiments.",
        "Of *full* and *part* a number is checked on every change (`tests/papers/rows.yaml`). *Random Maxout Features*",
        "has two versions, which are one list here.",
        "",
        f"{len(ROWS)} rows: {', '.join(f'{counts[status]} {status}' for status in STATUSES)}.",
    ]
    for paper, heading in HEADINGS.items():
        lines += ["", f"## {heading}", "", "| | Place | What | Status | What lacks |", "|--|--|--|--|--|"]
        for row in ROWS:
            if row["row"][0] == paper:
                cells = (row["row"], row["place"], row["what"], row["status"], row.get("reason", ""))
                lines.append("| " + " | ".join(cell.strip().replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DOC.write_text(document(), encoding="utf-8")
