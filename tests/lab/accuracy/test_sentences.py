"""What the accuracy page says is what its chart draws; whether a difference is beyond chance, what the rows say."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from rfviz.analysis.accuracy import Segment
from rfviz.experiments.accuracy import describe
from rfviz.experiments.accuracy.compute import AccuracyResult
from rfviz.experiments.candidate import Candidate
from rfviz.features import MapSpec, RandomMaxout
from tests.lab.sentences import Sentence, page_at, seeds

MAPS = ["RandomFourier", "RandomMaxout", "RandomProjection", "RandomReLU"]
OTHERS = {
    "knn": "k nearest neighbours",
    "linear_ridge": "Linear ridge",
    "rbf_svm": "RBF SVM",
    "linear_svm": "Linear SVM",
}


def settings(seed):
    rng = np.random.default_rng(seed)
    return {
        "data": ["moons", "digits"][seed % 4 == 0],
        "maps": [m for m in MAPS if rng.random() < 0.5] or MAPS[:1],
        "references": [name for name in OTHERS if rng.random() < 0.6],
        "m_max": int(rng.choice([20, 40, 100])),
        "seeds": int(rng.choice([1, 3])),
        "test": int(rng.choice([5, 40])),
        "alpha": 1.0,
    }


def curves(figure):
    return {t.name: (np.asarray(t.x, float), np.asarray(t.y, float)) for t in figure.data if t.mode == "lines+markers"}


@pytest.mark.parametrize("seed", seeds(12))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("accuracy", values)
    figure, said = found.charts[0].figure, Sentence(found.charts[0].words)
    drawn, split = curves(figure), found.result.split
    lines = {t.text[0] or t.text[1]: t.y[0] for t in figure.data if t.mode == "lines+text"}
    others = {
        OTHERS[name]: next((y for text, y in lines.items() if OTHERS[name] in text), 0.0)
        for name in values["references"]
    }
    assert len(lines) == sum(value > 0 for value in others.values())
    said.says("error on {} test rows", len(split.X_test))
    said.says("trained on {} rows", len(split.X_train))
    last = max(m[-1] for m, _ in drawn.values())
    least = min(error[-1] for m, error in drawn.values() if m[-1] == last)
    best = [name for name, (m, error) in drawn.items() if m[-1] == last and np.isclose(error[-1], least)]
    each = " each" * (len(best) > 1)
    named = " and ".join([", ".join(best[:-1]), best[-1]] if each else best)
    said.says("Best at m = {}: {} with {}%" + each + ".", last, named, least)
    m, error = drawn[best[0]]
    sentences = re.split(r"(?<=\.) ", found.charts[0].words)
    for name, value in others.items():
        (sentence,) = [one for one in sentences if f"{name} (" in one]
        line = f"{name} ({{}}%" + ", below the chart" * (value == 0) + ")"
        if " beats " in sentence:
            first = int(np.flatnonzero(error >= value - 1e-9).max(initial=-1)) + 1  # a tie is no victory
            said.says(*(f"{line} from m = {{}} on", value, m[first]) if first else (f"{line} at every m", value))
        else:
            said.says(line, value)
            assert "does not reach" not in sentence or error[-1] > value
            assert "does not reach" in sentence or "is too small to tell" in sentence
    if "too small" in said:
        said.says("on these {} test rows", len(split.X_test))
    said.says_nothing_else()


# --- paired comparisons on planted predictions ------------------------------------------------------------------------


def result_of(wrong, missed, *, m=(10, 20), n=400, others=()):
    """Return a result of one curve: the test rows that it gets wrong, for each m, and those that a rival does."""
    y = np.zeros(n, dtype=int)
    split = SimpleNamespace(
        is_classification=True,
        X_test=np.empty((n, 1)),
        X_train=np.empty((9, 1)),
        y_test=y,
        others=None,
        name="planted",
        n_train=9,
        given=False,
    )

    def codes(rows):
        return np.isin(np.arange(n), rows).astype(np.int16)

    def segment(rows):
        predicted = np.stack([codes(r) for r in rows])
        return Segment(
            np.array(m),
            predicted.mean(axis=1),
            np.ones(len(m)),
            predicted,
            np.ones(len(m), int),
            np.array(m),
            0.1,
            0.1,
            9,
        )

    runs = {"maxout": [[segment(wrong)]]} | {name: [[segment(rows)]] for name, rows in others}
    candidates = tuple(Candidate(label, MapSpec(RandomMaxout)) for label in runs)
    losses = {"Rival": codes(missed).astype(np.float32)}
    return AccuracyResult(split, candidates, "ridge", runs, {"Rival": len(missed) / n}, losses=losses)


R = np.arange(400)


def test_a_tie_is_no_victory():
    """The curve has the rival's error at its first m and less at its second: it beats it from there."""
    said = describe.explanation(result_of([R[:40], R[:10]], R[:40]))
    assert "It beats Rival (10.0%) from m = 20 on." in said
    said = describe.explanation(result_of([R[:10], R[20:30]], R[:10]))
    assert "The difference to Rival (2.50%) is too small to tell" in said and "beats" not in said


@pytest.mark.parametrize(
    ("mine", "theirs", "verdict"),
    [
        # 60 against 40 of 400 rows: within two standard errors of unpaired rows, but all of the 40 are among the 60.
        (R[:60], R[:40], "It does not reach Rival"),
        # The same two shares, of rows that have nothing in common.
        (R[:60], R[100:140], "too small to tell"),
        (R[:40], R[:60], "It beats Rival (15.0%) at every m"),
        (R[:10], R[:15], "too small to tell"),  # 5 rows: one in 16 by chance, one side or the other
        (R[:10], R[:16], "It beats Rival (4.00%) at every m"),  # 6 rows: one in 32
    ],
)
def test_the_same_rows_are_compared_in_pairs(mine, theirs, verdict):
    assert verdict in describe.explanation(result_of([mine, mine], theirs))


@pytest.mark.slow
def test_the_pairs_are_those_of_mcnemars_exact_test():
    """Told apart where the exact test rejects at about 5%: never above 7%, always below 2%."""
    rng, told, p = np.random.default_rng(0), [], []
    for _ in range(300):
        mine, theirs = (np.flatnonzero(rng.random(400) < share) for share in rng.uniform(0, 0.1, 2))
        found = result_of([mine, mine], theirs)
        told.append(found.is_told_from("maxout", 20, "Rival"))
        b, c = len(np.setdiff1d(mine, theirs)), len(np.setdiff1d(theirs, mine))
        p.append(binomtest(b, b + c).pvalue if b + c else 1.0)
    told, p = np.array(told), np.array(p)
    assert 30 < told.sum() < 270
    assert p[told].max() < 0.07 and p[~told].min() > 0.02


def test_equal_rivals_are_named():
    tied = result_of([R[:40], R[:10]], R[:40], others=[("fourier", [R[:30], R[50:60]]), ("stumps", [R[:90], R[:80]])])
    said = describe.explanation(tied)
    assert "Best at m = 20: **maxout** and **fourier** with 2.50% each." in said
    assert "**maxout** beats Rival (10.0%) from m = 20 on." in said


def test_a_curve_that_has_not_come_as_far_is_not_the_best():
    going = result_of([R[:40], R[:10]], R[:40])
    early = result_of([R[:1]], R[:40], m=(5,))
    both = AccuracyResult(
        going.split,
        (*going.candidates, Candidate("early", MapSpec(RandomMaxout))),
        "ridge",
        going.runs | {"early": early.runs["maxout"]},
        {},
        is_complete=False,
    )
    assert "Best so far at m = 20: **maxout** with 2.50%." in describe.explanation(both)
