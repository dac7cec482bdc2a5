"""What ``rfviz run --data`` takes: a file as the laboratory does, or a data folder."""

import json

import numpy as np
import pandas as pd
import pytest

from rfviz import cli, datasets


def test_run_inspects_a_file_of_ones_own(tmp_path, capsys):
    rows = "".join(f"{i % 7},{(i * i) % 11},{i % 13}\n" for i in range(40))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "mine.csv").write_text("a,b,c\n" + rows + rows[:6], encoding="utf-8")
    (tmp_path / "two" / "flat.csv").write_text("a\n" + "1\n" * 9, encoding="utf-8")
    (tmp_path / "two" / "words.csv").write_text("a\n1\n", encoding="utf-8")
    out = tmp_path / "out"
    try:
        assert cli.main(["run", "quick-inspection", "--data", str(tmp_path / "one"), "--out", str(out)]) == 0
        found = pd.read_csv(out / "findings.csv").set_index("name")
        assert "1 row of 41" in found.loc["Exact copies", "text"]
        assert len(pd.read_csv(out / "map-maxout.csv")) == 41
        held = json.loads((out / "settings.json").read_text(encoding="utf-8"))["values"]
        assert held["data"] == "folder:mine"

        capsys.readouterr()
        assert cli.main(["run", "quick-inspection", "--data", str(tmp_path / "two"), "--out", str(out)]) == 2
        assert "holds 2 data files. Name one: --data" in capsys.readouterr().err
        # Equal rows have no map, but there is something to say of them.
        (tmp_path / "two" / "words.csv").unlink()
        flat, other = str(tmp_path / "two"), tmp_path / "other"
        assert cli.main(["run", "quick-inspection", "--data", flat, "--out", str(other)]) == 0
        found = pd.read_csv(other / "findings.csv").set_index("name")
        assert found.loc["Columns", "status"] == "warning" and not (other / "map-plain.csv").exists()
        assert cli.main(["run", "quick-inspection", "--data", __file__, "--out", str(other)]) == 2
        assert "test_run_data.py" in capsys.readouterr().err
    finally:
        datasets.set_folder(None)


PEOPLE = "name;town;income;buys\n" + "".join(
    f"p{i};{('Oslo', 'Rome', '')[i % 3]};{900 + 37 * (i % 11)},5;{'yes' if i % 4 else 'no'}\n" for i in range(40)
)


def test_run_takes_a_file_as_the_laboratory_does(tmp_path, capsys, monkeypatch):
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    mine, out = str(tmp_path / "people.csv"), tmp_path / "out"
    assert cli.main(["run", "distance-saturation", "--data", mine, "--out", str(out), "--quiet"]) == 0
    settings = out / "settings.json"
    assert json.loads(settings.read_text(encoding="utf-8"))["values"]["data"] == "own:people"
    found = pd.read_csv(out / "saturation.csv")

    # Its settings are of use with the file alone.
    capsys.readouterr()
    assert cli.main(["run", str(settings), "--out", str(tmp_path / "again")]) == 2
    assert "which settings do not hold. Give the file: --data FILE" in capsys.readouterr().err
    assert cli.main(["run", str(settings), "--data", mine, "--out", str(tmp_path / "again"), "--quiet"]) == 0
    assert pd.read_csv(tmp_path / "again" / "saturation.csv").equals(found)

    # Settings that name a file of a data folder keep to it.
    (tmp_path / "plain.csv").write_text("a,b\n" + "".join(f"{i + 1},{i % 7}\n" for i in range(30)), encoding="utf-8")
    named = "http://localhost/distance-saturation?data=folder:plain&n_components=100"
    try:
        given = ["run", named, "--data", str(tmp_path / "plain.csv"), "--out", str(tmp_path / "named"), "--quiet"]
        assert cli.main(given) == 0
    finally:
        datasets.set_folder(None)
    held = json.loads((tmp_path / "named" / "settings.json").read_text(encoding="utf-8"))
    assert held["values"]["data"] == "folder:plain"

    # So is its script, beside the file.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda *_: None)
    held = {}
    exec((out / "script.py").read_text(encoding="utf-8"), held)
    np.testing.assert_allclose(held["frame"].select_dtypes("number"), found.select_dtypes("number"), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("people.csv", b"a,b\n1,2\n3,4,5\n6,7\n", "line 3 has 3 cells"),
        ("people.pkl", b"\x80\x04", "people.pkl"),
        ("people.zip", b"PK nothing", "people.zip"),
        (None, b"", "cannot be read"),
    ],
)
def test_run_refuses_a_file_in_one_sentence(name, content, words, tmp_path, capsys):
    if name:
        (tmp_path / name).write_bytes(content)
    given = ["run", "quick-inspection", "--data", str(tmp_path / (name or "none.csv")), "--out", str(tmp_path)]
    assert cli.main(given) == 2
    told = capsys.readouterr().err
    assert words in told and told.count("\n") == 1


