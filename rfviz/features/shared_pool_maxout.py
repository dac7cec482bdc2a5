"""Random maxout features over a pool of projections that they share."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz import cuda, kernels
from rfviz.backend import check_memory, matmul, memory_budget
from rfviz.errors import ParameterError
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.description import Look, ProductLaw, Step, pool_steps, scaled_step
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.maxout import FACETS, POOL_SIZE, largest_of_picked
from rfviz.features.receptive import ReceptiveMap
from rfviz.params import parameter

__all__ = ["SharedPoolMaxout"]

_PROJECTIONS, _INDICES = 0, 1
# A tile of projections, and the values gathered from it, stay in a core's second-level cache.
_TILE_ROWS, _TILE_FEATURES = 256, 256
# Time of a gathered number, in multiply-adds of a matrix product.
_COST_OF_A_GATHER = 10
# With receptive fields, projections on one rectangle for each index of a feature.
_GROUP = 2


class SharedPoolMaxout(ReceptiveMap):
    r"""The largest of `pool_size` out of `n_projections` Gaussian projections that all features share.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \max_{j \in S_\ell} \langle w_j, x \rangle, \quad
        S_\ell \subset \{1, \dots, P\}, \; |S_\ell| = q, \quad w_j \sim N(0, I_d)

    The index sets S are drawn at random, without repetition within a feature. The kernel is that of
    :class:`RandomMaxout`. Features over the same pool are not independent: the variance of the estimate is
    (v − C)/m + C, with v that of one feature and C > 0 the mean covariance of two. Hence more features over the same
    pool help only down to C, which :func:`rfviz.kernels.maxout_pool_covariance` gives; C is below q·v/P, the variance
    of independent maxout features on as many projections.

    Cost: O(n·P·d) multiply-adds and n·m·q gathered numbers; independent maxout takes O(n·m·q·d).

    Caveat: with a small pool many features are nearly copies of each other, and m says little about the error.

    With `receptive_field` the projections form groups of 2q that share a rectangle, and each feature draws from one
    group, so that its q competitors see the same pixels; projections that fill no group are not used. The variance is
    not known in closed form then.

    Parameters
    ----------
    n_components : int
        Number of features m.
    pool_size : int
        Number q of projections of which a feature is the largest.
    n_projections : int
        Number P of projections in the pool, at least q.
    receptive_field : (low, high) or None
        For images: bounds of the sides of the random rectangles, in pixels; None for all pixels. See
        :mod:`rfviz.features.receptive`.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows, with `receptive_field`; by default as square as their number of columns allows.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    projections_ : ndarray of shape (n_projections, n_features)
    indices_ : ndarray of shape (pool_size, n_components), int32
        The projections that each feature takes the largest of.
    seed_ : int

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015: Table 3.
    """

    label = "Shared-pool maxout"
    look = Look("#7363dc", "longdash", "circle-dot")
    summary = "Maxout features over one pool of projections: many features from few products."
    formula = (
        r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\max_{j\in S_\ell}\,\langle w_j,x\rangle,"
        r"\quad S_\ell\subset\{1,\dots,P\},\ |S_\ell|=q"
    )
    cost = "O(n·P·d + n·m·q)"
    reference = "Mroueh, Rennie, Goel 2015"
    rank = 60
    takes_constant = True
    pool_size: int = POOL_SIZE
    n_projections: int = parameter(
        default=1000,
        kind="int",
        low=1,
        high=10_000_000,
        ui_low=16,
        ui_high=20_000,
        log=True,
        symbol="P",
        label="Projections",
        help="How many projections all features of the shared pool choose from. They cost the time. More features "
        "over the same pool are cheap, but their error stops falling.",
    )
    _weights = ("projections_", "indices_")
    _projections = ("projections_",)
    _rotation_invariant = True

    def _check_params(self) -> None:
        super()._check_params()
        if self.n_projections < self.pool_size:
            raise ParameterError(
                "n_projections",
                f"must be at least pool_size, {self.pool_size}, for a feature to find so many",
                self.n_projections,
                f"Try n_projections={8 * self.pool_size}.",
            )

    def _pool_bytes(self, n_features: int) -> int:
        return self.n_projections * n_features * np.dtype(self.dtype).itemsize

    def weight_bytes(self, n_features: int) -> int:
        return self._pool_bytes(n_features) + 4 * self.pool_size * self.n_components

    def _check_weight_memory(self, n_features: int) -> None:
        # Indices, and the draws and places that they are shuffled with.
        pool, one = self._pool_bytes(n_features), 20 * self.pool_size + 8
        fits = int((memory_budget("cpu") - pool) / one)
        what = f"A pool of {self.n_projections} projections with n_components={self.n_components} on {n_features}"
        remedy = f"The largest n_components that fits is about {fits}." if fits > 0 else "Choose fewer projections."
        check_memory(pool + one * self.n_components, "cpu", f"{what} input features", remedy)

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        return self.n_projections * n_features * n_samples

    def _work(self, n_samples: int, n_features: int) -> int:
        gathered = _COST_OF_A_GATHER * self.pool_size * self.n_components * n_samples
        return self.multiply_adds(n_samples, n_features) + gathered

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, q, pool = self.n_components, self.pool_size, self.n_projections
        others = n_samples * m * (q - 1) + n_samples * n_features
        return Counts(
            2 * n_samples * pool * n_features, others, self._stored_bytes(n_features, pool * n_features, m * q)
        )

    def _groups(self) -> tuple[int, int]:
        """Return how many groups of projections there are, and how many projections are in each."""
        if self.receptive_field is None:
            return 1, self.n_projections
        size = min(_GROUP * self.pool_size, self.n_projections)
        return self.n_projections // size, size

    def _draw(self, n_features: int) -> None:
        self.projections_ = np.empty((self.n_projections, n_features), dtype=self.dtype)
        standard_normal(self.seed_, _PROJECTIONS, out=self.projections_)
        groups, size = self._groups()
        used = self.projections_[: groups * size].reshape(groups, size, n_features)
        self._mask(used.transpose(1, 0, 2))  # a view: the members of a group see the same rectangle
        draws = uniform(self.seed_, _INDICES, 1.0, np.empty((self.n_components, self.pool_size + 1)))
        group = (draws[:, -1] * groups).astype(np.int32)
        self.indices_ = _distinct(draws[:, :-1].T, size) + size * group

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"indices_": self.indices_[:, :n_components]}

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        steps = pool_steps(self.projections_[self.indices_[:, feature]], x)
        return [*steps, scaled_step(float(self._scale()), steps[-1].value)]

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        W, indices = weights["projections_"], weights["indices_"]
        if cuda.POOL_MAX.works(xp, out.dtype):
            largest_of_picked(xp, X * X.dtype.type(scale), W, indices, out, scratch)
            return
        on_host = xp is np
        rows = min(_TILE_ROWS, len(out)) if on_host else len(out)
        width = min(_TILE_FEATURES, out.shape[1])
        # One buffer for a tile of projections, a projection a line, and for two tiles of features, a feature a line: to
        # gather whole lines is many times faster than to pick numbers from each row.
        lines = len(W) + 2 * width
        buffer = scratch.empty((lines * rows,), out.dtype)
        X = X * X.dtype.type(scale)
        for start in range(0, len(out), rows):
            here = out[start : start + rows]
            tile = buffer[: lines * len(here)].reshape(lines, len(here))
            projected = _project_lines(xp, W, X[start : start + rows], tile[: len(W)])
            largest, other = tile[len(W) : len(W) + width], tile[len(W) + width :]
            for first in range(0, out.shape[1], width):
                columns = indices[:, first : first + width]
                best, more = largest[: columns.shape[1]], other[: columns.shape[1]]
                _gather(xp, projected, columns[0], best)
                for member in range(1, self.pool_size):
                    _gather(xp, projected, columns[member], more)
                    xp.maximum(best, more, out=best)
                here[:, first : first + width] = best.T

    @property
    def fold_meaning(self) -> str:
        return "" if self.pool_size == 1 else FACETS

    def pieces(self, X: Any) -> np.ndarray | None:
        if self.pool_size == 1:
            return None
        X = self._check_input(X, names=False).astype(self.dtype, copy=False)
        used, places = np.unique(self.indices_, return_inverse=True)
        projections = project(X, self.projections_[used], np.empty((X.shape[0], len(used)), dtype=self.dtype))
        # (n, q, m): what each feature takes the largest of.
        return projections[:, places.reshape(self.indices_.shape)].argmax(axis=1)

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        q = self.pool_size
        return self._over_rectangles(lambda A, B: kernels.maxout(A, B, pool_size=q), X, Y)

    # No law of distances: its variance needs the covariance of (h(x) − h(z))², which loses all its digits where x and z
    # are close.

    def _product_law(self, X: np.ndarray) -> ProductLaw | None:
        if self.receptive_field is not None:
            return None
        _, cosines, norms, _ = kernels.pairwise_cosines(X)
        scale = np.outer(norms, norms) ** 2
        one = kernels.maxout_product_moments(cosines, self.pool_size)[1] * scale
        two = kernels.maxout_pool_covariance(cosines, self.pool_size, self.n_projections) * scale
        return ProductLaw(lambda m: one / m + (1.0 - 1.0 / m) * two)


def _distinct(draws: np.ndarray, size: int) -> np.ndarray:
    """Choose different integers below `size` from uniform draws, shape (q, m), by column: Fisher and Yates.

    A shuffle of 0 … size − 1 that stops after q steps; of the places that it has moved, only the q are remembered.
    """
    q, m = draws.shape
    chosen, moved_to, moved = (np.empty((q, m), dtype=np.int32) for _ in range(3))
    for step in range(q):
        place = np.minimum(step + (draws[step] * (size - step)).astype(np.int32), size - 1)
        at_place, at_step = place.copy(), np.full(m, step, dtype=np.int32)
        for earlier in range(step):
            np.copyto(at_place, moved[earlier], where=moved_to[earlier] == place)
            np.copyto(at_step, moved[earlier], where=moved_to[earlier] == step)
        chosen[step], moved_to[step], moved[step] = at_place, place, at_step
    return chosen


def _project_lines(xp: Any, W: Any, X: Any, out: Any) -> Any:
    """Compute ``out[...] = W @ X.T``: a projection a line."""
    if hasattr(X, "indptr"):
        out[...] = (X @ W[:, : X.shape[1]].T).T
        return out
    return matmul(xp, W, X.T, out=out)


def _gather(xp: Any, lines: Any, places: Any, out: Any) -> None:
    if xp is np:
        np.take(lines, places, axis=0, out=out, mode="clip")  # any other mode copies through a buffer
    else:
        xp.take(lines, places, axis=0, out=out)
