"""The zoo: every map on the plane, its pictures those of the map itself."""

import base64

import numpy as np
import pytest
from scipy import sparse

from rfviz.errors import ParameterError
from rfviz.experiments.zoo.compute import (
    AXIS,
    SIDE,
    Refusal,
    capacity,
    compare_maps,
    draw_map,
    ordered_maps,
    plane,
    plane_spec,
    point_row,
)
from rfviz.experiments.zoo.describe import explanation, per_cent
from rfviz.experiments.zoo.figures import LEVELS, card_pictures, levels, palette
from rfviz.features import RandomBinning, RandomProjection, RandomReLU, map_class, registry
from rfviz.figures.template import DIVERGING
from rfviz.lab.zoo.page import PAGE

every_map = pytest.mark.parametrize("name", registry())


def drawn(cls, size, seed=0):
    """Return a map of the zoo."""
    return draw_map(plane_spec(map_class(cls) if isinstance(cls, str) else cls, size, seed))


def test_plane():
    assert plane().shape == (SIDE**2, 2)
    assert plane()[point_row(0.9, -1.3)].tolist() == [0.9, -1.3]
    assert point_row(99.0, -99.0) == SIDE - 1
    assert [capacity(m) for m in (1, 128, 129, 1000)] == [128, 128, 256, 1024]


def test_all_maps_are_shown_and_come_in_order():
    assert sorted(cls.__name__ for cls in ordered_maps()) == sorted(registry())
    assert ordered_maps()[0] is RandomProjection
    assert not [one.problem for one in (drawn(cls, 2) for cls in ordered_maps()) if isinstance(one, Refusal)]


@every_map
def test_a_card_is_what_the_map_of_m_features_gives(name):
    one = drawn(name, 128, seed=3)
    row = point_row(-0.7, 1.2)
    exact = one.feature_map.kernel(plane(), plane()[[row]])[:, 0]
    for m in (1, 7, 128):
        (card,) = compare_maps([one], m, row, feature=2).cards
        features = one.feature_map.prefix(m).transform(plane())
        products = features @ features[[row]].T
        sampled = (products.toarray() if sparse.issparse(products) else products)[:, 0]
        np.testing.assert_allclose(card.sampled, sampled, rtol=0, atol=2e-5 * max(card.limit, 1.0))
        np.testing.assert_array_equal(card.exact, exact)
        assert card.limit == np.abs(card.exact).max()
        error = np.sqrt(np.mean((card.sampled - card.exact) ** 2)) / card.limit
        assert card.error == pytest.approx(error, rel=1e-6)


@pytest.mark.slow
@every_map
def test_more_features_come_nearer(name):
    # The root mean square over eight draws falls by a factor of about eight from 16 to 1024 features.
    few, many = (
        np.sqrt(np.mean([compare_maps([drawn(name, m, seed)], m, 1000).cards[0].error ** 2 for seed in range(8)]))
        for m in (16, 1024)
    )
    # Features over a shared pool are not independent: their error stops falling.
    assert few / 16 < many < few / (2 if hasattr(registry()[name](), "n_projections") else 4)


def test_a_map_that_refuses_the_plane_says_why(monkeypatch):
    def refuse(self, X, y=None):
        raise ParameterError("X", "must have three columns", X.shape[1], "Add one.")

    monkeypatch.setattr(RandomProjection, "fit", refuse)
    refused, fine = drawn(RandomProjection, 10), drawn(RandomReLU, 10)
    result = compare_maps([refused, fine], 5, 0)
    assert result.cards[0] is refused
    assert "must have three columns" in refused.problem
    assert [card.cls for card in result.drawn] == [RandomReLU]
    assert PAGE.failures(result) == {RandomProjection.label: refused.problem}
    assert len(result.to_frame()) == 1
    assert "Random ReLU" in explanation(result)


def test_a_kernel_that_is_zero_everywhere():
    origin = point_row(0.0, 0.0)
    result = compare_maps([drawn(RandomProjection, 10)], 5, origin)
    assert result.point == (0.0, 0.0)
    assert result.cards[0].limit == 0.0 and np.isnan(result.cards[0].error)
    assert per_cent(result.cards[0].error) == "–"
    assert "Move the ring" in explanation(result)
    assert set(base64.b64decode(card_pictures(result.cards[0])["exact"])) == {LEVELS // 2}


def test_levels_and_colours():
    values = np.zeros((SIDE, SIDE))
    values[0, 0], values[0, 1], values[-1, -1], values[-1, 0] = -2.0, -1.0, 1.0, 9.0
    seen = np.frombuffer(base64.b64decode(levels(values.ravel(), 2.0)), np.uint8).reshape(SIDE, SIDE)
    assert seen[-1, :3].tolist() == [0, 64, 127]  # the plane's lowest row is the screen's last
    assert (seen[0, -1], seen[0, 0]) == (190, 254)
    colours = palette()
    assert len(colours) == LEVELS
    for place, stop in ((0, 0), (LEVELS // 2, 2), (LEVELS - 1, -1)):
        red, green, blue, opacity = colours[place]
        assert f"rgba({red},{green},{blue},{round(opacity / 255, 1):g})" == DIVERGING[stop][1]


def test_only_known_settings_are_changed():
    assert all(set(cls.plane_params) <= set(cls().get_params()) for cls in registry().values())
    assert len(AXIS) == SIDE


def test_a_sparse_map_shows_the_fullest_box_of_a_repetition():
    one = drawn(RandomBinning, 128, seed=3)
    codes = one.feature_map.codes(plane())[:, 5]
    counts = np.unique(codes, return_counts=True)[1]
    (card,) = compare_maps([one], 50, 7, feature=5).cards
    assert card.feature.sum() == counts.max()
    assert len(np.unique(codes[card.feature > 0])) == 1
