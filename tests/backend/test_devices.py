"""Devices: which there are, which one computes, how much of its memory is free."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from rfviz import backend
from rfviz.backend import (
    array_namespace,
    available_devices,
    devices,
    get_device,
    gpu_status,
    to_host,
)
from rfviz.errors import ParameterError


@pytest.mark.usefixtures("no_cupy")
def test_without_cupy_there_is_the_cpu(monkeypatch):
    monkeypatch.delenv("RFVIZ_DEVICE", raising=False)
    assert [device.name for device in available_devices()] == ["cpu"]
    assert get_device().xp is np and not get_device().is_gpu
    assert gpu_status() == "CuPy is not installed"
    with pytest.raises(ParameterError, match=r"device must name.*got 'cuda'.*'auto', 'cpu' \(CuPy is not installed"):
        get_device("cuda")


def test_the_fake_gpu_is_preferred(fake_gpu):
    assert [device.name for device in available_devices()] == ["cuda:0", "cpu"]
    for name in ("auto", "cuda", "cuda:0"):
        assert get_device(name).xp is fake_gpu
    assert get_device(get_device("cuda")) is get_device("cuda")
    assert get_device("cpu").xp is np
    assert gpu_status() == ""
    assert get_device().describe() == "Fake GPU, 93 GiB"


def _failing(message):
    def fail(*args, **kwargs):
        raise RuntimeError(message)

    return fail


def test_a_gpu_that_does_not_compute_is_passed_over(fake_gpu):
    fake_gpu.ones = _failing("libcublas is missing")
    assert [device.name for device in available_devices()] == ["cpu"]
    assert gpu_status() == "GPU 0 does not compute (RuntimeError: libcublas is missing)"


def test_cupy_without_a_driver(fake_gpu, monkeypatch):
    monkeypatch.delenv("RFVIZ_DEVICE", raising=False)
    fake_gpu.cuda.runtime.getDeviceCount = _failing("cudaErrorInsufficientDriver")
    assert get_device().name == "cpu"
    assert gpu_status() == "CuPy found no CUDA device"


def test_cupy_that_cannot_be_loaded(monkeypatch):
    backend.look_for_gpus_again()
    monkeypatch.setattr(devices.importlib, "import_module", _failing("a broken library"))
    assert gpu_status() == "CuPy could not be loaded (a broken library)"
    backend.look_for_gpus_again()


def test_asking_for_the_cpu_does_not_look_for_cupy():
    code = (
        "import sys; sys.modules['cupy'] = None\n"
        "from rfviz import backend\n"
        "backend.get_device('cpu'); backend.memory_budget(); backend.array_namespace([1])\n"
        "assert backend.devices._probe_gpus.cache_info().misses == 0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_arrays_move_between_devices(fake_gpu):
    gpu, cpu = get_device("cuda"), get_device("cpu")
    X = np.arange(6.0).reshape(2, 3)
    on_gpu = gpu.asarray(X, dtype="float32")
    assert array_namespace(on_gpu) is fake_gpu and array_namespace(X) is np
    assert on_gpu.dtype == "float32" and np.array_equal(to_host(on_gpu), X)
    assert to_host(X) is X and cpu.asarray(X) is X
    matrix = sparse.csr_matrix(X)
    assert cpu.asarray(matrix) is matrix and cpu.asarray(matrix, "float32").dtype == "float32"
    sparse_on_gpu = gpu.asarray(matrix, "float32")
    assert array_namespace(sparse_on_gpu) is fake_gpu and sparse_on_gpu.dtype == "float32"
    assert np.array_equal(to_host(sparse_on_gpu).toarray(), X)


def test_the_fake_is_as_strict_as_cupy(fake_gpu):
    host, device = np.eye(3), fake_gpu.asarray(np.eye(3))
    mixing = [
        lambda: host + device,
        lambda: device * host,
        lambda: host @ device,
        lambda: np.maximum(host, device),
        lambda: fake_gpu.matmul(device, device, out=host),
        lambda: np.asarray(device),
        lambda: device.__iadd__(host),
        lambda: device.__setitem__(0, host[0]),
        lambda: host.__setitem__(0, device[0]),
        lambda: fake_gpu.cos(host),
        lambda: np.concatenate([host, device]),
        lambda: np.linalg.svd(device),
    ]
    for mix in mixing:
        with pytest.raises(TypeError):
            mix()
    device[1:] *= np.float32(3)
    assert float((device @ device.T).sum()) == 19.0 and np.isnan(fake_gpu.empty(3).get()).all()


# --- free memory ------------------------------------------------------------------------------------------------------


@pytest.fixture
def little_memory(monkeypatch, tmp_path):
    """Say by Linux's own file that 7 KiB are free."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 7 kB\n")
    monkeypatch.setattr(devices, "_MEMINFO", str(tmp_path / "meminfo"))
    monkeypatch.setattr(devices, "_CGROUP", str(tmp_path))


@pytest.mark.usefixtures("little_memory")
def test_container_limit(tmp_path):
    cpu = get_device("cpu")
    contents = {"max": "1000\n", "current": "900\n", "stat": "anon 500\ninactive_file 300\nactive_file 1\n"}
    for name, text in contents.items():
        (tmp_path / f"memory.{name}").write_text(text)
    assert cpu.free_bytes() == 400  # files that the kernel only caches are free for the asking
    (tmp_path / "memory.stat").write_text("anon 500\n")
    assert cpu.free_bytes() == 100  # a limit holds, also where nothing is said of files
    (tmp_path / "memory.max").write_text("max\n")
    assert cpu.free_bytes() == 7 * 1024
    (tmp_path / "memory.max").unlink()
    assert cpu.free_bytes() == 7 * 1024


@pytest.mark.usefixtures("little_memory")
def test_container_limit_where_control_groups_are_of_version_1(tmp_path):
    cpu = get_device("cpu")
    (tmp_path / "memory").mkdir()
    contents = {
        "limit_in_bytes": "1000\n",
        "usage_in_bytes": "900\n",
        "stat": "inactive_file 1\ntotal_inactive_file 300\n",
    }
    for name, text in contents.items():
        (tmp_path / f"memory/memory.{name}").write_text(text)
    assert cpu.free_bytes() == 400
    (tmp_path / "memory/memory.limit_in_bytes").write_text("9223372036854771712\n")  # what it says without a limit
    assert cpu.free_bytes() == 7 * 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says of its memory")
def test_free_memory_with_and_without_the_file(monkeypatch, tmp_path):
    monkeypatch.setattr(devices, "_CGROUP", str(tmp_path))
    known = get_device("cpu").free_bytes()
    monkeypatch.setattr(devices, "_MEMINFO", str(tmp_path / "meminfo"))
    for _ in range(2):
        assert 0.5 * known < get_device("cpu").free_bytes() < 2.0 * known
        (tmp_path / "meminfo").write_text("MemTotal: 9 kB\n")  # what some systems say
