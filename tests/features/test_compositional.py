"""Compositional features: rows by brute force, equal ones kept once, nested, on both devices; bad skeletons."""

import json
import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import CompositionalFeatures, HybridCompositional
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.features.compositional import device_arrays
from rfviz.features.compositional_draws import CHUNK, COSINE, REAL, SINE, draw_chunk, draw_limit
from rfviz.skeleton import convolutions, flat, graph, preset
from tests.features.cases import drawn_weights
from tests.features.test_compositional_unbiased import BASE_FORMS, rows_for
from tests.kernels.test_compositional import MIXED, data

# --- rows -------------------------------------------------------------------------------------------------------------


def rows_of(feature_map):
    """Return each feature as a tuple that is equal for equal features."""
    ends, moduli = feature_map.ends_, feature_map.modulus_ends_
    return [
        (
            int(kind),
            tuple(feature_map.columns_[ends[i] : ends[i + 1]].tolist()),
            tuple(feature_map.multiples_[ends[i] : ends[i + 1]].tolist()),
            tuple(feature_map.modulus_columns_[moduli[i] : moduli[i + 1]].tolist()),
            tuple(feature_map.powers_[moduli[i] : moduli[i + 1]].tolist()),
        )
        for i, kind in enumerate(feature_map.kinds_)
    ]


def evaluate(feature_map, x):
    """Return the features of one sample, number by number, before their weights."""
    angles, moduli = np.zeros(len(x)), np.ones(len(x))
    for group in feature_map.skeleton_.inputs:
        base, d = group.base, group.base.dimension
        for first in range(group.columns.start, group.columns.stop, d):
            v = x[first : first + d]
            if base.kind == "sphere":
                z = v / np.linalg.norm(v)
                z = np.sqrt(d / 2) * (z + 1j * np.roll(z, -1))
                angles[first : first + d], moduli[first : first + d] = np.angle(z), np.abs(z)
            else:
                factor = {
                    "binary": np.pi,
                    "circle": 2 * np.pi * base.turn,
                    "gaussian": base.scale,
                    "categorical": 2 * np.pi / base.categories,
                }[base.kind]
                angles[first : first + d] = factor * ((v <= 0) if base.kind == "binary" else v)
    result = []
    for kind, columns, multiples, modulus_columns, powers in rows_of(feature_map):
        angle = sum(n * angles[c] for n, c in zip(multiples, columns, strict=True))
        radius = np.prod([moduli[c] ** p for c, p in zip(modulus_columns, powers, strict=True)])
        value = {COSINE: np.sqrt(2) * np.cos(angle), SINE: -np.sqrt(2) * np.sin(angle), REAL: np.cos(angle)}[kind]
        result.append(radius * value)
    return np.array(result)


@pytest.mark.parametrize("skeleton", [MIXED, preset("2 convolutions", (4, 4), shrink=True)], ids=repr)
@pytest.mark.parametrize("deduplicate", [False, True])
def test_by_brute_force(skeleton, deduplicate):
    X = data(4) if skeleton is MIXED else np.random.default_rng(0).random((4, 16))
    feature_map = CompositionalFeatures(
        700, skeleton=skeleton, deduplicate=deduplicate, dtype="float64", device="cpu"
    ).fit(X)
    features = feature_map.transform(X)
    weights = np.sqrt(feature_map.multiplicities_ / feature_map.n_draws_)
    for x, row in zip(X, features, strict=True):
        expected = weights * evaluate(feature_map, x)
        # Multiples of a step run into the millions; the digits of the cosine are those that the angle has left.
        largest = np.abs(feature_map.multiples_).max()
        np.testing.assert_allclose(row[: len(expected)], expected, rtol=0, atol=1e-13 + 1e-15 * largest)
        assert (row[len(expected) :] == 0).all()


