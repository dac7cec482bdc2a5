"""Samples of rows, of which a larger one always holds the smaller."""

from __future__ import annotations

import numpy as np

__all__ = ["nested_order", "subsample"]


def nested_order(
    n_rows: int, codes: np.ndarray | None = None, n_train: int | None = None, random_state: int = 0
) -> np.ndarray:
    """Return all rows in the order in which a growing sample takes them in.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    codes : ndarray of int, shape (n_rows,), optional
        Non-negative class codes. Each class appears as soon as there is a row for every class; from then on every
        prefix holds the classes in the proportion of the whole, up to one row each.
    n_train : int, optional
        Rows before it are for training. Every prefix keeps the proportion of training to test rows, up to one row.
    random_state : int
        Seed. The order depends on nothing else.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        A permutation; its first k entries are the sample of k rows.
    """
    rows = np.random.default_rng(random_state).permutation(n_rows)
    parts = [rows] if n_train is None else [rows[rows < n_train], rows[rows >= n_train]]
    if codes is not None:
        parts = [_interleave(part, codes[part]) for part in parts]
    which = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    return _interleave(np.concatenate(parts), which)


def subsample(
    rows: np.ndarray, max_samples: int | None, codes: np.ndarray | None, n_train: int | None, random_state: int
) -> np.ndarray:
    """Return at most `max_samples` of `rows`, in their order; see :func:`nested_order` for the other arguments."""
    if max_samples is None or rows.size <= max_samples:
        return rows
    chosen = nested_order(rows.size, codes, n_train, random_state)[:max_samples]
    return rows[np.sort(chosen)]


def _interleave(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Reorder `rows` so that each group is spread evenly, its own rows staying in their order."""
    if rows.size == 0:
        return rows
    sizes = np.bincount(group)
    by_group = np.argsort(group, kind="stable")
    place = np.empty(rows.size)
    place[by_group] = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Member i of a group of s comes at i/s of the way. The sort is stable, so that groups of one size, which tie at
    # every step, take turns at random (the order of `rows`), not by their number.
    return rows[np.argsort(place / sizes[group], kind="stable")]
