"""TIMIT: the full corpus, or the sample of 160 utterances that NLTK distributes.

In the full corpus an utterance is ``TRAIN/DR1/FCJF0/SI1027.WAV`` with ``SI1027.PHN`` next to it, in capitals or not; in
the sample it is ``dr1-fvmh0/si836.wav`` with ``si836.phn``. Both are found below a sub-folder of the data folder whose
name begins with ``timit``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from rfviz.datasets.data_folder import data_folder
from rfviz.datasets.speech.audio import read_sound, resampled
from rfviz.datasets.speech.corpus import RATE, Corpus, Utterance
from rfviz.errors import DataError

__all__ = ["CORE_TEST", "find_timit", "read_timit", "stamp_of"]

#: The 24 speakers of the core test set.
CORE_TEST = frozenset(
    {
        "mdab0",
        "mwbt0",
        "felc0",
        "mtas1",
        "mwew0",
        "fpas0",
        "mjmp0",
        "mlnt0",
        "fpkt0",
        "mlll0",
        "mtls0",
        "fjlm0",
        "mbpm0",
        "mklt0",
        "fnlp0",
        "mcmj0",
        "mjdh0",
        "fmgd0",
        "mgrt0",
        "mnjm0",
        "fdhc0",
        "mjln0",
        "mpam0",
        "fmld0",
    }
)
# The two sentences that all speakers read; they would be in both parts.
_EVERYBODY = re.compile(r"sa\d")
_SPEAKER = re.compile(r"(?:dr\d-)?([mf]\w{2,4}\d)$")
# Of the sample, which has no parts of its own: of this number of speakers the last is held out.
_ONE_OF = 4


def find_timit() -> Path | None:
    """Return the folder of TIMIT in the data folder, if there is one."""
    here = data_folder()
    try:
        found = (
            [Path(e.path) for e in os.scandir(here) if e.is_dir() and e.name.lower().startswith("timit")]
            if here
            else []
        )
    except OSError:
        return None
    return min(found, default=None)


def stamp_of(path: str | os.PathLike[str]) -> str:
    """Return a text that changes when files come to a tree or leave it."""
    times = [os.stat(here).st_mtime_ns for here, _, _ in os.walk(path)]
    return f"{len(times)}-{max(times, default=0)}"


def read_timit(path: str | os.PathLike[str], max_train: int | None = None) -> Corpus:
    """Read a tree of TIMIT.

    The core test set is held out where its speakers are there; else all of ``TEST``; of a tree without one
    every fourth speaker. The two sentences that all speakers read are left out, as is usual.

    Parameters
    ----------
    path : path
        A folder; utterances may lie at any depth.
    max_train : int, optional
        Utterances to learn from: as many, evenly among all.

    Raises
    ------
    DataError
        If there is none, or the first file that cannot be used, with the reason.
    """
    root = Path(path)
    sounds = sorted(_sounds(root), key=lambda one: str(one).lower())
    if not sounds:
        raise DataError(
            f"{root.name} holds no utterances of TIMIT. It needs .wav files, each with a .phn file next to it."
        )
    if not any(_is_test(one, root) for one in sounds):
        speakers = sorted({_speaker(one) for one in sounds})
        held_out = frozenset(speakers[_ONE_OF - 1 :: _ONE_OF] or speakers[1:])
        what = "a sample without a test set"
    else:
        tested = {_speaker(one) for one in sounds if _is_test(one, root)}
        held_out, what = frozenset(tested & CORE_TEST or tested), "the full corpus"
        sounds = [one for one in sounds if not _is_test(one, root) or _speaker(one) in held_out]
    sounds = [one for one in sounds if not _EVERYBODY.match(one.stem.lower())]
    learned = [one for one in sounds if _speaker(one) not in held_out]
    if max_train is not None and max_train < len(learned):
        learned = [learned[k] for k in np.linspace(0, len(learned) - 1, max_train).astype(int)]
    train = tuple(_utterance(one, root) for one in learned)
    test = tuple(_utterance(one, root) for one in sounds if _speaker(one) in held_out)
    people = len({one.speaker for one in train}), len({one.speaker for one in test})
    provenance = (
        f"TIMIT (Garofolo and others, 1993), {what} in the folder {root.name}: {len(train):,} utterances of "
        f"{people[0]} speakers to learn from, {len(test):,} of {people[1]} others to test on."
    )
    return Corpus("TIMIT", train, test, provenance, is_synthetic=False)


def _sounds(root: Path) -> list[Path]:
    found: list[Path] = []
    for here, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(here, name) for name in files if name.lower().endswith((".wav", ".sph")) and name[0] != "."]
    return found


def _is_test(path: Path, root: Path) -> bool:
    return "test" in (part.lower() for part in path.relative_to(root).parts[:-1])


def _speaker(path: Path) -> str:
    named = _SPEAKER.match(path.parent.name.lower())
    return named[1] if named else path.parent.name.lower()


def _beside(sound: Path, ending: str) -> Path | None:
    """Return the file next to a sound that has its name and another ending; of ``x.WAV.wav`` that of x, too."""
    stems = {sound.stem.lower(), Path(sound.stem).stem.lower()}
    names = {f"{stem}{ending}" for stem in stems}
    return next((one for one in sorted(sound.parent.iterdir()) if one.name.lower() in names), None)


def _utterance(sound: Path, root: Path) -> Utterance:
    name = sound.relative_to(root).as_posix()
    labels = _beside(sound, ".phn")
    if labels is None:
        missing = f"{Path(sound.stem).stem.lower()}.phn"
        raise DataError(f"{name} has no phones: {missing} is missing next to it. Add it, or remove the sound.")
    samples, rate = read_sound(sound, name)
    phones, starts, ends = _phones(labels, labels.relative_to(root).as_posix())
    # The last phone of some files of the corpus ends a little after the sound.
    places = np.minimum(np.array([starts, ends], dtype=np.int64).reshape(2, -1), len(samples))
    if rate != RATE:
        samples, places = resampled(samples, rate), np.rint(places * (RATE / rate)).astype(np.int64)
    words = _beside(sound, ".txt")
    text = words.read_text(encoding="utf-8", errors="replace").strip() if words is not None else ""
    return Utterance(name, _speaker(sound), samples, phones, places[0], places[1], re.sub(r"^\d+ \d+ ", "", text))


def _phones(path: Path, name: str) -> tuple[tuple[str, ...], list[int], list[int]]:
    phones: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        try:
            start, end, phone = parts
            starts.append(int(start))
            ends.append(int(end))
        except ValueError:
            raise DataError(
                f"{name}, line {number}, is {line[:40]!r}; it must hold first sample, last sample, phone."
            ) from None
        phones.append(phone.lower())
    return tuple(phones), starts, ends
