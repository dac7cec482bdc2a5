"""Sentences that a computer speaks: labelled speech that needs no download of a corpus.

espeak-ng, which the package ``espeakng-loader`` brings, says when each phone begins. Its phones are written as TIMIT's.
Voices differ in formants, pitch, melody and speed.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rfviz.datasets.speech.audio import resampled
from rfviz.datasets.speech.corpus import RATE, Corpus, Utterance
from rfviz.errors import DataError, ParameterError

__all__ = ["MOST_SENTENCES", "MOST_SPEAKERS", "is_installed", "speak", "version"]

#: How to add what is missing.
_MISSING = (
    "Synthetic speech needs the package espeakng-loader, which is not installed. Add it: pip install espeakng-loader"
)
_SECONDS = 120
# Women and men in turn. Each fourth is held out. Voices with breath are left out: it is noise that starts anew with the
# clock.
_VOICES = (
    "f1", "m1", "f4", "m2", "Andrea", "m3", "Annie", "m4", "belinda", "m5", "linda", "m6", "steph", "m7", "anika", "m8",
    "steph2", "Alex", "aunty", "Denis", "grandma", "Michael", "shelby", "Lee", "steph3", "Hugo", "Jacky", "max",
    "Mario", "paul", "pablo", "edward",
)  # fmt: skip
_ONE_OF = 4
MOST_SPEAKERS = len(_VOICES)
_TRAIN = (
    "The young boy threw a red ball over the garden wall.",
    "She always measures the deep blue sea with joy and pleasure.",
    "Nine thin thieves thought they might share the church money.",
    "Which judge would choose a yellow jacket in July?",
    "Our house has four windows and a broken wooden door.",
    "He heard music playing at the beach all day long.",
    "Please bring some hot coffee and fresh bread.",
    "The bird could not fly far with its hurt wing.",
    "A little rabbit jumped into the deep hole.",
    "My mother bought butter, sugar, eggs and cheese at noon.",
    "Put the big book back on the third shelf.",
    "Do you use a sharp saw for the old oak tree?",
    "The poor student was sure about the answer.",
    "They enjoy noisy toys and loud voices.",
    "A button fell off the kitten's tiny coat.",
    "We will cure the lawyer near the fair in an hour.",
    "Twelve gray geese swam across the frozen lake.",
    "The usual vision of beige walls gave her no leisure.",
    "Good cooks should look at the wool hood.",
    "Both brothers breathe the southern weather with their father.",
    "Vera gave seven valuable vases to the village.",
    "The king sang a strong song while ringing the long bell.",
    "Check each chair and watch which child reaches the kitchen.",
    "Shy fish shine when the ocean is fresh.",
    "Huge jars of orange jam were on the edge of the bridge.",
    "Yes, you used yellow yarn last year.",
    "Whose shoes are blue, and who knew the true rules?",
    "Five tired firemen admired the quiet fire.",
    "Now a loud crowd found the brown cow downtown.",
    "The coin in the soil was a point of choice.",
    "Only those slow boats go home below the coast.",
    "Pick a city and visit it in the middle of winter.",
)
_TEST = (
    "The tall teacher washed her dark suit in warm water.",
    "Three brave sailors measured the cold river at noon.",
    "You should join the noisy children in the garden.",
    "His father found a large yellow fish near the bridge.",
    "Butter and jam go well with good brown bread.",
    "Why did the thief choose the old beige chair?",
    "Each voice in the choir was sure and strong.",
    "The young judge put seven books on the wooden shelf.",
    "We heard a thunder of hooves on the frozen road.",
    "Could they share a little sugar with the poor lawyer?",
    "The city mouse enjoys cheese and a quiet house.",
    "My usual pleasure is to watch the boats go by.",
    "A heavy fog hung over the northern village.",
    "Give the blue jacket to her younger brother.",
    "She sings while the engine hums an ugly tune.",
    "Nobody knows how far the tired horse ran.",
)
MOST_SENTENCES = len(_TEST)
# Phones of espeak-ng's American English without stress, as those of TIMIT; two of them share the time equally.
_NAMES = {
    "0": "aa", "3": "axr", "3:": "er", "?": "q", "@": "ax", "@2": "ax", "@L": "el", "A:": "aa", "A@": "aa r", "D": "dh",
    "E": "eh", "I": "ih", "I#": "ix", "I2": "ix", "N": "ng", "O": "ao", "O2": "ao", "O:": "ao", "O@": "ao r",
    "OI": "oy", "S": "sh", "T": "th", "U": "uh", "U@": "uh r", "V": "ah", "Z": "zh", "a": "ae",
    "a#": "ax", "aI": "ay", "aI3": "ay axr", "aI@": "ay ax", "aU": "aw", "aU@": "aw axr", "aa": "ae", "b": "b",
    "d": "d", "dZ": "jh", "e": "eh", "e@": "eh r", "eI": "ey", "f": "f", "g": "g", "h": "hh", "i": "iy", "i:": "iy",
    "i@": "ih ax", "i@3": "ih axr", "j": "y", "k": "k", "l": "l", "m": "m", "n": "n", "n-": "en", "o@": "ao r",
    "oU": "ow", "p": "p", "r": "r", "r-": "r", "s": "s", "t": "t", "t#": "dx", "t2": "t", "tS": "ch", "u:": "uw",
    "v": "v", "w": "w", "z": "z",
}  # fmt: skip
# A mark of the language that lasts no time of its own.
_SILENT = frozenset({";"})


def is_installed() -> bool:
    """Return whether the synthesiser is there."""
    return find_spec("espeakng_loader") is not None


def version() -> str:
    """Return the version of the synthesiser, which its sound may depend on; empty if it is not installed."""
    try:
        return importlib.metadata.version("espeakng-loader")
    except importlib.metadata.PackageNotFoundError:
        return ""


@lru_cache(maxsize=2)
def speak(n_speakers: int = 16, n_sentences: int = 3) -> Corpus:
    """Return sentences of several synthetic voices, the same ones every time.

    Every fourth voice is held out, and says sentences that the others do not say.

    Parameters
    ----------
    n_speakers : int
        Voices, from 4 to 32.
    n_sentences : int
        Of each voice, from 1 to 16.

    Raises
    ------
    ParameterError
        For a number out of range.
    DataError
        If the synthesiser is not installed, or does not work on this machine.
    """
    for name, value, low, high in (
        ("n_speakers", n_speakers, _ONE_OF, MOST_SPEAKERS),
        ("n_sentences", n_sentences, 1, MOST_SENTENCES),
    ):
        if not low <= value <= high:
            raise ParameterError(name, f"must be from {low} to {high}", value)
    if not is_installed():
        raise DataError(_MISSING)
    jobs: list[tuple[str, str, tuple[object, ...]]] = []
    for number, voice in enumerate(_VOICES[:n_speakers]):
        # Speed, pitch and melody go through their ranges at steps of their own.
        manner = 140 + 11 * number % 60, 38 + 7 * number % 30, 40 + 13 * number % 30
        sentences = _TEST if number % _ONE_OF == _ONE_OF - 1 else _TRAIN
        for turn in range(n_sentences):
            text = sentences[(number // 2 * n_sentences + turn) % len(sentences)]
            jobs.append((voice, text, (f"en-us+{voice}", *manner, text)))
    spoken = _synthesise(json.dumps([job for _, _, job in jobs]))
    numbers = {voice: number for number, voice in enumerate(_VOICES)}
    said = [
        _utterance(f"{voice}: {text}", voice, text, *one) for (voice, text, _), one in zip(jobs, spoken, strict=True)
    ]
    held_out = [numbers[one.speaker] % _ONE_OF == _ONE_OF - 1 for one in said]
    train = tuple(one for one, out in zip(said, held_out, strict=True) if not out)
    test = tuple(one for one, out in zip(said, held_out, strict=True) if out)
    n_test = n_speakers // _ONE_OF
    provenance = (
        f"Synthetic speech by espeak-ng: {len(train)} utterances of {n_speakers - n_test} "
        f"voices to learn from, {len(test)} of {n_test} other voices, with other sentences, to test on."
    )
    return Corpus("Synthetic speech", train, test, provenance, is_synthetic=True)


def _synthesise(jobs: str) -> list[tuple[np.ndarray, int, list[tuple[int, str]]]]:
    command = [sys.executable, str(Path(__file__).with_name("synthesiser.py"))]
    try:
        done = subprocess.run(command, input=jobs.encode(), capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        why = said.decode("utf-8", "replace").strip().splitlines()[-1:] or [type(error).__name__]
        raise DataError(f"The synthesiser espeak-ng does not work on this machine ({why[0][:120]}).") from None
    found: list[tuple[np.ndarray, int, list[tuple[int, str]]]] = []
    heard = io.BytesIO(done.stdout)
    while line := heard.readline():
        header = json.loads(line)
        samples = np.frombuffer(heard.read(int(header["bytes"])), np.int16).astype(np.float32) / 32768
        found.append((samples, int(header["rate"]), [(int(at), str(name)) for at, name in header["phones"]]))
    return found


def _utterance(
    name: str, voice: str, text: str, samples: np.ndarray, rate: int, events: list[tuple[int, str]]
) -> Utterance:
    """Return an utterance with the phones of TIMIT."""
    phones: list[str] = ["h#"]
    starts = [0]
    beyond = [*(at for at, _ in events[1:]), len(samples)]
    for (start, written), end in zip(events, beyond, strict=True):
        plain = written.lstrip("',%=|~-")
        if plain in _SILENT or not plain:
            continue
        known = "h#" if plain.startswith("_") else _NAMES.get(plain)  # pauses of several lengths
        if known is None:
            raise DataError(f"espeak-ng said the phone {written!r} in “{text}”, which has no name in TIMIT.")
        parts = known.split()
        for number, phone in enumerate(parts):
            if phone == phones[-1] == "h#":
                continue  # one pause
            phones.append(phone)
            starts.append(start + (end - start) * number // len(parts))
    samples = resampled(samples, rate)
    bounds = np.rint(np.array([*starts, 0]) * (RATE / rate)).astype(np.int64)
    bounds[-1] = len(samples)
    kept = np.flatnonzero(np.diff(bounds) > 0)  # what lasts no time is not heard
    return Utterance(name, voice, samples, tuple(phones[k] for k in kept), bounds[:-1][kept], bounds[1:][kept], text)
