"""Networks of a skeleton, in PyTorch: they learn the features that a compositional map draws. PyTorch is optional."""

from __future__ import annotations

import importlib
import math
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.backend import check_memory
from rfviz.errors import DataError, ParameterError, RfvizError
from rfviz.params import Param
from rfviz.progress import Progress, silent
from rfviz.skeleton.activations import Activation
from rfviz.skeleton.bases import Base
from rfviz.skeleton.builders import as_skeleton
from rfviz.skeleton.graph import Layer, Skeleton

__all__ = ["SkeletonNetwork", "SkeletonNetworkClassifier"]

_CHANNELS = Param("channels", 64, "int", low=1, high=1_000_000)
_TOP_CHANNELS = Param("top_channels", 384, "int", low=1, high=1_000_000)
# Rows that are classified at a time.
_BLOCK_ROWS = 512


@dataclass(frozen=True)
class _Block:
    """Nodes of a layer that take the same numbers of in-edges from the same sources: one matrix product.

    Attributes
    ----------
    parts : tuple of (source, places)
        A source is a group of inputs or a block below; `places`, of shape (n_nodes, edges), are nodes within it.
    scale : ndarray of shape (fan_in, 1)
        Standard deviation of the initial weights.
    shape : tuple of int
        Of the weights: (fan_in, channels), before that the number of nodes where they share none.
    """

    activation: Activation
    parts: tuple[tuple[int, np.ndarray], ...]
    scale: np.ndarray
    shape: tuple[int, ...]


