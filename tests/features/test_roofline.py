"""The scripts that set times beside limits and schemes beside each other: arithmetic, on the fake GPU and the CPU."""

import numpy as np
import pytest

from benchmarks import _roofline, schemes
from benchmarks._rates import Rates, about, measure
from rfviz.backend import get_device
from rfviz.features import registry
from rfviz.features.cost import Work, work

RATES = Rates(1e12, 5e11, 4e12, 8e12, None, 1e10, 2e9, 3e9)


def test_limits():
    done = Work(flops=3_000_000, bytes=10, products=2_800_000)
    assert RATES.limit(done) == 3e-6
    assert RATES.limit(done, "tf32") == pytest.approx(0.7e-6)  # products at four times the rate, beside the rest
    assert RATES.limit(Work(3_000_000, 10, double=True), "tf32") == 6e-6
    assert RATES.limit(Work(1, 10_000_000)) == 1e-3
    assert [row["value"] for row in RATES.table()] == [1.0, 0.5, 4.0, 8.0, None, 10.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_rates(fake_gpu, name):
    rates = measure(get_device(name), size=24, n_bytes=4000, turns=1)
    assert rates.float32 > 0 and rates.float64 > 0 and rates.copy > 0
    assert (rates.tf32 is None) == (rates.upload is None) == (rates.download is None) == (name == "cpu")
    assert fake_gpu.memory.used == 0
    assert about(get_device(name))["device"] == ("cpu" if name == "cpu" else "Fake GPU, 93 GiB")


def test_all_schemes_are_compared():
    assert {name for name, _ in schemes.CASES} == set(registry())


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_every_scheme_has_its_row(fake_gpu, name):
    device, n, d, m = get_device(name), 30, 16, 20
    rows = _roofline.roofline(device, RATES, n, d, m, turns=1)
    assert {row["scheme"] for row in rows} == set(registry())
    for row in rows:
        if row["scheme"] == "RandomMaxout" and row["settings"] == "–":
            least = work(registry()["RandomMaxout"](m), n, d)
            assert row["limit ms"] == 1e3 * RATES.limit(least, row["precision"])
            assert row["GFLOP"] == least.flops / 1e9 and row["MB"] == least.bytes / 1e6
        taken = row["kernels ms" if name == "cuda" else "arrays ms"]
        assert row["share of the limit"] == pytest.approx(row["limit ms"] / taken)
        assert (row["kernels ms"] is None) == (name == "cpu")
    precisions = {row["precision"] for row in rows if row["scheme"] == "RandomMaxout"}
    assert precisions == ({"float32"} if name == "cpu" else {"float32", "tf32"})
    assert {row["precision"] for row in rows if row["scheme"] == "RandomBinning"} == {"float64"}
    assert fake_gpu.memory.used < 1000


def test_kernels_and_arrays_are_what_they_are_called(fake_gpu, monkeypatch):
    from rfviz.features import RandomReLU

    launched = []
    whole = fake_gpu.RawModule.get_function

    def watched(self, name):
        function = whole(self, name)
        return lambda *arguments: (launched.append(name), function(*arguments))

    monkeypatch.setattr(fake_gpu.RawModule, "get_function", watched)
    host = np.ones((40, 5), dtype=np.float32)
    ways = _roofline.ways_to_map(get_device("cuda"), RandomReLU(9, device="cuda").fit(host), host)
    launched.clear()
    ways["arrays"]()
    assert launched == []
    ways["kernels"]()
    assert set(launched) == {"relu"}
