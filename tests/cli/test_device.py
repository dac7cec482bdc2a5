"""``rfviz device``: it says what computes, and why a GPU does not."""

import json

from rfviz import backend, cli
from rfviz._version import __version__


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
