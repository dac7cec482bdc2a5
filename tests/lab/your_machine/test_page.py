"""Your machine: a first look comes by itself, bars and sizes when asked for, on the CPU and on a GPU."""

import time

import pytest

from rfviz.backend import rates
from rfviz.features import registry
from rfviz.lab.your_machine import compute, views
from rfviz.ui.cache import STORE
from tests.app_pages import array, opened, prose, specs
from tests.lab.sentences import Rough, Sentence

SLUG = "your-machine"
UNFOLDED = {f"details-{number}": True for number in range(3)}


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Make the benchmark quick: three maps, none of them measured before."""
    few = {name: registry()[name] for name in ("RandomMaxout", "RandomFourier", "DecisionStumps")}
    monkeypatch.setattr(views, "registry", lambda: few)
    for name in ("TURNS", "DRAWS"):
        monkeypatch.setattr(compute, name, 1)
    # On the processor, which is all that a fake GPU has.
    monkeypatch.setattr(rates, "_GPU_SIDES", (64,))
    monkeypatch.setattr(rates, "_GPU_COPIED", 1_000_000)
    STORE.clear()
    yield
    STORE.clear()


def pressed(at, label):
    next(button for button in at.button if button.label == label).click()
    at.run()
    assert not at.exception
    return at


def finished(at):
    deadline = time.monotonic() + 300
    while not any(caption.value == "Done." for caption in at.caption):
        assert time.monotonic() < deadline
        at.run()
    return at


def bars(at, name="measured"):
    return next(t for t in specs(at)[0]["data"] if t["type"] == "bar" and t["name"] == name)


def test_a_first_look_is_all_that_is_taken_unasked(monkeypatch):
    monkeypatch.setattr(compute, "measure", None)
    at = opened(SLUG, UNFOLDED)
    assert len(bars(at)["y"]) == 0
    looked = bars(at, "first look")
    assert sorted(looked["y"]) == [0, 1, 2] and (array(looked["x"]) > 0).all()
    assert looked["marker"]["opacity"] < 1 and all("about" in text or "under" in text for text in looked["text"])
    # Who comes later sees the same, and nothing is computed again.
    monkeypatch.setattr(compute, "glance", None)
    assert (array(bars(opened(SLUG), "first look")["x"]) == array(looked["x"])).all()
    # The longest bar is on top.
    assert (array(looked["x"])[array(looked["y"]).argsort()] == sorted(array(looked["x"]))).all()
    names = specs(at)[0]["layout"]["yaxis"]["ticktext"]
    assert sorted(names) == ["Decision stumps", "Random Fourier", "Random maxout"]
    assert "first look" in "".join(prose(at))
    assert not at.code and len(at.dataframe) == 1  # the recorded results
    assert set(at.dataframe[0].value["device"]) and not at.error


@pytest.mark.slow
def test_benchmark_fills_the_page_and_can_be_repeated():
    at = finished(pressed(opened(SLUG, UNFOLDED), "Start"))
    shares = array(bars(at)["x"])
    assert len(shares) == 3 and (shares > 0).all()
    assert all(t.get("name") != "first look" for t in specs(at)[0]["data"])
    table = at.dataframe[0].value
    assert list(table["map"]) == ["Random maxout", "Random Fourier", "Decision stumps"]
    for prefix in "mn":
        sizes = table[[f"{prefix} in {budget} s" for budget in ("0.2", "2", "20")]].to_numpy()
        assert (sizes[:, 1:] >= sizes[:, :-1]).all() and (sizes[:, -1] > 0).all()
    (code,) = at.code
    assert code.value.count("\n|") == 2 + 3 and "Gflop/s in float32" in code.value and "CPU" in code.value
    # Another reader finds the results; who measures again gets new ones.
    assert len(array(bars(opened(SLUG))["x"])) == 3
    again = finished(pressed(at, "Measure again"))
    assert not (array(bars(again)["x"]) == shares).all()


def test_on_a_gpu(fake_gpu):
    at = finished(pressed(opened(SLUG, UNFOLDED), "Start"))
    assert "Fake GPU" in at.code[0].value
    assert len(array(bars(at)["x"])) == 3


def test_the_sentence_names_the_longest_and_the_shortest_bar_with_their_numbers():
    at = opened(SLUG)
    drawn, names = bars(at, "first look"), specs(at)[0]["layout"]["yaxis"]["ticktext"]
    shares = dict(zip([names[row] for row in array(drawn["y"]).astype(int)], array(drawn["x"]), strict=True))
    (words,) = [one for one in prose(at) if "A first look" in one]
    said = Sentence(words)
    first, last = max(shares, key=shares.get), min(shares, key=shares.get)
    peak = "the limit, the measured peak of this machine"
    # Two digits are said; beside other programs the peak may be measured lower than what a map reaches.
    ends = {f"{first} reaches the largest share of {peak}:": shares[first], f"{last} reaches": shares[last]}
    for said_of, share in ends.items():
        said.says(f"{said_of} about {{}}%.", Rough(share) if share >= 100 else share)
    said.says_nothing_else()
    # A colour says what sets the limit, and the legend says which.
    colours, entries = set(drawn["marker"]["color"]), [t for t in specs(at)[0]["data"] if t.get("showlegend")]
    assert colours == {t["marker"]["color"] for t in entries}
