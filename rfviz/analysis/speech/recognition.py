"""Learn the phone states of frames, decode held-out utterances, and count wrong phones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax
from sklearn.base import BaseEstimator

from rfviz.analysis.speech.decoding import PhoneModel, edit_distance, learn_phone_model, runs_of_phones, viterbi
from rfviz.analysis.speech.frames import STATES, SpeechFrames
from rfviz.datasets.speech import PHONES_39, fold
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model import StochasticClassifier, StochasticPath
from rfviz.progress import Progress, silent

__all__ = ["RAW", "Decoded", "Recognition", "difference", "recognise", "recognise_raw"]

#: The curve without a feature map.
RAW = "Raw features"
# Logarithm of the probability of a state that no training frame has.
_UNSEEN = -30.0


@dataclass(frozen=True, eq=False)
class Decoded:
    """The test utterances as one number of features decodes them.

    Attributes
    ----------
    errors, lengths : ndarray of shape (utterances,), int64
        Edit distance of the decoded phones from the true ones, of 39, and number of the latter.
    frame_error : float
        Share of frames whose most likely phone, of 39, is wrong.
    paths : tuple of ndarray
        The decoded state of each frame of each utterance.
    phone_posteriors : ndarray of shape (frames, p), float32
        Probability of each phone, for all test frames.
    """

    errors: np.ndarray
    lengths: np.ndarray
    frame_error: float
    paths: tuple[np.ndarray, ...] = field(repr=False)
    phone_posteriors: np.ndarray = field(repr=False)

    @property
    def phone_error(self) -> float:
        """Wrong phones over true phones; inserted ones count, so that it may exceed 1."""
        return float(self.errors.sum() / self.lengths.sum())


@dataclass(frozen=True, eq=False)
class Recognition:
    """Errors with one feature map, by its number of features.

    Attributes
    ----------
    decoded : tuple of Decoded
        For each m.
    seconds : float
        CPU seconds of learning.
    """

    m_grid: tuple[int, ...]
    decoded: tuple[Decoded, ...] = field(repr=False)
    seconds: float

    def to_frame(self) -> pd.DataFrame:
        """Return errors in per cent, one row an m."""
        return pd.DataFrame(
            {
                "m": self.m_grid,
                "phone error %": [100 * one.phone_error for one in self.decoded],
                "frame error %": [100 * one.frame_error for one in self.decoded],
            }
        )


def difference(one: Decoded, other: Decoded) -> tuple[float, float]:
    """Return how much larger the phone error of `one` is, and how many standard errors of the utterances that is.

    Both have decoded the same utterances. The standard error takes each utterance as one observation, and is that of a
    mean difference of zero.
    """
    by_utterance = (one.errors - other.errors).astype(float)
    spread = float(np.sqrt((by_utterance**2).sum()))
    total = float(by_utterance.sum())
    return total / float(one.lengths.sum()), total / spread if spread else 0.0


class _Identity(BaseEstimator):
    """The frames as they are, in the form of a feature map."""

    def fit(self, X: Any, y: Any = None) -> _Identity:
        return self

    def transform_blocks(self, X: np.ndarray, **options: Any) -> Iterator[np.ndarray]:
        for start in range(0, len(X), 4096):
            yield X[start : start + 4096].copy()  # a descent centres its block in place


def recognise(
    frames: SpeechFrames,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int],
    *,
    epochs: int | str = "auto",
    progress: Progress = silent,
) -> Recognition:
    """Learn the states by multinomial logistic regression on random features, for several numbers of them.

    Parameters
    ----------
    spec : MapSpec
        Feature map with its seed; a map of m features is the beginning of a larger one.
    m_grid : sequence of int
        Ascending.
    epochs : int or "auto"
        Passes of stochastic gradient descent over the frames.
    """
    X, y = _scored(frames)
    begun = time.process_time()
    path = StochasticPath(spec.make(n_components=int(m_grid[-1])), m_grid=list(m_grid), epochs=epochs)
    path.fit(X, y, progress=progress)
    seconds = time.process_time() - begun
    model, decoded = _model(frames), []
    for number, scores in enumerate(path.decision_path(frames.X_test), start=1):
        progress(None, f"decoding, {number} of {len(m_grid)}")
        decoded.append(_decode(frames, model, path.classes_, scores))
    return Recognition(tuple(map(int, m_grid)), tuple(decoded), seconds)


def recognise_raw(frames: SpeechFrames, *, epochs: int | str = "auto", progress: Progress = silent) -> Recognition:
    """Learn the states from the frames themselves: the baseline; its only m is 440."""
    X, y = _scored(frames)
    begun = time.process_time()
    learner = StochasticClassifier(_Identity(), epochs=epochs).fit(X, y, progress=progress)
    seconds = time.process_time() - begun
    decoded = _decode(frames, _model(frames), learner.classes_, learner.decision_function(frames.X_test))
    return Recognition((X.shape[1],), (decoded,), seconds)


def _scored(frames: SpeechFrames) -> tuple[np.ndarray, np.ndarray]:
    kept = frames.y >= 0
    if len(np.unique(frames.y[kept])) < STATES:
        raise DataError(f"{frames.corpus.name} has too few phones to learn from. Add utterances.")
    return frames.X[kept], frames.y[kept]


def _model(frames: SpeechFrames) -> PhoneModel:
    return learn_phone_model(np.split(frames.y, frames.ends[:-1]), len(frames.phones))


def _decode(frames: SpeechFrames, model: PhoneModel, classes: np.ndarray, scores: np.ndarray) -> Decoded:
    log_posteriors = np.full((len(scores), frames.n_states), _UNSEEN)
    log_posteriors[:, classes] = log_softmax(scores.astype(np.float64), axis=1)
    # Bayes: a frame's likelihood is its posterior over the prior, up to a constant.
    emissions = log_posteriors - model.prior
    paths, errors, lengths = [], [], []
    for number, utterance in enumerate(frames.corpus.test):
        rows = frames.rows_of_test(number)
        path = viterbi(emissions[rows], model)
        true, found = fold(utterance.phones), fold([frames.phones[k] for k in runs_of_phones(path)[0]])
        paths.append(path)
        errors.append(edit_distance(found, true))
        lengths.append(len(true))
    posteriors = np.exp(log_posteriors).reshape(len(scores), -1, STATES).sum(axis=2)
    place = np.array([PHONES_39.index(phone) for phone in fold(frames.phones)])
    by_39 = np.zeros((len(scores), len(PHONES_39)))
    np.add.at(by_39.T, place, posteriors.T)
    kept = frames.y_test >= 0
    wrong = by_39[kept].argmax(axis=1) != place[frames.y_test[kept] // STATES]
    return Decoded(
        np.array(errors), np.array(lengths), float(wrong.mean()), tuple(paths), posteriors.astype(np.float32)
    )
