"""``make app`` and a GPU: CuPy for the driver's CUDA, once, and the laboratory all the same where that fails."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or os.name == "nt", reason="needs make, and a shell for it"
)


@pytest.fixture
def made(tmp_path):
    """Return a function that makes a target with a fake driver, and an installer that only notes its arguments."""
    venv, path = tmp_path / "venv", tmp_path / "path"
    for folder in (venv / "bin", path):
        folder.mkdir(parents=True)
    for name in ("app", "plotly"):
        (venv / f"{name}.stamp").touch()

    def script(file, text):
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def make(target, cuda="", installs=True, **variables):
        log = tmp_path / "log"
        log.write_text("")
        if cuda:
            script(path / "nvidia-smi", f"echo '| NVIDIA-SMI 580.1   Driver Version: 580.1   CUDA Version: {cuda} |'")
        else:
            script(path / "nvidia-smi", "echo 'NVIDIA-SMI has failed' ; exit 9")
        script(venv / "bin" / "uv", f'echo "$@" >> {log} ; exit {0 if installs else 1}')
        script(venv / "bin" / "streamlit", f"echo started >> {log}")
        given = [f"{name}={value}" for name, value in {"VENV": venv, **variables}.items()]
        environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["make", "-s", target, *given], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, [line.split()[-1] for line in log.read_text().splitlines()]

    return make


@pytest.mark.parametrize(
    ("cuda", "wheel"),
    [
        ("12.4", "cupy-cuda12x[ctk]>=14,<15"),
        ("13.0", "cupy-cuda13x[ctk]>=14,<15"),
        ("14.1", "cupy-cuda13x[ctk]>=14,<15"),
    ],
)
def test_the_wheel_is_that_of_the_driver(made, cuda, wheel):
    said, did = made("app", cuda)
    assert did == [wheel, "started"]
    assert (
        f"An NVIDIA driver for CUDA {cuda.split('.')[0]}: installing {wheel}" in said and f"Installed: {wheel}." in said
    )
    assert made("app", cuda) == ("", ["started"])  # once


def test_without_a_driver_nothing_is_installed_until_there_is_one(made):
    assert made("app") == ("", ["started"])
    assert made("app", "13.0")[1] == ["cupy-cuda13x[ctk]>=14,<15", "started"]


def test_an_installation_that_fails_leaves_the_processor(made):
    said, did = made("app", "13.0", installs=False)
    assert did == ["cupy-cuda13x[ctk]>=14,<15", "started"]
    assert "could not be installed: computing on the processor. make gpu tries again." in said
    assert made("app", "13.0", installs=False)[1] == ["started"]
    assert made("gpu", "13.0")[1] == ["cupy-cuda13x[ctk]>=14,<15"]


def test_a_driver_that_is_too_old_is_told(made):
    said, did = made("app", "11.8")
    assert did == ["started"] and "knows CUDA 11, for which there is no CuPy" in said


def test_gpu_0_goes_without(made):
    assert made("app", "13.0", GPU=0) == ("", ["started"])
