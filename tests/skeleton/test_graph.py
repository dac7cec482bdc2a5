"""Skeletons: shapes, JSON, complexity, presets, and what is refused."""

import copy
import json
import pickle

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.skeleton import PRESETS, Skeleton, as_skeleton, convolutions, flat, graph, image_shape_of, preset
from rfviz.skeleton import compile as compile_module

MIXED = graph(
    [("circle", 2), ({"kind": "gaussian", "dimension": 2}, 1), ("binary", 1), ({"kind": "sphere", "dimension": 3}, 1)],
    [("relu", [6, 2]), ("identity", [0, 1, 1, 3]), ("relu", [5, 6, 4]), ({"kind": "polynomial", "degree": 2}, [7])],
)


def test_convolution_windows_by_hand():
    skeleton = convolutions((4, 5, 2), [((2, 3), 2, "relu")])
    (layer, top) = skeleton.layers
    assert layer.edges.shape == (4, 12) and top.edges.shape == (1, 4)
    for node, (row, column) in enumerate([(0, 0), (0, 2), (2, 0), (2, 2)]):
        seen = {((row + i) * 5 + column + j) * 2 + c for i in range(2) for j in range(3) for c in range(2)}
        assert set(layer.edges[node].tolist()) == seen
    assert top.edges.tolist() == [[40, 41, 42, 43]]


def test_the_papers_deep_skeleton():
    skeleton = preset("deep", (24, 24, 3))
    assert [layer.edges.shape for layer in skeleton.layers] == [(100, 75), (16, 16), (1, 16)]
    assert [layer.activation.kind for layer in skeleton.layers] == ["exponential", "relu", "relu"]
    assert (skeleton.n_inputs, skeleton.n_columns, skeleton.n_nodes) == (1728, 1728, 1845)
    assert skeleton.n_edges == 7500 + 256 + 16
    assert skeleton.complexity == pytest.approx(0.25)


def test_any_graph_is_put_in_order():
    skeleton = MIXED
    assert skeleton.n_columns == 2 + 2 + 1 + 3
    assert [g.column for g in skeleton.inputs] == [0, 2, 4, 5]
    for layer in skeleton.layers:
        assert (layer.edges < layer.first).all()
    assert len(skeleton.layers[-1].edges) == 1


def recursive_complexity(form):
    from rfviz.skeleton import activation

    n_inputs = sum(g.get("count", 1) for g in form["inputs"])

    def paths(v):
        if v < n_inputs:
            return 1.0
        node = form["nodes"][v - n_inputs]
        return activation(node["activation"]).slope * np.mean([paths(u) for u in node["in"]])

    used = {u for node in form["nodes"] for u in node["in"]}
    return paths(next(v for v in range(n_inputs, n_inputs + len(form["nodes"])) if v not in used))


def test_complexity_by_recursion():
    assert MIXED.complexity == pytest.approx(recursive_complexity(MIXED.form))
    assert preset("2 convolutions", (24, 24)).complexity == pytest.approx(1.0)
    assert flat(5, "step").complexity == np.inf


@pytest.mark.parametrize("skeleton", [MIXED, preset("3 convolutions", (24, 24)), flat(7, "erf", "binary")], ids=repr)
def test_value_semantics(skeleton):
    again = Skeleton(skeleton.to_json())
    assert again == skeleton and hash(again) == hash(skeleton)
    assert Skeleton(json.loads(skeleton.to_json())) == skeleton
    assert pickle.loads(pickle.dumps(skeleton)) == skeleton == copy.deepcopy(skeleton)
    assert skeleton != flat(8) and skeleton != "flat"
    for ours, theirs in zip(skeleton.layers, again.layers, strict=True):
        assert np.array_equal(ours.edges, theirs.edges)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 7, 12, 48, 49, 63, 64, 97, 576, 784, 1728, 10_304])
def test_presets_fit_any_number_of_columns(name, n_features):
    skeleton = as_skeleton(name, n_features, turn=0.3)
    assert skeleton.n_columns == n_features
    assert skeleton.inputs[0].base.turn == 0.3


