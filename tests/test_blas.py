"""The choice of OpenBLAS kernels, on made-up processors."""

import os
import subprocess
import sys

import pytest

from rfviz import _blas

AVX512 = " ".join(sorted(_blas._REQUIRED_FLAGS))


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Set up a processor with `flags` whose OpenBLAS would choose `core`, before NumPy is imported."""

    def build(flags=AVX512, core="haswell", platform="linux", cpu="x86_64"):
        cpuinfo = tmp_path / "cpuinfo"
        cpuinfo.write_text(f"processor\t: 0\nmodel name\t: New\nflags\t\t: fpu {flags} sse\n")
        monkeypatch.setattr(_blas, "_cpu_flags", lambda read=_blas._cpu_flags: read(str(cpuinfo)))
        monkeypatch.setattr(_blas, "_bundled_openblas", lambda: "libscipy_openblas64_.so")
        monkeypatch.setattr(_blas, "_core_chosen_by", lambda library: core)
        monkeypatch.setattr(_blas.platform, "machine", lambda: cpu)
        monkeypatch.setattr(_blas.sys, "platform", platform)
        monkeypatch.setenv("OPENBLAS_CORETYPE", "")  # so that what the code sets is undone afterwards
        monkeypatch.delenv("OPENBLAS_CORETYPE")
        monkeypatch.delitem(sys.modules, "numpy", raising=False)
        return _blas.os.environ

    return build


@pytest.mark.parametrize("core", ["haswell", "prescott", "zen"])
def test_override_where_avx512_would_be_missed(machine, core):
    environment = machine(core=core)
    assert _blas.choose_openblas_kernels() == f"AVX-512 kernels chosen for OpenBLAS, which had fallen back to {core}"
    assert environment["OPENBLAS_CORETYPE"] == "SKYLAKEX"


LEFT_ALONE = {
    "already AVX-512": {"core": "skylakex"},
    "newer AVX-512": {"core": "sapphirerapids"},
    "an instruction set is missing": {"flags": AVX512.replace("avx512vl", "")},
    "no AVX-512": {"flags": "avx2 fma"},
    "no flags": {"flags": ""},
    "cannot be asked": {"core": None},
    "macOS": {"platform": "darwin"},
    "Windows": {"platform": "win32"},
    "ARM": {"cpu": "aarch64"},
}


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_left_alone(machine, case):
    environment = machine(**LEFT_ALONE[case])
    assert _blas.choose_openblas_kernels() == ""
    assert "OPENBLAS_CORETYPE" not in environment


def test_left_alone_without_the_library(machine, monkeypatch):
    environment = machine()
    monkeypatch.setattr(_blas, "_bundled_openblas", lambda: None)
    assert _blas.choose_openblas_kernels() == "" and "OPENBLAS_CORETYPE" not in environment


def test_the_environment_decides(machine, monkeypatch):
    machine()
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert _blas.choose_openblas_kernels() == "OPENBLAS_CORETYPE=Haswell (from the environment)"


def test_too_late_once_numpy_is_there(machine, monkeypatch):
    environment = machine()
    monkeypatch.setitem(sys.modules, "numpy", object())
    assert _blas.choose_openblas_kernels() == "" and "OPENBLAS_CORETYPE" not in environment


def test_flags_of_a_file_that_is_not_there(tmp_path):
    assert _blas._cpu_flags(str(tmp_path / "none")) == frozenset()


def test_asking_something_that_is_no_library(tmp_path):
    broken = tmp_path / "libbroken.so"
    broken.write_text("no library")
    assert _blas._core_chosen_by(str(broken)) is None


def test_asking_that_hangs(monkeypatch):
    def hang(*args, **kwargs):
        raise subprocess.TimeoutExpired("python", 10)

    monkeypatch.setattr(_blas.subprocess, "run", hang)
    assert _blas._core_chosen_by("libscipy_openblas64_.so") is None


def test_the_real_library_answers():
    library = _blas._bundled_openblas()
    if library is None:
        pytest.skip("this NumPy has no OpenBLAS of its own")
    assert _blas._core_chosen_by(library)


def test_numpy_computes_with_the_choice():
    code = (
        "from rfviz._blas import choose_openblas_kernels\n"
        "choose_openblas_kernels()\n"
        "import numpy as np\n"
        "assert float((np.ones((64, 64), 'float32') @ np.ones((64, 64), 'float32')).sum()) == 64**3"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("before", "first", "after"),
    [
        (None, "", "16"),
        ("26", "", "26"),  # what somebody has asked for stays
        (None, "import numpy", None),  # too late to do anything
    ],
)
def test_idle_threads_sleep_soon(before, first, after):
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    if before:
        environment["OPENBLAS_THREAD_TIMEOUT"] = before
    code = (
        f"{first}\nimport os\nfrom rfviz._blas import shorten_openblas_waits\nshorten_openblas_waits()\n"
        "print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True)
    assert ran.stdout.strip() == str(after)
