"""What ``rfviz run`` takes as settings, and how it refuses what is none."""

import json
import re

import pytest

from rfviz import cli
from rfviz.cli.run_settings import read_settings
from rfviz.lab.index import PAGES


def test_run_takes_an_address_and_says_what_has_no_effect(tmp_path, capsys):
    address = "http://localhost:8501/distance-saturation?data.n_samples=20&n_components=100&gama=2&present=true"
    view = "&open=numbers&zoom=saturation:x,0.5,1.25;nobody:y,1,2"
    assert cli.main(["run", address + view, "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().err
    assert "gama has no effect" in told and "zoom" not in told and "open" not in told
    for source in (None, tmp_path / "settings.json"):  # the settings hold the zoom, too
        assert source is None or cli.main(["run", str(source), "--out", str(tmp_path), "--quiet"]) == 0
        layout = json.loads((tmp_path / "saturation.json").read_text(encoding="utf-8"))["layout"]
        assert layout["xaxis"]["range"] == [0.5, 1.25]
    assert not capsys.readouterr().err


@pytest.mark.parametrize("slug", [page.slug for page in PAGES])
def test_settings_follow_the_name_of_any_page(slug):
    assert read_settings(f"{slug}?data=circle", None) == (slug, {"data": "circle"})


def test_run_does_without_a_zoom_that_is_none(tmp_path):
    address = "http://localhost/distance-saturation?data.n_samples=20&n_components=100&zoom=saturation:x,9,1;<>"
    assert cli.main(["run", address, "--out", str(tmp_path), "--quiet"]) == 0


def test_run_takes_a_figure_of_a_page(tmp_path):
    assert cli.main(["run", "distance-saturation", "--figure", "Figure 1 of the paper", "--out", str(tmp_path)]) == 0
    held = json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))["values"]
    assert held["pool_size"] == 8 and held["compare"] == [32]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.json"], "cannot be read"),
        (["distance-saturation", "--figure", "Figure 9"], "Known: 'Figure 1 of the paper'"),
        (["nowhere.json", "--figure", "Figure 1"], "must come with a page's name"),
        (["http://localhost/nowhere"], "Known: .*distance-saturation"),
        (["http://localhost/distance-saturation?pool_size=-4"], "pool_size must be a stop .* The nearest is 1"),
        (["distance-saturaton"], "There is no page distance-saturaton. Did you mean distance-saturation"),
        (["distance-saturaton?data=circle"], "Did you mean distance-saturation"),
        (["distance-saturation", "--out", "/dev/null/x"], "cannot be made"),
        (
            ["distance-saturation", "--data", "/nowhere"],
            "/nowhere cannot be read .* or a folder that exists",
        ),
    ],
)
def test_run_refuses_in_one_sentence(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run", *arguments]) == 2
    told = capsys.readouterr().err
    assert re.search(words, told) and told.count("\n") == 1 and "Traceback" not in told


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{", b'{"page": "zoo-of-nothing"}', b" " * 1_000_001])
def test_run_refuses_a_file_that_is_no_preset(content, capsys, tmp_path):
    (tmp_path / "preset.json").write_bytes(content)
    assert cli.main(["run", str(tmp_path / "preset.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
