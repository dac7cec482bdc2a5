"""Labelled speech in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rfviz.datasets.speech.phones import TIMIT_PHONES
from rfviz.errors import DataError

__all__ = ["RATE", "Corpus", "Utterance"]

#: Samples a second of all speech, as in TIMIT.
RATE = 16_000
# Three frames, one for each state of a phone.
_SHORTEST = 3 * RATE // 100


@dataclass(frozen=True, eq=False)
class Utterance:
    """A spoken sentence, and when each phone began and ended.

    Attributes
    ----------
    samples : ndarray of shape (n,), float32
        Sound in [−1, 1], :data:`RATE` samples a second.
    phones : tuple of str
        Of the 61 symbols of TIMIT.
    starts, ends : ndarray of shape (len(phones),), int64
        In samples; ascending, without overlap.
    text : str
        The words, where they are known.

    Raises
    ------
    DataError
        For no sound, no phones, an unknown phone, or phones that are not in their order.
    """

    name: str
    speaker: str
    samples: np.ndarray = field(repr=False)
    phones: tuple[str, ...]
    starts: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    text: str = ""

    def __post_init__(self) -> None:
        if len(self.samples) < _SHORTEST:
            raise DataError(
                f"{self.name} holds {len(self.samples)} samples of sound; the shortest utterance has {_SHORTEST}, "
                "0.03 s. Remove the file."
            )
        if not self.phones:
            raise DataError(f"{self.name} has no phones: its labels are empty. Add them, or remove the file.")
        for phone in self.phones:
            if phone not in TIMIT_PHONES:
                raise DataError(
                    f"{self.name} has the phone {phone!r}, which is none of TIMIT's 61. Correct it in the .phn file."
                )
        wrong = np.flatnonzero((self.starts >= self.ends) | (self.starts < np.r_[0, self.ends[:-1]]))
        if len(wrong):
            at = int(wrong[0])
            raise DataError(
                f"{self.name}: phone {at + 1}, {self.phones[at]}, lasts from {self.starts[at]} to {self.ends[at]}. "
                "Each must begin where the one before has ended or later, and end after it begins. Correct the .phn "
                "file."
            )

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.samples) / RATE


@dataclass(frozen=True, eq=False)
class Corpus:
    """Utterances of speakers to learn from, and of other speakers to test on.

    Attributes
    ----------
    train, test : tuple of Utterance
    provenance : str
        One sentence: the speakers and the origin.
    is_synthetic : bool
        Whether a computer speaks.
    """

    name: str
    train: tuple[Utterance, ...] = field(repr=False)
    test: tuple[Utterance, ...] = field(repr=False)
    provenance: str
    is_synthetic: bool

    def __post_init__(self) -> None:
        if not self.train or not self.test:
            missing = "learn from" if not self.train else "test on"
            raise DataError(f"{self.name} has no utterances to {missing}. It needs two speakers or more.")
