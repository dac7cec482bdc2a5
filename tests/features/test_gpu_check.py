"""The script that checks a GPU, on the fake one: it passes a right map, fails a wrong one, and needs a GPU."""

import json
import runpy
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks import gpu_check, gpu_roofline
from rfviz.backend import get_device
from rfviz.features import RandomMaxout

SCRIPT = Path(gpu_check.__file__)


def test_all_schemes_pass(fake_gpu):
    rows = gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20)
    checked = Counter(row["scheme"] for row in rows)
    for name, scheme in gpu_check.registry().items():
        # Of the frequencies, some draws and kernels exclude each other.
        assert checked[name] == 2 * len(gpu_check.variants(scheme)) or (name == "RandomFourier" and checked[name] > 50)
    assert all(row["ok"] for row in rows)
    assert "| RandomMaxout" in gpu_check.markdown_table(rows)
    rounded = {row["scheme"] for row in rows if row["tf32"]}
    assert {"RandomMaxout", "RandomProjection"} <= rounded and "RandomBinning" not in rounded
    assert fake_gpu.memory.used < 1000


def test_the_whole_run_on_small_data(fake_gpu, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu_check, "check", lambda device, seed, *sizes: [{"scheme": "all", "ok": True}])
    monkeypatch.setattr(gpu_roofline, "SETTINGS", {})
    sizes = gpu_check.Sizes(
        (50, 7, 20), 32, 40_000, (20, 16, 10), (32, 16, 10), (60, 12, 9), (240, 30), (5, 10),
    )  # fmt: skip
    path = tmp_path / "gpu.json"
    found = gpu_check.run(get_device("cuda"), 0, sizes, None, path)
    stored = json.loads(path.read_text())
    assert stored["gpu"]["device"].startswith("Fake GPU") and stored["machine"]["date"]
    assert set(stored) == {*found, "machine"} >= {"rates", "schemes", "overlap", "compositional", "table1", "kernels"}
    assert {row["scheme"] for row in stored["schemes"]} == set(gpu_check.registry())
    for row in stored["compositional"]:
        assert row["s"] > 0 and (row["error"] is None or row["error"] < 1e-5)
    assert stored["table1"]["seconds"] > 0 and stored["table1"]["errors"] is None
    assert "group_max" in stored["kernels"]["in use"] and not stored["kernels"]["not in use"]
    assert "## Table 1, one draw" in capsys.readouterr().out
    assert fake_gpu.memory.used < 1000


@pytest.mark.slow
def test_wrong_results_fail(fake_gpu, monkeypatch):
    def coarse(X, W, out=None):  # as rounded as TF32
        product = fake_gpu.asarray((X.get() @ W.get()).astype(np.float16).astype(X.dtype))
        if out is None:
            return product
        out[...] = product
        return out

    fake_gpu.matmul = coarse
    rows = gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20)
    # Some add up a few angles, compare, or transform in place, without a product that could be coarse.
    without = ("CompositionalFeatures", "DecisionStumps", "RandomBinning", "StructuredMaxout")
    coarse_rows = [r for r in rows if r["scheme"] not in without and "draw=structured" not in r["settings"]]
    assert not any(row["ok"] for row in coarse_rows)
    assert {row["scheme"] for row in coarse_rows} == set(gpu_check.registry()) - set(without)
    # A row that was never written still holds NaN.
    monkeypatch.setattr(RandomMaxout, "_map_block", lambda *args: None)
    rows = gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20)
    assert all(row["dense"] == np.inf for row in rows if row["scheme"] == "RandomMaxout")


@pytest.mark.usefixtures("no_cupy")
def test_without_a_gpu_one_sentence_and_code_2(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    out, err = capsys.readouterr()
    assert ended.value.code == 2 and not err
    assert out.startswith("There is no GPU to check: device must name a device that works; got 'cuda'.")
    assert out.count("\n") == 1
