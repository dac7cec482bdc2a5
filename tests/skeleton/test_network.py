"""Networks of a skeleton: their shapes, their kernel before learning, their gradients, and how they learn."""

import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfviz import kernels
from rfviz.errors import DataError, ParameterError, RfvizError
from rfviz.skeleton import (
    ARCHITECTURES,
    SkeletonNetwork,
    SkeletonNetworkClassifier,
    convolutions,
    flat,
    graph,
)


def test_without_pytorch_a_sentence_says_how_to_add_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(RfvizError, match=r"pip install 'rfviz\[torch\]'"):
        SkeletonNetwork(flat(2), 2)
    with pytest.raises(RfvizError, match="PyTorch"):
        SkeletonNetworkClassifier().fit(np.eye(4), [0, 1, 0, 1])


def needs_torch(function):
    return pytest.mark.skipif(not _has_torch(), reason="PyTorch is not installed; pip install torch adds it")(function)


def _has_torch():
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


# A graph with every kind of input that has points, in-edges from several layers, and nodes of several degrees.
MIXED = graph(
    [("circle", 2), ("binary", 1), ({"kind": "categorical", "categories": 3}, 1), ({"kind": "sphere"}, 1)],
    [("relu", [0, 1, 2]), ("relu", [2, 3, 4]), ("erf", [1, 4]), ("relu", [5, 6, 7, 0]), ("relu", [8, 3])],
)


def rows_of(skeleton, n, seed=0):
    rng = np.random.default_rng(seed)
    columns = []
    for group in skeleton.inputs:
        shape = n, group.count * group.base.dimension
        categorical = group.base.kind == "categorical"
        columns.append(rng.integers(0, group.base.categories, shape) if categorical else rng.normal(size=shape))
    return np.concatenate(columns, axis=1).astype(float)


@needs_torch
@pytest.mark.parametrize(("first", "second"), ARCHITECTURES)
def test_the_papers_parameters(first, second):
    """64 channels a node and 384 of the dense node; windows of the same layer share their weights."""
    q, places = ARCHITECTURES[first, second], (24 - first) // 2 + 1
    skeleton = convolutions((24, 24, 3), [(first, 2, "relu"), (second, 2, "relu")], components=q)
    network = SkeletonNetwork(skeleton, 10)
    above = (places - second) // 2 + 1
    shapes = {name: tuple(weight.shape) for name, weight in network.weights.items()}
    assert shapes == {
        "layer1": (2 * q, 64),
        "layer2": (second**2 * 64, 64),
        "layer3": (above**2 * 64, 384),
        "readout": (384, 10),
        "intercept": (10,),
    }
    X = rows_of(skeleton, 3)
    assert tuple(network(X).shape) == (3, 10) and tuple(network.represent(X).shape) == (3, 384)


@needs_torch
def test_a_stack_is_pytorchs_convolutions():
    import torch

    skeleton = convolutions((9, 8, 3), [((3, 2), 2, "relu"), (2, 1, "erf")], "relu", "circle")
    network = SkeletonNetwork(skeleton, 4, channels=5, top_channels=6, dtype="float64")
    X = rows_of(skeleton, 7)
    theta = np.pi * X.reshape(7, 9, 8, 3)  # half a turn for an input of 1
    image = torch.tensor(np.stack([np.cos(theta), np.sin(theta)], axis=-1).reshape(7, 9, 8, 6)).permute(0, 3, 1, 2)
    first, second, top = (network.weights[f"layer{i}"] for i in (1, 2, 3))
    kernel = first.reshape(3, 2, 6, 5).permute(3, 2, 0, 1)
    hidden = 2**0.5 * torch.relu(torch.nn.functional.conv2d(image, kernel, stride=2))
    kernel = second.reshape(2, 2, 5, 5).permute(3, 2, 0, 1)
    hidden = torch.erf(torch.nn.functional.conv2d(hidden, kernel)) / (2 / np.pi * np.arcsin(2 / 3)) ** 0.5
    dense = 2**0.5 * torch.relu(hidden.permute(0, 2, 3, 1).reshape(7, -1) @ top)
    scores = dense @ network.weights["readout"] + network.weights["intercept"]
    torch.testing.assert_close(network(X), scores, rtol=1e-10, atol=1e-12)


