"""Classes that answer the questions of a study, simulated: how often its analysis is right about what is known.

A student has an ability, a question a difficulty, and a quarter of those who do not know an answer guess it. The lesson
adds to the ability; a second test does so too, in both groups. In the lesson group weaker students leave more often
before the second test. Some answers are sent twice.

    python benchmarks/study.py --classes 2000 --json benchmarks/results/study-cpu.json
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.study import FORMS, GROUPS, TESTS, Row
from rfviz.study.analysis import Comparison, analyse_rows, compare

VERDICTS = ("teaches", "harms")
QUESTIONS = ("one", "two", "three", "four")
_DIFFICULTY = np.array([-0.4, 0.0, 0.4, 0.8])


@dataclass(frozen=True)
class World:
    """What is true: of the lesson, of a second test, of form B, and of those who leave.

    Attributes
    ----------
    lesson, practice, harder : float
        Added to the ability by the lesson and by a second test; to the difficulty of every question by form B.
    leaving : float
        The share of an average lesson group that leaves before the second test.
    """

    lesson: float = 0.0
    practice: float = 0.3
    harder: float = 0.2
    leaving: float = 0.15


def answers(world: World, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return who is in the lesson group, whose first form is B, who leaves, and right answers (n, 2 tests, 4)."""
    cells = rng.permutation(np.arange(n) % 4)
    in_lesson, b_first = cells < 2, cells % 2 == 1
    ability = rng.normal(size=n)
    gained = np.stack([np.zeros(n), world.practice + world.lesson * in_lesson], axis=1)
    is_b = np.stack([b_first, ~b_first], axis=1)
    logits = (ability[:, None] + gained - world.harder * is_b)[:, :, None] - _DIFFICULTY
    known = rng.random(logits.shape) < 1 / (1 + np.exp(-1.5 * logits))
    right = known | (rng.random(logits.shape) < 0.25)
    leaves = in_lesson & (rng.random(n) < world.leaving * 2 / (1 + np.exp(1.5 * ability)))
    return in_lesson, b_first, leaves, right


def scores(world: World, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return first and second scores, NaN for those who leave, and who is in the lesson group."""
    in_lesson, _, leaves, right = answers(world, n, rng)
    first, second = right.mean(axis=2).T
    return first, np.where(leaves, np.nan, second), in_lesson


def log_rows(world: World, n: int, rng: np.random.Generator, lesson: str = "simulated") -> list[Row]:
    """Return the rows of a log of a class; one student in ten has sent the first test twice, with other answers."""
    in_lesson, b_first, leaves, right = answers(world, n, rng)
    rows = []
    for student in range(n):
        tests = [0] if leaves[student] else [0, 1]
        for test in [*tests, 0] if rng.random() < 0.1 else tests:
            again = len(rows) and test == 0 and rows[-1].student == f"{student:016x}"
            for place, question in enumerate(QUESTIONS):
                is_right = int(right[student, test, place]) ^ int(bool(again))
                rows.append(
                    Row(
                        f"{student:016x}", lesson, GROUPS[0 if in_lesson[student] else 1], TESTS[test],
                        FORMS[int(b_first[student] ^ (test == 1))], question, 1 if is_right else 2, is_right,
                    )
                )  # fmt: skip
    return rows


def truth(world: World) -> float:
    """Return the difference that a class of a million would show."""
    found = compare(*scores(world, 1_000_000, np.random.default_rng(0)))
    assert found is not None
    return found.difference


def comparisons(world: World, n: int, n_classes: int, seed: int) -> Iterator[Comparison]:
    """Return the comparison of each of many classes."""
    rng = np.random.default_rng(seed)
    for _ in range(n_classes):
        found = compare(*scores(world, n, rng))
        if found is not None:
            yield found


def measure(n_classes: int) -> dict[str, Any]:
    """Return how often the analysis finds what is not there, covers what is, and finds what is."""
    told: dict[str, Any] = {"classes": n_classes, "null": [], "lesson": []}
    for leaving in (0.0, 0.15, 0.4):
        world = World(leaving=leaving)
        for n in (12, 20, 40, 100):
            found = list(comparisons(world, n, n_classes, n))
            rates = {verdict: float(np.mean([one.verdict == verdict for one in found])) for verdict in VERDICTS}
            told["null"].append({"leaving": leaving, "true": truth(world), "n": n, **rates})
    for lesson, leaving in ((0.85, 0.0), (2.1, 0.0), (0.85, 0.15), (2.1, 0.15)):
        world = World(lesson=lesson, leaving=leaving)
        true = truth(world)
        for n in (12, 20, 30, 40, 60, 80, 100, 150):
            found = list(comparisons(world, n, n_classes, n))
            covered = float(np.mean([one.interval[0] <= true <= one.interval[1] for one in found]))
            power = sum(one.verdict == "teaches" for one in found) / n_classes
            told["lesson"].append({"leaving": leaving, "true": true, "n": n, "covered": covered, "power": power})
    rng, n_files = np.random.default_rng(1), n_classes // 10
    family = 0
    for _ in range(n_files):
        rows = [row for lesson in "abcd" for row in log_rows(World(), 40, rng, lesson)]
        family += any(one.comparison and one.comparison.p_holm < 0.05 for one in analyse_rows(rows).lessons)
    return told | {"files": n_files, "any of four null lessons": family / n_files}


if __name__ == "__main__":
    from _report import write_json

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=int, default=2000)
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    write_json(given.json, measure(given.classes))
