"""Each script of ``examples/`` runs by itself, and what it prints is what its text promises."""

import ast
import itertools
import runpy
import warnings
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.fixture
def table(capsys):
    """Return a function that runs a script and returns the rows that it prints below its header, numbers as numbers."""

    def run(name):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
        out, err = capsys.readouterr()
        assert not err
        return [[_number(word) for word in line.split()] for line in out.splitlines()[1:]]

    return run


def _number(word):
    try:
        return float(word)
    except ValueError:
        return word


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def falls(values):
    return all(after < before for before, after in itertools.pairwise(values))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_is_short_says_what_to_expect_and_has_a_test(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 40
    told = ast.get_docstring(ast.parse(source))
    assert "One learns: " in told and "Expect: " in told
    assert f"test_{path.stem}" in globals()


def test_fourier_against_svc(table):
    accuracy = dict(table("fourier_against_svc"))
    assert accuracy["m=50"] < accuracy["linear"] < accuracy["m=200"] < accuracy["m=1000"]
    assert 0.98 < accuracy["exact-svc"] <= 1 and abs(accuracy["m=1000"] - accuracy["exact-svc"]) < 0.01


def test_maxout_saturation(table):
    distance, linear, _, *others = columns(table("maxout_saturation"))
    assert linear == pytest.approx(distance, rel=0.02)
    four, exact_four, many, exact_many = others
    assert four == pytest.approx(exact_four, rel=0.02) and many == pytest.approx(exact_many, rel=0.02)
    assert many[0] == pytest.approx(distance[0], rel=0.06)
    assert many[-1] / many[-3] < 1.05 < four[-1] / four[-3] < linear[-1] / linear[-3]


def test_binning_pipeline(table):
    grids, boxes, per_row, score = columns(table("binning_pipeline"))
    assert falls([-value for value in score]) and score[0] < 0.3 and score[-1] > 0.95
    assert falls([-value for value in boxes[1:]]) and per_row[1:] == grids[1:]


def test_compositional_skeleton(table):
    features, rmse, pixels = columns(table("compositional_skeleton"))
    # Unbiased estimates: the error times the root of m is one constant, here within a third.
    constants = [error * m**0.5 for m, error in zip(features, rmse, strict=True)]
    assert max(constants) < 1.33 * min(constants)
    assert falls(rmse) and all(0 < number < 2 for number in pixels)


def test_hash_neighbours(table):
    bits, simhash, argmax = columns(table("hash_neighbours"))
    assert bits == [64, 256, 1024]
    for found in (simhash, argmax):
        assert falls([-share for share in found]) and found[0] > 0.2 and 0.7 < found[-1] < 1


def test_accuracy_path(table):
    features, error, alone, _ = columns(table("accuracy_path"))
    assert falls(error) and error[0] > 0.08 and error[-1] < 0.02
    # Rounding may turn one of the 719 test rows.
    assert alone == pytest.approx(error, abs=1.5 / 719)
    assert features == [30, 100, 300, 600]


def test_orthogonal_draws(table):
    _, iid, orthogonal, qmc = columns(table("orthogonal_draws"))
    assert falls(iid) and falls(orthogonal) and falls(qmc)
    assert all(better < 0.8 * worse for better, worse in zip(orthogonal, iid, strict=True))
    assert all(best < 0.8 * better for best, better in zip(qmc[1:], orthogonal[1:], strict=True))
    assert iid[0] / iid[-1] == pytest.approx(8, rel=0.25)  # sixty-four times as many features


def test_grid_search(table):
    rows = table("grid_search")
    told = {row[0]: row[1] for row in rows}
    scores = {gamma: score for gamma, score in told.items() if isinstance(gamma, float)}
    assert told["best"] == max(scores, key=scores.get) not in (min(scores), max(scores))
    assert told["test"] > 0.95 and scores[min(scores)] < 0.8 and scores[max(scores)] < 0.8
    assert 0.4 < told["linear"] < 0.75
