"""What is said next to the findings: which column is the label and why; the Python that mends a finding, which runs."""

import json

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz.cli import main
from rfviz.datasets import Dataset
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import ParameterError
from rfviz.inspection.finding import STATUSES
from rfviz.inspection.inspection import Inspection

N = 240


def plain(seed=0, n=N):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(generator.normal(size=(n, 3)), columns=["a", "b", "c"])
    return frame.assign(kind=np.where(frame.a + frame.b + generator.logistic(size=n) > 0, "up", "down"))


def planted():
    g, frame = np.random.default_rng(1), plain()
    leak = np.where(frame.kind == "up", 1.0, 0.0) + 0.01 * g.normal(size=N)
    wrong = frame.assign(a=np.where(frame.kind == "up", 3.0, -3.0) + 0.3 * frame.a)
    wrong.loc[17, "kind"] = "up" if wrong.kind[17] == "down" else "down"
    target = frame.drop(columns="kind").assign(price=2.0 * frame.a + frame.b + 0.1 * g.normal(size=N))
    target.loc[31, "price"] = 60.0
    twice = pd.concat([frame, frame[["a"]]], axis=1)
    return {
        "copies": ("copies", pd.concat([frame, frame.head(5)])),  # with a repeated index
        "copies with other labels": ("copies", pd.concat([frame, frame.head(5).assign(kind="new")])),
        "columns": ("columns", frame.assign(**{"a “constant”": 1, "twice": frame.b, "id": np.arange(N)})),
        "columns of one name": ("columns", twice),
        "columns that are numbers": ("columns", frame.assign(one=1).set_axis([0, 1, 2, "kind", 4], axis=1)),
        "leaks": ("leaks", frame.assign(leak=leak)),
        "gaps": ("missing", frame.assign(b=frame.b.where(np.arange(N) % 20 > 0))),
        "mostly gaps": ("missing", frame.assign(b=frame.b.where(np.arange(N) % 4 == 0), empty=np.nan)),
        "gaps that tell": ("missing", frame.assign(b=frame.b.where((frame.kind == "up") | (frame.a > 0)))),
        "infinite": ("missing", frame.assign(b=frame.b.where(np.arange(N) % 20 > 0, np.inf))),
        "outlier": ("outliers", frame.assign(c=frame.c.where(np.arange(N) != 9, 80.0))),
        "wrong label": ("labels", wrong),
        "wrong target": ("labels", target.set_index(np.zeros(N))),
    }


PLANTED = planted()


def inspected(name, frame):
    return rfviz.inspect(frame, label="price" if "price" in frame else "kind", only=name)


def found(report, name):
    return report.findings.set_index("name").loc[name]


@pytest.mark.parametrize("case", PLANTED)
def test_the_python_next_to_a_finding_mends_it(case):
    name, df = PLANTED[case]
    report = inspected(name, df)
    before = found(report, name)
    assert before["status"] in ("look", "warning") and before["remedy"]
    mended = eval(before["remedy"], {"df": df, "report": report})
    assert 0.5 * df.size < mended.size < df.size
    after = found(inspected(name, mended), name)
    assert after["status"] == "fine" and not after["columns"] and not after["remedy"], after["text"]


def test_the_python_runs_on_the_rows_of_a_file(tmp_path):
    PLANTED["copies"][1].to_csv(tmp_path / "twice.csv", index=False)
    report = rfviz.inspect(tmp_path / "twice.csv", label="kind", only="copies")
    mended = eval(found(report, "copies")["remedy"], {"df": report.frame, "report": report})
    assert len(mended) == N and found(inspected("copies", mended), "copies")["status"] == "fine"
    pd.testing.assert_frame_equal(mended, plain(), check_dtype=False)


def test_what_is_fine_has_nothing_to_mend():
    report = rfviz.inspect(plain(), label="kind", only="columns,copies,missing,leaks")
    assert list(report.findings["remedy"]) == [""] * 4


