"""Synthetic speech: the same every time, with phones where they are heard."""

import subprocess
import time

import numpy as np
import pytest

from rfviz.datasets import speech
from rfviz.datasets.speech import spoken
from rfviz.errors import DataError, ParameterError

VOWELS = {"iy", "ih", "eh", "ae", "aa", "ao", "ow", "uw", "ay", "ey", "oy", "aw", "er"}


@pytest.fixture(scope="module")
def corpus():
    pytest.importorskip("espeakng_loader")
    return speech.speak(8, 2)


def test_it_says_the_same_every_time(corpus):
    again = speech.speak.__wrapped__(8, 2)
    assert all(np.array_equal(one.samples, two.samples) for one, two in zip(corpus.train, again.train, strict=True))
    assert [one.phones for one in corpus.test] == [one.phones for one in again.test]


def test_other_voices_with_other_sentences_are_held_out(corpus):
    assert len(corpus.train) == 12 and len(corpus.test) == 4 and corpus.is_synthetic
    for what in ("speaker", "text"):
        assert not {getattr(one, what) for one in corpus.train} & {getattr(one, what) for one in corpus.test}
    assert "12 utterances of 6 voices" in corpus.provenance and "Synthetic" in corpus.provenance


def test_phones_are_where_they_are_heard(corpus):
    energy, high = {}, {}
    for one in corpus.train:
        for phone, start, end in zip(one.phones, one.starts, one.ends, strict=True):
            part = one.samples[start:end].astype(float)
            energy.setdefault(phone, []).append(np.mean(part**2))
            spectrum = np.abs(np.fft.rfft(part)) ** 2
            above = np.fft.rfftfreq(len(part), 1 / speech.RATE) > 3000
            high.setdefault(phone, []).append(spectrum[above].sum() / max(spectrum.sum(), 1e-12))
    vowels = np.concatenate([energy[phone] for phone in VOWELS & energy.keys()])
    assert np.median(energy["h#"]) < 0.05 * np.median(vowels)
    of_vowels = np.concatenate([high[phone] for phone in VOWELS & high.keys()])
    assert np.median(high["s"]) > 0.5 > 5 * np.median(of_vowels)


@pytest.mark.slow
def test_no_voice_depends_on_the_clock():
    pytest.importorskip("espeakng_loader")
    before = speech.speak.__wrapped__(speech.MOST_SPEAKERS, 1)
    time.sleep(1.1)  # the noise of breath starts anew with every second
    after = speech.speak.__wrapped__(speech.MOST_SPEAKERS, 1)
    for one, two in zip(before.train + before.test, after.train + after.test, strict=True):
        assert np.array_equal(one.samples, two.samples), one.speaker


@pytest.mark.slow
def test_every_sentence_has_phones_of_timit():
    pytest.importorskip("espeakng_loader")
    every = speech.speak(speech.MOST_SPEAKERS, speech.MOST_SENTENCES)
    trained = {speech.fold_48(phone) for one in every.train for phone in one.phones}
    assert {speech.fold_48(phone) for one in every.test for phone in one.phones} <= trained
    assert len({one.text for one in every.train}) == 32


@pytest.mark.parametrize("numbers", [(3, 2), (33, 2), (8, 0), (8, 17)])
def test_numbers_out_of_range_are_refused(numbers):
    with pytest.raises(ParameterError, match="must be from"):
        speech.speak(*numbers)


def test_a_missing_package_is_named_with_how_to_add_it(monkeypatch):
    monkeypatch.setattr(spoken, "find_spec", lambda name: None)
    assert not speech.is_installed()
    with pytest.raises(DataError, match=r"which is not installed\. Add it: pip install espeakng-loader"):
        speech.speak.__wrapped__(4, 1)


def test_a_synthesiser_that_fails_is_an_error_in_a_sentence(monkeypatch):
    def fail(command, **options):
        raise subprocess.CalledProcessError(1, command, stderr=b"Traceback\nOSError: no such library\n")

    monkeypatch.setattr(spoken, "find_spec", lambda name: object())
    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(DataError, match=r"does not work on this machine \(OSError: no such library\)"):
        speech.speak.__wrapped__(4, 1)