class SkeletonNetwork:
    r"""Compute the network that replicates the nodes of a skeleton, as a differentiable function in PyTorch.

    Every inner node has `channels` neurons, the output node `top_channels`. A neuron is σ of a weighted sum of all
    neurons of the node's in-edges, without intercept; inputs are the points of their base spaces, on a circle
    (cos θ, sin θ). A linear function of the output node's neurons makes the scores. Nodes of a convolution share their
    weights; those of any other graph have their own.

    Initial weights are Gaussian with variance 1/(in-edges · neurons of a node), and σ is the function whose dual the
    skeleton's node has: √2·max(0, x) for the ReLU, √Σ aᵢ hᵢ(x) with the normalised Hermite polynomials hᵢ for a
    polynomial. So in the limit of many channels the mean product of the output node's neurons for two rows, the
    conjugate kernel of the network, is :func:`rfviz.kernels.compositional` of the skeleton.

    Parameters
    ----------
    skeleton : Skeleton
        Of any inputs but Gaussian ones, whose points have infinitely many coordinates.
    n_outputs : int
        Scores of a row.
    random_state : int or sequence of int
        Weights are drawn on the host: the same on every device.
    device : str
        Of PyTorch: ``"cpu"``, ``"cuda"``, …
    dtype : {"float32", "float64"}

    Attributes
    ----------
    weights : torch.nn.ParameterDict
        By the names ``layer1``, ``layer2``, …, from the inputs upwards, then ``readout`` and ``intercept``.

    Raises
    ------
    ParameterError, MemoryBudgetError
        For Gaussian inputs, and weights that do not fit.
    RfvizError
        If PyTorch is not installed.

    References
    ----------
    A. Daniely, R. Frostig, Y. Singer, "Toward Deeper Understanding of Neural Networks: The Power of Initialization and
    a Dual View on Expressivity", 2016.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        n_outputs: int,
        *,
        channels: int = 64,
        top_channels: int = 384,
        random_state: Any = 0,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        self._torch = _pytorch()
        self.skeleton, self.device, self.dtype = skeleton, device, dtype
        self._blocks = list(_blocks(skeleton, channels, top_channels))
        shapes = {f"layer{number}": block.shape for number, block in enumerate(self._blocks, 1)}
        shapes |= {"readout": (top_channels, n_outputs), "intercept": (n_outputs,)}
        needed = 4 * np.dtype(dtype).itemsize * sum(map(math.prod, shapes.values()))
        check_memory(needed, "cpu", "The weights of the network", "Use fewer channels, or a smaller skeleton.")
        generator = np.random.default_rng(random_state)
        scales = [*(block.scale for block in self._blocks), top_channels**-0.5, 0.0]
        self.weights = self._torch.nn.ParameterDict()
        for (name, shape), scale in zip(shapes.items(), scales, strict=True):
            self.weights[name] = self._torch.nn.Parameter(self._tensor(scale * generator.standard_normal(shape)))

    def __call__(self, X: np.ndarray) -> Any:
        """Compute the scores of the rows of `X`, a tensor of shape (n_samples, n_outputs)."""
        return self.represent(X) @ self.weights["readout"] + self.weights["intercept"]

    def represent(self, X: np.ndarray) -> Any:
        """Compute the neurons of the output node, a tensor of shape (n_samples, top_channels)."""
        torch = self._torch
        known = [self._tensor(_points(group.base, X[:, group.columns])) for group in self.skeleton.inputs]
        for number, block in enumerate(self._blocks, 1):
            taken = [
                known[source].index_select(1, self._tensor(places.ravel(), "int64")).reshape(len(X), len(places), -1)
                for source, places in block.parts
            ]
            below = torch.cat(taken, 2) if len(taken) > 1 else taken[0]
            weights = self.weights[f"layer{number}"]
            sums = below @ weights if weights.ndim == 2 else torch.einsum("nvi,vic->nvc", below, weights)
            known.append(_apply(torch, block.activation, sums))
        return known[-1][:, 0]

    def _tensor(self, values: np.ndarray, dtype: str = "") -> Any:
        return self._torch.as_tensor(np.ascontiguousarray(values, dtype=dtype or self.dtype)).to(self.device)


def _pytorch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise RfvizError(
            "Networks need PyTorch, which is not installed. Add it: pip install 'rfviz[torch]', or torch alone."
        ) from None


def _blocks(skeleton: Skeleton, channels: int, top_channels: int) -> Iterator[_Block]:
    source, place = np.empty((2, skeleton.n_nodes), dtype=np.int64)
    widths: list[int] = []
    for group in skeleton.inputs:
        nodes = slice(group.first, group.first + group.count)
        source[nodes], place[nodes] = len(widths), np.arange(group.count)
        widths.append(_width(group.base))
    n_groups = len(widths)
    for layer in skeleton.layers:
        width = top_channels if layer is skeleton.layers[-1] else channels
        for nodes, edges, pattern in _alike(layer, source):
            parts = [(int(s), place[edges[:, pattern == s]]) for s in np.unique(pattern)]
            # A point has norm 1; so has, in the mean, a neuron, of which a node has as many as its width.
            squares = [np.full(widths[s] * p.shape[1], 1 if s < n_groups else widths[s]) for s, p in parts]
            scale = 1.0 / np.sqrt(layer.degree * np.concatenate(squares)[:, None])
            own = () if skeleton.image_shape else (len(nodes),)
            yield _Block(layer.activation, tuple(parts), scale, (*own, len(scale), width))
            source[nodes], place[nodes] = len(widths), np.arange(len(nodes))
            widths.append(width)


def _alike(layer: Layer, source: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield nodes of a layer whose in-edges have the same sources: (nodes, their edges, the source of each edge)."""
    order = np.argsort(source[layer.edges], axis=1, kind="stable")
    edges = np.take_along_axis(layer.edges, order, axis=1)
    patterns, which = np.unique(source[edges], axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        chosen = np.flatnonzero(which.ravel() == number)
        yield layer.first + chosen, edges[chosen], pattern


def _width(base: Base) -> int:
    if base.kind == "gaussian":
        raise ParameterError(
            "skeleton",
            "must have no Gaussian inputs, whose points have infinitely many coordinates",
            base.to_form(),
            "Use the base 'circle' or 'sphere'.",
        )
    return {"binary": 1, "circle": 2, "categorical": base.categories}.get(base.kind, base.dimension)


def _points(base: Base, X: np.ndarray) -> np.ndarray:
    """Return vectors whose products are the base space's kernel, shape (n_samples, n_inputs, width)."""
    base.check(X)
    if base.kind == "categorical":
        return np.eye(base.categories)[X.astype(np.int64)]
    return np.stack([part.T for part in base.prepare(np, X.T)], axis=-1)


def _apply(torch: Any, activation: Activation, z: Any) -> Any:
    """Apply the function σ with E σ(z)² = 1 and E σ(z)σ(z') = σ̂(ρ) for Gaussian z, z' of correlation ρ."""
    if activation.kind == "relu":
        return math.sqrt(2.0) * torch.relu(z)
    if activation.kind == "step":
        return math.sqrt(2.0) * (z > 0).to(z.dtype)
    if activation.kind == "erf":
        return torch.erf(z) / math.sqrt(2.0 / math.pi * math.asin(2.0 / 3.0))
    if activation.kind == "exponential":
        return torch.exp(math.sqrt(activation.scale) * z - activation.scale)
    before, now, total = torch.zeros_like(z), torch.ones_like(z), torch.zeros_like(z)
    for i, coefficient in enumerate(activation.head()):
        total = total + math.sqrt(coefficient) * now
        before, now = now, (z * now - math.sqrt(i) * before) / math.sqrt(i + 1)
    return total


class SkeletonNetworkClassifier(ClassifierMixin, BaseEstimator):
    """Learn classes with a :class:`SkeletonNetwork`, by AdaGrad on the cross-entropy.

    What :class:`rfviz.features.CompositionalFeatures` of the same skeleton approximate is this network's kernel before
    it has learnt. Needs PyTorch: ``pip install 'rfviz[torch]'``.

    A fit that `progress` stops by an exception keeps its weights so far. With ``warm_start`` the next
    fit continues from the same batch, as if it had not been stopped, and `epochs` counts all passes together; rows may
    be others then, of the same number, such as random crops of the same images. :meth:`save` and :meth:`load` carry
    this over to another process.

    Parameters
    ----------
    skeleton : str, Skeleton, mapping or None
    turn : float
        See :class:`rfviz.features.CompositionalFeatures`.
    channels : int
        Neurons of a node.
    top_channels : int
        Neurons of the output node.
    epochs : int
        Passes over the rows, each in a new order.
    batch_size : int
        Rows of a step.
    learning_rate : float
        Of AdaGrad.
    warm_start : bool
        Whether `fit` continues from the weights of the last fit.
    random_state : int, RandomState or None
        Of the initial weights and the order of the rows.
    device : str
        Of PyTorch: ``"cpu"``, ``"cuda"``, …

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
    weights_ : dict of str to ndarray
        By layer: see :class:`SkeletonNetwork`.
    squares_ : dict of str to ndarray
        Sums of squared gradients, of AdaGrad.
    loss_curve_ : list of float
        Mean loss of each batch before it was learnt.

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017.
    J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011.
    """

    params: ClassVar[tuple[Param, ...]] = (
        Param("turn", 0.5, "float", low=0.0, open_low=True, high=1e6),
        _CHANNELS,
        _TOP_CHANNELS,
        Param("epochs", 20, "int", low=1),
        Param("batch_size", 128, "int", low=1),
        Param("learning_rate", 0.005, "float", low=0.0, open_low=True),
        Param("warm_start", False, "bool"),
    )

    def __init__(
        self,
        skeleton: Any = None,
        *,
        turn: float = 0.5,
        channels: int = 64,
        top_channels: int = 384,
        epochs: int = 20,
        batch_size: int = 128,
        learning_rate: float = 0.005,
        warm_start: bool = False,
        random_state: Any = 0,
        device: str = "cpu",
    ) -> None:
        self.skeleton = skeleton
        self.turn = turn
        self.channels = channels
        self.top_channels = top_channels
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.warm_start = warm_start
        self.random_state = random_state
        self.device = device

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def fit(self, X: Any, y: Any, progress: Progress = silent) -> SkeletonNetworkClassifier:
        """Learn from all rows, until `epochs` passes are done.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        progress : callable, optional
            ``progress(share done, text)`` after each batch; may raise to stop.

        Returns
        -------
        self

        Raises
        ------
        DataError, ParameterError, MemoryBudgetError
            For a single class, targets that are not classes, a parameter that breaks its rule, a learning rate that
            makes the loss overflow, weights that do not fit; with ``warm_start``, for a new class.
        RfvizError
            If PyTorch is not installed.
        """
        for param in self.params:
            param.validate(getattr(self, param.name))
        goes_on = self.warm_start and hasattr(self, "weights_")
        X, y = validate_data(self, X, y, reset=not goes_on, dtype=[np.float64, np.float32])
        classes = self.classes_ if goes_on else _classes(y)
        if not np.isin(y, classes).all():
            raise DataError(f"y holds classes that the network does not know; it knows {classes}. Leave them out.")
        if not goes_on:
            skeleton = as_skeleton(self.skeleton, X.shape[1], self.turn)
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            network = self._network(skeleton, len(classes), seed)
            self.classes_, self.skeleton_, self.seed_, self.loss_curve_ = classes, skeleton, seed, []
            self.weights_ = {name: weight.detach().cpu().numpy() for name, weight in network.weights.items()}
            self.squares_ = {name: np.zeros_like(weight) for name, weight in self.weights_.items()}
        self._learn(X, np.searchsorted(classes, y), progress)
        return self

    def _learn(self, X: np.ndarray, labels: np.ndarray, progress: Progress) -> None:
        torch, network = _pytorch(), self._restored()
        squares = {name: torch.tensor(values, device=self.device) for name, values in self.squares_.items()}
        targets = torch.as_tensor(labels, dtype=torch.int64, device=self.device)
        batches = -(-len(X) // self.batch_size)
        parts: list[np.ndarray] = []
        try:
            for step in range(len(self.loss_curve_), self.epochs * batches):
                epoch, batch = divmod(step, batches)
                if not parts or batch == 0:
                    # The order belongs to the epoch, so that a fit that goes on finds it again.
                    order = np.random.default_rng((self.seed_, epoch + 1)).permutation(len(X))
                    parts = np.array_split(order, batches)
                rows = parts[batch]
                loss = torch.nn.functional.cross_entropy(network(X[rows]), targets[torch.as_tensor(rows)])
                value = float(loss.detach())
                if not math.isfinite(value):
                    rule = "must keep the loss finite"
                    raise ParameterError("learning_rate", rule, self.learning_rate, "Use a smaller one.")
                loss.backward()
                self._descend(torch, network.weights, squares)
                self.loss_curve_.append(value)
                progress((step + 1) / (self.epochs * batches), f"Epoch {epoch + 1} of {self.epochs}, loss {value:.3g}")
        finally:
            self.weights_ = {name: weight.detach().cpu().numpy() for name, weight in network.weights.items()}
            self.squares_ = {name: values.cpu().numpy() for name, values in squares.items()}

    def _descend(self, torch: Any, weights: Any, squares: dict[str, Any]) -> None:
        """Take a step of AdaGrad."""
        with torch.no_grad():
            for name, weight in weights.items():
                squares[name].addcmul_(weight.grad, weight.grad)
                weight.addcdiv_(weight.grad, squares[name].sqrt().add_(1e-10), value=-self.learning_rate)
                weight.grad = None

    def _network(self, skeleton: Skeleton, n_classes: int, seed: int) -> SkeletonNetwork:
        sizes: dict[str, Any] = {"channels": self.channels, "top_channels": self.top_channels}
        return SkeletonNetwork(skeleton, n_classes, **sizes, random_state=(seed, 0), device=self.device)

    def _restored(self) -> SkeletonNetwork:
        """Return the network with the fitted weights."""
        network = self._network(self.skeleton_, len(self.classes_), self.seed_)
        torch = _pytorch()
        network.weights.load_state_dict({name: torch.tensor(values) for name, values in self.weights_.items()})
        return network

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples, k); for two classes of shape (n_samples,), positive for the second."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        network = self._restored()
        with _pytorch().no_grad():
            blocks = [network(X[start : start + _BLOCK_ROWS]) for start in range(0, len(X), _BLOCK_ROWS)]
        scores = np.concatenate([block.cpu().numpy() for block in blocks])
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Predict the label with the largest score, shape (n_samples,)."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def save(self, path: str | Path) -> None:
        """Write the fitted state to an .npz file of arrays, without pickle."""
        check_is_fitted(self)
        arrays = {f"weights_{name}": values for name, values in self.weights_.items()}
        arrays |= {f"squares_{name}": values for name, values in self.squares_.items()}
        classes = np.array(self.classes_.tolist())  # text as characters, not as Python's objects
        form = np.array(self.skeleton_.to_json())
        np.savez(path, classes=classes, skeleton=form, seed=self.seed_, loss_curve=self.loss_curve_, **arrays)

    def load(self, path: str | Path) -> SkeletonNetworkClassifier:
        """Read what :meth:`save` wrote of a classifier with the same `channels` and `top_channels`.

        Raises
        ------
        DataError
            If the file is none of these.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
            skeleton, classes, seed = Skeleton(str(found["skeleton"])), found["classes"], int(found["seed"])
            curve = [float(loss) for loss in found["loss_curve"]]
            fresh = self._network(skeleton, len(classes), seed).weights
            learnt = {part: {name: found[f"{part}_{name}"] for name in fresh} for part in ("weights", "squares")}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
            raise DataError(f"{Path(path).name} holds no network that was saved ({error}).") from None
        for arrays in learnt.values():
            wrong = [name for name, values in arrays.items() if values.shape != tuple(fresh[name].shape)]
            if wrong:
                raise DataError(f"{Path(path).name} has other channels: {wrong[0]} {arrays[wrong[0]].shape}.")
        self.weights_, self.squares_ = learnt["weights"], learnt["squares"]
        self.skeleton_, self.classes_, self.seed_, self.loss_curve_ = skeleton, classes, seed, curve
        self.n_features_in_ = skeleton.n_columns
        return self


def _classes(y: Any) -> np.ndarray:
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise DataError(str(error)) from None
    classes = np.unique(y)
    if len(classes) < 2:
        raise DataError(f"Classification needs at least two classes; y holds 1 class, {classes[0]}. Use other data.")
    return classes
