"""Frames of speech: 40 log-mel bands every 10 ms, with five frames of context on both sides, and their phone states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.signal import ShortTimeFFT

from rfviz.backend import check_memory
from rfviz.datasets.speech import RATE, Corpus, Utterance, fold_48

__all__ = ["CONTEXT", "N_BANDS", "STATES", "SpeechFrames", "log_mel", "mel_matrix", "prepare_frames"]

#: Bands, frames of context on each side, and states of a phone.
N_BANDS, CONTEXT, STATES = 40, 5, 3
_HOP, _WINDOW, _FFT = RATE // 100, RATE // 40, 512
# Far below the noise of any recording: the logarithm of silence that a computer makes is finite.
_FLOOR = 1e-8
# Bands whose loudness hardly changes are left as they are.
_LEAST_SPREAD = 1e-3


def mel_matrix(n_bands: int = N_BANDS, n_fft: int = _FFT, rate: int = RATE) -> np.ndarray:
    """Return triangular filters, shape (n_bands, n_fft // 2 + 1), whose centres are equally far apart in mel.

    A frequency of f Hz is 2595 log₁₀(1 + f/700) mel. Each filter rises from the centre of the one before to 1 at its
    own, and falls to the centre of the next.
    """
    highest = 2595 * np.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, highest, n_bands + 2) / 2595) - 1)
    hertz = np.arange(n_fft // 2 + 1) * rate / n_fft
    rise = (hertz - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - hertz) / np.diff(edges)[1:, None]
    return np.clip(np.minimum(rise, fall), 0.0, None)


def log_mel(samples: np.ndarray) -> np.ndarray:
    """Return the logarithm of the energy in each band every 10 ms, shape (frames, 40), float32; windows of 25 ms.

    Parameters
    ----------
    samples : ndarray of shape (n,)
        16,000 a second. There is one frame for each 160 of them.
    """
    window = np.hamming(_WINDOW)
    spectra = ShortTimeFFT(window, _HOP, RATE, mfft=_FFT).spectrogram(samples, p0=0, p1=max(len(samples) // _HOP, 1))
    return np.log(mel_matrix() @ spectra + _FLOOR).T.astype(np.float32)


@dataclass(frozen=True, eq=False)
class SpeechFrames:
    """All frames of a corpus.

    Attributes
    ----------
    phones : tuple of str
        Those of the 48 that the training utterances have.
    X, X_test : ndarray of shape (n, 440), float32
        Bands of a frame and its neighbours, with mean 0 and variance 1 for each speaker and band.
    y, y_test : ndarray of shape (n,), int64
        State of each frame: 3 × the phone's place + 0, 1 or 2; −1 if it is not scored, or its phone not in `phones`.
    ends, ends_test : ndarray of int
        Where the frames of each utterance end.
    """

    corpus: Corpus
    phones: tuple[str, ...]
    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    X_test: np.ndarray = field(repr=False)
    y_test: np.ndarray = field(repr=False)
    ends_test: np.ndarray = field(repr=False)

    @property
    def n_states(self) -> int:
        """Number of states."""
        return STATES * len(self.phones)

    def rows_of_test(self, number: int) -> slice:
        """Return the rows of a test utterance."""
        start = int(self.ends_test[number - 1]) if number else 0
        return slice(start, int(self.ends_test[number]))


def prepare_frames(corpus: Corpus) -> SpeechFrames:
    """Compute the frames of a corpus and label them.

    The time of a phone is divided equally among its three states.

    Raises
    ------
    MemoryBudgetError
        For more speech than fits.
    """
    seconds = sum(one.seconds for one in (*corpus.train, *corpus.test))
    # The frames of utterances, and all of them in one array.
    check_memory(
        int(2 * 100 * seconds) * 4 * (2 * CONTEXT + 1) * N_BANDS,
        "cpu",
        f"{seconds / 60:,.0f} minutes of speech",
        "Choose fewer utterances.",
    )
    found = {fold_48(phone) for one in corpus.train for phone in one.phones}
    phones = tuple(sorted(phone for phone in found if phone is not None))
    train, test = (_spliced(part) for part in (corpus.train, corpus.test))
    labels = [
        np.concatenate([_states(one, len(rows), phones) for one, rows in zip(part, frames, strict=True)])
        for part, frames in ((corpus.train, train), (corpus.test, test))
    ]
    ends = [np.cumsum([len(rows) for rows in frames]) for frames in (train, test)]
    return SpeechFrames(
        corpus, phones, np.concatenate(train), labels[0], ends[0], np.concatenate(test), labels[1], ends[1]
    )


def _spliced(utterances: Sequence[Utterance]) -> list[np.ndarray]:
    """Return the frames of each utterance with their context; the first and the last frame are their own neighbours."""
    bands = [log_mel(one.samples) for one in utterances]
    speakers = np.array([one.speaker for one in utterances])
    for speaker in np.unique(speakers):
        own = np.flatnonzero(speakers == speaker)
        joined = np.concatenate([bands[k] for k in own])
        mean, spread = joined.mean(axis=0), np.maximum(joined.std(axis=0), _LEAST_SPREAD)
        for k in own:
            bands[k] = (bands[k] - mean) / spread
    offsets = np.arange(-CONTEXT, CONTEXT + 1)
    return [
        one[np.clip(np.arange(len(one))[:, None] + offsets, 0, len(one) - 1)].reshape(len(one), -1) for one in bands
    ]


def _states(utterance: Utterance, n_frames: int, phones: tuple[str, ...]) -> np.ndarray:
    """Return the state of each frame, which is that of the sample in its middle."""
    places = {phone: number for number, phone in enumerate(phones)}
    middles = np.arange(n_frames) * _HOP + _HOP // 2
    which = np.searchsorted(utterance.starts, middles, "right") - 1
    inside = (which >= 0) & (middles < utterance.ends[which])
    folded = [fold_48(phone) for phone in utterance.phones]
    first = np.array([STATES * places[phone] if phone in places else -1 for phone in folded])[which]
    lasts = (utterance.ends - utterance.starts)[which]
    part = np.minimum((middles - utterance.starts[which]) * STATES // lasts, STATES - 1)
    return np.where(inside & (first >= 0), first + part, -1)
