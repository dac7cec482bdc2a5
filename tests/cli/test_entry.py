"""Every command: quick to start, an error is one line, and the exit status says how it ended."""

import subprocess
import sys

import pytest

from rfviz import backend, cli
from rfviz._version import __version__
from tests.cli.command import COMMAND, environment


def test_version_without_loading_what_computes():
    code = "import sys, rfviz.cli\ntry: rfviz.cli.main(['--version'])\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == f"rfviz {__version__}\n"
    loaded = {name.split(".")[0] for name in done.stderr.split()}
    assert "argparse" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "pandas", "psutil", "streamlit", "plotly", "cupy"}


@pytest.mark.slow
def test_reader_that_stops_early_is_no_error():
    listing = subprocess.Popen(
        [*COMMAND, "maps"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    listing.stdout.close()
    assert (listing.stderr.read(), listing.wait(60)) == ("", 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
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
def test_refusal_is_one_line_and_status_2(arguments, said, capsys):
    try:
        status = cli.main(arguments)
    except SystemExit as end:  # how argparse ends
        status = end.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert said in err and err.count("\n") == 1 and err.startswith("rfviz")
    assert len(err) < 250


def test_the_process_ends_with_that_status():
    command = [*COMMAND, "device", "--xml"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "unrecognized arguments: --xml" in done.stderr and done.stderr.count("\n") == 1


def test_package_that_is_missing(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)  # as where it is not installed
    assert cli.main(["device"]) == 2
    assert capsys.readouterr().err == "rfviz device: The package numpy, which rfviz needs, is not installed.\n"


def test_ctrl_c_is_one_word(monkeypatch, capsys):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(backend, "get_device", interrupted)
    assert cli.main(["device"]) == 130
    assert capsys.readouterr().err == "rfviz device: Stopped.\n"
