"""The hybrid baseline for compositional kernels: random paths down to a patch, there random Fourier features."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rfviz import bounds, kernels
from rfviz.backend import Device, check_memory, matmul
from rfviz.errors import ParameterError
from rfviz.features.blocks import Scratch
from rfviz.features.compositional import TURN, SkeletonMap
from rfviz.features.compositional_draws import CHUNK, reached_inputs
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import BY_COLUMN, Look, ProductLaw, Step, number, projection_step, scaled_step
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.precision import large_phases
from rfviz.params import Param, parameter
from rfviz.skeleton import PRESETS, as_skeleton, graph

if TYPE_CHECKING:
    from rfviz.skeleton import Skeleton

__all__ = [
    "HybridCompositional",
    "above_patches",
    "patch_paths",
]

_NORMAL_STREAM, _PHASE_STREAM, _PATH_STREAM = 0, 1, 2


class HybridCompositional(SkeletonMap):
    r"""Cosines of Gaussian projections of the patches that random paths through a skeleton end at.

    .. math:: \Phi(x)_\ell = \sqrt{2/m}\,\cos\Bigl(\sum_k \langle w_{\ell k}, \varphi_{\ell k}(x) \rangle
        + b_\ell\Bigr), \qquad w \sim N(0, sI), \; b \sim U[0, 2\pi)

    A feature walks down the skeleton as :class:`rfviz.features.CompositionalFeatures` do, but stops at the nodes of the
    bottom layer. There, with the activation e^{s(ρ−1)} over circles, the kernel is a Gaussian one of γ = s/2 on the
    patch's embedding φ = (cos θ, sin θ)/√(inputs of the patch), of unit length, so that its random feature is that of
    Rahimi and Recht; a product of such features adds their angles. A flat skeleton has one patch, the whole input:
    these are just the random Fourier features of the embedding. A feature whose paths end before a patch is 1, whatever
    the data.

    Its kernel is that of the skeleton, :func:`rfviz.kernels.compositional`.

    Cost: O(n·m·2d) over a flat skeleton of d inputs, O(n·m·2k) on average over patches of k inputs and ReLUs. Caveat:
    numbers are dense within patches, where compositional features read a few inputs; none are ever equal.

    **Inputs.** As for :class:`rfviz.features.CompositionalFeatures`: the value v of a column has the angle 2π·turn·v.

    Parameters
    ----------
    n_components : int
        Number of features m; best even where `paired`.
    skeleton : str, Skeleton, mapping or None
        ``"flat"`` or ``"deep"``, of the image that the columns make (:func:`rfviz.skeleton.as_skeleton`); or any
        skeleton, or its JSON form, with a bottom layer of exponential nodes over circles.
    turn : float
        For presets: part of a full turn that an input of 1 makes.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows, for presets; by default as square as their number of columns allows.
    paired : bool
        Whether features come as pairs (cos, sin) of one angle rather than as cos(· + b), as in
        :class:`rfviz.features.RandomFourier`; an odd number of them ends in a cosine without its sine, a bias of
        O(1/m).
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    skeleton_ : Skeleton
    ends_ : ndarray of shape (n_angles + 1,)
        Angle i adds the projections of the patches from ``ends_[i]`` to ``ends_[i + 1]``; there is one angle for each
        feature or for each pair.
    nodes_ : ndarray of shape (n_patches,)
        Nodes of the bottom layer, from 0.
    weights_ : ndarray of shape (n_patches, 2·inputs of a patch)
        For the cosines, then the sines. A patch that several paths of a feature end at has the sum of their weights.
    phases_ : ndarray of shape (n_components,)
        Only without pairs.
    seed_ : int

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017, Section 6.
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007.
    """

    label = "Hybrid compositional"
    look = Look("#a3572b", "dashdot", "pentagon")
    _law_missing = BY_COLUMN
    summary = "A random path to one patch of the image, then random Fourier features of it: a baseline."
    formula = (
        r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\cos\bigl(\textstyle\sum_k\langle w_{\ell k},\varphi_{\ell k}(x)\rangle"
        r"+b_\ell\bigr),\quad w\sim\mathcal N(0,sI)"
    )
    cost = "O(n·m·patch)"
    reference = "Daniely, Frostig, Gupta, Singer 2017"
    rank = 110
    feature_norm = float(np.sqrt(2.0))
    plane_params: ClassVar[Mapping[str, Any]] = {
        "skeleton": '{"inputs": [{"base": {"kind": "circle", "turn": 0.1}, "count": 2}], '
        '"nodes": [{"activation": {"kind": "exponential", "scale": 6.0}, "in": [0]}, '
        '{"activation": {"kind": "exponential", "scale": 6.0}, "in": [1]}, {"activation": "relu", "in": [2, 3]}]}'
    }
    skeleton: Any = parameter(
        default="flat",
        kind="choice",
        choices=("flat", "deep"),
        label="Skeleton",
        help="One patch, the whole input (flat: random Fourier features), or patches under two convolutions.",
    )
    turn: float = TURN
    image_shape: Sequence[int] | None = None
    paired: bool = parameter(
        default=False,
        kind="bool",
        label="Cos/sin pairs",
        help="Pairs (cos, sin) of one angle instead of cos(·+b): lower variance where the kernel is not small.",
    )
    _weights = ("ends_", "nodes_", "weights_", "phases_")
    unit_scale = float(np.sqrt(2.0))

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _check_param(self, param: Param, value: Any) -> Any:
        # Other presets are refused where their activation is known, in a sentence that says why.
        if param.name == "skeleton" and isinstance(value, str) and value in PRESETS:
            return value
        return super()._check_param(param, value)

    def _skeleton_for(self, n_features: int) -> Skeleton:
        return _checked(super()._skeleton_for(n_features))

    def _angles(self, n_components: int) -> int:
        return -(-n_components // 2) if self.paired else n_components

    def _numbers_per_feature(self, n_features: int) -> int:
        """Return the expected number of weights of a feature."""
        skeleton = self._skeleton_for(n_features)
        bottom, (above, _) = skeleton.layers[0], above_patches(skeleton)
        patches = 1.0 if above is None else min(above.complexity, above.n_inputs)
        per_angle = 2 * bottom.degree * patches + 1
        return int(np.ceil(per_angle / (2 if self.paired else 1)))

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, angles = self.n_components, self._angles(self.n_components)
        phases = 0 if self.paired else m
        numbers = self._numbers_per_feature(n_features) * m - phases
        if self._is_drawn_for(n_features):
            numbers = self.weights_.size
        # Both coordinates of every input's point on its circle, then the features.
        others = n_samples * (n_features * (1 + 2 * FUNCTION) + m * (FUNCTION + 1) + phases)
        return Counts(2 * n_samples * numbers, others, self._stored_bytes(n_features, numbers + phases, 2 * angles))

    def _draw(self, n_features: int) -> None:
        super()._draw(n_features)
        bottom, n_angles = self.skeleton_.layers[0], self._angles(self.n_components)
        angle, self.nodes_, count = patch_paths(self.skeleton_, self.seed_, n_angles)
        self.ends_ = np.concatenate([[0], np.cumsum(np.bincount(angle, minlength=n_angles))])
        shape = len(self.nodes_), 2 * bottom.degree
        check_memory(
            shape[0] * shape[1] * np.dtype(self.dtype).itemsize, "cpu", "The weights drawn", "Choose fewer features."
        )
        self.weights_ = standard_normal(self.seed_, _NORMAL_STREAM, out=np.empty(shape, dtype=self.dtype))
        # The weights of `count` paths to one patch are a sum of as many independent normals.
        self.weights_ *= np.sqrt(count * (bottom.activation.scale / bottom.degree)).astype(self.dtype)[:, None]
        if not self.paired:
            phases = np.empty((self.n_components, 1), dtype=self.dtype)
            self.phases_ = uniform(self.seed_, _PHASE_STREAM, 2.0 * np.pi, out=phases)[:, 0]

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        ends = self.ends_[: self._angles(n_components) + 1]
        sliced = {"ends_": ends, "nodes_": self.nodes_[: ends[-1]], "weights_": self.weights_[: ends[-1]]}
        return sliced if self.paired else sliced | {"phases_": self.phases_[:n_components]}

    # --- mapping ------------------------------------------------------------------------------------------------------

    def _block_weights(self, device: Device) -> dict[str, Any]:
        if self.paired:
            return {"weights": self.weights_}
        # A wave that is constant over all data needs no second quadrature: 1, without the √2.
        constant = np.diff(self.ends_) == 0
        amplitude = np.where(constant, np.sqrt(0.5), 1.0).astype(self.dtype)
        return {"weights": self.weights_, "phases": np.where(constant, 0, self.phases_), "amplitude": amplitude}

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        X = X.toarray() if hasattr(X, "indptr") else X
        n_angles = len(self.ends_) - 1
        angles = scratch.like(out[:, :n_angles].T)
        self._project(xp, self._embedded(xp, X), weights["weights"], angles)
        factor = out.dtype.type(scale)
        if self.paired:
            out[:, ::2] = xp.cos(angles).T
            out[:, 1::2] = xp.sin(angles[: self.n_components // 2]).T
            out *= factor
            return
        angles += weights["phases"][:, None]
        xp.cos(angles, out=angles)
        angles *= (weights["amplitude"] * factor)[:, None]
        out[...] = angles.T

    def _embedded(self, xp: Any, X: Any) -> Any:
        """Return the cosines of all inputs, then their sines: shape (2·inputs, n_samples)."""
        n_inputs = self.skeleton_.n_inputs
        embedded = xp.empty((2 * n_inputs, len(X)), dtype=X.dtype)
        for group in self.skeleton_.inputs:
            angles, _ = group.base.angles(xp, X[:, group.columns].T)
            embedded[group.first : group.first + group.count] = xp.cos(angles)
            embedded[n_inputs + group.first : n_inputs + group.first + group.count] = xp.sin(angles)
        return embedded

    def _project(self, xp: Any, embedded: Any, W: Any, angles: Any) -> None:
        """Write the angles of all features: one matrix product for each node of the bottom layer."""
        edges = self.skeleton_.layers[0].edges
        rows = np.concatenate([edges, edges + self.skeleton_.n_inputs], axis=1)
        counts = np.diff(self.ends_)
        if len(edges) == 1 and (counts == 1).all():
            here = embedded[xp.asarray(rows[0])]
            matmul(xp, W, here, out=angles, exact=large_phases(xp, here.T, W))
            return
        angles[...] = 0.0
        feature = np.repeat(np.arange(len(counts)), counts)
        order = np.argsort(self.nodes_, kind="stable")
        first = np.searchsorted(self.nodes_[order], np.arange(len(edges) + 1))
        for node in np.flatnonzero(np.diff(first)):
            here = order[first[node] : first[node + 1]]
            # No feature has the same patch twice, so that none is added to twice.
            own, inputs = W[xp.asarray(here)], embedded[xp.asarray(rows[node])]
            exact = large_phases(xp, inputs.T, own)
            angles[xp.asarray(feature[here])] += matmul(xp, own, inputs, exact=exact)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        angle, is_sine = (feature // 2, feature % 2 == 1) if self.paired else (feature, False)
        embedded, steps = self._embedded(np, x.astype(np.float64)[None])[:, 0], []
        for k, place in enumerate(range(int(self.ends_[angle]), int(self.ends_[angle + 1])), 1):
            inputs = self.skeleton_.layers[0].edges[self.nodes_[place]]
            own = embedded[np.concatenate([inputs, inputs + self.skeleton_.n_inputs])]
            first, last = (self._input_name(int(end)) for end in (inputs[0], inputs[-1]))
            words = f"Project the cosines and sines of the patch from {self._input_kind()} {first} to {last}."
            found = projection_step(self.weights_[place], own, rf"\langle w_{{{k}}},\varphi_{{{k}}}(x)\rangle")
            steps.append(replace(found, words=words, weights=()))
        phase = float(self.phases_[feature]) if steps and not self.paired else 0.0
        total = sum(step.value for step in steps) + phase
        wave, value = ("sin", float(np.sin(total))) if is_sine else ("cos", float(np.cos(total)))
        inside = rf"\textstyle\sum_k\langle w_k,\varphi_k(x)\rangle{'+b' if phase else ''}"
        words = f"A product of waves adds their angles. Take the {'sine' if is_sine else 'cosine'} of the sum."
        steps.append(Step(words, rf"\{wave}\bigl({inside}\bigr)=\{wave}({number(total)})={number(value)}", value))
        alone = 1.0 if self.paired or len(steps) > 1 else np.sqrt(0.5)  # a constant wave: see above
        return [*steps, scaled_step(float(self._scale() * alone), value)]

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    def _product_law(self, X: np.ndarray) -> ProductLaw | None:
        skeleton = self._skeleton_for(X.shape[1])
        doubled = None if self.paired else _doubled(skeleton)
        if doubled is None:
            return None
        # With D the difference of two angles, E cos D is the kernel, and E cos 2D that with s four times as large. The
        # random phase adds a half, but to features that are 1 whatever the data.
        above, _ = above_patches(skeleton)
        constant = 0.0 if above is None else float(above.propagate(np, np.zeros((above.n_inputs, 1)))[0])
        twice = kernels.compositional(X, skeleton=doubled)
        one = 0.5 * (1.0 + twice) + 0.5 * (1.0 - constant) - self._kernel(X, None) ** 2
        return ProductLaw(lambda m: one / m, None, bounds.phase_pair_hoeffding().error, "Hoeffding")

    def applicable_bounds(
        self, n_pairs: int, dimension: int, diameter: float, variance: float | None = None, norm: float = 1.0
    ) -> list[bounds.BoundStatement]:
        if self.paired:  # a wave of norm 1, whose cosine and sine are two features
            return bounds.pair_statements(bounds.bounded_products(1.0, per_draw=2), n_pairs)
        sharper = bounds.BoundStatement("one pair", bounds.phase_pair(), drawn=False)
        return [sharper, *super().applicable_bounds(n_pairs, dimension, diameter, variance, norm)]


def _checked(skeleton: Skeleton) -> Skeleton:
    """Return the skeleton, if all its inputs are circles under one layer of exponential nodes."""
    bottom, *above = skeleton.layers
    reaches_inputs = any(int(layer.edges.min()) < skeleton.n_inputs for layer in above)
    circles = all(group.base.kind == "circle" for group in skeleton.inputs)
    if bottom.activation.kind == "exponential" and circles and not reaches_inputs:
        return skeleton
    found = f"{bottom.activation.kind!r} over {', '.join(sorted({g.base.kind for g in skeleton.inputs}))}"
    raise ParameterError(
        "skeleton",
        "must have all its inputs, circles, under one layer with the activation 'exponential', whose "
        "kernel is a Gaussian one",
        found,
        "Use 'flat' or 'deep', or CompositionalFeatures, which take any.",
    )


def _doubled(skeleton: Skeleton) -> Skeleton | None:
    """Return the skeleton of twice the angles, its bottom scale four times as large; None beyond the largest scale."""
    scale = 4.0 * skeleton.layers[0].activation.scale
    form: dict[str, Any] = copy.deepcopy(skeleton.form)
    activation = {"kind": "exponential", "scale": scale}
    if "nodes" in form:
        for node in form["nodes"]:
            if max(node["in"]) < skeleton.n_inputs:
                node["activation"] = activation
    elif form["layers"]:
        form["layers"][0]["activation"] = activation
    else:
        form["top"] = activation
    try:
        return as_skeleton(form, skeleton.n_columns)
    except ParameterError:
        return None


def above_patches(skeleton: Skeleton) -> tuple[Skeleton | None, np.ndarray]:
    """Cut the bottom layer off: return the skeleton over its nodes, and their numbers; None if nothing is left.

    Nodes that no window above them covers are left out, as windows with strides do at the rim of an image.
    """
    bottom, *above = skeleton.layers
    if not above:
        return None, np.zeros(1, dtype=np.int32)
    n_bottom = len(bottom.edges)
    nodes = [(layer.activation, sources - skeleton.n_inputs) for layer in above for sources in layer.edges]
    seen = np.zeros(n_bottom + len(nodes), dtype=bool)
    seen[-1] = True  # the output
    for place in range(len(nodes) - 1, -1, -1):
        if seen[n_bottom + place]:
            seen[nodes[place][1]] = True
    renumbered = np.cumsum(seen) - 1
    kept = [(act, renumbered[sources].tolist()) for (act, sources), s in zip(nodes, seen[n_bottom:], strict=True) if s]
    patches = np.flatnonzero(seen[:n_bottom]).astype(np.int32)
    truncated = graph([("circle", len(patches))], kept)
    truncated.check_sampling()
    return truncated, patches


def patch_paths(skeleton: Skeleton, seed: int, n_angles: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count which patches the paths of each angle end at: (angle, node, how many paths), sorted by angle and node."""
    above, patches = above_patches(skeleton)
    n_nodes = len(patches)
    if above is None:
        return np.arange(n_angles), np.zeros(n_angles, dtype=np.int32), np.ones(n_angles)
    places, counts = [], []
    for index in itertools.count():
        if index * CHUNK >= n_angles:
            break
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_PATH_STREAM, index))))
        angle, node, count = reached_inputs(above, generator, CHUNK)
        place, inverse = np.unique(angle.astype(np.int64) * n_nodes + node, return_inverse=True)
        within = place < (n_angles - index * CHUNK) * n_nodes
        places.append(place[within] + index * CHUNK * n_nodes)
        counts.append(np.bincount(inverse, weights=count, minlength=len(place))[within])
    place = np.concatenate(places)
    return place // n_nodes, patches[place % n_nodes], np.concatenate(counts)
