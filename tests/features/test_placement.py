"""Where an analysis maps its rows: by recorded figures alone, the same numbers on both devices, and a reason."""

import json
from pathlib import Path

import numpy as np
import pytest

from rfviz.analysis.drift import find_drift
from rfviz.analysis.interactions import find_interactions
from rfviz.analysis.label_errors import find_label_errors, find_target_errors
from rfviz.analysis.uncertainty import find_intervals
from rfviz.backend import Rates, rates
from rfviz.features import RandomFourier, RandomMaxout, map_class, placement
from rfviz.features.cost import metered
from rfviz.features.placement import Afterwards, on_processor, placed
from rfviz.linear_model.leave_one_out import device_needs, leave_one_out

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
SESSIONS = [json.loads((RESULTS / f"gpu-session-{name}.json").read_text())["parts"] for name in ("h100", "h200")]


def rows_of(part):
    return [row for session in SESSIONS for row in session[part]["rows"]]


@pytest.fixture
def fast_gpu(fake_gpu, monkeypatch):
    """Give the fake GPU the rates of an H100, a bus and a start that cost nothing, and one slow core beside it."""
    measured = SESSIONS[0]["rates"]["rows"][0]["rates"]
    found = Rates("cuda:0", measured["float32"], measured["float64"], measured["tf32"], measured["copy"])
    monkeypatch.setattr(rates, "_known", {placement.get_device("cuda"): found})
    monkeypatch.setattr(placement, "core_count", lambda: 1)
    return fake_gpu


@pytest.fixture
def eager(fast_gpu, monkeypatch):
    """Let the GPU be faster for any size."""
    monkeypatch.setattr(placement, "START_S", 0.0)
    monkeypatch.setattr(placement, "BUS", 1e30)
    monkeypatch.setattr(placement, "CORE", 1e3)
    return fast_gpu


# --- the constants ---------------------------------------------------------------------------------------------------


def test_shares_are_the_lowest_recorded_ones():
    lowest = {}
    for row in rows_of("rates"):
        if "scheme" in row and row["precision"] != "tf32":
            lowest.setdefault(row["scheme"], []).append(row["share of the limit"])
    assert set(placement.LOWEST_SHARES) == set(lowest)
    for name, share in placement.LOWEST_SHARES.items():
        assert 0.9 * min(lowest[name]) <= share <= min(lowest[name]), name


def test_the_bus_and_the_start_are_the_slowest_on_record():
    back = [row for row in rows_of("transfers") if row["way"] == "transform, from the host and back"]
    slowest = min(1e9 * row["GB"] / max(row["s"]) for row in back)
    assert 0.95 * slowest <= placement.BUS <= slowest
    starts = [row["s"] for row in rows_of("cold") if row["what"] == "ridge regression" and row["turn"] == "second"]
    assert max(starts) <= placement.START_S <= 1.1 * max(starts)


def test_the_gram_matrix_is_no_slower_than_recorded():
    rows, m = 16384, 10_000
    shares = []
    for session in SESSIONS:
        limit = rows * m**2 / session["rates"]["rows"][0]["rates"]["float64"]
        later = [row["Gram matrix s"] for row in session["solves"]["rows"] if row.get("m") == m and row["turn"]]
        shares += [limit / seconds for seconds in later]
    assert 0.9 * min(shares) <= placement.GRAM_SHARE <= min(shares)


def test_a_core_is_as_fast_as_the_fastest_on_record():
    recorded = json.loads((RESULTS / "features-cpu.json").read_text())
    products = [2 * 60_000 * 784 * row["product columns"] / row["product s"] for row in recorded["schemes"]]
    fastest = max(products) / recorded["machine"]["blas"]["cores"]
    assert fastest <= placement.CORE <= 1.1 * fastest


# --- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("fast_gpu")
def test_the_gpu_takes_what_is_large_enough():
    chosen = [
        placed(RandomMaxout(10_000), n, 784, Afterwards(0.0, 0.0, 0.0)).device for n in (1, 100, 10_000, 1_000_000)
    ]
    # A core at its best takes 0.38 ms a row (1.6e7 products of 4 maxima), the GPU a fortieth of a second and 1.3 µs.
    assert chosen == ["cpu", "cuda:0", "cuda:0", "cuda:0"]


