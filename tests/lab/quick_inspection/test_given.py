"""What ``rfviz.inspect`` is given: columns by any name, labels of any kind, tables that could stop it."""

import json

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError
from rfviz.inspection.finding import Finding, findings_frame
from tests.datasets.files.samples import picture, zipped

N = 45
RNG = np.random.default_rng(0)
LABELS = np.where(np.arange(N) % 3, "p", "q")


def table(n=N, **columns):
    return pd.DataFrame({"a": RNG.normal(size=n), "b": RNG.normal(size=n), **columns})


def finding(data, name, **given):
    return rfviz.inspect(data, only=name, **given).findings.set_index("name").loc[name]


@pytest.mark.parametrize(
    "names",
    [
        [0, 1, 2],
        [None, ("b", 1), ("y", 2)],
        ["x" * 70, "x" * 70 + " ", "the  label\nof the rows "],
        list(pd.period_range("2020-01", periods=3, freq="M")),
    ],
)
def test_columns_are_given_and_told_by_their_own_names(names):
    frame = table(y=LABELS).assign(b=1.5)[["a", "b", "y"]]
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    report = rfviz.inspect(frame, label=names[2])
    found = report.findings.set_index("name")
    assert "“p” has 67%" in found.loc["balance", "text"]
    assert found.loc["columns", "columns"] == [names[1]]
    if names[0] != 0:
        assert finding(frame, "balance", label=-1)["text"] == found.loc["balance", "text"]


def test_a_table_of_findings_takes_names_of_any_type():
    found = Finding("Columns", "columns", "look", "Two.").about(columns=[1, ("b", 2), None])
    assert findings_frame([found])["columns"].tolist() == ["1; ('b', 2); None"]


def test_one_name_to_leave_out_is_not_its_letters():
    frame = table(ab=RNG.normal(size=N)).iloc[2:].reindex(range(N)).assign(y=LABELS)
    used = {"ab": {"a", "b"}, ("a", "ab"): {"b"}, (): {"a", "b", "ab"}, 0: {"b", "ab"}}
    for left_out, columns in used.items():
        assert set(finding(frame, "missing", label="y", leave_out=left_out)["columns"]) == columns
    tuples = frame.set_axis([("a", "ab"), "a", "ab", "y"], axis=1)
    assert set(finding(tuples, "missing", label="y", leave_out=("a", "ab"))["columns"]) == {"a", "ab"}


def test_rows_and_findings_of_a_file_have_the_names_of_the_file(tmp_path):
    frame = table(**{"y ": LABELS, "x" * 70: 1.0})
    frame.iloc[7] = frame.iloc[3]
    frame.to_csv(tmp_path / "a.csv", index=False)
    report = rfviz.inspect(tmp_path / "a.csv", label="y ")
    assert list(report.rows("copies")) == list(frame)
    assert report.findings.set_index("name").loc["columns", "columns"] == ["x" * 70]
    json.dumps(report.findings["columns"].tolist())
    with pytest.raises(DataError, match="label must name a column of the file"):
        rfviz.inspect(tmp_path / "a.csv", label=list(LABELS))
    with pytest.raises(DataError, match=r"There is no column 'nothing'\..*Nor is it the path of a file"):
        rfviz.inspect(tmp_path / "a.csv", compare="nothing")


@pytest.mark.slow
def test_labels_are_matched_with_the_rows_that_they_belong_to():
    frame = table(n=200)
    labels = pd.Series(np.where(frame["a"] > 0, "p", "q"))
    for one in (labels, labels[::-1], labels.to_frame()):
        assert finding(frame, "leaks", label=one)["columns"] == ["a"]
    masked = np.ma.array(labels.to_numpy(), mask=np.arange(200) < 30)
    assert "30 rows of 200 lack a label" in finding(frame, "missing", label=masked)["text"]
    lacking = pd.Series([pd.NA, *labels[1:]], dtype="string")
    assert "1 row of 200 lacks a label" in finding(frame, "missing", label=lacking)["text"]


def test_a_sign_is_a_class():
    labels = np.where(np.arange(N) % 3, "-", "+")
    assert "in 2 classes: “-” has 67% of the rows" in finding(table(), "balance", label=labels)["text"]
    assert finding(table(y=labels), "missing", label="y")["status"] == "fine"


