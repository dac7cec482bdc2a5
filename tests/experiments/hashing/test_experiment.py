"""Hashing as an experiment: what is left at its default counts, and bad settings are one sentence."""

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.experiments import Hashing
from rfviz.features import RandomMaxout, RandomProjection


def test_parameters_left_at_their_defaults_count():
    plain = Hashing(feature_map=RandomMaxout(), with_simhash=True).run("circle")
    said = Hashing(feature_map=RandomMaxout(**RandomMaxout().get_params()), with_simhash=True).run("circle")
    assert plain.summary() == said.summary() and f"q = {RandomMaxout().pool_size}" in plain.summary()
    comparison = plain.numbers.comparison
    assert comparison.codes.shape[1] == comparison.simhash.n_symbols == RandomMaxout().n_components


def test_rows_are_an_example_and_its_nearest_neighbour():
    found = Hashing(feature_map=RandomMaxout(64)).run("circle")
    points = found.numbers.comparison.points
    one, two = found.experiment.rows(points)
    apart = np.linalg.norm(points.original - points.original[one], axis=1)
    assert apart[two] == np.sort(apart)[1]
    assert Hashing(feature_map=RandomMaxout(64), first=3, second=5).rows(points) == (3, 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"look": "Recal"}, "look must be one of 'Neighbours'"),
        ({"look": "Recall", "pools": [1]}, "pools must be an integer from 2"),
        ({"look": "Recall", "axis": "bytes"}, "axis must be one of"),
        ({"first": 100_000}, "first must be an integer from 0 to"),
        ({"second": -1}, "second must be an integer from 0 to"),
        ({"feature_map": RandomProjection(64), "with_simhash": True}, "with_simhash must be False unless"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        list(Hashing(**({"feature_map": RandomMaxout(64)} | settings)).run("circle").charts)
