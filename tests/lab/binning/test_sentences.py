"""What the page on random binning says is what its charts draw."""

import numpy as np
import pytest

from tests.lab.sentences import Sentence, page_at, seeds


def settings(seed):
    rng = np.random.default_rng(seed)
    return {
        "data": str(rng.choice(["moons", "xor"])),
        "data.n_samples": int(rng.choice([40, 100])),
        "p": [1, 2, 100, 4000][seed % 4],
        "shown": int(rng.choice([1, 7, 60])),
        "gamma": float(rng.choice([0.05, 2.0, 20.0])),
        "profile": str(rng.choice(["laplacian", "hat"])),
        "point": int(rng.choice([1, 40])),
        "seed": int(rng.integers(3)),
        "view": ["A point", "All pairs"][seed % 3 == 2],
    }


@pytest.mark.parametrize("seed", seeds(16))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    charts = page_at("binning", values).charts
    grid, second, said = charts[0].figure, charts[1].figure, Sentence(charts[0].words)
    (points,) = [t for t in grid.data if t.customdata is not None]
    said.says("First: grid number {},", values["shown"])
    own = points.text[values["point"] - 1]  # box 3 of 24, with 5 points
    n_boxes, n_own = int(own.split(" of ")[1].split(",")[0]), int(own.split(" with ")[1].split()[0])
    if values["view"] == "All pairs":
        said.says("which puts {} points into {} box", len(points.x), n_boxes)
        if values["p"] == 1:
            said.says("it is {} for two points of one box and {} otherwise", 1, 0)
            assert set(np.unique(second.data[0].z)) <= {0.0, 1.0}
        else:
            said.says("the share of {} grids", values["p"])
        said.says_nothing_else()
        return
    (box,) = [t for t in grid.data if t.fill == "toself"]
    said.says("boxes {} wide and {} high", np.ptp(box.x), np.ptp(box.y))
    if n_own == 1:
        assert "with no other point." in said
    else:
        said.says(f"with {{}} other point{'s' * (n_own > 2)}.", n_own - 1)
    if values["p"] == 1:
        said.says("the places that grid number {}, the only one, puts into the box", 1)
    else:
        said.says("the share of the {} grids", values["p"])
    share, exact = (np.asarray(t.z, float) for t in second.data[:2])
    said.says("The RMS error is {}.", np.sqrt(np.mean((share - exact) ** 2)))
    said.says_nothing_else()