@needs_torch
def test_nodes_of_a_graph_have_weights_of_their_own():
    """Fan-in counts the coordinates of points (2, 1, 3, 3) and the channels of nodes."""
    network = SkeletonNetwork(MIXED, 2, channels=7, top_channels=11)
    shapes = [tuple(weight.shape) for name, weight in network.weights.items() if name.startswith("layer")]
    assert sorted(shapes) == sorted(
        [(1, 2 + 2 + 1, 7), (1, 1 + 3 + 3, 7), (1, 2 + 3, 7), (1, 7 + 7 + 7 + 2, 7), (1, 7 + 3, 11)]
    )
    twins = SkeletonNetwork(graph([("circle", 4)], [("relu", [0, 1]), ("relu", [2, 3]), ("relu", [4, 5])]), 2)
    assert [tuple(weight.shape) for weight in list(twins.weights.values())[:2]] == [(2, 4, 64), (1, 128, 384)]


# --- the theorem: in the limit of many channels, the kernel at initialisation is the skeleton's -----------------------

# Kernels of all pairs of rows are tested together; a test fails by chance once in ten thousand runs.
FALSE_ALARM = 1e-4
ONE_NODE = {
    "relu": "relu", "step": "step", "erf": "erf", "identity": "identity",
    "exponential": {"kind": "exponential", "scale": 0.25},
    "polynomial": {"kind": "polynomial", "degree": 2, "offset": 0.5},
    "series": {"kind": "series", "coefficients": [0.2, 0.3, 0.1, 0.4]},
}  # fmt: skip


def estimates(skeleton, X, seeds, channels, top_channels):
    """Return the conjugate kernels of networks, shape (seeds, pairs)."""
    pairs = np.triu_indices(len(X))
    found = []
    for seed in range(seeds):
        network = SkeletonNetwork(
            skeleton, 1, channels=channels, top_channels=top_channels, random_state=(seed, channels), dtype="float64"
        )
        top = network.represent(X).detach().numpy()
        found.append((top @ top.T / top_channels)[pairs])
    return np.array(found)


def assert_unbiased(found, expected):
    spread = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert spread.max() < 0.06  # so that an error of a third cannot hide
    z = (found.mean(axis=0) - expected) / np.where(spread > 0, spread, 1e-12)
    assert np.abs(z).max() < stats.t.isf(FALSE_ALARM / 2 / z.size, len(found) - 1)


@needs_torch
@pytest.mark.parametrize("name", ONE_NODE)
def test_one_node_has_the_dual_activation_exactly(name):
    """With inputs alone below it, the mean over networks is the kernel whatever the number of channels."""
    skeleton = flat(3, ONE_NODE[name])
    X = rows_of(skeleton, 5)
    found = estimates(skeleton, X, seeds=200, channels=1, top_channels=500)
    expected = kernels.compositional(X, skeleton=skeleton)[np.triu_indices(5)]
    assert_unbiased(found, expected)


DEEP = {
    "convolutions": convolutions((5, 5), [(3, 2, "relu"), (2, 1, "erf")], "relu"),
    "paper's deep": convolutions((7, 7), [(3, 2, {"kind": "exponential", "scale": 0.25}), (2, 1, "relu")], "relu"),
    "inputs of all kinds": MIXED,
}


@needs_torch
@pytest.mark.parametrize("name", DEEP)
def test_deep_networks_have_the_skeletons_kernel(name):
    """A network of c channels has a kernel that is off by O(1/c), so twice that of 2c less that of c by O(1/c²)."""
    skeleton = DEEP[name]
    X = rows_of(skeleton, 5)
    few, many = (estimates(skeleton, X, 100, channels, 1000) for channels in (64, 128))
    expected = kernels.compositional(X, skeleton=skeleton)[np.triu_indices(5)]
    assert_unbiased(2 * many - few, expected)


# --- learning ---------------------------------------------------------------------------------------------------------


@needs_torch
@pytest.mark.parametrize("skeleton", [MIXED, convolutions((4, 4), [(2, 1, "erf"), (2, 2, "relu")], "relu")], ids=repr)
def test_gradients_are_differences(skeleton):
    import torch

    network = SkeletonNetwork(skeleton, 3, channels=2, top_channels=3, dtype="float64")
    X, labels = rows_of(skeleton, 4), torch.tensor([0, 2, 1, 2])

    def loss():
        return torch.nn.functional.cross_entropy(network(X), labels)

    loss().backward()
    for weight in network.weights.values():
        numeric = torch.zeros_like(weight)
        with torch.no_grad():
            for i in np.ndindex(*weight.shape):
                value = weight[i].item()
                values = []
                for step in (1e-6, -1e-6):
                    weight[i] = value + step
                    values.append(loss().item())
                weight[i] = value
                numeric[i] = (values[0] - values[1]) / 2e-6
        torch.testing.assert_close(weight.grad, numeric, rtol=1e-5, atol=1e-8)


