"""Hidden Markov models of phones: bigrams, three states a phone from left to right, and the best path through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rfviz.analysis.speech.frames import STATES

__all__ = ["PhoneModel", "edit_distance", "learn_phone_model", "runs_of_phones", "viterbi"]


@dataclass(frozen=True, eq=False)
class PhoneModel:
    """Which phone follows which, and how long a state lasts; all as logarithms of probabilities.

    Attributes
    ----------
    first : ndarray of shape (p,)
        Of the phone that an utterance begins with.
    bigram : ndarray of shape (p, p)
        Of the phone after each.
    last : ndarray of shape (p,)
        Of the end after each.
    stay, leave : ndarray of shape (3p,)
        Of another frame in a state, and of the next state.
    prior : ndarray of shape (3p,)
        Of each state among all frames.
    """

    first: np.ndarray
    bigram: np.ndarray
    last: np.ndarray
    stay: np.ndarray
    leave: np.ndarray
    prior: np.ndarray


def learn_phone_model(utterances: Sequence[np.ndarray], n_phones: int) -> PhoneModel:
    """Count phones, states and their lengths in labelled utterances; each count begins at 1.

    Parameters
    ----------
    utterances : sequence of ndarray of int
        The state of each frame, −1 for none.
    """
    starts, pairs, ends = np.ones(n_phones), np.ones((n_phones, n_phones)), np.ones(n_phones)
    frames, visits = np.ones(STATES * n_phones), np.ones(STATES * n_phones)
    for states in utterances:
        known = states[states >= 0]
        if not len(known):
            continue
        np.add.at(frames, known, 1)
        np.add.at(visits, known[np.r_[True, np.diff(known) != 0]], 1)
        phones = runs_of_phones(known)[0]
        starts[phones[0]] += 1
        np.add.at(pairs, (phones[:-1], phones[1:]), 1)
        ends[phones[-1]] += 1
    after = pairs.sum(axis=1) + ends
    leave = np.minimum(visits / frames, 1 - 1 / frames.sum())  # a state may always last another frame
    return PhoneModel(
        np.log(starts / starts.sum()),
        np.log(pairs / after[:, None]),
        np.log(ends / after),
        np.log1p(-leave),
        np.log(leave),
        np.log(frames / frames.sum()),
    )


def runs_of_phones(states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the phones of a sequence of states, and the frames where each begins and ends.

    A phone that follows itself begins where the state goes back.
    """
    begins = np.r_[True, (np.diff(states // STATES) != 0) | (np.diff(states) < 0)]
    at = np.flatnonzero(begins)
    return states[at] // STATES, at, np.r_[at[1:], len(states)]


def viterbi(scores: np.ndarray, model: PhoneModel) -> np.ndarray:
    """Return the most likely sequence of states.

    Each phone begins with its first state and ends with its third; no state is skipped.

    Parameters
    ----------
    scores : ndarray of shape (frames, 3p)
        Logarithm of the likelihood of each frame in each state, up to a constant a frame. At least three frames.

    Returns
    -------
    ndarray of shape (frames,), int64
    """
    n_frames, n_states = scores.shape
    firsts = np.arange(0, n_states, STATES)
    lasts = firsts + STATES - 1
    best = np.full(n_states, -np.inf)
    best[firsts] = model.first + scores[0, firsts]
    before = np.empty((n_frames, n_states), dtype=np.int64)
    own = np.arange(n_states)
    enter, source = np.empty(n_states), own - 1
    for t in range(1, n_frames):
        enter[1:] = best[:-1] + model.leave[:-1]
        # From the last state of a phone to the first of any.
        ways = (best[lasts] + model.leave[lasts])[:, None] + model.bigram
        chosen = ways.argmax(axis=0)
        enter[firsts], source[firsts] = ways[chosen, np.arange(len(firsts))], lasts[chosen]
        remain = best + model.stay
        moves = enter > remain
        before[t] = np.where(moves, source, own)
        best = np.where(moves, enter, remain) + scores[t]
    path = np.empty(n_frames, dtype=np.int64)
    path[-1] = lasts[np.argmax(best[lasts] + model.leave[lasts] + model.last)]
    for t in range(n_frames - 1, 0, -1):
        path[t - 1] = before[t, path[t]]
    return path


def edit_distance(found: Sequence[object], true: Sequence[object]) -> int:
    """Return the fewest insertions, deletions and substitutions that make one sequence the other (Levenshtein)."""
    row = list(range(len(true) + 1))
    for count, symbol in enumerate(found, start=1):
        corner, row[0] = row[0], count
        for place, other in enumerate(true, start=1):
            corner, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, corner + (symbol != other))
    return row[-1]