@pytest.mark.parametrize("skeleton", ["flat", "deep", "2 convolutions", MIXED], ids=str)
@pytest.mark.parametrize("m", [1, 50, 3000])
def test_deduplication_is_a_dictionary(skeleton, m):
    X = data(2) if skeleton is MIXED else np.zeros((2, 36))
    kept = CompositionalFeatures(m, skeleton=skeleton, random_state=3, device="cpu").fit(X)
    total = kept.n_draws_
    raw = CompositionalFeatures(total + 1, skeleton=skeleton, random_state=3, deduplicate=False, device="cpu").fit(X)
    counts, all_rows = {}, rows_of(raw)
    for row in all_rows[:total]:
        counts[row] = counts.get(row, 0) + 1
    assert rows_of(kept) == list(counts)
    assert kept.multiplicities_.tolist() == list(counts.values())
    assert len(counts) == kept.n_different_ <= m
    # It stopped because the next one is new, or at the limit.
    assert all_rows[total] not in counts or total == draw_limit(m)
    assert (len(counts) == m) or total == draw_limit(m)


def test_equal_functions_are_equal_rows():
    # A few inputs and no heavy tail: every function that can come out does, so that two rows that are the same function
    # up to its sign would be found.
    inputs = [("binary", 1), ("circle", 1), ({"kind": "categorical", "categories": 4}, 1)]
    skeleton = graph(inputs, [({"kind": "series", "coefficients": [0.2, 0.3, 0.5]}, [0, 1, 2])])
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 200), rng.normal(size=200), rng.integers(0, 4, 200)])
    feature_map = CompositionalFeatures(200, skeleton=skeleton, dtype="float64", device="cpu").fit(X)
    (features,) = feature_map.transform_blocks(X, scaled=False)
    features = features[:, : feature_map.n_different_]
    # By hand: 1 and x; cosine and sine of θ and 2θ; 3 of the category; 2 of xθ, 3 of x and category; 6 of θ and it.
    assert feature_map.n_different_ == 20
    norms = np.linalg.norm(features, axis=0)
    assert norms.min() > 1.0
    cosines = np.abs(features.T @ features / np.outer(norms, norms))
    assert cosines[np.triu_indices(len(cosines), 1)].max() < 1 - 1e-9


def test_chunks_hold_what_one_draw_holds():
    rows = draw_chunk(preset("flat", (3, 3)), np.random.default_rng(0), 5)
    again = rows.take(np.array([4, 0, 2]))
    assert np.array_equal(again.keys(), rows.keys()[[4, 0, 2]])
    assert np.array_equal(type(rows).stack([rows, again]).keys(), np.concatenate([rows.keys(), again.keys()]))


# --- nested -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skeleton", [MIXED, "2 convolutions"], ids=str)
@pytest.mark.parametrize("deduplicate", [False, True])
@pytest.mark.parametrize("m", [1, 100, CHUNK + 1])
def test_prefix_is_fitting_with_fewer(skeleton, deduplicate, m):
    X = data(3) if skeleton is MIXED else np.random.default_rng(0).random((3, 64))
    settings = {"skeleton": skeleton, "deduplicate": deduplicate, "device": "cpu", "dtype": "float64"}
    prefix = CompositionalFeatures(10_000, **settings).fit(X).prefix(m)
    fitted = CompositionalFeatures(m, **settings).fit(X)
    np.testing.assert_array_equal(prefix.transform(X), fitted.transform(X))
    assert (prefix.n_draws_, prefix.n_different_) == (fitted.n_draws_, fitted.n_different_)
    expected, found = drawn_weights(fitted), drawn_weights(prefix)
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_unscaled_features_leave_the_weights_out():
    X = np.random.default_rng(0).random((5, 36))
    feature_map = CompositionalFeatures(300, skeleton="deep", dtype="float64", device="cpu").fit(X)
    (features,) = feature_map.transform_blocks(X, scaled=False)
    weights = np.sqrt(feature_map.multiplicities_ / feature_map.n_draws_)
    np.testing.assert_allclose(features * weights, feature_map.transform(X), rtol=0, atol=1e-14)
    assert weights.max() > 5 * weights.min()


def test_few_different_features_leave_zero_columns():
    feature_map = CompositionalFeatures(100, skeleton=flat(2, "identity"), device="cpu").fit(np.eye(2))
    assert (feature_map.n_different_, feature_map.n_draws_) == (4, draw_limit(100))
    features = feature_map.transform(np.eye(2))
    assert (features[:, 4:] == 0).all() and (features[:, :4] != 0).any()
    assert feature_map.prefix(50).transform(np.eye(2)).shape == (2, 50)
    assert len(feature_map.get_feature_names_out()) == 100


