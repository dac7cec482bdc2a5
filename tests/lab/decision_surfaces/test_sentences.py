"""What the page on decision surfaces says is what its panels draw."""

import numpy as np
import pytest
from sklearn.svm import SVC

from rfviz.analysis.splits import make_split
from tests.lab.sentences import Sentence, page_at, seeds

GRID = (2, 4, 6, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
OWN = ["-1/0/1", "1/0.25/2", "0.5/0.5/2", "0/0.4/1", "-0.6/-0.5/1"]


def settings(seed):
    rng = np.random.default_rng(seed)
    values = {
        "data": str(rng.choice(["moons", "circles", "xor"])),
        "data.n_samples": int(rng.choice([40, 100, 400])),
        "data.noise": float(rng.choice([0.15, 0.4])),
        "map": str(rng.choice(["RandomFourier", "RandomMaxout"])),
        "n_components": int(rng.choice(GRID)),
        "C": float(rng.choice([0.1, 10.0])),
    }
    if seed % 5 == 4:
        values |= {"points_from": "own", "points": OWN}
    return values


def crosses(figure):
    """Return the places of the misclassified test points that a panel of two classes draws."""
    return {(x, y) for t in figure.data if t.name == "missed" for x, y in zip(t.x, t.y, strict=True)}


@pytest.mark.parametrize("seed", seeds(15))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    found = page_at("decision-surfaces", values)
    figures, said = [chart.figure for chart in found.charts], Sentence(found.charts[0].words)
    split, m, own = found.result.task.split, values["n_components"], values.get("points_from") == "own"
    n = len(split.X_train) if own else len(split.X_test)
    said.says("With m = {} random", m)
    assert [t.name for t in figures[0].data if t.name != "missed"] == [
        split.target_names[c] for c in np.unique(split.y_train)
    ]
    if own:  # nothing is held out, so that no cross is drawn: the colour behind each point tells its class
        said.says("of the {} points it learnt from", n)
        shares = [s.surface.accuracy for s in found.result.pictures]
        missed = [set(np.asarray(s.surface.wrong).tolist()) for s in found.result.pictures]
    else:
        said.says("of the {} test points", n)
        missed = [crosses(figure) for figure in figures]
        shares = [1 - len(some) / n for some in missed]
    said.says("classifies {}%", 100 * shares[0])
    said.says("the exact RBF-SVM {}%, a linear SVM {}%", 100 * shares[1], 100 * shares[2])
    # Of two classes: where exactly one of them is wrong.
    apart = len(missed[0] ^ missed[1])
    if apart:
        said.says("differ on {} of these points ({}%)", apart, 100 * apart / n)
    else:
        said.says("The first two differ on none of these points")
    end = page_at("decision-surfaces", values | {"n_components": GRID[-1]})
    last = end.result.pictures[0].surface.accuracy
    if "move the slider" in said:
        said.says("With m = {} it would be {}%", GRID[-1], 100 * last)
    else:
        assert last == shares[0] or np.isclose(last, shares[0])
    said.says_nothing_else()


@pytest.mark.slow
def test_the_difference_is_counted_where_the_points_are_and_falls_as_features_tend_to_the_kernel():
    """Two spirals, whose square is mostly empty: more features differ from the exact machine on fewer points."""
    split = make_split(page_at("decision-surfaces", {"n_components": 10}).source.dataset, "none")
    apart = []
    for m in (10, 50, 1000):
        found = page_at("decision-surfaces", {"n_components": m})
        first, svm = (picture.surface for picture in found.result.pictures[:2])
        gamma = found.result.own.gamma
        exact = SVC(C=10.0, gamma=gamma).fit(split.X_train, split.y_train).predict(split.X_test)
        np.testing.assert_array_equal(svm.predicted, exact)
        apart.append(int(np.sum(first.predicted != exact)))
        assert f"**{apart[-1]}** of these points" in found.charts[0].words
    assert apart[0] > 5 * apart[1] and apart[0] > 5 * apart[2]


@pytest.mark.slow
def test_crosses_that_are_not_all_drawn_are_said_to_be_fewer():
    """Linear features of an exclusive or misclassify about half of 500 test points."""
    noisy = {"data": "xor", "data.n_samples": 2000, "data.noise": 0.4, "map": "RandomProjection", "n_components": 2}
    chart = page_at("decision-surfaces", noisy).charts[0]
    (missed,) = [t for t in chart.figure.data if t.name == "missed"]
    assert len(missed.x) == 200
    assert "crosses are 200 misclassified test points" in chart.words
    few = page_at("decision-surfaces", {"n_components": 1000}).charts[0].words
    assert "crosses are misclassified test points" in few
