"""Tables 2 and 3 of the maxout paper: phones of held-out speakers from random features of frames of speech."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.speech import (
    STATES,
    Decoded,
    Recognition,
    SpeechFrames,
    log_mel,
    prepare_frames,
    recognise,
    recognise_raw,
    runs_of_phones,
)
from rfviz.cache import Cache
from rfviz.datasets.speech import PHONES_39, RATE, Corpus, Utterance, fold, read_timit, speak, stamp_of, version
from rfviz.errors import DataError
from rfviz.experiments.data import NO_DATA, Data
from rfviz.experiments.source import source as source_of
from rfviz.features import FeatureMap, MapSpec

__all__ = [
    "MEASURES", "PAPER_RAW", "PAPER_TABLE_2", "PAPER_TABLE_2_SPREAD", "PAPER_TABLE_3", "TABLE_M", "Curve", "Heard",
    "Segments", "SpeechResult", "SpeechSource", "align", "confusions", "errors_frame", "frames_of", "grid_of", "hear",
    "labels_of", "learn_curve", "projections",
]  # fmt: skip

#: Table 2: phone error in per cent on TIMIT by pool size, for each m; of the raw features; and Table 3.
TABLE_M = (1250, 2500, 5000, 10_000, 20_000)
PAPER_TABLE_2 = {
    2: (24.7, 24.0, 23.5, 23.2, 23.1),
    4: (24.4, 23.3, 22.9, 22.5, 22.3),
    8: (25.6, 24.7, 24.7, 24.5, 24.3),
    16: (26.0, 25.3, 24.7, 24.7, 24.5),
}
#: Their standard deviations over five seeds.
PAPER_TABLE_2_SPREAD = {
    2: (0.2, 0.2, 0.1, 0.1, 0.1),
    4: (0.2, 0.3, 0.2, 0.2, 0.2),
    8: (0.2, 0.2, 0.2, 0.2, 0.2),
    16: (0.2, 0.3, 0.4, 0.4, 0.2),
}
PAPER_RAW = 33.1
#: By map, numbers of features and projections: the phone error in per cent.
PAPER_TABLE_3 = {
    ("Random maxout, q = 4", 15_000, 15_000): 23.1,
    ("Random maxout, q = 4", 60_000, 15_000): 22.7,
    ("Random maxout, q = 4", 60_000, 60_000): 22.8,
    ("Random maxout, q = 4", 400_000, 15_000): 22.4,
    ("Random maxout, q = 4", 300_000, 300_000): 22.1,
    ("Random Fourier", 400_000, 400_000): 21.3,
}
#: What a curve is of, with the name of its standard deviation over the draws.
MEASURES = {"phone error %": "phone error s.d.", "frame error %": "frame error s.d."}
_HALVINGS = 4


@dataclass(frozen=True)
class SpeechSource:
    """The speech that is recognised.

    Attributes
    ----------
    speakers, sentences : int
        Of synthetic speech; see :func:`rfviz.datasets.speech.speak`.
    folder : str
        That of TIMIT; empty for synthetic speech.
    utterances : int
        Of TIMIT, to learn from.
    stamp : str
        Differs where the files of TIMIT do, or the version of the synthesiser; found when the source is made.
    """

    speakers: int = 16
    sentences: int = 3
    folder: str = ""
    utterances: int = 400
    stamp: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stamp", stamp_of(self.folder) if self.folder else version())

    @property
    def data(self) -> Data:
        """No table: sound is read, or spoken, when it is needed."""
        return NO_DATA

    @property
    def n_test(self) -> int:
        """Number of test utterances; of TIMIT as many as the core test set has."""
        return 192 if self.folder else self.speakers // 4 * self.sentences

    def corpus(self) -> Corpus:
        """Read or speak it."""
        return read_timit(self.folder, self.utterances) if self.folder else speak(self.speakers, self.sentences)


def frames_of(source: SpeechSource, *, cache: Cache) -> SpeechFrames:
    """Compute the frames."""
    return prepare_frames(source.corpus())


def grid_of(m_max: int) -> tuple[int, ...]:
    """Return the numbers of features up to the largest, each twice the one before, as in Table 2."""
    return tuple(m_max >> k for k in range(_HALVINGS, -1, -1))


def labels_of(specs: Sequence[MapSpec[FeatureMap]]) -> tuple[str, ...]:
    """Return the name of each map: its kind and its pool size, or all its parameters if two names would be equal."""
    named = [_label_of(spec) for spec in specs]
    return tuple(name if named.count(name) == 1 else source_of(spec) for name, spec in zip(named, specs, strict=True))


def _label_of(spec: MapSpec[FeatureMap]) -> str:
    q, n_projections = spec.get("pool_size"), spec.get("n_projections")
    label = spec.cls.label if n_projections is None else f"Maxout, shared pool of {n_projections:,}"
    return label if q is None else f"{label}, q = {q}"


def projections(spec: MapSpec[FeatureMap], m: int) -> int:
    """Return of how many random projections of a frame m features are made.

    Those of maxout are m·q, or all of a shared pool if that has fewer; a pair of a cosine and a sine shares one.
    """
    needed = m * (spec.get("pool_size") or 1)
    if spec.get("paired"):
        needed = -(-m // 2)
    return min(needed, spec.get("n_projections") or needed)


def learn_curve(
    source: SpeechSource, spec: MapSpec[FeatureMap] | None, grid: tuple[int, ...], epochs: int, *, cache: Cache
) -> Recognition:
    """Learn the phone states on a map's features, for all m; without a map on the frames themselves."""
    frames = cache.call(frames_of, source)
    if spec is None:
        return recognise_raw(frames, epochs=epochs, progress=cache.progress)
    return recognise(frames, spec, grid, epochs=epochs, progress=cache.progress)


