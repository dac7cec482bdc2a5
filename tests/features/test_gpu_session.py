"""The script that runs on a GPU, on the fake one: it passes right results, fails wrong ones, and loses little."""

import argparse
import json
import sys
from collections import Counter

import numpy as np
import pytest

from benchmarks import _gpu_checks as gpu_check
from benchmarks import _roofline, gpu_session
from rfviz.backend import get_device
from rfviz.features import RandomMaxout, registry
from tests.fake_cupy import CUDARuntimeError


@pytest.fixture
def options(tmp_path):
    return argparse.Namespace(out=tmp_path, device="cuda", small=True, seed=0, mnist=None, budget=60.0)


@pytest.mark.slow
def test_all_schemes_pass(fake_gpu):
    rows = list(gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20))
    checked = Counter(row["scheme"] for row in rows)
    for name, scheme in gpu_check.registry().items():
        # Of the frequencies, some draws and kernels exclude each other.
        assert checked[name] == 2 * len(gpu_check.variants(scheme)) or (name == "RandomFourier" and checked[name] > 50)
    assert all(row["ok"] for row in rows)
    rounded = {row["scheme"] for row in rows if row["tf32"]}
    assert {"RandomMaxout", "RandomProjection"} <= rounded and "RandomBinning" not in rounded
    assert fake_gpu.memory.used < 1000


@pytest.mark.parametrize(
    "name", ["cold", "kernels", "parity", "solves", "tiles", "widths", "transfers", "compositional", "table1"]
)
def test_a_part_on_small_data(fake_gpu, options, name):
    assert gpu_session.run_part(name, options) == 0
    rows = [json.loads(line) for line in (options.out / f"{name}.jsonl").read_text().splitlines()]
    assert rows and not [row for row in rows if "error" in row and row.get("ok") is False]
    if name == "kernels":
        assert {"group_max", "bin_codes"} <= {row.get("kernel") for row in rows} and rows[-1] == {"faults": ""}


def test_rates_and_limits(fake_gpu, options, monkeypatch):
    monkeypatch.setattr(_roofline, "SETTINGS", {})
    assert gpu_session.run_part("rates", options) == 0
    rows = [json.loads(line) for line in (options.out / "rates.jsonl").read_text().splitlines()]
    assert rows[0]["rates"]["tf32"] > 0 and {row["scheme"] for row in rows[1:]} == set(registry())


def test_a_map_that_raises_is_one_row_and_a_lost_gpu_ends_the_part(fake_gpu, options, monkeypatch):
    monkeypatch.setattr(gpu_check, "registry", lambda: {"RandomMaxout": RandomMaxout})

    def fail(text):
        def transform(self, X):
            raise CUDARuntimeError(text)

        monkeypatch.setattr(RandomMaxout, "transform", transform)

    settings = 2 * len(gpu_check.variants(RandomMaxout))
    for text, rows in (("CUSOLVER_STATUS_INVALID_VALUE", settings), ("cudaErrorIllegalAddress: …", 2)):
        fail(text)
        (options.out / "check.jsonl").unlink(missing_ok=True)
        assert gpu_session.run_part("check", options) == 1
        stored = [json.loads(line) for line in (options.out / "check.jsonl").read_text().splitlines()]
        assert len(stored) == rows and text in stored[0]["error"] and not stored[0]["ok"]


def test_a_part_that_crashes_or_hangs_loses_its_own_rest(options, monkeypatch, capsys):
    def child(name, given):
        begin = f"open({str(options.out / name)!r} + '.jsonl', 'w').write('{{\"a\": 1}}\\n')"
        end = {"env": "pass", "kernels": "import os; os.abort()", "tiles": "import time; time.sleep(60)"}[name]
        return [sys.executable, "-c", f"{begin}\n{end}"]

    monkeypatch.setattr(gpu_session, "_child", child)
    monkeypatch.setitem(gpu_session.PARTS, "tiles", (gpu_session.tiles, 1, True))
    options.budget = 20.0
    found = gpu_session.run_parts(["kernels", "tiles", "env"], options)
    assert found["kernels"]["returned"] < 0 and found["tiles"]["returned"] == 124 and found["env"]["returned"] == 0
    stored = json.loads((options.out / "gpu-session.json").read_text())["parts"]
    assert [part["rows"] for part in stored.values()] == [[{"a": 1}]] * 3
    options.budget = 0.5
    assert gpu_session.run_parts(["env"], options)["env"]["stderr"] == "no time left"


@pytest.mark.slow
def test_wrong_results_fail(fake_gpu, monkeypatch):
    def coarse(X, W, out=None):  # as rounded as TF32
        product = fake_gpu.asarray((X.get() @ W.get()).astype(np.float16).astype(X.dtype))
        if out is None:
            return product
        out[...] = product
        return out

    fake_gpu.matmul = coarse
    rows = list(gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20))
    # Some add up a few angles, compare, or transform in place, without a product that could be coarse.
    without = ("CompositionalFeatures", "DecisionStumps", "RandomBinning", "StructuredMaxout")
    coarse_rows = [r for r in rows if r["scheme"] not in without and "draw=structured" not in r["settings"]]
    assert not any(row["ok"] for row in coarse_rows)
    assert {row["scheme"] for row in coarse_rows} == set(gpu_check.registry()) - set(without)
    # A row that was never written still holds NaN.
    monkeypatch.setattr(gpu_check, "registry", lambda: {"RandomMaxout": RandomMaxout})
    monkeypatch.setattr(RandomMaxout, "_map_block", lambda *args: None)
    rows = list(gpu_check.check(get_device("cuda"), seed=0, n=50, d=7, m=20))
    assert rows and all(row["dense"] == np.inf for row in rows)


@pytest.mark.usefixtures("no_cupy")
def test_without_a_gpu_one_sentence_and_code_2(tmp_path, capsys):
    assert gpu_session.main(["--out", str(tmp_path)]) == 2
    assert capsys.readouterr().out.startswith(
        "There is no such device: device must name a device that works; got 'cuda'."
    )
