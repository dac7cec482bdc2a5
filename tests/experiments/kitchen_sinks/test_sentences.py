"""What kitchen sinks say is what its charts draw."""

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.lab.index import find_page
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from tests.lab.sentences import Rough, Sentence, page_at, seeds

LEARNERS = {"DecisionStumps": "Random stumps", "SigmoidalRidge": "Random sigmoids", "RandomFourier": "Random Fourier"}
CALLED = {"Random Fourier": "Random Fourier features"}


def settings(seed):
    rng = np.random.default_rng(seed)
    some = [name for name in LEARNERS if rng.random() < 0.6] or ["SigmoidalRidge"]
    return {
        "learners": some,
        "k_max": int(rng.choice([20, 50, 100])),
        "stumps": int(rng.choice([0, 20, 20])),
        "draws": int(rng.choice([1, 2])),
        "test": int(rng.choice([5, 25, 75])),
        "data": str(rng.choice(["breast_cancer", "moons"])),
    }


def curves(figure):
    """Return the lines of a chart by name, in its order."""
    return {t.name: (np.asarray(t.x, float), np.asarray(t.y, float)) for t in figure.data if t.mode == "lines+markers"}


def frame_of_texts(found, said):
    n_train, n_test = len(found.result.split.X_train), len(found.result.split.X_test)
    said.says("from the same {} rows", n_train)
    return n_test


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(8))
def test_errors_are_the_least_that_are_drawn_and_k_the_first_that_reach_them(seed):
    found = page_at("kitchen-sinks", settings(seed))
    drawn, said = curves(found.charts[0].figure), Sentence(found.charts[0].words)
    n_test = frame_of_texts(found, said)
    said.says("on {} test rows, each {}%", n_test, 100 / n_test)
    best = None
    if "AdaBoost" in drawn:
        k, error = drawn.pop("AdaBoost")
        best = error.min()
        said.says("AdaBoost’s least error is {}%, with {} stump", best, k[np.isclose(error, best)][0])
    for name, (k, error) in drawn.items():
        first, least = k[np.isclose(error, error.min())][0], error.min()
        called = CALLED.get(name, name)
        if best is None:
            said.says("{} do best with {}% at K = {}.", called, least, first)
        elif least > best + 1e-9:
            said.says("{} do not reach it: they do best with {}% at K = {}", called, least, first)
            if best:
                said.says(", {} times that error", Rough(least / best, 3 if least < 1.095 * best else 2))
        elif least < best - 1e-9:
            reached = k[error <= best + 1e-9][0]
            said.says("{} reach it with K = {} and do best with {}% at K = {}.", called, reached, least, first)
        else:
            said.says("{} reach it with K = {}.", called, first)
    said.says_nothing_else()


@pytest.mark.parametrize("seed", seeds(4))
def test_seconds_are_those_at_the_right_ends(seed):
    found = page_at("kitchen-sinks", settings(seed) | {"view": "seconds"})
    said = Sentence(found.charts[0].words)
    n_test = frame_of_texts(found, said)
    said.says("on {} rows", n_test)
    for name, (k, after) in curves(found.charts[0].figure).items():
        what = "stumps of AdaBoost" if name == "AdaBoost" else CALLED.get(name, name)
        said.says("{} {} take {} {}.", k[-1], what, *in_words(after[-1]))
    said.says_nothing_else()


def in_words(after):
    """Return a duration as it is said: a number with two digits, and its unit."""
    return (Rough(1000 * after), "ms") if after < 0.0995 else (Rough(after), "s")


@pytest.mark.parametrize("seed", seeds(6))
def test_seconds_to_an_error_are_read_off_the_stairs(seed):
    found = page_at("kitchen-sinks", settings(seed) | {"view": "reach"})
    stairs, said = curves(found.charts[0].figure), Sentence(found.charts[0].words)
    said.says("on {} test rows", frame_of_texts(found, said))

    def after(name, error):
        """Return the seconds at which a staircase, of errors that fall, first is as low as this."""
        errors, taken = stairs[name]
        return taken[errors <= error + 1e-9][0] if (errors <= error + 1e-9).any() else None

    def versus(name, error):
        ratio = after("AdaBoost", error) / after(name, error)
        if 0.95 < ratio < 1.05:
            return
        longer, ratio = ("AdaBoost takes", ratio) if ratio > 1 else ("the features take", 1 / ratio)
        said.says(": {} {} times as long", longer, Rough(ratio, 3 if ratio < 1.095 else 2))

    boosted = stairs.get("AdaBoost")
    if boosted is not None:
        best = boosted[0][-1]
        said.says("AdaBoost comes to its least error, {}%, after {} {}.", best, *in_words(after("AdaBoost", best)))
    for name in stairs:
        if name == "AdaBoost":
            continue
        called, own = CALLED.get(name, name), stairs[name][0][-1]
        if boosted is not None and after(name, best) is not None:
            said.says("{} come to it after {} {}", called, *in_words(after(name, best)))
            versus(name, best)
            continue
        said.says("{} come to {}% at best, after {} {}", called, own, *in_words(after(name, own)))
        if boosted is not None:
            said.says("; AdaBoost is there after {} {}", *in_words(after("AdaBoost", own)))
            versus(name, own)
    said.says_nothing_else()


@pytest.mark.parametrize("k_max", [20, 100, 300])
@pytest.mark.parametrize("runs", [1, 5])
def test_weights_are_those_of_the_median_that_is_drawn(k_max, runs):
    for cls, label in LEARNERS.items():
        values = {"view": "weights", "learners": [cls], "k_max": k_max, "runs": runs}
        found = page_at("kitchen-sinks", values)
        (median,) = curves(found.charts[0].figure).values()
        said, (k, weight) = Sentence(found.charts[0].words), median
        assert label.lower().split()[1] in found.charts[0].words.lower()
        if runs > 1:
            said.says("median of {} runs", runs)
        peak, half = weight.argmax(), len(k) // 2
        if peak == len(k) - 1:
            said.says("Up to K = {} the largest weight does not fall yet", k[-1])
        else:
            slope = np.polyfit(np.log(k[half:]), np.log(weight[half:]), 1)[0]
            said.says("peak of {} at K = {} it falls to {} at K = {}.", weight[peak], k[peak], weight[-1], k[-1])
            said.says("From K = {} on it goes like K to the power {}; C/K would be {}", k[half], slope, -1)
        said.says_nothing_else()


class Enough(BaseException):
    """Raised when some parts are computed; no error, which would be that of a part."""


def test_while_points_are_missing_nothing_is_final():
    """The same race, stopped when both sides have a few points: “not yet”, and never “do not reach”."""
    page, preset = find_page("kitchen-sinks"), Preset({"k_max": 50, "stumps": 50, "draws": 1})
    source = page.source(preset)
    settings = page.settings(preset, source)

    def some(work):
        def report(share, words):
            if work.results("AdaBoost"):
                raise Enough

        with pytest.raises(Enough):
            work.run_missing(report)

    cache = Cache()
    going = compute(page, source, settings, cache, some)
    drawn, words = curves(going.charts[0].figure), going.charts[0].words
    best = drawn["AdaBoost"][1].min()
    assert not going.result.is_complete and best < drawn["Random stumps"][1].min()
    assert f"**AdaBoost’s** least error so far is {best:.3g}%" in words
    assert "have not reached it yet: they do best so far with" in words and "do not reach" not in words
    ended = compute(page, source, settings, cache)
    assert ended.result.is_complete
    assert "so far" not in ended.charts[0].words and "do not reach it: they do best with" in ended.charts[0].words