@pytest.mark.usefixtures("fast_gpu")
@pytest.mark.parametrize(("cores", "n_rows"), [(2, 1100), (16, 9200)])
def test_wrong_labels_go_there_from_the_size_that_the_docs_tell(monkeypatch, cores, n_rows):
    monkeypatch.setattr(placement, "core_count", lambda: cores)
    sizes = [round(share * n_rows) for share in (0.9, 1.1)]
    maps = [placed(RandomFourier(1000, gamma=1.0), n, 30, Afterwards(*device_needs(n, 1000, 10))).device for n in sizes]
    assert maps == ["cpu", "cuda:0"]
    assert f"{n_rows:,}" in (RESULTS.parents[1] / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("fast_gpu")
def test_features_of_few_columns_that_go_back_never_pay(monkeypatch):
    """A feature of two columns is computed before its four bytes have crossed the bus, on any number of rows."""
    monkeypatch.setattr(placement, "core_count", lambda: 16)
    for n in (100, 10_000, 10_000_000):
        assert placed(RandomFourier(1000, gamma=1.0), n, 2).device == "cpu"


@pytest.mark.usefixtures("fast_gpu")
def test_what_was_not_measured_stays_and_says_so():
    with metered() as meter:
        assert placed(map_class("LinearFourier")(1000), 10_000_000, 784).device == "cpu"
    assert meter.where.why[1] == "“Linear × Fourier” was not measured on a GPU"
    with metered() as meter:
        assert on_processor("Counting was") == "cpu"
    assert meter.where.why[1] == "Counting was not measured on a GPU" and meter.where.on_gpu == {False}


@pytest.mark.usefixtures("fast_gpu")
def test_what_does_not_fit_stays(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with metered() as meter:
        assert placed(RandomMaxout(10_000), 10_000, 784, Afterwards(0.0, 0.0, 0.0)).device == "cpu"
    assert "does not fit into the GPU’s memory" in meter.where.why[1]


@pytest.mark.usefixtures("no_cupy")
def test_without_a_gpu_there_is_nothing_to_explain():
    with metered() as meter:
        assert placed(RandomMaxout(10), 10, 2).device == "cpu" and on_processor("Counting was") == "cpu"
    assert not meter.where.why[1] and not meter.where.on_gpu


@pytest.mark.usefixtures("eager")
def test_the_processor_is_kept_where_it_was_chosen():
    assert placed(RandomMaxout(10, device="cpu"), 10**9, 784).device == "cpu"


# --- the same numbers on both ----------------------------------------------------------------------------------------


def planted(n=150, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    return X, y, rng


def on_both(compute, gpu):
    """Return what is computed on the processor, and on the GPU, which must really have been used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placement, "CORE", 1e30)
        host = compute()
    before = len(gpu.memory.log)
    with metered() as meter:
        there = compute()
    assert len(gpu.memory.log) > before and True in meter.where.on_gpu
    assert "on the GPU with the way there and back" in meter.where.why[1]
    return host, there


def test_predictions_by_all_other_rows_are_the_same(eager):
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal((50, 12)).astype(np.float32), rng.standard_normal((50, 3))
    host, there = leave_one_out(H, Y), leave_one_out(eager.asarray(H), Y)
    assert there.alpha == pytest.approx(host.alpha)
    for name in ("predictions", "leverages", "errors"):
        found = getattr(there, name)
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, getattr(host, name), rtol=1e-9, atol=1e-12)


def test_wrong_labels_are_the_same(eager):
    X, y, rng = planted()
    X[:, 0] += 4 * y  # a gap
    wrong = rng.choice(len(y), 5, replace=False)
    y[wrong] = 1 - y[wrong]
    host, there = on_both(lambda: find_label_errors(X, y, 100), eager)
    assert set(there.rows) == set(host.rows) == set(wrong)
    np.testing.assert_allclose(there.scores, host.scores, atol=1e-4)


def test_wrong_labels_of_images_are_the_same(eager):
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 64)), np.arange(80) % 2
    X[y == 1, :32] += 1.0
    host, there = on_both(lambda: find_label_errors(X, y, 60, image_shape=(8, 8)), eager)
    np.testing.assert_allclose(there.scores, host.scores, atol=1e-4)


def test_wrong_numbers_and_intervals_are_the_same(eager):
    X, _, rng = planted()
    y = X[:, 0] + X[:, 1] + 0.1 * rng.standard_normal(len(X))
    y[7] += 9.0
    host, there = on_both(lambda: find_target_errors(X, y, 50), eager)
    assert list(there.rows) == list(host.rows) == [7]
    np.testing.assert_allclose(there.predictions, host.predictions, atol=1e-4)
    host, there = on_both(lambda: find_intervals(X, y - host.predictions), eager)
    np.testing.assert_allclose(there.widths, host.widths, rtol=1e-3)


def test_drift_is_the_same(eager):
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, 400, 3))
    second[:, 1] = 0.9 * second[:, 0] + 0.4 * second[:, 1]
    host, there = on_both(lambda: find_drift(first, second), eager)
    assert there.p_value == pytest.approx(host.p_value, abs=2e-3)


@pytest.mark.usefixtures("eager")
def test_interactions_stay_on_the_processor():
    X, _, rng = planted(n=400, d=3)
    y = X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(len(X))
    with metered() as meter:
        find_interactions(X, y)
    assert meter.where.on_gpu == {False}
    assert meter.where.why[1] == "A recursive feature machine was not measured on a GPU"
