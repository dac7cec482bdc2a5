"""What is said of all rows where only some are in memory: true of tables with these faults, and of a clean one."""

import numpy as np
import pandas as pd
import pytest

from rfviz import cli
from rfviz.datasets.files import Preparation, parts, read_file
from rfviz.inspection.inspection import Inspection

N, DRAWN = 4000, 300
rng = np.random.default_rng(0)
CLEAN = pd.DataFrame(rng.standard_normal((N, 3)), columns=list("abc")).assign(
    label=np.where(np.arange(N) % 2, "yes", "no")
)


@pytest.fixture
def described(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)

    def describe_table(table, **chosen):
        for number, rows in enumerate(np.array_split(np.arange(len(table)), 3)):
            table.iloc[rows].to_parquet(tmp_path / f"part-{number}.parquet")
        upload = read_file(tmp_path)
        dataset = upload.prepare(Preparation(**{"label": "label", "missing": "impute", **chosen}))
        return Inspection(dataset).finding("all-rows")

    return describe_table


def test_clean_rows(described):
    found = described(CLEAN)
    assert found.status == "fine" and found.columns == () and found.key == "all-rows"
    assert found.text == (
        "4,000 rows were read. 300 of them, drawn at random, answer the other questions; row numbers count "
        "these rows only. No value is missing in any column. Of 2 classes “yes” has 50% of the labels and “no” 2,000 "
        "rows (50%)."
    )
    numbers = described(CLEAN.assign(label=CLEAN.a))
    assert numbers.status == "fine" and numbers.text.endswith(f"to {CLEAN.a.max():.6g}.")


def test_faults_that_the_drawn_rows_hide(described):
    table = CLEAN.copy()
    drawn = parts.sampled_rows(N, DRAWN)
    hidden = int(np.setdiff1d(np.arange(N), drawn)[0])
    table.loc[hidden, "label"] = "perhaps"
    table.loc[hidden, "a"] = np.nan
    table["b"] = 1.0
    found = described(table)
    assert found.status == "look" and found.columns == ("b", "a")
    assert "“b” has a single value in all rows." in found.text
    assert "Values are missing in “a” in 1 row (less than 0.1%)." in found.text
    assert "“perhaps” 1 row (less than 0.1%); one class is not in the drawn rows." in found.text
    # What is constant among the drawn rows only is not called so.
    table["b"] = 0.0
    table.loc[hidden, "b"] = 1.0
    assert "single value" not in described(table).text


def test_many_gaps_labels_without_a_name_and_one_class(described):
    table = CLEAN.copy()
    table.loc[rng.random(N) < 0.6, "c"] = None
    table.loc[rng.random(N) < 0.02, "label"] = None
    found = described(table)
    assert found.status == "warning" and "without a label" in found.text
    assert f"“c” in {table.c.isna().sum():,} rows ({table.c.isna().mean():.0%})" in found.text
    assert described(CLEAN.assign(label="no")).text.endswith("All labels are “no”.")
    few = CLEAN.assign(label=np.where(np.arange(N) % 20 == 0, "rare", "usual"))
    assert described(few).status == "look" and "“rare” 200 rows (5.0%)" in described(few).text


def test_labels_that_are_dates_or_whole_numbers_are_written_as_such(described):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) % 900, "D")
    assert described(CLEAN.assign(label=days)).text.endswith("No value is missing in any column.")
    assert "“0.0”" not in (text := described(CLEAN.assign(label=np.arange(N) % 2.0)).text) and "“0” 2,000 rows" in text
    amounts = 1_234_567 + np.arange(N) % 90
    assert described(CLEAN.assign(label=amounts), target="numbers").text.endswith("from 1,234,567 to 1,234,656.")


def test_what_is_said_is_claimed_of_all_rows(described):
    table = CLEAN.assign(label=np.where(np.arange(N) < 7, "rare", CLEAN.label), b=1.0)
    table.loc[table.index[:90], "c"] = None
    table.loc[table.index[10:30], "label"] = None
    claims = described(table).claims
    assert {claim.n_rows for claim in claims} == {N, table.label.count()}
    assert claims.value("rows read") == N and claims[0].of == {"drawn rows": DRAWN}
    assert claims.of("constant columns").columns == ("b",) and claims.value("constant columns") == 1
    assert [(c.value, c.columns) for c in claims.of("missing values")] == [(90, ("c",))]
    assert claims.value("unlabelled rows") == 20 and claims.value("classes") == 3
    counts = table.label.value_counts()
    assert {c.of["class"]: c.value for c in claims.of("class size")} == {counts.index[0]: counts.iloc[0], "rare": 7}
    none = described(CLEAN).claims
    assert none.value("missing values") == none.value("constant columns") == none.value("unseen classes") == 0
    assert none.get("missing values").least == 1 and not none.get("missing values").columns
    numbers = described(CLEAN.assign(label=CLEAN.a)).claims
    assert (numbers.value("smallest target"), numbers.value("largest target")) == (CLEAN.a.min(), CLEAN.a.max())


def test_nothing_is_said_where_all_rows_are_in_memory(described, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", N)
    assert described(CLEAN) is None


def test_the_command_takes_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    (tmp_path / "rows").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(N), 2)):
        CLEAN.iloc[rows].to_parquet(tmp_path / "rows" / f"part-{number}.parquet")
    out = tmp_path / "out"
    given = ["run", "distance-saturation", "--data", str(tmp_path / "rows"), "--rows", "200", "--out", str(out)]
    assert cli.main(given) == 0
    assert "4,000 of 4,000 rows of rows read" in capsys.readouterr().err
    assert "read_file(file)" in (out / "script.py").read_text(encoding="utf-8")
    findings = Inspection(read_file(tmp_path / "rows").prepare()).findings()  # computed as they are asked for
    assert next(findings).text.startswith("4,000 rows were read. 300 of them")
    assert next(findings).text.startswith("300 rows of 3 columns")
    (tmp_path / "rows" / "part-1.parquet").write_bytes(b"PAR1")
    assert cli.main(given) == 2
    assert "part-1.parquet is damaged, or not a Parquet file" in capsys.readouterr().err
