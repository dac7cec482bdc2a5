"""What the page on speech says is what its charts draw: every error that is counted has an orange phone."""

import functools

import numpy as np
import pytest

from rfviz.lab.speech.compute import Segments, align
from tests.lab.sentences import Sentence, page_at, seeds

SMALL = {
    "speakers": 4,
    "sentences": 2,
    "epochs": 2,
    "m_max": 160,
    "families": ["RandomMaxout", "RandomFourier"],
    "pools": [2],
}


def settings(seed):
    rng = np.random.default_rng(seed)
    of = str(rng.choice(["Raw features", "Random Fourier", "Random maxout, q = 2"]))
    return SMALL | {"utterance": int(rng.integers(1, 3)), "of": of, "m": int(rng.choice([10, 20, 40, 80, 160]))}


@pytest.mark.parametrize("seed", seeds(8))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("speech", values)
    heard, errors, _ = found.charts
    said, bars = Sentence(heard.words), {t.name: t for t in heard.figure.data if t.type == "bar"}
    frame = errors.frame.set_index(["features", "m"])["phone error %"]
    of, m = values["of"], values["m"]
    raw = frame["Raw features"].iloc[0]
    if of == "Raw features":
        said.says("On the raw features the phone error is {}% on held-out speakers.", raw)
    else:
        said.says("With m = {} features ({}) the phone error is {}% on held-out speakers.", m, of, frame[of, m])
        said.says("With the raw features it is {}%", raw)
        decoded = [next(c for c in found.result.curves if c.label == label) for label in (of, "Raw features")]
        first, second = decoded[0].at(m), decoded[1].at(0)
        apart = (first.errors - second.errors).astype(float)
        standard = apart.sum() / max(np.sqrt((apart**2).sum()), 1e-9)
        if abs(standard) >= 2:
            better = "random" if apart.sum() < 0 else "raw"
            said.says(
                "The {} ones are better by {} points, which is {} standard errors",
                better,
                abs(frame[of, m] - raw),
                abs(standard),
            )
        else:
            said.says("{} utterances are too few to tell them apart", len(apart))
    added = sum(words == "added" for words in bars["decoded, wrong"].customdata)
    taken, missed = len(bars["decoded, wrong"].x) - added, len(bars["missed"].x)
    total, phones = taken + added + missed, len(bars["true phones"].x) + missed
    said.says("In this utterance there are {} error", total) if total else said.says("there are no errors")
    said.says("in {} phones", phones)
    for count, words in ((taken, "taken for another"), (added, "added"), (missed, "missed")):
        if count:
            said.says(f"{{}} {words}", count)
        else:
            assert words not in said
    said.says_nothing_else()


@pytest.mark.parametrize("seed", seeds(20))
def test_phones_are_paired_by_the_fewest_errors(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for n in (rng.integers(0, 9), rng.integers(0, 9)):
        ends = np.sort(rng.random(n))
        rows.append(Segments(tuple(rng.choice(list("abc"), n)), np.r_[0.0, ends][:n], ends))
    true, found = align(*rows)

    @functools.cache
    def fewest(i, j):
        """Return the Levenshtein distance of the first phones, by its definition."""
        if not i or not j:
            return i + j
        swap = fewest(i - 1, j - 1) + (rows[0].phones[i - 1] != rows[1].phones[j - 1])
        return min(swap, fewest(i - 1, j) + 1, fewest(i, j - 1) + 1)

    errors = int((~found.right).sum()) + int(true.alone.sum())
    assert errors == fewest(len(true.phones), len(found.phones))
    # Each pair is seen from both sides, in the same order.
    pairs = [(a, b) for a, b in zip(true.phones, true.partners, strict=True) if b]
    assert pairs == [(a, b) for b, a in zip(found.phones, found.partners, strict=True) if a]


def test_of_two_ways_with_as_many_errors_the_one_in_time_is_taken():
    true = Segments(("a", "a"), np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    late = Segments(("a",), np.array([1.1]), np.array([1.9]))
    assert align(true, late)[0].partners == ("", "a")
    early = Segments(("a",), np.array([0.1]), np.array([0.9]))
    assert align(true, early)[0].partners == ("a", "")
