"""The command ``rfviz``: what it prints, what it starts, and how it refuses."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rfviz import backend, cli, datasets
from rfviz._version import __version__
from rfviz.features import registry
from rfviz.ui import page_index

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "rfviz.cli"]


def environment(**given):
    """This process's, with this checkout first, and none of the developer's settings of the laboratory."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("RFVIZ_", "STREAMLIT_"))}
    return clean | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **given}


# --- what it prints ---------------------------------------------------------------------------------------------------


def test_version_without_loading_what_computes():
    code = "import sys, rfviz.cli\ntry: rfviz.cli.main(['--version'])\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == f"rfviz {__version__}\n"
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "argparse" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "pandas", "psutil", "streamlit", "plotly", "cupy"}


def test_device_as_json(capsys):
    assert cli.main(["device", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rfviz"] == __version__
    assert [d["name"] for d in facts["devices"]] == [d.name for d in backend.available_devices()]
    assert facts["device"] == backend.get_device("auto").name
    assert facts["no_gpu_because"] == (backend.gpu_status() or None)
    assert all(0 < d["budget_bytes"] < d["free_bytes"] for d in facts["devices"])
    assert facts["blas"]["library"] == backend.blas_info()["library"]


def test_device_says_why_there_is_no_gpu(capsys, monkeypatch):
    monkeypatch.setattr(backend.devices, "_probe_gpus", lambda: ((), "CuPy found no CUDA device"))
    assert cli.main(["device"]) == 0
    printed = capsys.readouterr().out
    assert "computes  cpu\n" in printed and "no GPU    CuPy found no CUDA device.\n" in printed
    assert backend.get_device("cpu").describe() in printed and backend.blas_info()["version"] in printed


def test_device_names_a_gpu_that_works(capsys, fake_gpu):
    assert cli.main(["device"]) == 0
    printed = capsys.readouterr().out
    assert "computes  cuda:0\n" in printed and "no GPU" not in printed
    assert printed.index("\ncuda:0") < printed.index("\ncpu ")


def test_every_scheme_is_listed(capsys):
    assert cli.main(["schemes"]) == 0
    printed = capsys.readouterr().out
    for name, scheme in registry().items():
        assert f"{scheme.label}  (rfviz.features.{name})" in printed
        assert f"cost {scheme.cost}; {scheme.reference}" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_schemes_as_json_say_enough_to_make_one(capsys):
    assert cli.main(["schemes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["class"] for entry in listed] == list(registry())
    for entry in listed:
        scheme = registry()[entry["class"]]
        defaults = {param["name"]: param["default"] for param in entry["parameters"]}
        assert scheme(**defaults).get_params() == scheme().get_params()
        assert entry["formula"] == scheme.formula and all(param["rule"] for param in entry["parameters"])


def test_reader_that_stops_early_is_no_error():
    listing = subprocess.Popen(
        [*COMMAND, "schemes"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    listing.stdout.close()
    assert (listing.stderr.read(), listing.wait(60)) == ("", 0)


# --- how it refuses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "required: COMMAND"),
        (["bogus"], "invalid choice: 'bogus'"),
        (["device", "--xml"], "unrecognized arguments: --xml"),
        (["app", "--port", "0"], "--port must be an integer from 1 to 65535; got 0. Try --port=8501."),
        (["app", "--port", "70000"], "got 70000."),
        (["app", "--port", "8501.5"], "got '8501.5'."),
        (["app", "--port", "٨٥٠١"], "got '٨٥٠١'."),
        (["app", "--port", "9" * 5000], "--port must be an integer"),
        (["app", "--data", "/no/such/folder"], "The data folder /no/such/folder does not exist or is not a folder."),
        (["app", "--data", __file__], "is not a folder."),
    ],
)
def test_refusal_is_one_line_and_status_2(arguments, said):
    done = subprocess.run([*COMMAND, *arguments], env=environment(), capture_output=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("rfviz")
    assert len(done.stderr) < 250


def test_port_that_is_taken(capsys):
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["app", "--port", str(port)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rfviz app: --port must be a free port (") and f"got {port}. Try another.\n" in error


def test_without_streamlit_or_without_pages(capsys, monkeypatch):
    monkeypatch.setattr(cli.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["app"]) == 2
    assert "needs Streamlit, which is not installed" in capsys.readouterr().err
    monkeypatch.setattr(page_index, "laboratory_folder", lambda: None)
    assert cli.main(["app"]) == 2
    assert "pages were not installed with the package" in capsys.readouterr().err


def test_package_that_is_missing(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)  # as where it is not installed
    assert cli.main(["device"]) == 2
    assert capsys.readouterr().err == "rfviz device: The package numpy, which rfviz needs, is not installed.\n"


# --- the laboratory ---------------------------------------------------------------------------------------------------


def test_what_is_started(monkeypatch, tmp_path):
    started = []
    monkeypatch.setattr(cli, "_run", lambda *given: started.append(given) or 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    assert cli.main(["app", "--data", "mine"]) == 0
    (command, variables), = started  # fmt: skip
    assert command == [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    assert variables["RFVIZ_DATA"] == str((tmp_path / "mine").resolve())


def _answers(url):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.skipif(os.name != "posix", reason="ends the command by a signal")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "interrupt"])
def test_laboratory_starts_from_any_folder_and_ends_with_the_command(tmp_path, how):
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as out:
        command = subprocess.Popen(
            [*COMMAND, "app", "--port", str(port)], cwd=tmp_path, stdout=out, stderr=subprocess.STDOUT,
            env=environment(STREAMLIT_SERVER_HEADLESS="true"), start_new_session=True,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not _answers(f"http://127.0.0.1:{port}/_stcore/health"):
            assert command.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        # A terminal interrupts everybody in it; who terminates the command means the command alone.
        os.killpg(command.pid, how) if how == signal.SIGINT else command.send_signal(how)
        command.wait(20)
        assert not _answers(f"http://127.0.0.1:{port}/_stcore/health")
        assert "Traceback" not in log.read_text()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)


def test_ctrl_c_is_one_word(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(backend, "get_device", interrupted)
    assert cli.main(["device"]) == 130
    assert capsys.readouterr().err == "rfviz device: Stopped.\n"


# --- what it runs -----------------------------------------------------------------------------------------------------


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


def test_warnings_are_one_sentence_each_without_a_place_in_the_code(tmp_path, capsys):
    rows = "".join(f"{1e6 + i % 7},{1e6 + i % 5}\n" for i in range(30))
    (tmp_path / "far.csv").write_text("x,y\n" + rows, encoding="utf-8")
    address = "http://localhost/distance-saturation?data=folder:far&scheme=RandomFourier&gamma=20&normalise=none&n_components=100"
    try:
        assert cli.main(["run", address, "--data", str(tmp_path), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    finally:
        datasets.set_folder(None)
    said = capsys.readouterr().err
    assert said.count("With gamma=20 the phases") == 1 and said.startswith("rfviz run: With gamma=20")


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
        found = pd.read_csv(out / "findings.csv").set_index("title")
        assert "1 row of 41" in found.loc["Exact copies", "finding"]
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
        found = pd.read_csv(other / "findings.csv").set_index("title")
        assert found.loc["Columns", "grade"] == "warning" and not (other / "map-plain.csv").exists()
        assert cli.main(["run", "quick-inspection", "--data", __file__, "--out", str(other)]) == 2
        assert "test_cli.py" in capsys.readouterr().err
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