def test_the_most_urgent_findings_come_first():
    frame = PLANTED["columns"][1].assign(leak=PLANTED["leaks"][1].leak)
    report = rfviz.inspect(frame, label="kind", only="copies,columns,leaks,balance")
    places = [list(STATUSES).index(status) for status in report.findings["status"]]
    assert places == sorted(places) and len(set(places)) > 1
    # The report as text and as HTML says all in that order.
    for text in (repr(report), report._repr_html_(), report.to_html()):
        where = [text.index(said.partition("“")[0][:30]) for said in report.findings["text"] if "“" not in said[:12]]
        assert where == sorted(where)


def test_only_what_is_asked_is_computed(monkeypatch):
    asked = rfviz.inspect(plain(), label="kind", only=["copies,columns", "missing"])
    assert set(asked.findings["name"]) == {"copies", "columns", "missing"}
    every = Inspection(upload_of_frame(plain()).prepare()).findings()
    every = {finding.key: finding.text for finding in every if finding.key in set(asked.findings["name"])}
    assert dict(zip(asked.findings["name"], asked.findings["text"], strict=True)) == every
    with pytest.raises(ParameterError, match=r"must name questions; got 'copy'\. Known: all-rows, balance,"):
        rfviz.inspect(plain(), only="columns,copy")
    monkeypatch.setattr(Inspection, "maps", None)  # which would be called if anything were drawn
    rfviz.inspect(plain(), only="copies")


@pytest.mark.parametrize(
    "values",
    [np.arange(40) % 7 * 0.5, np.array(["p", "q"])[np.arange(40) % 2], pd.date_range("2020-01-01", periods=40), 1.0],
)
def test_a_table_of_one_column_has_a_report(values):
    for name in ("a", "y"):
        report = rfviz.inspect(pd.DataFrame({name: values}, index=range(40)), only="columns,copies,missing")
        assert len(report.findings) == 3 and report.label is None


# --- the label ----------------------------------------------------------------------------------------------------


LABELS = {
    "species first": (plain().rename(columns={"kind": "species"})[["species", "a", "b", "c"]], "species"),
    "words last": (plain(), "kind"),
    "target in the middle": (plain().rename(columns={"kind": "Target"})[["a", "Target", "b", "c"]], "Target"),
    "y last": (plain().rename(columns={"c": "y"})[["a", "b", "y"]], "y"),
    "x and y": (plain().rename(columns={"a": "x", "b": "y"})[["x", "y"]], "y"),
    "classes next to coordinates": (plain().rename(columns={"a": "x", "b": "y"})[["x", "y", "kind"]], "kind"),
    "a place": (plain().set_axis(["x", "y", "z", "depth"], axis=1)[["x", "y", "z"]], None),
    "two of that name": (plain().rename(columns={"kind": "class"}).assign(survived=np.arange(N) % 2), None),
    "two columns of words": (plain().assign(region=np.where(np.arange(N) % 3, "east", "west")), None),
    "dates": (plain().assign(day=pd.date_range("2020-01-01", periods=N))[["day", "a", "kind"]], None),
    "many values in the middle": (plain().rename(columns={"b": "response"})[["a", "response", "c"]], None),
    "numbers": (plain()[["a", "b", "c"]], None),
}


@pytest.mark.parametrize("case", LABELS)
def test_a_label_is_taken_only_where_nothing_speaks_against_it(case):
    frame, label = LABELS[case]
    report = rfviz.inspect(frame, only="columns")
    assert report.label == label
    said = "No column was taken for the label: " if label is None else f"“{label}” was taken for the label: "
    assert report.notes[0].startswith(said) and "--label" in report.notes[0]
    assert report.notes[0] in repr(report) and report.notes[0].partition(":")[0] in report._repr_html_()


