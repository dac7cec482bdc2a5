"""What is recognised of speech: phones in time, their errors and confusions, and sentences about them."""

import dataclasses
import functools

import numpy as np
import pytest

from rfviz.analysis.speech import Decoded, Recognition, difference
from rfviz.datasets import speech
from rfviz.experiments.speech.compute import (
    Curve,
    Segments,
    SpeechResult,
    SpeechSource,
    align,
    confusions,
    grid_of,
    hear,
)
from rfviz.experiments.speech.describe import comparison, errors_words
from rfviz.experiments.speech.figures import plot_errors, plot_heard
from rfviz.features import RandomMaxout
from tests.lab.sentences import seeds
from tests.page_settings import computed

SLUG = "speech"


def decoded(errors, lengths=30):
    errors = np.asarray(errors)
    return Decoded(errors, np.full(len(errors), lengths), 0.3, (), np.zeros((0, 2)))


def test_the_sentence_says_which_is_better_or_that_nobody_knows():
    raw = decoded([10] * 12)
    assert "The random ones are better by 10.0 points, which is 3.5 standard errors" in comparison(
        decoded([7] * 12), raw
    )
    assert "The raw ones are better by 10.0 points, which is 3.5 standard errors" in comparison(decoded([13] * 12), raw)
    some = comparison(decoded([10] * 11 + [9]), raw)
    assert "too few to tell them apart" in some and "33.3%" in some
    assert "12 utterances are too few" in comparison(raw, raw)
    assert "one utterance is too few" in comparison(decoded([3]), decoded([9]))


def test_chance_alone_is_beyond_two_standard_errors_one_time_in_twenty():
    rng = np.random.default_rng(0)
    pairs = [(decoded(rng.poisson(8, 24)), decoded(rng.poisson(8, 24))) for _ in range(2000)]
    share = np.mean([abs(difference(*pair)[1]) > 2 for pair in pairs])
    assert abs(share - 0.045) < 4 * np.sqrt(0.045 * 0.955 / 2000)


def test_what_is_heard_lies_in_time_where_it_was_decoded():
    found = computed(SLUG, 1)
    result, settings = found.result, found.settings
    one = hear(result.frames, result.curve(settings.shown).at(settings.shown_m), 0)
    assert one.utterance is result.frames.corpus.test[0] and len(one.posteriors) == len(one.bands)
    np.testing.assert_allclose(one.posteriors.sum(axis=1), 1.0, atol=1e-3)
    np.testing.assert_array_equal(one.decoded.starts[1:], one.decoded.ends[:-1])
    names = {trace.name for trace in plot_heard(one).data if trace.type == "bar"}
    assert names == {"true phones", "missed", "decoded, right", "decoded, wrong"}


@pytest.mark.slow
def test_confusions_are_shares_and_the_diagonal_is_what_is_right():
    found = computed(SLUG, 0)
    frames = found.result.frames
    paths = tuple(np.split(frames.y_test.clip(0), frames.ends_test[:-1]))
    perfect = dataclasses.replace(found.result.curves[0].at(0), paths=paths)
    shares = confusions(frames, perfect)
    np.testing.assert_allclose(np.diag(shares), 1.0)
    real = confusions(found.result.frames, found.result.curves[1].at(800)).to_numpy()
    assert (real.sum(axis=1) <= 1 + 1e-9).all() and 0.4 < np.diag(real).mean() < 0.95


def test_the_paper_is_drawn_where_the_speech_is_timit_and_nowhere_else():
    curves = computed(SLUG, 1).result.curves
    for is_timit, measure, drawn in (
        (False, "phone error %", 0),
        (True, "phone error %", 5),
        (True, "frame error %", 0),
    ):
        names = [trace.name for trace in plot_errors(curves, measure, 160, is_timit=is_timit).data]
        assert sum(name.startswith("paper") for name in names) == drawn


def test_the_papers_standard_deviations_are_bars_and_stand_at_its_projections():
    curves = computed(SLUG, 1).result.curves
    for against, factor in (("features", 1), ("projections", 4)):
        figure = plot_errors(curves, "phone error %", 40, against=against, is_timit=True)
        (four,) = [trace for trace in figure.data if trace.name == "paper, q = 4"]
        assert list(four.x) == [factor * m for m in (1250, 2500, 5000, 10_000, 20_000)]
        assert (four.y[-1], four.error_y.array[1]) == (22.3, 0.3)


def curve(label, *errors):
    """Return a curve of one m, whose draws have these errors in each utterance."""
    draws = tuple(Recognition((40,), (decoded(some),), 0.0) for some in errors)
    return Curve(label, RandomMaxout, draws, (80,))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ([10] * 11 + [11], "12 test utterances cannot tell the phone errors of A and B apart."),
        ([13] * 12, "The phone errors of A and B differ by 3.5 standard errors of 12 test utterances."),
    ],
)
def test_the_best_two_maps_are_told_apart_only_where_the_utterances_do(second, said):
    frames = computed(SLUG, 1).result.frames
    result = SpeechResult(frames, (curve("B", second), curve("A", [10] * 12)))
    assert errors_words(result, "phone error %", "features").startswith("With m = 40 features: A 33.3%; B ")
    assert errors_words(result, "phone error %", "features").endswith(said)
    assert not errors_words(SpeechResult(frames, result.curves[:1]), "phone error %", "features")
    # Two draws: mean ± standard deviation, and the mean of each utterance.
    several = SpeechResult(frames, (curve("B", second), curve("A", [7] * 12, [13] * 12)))
    words = errors_words(several, "phone error %", "features")
    assert "A 33.3% ± 14.1" in words and words.endswith(said)
    assert "A 33.3% ± 14.1 of 80" in errors_words(several, "phone error %", "projections")


def test_m_is_doubled_up_to_the_largest():
    assert grid_of(20_000) == (1250, 2500, 5000, 10_000, 20_000)  # that of Table 2
    assert SpeechSource(8, 2).n_test == len(speech.speak(8, 2).test)


@pytest.mark.parametrize("seed", seeds(20))
def test_phones_are_paired_by_the_fewest_errors(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for n in (rng.integers(0, 9), rng.integers(0, 9)):
        ends = np.sort(rng.random(n))
        rows.append(Segments(tuple(rng.choice(list("abc"), n)), np.r_[0.0, ends][:n], ends))
    true, found = align(*rows)

    @functools.cache
    def fewest(i, j):
        """Return the Levenshtein distance of the first phones, by its definition."""
        if not i or not j:
            return i + j
        swap = fewest(i - 1, j - 1) + (rows[0].phones[i - 1] != rows[1].phones[j - 1])
        return min(swap, fewest(i - 1, j) + 1, fewest(i, j - 1) + 1)

    errors = int((~found.right).sum()) + int(true.alone.sum())
    assert errors == fewest(len(true.phones), len(found.phones))
    # Each pair is seen from both sides, in the same order.
    pairs = [(a, b) for a, b in zip(true.phones, true.partners, strict=True) if b]
    assert pairs == [(a, b) for b, a in zip(found.phones, found.partners, strict=True) if a]


def test_of_two_ways_with_as_many_errors_the_one_in_time_is_taken():
    true = Segments(("a", "a"), np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    late = Segments(("a",), np.array([1.1]), np.array([1.9]))
    assert align(true, late)[0].partners == ("", "a")
    early = Segments(("a",), np.array([0.1]), np.array([0.9]))
    assert align(true, early)[0].partners == ("a", "")