@pytest.mark.slow
def test_run_inspects_with_the_columns_that_are_named_and_prints_what_it_finds(tmp_path, capsys, monkeypatch):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(generator.standard_normal((90, 3)), columns=["a", "b", "when"]).assign(
        spare="x", survived="no"
    )
    frame.loc[::2, "survived"] = "yes"
    frame.loc[89] = frame.loc[4]
    frame.to_csv(tmp_path / "ship.csv", index=False)
    run = ["run", "quick-inspection", "--data", str(tmp_path / "ship.csv"), "--out", str(tmp_path / "out")]
    named = ["--label", "survived", "--order", "when", "--leave-out", "spare", "--rows", "40"]
    assert cli.main([*run, *named]) == 0
    said = capsys.readouterr().out
    assert "Rows and labels (fine): 90 rows of 3 columns in 2 classes" in said and "“when” gives the order" in said
    held = json.loads((tmp_path / "out" / "findings.json").read_text(encoding="utf-8"))
    found = {one["name"]: one for one in held["findings"]}
    assert found["copies"]["rows"] == [89] and found["copies"]["status"] == "look"
    # As text, which can be copied.
    page = (tmp_path / "out" / "findings.html").read_text(encoding="utf-8")
    assert "<strong>Exact copies</strong> · worth a look<br>\n1 row of 90" in page
    script = (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert all(part in script for part in ('"label": "survived"', '"max_samples": 40', '"leave_out": ["spare"]'))
    # The status of the command tells what was found, where it is asked for.
    assert cli.main([*run, *named, "--quiet", "--fail-on", "look"]) == 3
    # For a program: the findings, and no files unless a folder is named.
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert cli.main([*run[:4], *named, "--json", "--fail-on", "look"]) == 3
    said = capsys.readouterr()
    assert json.loads(said.out) == held and not said.err
    assert {path.name for path in tmp_path.iterdir()} == {"ship.csv", "out"}
    assert cli.main(["run", "hashing", "--json"]) == 2
    assert "--json prints findings, and hashing has none" in capsys.readouterr().err
    assert cli.main([*run, "--quiet", "--label", "nobody"]) == 2
    assert "There is no column 'nobody'. Known: a, b, when" in capsys.readouterr().err
    assert cli.main(["run", "quick-inspection", "--label", "a", "--out", str(tmp_path / "out")]) == 2
    assert "Name it: --data FILE" in capsys.readouterr().err


def test_run_compares_two_files(tmp_path, capsys):
    for seed, name in enumerate(("old", "new")):
        frame = pd.DataFrame(np.random.default_rng(seed).standard_normal((200, 3)), columns=list("abc"))
        frame.assign(b=frame["b"] + seed).to_csv(tmp_path / f"{name}.csv", index=False)
    run = ["run", "quick-inspection", "--data", str(tmp_path / "old.csv"), "--out", str(tmp_path / "out")]
    assert cli.main([*run, "--compare", str(tmp_path / "new.csv")]) == 0
    assert "between the rows of this file and those of new.csv" in capsys.readouterr().out
    held = json.loads((tmp_path / "out" / "findings.json").read_text(encoding="utf-8"))
    found = {one["name"]: one for one in held["findings"]}
    assert found["drift"]["columns"] == ["b"] and found["drift"]["status"] == "look"
    script = (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert "dataset = compare_with(dataset, read_file('new.csv'))" in script
    profile = ["profile", str(tmp_path / "new.csv"), "-o"]
    assert cli.main([*profile, str(tmp_path / "new.csv")]) == 2 and "ends in .npz" in capsys.readouterr().err
    assert cli.main([*profile, str(tmp_path / "new.npz")]) == 0
    assert "3 columns of new.csv (200 rows) in" in capsys.readouterr().out
    assert cli.main([*run, "--only", "drift", "--compare", str(tmp_path / "new.npz")]) == 0
    assert "between the rows of this file and the profile of new.csv" in capsys.readouterr().out
    script = (tmp_path / "out" / "script.py").read_text(encoding="utf-8")
    assert "dataset = compare_with(dataset, read_profile('new.npz'))" in script
    assert cli.main([*run, "--compare", str(tmp_path / "none.csv")]) == 2
    assert "none.csv cannot be read" in capsys.readouterr().err
