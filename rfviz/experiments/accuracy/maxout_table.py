"""Table 1 of the random maxout paper: test error for every number of features and pool size, over several draws.

One draw at the largest pool contains every smaller pool, and one factorisation contains every number of features, so
a draw costs one pass of products and one Gram matrix per pool size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rfviz.backend import check_memory, get_device
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.experiments.split_data import SplitData
from rfviz.features import RandomMaxout
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.path import gram_bytes
from rfviz.linear_model.scoring import Solutions
from rfviz.linear_model.system import Model
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent
from rfviz.result_files import durable

__all__ = [
    "PAPER_KNN",
    "PAPER_TABLE_1",
    "TABLE_M",
    "TABLE_Q",
    "MaxoutTable",
    "join_draws",
    "maxout_table",
    "table_draw_of",
]

TABLE_M = (100, 500, 1000, 5000, 10_000)
TABLE_Q = (1, 2, 4, 8, 16)
# Mean and standard deviation of the test error in per cent over 5 draws, as printed: pool size → one pair for each m.
PAPER_TABLE_1 = {
    1: ((17.68, 0.28), (14.76, 0.23), (14.64, 0.08), (15.02, 0.64), (15.12, 0.58)),
    2: ((16.95, 0.5321), (7.98, 0.22), (5.62, 0.18), (2.86, 0.11), (2.35, 0.04)),
    4: ((18.24, 0.39), (7.70, 0.24), (5.50, 0.16), (2.78, 0.07), (2.23, 0.07)),
    8: ((18.90, 0.28), (7.98, 0.47), (5.59, 0.19), (2.81, 0.10), (2.32, 0.09)),
    16: ((20.57, 0.76), (8.19, 0.21), (5.66, 0.15), (2.87, 0.12), (2.58, 0.04)),
}
# What the paper calls the error of the optimal k nearest neighbours, in per cent.
PAPER_KNN = 3.09
# Penalties, as parts of the training rows' sum of squares, rounded down to a power of ten: 100 to 10,000 on MNIST.
_PENALTIES = (1e-4, 1e-3, 1e-2)
_HELD_SHARE = 6  # of MNIST's 60,000 training rows, 10,000
_CHUNK_ROWS = 8192
_NO_CLASS = -1

# Solutions of one penalty, by m.
Path = list[Model]


@dataclass(frozen=True, eq=False)
class MaxoutTable:
    """Test errors of ridge regression on random maxout features.

    Attributes
    ----------
    m_values, q_values : tuple of int
    errors : ndarray of shape (draws, len(q_values), len(m_values))
        Share of wrong test labels.
    alphas : ndarray of the same shape
        Penalty on the unscaled features that the held-out rows chose.
    predictions : ndarray of shape (draws, len(q_values), len(m_values), n_test)
        Labels that the test rows get, int16.
    """

    m_values: tuple[int, ...]
    q_values: tuple[int, ...]
    errors: np.ndarray
    alphas: np.ndarray
    predictions: np.ndarray

    def to_frame(self, with_paper: bool = True) -> pd.DataFrame:
        """Return one row per cell: q, m, mean and s.d. in per cent; the paper's, and the gap in the paper's s.d.

        Parameters
        ----------
        with_paper : bool
            Whether these are the paper's data, so that its numbers belong there.
        """
        rows = []
        for i, q in enumerate(self.q_values):
            for j, m in enumerate(self.m_values):
                cell = 100 * self.errors[:, i, j]
                row = {"q": q, "m": m, "error %": cell.mean(), "s.d.": cell.std(ddof=1) if len(cell) > 1 else np.nan}
                if with_paper and q in PAPER_TABLE_1 and m in TABLE_M:
                    mean, deviation = PAPER_TABLE_1[q][TABLE_M.index(m)]
                    row |= {"paper %": mean, "paper s.d.": deviation, "apart": (cell.mean() - mean) / deviation}
                rows.append(row)
        return pd.DataFrame(rows)


def maxout_table(
    train: tuple[np.ndarray, np.ndarray],
    test: tuple[np.ndarray, np.ndarray],
    m_values: Sequence[int] = TABLE_M,
    q_values: Sequence[int] = TABLE_Q,
    seeds: Sequence[int] = range(5),
    alphas: Sequence[float] | None = None,
    n_held: int | None = None,
    device: str = "auto",
    progress: Progress = silent,
    intercept: bool = True,
) -> MaxoutTable:
    """Compute the table.

    Parameters
    ----------
    train, test : (X, y)
        Features of shape (n, d) and labels of shape (n,), integers.
    m_values, q_values : sequence of int
        Numbers of features and pool sizes, rising.
    seeds : sequence of int
        One draw of the weights each.
    alphas : sequence of float, optional
        Penalties on the unscaled features, among which the last `n_held` training rows choose for each cell; they then
        join the training. By default 10⁻⁴, 10⁻³ and 10⁻² of the sum of squares of the training rows, rounded down to
        a power of ten.
    n_held : int, optional
        By default a sixth of the training rows.
    progress : callable
        See :data:`rfviz.progress.Progress`.
    intercept : bool
        Whether the linear model has one that is not penalised. The paper's formula has none. Sums are then of float64
        products: the mean of maxout features, which is not taken out, would drown small penalties in rounding.

    Returns
    -------
    MaxoutTable

    Raises
    ------
    DataError
        Where too few rows are left to train on, no penalty is above the rounding of the sums, or the targets are
        numbers.
    MemoryBudgetError
        Where the Gram matrices, one per pool size, do not fit.
    """
    m_max = max(m_values)
    if Targets.learn(train[1]).classes is None:
        raise DataError("Table 1 of the maxout paper is of classes, and the targets are numbers. Choose other data.")
    n_held = len(train[0]) // _HELD_SHARE if n_held is None else n_held
    if not 0 < n_held < len(train[0]):
        raise DataError(f"The table holds out {n_held} of {len(train[0])} training rows; there must be more rows.")
    needed = len(q_values) * 12 * m_max**2 + gram_bytes(m_max, get_device(device).is_gpu)
    what = f"{len(q_values)} Gram matrices of {m_max} features"
    check_memory(needed, device, what, "Use fewer pool sizes, or a smaller largest m.")
    total = float(np.einsum("ij,ij->", train[0], train[0], dtype=np.float64))
    scale = 10.0 ** np.floor(np.log10(total)) if total > 0 else 1.0
    alphas = [share * scale for share in _PENALTIES] if alphas is None else alphas
    draws: list[tuple[np.ndarray, np.ndarray]] = []
    for number, seed in enumerate(seeds):

        def step(share: float, text: str, number: int = number) -> None:
            which = f"Draw {number + 1} of {len(seeds)}: " if len(seeds) > 1 else ""
            progress((number + share) / len(seeds), which + text)

        draw = _Draw(train, test, m_values, q_values, int(seed), device, n_held, intercept)
        draws.append(draw.run(alphas, step))
    predictions, chosen = (np.stack(parts) for parts in zip(*draws, strict=True))
    errors = (predictions != test[1]).mean(axis=-1)
    return MaxoutTable(tuple(m_values), tuple(q_values), errors, chosen, predictions)


def join_draws(tables: Sequence[MaxoutTable]) -> MaxoutTable:
    """Return one table of tables with the same cells and different draws."""
    names = ("errors", "alphas", "predictions")
    joined = (np.concatenate([getattr(table, name) for table in tables]) for name in names)
    return MaxoutTable(tables[0].m_values, tables[0].q_values, *joined)


@durable
def table_draw_of(
    data: SplitData, m_values: tuple[int, ...], q_values: tuple[int, ...], seed: int, intercept: bool, *, cache: Cache
) -> MaxoutTable:
    """Compute the cells of one draw of the weights."""
    split = data.split(cache)
    train, test = (split.X_train, split.y_train), (split.X_test, split.y_test)
    return maxout_table(train, test, m_values, q_values, seeds=(seed,), progress=cache.progress, intercept=intercept)


class _Draw:
    """All cells of one draw of the weights."""

    def __init__(
        self,
        train: tuple[np.ndarray, np.ndarray],
        test: tuple[np.ndarray, np.ndarray],
        m_values: Sequence[int],
        q_values: Sequence[int],
        seed: int,
        device: str,
        n_held: int,
        intercept: bool,
    ) -> None:
        self.X, self.y = train
        self.test = test
        self.m_values, self.q_values = [int(m) for m in m_values], [int(q) for q in q_values]
        self.targets = Targets.learn(self.y)
        self.n_kept = len(self.X) - n_held
        largest = RandomMaxout(max(m_values), pool_size=max(q_values), random_state=seed, device=device)
        self.map = largest.fit(self.X[:1])
        # Each part takes the projections of a pool size that the smaller ones have not seen.
        self.parts = [self.map.members(a, b) for a, b in zip([0, *self.q_values[:-1]], self.q_values, strict=True)]
        self.device = get_device(device)
        self.xp = self.device.xp
        with self.device.activate():
            self.systems = [
                NormalEquations(max(m_values), self.targets.n_columns, intercept, self.xp, exact=not intercept)
                for _ in q_values
            ]

    def run(self, alphas: Sequence[float], step: Callable[[float, str], None]) -> tuple[np.ndarray, np.ndarray]:
        """Return labels of the test rows and chosen penalties, by pool size and number of features."""
        with ExitStack() as stack:
            stack.enter_context(self.device.activate())
            for part in self.parts:
                stack.enter_context(part.resident())
            return self._run(alphas, step)

    def _run(self, alphas: Sequence[float], step: Callable[[float, str], None]) -> tuple[np.ndarray, np.ndarray]:
        kept, held = slice(0, self.n_kept), slice(self.n_kept, None)
        self._accumulate(kept, lambda share: step(0.55 * share, "features and Gram matrices"))
        paths = self._solve_each(alphas, lambda share: step(0.55 + 0.2 * share, "comparing penalties"))
        step(0.78, "the held-out rows")
        guesses = self._predictions(self.X[held], paths, join=self.y[held])
        best = np.argmin((guesses != self.y[held]).mean(axis=-1), axis=1)
        final: list[list[Path | None]] = []
        for i, system in enumerate(self.systems):
            step(0.86 + 0.1 * i / len(self.systems), "final solutions")
            path: dict[int, Model] = {}
            for a in np.unique(best[i]):
                grid = [m for m, b in zip(self.m_values, best[i], strict=True) if b == a]
                (found,) = system.solve([alphas[a]], grid, quiet=True)
                if found is None:
                    raise DataError(f"The penalty {alphas[a]:g} is below the rounding of the sums. Add larger ones.")
                path |= dict(zip(grid, found, strict=True))
            final.append([[path[m] for m in self.m_values]])
        step(0.96, "test error")
        return self._predictions(self.test[0], final)[:, 0], np.asarray(alphas)[best]

    def _accumulate(self, rows: slice, step: Callable[[float], None]) -> None:
        X, Y = self.X[rows], self.targets.codes(self.y[rows])
        for start in range(0, len(X), _CHUNK_ROWS):
            stop = min(start + _CHUNK_ROWS, len(X))
            for system, H in zip(self.systems, self._pools(X[start:stop]), strict=True):
                system.add(H, Y[start:stop])
            step(stop / len(X))

    def _pools(self, X: np.ndarray) -> Iterator[Any]:
        """Yield the unscaled features of the rows for each pool size; one array, which grows by maximum."""
        H = None
        for number, members in enumerate(self.parts):
            offset = 0
            for block in members.transform_blocks(X, scaled=False):
                if H is None:
                    H = self.xp.empty((len(X), block.shape[1]), dtype=block.dtype)
                part = H[offset : offset + len(block)]
                if number == 0:
                    part[...] = block
                else:
                    self.xp.maximum(part, block, out=part)
                offset += len(block)
            yield H

    def _solve_each(self, alphas: Sequence[float], step: Callable[[float], None]) -> list[list[Path | None]]:
        paths: list[list[Path | None]] = []
        for i, system in enumerate(self.systems):
            step(i / len(self.systems))
            paths.append(system.solve(alphas, self.m_values, quiet=True))
        return paths

    def _predictions(self, X: np.ndarray, paths: list[list[Path | None]], join: np.ndarray | None = None) -> np.ndarray:
        """Return the label of each row per pool size, penalty and m; with their labels the rows join the training."""
        # No class for a penalty below the rounding of the sums: it is always wrong.
        found = np.full((len(paths), len(paths[0]), len(self.m_values), len(X)), _NO_CLASS, dtype=np.int16)
        models = [[None if path is None else Solutions(path) for path in some] for some in paths]
        for start in range(0, len(X), _CHUNK_ROWS):
            rows = slice(start, min(start + _CHUNK_ROWS, len(X)))
            for i, H in enumerate(self._pools(X[rows])):
                if join is not None:  # what the paths say of these rows was settled before
                    self.systems[i].add(H, self.targets.codes(join[rows]))
                for a, model in enumerate(models[i]):
                    for j, scores in enumerate(model.scores(H) if model else ()):
                        found[i, a, j, rows] = self.targets.predictions(scores)
        return found
