"""The page on speech: its sentences are true, its charts agree with the decoded phones, and it says what it lacks."""

import dataclasses

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.speech import Decoded, difference
from rfviz.datasets import speech
from rfviz.datasets.speech import spoken
from rfviz.lab.speech import text
from rfviz.lab.speech.compute import SpeechSource, confusions, grid_of, hear
from rfviz.lab.speech.figures import plot_errors, plot_heard
from tests.app_pages import opened
from tests.datasets.speech.test_timit import put
from tests.page_settings import computed

SLUG = "speech"
SMALL = {"speakers": 4, "sentences": 2, "m_max": 160, "epochs": 2}


def decoded(errors, lengths=30):
    errors = np.asarray(errors)
    return Decoded(errors, np.full(len(errors), lengths), 0.3, (), np.zeros((0, 2)))


def test_the_sentence_says_which_is_better_or_that_nobody_knows():
    raw = decoded([10] * 12)
    assert "The random ones are better by 10.0 points, which is 3.5 standard errors" in text.comparison(
        decoded([7] * 12), raw
    )
    assert "The raw ones are better by 10.0 points, which is 3.5 standard errors" in text.comparison(
        decoded([13] * 12), raw
    )
    some = text.comparison(decoded([10] * 11 + [9]), raw)
    assert "too few to tell them apart" in some and "33.3%" in some
    assert "12 utterances are too few" in text.comparison(raw, raw)
    assert "one utterance is too few" in text.comparison(decoded([3]), decoded([9]))


def test_chance_alone_is_beyond_two_standard_errors_one_time_in_twenty():
    rng = np.random.default_rng(0)
    pairs = [(decoded(rng.poisson(8, 24)), decoded(rng.poisson(8, 24))) for _ in range(2000)]
    share = np.mean([abs(difference(*pair)[1]) > 2 for pair in pairs])
    assert abs(share - 0.045) < 4 * np.sqrt(0.045 * 0.955 / 2000)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_the_explanation_has_the_numbers_of_the_charts(number):
    found = computed(SLUG, number)
    heard, errors, _ = found.charts
    frame, settings = errors.frame, found.settings
    rows = frame[(frame["features"] == settings.of) & (frame["m"] == settings.m)]
    assert f"**{rows['phone error %'].item():.1f}%** on held-out speakers" in heard.words
    phones = heard.frame.groupby("phones")["phone"].apply(list)
    assert f"in {len(phones['true'])} phones" in heard.words


def test_what_is_heard_lies_in_time_where_it_was_decoded():
    found = computed(SLUG, 1)
    result, settings = found.result, found.settings
    one = hear(result.frames, result.curve(settings.of).at(settings.m), 0)
    assert one.utterance is result.frames.corpus.test[0] and len(one.posteriors) == len(one.bands)
    np.testing.assert_allclose(one.posteriors.sum(axis=1), 1.0, atol=1e-3)
    np.testing.assert_array_equal(one.decoded.starts[1:], one.decoded.ends[:-1])
    names = {trace.name for trace in plot_heard(one).data if trace.type == "bar"}
    assert names == {"true phones", "missed", "decoded, right", "decoded, wrong"}


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
    curves = computed(SLUG, 0).result.curves
    for is_timit, measure, drawn in (
        (False, "phone error %", 0),
        (True, "phone error %", 5),
        (True, "frame error %", 0),
    ):
        names = [trace.name for trace in plot_errors(curves, measure, 800, is_timit=is_timit).data]
        assert sum(name.startswith("paper") for name in names) == drawn


def test_m_is_doubled_up_to_the_largest():
    assert grid_of(20_000) == (1250, 2500, 5000, 10_000, 20_000)  # that of Table 2
    assert SpeechSource(8, 2).n_test == len(speech.speak(8, 2).test)


def test_the_page_says_that_it_is_synthetic_and_plays_it():
    at = opened(SLUG, SMALL)
    assert not at.error and any("This speech is synthetic" in one.value for one in at.caption)
    assert len(at.get("audio")) == 1


def test_timit_is_offered_where_it_is_and_is_not_called_synthetic(tmp_path):
    for number, voice in enumerate("abcdefgh"):
        noise = (np.random.default_rng(number).standard_normal(8000) * 3000).astype(np.int16)
        put(tmp_path / "timit", f"dr1-f{voice}aa0/si1", sound=noise)
    try:
        datasets.set_folder(tmp_path)
        at = opened(SLUG, {"speech": "timit", "m_max": 160, "epochs": 2})
        assert not at.error and not at.exception
        assert any("TIMIT (Garofolo" in one.value and "synthetic" not in one.value for one in at.caption)
        (tmp_path / "timit" / "dr1-faaa0" / "si1.phn").unlink()
        at.run()
        assert "dr1-faaa0/si1.wav has no phones: si1.phn is missing" in at.error[0].value and len(at.error) == 1
    finally:
        datasets.set_folder(None)


def test_a_missing_synthesiser_is_named_on_the_page(monkeypatch):
    monkeypatch.setattr(spoken, "find_spec", lambda name: None)
    spoken.speak.cache_clear()
    at = opened(SLUG, {"speakers": 20, "sentences": 1})
    assert "pip install espeakng-loader" in at.error[0].value and len(at.error) == 1
