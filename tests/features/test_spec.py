"""A specification of a feature map: equal where the map is, and the same map after a journey through JSON."""

import pickle

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import MapSpec, RandomFourier, RandomMaxout, map_class, registry


def test_order_and_container_of_parameters_do_not_matter():
    one = MapSpec(RandomMaxout, pool_size=8, n_components=100, receptive_field=[3, 5])
    other = MapSpec(RandomMaxout, receptive_field=(3, 5), n_components=np.int64(100), pool_size=8)
    assert one == other
    assert hash(one) == hash(other)
    assert one != one.replace(pool_size=4)
    assert MapSpec(RandomMaxout, n_components=10) != MapSpec(RandomFourier, n_components=10)


def test_it_cannot_be_changed():
    spec = MapSpec(RandomMaxout, pool_size=8)
    with pytest.raises(AttributeError, match="replace"):
        spec.cls = RandomFourier
    spec.params["pool_size"] = 3
    assert spec.get("pool_size") == 8


def test_it_makes_the_map():
    spec = MapSpec(RandomMaxout, pool_size=8)
    made = spec.make(n_components=20)
    assert type(made) is RandomMaxout
    assert (made.pool_size, made.n_components) == (8, 20)
    assert spec.without("pool_size", "gamma") == MapSpec(RandomMaxout)


def test_repr_is_source():
    spec = MapSpec(RandomFourier, gamma="scale", paired=False, n_components=16)
    assert eval(repr(spec), {"MapSpec": MapSpec, "RandomFourier": RandomFourier}) == spec


@pytest.mark.parametrize("name", registry())
def test_json_and_pickle_bring_it_back(name):
    cls = map_class(name)
    spec = MapSpec(cls, n_components=16)
    assert MapSpec.from_json(spec.to_json()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_words_are_resolved_by_the_points():
    X = np.random.default_rng(0).normal(size=(50, 3))
    resolved = MapSpec(RandomFourier, gamma="scale").resolve(X)
    assert resolved.get("gamma") == pytest.approx(1.0 / (3 * X.var()))
    assert resolved.resolve(X + 1) is resolved


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MapSpec(RandomMaxout, gamma=1.0), "gamma must be a parameter of RandomMaxout"),
        (lambda: map_class("os.system"), "must be one of .*RandomMaxout"),
        (lambda: MapSpec.from_json("[" * 100_000), 'must be JSON with "map"'),
        (lambda: MapSpec.from_json('{"map": "RandomMaxout"}'), 'must be JSON with "map"'),
        (lambda: MapSpec.from_json('{"map": "eval", "params": {}}'), "must be one of"),
    ],
)
def test_what_is_none_is_refused_in_one_sentence(make, words):
    with pytest.raises(ParameterError, match=words):
        make()