def test_deduplication_errs_less_with_as_many_features():
    X = np.random.default_rng(0).random((20, 64))
    errors = []
    for deduplicate in (False, True):
        maps = [
            CompositionalFeatures(2000, skeleton="deep", deduplicate=deduplicate, random_state=s) for s in range(20)
        ]
        kernel = maps[0].kernel(X)
        errors.append([np.abs((P := fm.fit_transform(X)) @ P.T - kernel).mean() for fm in maps])
    assert np.mean(errors[1]) < 0.5 * np.mean(errors[0])


# --- parameters and devices -------------------------------------------------------------------------------------------


def test_skeleton_as_name_object_form_and_text():
    X = np.random.default_rng(0).random((3, 36))
    skeleton = preset("1 convolution", (6, 6))
    expected = CompositionalFeatures(50, skeleton="1 convolution").fit_transform(X)
    for given in (skeleton, skeleton.form, skeleton.to_json(), json.loads(skeleton.to_json())):
        feature_map = CompositionalFeatures(50, skeleton=given).fit(X)
        assert np.array_equal(feature_map.transform(X), expected)
        copies = clone(feature_map).fit(X), pickle.loads(pickle.dumps(feature_map))
        assert all(np.array_equal(copy.transform(X), expected) for copy in copies)
    flat_ones = [CompositionalFeatures(50, skeleton=given).fit_transform(X) for given in (None, "flat")]
    assert np.array_equal(*flat_ones)


BAD = [
    ("5 convolutions", "skeleton must be one of 'flat', '1 convolution'"),
    (5, "skeleton must be one of"),
    (flat(9), "as many columns as the data have, 36; got 9"),
    ("{'image'", "must be JSON"),
    ({"image": [6, 6], "layers": [{"size": 7}]}, "must fit into the 6×6 nodes below it"),
    (convolutions((6, 6), [(2, 2, "relu")], "step"), "must have the activation 'step' only on nodes"),
]


