"""Mel bands against their closed form, and the frames of utterances."""

import numpy as np
import pytest

from rfviz.analysis.speech import CONTEXT, N_BANDS, log_mel, mel_matrix, prepare_frames
from rfviz.backend import memory
from rfviz.datasets.speech import RATE, Corpus, Utterance
from rfviz.errors import MemoryBudgetError


def mel(hertz):
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


def utterance(name, speaker, seconds=0.5, phones=("h#", "iy", "s"), seed=0, loud=1.0):
    samples = (loud * np.random.default_rng(seed).standard_normal(round(seconds * RATE))).astype(np.float32)
    bounds = np.linspace(0, len(samples), len(phones) + 1).astype(np.int64)
    return Utterance(name, speaker, samples, phones, bounds[:-1], bounds[1:])


def test_the_filters_are_triangles_of_equal_width_in_mel():
    filters = mel_matrix(20, 4096)
    hertz = np.arange(filters.shape[1]) * RATE / 4096
    centres = np.linspace(0, mel(8000), 22)
    np.testing.assert_allclose(mel(hertz[filters.argmax(axis=1)]), centres[1:-1], atol=4)
    # Between the first and the last centre the filters add up to one.
    inside = (mel(hertz) >= centres[1]) & (mel(hertz) <= centres[-2])
    np.testing.assert_allclose(filters.sum(axis=0)[inside], 1.0, atol=1e-12)
    assert filters.min() == 0.0 and not filters[5, mel(hertz) < centres[5]].any()


@pytest.mark.parametrize("hertz", [200, 1000, 3000, 6000])
def test_a_tone_is_loudest_in_its_band(hertz):
    bands = log_mel(np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE))
    assert bands.shape == (100, N_BANDS) and bands.dtype == np.float32
    centres = np.linspace(0, mel(8000), N_BANDS + 2)[1:-1]
    assert abs(bands[50].argmax() - np.abs(centres - mel(hertz)).argmin()) <= 1


def test_twice_the_sound_adds_the_same_to_every_band():
    sound = np.random.default_rng(1).standard_normal(RATE // 4)
    np.testing.assert_allclose(log_mel(2 * sound) - log_mel(sound), np.log(4), atol=1e-3)
    assert np.isfinite(log_mel(np.zeros(RATE // 4))).all()


def test_frames_are_normalised_by_speaker_and_have_their_neighbours():
    train = (
        utterance("a", "s", loud=1.0),
        utterance("b", "s", seed=1, loud=1.0),
        utterance("c", "t", seed=2, loud=30.0),
    )
    frames = prepare_frames(Corpus("own", train, (utterance("d", "u", seed=3),), "", True))
    assert frames.X.shape == (150, (2 * CONTEXT + 1) * N_BANDS) and frames.ends.tolist() == [50, 100, 150]
    own = frames.X[:, CONTEXT * N_BANDS : (CONTEXT + 1) * N_BANDS]
    for rows in (slice(0, 100), slice(100, 150)):
        np.testing.assert_allclose(own[rows].mean(axis=0), 0, atol=1e-4)
        np.testing.assert_allclose(own[rows].std(axis=0), 1, atol=1e-4)
    before = frames.X[:, :N_BANDS]
    np.testing.assert_array_equal(before[CONTEXT:50], own[: 50 - CONTEXT])
    np.testing.assert_array_equal(before[:CONTEXT], np.tile(own[0], (CONTEXT, 1)))  # of its own utterance
    np.testing.assert_array_equal(before[50 : 50 + CONTEXT], np.tile(own[50], (CONTEXT, 1)))


def test_more_speech_than_fits_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "memory_budget", lambda device: 1000)
    one = utterance("a", "s")
    with pytest.raises(MemoryBudgetError, match="minutes of speech needs"):
        prepare_frames(Corpus("own", (one,), (one,), "", True))


def test_a_phone_is_divided_into_three_states():
    one = utterance("a", "s", seconds=0.3, phones=("h#", "q", "iy"))
    frames = prepare_frames(Corpus("own", (one,), (utterance("b", "t", phones=("iy", "s")),), "", True))
    assert frames.phones == ("iy", "sil")
    expected = [3] * 3 + [4] * 4 + [5] * 3 + [-1] * 10 + [0] * 3 + [1] * 4 + [2] * 3
    assert frames.y.tolist() == expected
    assert set(frames.y_test.tolist()) == {-1, 0, 1, 2}  # s is not among the phones that were learned
