"""The notebooks of ``examples/`` are those that their sources give, small, and they run."""

import json
import re

import pytest

from rfviz.experiments import EXPERIMENTS
from tests.notebooks import FOLDER, notebooks
from tests.test_gallery import SLOW

# Sections that take seconds are run by tests/test_gallery.py, line by line; here their pages would take minutes.
LONG = {f"{EXPERIMENTS[name]}.ipynb" for name in SLOW}


def test_notebooks_are_what_their_sources_give_and_hold_no_output():
    expected = notebooks()
    assert {path.name for path in FOLDER.glob("*.ipynb")} == set(expected), "run python -m tests.notebooks"
    assert len(expected) == len(set(EXPERIMENTS.values())) + 1
    for name, text in expected.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run python -m tests.notebooks"
        cells = json.loads(text)["cells"]
        assert len(text) < 10_000 and cells[0]["source"].startswith("# ")
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.slow
def test_notebooks_run_in_a_kernel_and_show_their_results(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    quick = [nbformat.reads(text, as_version=4) for name, text in notebooks().items() if name not in LONG]
    # One kernel for all: to start one takes longer than most of them.
    one = quick[0]
    one.cells = [cell for notebook in quick for cell in notebook.cells]
    for number, cell in enumerate(one.cells):
        cell.id = str(number)
    nbclient.NotebookClient(one, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [cell for cell in one.cells if cell.cell_type == "code"]
    shown = {cell.source: {kind for output in cell.outputs for kind in output.get("data", {})} for cell in code}
    assert len(quick) >= 8 and "text/html" in shown["report"]
    figures = [kinds for source, kinds in shown.items() if re.search(r"^result\.figure\(.*\)\Z", source, re.M)]
    assert len(figures) >= 15 and all("application/vnd.plotly.v1+json" in kinds for kinds in figures)
