"""A new question is one class and one line: the example of CONTRIBUTING.md is asked wherever questions are."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz import cli, datasets
from rfviz.datasets.files.own import own_spec_of
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.questions import QUESTIONS
from tests.app_pages import OFFLINE, opened, prose, specs

MODULE = "rfviz.inspection.signs"
SAID = "Numbers below 0 are in “x” and “debt”."


def written():
    """Return the code that CONTRIBUTING.md shows for a question."""
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## Add a question of Quick inspection")[2].partition("\n## ")[0]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)


@pytest.fixture
def signs(tmp_path, monkeypatch):
    """Add the example as a contributor does: a file, and a line in the tuple of questions."""
    path = tmp_path / "signs.py"
    path.write_text(written(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(MODULE, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, MODULE, module)
    spec.loader.exec_module(module)
    questions = (*QUESTIONS[:4], module.Signs(), *QUESTIONS[4:])
    for user in ("rfviz.inspection.inspection", "rfviz.lab.quick_inspection.views"):
        monkeypatch.setattr(f"{user}.QUESTIONS", questions)
    return module


def table():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"x": generator.normal(size=120), "size": generator.uniform(1, 2, 120)})
    return frame.assign(debt=np.where(np.arange(120) < 30, -1.5, 2.0), kind=generator.choice(["u", "v"], 120))


def test_a_new_question_is_answered_in_the_report_and_in_a_notebook(signs, tmp_path):
    report = rfviz.inspect(table())
    found = report.findings.set_index("name")
    # What is worth a look comes before what is fine.
    assert found.index.tolist().index("signs") < found.index.tolist().index("columns")
    assert found.loc["signs", "status"] == "look" and found.loc["signs", "columns"] == ["x", "debt"]
    assert (
        found.loc["signs", "text"] == SAID
        and SAID in report._repr_html_()
        and f"Signs (worth a look): {SAID}" in repr(report)
    )
    assert report.figure("signs").data[0].x.tolist() == [100.0 * np.mean(table()["x"] < 0), 25.0]
    assert not report.mask("signs").any()
    html = report.to_html(tmp_path / "report.html")
    assert SAID in html and "The share of numbers below 0 in each column." in html
    positive = rfviz.inspect(table()[["size", "kind"]]).findings.set_index("name").loc["signs"]
    assert (positive["status"], positive["text"]) == ("fine", "No number is below 0.")


@pytest.mark.slow
def test_a_new_question_is_answered_on_the_command_line(signs, tmp_path, capsys):
    table().to_csv(tmp_path / "mine.csv", index=False)
    out = tmp_path / "out"
    assert cli.main(["run", "quick-inspection", "--data", str(tmp_path / "mine.csv"), "--out", str(out)]) == 0
    assert f"Signs (worth a look): {SAID}" in capsys.readouterr().out
    told = json.loads((out / "findings.json").read_text(encoding="utf-8"))
    records = {one["name"]: one for one in told["findings"]}
    assert records["signs"]["columns"] == ["x", "debt"]
    assert pd.read_csv(out / "signs.csv")["below 0"].tolist() == [np.mean(table()["x"] < 0), 0.25]


@pytest.mark.slow
def test_a_new_question_is_answered_on_the_page_with_its_picture_numbers_and_script(signs, tmp_path, monkeypatch):
    table().to_csv(tmp_path / "mine.csv", index=False)
    datasets.set_folder(tmp_path)
    try:
        at = opened("quick-inspection", {"data": "folder:mine"})
        assert SAID in prose(at)
        before = len(specs(at))
        at.button(key="quick-inspection.show-signs").click().run()
        assert not at.exception
        assert len(specs(at)) == before + 1 and at.dataframe[-1].value["column"].tolist() == ["x", "debt"]
        (code,) = at.code
        drawn, names = [], {}

        def show(figure):
            drawn.append(figure)

        monkeypatch.setattr("plotly.graph_objects.Figure.show", show)
        exec(code.value, names)
        assert len(drawn) == 1 and names["result"].shares == {"x": np.mean(table()["x"] < 0), "debt": 0.25}
        at = opened("quick-inspection", {"data": "folder:mine", "details-0": True})
        assert any("**Signs.** All rows" in markdown for markdown in prose(at))
    finally:
        datasets.set_folder(None)


@pytest.mark.parametrize("name", OFFLINE)
def test_each_question_of_a_data_set_has_a_short_name_of_its_own(name):
    keys = [question.key for question in Inspection(datasets.load(name)).questions()]
    assert len(set(keys)) == len(keys) >= 8


def test_answers_are_asked_for_by_short_names():
    inspection = Inspection(own_spec_of(upload_of_frame(table()), {}).load())
    assert inspection.answer("columns") is inspection.answer(inspection.question("columns"))
    with pytest.raises(DataError, match=r"no question 'nothing' of these data\. Known: all-rows, balance, columns"):
        inspection.answer("nothing")
