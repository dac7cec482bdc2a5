"""Pages on a GPU: what they keep is NumPy's, a failure ends in a sentence, several devices can be chosen."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from rfviz import backend
from rfviz.backend import Rates
from rfviz.features import RandomMaxout
from rfviz.features.cost import Where
from rfviz.lab.your_machine.compute import digit_rows
from rfviz.ui import device_use, scheduler
from rfviz.ui.cache import STORE, SessionCache
from rfviz.ui.plain import plain
from rfviz.ui.scheduler import Target
from rfviz.ui.scheduler.session import DEVICE, PRECISION
from tests.app_pages import PAGES, SMALL, changed, opened, specs
from tests.fake_cupy import CUDARuntimeError

SATURATION = "distance-saturation"


@pytest.fixture(autouse=True)
def nothing_cached(monkeypatch):
    STORE.clear()
    monkeypatch.setattr(device_use, "_last", {})
    monkeypatch.setattr(device_use, "_shown", {})


def on_device(value, seen=None):
    """Return whether a result holds an array of the GPU anywhere."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, (str, bytes, int, float, np.ndarray, type)) or sparse.issparse(value):
        return False
    seen.add(id(value))
    if type(value).__module__.startswith("cupy"):
        return True
    parts = list(value.values()) if isinstance(value, dict) else []
    parts += list(value) if isinstance(value, (list, tuple, set)) else []
    parts += list(vars(value).values()) if hasattr(value, "__dict__") else []
    parts += (
        [getattr(value, field.name) for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []
    )
    return any(on_device(part, seen) for part in parts)


def places():
    """Return where the cached results were computed; data sets belong to no device."""
    return {key[2] for key, _ in STORE.entries() if len(key) == 3}


def test_device_arrays_are_found_where_they_hide(fake_gpu):
    hidden = Target(device={"a": [(fake_gpu.ones(3),)]})
    assert on_device(hidden) and not on_device(Target(device={"a": [np.ones(3)]}))


# Pages without a result to remember: formulas of the errata take no time.
WITHOUT_RESULTS = {"home", "lessons", "your-machine", "errata"}


@pytest.mark.slow
@pytest.mark.parametrize("slug", [slug for slug in PAGES if slug not in WITHOUT_RESULTS])
def test_results_of_every_page_are_on_the_host(slug, fake_gpu):
    at = opened(slug, SMALL.get(slug))
    assert not at.error and not at.warning
    assert places() == {Target("cuda:0")}
    assert not any(on_device(entry.result) for _, entry in STORE.entries())
    scheduler.close()
    assert fake_gpu.memory.used == 0


def test_driver_that_vanishes_is_told_and_the_page_goes_on(fake_gpu):
    at = opened(SATURATION, {"seed": 0})
    before = specs(at)
    fake_gpu.memory.failure = CUDARuntimeError("cudaErrorLaunchFailure: unspecified launch failure")
    at = changed(at, SATURATION, {"seed": 1})
    (error,) = at.error
    assert error.value.startswith(plain("The GPU cuda:0 failed in the middle")) and "computed on the CPU" in error.value
    at = changed(at, SATURATION, {"seed": 0})
    assert not at.error and len(specs(at)) == len(before)
    assert places() == {Target("cuda:0"), Target("cpu")}


def test_full_gpu_is_told(fake_gpu):
    at = opened(SATURATION, {"seed": 0})
    fake_gpu.memory.limit = fake_gpu.memory.used + 1000
    at = changed(at, SATURATION, {"seed": 1})
    assert not at.error and specs(at)
    assert any("computed on the CPU instead" in warning.value for warning in at.warning)


@pytest.mark.slow
def test_race_is_not_blamed_for_the_gpu(fake_gpu):
    fake_gpu.memory.failure = None
    at = opened("accuracy", {"schemes": [], "references": []})
    fake_gpu.memory.failure = CUDARuntimeError("cudaErrorUnknown: unknown error")
    at = changed(at, "accuracy", {"schemes": ["RandomProjection"], "m_max": 40, "seeds": 1})
    (error,) = at.error
    assert "failed in the middle" in error.value and not at.warning
    at = changed(at, "accuracy", {})
    assert not at.error and not at.warning
    assert any(caption.value == "Done." for caption in at.caption)


def test_device_and_precision_are_chosen(two_gpus):
    at = opened(SATURATION)
    choice = next(box for box in at.selectbox if box.label == "Device")
    assert choice.options == ["GPU 0", "GPU 1", "CPU"] and choice.value == "cuda:0"
    choice.select("cuda:1").run()
    next(box for box in at.selectbox if box.label == "Matrix products in").select("tf32").run()
    assert at.session_state[DEVICE.key] == "cuda:1" and at.session_state[PRECISION.key] == "tf32"
    changed(at, SATURATION, {"seed": 7})
    assert Target("cuda:1", "tf32") in places()
    next(box for box in at.selectbox if box.label == "Device").select("cpu").run()
    assert not at.error and not any(box.label == "Matrix products in" for box in at.selectbox)
    assert Target("cpu") in places()


@pytest.mark.usefixtures("no_cupy")
def test_one_device_is_no_choice():
    assert not any(box.label == "Device" for box in opened(SATURATION).selectbox)


def test_environment_names_the_device(two_gpus, monkeypatch):
    monkeypatch.setenv("RFVIZ_DEVICE", "cuda:1")
    assert backend.get_device().name == "cuda:1" and backend.get_device("cuda:0").name == "cuda:0"
    with backend.using("cpu"):
        assert backend.get_device().name == "cpu"
    opened(SATURATION)
    assert places() == {Target("cuda:1")}
    monkeypatch.setenv("RFVIZ_DEVICE", "cuda:7")
    with pytest.raises(ValueError, match="RFVIZ_DEVICE must name a device that works; got 'cuda:7'"):
        backend.get_device()


def test_badge_tells_of_memory_queue_and_last_computation(monkeypatch):
    monkeypatch.setattr(device_use.backend, "known_rates", lambda device: Rates("cpu", 1e7, 1e7, None, 1e12))
    place = Target(backend.get_device().name)
    assert device_use.describe(place)["last"] == ""
    seen = []

    def compute(*, cache):
        seen.append(device_use.describe(place))
        return RandomMaxout(50, pool_size=2).fit(digit_rows(2)).transform(digit_rows(100)).shape

    assert SessionCache().call(compute) == (100, 50)
    assert seen[0]["queue"] == "1 computation under way"
    state = device_use.describe(place)
    assert state["queue"] == "Nothing is being computed" and "GB free" in state["memory"]
    assert state["last"].startswith("Last computation") or state["last"] == ""  # shorter than is worth telling
    mapped = [(RandomMaxout(50, pool_size=2), (100, 64))]
    device_use.note(place, 1.0, mapped)
    # 100 × 50 × 2 products of 64 numbers, the maximum, the scale: 1.29 million operations, at 10 million a second.
    assert device_use.describe(place)["last"] == "Last computation: 1.0 s, 13% of this device’s limit"


def told(device="cuda:0"):
    """Return what the badge of the only session says: where, and why."""
    (session,) = device_use._shown or [""]  # noqa: SLF001
    state = device_use.describe(Target(device), session)
    return state["short"], state["why"]


@pytest.mark.usefixtures("fake_gpu")
def test_badge_tells_where_a_page_was_computed_and_why():
    opened("pixel-cooccurrence", SMALL.get("pixel-cooccurrence"))
    assert told() == ("Computed on the CPU", "Drawing the paths of features was not measured on a GPU.")
    opened(SATURATION)
    assert told() == ("Computed on the GPU", "")
    opened("pixel-cooccurrence", SMALL.get("pixel-cooccurrence"))  # from memory this time
    assert told() == ("Computed on the CPU", "Drawing the paths of features was not measured on a GPU.")


@pytest.mark.usefixtures("fake_gpu")
def test_badge_of_a_page_that_a_gpu_would_slow_down():
    opened("binning", SMALL.get("binning"))
    where, why = told()
    assert where == "Computed on the CPU"
    assert why.startswith("“Random binning” of ") and why.endswith("on the processor at best, by recorded figures.")


@pytest.mark.usefixtures("no_cupy")
def test_badge_without_a_gpu_has_nothing_to_explain():
    opened("binning", SMALL.get("binning"))
    assert told("cpu") == ("Computed on the CPU", "")


def test_badge_tells_of_both_devices_and_of_the_longest_reason(monkeypatch):
    monkeypatch.setattr(device_use, "_shown", {})
    device_use.tell(Where(frozenset({True})))
    device_use.tell(Where(frozenset({False}), (0.1, "One is short")))
    device_use.tell(Where(frozenset({False}), (0.3, "The other is longer")))
    state = device_use.describe(Target("cpu"), device_use.session_key())
    assert (state["short"], state["why"]) == ("Computed on the GPU and the CPU", "The other is longer.")
    assert device_use.describe(Target("cpu"), "another session")["short"] == "Computed on the CPU"
    device_use.begin()
    assert device_use.describe(Target("cpu"), device_use.session_key())["short"] == "Computed on the CPU"


def test_rates_are_measured_while_nobody_computes(monkeypatch):
    name, measured = backend.get_device().name, []
    monkeypatch.setattr(device_use.backend, "known_rates", lambda device: None)
    monkeypatch.setattr(
        device_use.backend, "measure_rates", lambda device, step: (step(0.0, ""), measured.append(device))
    )
    look = device_use._measured  # noqa: SLF001 – what its thread does every few seconds
    assert look() and measured == [name]
    monkeypatch.setattr(scheduler, "queue_state", lambda device: (1, 0))
    assert not look() and measured == [name]
