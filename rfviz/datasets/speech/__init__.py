"""Speech with its phones: TIMIT, if the data folder has it, and sentences that a computer speaks.

>>> from rfviz.datasets import speech
>>> len(speech.TIMIT_PHONES), len(speech.PHONES_48), len(speech.PHONES_39)
(61, 48, 39)
"""

from rfviz.datasets.speech.corpus import RATE, Corpus, Utterance
from rfviz.datasets.speech.phones import PHONES_39, PHONES_48, SILENCE, TIMIT_PHONES, fold, fold_48
from rfviz.datasets.speech.spoken import MOST_SENTENCES, MOST_SPEAKERS, is_installed, speak, version
from rfviz.datasets.speech.timit import CORE_TEST, find_timit, read_timit, stamp_of

__all__ = [
    "CORE_TEST",
    "MOST_SENTENCES",
    "MOST_SPEAKERS",
    "PHONES_39",
    "PHONES_48",
    "RATE",
    "SILENCE",
    "TIMIT_PHONES",
    "Corpus",
    "Utterance",
    "find_timit",
    "fold",
    "fold_48",
    "is_installed",
    "read_timit",
    "speak",
    "stamp_of",
    "version",
]