@pytest.mark.parametrize(
    ("n", "shape"), [(576, (24, 24, 1)), (1728, (24, 24, 3)), (10_304, (92, 112, 1)), (7, (1, 7, 1)), (3, (1, 3, 1))]
)
def test_image_shape_of(n, shape):
    assert image_shape_of(n) == shape


def test_windows_that_shrink():
    skeleton = preset("2 convolutions", (3, 7), shrink=True)
    assert [layer.edges.shape[1] for layer in skeleton.layers] == [15, 2, 1]
    with pytest.raises(ParameterError, match=r"size must fit into the 3×7 nodes below it; got 5. Use a smaller window"):
        preset("2 convolutions", (3, 7))


INPUT = [{"base": "circle", "count": 2}]
BAD = [
    ("{not json", "must be JSON"),
    ({}, "must be an object with 'image'"),
    ([1], "must be an object with 'image'"),
    ({"image": [4, 4], "extra": 1}, "has the parts image, base, layers, top; got 'extra'"),
    ({"image": [0, 4]}, "image must be an integer from 1"),
    ({"image": 5}, "image must be"),
    ({"image": [2000, 2000]}, "must have at most 1,000,000 nodes"),
    ({"image": [900, 900], "layers": [{"size": 800}]}, "must have at most 50,000,000 edges"),
    ({"image": [4, 4], "layers": [{"size": 5}]}, "must fit into the 4×4 nodes below it"),
    ({"image": [9, 9], "layers": [{"size": 2, "stride": 4}]}, r"stride must leave no gaps .* at most"),
    ({"image": [4, 4], "layers": [{"stride": 5}]}, "must be an object with size"),
    ({"image": [4, 4], "layers": [{"size": 2, "pad": 1}]}, "has size, stride and activation; got 'pad'"),
    ({"image": [4, 4], "base": "torus"}, "base must have a kind among 'binary'"),
    ({"image": [4, 4], "base": {"kind": "sphere", "dimension": 2}}, "dimension must be an integer from 3"),
    ({"inputs": INPUT, "nodes": []}, "exactly one node without out-edges"),
    ({"inputs": INPUT, "nodes": [{"activation": "relu", "in": [0]}]}, "exactly one node .*got '1, 2'"),
    ({"inputs": INPUT, "nodes": [{"activation": "relu", "in": [0, 1, 3]}, {"activation": "relu", "in": [2]}]}, "cycle"),
    ({"inputs": INPUT, "nodes": [{"activation": "relu", "in": [0, 1, 2]}]}, "must have no cycle"),
    ({"inputs": INPUT, "nodes": [{"activation": "relu", "in": []}]}, "non-empty list of in-edges"),
    ({"inputs": INPUT, "nodes": [{"activation": "relu", "in": [9]}]}, "nodes from 0 to 2; got 9"),
    ({"inputs": [], "nodes": []}, "at least one base space"),
    ({"inputs": [{"base": "circle", "count": 1}], "nodes": []}, "an inner node as its output"),
]


@pytest.mark.parametrize(("form", "message"), BAD, ids=[message for _, message in BAD])
def test_what_is_no_skeleton_is_refused(form, message):
    with pytest.raises(ParameterError, match=message):
        Skeleton(form)


def test_enormous_requests_are_refused_before_memory_is_taken(monkeypatch):
    monkeypatch.setattr(compile_module, "_windows", lambda *args: pytest.fail("windows were made"))
    with pytest.raises(ParameterError, match="edges"):
        convolutions((900, 900), [(800, 1, "relu")])


def test_features_that_cannot_be_drawn():
    deep_step = convolutions((4, 4), [(2, 2, "relu")], top="step")
    with pytest.raises(ParameterError, match="'step' only on nodes whose in-edges all come from inputs"):
        deep_step.check_sampling()
    convolutions((4, 4), [(2, 2, "step")], top="relu").check_sampling()
    high = {"kind": "polynomial", "degree": 500}
    with pytest.raises(ParameterError, match="at most 10,000 expected paths a feature; got 250000"):
        convolutions((4, 4), [(2, 2, high)], top=high).check_sampling()


def test_wrong_number_of_columns():
    with pytest.raises(ParameterError, match="as many columns as the data have, 8; got 7"):
        as_skeleton(flat(7), 8)
