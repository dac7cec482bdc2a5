"""A map that went through JSON is the same map, and what is no map is refused in one sentence."""

import json

import numpy as np
import pytest
from scipy import sparse

from rfviz.errors import RfvizError
from rfviz.features import from_json, registry, to_json

X = np.random.default_rng(0).random((40, 16))
SETTINGS = [(name, {}) for name in registry()] + [
    ("RandomFourier", {"gamma": "scale", "draw": "structured"}),
    ("RandomFourier", {"gamma": np.linspace(0.1, 2.0, 16), "spectrum": "laplacian"}),
    ("RandomFourier", {"dtype": "float64", "paired": False}),
    ("RandomMaxout", {"receptive_field": (2, 3), "image_shape": (4, 4), "pool_size": 7}),
    ("RandomBinning", {"gamma": "scale"}),
    ("CompositionalFeatures", {"skeleton": "flat", "deduplicate": False}),
]
every_map = pytest.mark.parametrize(
    ("name", "setting"), SETTINGS, ids=lambda x: x if isinstance(x, str) else ",".join(x)
)


def dense(Phi):
    return Phi.toarray() if sparse.issparse(Phi) else Phi


@every_map
def test_comes_back_bit_for_bit(name, setting):
    feature_map = registry()[name](n_components=20, random_state=7, **setting).fit(X)
    again = from_json(to_json(feature_map))
    assert np.array_equal(dense(again.transform(X)), dense(feature_map.transform(X)))
    assert np.array_equal(dense(again.prefix(10).transform(X)), dense(feature_map.prefix(10).transform(X)))
    assert to_json(again) == to_json(feature_map)


@every_map
def test_holds_neither_rows_nor_machine(name, setting):
    held = json.loads(to_json(registry()[name](n_components=20, **setting).fit(X)))
    assert not {"device", "random_state"} & held["parameters"].keys()
    assert len(to_json(registry()[name](n_components=20, **setting).fit(X))) < 5000


def test_everything_learnt_is_declared():
    """Two maps of one seed that were fitted on different rows differ only in what `from_data` names."""
    other = np.random.default_rng(1).random((40, 16)) * 3
    for scheme in registry().values():
        one, two = (scheme(n_components=20).fit(rows) for rows in (X, other))
        again = from_json(to_json(one))
        for name in one.from_data:
            assert np.array_equal(getattr(again, name), getattr(one, name))
        if not one.from_data:
            assert np.array_equal(dense(one.transform(X)), dense(two.transform(X))), scheme.__name__


def test_names_of_columns_and_fresh_seeds_survive():
    frame = pytest.importorskip("pandas").DataFrame(X, columns=[f"c{i}" for i in range(16)])
    feature_map = registry()["RandomMaxout"](n_components=10, random_state=None).fit(frame)
    again = from_json(to_json(feature_map))
    assert list(again.feature_names_in_) == list(frame.columns)
    assert np.array_equal(again.transform(frame), feature_map.transform(frame))


GOOD = json.loads(to_json(registry()["RandomFourier"](n_components=10, gamma=np.ones(16)).fit(X)))


def broken(**changes):
    return json.dumps(GOOD | changes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        broken(format="other"),
        broken(scheme="os.system"),
        broken(seed="x"),
        broken(seed="-1"),
        broken(n_features=0),
        broken(n_features=True),
        broken(n_features=10**12),
        broken(learnt={}),
        broken(learnt={"gamma_": {"dtype": "object", "shape": [1], "base64": "gASV"}}),
        broken(learnt={"gamma_": {"dtype": "float64", "shape": [3], "base64": "AAAA"}}),
        broken(learnt={"gamma_": {"dtype": "float64", "shape": [1], "base64": "//////////8="}}),
        broken(parameters={"n_components": 10**15}),
        broken(parameters={"n_components": 3, "unknown": 1}),
        broken(parameters={"n_components": "many"}),
        broken(parameters=[1]),
        json.dumps({"format": GOOD["format"]}),
    ],
)
def test_what_is_no_map_is_refused(text):
    with pytest.raises(RfvizError) as caught:
        from_json(text)
    assert str(caught.value).strip().endswith((".", "?"))