def test_the_preview_and_the_findings_count_the_same_gaps():
    cells = ["-" if i % 3 else f"some words, {i}" for i in range(N)]
    frame = table(text=cells)
    found = finding(frame, "missing")
    assert upload_of_frame(frame).table.n_missing("text") == 30
    assert found["columns"] == ["text"] and "30 rows of 45 (67%) lack some value" in found["text"]


def test_a_column_without_values_next_to_the_labels_is_left_out():
    frame = table(y=LABELS, word=None, number=np.nan)
    frame["word"] = frame["word"].astype(object)
    frame.loc[:4, ["word", "number"]] = [["u", 1.0], ["v", 2.0], ["u", 3.0], ["v", 4.0], ["u", 5.0]]
    frame.loc[:4, "y"] = None
    report = rfviz.inspect(frame, label="y")
    text = report.findings.set_index("name").loc["columns", "text"]
    assert "from “word” and “number” (no value in rows with a label)" in text
    everything = frame[["word", "number", "y"]]
    with pytest.raises(DataError, match="No column has a value in the 40 rows that can be used"):
        rfviz.inspect(everything, label="y")


def test_rows_that_are_all_equal_are_a_finding():
    frame = pd.DataFrame([[1.5, 2.0, "u"]] * 20, columns=list("abc"))
    for label in (None, [0] * 19 + [1], np.arange(20) / 3):
        found = rfviz.inspect(frame, label=label).findings.set_index("name")
        assert found.loc["copies", "status"] == "warning"
        assert found.loc["copies", "text"].startswith("All 20 rows are equal")
        assert "all rows are equal" in found.loc["columns", "text"]


@pytest.mark.parametrize("label", [np.arange(250) % 2, RNG.normal(size=250), None])
def test_rows_of_which_nearly_all_are_equal_are_no_error(label):
    frame = pd.DataFrame({"a": np.full(250, 1.5), "b": np.full(250, 2.0)})
    for n_other, said in ((0, "All rows are equal"), (1, "All rows but 1 are equal")):
        frame.iloc[83 : 83 + n_other] = 9.0
        found = rfviz.inspect(frame, label=label).findings.set_index("name")
        if label is not None:
            assert found.loc["structure", "text"].startswith(said)
    if label is None:
        return
    frame.iloc[83:103, 0] = np.arange(20)
    assert "rows but" not in finding(frame, "structure", label=label)["text"]


@pytest.mark.slow
@pytest.mark.parametrize("classes", ["p", "pq", "pqr"])
def test_a_class_of_a_single_row_is_no_error(classes):
    for seed in range(4):
        draw = np.random.default_rng(seed)
        labels = draw.choice(list(classes), 210).astype(object)
        labels[draw.integers(210)] = "rare"
        frame = pd.DataFrame(draw.normal(size=(210, 2)), columns=["a", "b"])
        found = rfviz.inspect(frame, label=labels).findings.set_index("name")
        assert "a single row is too few to learn a class from" in found.loc["balance", "text"]


def test_a_target_that_no_histogram_can_cut_is_no_error():
    for target in (np.full(N, 1e17), 1e17 + 16.0 * np.arange(N), np.full(N, 0.25)):
        report = rfviz.inspect(table(), label=pd.Series(target, dtype=float))
        assert sum(report.figure("balance").data[0].y) == N
    with pytest.raises(DataError, match=r"label 'label' has values beyond ±3.4e38.*Rescale it"):
        rfviz.inspect(table(), label=np.linspace(0, 1e300, N))


def test_of_images_it_is_said_how_many_are_drawn(tmp_path):
    members = [(f"{'ab'[i % 2]}/{i}.png", picture((6, 6), seed=i)) for i in range(30)]
    (tmp_path / "a.zip").write_bytes(zipped(members))
    from rfviz.datasets.files import read_file

    upload = read_file(tmp_path / "a.zip")
    few = upload.prepare(upload.suggestion.replace({"max_samples": 20}))
    assert "20 of 30 images, drawn at random" in few.provenance and "drawn" not in upload.prepare().provenance
