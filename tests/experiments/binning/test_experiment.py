"""Random binning as an experiment: what is left at its default counts, and bad settings are one sentence."""

import pytest

from rfviz.errors import DataError, ParameterError
from rfviz.experiments import Binning
from rfviz.features import MapSpec, RandomBinning, RandomMaxout


def test_all_pairs_are_those_of_the_map():
    found = Binning(feature_map=RandomBinning(7, gamma=1.5), view="All pairs", shown=2).run("moons")
    shares, order = found.numbers.pairs
    codes = found.numbers.grids.codes[order, 2:9]
    assert (shares * 7).round().astype(int).tolist() == (codes[:, None] == codes[None]).sum(axis=2).tolist()
    assert list(found.charts) == ["boxes", "pairs", "binning-error"]


def test_parameters_left_at_their_defaults_count():
    assert Binning(feature_map=RandomBinning()).p == Binning(feature_map=MapSpec(RandomBinning)).p
    assert Binning(feature_map=RandomBinning()).p == RandomBinning().n_components


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"view": "all"}, "view must be one of 'A point'"),
        ({"shown": 60}, "shown must be an integer from 0 to 59"),
        ({"row": 400}, "row must be an integer from 0 to 399"),
        ({"feature_map": RandomMaxout(8)}, "feature_map must be RandomBinning"),
        ({"feature_map": RandomBinning(5000)}, "n_components must be an integer from 1 to 4096"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        Binning(**({"feature_map": RandomBinning(8)} | settings)).run("moons")


def test_other_data_than_points_of_a_plane_are_refused():
    with pytest.raises(DataError, match="two columns"):
        Binning(feature_map=RandomBinning(8)).run("digits")
