"""``rfviz run``: the files that it writes, and what it says of a page's computation."""

import json

import pandas as pd
import pytest

from rfviz import cli, datasets
from rfviz.errors import ParameterError
from rfviz.features import registry


@pytest.fixture
def preset(tmp_path):
    path = tmp_path / "preset.json"
    values = {"data": "circle", "data.n_samples": 20, "n_components": 100, "compare": []}
    path.write_text(json.dumps({"page": "distance-saturation", "values": values}), encoding="utf-8")
    return path


def test_run_writes_charts_numbers_settings_and_script(preset, tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert cli.main(["run", str(preset), "--out", str(out)]) == 0
    told = capsys.readouterr()
    names = ["saturation.html", "saturation.json", "saturation.csv", "settings.json", "script.py"]
    assert told.out.split() == [str(out / name) for name in names]
    page = (out / "saturation.html").read_text(encoding="utf-8")
    assert "Plotly.newPlot(" in page and "<script src" not in page
    assert json.loads((out / "saturation.json").read_text())["data"]
    assert (out / "saturation.csv").read_text().startswith("map,")
    # What it wrote runs again, to the same numbers.
    again = tmp_path / "again"
    assert cli.main(["run", str(out / "settings.json"), "--out", str(again), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (again / "saturation.csv").read_bytes() == (out / "saturation.csv").read_bytes()
    assert (again / "script.py").read_bytes() == (out / "script.py").read_bytes()


def test_warnings_are_one_sentence_each_without_a_place_in_the_code(tmp_path, capsys):
    rows = "".join(f"{1e6 + i % 7},{1e6 + i % 5}\n" for i in range(30))
    (tmp_path / "far.csv").write_text("x,y\n" + rows, encoding="utf-8")
    address = "http://localhost/distance-saturation?data=folder:far&map=RandomFourier&gamma=20&normalise=none&n_components=100"
    try:
        assert cli.main(["run", address, "--data", str(tmp_path), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    finally:
        datasets.set_folder(None)
    said = capsys.readouterr().err
    assert said.count("With gamma=20 the phases") == 1 and said.startswith("rfviz run: With gamma=20")


# The Laplacian kernel sees the axes; draws at right angles are refused.
LAPLACIAN = "http://localhost/kernel-approximation?data=circle&points=16&draws=2&m_max=20&spectrum=laplacian"


def test_each_map_that_fails_is_told_and_the_others_are_computed(tmp_path, capsys):
    address = f"{LAPLACIAN}&maps=RandomFourier,RandomMaxout&draw=iid,orthogonal,structured"
    assert cli.main(["run", address, "--out", str(tmp_path), "--quiet"]) == 0
    orthogonal, structured = capsys.readouterr().err.splitlines()
    assert orthogonal.startswith("rfviz run: Random Fourier, orthogonal could not be computed: draw must be")
    assert structured.startswith("rfviz run: Random Fourier, structured could not be computed: draw must be")
    found = pd.read_csv(tmp_path / "kernel-error.csv")
    assert set(found["map"]) == {"Random Fourier, independent", "Random maxout, q = 4"}


def test_where_every_map_fails_it_is_an_error(tmp_path, capsys):
    assert cli.main(["run", f"{LAPLACIAN}&maps=RandomFourier,&draw=orthogonal,", "--out", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "maps must hold a map that can be computed" in told and "draw must be" in told
    assert not (tmp_path / "kernel-error.csv").exists()


def refuse(*_):
    raise ParameterError("pool_size", "must be smaller", 4)


def test_a_curve_that_stops_is_told_and_the_others_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(registry()["RandomMaxout"], "fit", refuse)
    address = "http://localhost/accuracy?data=digits&m_max=100&seeds=1&references=,"
    assert cli.main(["run", address, "--out", str(tmp_path), "--quiet"]) == 0
    told = "rfviz run: Random maxout, q = 4 stopped: pool_size must be smaller;"
    assert capsys.readouterr().err.startswith(told)
    assert "Random Fourier" in set(pd.read_csv(tmp_path / "accuracy.csv")["map"])


def test_settings_may_follow_the_name_of_a_page(tmp_path):
    assert cli.main(["run", "binning?data=circles&data.n_samples=30&p=2", "--out", str(tmp_path)]) == 0
    settings = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))
    assert settings["page"] == "binning" and settings["values"]["data"] == "circles"
    assert settings["values"]["data.n_samples"] == 30 and settings["values"]["p"] == 2
