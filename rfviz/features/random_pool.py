"""Random features of a pool of projections by any rule of order: the median, the range, the second largest."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from rfviz import bounds, kernels
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.description import Look, Step, number, projection_step, scaled_step
from rfviz.features.draws import standard_normals
from rfviz.features.receptive import ReceptiveMap
from rfviz.kernels import ORDER_RULES, order_weights
from rfviz.params import parameter

__all__ = ["RandomPool"]


class RandomPool(ReceptiveMap):
    r"""An order statistic of `pool_size` Gaussian projections, `n_components` times.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \sum_a c_a z_{(a)}, \quad z_j = \langle w^\ell_j, x \rangle,
        \; w^\ell_j \sim N(0, I_d)

    with z₍₁₎ ≤ … ≤ z₍q₎ the sorted projections. The rule "largest" is :class:`rfviz.features.RandomMaxout`, which is
    quicker and knows its variance. The kernel is ‖x‖‖z‖ times a function of the angle; see
    :func:`rfviz.kernels.order_statistic`.

    Cost: O(n·m·q·(d + log² q)).

    Parameters
    ----------
    n_components : int
        Number of features m.
    pool_size : int
        Number of projections q, from 2 to 32.
    rule : {"largest", "second largest", "median", "smallest", "range"}
        The median of an even number is the mean of the two in the middle.
    receptive_field : (low, high) or None
        For images: bounds of the sides of the random rectangle that a feature sees, in pixels; None for all pixels. See
        :mod:`rfviz.features.receptive`.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows, with `receptive_field`; by default as square as their number of columns allows.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    weights_ : ndarray of shape (pool_size, n_components, n_features)
    seed_ : int
    """

    label = "Random pool"
    look = Look("#8026ff", "longdash", "bowtie")
    summary = "The median, the range or another rank of q random projections: maxout with another rule."
    formula = (
        r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\textstyle\sum_a c_a z_{(a)},\quad z_j=\langle w_j^\ell,x\rangle,\ "
        r"w\sim\mathcal N(0,I_d)"
    )
    cost = "O(n·m·q·(d + log² q))"
    reference = "after Mroueh, Rennie, Goel 2015"
    rank = 55
    takes_constant = True
    plane_params = MappingProxyType({"rule": "range"})
    pool_size: int = parameter(
        default=4,
        kind="int",
        low=2,
        high=32,
        log=True,
        marks=(2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32),
        compared=(2, 4, 8, 16, 32),
        symbol="q",
        label="Pool size",
        help="How many projections are sorted for each feature.",
    )
    rule: str = parameter(
        default="median",
        kind="choice",
        choices=ORDER_RULES,
        label="Rule",
        titles=tuple(map(str.capitalize, ORDER_RULES)),
        help="Which of the sorted projections a feature is. The range is the largest less the smallest.",
    )
    _weights = ("weights_",)
    _projections = ("weights_",)
    _rotation_invariant = True

    def _numbers_per_feature(self, n_features: int) -> int:
        return self.pool_size * n_features

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.pool_size, self.n_components, n_features), dtype=self.dtype)
        standard_normals(self.seed_, self.weights_)
        self._mask(self.weights_)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"weights_": self.weights_[:, :n_components]}

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, q = self.n_components, self.pool_size
        places = tuple(place for place, weight in enumerate(order_weights(q, self.rule)) if weight)
        others = 2 * n_samples * m * len(_exchanges(q, places))
        return Counts(2 * n_samples * m * q * n_features, others, self._stored_bytes(n_features, m * q * n_features))

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        W, q = weights["weights_"], self.pool_size
        used = [(place, weight) for place, weight in enumerate(order_weights(q, self.rule)) if weight]
        exchanges = _exchanges(q, tuple(place for place, _ in used))
        # All projections of a pool at once are q times the memory of a block: a q-th of its rows at a time.
        step = -(-out.shape[0] // q)
        for start in range(0, out.shape[0], step):
            here, rows = out[start : start + step], X[start : start + step]
            pool = scratch.empty((q, *here.shape), out.dtype)
            for member in range(q):
                project(rows, W[member], pool[member])
            for low, high in exchanges:
                xp.minimum(pool[low], pool[high], out=here)
                xp.maximum(pool[low], pool[high], out=pool[high])
                pool[low] = here
            here[...] = 0
            for place, weight in used:
                here += pool[place] * out.dtype.type(weight * scale)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        pool = [
            projection_step(w, x, rf"\langle w_{{{j + 1}}},x\rangle", competes=True)
            for j, w in enumerate(self.weights_[:, feature])
        ]
        weights = order_weights(self.pool_size, self.rule)
        value = float(np.sort([step.value for step in pool]) @ weights)
        words = f"Sort the projections, and take what the rule says: {self.rule}."
        rule = Step(words, rf"\textstyle\sum_a c_a z_{{(a)}}={number(value)}", value)
        return [*pool, rule, scaled_step(float(self._scale()), value)]

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(lambda A, B: kernels.order_statistic(A, B, self.pool_size, self.rule), X, Y)

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        # A mean of projections moves no faster than one of them; the range may.
        if self.receptive_field is not None or min(order_weights(self.pool_size, self.rule)) < 0:
            return None
        square = float(kernels.order_statistic(np.ones((1, 1)), None, self.pool_size, self.rule)[0, 0])
        return bounds.piecewise_linear_pair(1.0, square, norm)


@lru_cache(maxsize=128)
def _exchanges(size: int, wanted: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return pairs of places whose values are put in order, one after the other: then those at `wanted` are sorted.

    Batcher's odd-even merge sort (K. Batcher, "Sorting networks and their applications", 1968) without the exchanges
    that no wanted place depends on. Whole arrays are compared: on a processor eight times as fast as many short sorts
    for pools of 4, two to four times for 16 and about as fast for 32.
    """
    pairs, step = [], 1
    while step < size:
        distance = step
        while distance:
            pairs += [
                (i, i + distance)
                for start in range(distance % step, size - distance, 2 * distance)
                for i in range(start, min(start + distance, size - distance))
                if i // (2 * step) == (i + distance) // (2 * step)
            ]
            distance //= 2
        step *= 2
    needed, kept = set(wanted), []
    for pair in reversed(pairs):
        if needed.intersection(pair):
            needed.update(pair)
            kept.append(pair)
    return tuple(reversed(kept))
