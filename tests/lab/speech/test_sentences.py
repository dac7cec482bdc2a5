"""What the page on speech says is what its charts draw: every error that is counted has an orange phone."""

import numpy as np
import pytest

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