def exclusive_or(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, (n, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def small(**params):
    return SkeletonNetworkClassifier(**{"channels": 4, "top_channels": 32, "epochs": 30, "batch_size": 50} | params)


@needs_torch
def test_learns_what_no_linear_model_can():
    X, y = exclusive_or()
    network = small(learning_rate=0.1).fit(X, y)
    assert network.score(*exclusive_or(seed=1)) > 0.95
    curve = network.loss_curve_
    assert len(curve) == 30 * 6 and np.mean(curve[-6:]) < 0.3 * np.mean(curve[:6])


@needs_torch
def test_the_steps_are_those_of_pytorchs_adagrad():
    import torch

    X, y = exclusive_or(50)
    ours = small(epochs=3).fit(X, y)
    network = SkeletonNetwork(ours.skeleton_, 2, channels=4, top_channels=32, random_state=(ours.seed_, 0))
    optimizer = torch.optim.Adagrad(network.weights.parameters(), lr=ours.learning_rate)
    labels = torch.tensor((y == "same").astype(int))
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(X), labels).backward()
        optimizer.step()
    for name, weight in network.weights.items():
        np.testing.assert_allclose(ours.weights_[name], weight.detach().numpy(), rtol=1e-4, atol=1e-6)


class StoppedError(Exception):
    pass


def stop_after(share):
    def progress(done, text):
        if done >= share:
            raise StoppedError

    return progress


@needs_torch
def test_a_stopped_fit_goes_on_where_it_was(tmp_path):
    """In the middle of an epoch, and in another process by way of a file."""
    X, y = exclusive_or()
    whole = small(epochs=4).fit(X, y)
    stopped = small(epochs=4, warm_start=True)
    with pytest.raises(StoppedError):
        stopped.fit(X, y, progress=stop_after(0.4))
    assert len(stopped.loss_curve_) == 10  # of 4·6: within the second epoch
    stopped.save(tmp_path / "network.npz")
    other = clone(stopped).load(tmp_path / "network.npz")
    for network in (stopped, other):
        network.fit(X, y)
        assert network.loss_curve_ == whole.loss_curve_
        for name, weight in whole.weights_.items():
            np.testing.assert_array_equal(network.weights_[name], weight)
        np.testing.assert_array_equal(network.predict(X), whole.predict(X))


@needs_torch
def test_an_epoch_meets_each_row_once_in_an_order_of_its_own():
    """With steps too short to matter, batches of equal size have the mean loss of all rows."""
    first, second = np.reshape(small(epochs=2, learning_rate=1e-12).fit(*exclusive_or()).loss_curve_, (2, 6))
    assert first.mean() == pytest.approx(second.mean(), rel=1e-5) and not np.allclose(first, second, rtol=1e-3)


@needs_torch
def test_progress_counts_batches():
    told = []
    small(epochs=2).fit(*exclusive_or(100), progress=lambda share, text: told.append((share, text)))
    assert [share for share, _ in told] == [0.25, 0.5, 0.75, 1.0]
    assert told[-1][1].startswith("Epoch 2 of 2, loss ")


@needs_torch
def test_bad_files_and_data(tmp_path):
    X, y = exclusive_or(100)
    network = small(epochs=1).fit(X, y)
    file = tmp_path / "network.npz"
    network.save(file)
    with pytest.raises(DataError, match="other channels"):
        small(channels=5, top_channels=16).load(file)
    file.write_bytes(file.read_bytes()[:500])
    with pytest.raises(DataError, match="no network"):
        small().load(file)
    np.savez(file, classes=[1, 2])
    with pytest.raises(DataError, match="no network"):
        small().load(file)
    with pytest.raises(DataError, match="does not know"):
        network.set_params(warm_start=True, epochs=2).fit(X, np.where(y == "same", "same", "third"))
    with pytest.raises(DataError, match="two classes"):
        small().fit(X, np.zeros(100))
    with pytest.raises(ParameterError, match="as many columns"):
        small(skeleton=flat(3)).fit(X, y)
    with pytest.raises(ParameterError, match="Gaussian"):
        small(skeleton=flat(2, base={"kind": "gaussian", "dimension": 1})).fit(X, y)
    with pytest.raises(ParameterError, match="epochs"):
        small(epochs=0).fit(X, y)
    with pytest.raises(ParameterError, match="finite"):
        small(learning_rate=1e30).fit(X, y)


if _has_torch():

    @parametrize_with_checks([small(turn=0.1, epochs=15, learning_rate=0.1)])
    def test_scikit_learns_checks(estimator, check):
        check(estimator)
