"""``rfviz.inspect``: the findings of the page as a table, HTML and figures, for a notebook and a script."""

import io
import zipfile
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import rfviz
from rfviz.datasets.files.own import own_spec_of
from rfviz.datasets.files.upload import read_file
from rfviz.errors import DataError, ParameterError
from rfviz.lab.quick_inspection.report import InspectionReport


def table(n=120):
    generator = np.random.default_rng(1)
    df = pd.DataFrame(generator.normal(size=(n, 3)), columns=["a", "b <i>", "c"], index=[f"id{i}" for i in range(n)])
    df["kind"] = np.where(df["a"] + 0.5 * generator.normal(size=n) > 0, "x & y", "z")
    df.iloc[7] = df.iloc[3]
    df.iloc[20, 2] = 5000.0
    return df


@pytest.fixture(scope="module")
def report():
    return rfviz.inspect(table(), label="kind", leave_out=["b <i>"])


def test_findings_are_a_table_for_programs(report):
    found = report.findings
    assert list(found.columns) == ["name", "status", "text", "rows", "columns", "remedy"]
    assert set(found["status"]) <= {"fine", "look", "warning", "unknown"} and found["name"].is_unique
    assert {"balance", "leaks", "copies", "near-copies", "labels", "structure", "missing", "values"} <= set(
        found["name"]
    )
    by_name = found.set_index("name")
    assert by_name.loc["copies", "rows"] == [7] and by_name.loc["values", "columns"] == ["c"]
    assert not found["columns"].map(lambda names: "b <i>" in names).any()
    # Rows of a finding are those of the table, under its own index.
    pd.testing.assert_frame_equal(report.rows("copies"), table().loc[["id7"]])
    assert len(report.rows("leaks")) == 0


@pytest.mark.slow
def test_rows_are_positions_and_a_mask_selects_them_whatever_the_index(tmp_path):
    df = table().drop(index="id7").reset_index(drop=True)
    both = pd.concat([df, df.iloc[[5, 0]], df.tail(1)])  # labels 5, 0 and 118 twice
    report = rfviz.inspect(both, label="kind")
    rows = report.findings.set_index("name").loc["copies", "rows"]
    assert rows == [119, 120, 121] and "3 rows of 122" in report.findings.set_index("name").loc["copies", "text"]
    pd.testing.assert_frame_equal(both.iloc[rows], report.rows("copies"))
    left = both[~report.mask("copies")]
    pd.testing.assert_frame_equal(left, df)
    assert not report.mask("leaks").any() and report.mask("leaks").shape == (122,)
    # Of a file and of an array the positions are the same; the sentences count from 1.
    both.to_csv(tmp_path / "both.csv", index=False)
    for data in (tmp_path / "both.csv", both[["a", "c"]].to_numpy()):
        np.testing.assert_array_equal(rfviz.inspect(data).mask("copies"), report.mask("copies"))
    outlier = report.findings.set_index("name").loc["outliers"]
    assert [f"row {row + 1}" in outlier["text"] for row in outlier["rows"][:1]] == [True]
    with pytest.raises(DataError, match="no finding 'nothing'"):
        report.mask("nothing")


def test_copies_among_images_of_which_some_are_drawn_are_those_of_the_file(tmp_path):
    generator, drawn = np.random.default_rng(3), 60
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as archive:
        for number in range(90):
            pixels = generator.integers(0, 255, (4, 4)).astype(np.uint8)
            pixels = np.zeros((4, 4), dtype=np.uint8) if number >= 85 else pixels
            data = io.BytesIO()
            Image.fromarray(pixels).save(data, "PNG")
            archive.writestr(f"{'ab'[number % 2]}/{number:03d}.png", data.getvalue())
    upload = read_file(tmp_path / "images.zip")
    report = InspectionReport(own_spec_of(upload, {"max_samples": drawn}))
    found = report.findings.set_index("name")
    assert found.loc["balance", "text"].startswith("60 rows (drawn from 90) of 16 pixel values")
    assert "of 60 (drawn from 90)" in found.loc["copies", "text"] and report.mask("copies").shape == (90,)
    assert (report.rows("copies").to_numpy() == 0).all() and len(report.rows("copies")) == report.mask("copies").sum()
    assert set(found.loc["copies", "rows"]) <= {43, 44, 87, 88, 89}  # the folder of the even numbers comes first


class Reader(HTMLParser):
    """Reads the tags and the text of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def test_a_notebook_shows_the_findings_as_text(report):
    shown = Reader(report._repr_html_())
    assert shown.tags <= {"div", "p", "strong", "br", "code"}
    for sentence in report.findings["text"]:
        assert sentence in shown.text and sentence in repr(report)
    assert "“x & y” has" in shown.text


def test_figures_are_those_of_the_page_and_the_report_opens_offline(report, tmp_path):
    for name in (
        "findings",
        "map-plain",
        "map-maxout",
        "map-fourier",
        "distances",
        "structure",
        "uncertainty",
        "balance",
        "outliers",
        "labels",
        "near",
        "dimension",
        "odd",
    ):
        assert len(report.figure(name).data)
    with pytest.raises(DataError, match=r"no figure 'nothing'\. Known: findings, map-plain"):
        report.figure("nothing")
    with pytest.raises(DataError, match=r"no finding 'Leaks'\. Known: values, "):
        report.rows("Leaks")
    text = report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == text
    assert text.count('class="plotly-graph-div"') == 15 and "<script src" not in text
    assert "<strong>Exact copies</strong> · worth a look<br>\n1 row of 120" in text


def test_arrays_and_files_are_taken_too(tmp_path):
    df = table()
    df.to_csv(tmp_path / "mine.csv", index=False)
    from_file = rfviz.inspect(tmp_path / "mine.csv", label="kind")
    assert from_file.name == "mine"
    assert from_file.rows("copies").index.tolist() == [7] and from_file.rows("copies")["c"].tolist() == [
        df["c"].iloc[7]
    ]
    X = df[["a", "c"]].to_numpy()
    from_array = rfviz.inspect(X, label=df["kind"].to_numpy()).findings.set_index("name")
    assert "“x & y” has" in from_array.loc["balance", "text"] and from_array.loc["copies", "rows"] == [7]
    assert "without labels" in rfviz.inspect(X, only="balance").findings["text"][0]


@pytest.mark.parametrize(
    ("data", "given", "said"),
    [
        (np.zeros(5), {}, "must be a DataFrame, an array of rows and columns or the path of a file, not ndarray of 1"),
        (np.zeros((2, 2)), {}, "has 2 rows, and at least 3 are needed"),
        (np.eye(9), {"label": [1, 2]}, "label has 2 values, and the table 9 rows"),
        (np.eye(9), {"label": "nobody"}, "There is no column 'nobody'"),
        ("nowhere.csv", {}, "nowhere.csv cannot be read"),
        (pd.DataFrame({"a": [[i] for i in range(30)]}), {}, "No column of numbers is left"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(data, given, said):
    with pytest.raises((DataError, ParameterError), match=said):
        rfviz.inspect(data, **given)


def test_tables_are_compared_with_each_other_or_by_a_column():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((200, 3)), columns=list("abc"))
    frame["site"] = np.where(np.arange(200) % 2, "A", "B")
    later = frame.assign(b=frame["b"] + 1.0)
    report = rfviz.inspect(frame, compare=later)
    drift = report.findings.set_index("name").loc["drift"]
    assert drift["columns"] == ["b"] and "those of the other table" in drift["text"]
    assert len(report.figure("drift").data) == 2
    assert rfviz.inspect(frame, compare="site").findings.set_index("name").loc["drift", "status"] == "fine"
