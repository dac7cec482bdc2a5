"""Random features as sparse rows: what they add and multiply, picked, joined and told apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["COSINE", "REAL", "SINE", "Rows"]

# What a feature is of its angle: √2·cos, √2·cos(· + π/2), or a cosine that is ±1 whatever the data, where neither the
# other quadrature nor the √2 is needed.
COSINE, SINE, REAL = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Sparse rows of some features.

    Attributes
    ----------
    kinds : ndarray of shape (n,), int8
        COSINE, SINE or REAL.
    ends : ndarray of shape (n + 1,)
        The entries of feature i are those from ``ends[i]`` to ``ends[i + 1]``.
    columns, multiples : ndarray of shape (n_entries,)
        Which angle, by the column of the data, and how often it is added.
    modulus_ends, modulus_columns, powers
        Likewise for the moduli that are multiplied (spheres only).
    """

    kinds: np.ndarray
    ends: np.ndarray
    columns: np.ndarray
    multiples: np.ndarray
    modulus_ends: np.ndarray
    modulus_columns: np.ndarray
    powers: np.ndarray

    def take(self, rows: np.ndarray) -> Rows:
        """Return the features `rows`, in that order."""
        ends, entries = _select(self.ends, rows)
        modulus_ends, moduli = _select(self.modulus_ends, rows)
        return Rows(
            self.kinds[rows], ends, self.columns[entries], self.multiples[entries],
            modulus_ends, self.modulus_columns[moduli], self.powers[moduli],
        )  # fmt: skip

    @staticmethod
    def stack(parts: list[Rows]) -> Rows:
        """Return all features of the parts, one after the other."""
        if len(parts) == 1:
            return parts[0]

        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        def ends(name: str) -> np.ndarray:
            counts = np.concatenate([np.diff(getattr(part, name)) for part in parts])
            return np.concatenate([[0], np.cumsum(counts)])

        return Rows(
            joined("kinds"), ends("ends"), joined("columns"), joined("multiples"),
            ends("modulus_ends"), joined("modulus_columns"), joined("powers"),
        )  # fmt: skip

    def keys(self) -> np.ndarray:
        """Hash every row to 64 bits; among a million rows two differ and share a hash with a chance of 3·10⁻⁸."""
        keys = self.kinds.astype(np.uint64)
        for ends, columns, numbers, salt in (
            (self.ends, self.columns, self.multiples, 1), (self.modulus_ends, self.modulus_columns, self.powers, 2)
        ):  # fmt: skip
            bits = numbers.astype(np.int64) if numbers.dtype.kind == "i" else numbers.astype(np.float64)
            mixed = _mix(columns.astype(np.uint64) * np.uint64(4) + np.uint64(salt)) ^ bits.view(np.uint64)
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mix(mixed), dtype=np.uint64)])
            keys += sums[ends[1:]] - sums[ends[:-1]]
        return keys


def _select(ends: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return new ends, and the entries of the rows in order."""
    counts = (ends[1:] - ends[:-1])[rows]
    new = np.concatenate([[0], np.cumsum(counts)])
    return new, np.repeat(ends[:-1][rows] - new[:-1], counts) + np.arange(new[-1])


def _mix(x: np.ndarray) -> np.ndarray:
    """Apply a bijection of 64 bits that leaves no pattern (the finaliser of SplitMix64)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