@pytest.mark.parametrize(("skeleton", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_skeletons(skeleton, message):
    with pytest.raises(ParameterError, match=message):
        CompositionalFeatures(skeleton=skeleton).fit(np.zeros((2, 36)))


def test_bad_turn_and_category():
    with pytest.raises(ParameterError, match="turn must be a finite number greater than 0"):
        CompositionalFeatures(turn=0).fit(np.zeros((2, 4)))
    categories = CompositionalFeatures(10, skeleton=flat(2, "relu", {"kind": "categorical", "categories": 3}))
    categories.fit([[0, 1], [2, 0]])
    for bad in (3.0, -1.0, 0.5):
        for X in (np.array([[bad, 1.0]]), sparse.csr_matrix([[bad, 1.0]])):
            with pytest.raises(DataError, match="categorical input must be an integer from 0 to 2"):
                categories.transform(X)


def test_an_input_turns_as_far_as_is_said():
    X = np.random.default_rng(0).random((4, 16))
    settings = {"skeleton": "flat", "dtype": "float64", "random_state": 1}
    once = CompositionalFeatures(200, turn=0.25, **settings).fit(X)
    np.testing.assert_allclose(once.transform(X + 4.0), once.transform(X), rtol=0, atol=1e-12)
    twice = CompositionalFeatures(200, turn=0.5, **settings).fit(X)
    np.testing.assert_allclose(twice.transform(X / 2), once.transform(X), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("scheme", "skeleton"), [(CompositionalFeatures, "2 convolutions"), (HybridCompositional, "deep")]
)
def test_the_shape_of_an_image_can_be_told(scheme, skeleton):
    X = np.random.default_rng(0).random((4, 600))
    told = scheme(20, skeleton=skeleton, image_shape=(20, 30)).fit(X)
    assert told.skeleton_ == preset(skeleton, (20, 30, 1), {"kind": "circle", "turn": 0.5}, shrink=True)
    assert np.array_equal(clone(told).fit_transform(X), told.transform(X))
    with pytest.warns(
        UserWarning, match=r"600 columns are taken for images of 24 × 25. If they are others, give image"
    ):
        scheme(20, skeleton=skeleton).fit(X)
    with pytest.warns(UserWarning, match="768 columns are taken for images of 16 × 16 × 3"):
        scheme(20, skeleton=skeleton).fit(X[:, np.arange(768) % 600])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheme(20, skeleton=skeleton, image_shape=(16, 48)).fit(X[:, np.arange(768) % 600])
        scheme(20, skeleton="flat").fit(X)
        scheme(20, skeleton=skeleton).fit(X[:, :576])
    with pytest.raises(ParameterError, match=r"image_shape must .*600.*got \(20, 20\)"):
        scheme(20, skeleton=skeleton, image_shape=(20, 20)).fit(X)
    with pytest.raises(ParameterError, match="image_shape must be None for a skeleton of one's own"):
        scheme(20, skeleton=told.skeleton_, image_shape=(20, 30)).fit(X)


def test_whole_numbers_that_go_around_the_circle_are_told():
    pixels = np.random.default_rng(0).integers(0, 256, (30, 16))
    with pytest.warns(UserWarning, match=r"from 0 to 25\d, but with turn=0.5 values 2 apart are the same point"):
        CompositionalFeatures(20).fit(pixels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CompositionalFeatures(20).fit(pixels / 255.0)
        CompositionalFeatures(20).fit(pixels % 2)
        CompositionalFeatures(20, turn=0.5 / 255).fit(pixels)
        CompositionalFeatures(20).fit(3.0 * np.random.default_rng(0).standard_normal((30, 16)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scaled", [True, False])
def test_gpu_equals_host_for_all_bases(dtype, container, scaled, fake_gpu):
    # Without the step, whose multiples are beyond float32.
    nodes = [("relu", [0, 2, 4, 6, 8]), ("erf", [1, 3, 5, 7, 9, 10])]
    skeleton = graph([(b, 2) for b in BASE_FORMS[:4] + BASE_FORMS[5:]], nodes)
    X = rows_for(skeleton, n=30)
    maps = [CompositionalFeatures(500, skeleton=skeleton, dtype=dtype, device=d).fit(X) for d in ("cpu", "cuda")]
    host, gpu = (list(fm.transform_blocks(container(X), 12, scaled=scaled)) for fm in maps)
    assert all(isinstance(block, fake_gpu.ndarray) for block in gpu)
    tolerance = {"float32": 3e-4, "float64": 1e-10}[dtype]
    np.testing.assert_allclose(np.vstack([b.get() for b in gpu]), np.vstack(host), rtol=0, atol=tolerance)


def test_bytes_per_feature_and_refusal(monkeypatch):
    X = np.zeros((2, 576))
    feature_map = CompositionalFeatures(20_000, skeleton="2 convolutions").fit(X)
    stored = sum(array.nbytes for array in drawn_weights(feature_map).values())
    assert feature_map.bytes_per_feature_ == stored / 20_000 < 40
    assert feature_map.weight_bytes(576) == pytest.approx(stored)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.5")
    with pytest.raises(MemoryBudgetError, match="The largest n_components that fits is about"):
        CompositionalFeatures(10_000_000, skeleton="2 convolutions").fit(X)
    wide = flat(1, "relu", {"kind": "gaussian", "dimension": 100_000})
    with pytest.raises(MemoryBudgetError, match="Drawing features of this skeleton"):
        CompositionalFeatures(1, skeleton=wide).fit(np.zeros((1, 100_000)))


def test_entries_beyond_a_gpus_integers_are_refused():
    weights = {"ends_": np.array([0, 2**31]), "modulus_ends_": np.array([0])}
    with pytest.raises(MemoryBudgetError, match="2,147,483,648 entries; a GPU's kernel counts to 2,147,483,647"):
        device_arrays(weights, "float32")


def test_the_exact_kernel_is_computed_where_the_map_computes(fake_gpu):
    X, Y = data(9), data(5, seed=1)
    on_gpu, on_host = (CompositionalFeatures(10, skeleton=MIXED, device=d).fit(X) for d in ("cuda", "cpu"))
    for other in (None, Y):
        fake_gpu.memory.log.clear()
        found = on_gpu.kernel(X, other)
        assert isinstance(found, np.ndarray) and len(fake_gpu.memory.log)
        np.testing.assert_allclose(found, on_host.kernel(X, other), rtol=0, atol=1e-12)
    fake_gpu.memory.limit = 100
    with pytest.warns(DeviceFallbackWarning, match="computed on the CPU"):
        np.testing.assert_array_equal(on_gpu.kernel(X), on_host.kernel(X))
