"""The script that checks a GPU, on the fake one: it passes a right map, fails a wrong one, and needs a GPU."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks import gpu_check
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
    times = gpu_check.time_schemes(get_device("cuda"), n=20, d=7, m=10, turns=2)
    assert all(row["scheme ms"] > 0 for row in times)
    assert fake_gpu.memory.used < 1000
    assert gpu_check.about(get_device("cuda"))["device"].startswith("Fake GPU")


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


def test_without_a_gpu_one_sentence_and_code_2():
    code = f"import sys, runpy; sys.modules['cupy'] = None; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2 and not done.stderr
    assert done.stdout.startswith("There is no GPU to check: device must name a device that works; got 'cuda'.")
    assert done.stdout.count("\n") == 1