@dataclass(frozen=True, eq=False)
class Curve:
    """A feature map and what it recognises.

    Attributes
    ----------
    cls : type of FeatureMap or None
        None for the raw features.
    draws : tuple of Recognition
        One for each draw of the map; at least one.
    projections : tuple of int
        Of how many projections the features are made, for each m; empty for the raw features.
    """

    label: str
    cls: type[FeatureMap] | None
    draws: tuple[Recognition, ...] = field(repr=False)
    projections: tuple[int, ...] = ()

    @property
    def recognition(self) -> Recognition:
        """What the first draw recognises."""
        return self.draws[0]

    def at(self, m: int) -> Decoded:
        """Return what m features of the first draw decode; of the raw features, what they do."""
        return self.recognition.decoded[self._place(m)]

    def mean_at(self, m: int) -> Decoded:
        """Return the same with the mean errors of all draws, by utterance."""
        found = [draw.decoded[self._place(m)] for draw in self.draws]
        means = np.mean([one.errors for one in found], axis=0)
        return replace(found[0], errors=means, frame_error=float(np.mean([one.frame_error for one in found])))

    def _place(self, m: int) -> int:
        grid = self.recognition.m_grid
        return grid.index(m) if m in grid else -1

    def to_frame(self) -> pd.DataFrame:
        """Return the errors in per cent, one row an m: means over the draws, with their spread if there are several."""
        grid = self.recognition.m_grid
        errors = np.array([draw.to_frame()[list(MEASURES)].to_numpy() for draw in self.draws])
        columns: dict[str, Any] = {"m": grid}
        columns["projections"] = pd.array(self.projections or [pd.NA] * len(grid), dtype="Int64")
        for number, (measure, spread) in enumerate(MEASURES.items()):
            columns[measure] = errors[..., number].mean(axis=0)
            if len(self.draws) > 1:
                columns[spread] = errors[..., number].std(axis=0, ddof=1)
        if len(self.draws) > 1:
            columns["draws"] = len(self.draws)
        return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class SpeechResult:
    """All curves that are known.

    Attributes
    ----------
    curves : tuple of Curve
    """

    frames: SpeechFrames
    curves: tuple[Curve, ...]

    @property
    def raw(self) -> Curve | None:
        """The curve of the raw features, once it is there."""
        return next((curve for curve in self.curves if curve.cls is None), None)

    def curve(self, label: str) -> Curve | None:
        """Return the curve of a label; where it is not known yet, the first that is."""
        named = next((curve for curve in self.curves if curve.label == label), None)
        return named or next(iter(self.curves), None)


def errors_frame(curves: Sequence[Curve]) -> pd.DataFrame:
    """Return phone and frame errors, one row a map and m; see :meth:`Curve.to_frame`."""
    frames = [curve.to_frame().assign(features=curve.label) for curve in curves]
    names = max((list(frame.columns) for frame in frames), key=len, default=["features"])
    found = pd.DataFrame(pd.concat(frames, ignore_index=True) if frames else None, columns=pd.Index(names))
    found.insert(0, "features", found.pop("features"))
    return found.astype({"draws": "Int64"}) if "draws" in found else found


@dataclass(frozen=True, eq=False)
class Segments:
    """Phones in time.

    Attributes
    ----------
    phones : tuple of str
        Of the 39.
    starts, ends : ndarray of shape (n,)
        Seconds.
    partners : tuple of str
        The phone that each is aligned with in the other row; empty for one that has none there: a phone that was
        missed, or one that was added.
    """

    phones: tuple[str, ...]
    starts: np.ndarray
    ends: np.ndarray
    partners: tuple[str, ...] = ()

    @property
    def right(self) -> np.ndarray:
        """Whether each is aligned with its like."""
        return np.array([one == other for one, other in zip(self.phones, self.partners, strict=True)], dtype=bool)

    @property
    def alone(self) -> np.ndarray:
        """Whether each has no partner."""
        return np.array([not other for other in self.partners], dtype=bool)

    @property
    def middles(self) -> np.ndarray:
        """Seconds."""
        return 0.5 * (self.starts + self.ends)