def test_a_label_that_is_given_is_no_guess():
    frame = LABELS["two of that name"][0]
    assert "“class” and “survived” are named like one" in rfviz.inspect(frame, only="columns").notes[0]
    given = rfviz.inspect(frame, label="survived", only="columns")
    assert (given.label, given.notes) == ("survived", ("The label is “survived”.",))
    none = rfviz.inspect(plain(), label=False, only="columns")
    assert (none.label, none.notes) == (None, ("No column is used as the label.",))
    # Nor is a column that is not used.
    assert rfviz.inspect(plain(), leave_out="kind", only="columns").label is None


def test_json_tells_what_was_taken_for_what(tmp_path, capsys):
    frame = plain().assign(Year=np.arange(N) + 1700)[["Year", "a", "b", "kind"]]
    path = tmp_path / "a.csv"
    path.write_text("# made by hand\n" + frame.to_csv(index=False, sep=";"))
    assert main(["run", "quick-inspection", "--data", str(path), "--json", "--only", "columns,copies"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [told[name] for name in ("rows", "label", "order", "guessed")] == [N, "kind", "Year", ["label", "order"]]
    notes = "\n".join(told["notes"])
    for said in ("“kind” was taken for the label", "“Year” was taken for the order", "comments", "semicolons"):
        assert said in notes
    assert {finding["name"] for finding in told["findings"]} == {"columns", "copies"}
    report = rfviz.inspect(path, only="columns,copies")
    assert json.loads(report.to_json()) == told and list(report.notes) == told["notes"]
    assert len(report.claims) == sum(len(finding["claims"]) for finding in told["findings"]) > 0
    assert report.claims.set_index("what").loc["copies", "value"] == 0
    # As text the notes come first; with the label given nothing is guessed.
    wanted = ["--label", "a", "--only", "columns", "--only", "copies", "--quiet", "--out", str(tmp_path / "out")]
    assert main(["run", "quick-inspection", "--data", str(path), *wanted[:-3], *wanted[-2:]]) == 0
    assert capsys.readouterr().out.startswith("The label is “a”.\n")
    written = json.loads((tmp_path / "out" / "findings.json").read_text(encoding="utf-8"))
    assert (written["label"], written["guessed"]) == ("a", ["order"]) and len(written["findings"]) == 2


def test_words_that_count_as_missing_are_told(tmp_path):
    frame = plain().assign(size=np.where(np.arange(N) < 7, "?", np.arange(N).astype(str)))
    frame["sort"] = np.where(np.arange(N) < 5, "n/a", np.where(np.arange(N) % 2, "oak", "elm"))
    frame["harm"] = np.where(np.arange(N) < 9, "None", np.where(np.arange(N) % 2, "Minor", "Major"))  # a word, here
    frame.to_csv(tmp_path / "a.csv", index=False)
    for data in (frame, tmp_path / "a.csv"):
        notes = rfviz.inspect(data, label="kind", only="missing").notes
        assert "Counted as missing, next to empty cells: “?” (7 cells), “n/a” (5 cells)." in notes


def test_options_that_contradict_each_other_are_refused(tmp_path, capsys):
    plain().to_csv(tmp_path / "a.csv", index=False)
    data = ["--data", str(tmp_path / "a.csv")]
    assert main(["run", "quick-inspection", *data, "--label", "kind", "--no-label"]) == 2
    assert "Give one of them" in capsys.readouterr().err
    assert main(["run", "hashing", *data, "--only", "copies"]) == 2
    assert "--only names findings, and hashing has none" in capsys.readouterr().err


def test_data_without_a_file_have_nothing_to_tell():
    assert Inspection(Dataset("made", plain()[["a", "b"]].to_numpy(dtype=np.float32))).notes() == ()


def test_a_file_is_refused_by_a_page_whose_charts_do_not_depend_on_it(tmp_path, capsys):
    plain().to_csv(tmp_path / "a.csv", index=False)
    for page in ("pixel-cooccurrence", "zoo"):
        assert main(["run", page, "--data", str(tmp_path / "a.csv"), "--quiet", "--out", str(tmp_path)]) == 2
        assert f"--data has no effect: {page} uses no data" in capsys.readouterr().err
