"""What the zoo says is what its cards draw."""

import numpy as np
import pytest

from tests.lab.sentences import Sentence, page_at, seeds

SIDE = 61


def squares(figure):
    """Return the three pictures of each card of the sheet, by the card's name: feature, sampled and exact."""
    (sheet,) = [np.asarray(t.z, float) for t in figure.data if t.type == "heatmap"]
    cards = {}
    for note in figure.layout.annotations:
        row, left, parts = sheet[int(note.y) - 1 - SIDE : int(note.y) - 1], int(note.x), []
        while len(parts) < 3:
            while np.isnan(row[:, left]).all():
                left += 1
            parts.append(row[:, left : left + SIDE])
            left += SIDE
        cards[note.text] = parts
    return cards


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(4))
def test_the_errors_that_are_said_are_those_of_the_cards(seed):
    rng = np.random.default_rng(seed)
    values = {
        "m": [10, 200, 1000, 50][seed],
        "x": float(rng.choice([-1.5, 0.3])),
        "y": float(rng.choice([0.0, 2.0])),
        "feature": int(rng.integers(1, 8)),
        "seed": int(rng.integers(3)),
    }
    chart = page_at("zoo", values).charts[0]
    said, errors, pictures = Sentence(chart.words), {}, squares(chart.figure)
    for name, rows in chart.frame.groupby("map"):
        limit = rows["exact"].abs().max()
        sampled, exact = (rows[which].to_numpy().reshape(SIDE, SIDE) / limit for which in ("sampled", "exact"))
        # The pictures are cut at the end of their scale.
        np.testing.assert_allclose(pictures[name][1], np.clip(sampled, -1, 1), atol=1e-6)
        np.testing.assert_allclose(pictures[name][2], exact, atol=1e-6)
        errors[name] = np.sqrt(np.mean((sampled - exact) ** 2))
    said.says("With m = {} the RMS error is between", values["m"])
    for name in (min(errors, key=errors.get), max(errors, key=errors.get)):
        said.says("{}% ({})", 100 * errors[name], name)
    said.says_nothing_else()