@dataclass(frozen=True, eq=False)
class Heard:
    """One test utterance, with its true and its recognised phones.

    Attributes
    ----------
    bands : ndarray of shape (frames, 40)
        Log-mel energies.
    loudest : ndarray of shape (frames,)
        Largest absolute sample of each frame.
    phones : tuple of str
        The true phones in the order of their first coming, and ``"others"``.
    posteriors : ndarray of shape (frames, len(phones))
        Probability of each, before decoding.
    errors, length : int
        The edit distance of the decoded phones from the true ones, and the number of the latter.
    """

    utterance: Utterance
    bands: np.ndarray
    loudest: np.ndarray
    true: Segments
    decoded: Segments
    phones: tuple[str, ...]
    posteriors: np.ndarray
    errors: int
    length: int

    @property
    def kinds(self) -> tuple[int, int, int]:
        """How many phones were taken for another, added, and missed; together :attr:`errors`."""
        added, missed = int(self.decoded.alone.sum()), int(self.true.alone.sum())
        return int((~self.decoded.right).sum()) - added, added, missed

    def to_frame(self) -> pd.DataFrame:
        """Return the true and the decoded phones with their times, one row each."""
        parts = [
            pd.DataFrame({"phones": name, "phone": one.phones, "start s": one.starts, "end s": one.ends})
            for name, one in (("true", self.true), ("decoded", self.decoded))
        ]
        return pd.concat(parts, ignore_index=True)


def hear(frames: SpeechFrames, decoded: Decoded, number: int) -> Heard:
    """Return one test utterance with its true and its recognised phones.

    Parameters
    ----------
    number : int
        Of the utterance, from 0; the last one where there are fewer.
    """
    number = min(number, len(frames.corpus.test) - 1)
    utterance, rows = frames.corpus.test[number], frames.rows_of_test(number)
    bands = log_mel(utterance.samples)
    kept = [k for k, phone in enumerate(utterance.phones) if fold([phone])]
    names = tuple(fold(utterance.phones))
    starts, ends = utterance.starts[kept] / RATE, utterance.ends[kept] / RATE
    true = Segments(names, starts, ends)
    heard, first, last = runs_of_phones(decoded.paths[number])
    words = tuple(fold([frames.phones[k] for k in heard]))
    true, found = align(true, Segments(words, 0.01 * first, np.minimum(0.01 * last, utterance.seconds)))
    phones = (*dict.fromkeys(names), "others")
    folded = fold(frames.phones)
    posteriors = np.zeros((len(bands), len(phones)), dtype=np.float32)
    for phone, probabilities in zip(folded, decoded.phone_posteriors[rows].T, strict=True):
        posteriors[:, phones.index(phone) if phone in phones else -1] += probabilities
    hop = RATE // 100
    loudest = np.abs(utterance.samples[: len(bands) * hop].reshape(len(bands), hop)).max(axis=1)
    return Heard(
        utterance,
        bands,
        loudest,
        true,
        found,
        phones,
        posteriors,
        int(decoded.errors[number]),
        int(decoded.lengths[number]),
    )


def align(true: Segments, found: Segments) -> tuple[Segments, Segments]:
    """Pair the phones of two rows by the fewest insertions, deletions and substitutions; of several ways, in time.

    Returns
    -------
    true, found : Segments
        With the partner of each phone.
    """
    n, k = len(true.phones), len(found.phones)
    # Ways with equally many errors differ by how far apart in time their partners are, which adds up to less than one.
    apart = np.abs(true.middles[:, None] - found.middles)
    cost = np.array([[a != b for b in found.phones] for a in true.phones], dtype=float).reshape(n, k)
    cost += apart / (1.0 + 2.0 * max(n, k) * apart.max(initial=0.0))
    total = np.add.outer(np.arange(n + 1.0), np.arange(k + 1.0))
    for i in range(1, n + 1):
        for j in range(1, k + 1):
            total[i, j] = min(total[i - 1, j - 1] + cost[i - 1, j - 1], total[i - 1, j] + 1.0, total[i, j - 1] + 1.0)
    pairs, i, j = [[""] * n, [""] * k], n, k
    while i and j:
        if total[i, j] == total[i - 1, j - 1] + cost[i - 1, j - 1]:
            i, j = i - 1, j - 1
            pairs[0][i], pairs[1][j] = found.phones[j], true.phones[i]
        elif total[i, j] == total[i - 1, j] + 1.0:
            i -= 1
        else:
            j -= 1
    return replace(true, partners=tuple(pairs[0])), replace(found, partners=tuple(pairs[1]))


def confusions(frames: SpeechFrames, decoded: Decoded) -> pd.DataFrame:
    """Return which phone the frames of each true phone were decoded as: shares of the row, of the 39 that occur."""
    place = np.array([PHONES_39.index(phone) for phone in fold(frames.phones)])
    path = np.concatenate(decoded.paths)
    kept = frames.y_test >= 0
    counts = np.zeros((len(PHONES_39), len(PHONES_39)))
    np.add.at(counts, (place[frames.y_test[kept] // STATES], place[path[kept] // STATES]), 1)
    here = np.flatnonzero(counts.sum(axis=1))
    if not len(here):
        raise DataError(f"{frames.corpus.name} has no test frames whose phone was learnt. Add utterances.")
    names = [PHONES_39[k] for k in here]
    shares = counts[np.ix_(here, here)] / counts[here].sum(axis=1, keepdims=True)
    return pd.DataFrame(shares, index=pd.Index(names, name="true"), columns=names)
