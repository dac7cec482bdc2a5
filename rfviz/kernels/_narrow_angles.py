"""E f(r u) g(s v) of normal u and v whose correlation ρ = cos θ is near 1 or −1, by Fourier coefficients.

The density of u and v is w(u) w(v) exp(−ρ (u − v)²/2(1 − ρ²)) / 2π√(1 − ρ²) with w(u) = exp(−u²/2(1 + ρ)): a
convolution, which Fourier's transform makes a product. With A_k, B_k the Fourier coefficients of f(r u) w(u) and
g(s v) w(v) over the length 2R, and frequencies ω_k = πk/R,

    E f(r u) g(s v) = Σ_k c_k A_k B_k*,   c_k = exp(−ω_k² (1 − ρ²)/2ρ) / 2R√(2πρ),

of which some 22/θ count. As they depend on ρ by way of w, they are taken at the Chebyshev points of a range of angles,
and the kernel is interpolated. Ranges are octaves; one reaches down to 0 where a function has no higher frequencies.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import fft

from rfviz.errors import PrecisionWarning, SlowKernelError, warn
from rfviz.kernels._sampled import Sampled
from rfviz.progress import stop_point

__all__ = ["WIDEST", "expectations"]

#: Where narrow angles begin.
WIDEST = 0.72
# Octaves of angles, and the points in each.
_OCTAVES, _POINTS = 10, 11
# Of an octave up to θ: the last frequency times θ, and samples over 20 standard deviations times θ.
_FREQUENCIES, _SAMPLES, _MOST_SAMPLES = 13.6, 256.0, 1 << 17
# Four times as many samples where the frequencies that are too high for them, and count as lower ones, may change the
# kernel by this share of the square.
_ALIAS, _FINER = 1e-6, 4
# The share of the square at higher frequencies than an eighth of that of the samples that is warned of.
_UNSEEN = 1e-3
# Frequencies that a window adds, and the share of the square at higher ones than those of an octave that is not worth a
# further octave.
_MARGIN, _SMOOTH = 2.0, 1e-6
# Pairs of a tile; how many times as many products a matrix product may hold as are wanted.
_TILE, _SPARSE = 256, 8
# Multiply-adds that are computed without refusal, a minute or two; what a transformed number counts; and bytes of
# coefficients at once.
_MOST_WORK, _TRANSFORM, _BYTES = 1e12, 200, 400_000_000
# Samples that are transformed at once.
_AT_ONCE = 1 << 18


def expectations(
    left: Sampled, right: Sampled, a: np.ndarray, b: np.ndarray, angles: np.ndarray, signs: np.ndarray
) -> np.ndarray:
    """Return E f(r u) g(s v) of pairs.

    Parameters
    ----------
    left, right : Sampled
        f and g at their norms; one object where both are the same.
    a, b : ndarray of shape (n,)
        The norms of the pairs.
    angles, signs : ndarray of shape (n,)
        θ from 0 to `WIDEST`; and 1 for the correlation cos θ, −1 for −cos θ.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    SlowKernelError
        Where it would take minutes.
    """
    values, pending = np.empty(len(a)), np.arange(len(a))
    with np.errstate(divide="ignore"):
        octaves = np.minimum(np.log2(WIDEST / angles), _OCTAVES).astype(int)
    for level in range(_OCTAVES + 1):
        if not len(pending):
            break
        high, i, j = WIDEST / 2.0**level, a[pending], b[pending]
        one = _Band(left, np.union1d(i, j) if left is right else np.unique(i), high)
        other = one if left is right else _Band(right, np.unique(j), high)
        i, j = np.searchsorted(one.which, i), np.searchsorted(other.which, j)
        if level == _OCTAVES and max(one.unseen, other.unseen) > _UNSEEN:
            warn(
                "The function changes faster than can be followed along the projections of rows of norm "
                f"{max(left.norms[one.which[-1]], right.norms[other.which[-1]]):.3g}, so that its kernel between "
                f"different rows within {math.degrees(high):.1g}° of each other is not exact. Scale the rows down.",
                PrecisionWarning,
            )
        # What has no higher frequencies has no more to tell at smaller angles.
        last = one.smooth[i] & other.smooth[j] | (level == _OCTAVES)
        now = ~last & (octaves[pending] == level)
        for ready, low in ((last, 0.0), (now, high / 2.0)):
            for sign in (1.0, -1.0):
                some = np.flatnonzero(ready & (signs[pending] == sign))
                chosen = pending[some]
                if len(chosen):
                    values[chosen] = _interpolated(one, other, i[some], j[some], angles[chosen], sign, low)
        pending = pending[~last & ~now]
    return values


class _Band:
    """Fourier coefficients of f(r t) exp(−t²/4), at some norms, up to the highest that counts at angles of an octave.

    Parameters
    ----------
    which : ndarray of shape (n,)
        Norms, rising.
    high : float
        The largest angle.

    Attributes
    ----------
    smooth : ndarray of shape (n,)
        Whether the coefficients at higher frequencies are negligible.
    unseen : float
        The largest share of the square at frequencies that samples do not tell well.
    """

    def __init__(self, side: Sampled, which: np.ndarray, high: float) -> None:
        self.side, self.which, self.high = side, which, high
        a_frequency = side.reach / math.pi  # coefficients for each unit of frequency
        spread = side.reach / 10.0
        most = round(_MOST_SAMPLES * spread)
        count = min(round(2 ** math.ceil(math.log2(_SAMPLES / high)) * spread), most)
        self.modes = min(math.ceil(_FREQUENCIES / high * a_frequency), count // 3)
        self.margin = math.ceil(_MARGIN * a_frequency)
        self.coefficients = np.empty((len(which), self.modes + self.margin), dtype=np.complex128)
        self.smooth, self.unseen = np.empty(len(which), dtype=bool), 0.0
        rough = self._fill(np.arange(len(which)), count)
        if count < most:
            self._fill(rough, min(_FINER * count, most))

    def _fill(self, rows: np.ndarray, count: int) -> np.ndarray:
        """Transform the functions of some rows; return those of which `count` samples are too few."""
        places, step = self.side.places(count)
        window, rough = step * np.exp(-(places**2) / 4.0), [rows[:0]]
        beyond = math.ceil(2.0 / self.high * self.side.reach / math.pi)
        counted = np.arange(2 * beyond)  # up to twice that frequency is seen at half of the largest angle
        together = max(_AT_ONCE // count, 1)
        for start in range(0, len(rows), together):
            here = rows[start : start + together]
            spectrum: Any = fft.rfft(self.side.samples(self.which[here], count) * window)
            self.coefficients[here] = spectrum[:, : self.modes + self.margin]
            power = np.square(spectrum.real) + np.square(spectrum.imag)
            total = np.maximum(power.sum(axis=1), 1e-300)
            self.unseen = max(self.unseen, float((power[:, count // 8 :].sum(axis=1) / total).max()))
            self.smooth[here] = power[:, beyond:].sum(axis=1) <= _SMOOTH * total
            # Samples are means over hats, which see a frequency near that of the samples by the square of the rest.
            aliases = np.sqrt(power[:, count // 4 :].mean(axis=1))
            seen = np.sqrt(power[:, : len(counted)]) @ (counted / count) ** 2
            rough.append(here[aliases * seen > _ALIAS * total])
        return np.concatenate(rough)

    def scaled(self, rows: np.ndarray, angle: float) -> np.ndarray:
        """Return √c_k A_k of some rows at an angle, shape (len(rows), 2·modes): real parts, then imaginary ones."""
        found, rho = np.empty((len(rows), 2 * self.modes)), math.cos(angle)
        count = 2 ** math.ceil(math.log2(2 * (self.modes + 2 * self.margin)))
        window = np.exp(self.side.places(count)[0] ** 2 * (0.25 - 0.5 / (1.0 + rho)))
        frequencies = np.pi / self.side.reach * np.arange(self.modes)
        weights = np.exp(-((frequencies * math.sin(angle)) ** 2) / (4.0 * rho))
        weights /= math.sqrt(self.side.reach * math.sqrt(2.0 * math.pi * rho))
        weights[0] *= math.sqrt(0.5)  # all others stand for two
        together = max(_AT_ONCE // count, 1)
        for start in range(0, len(rows), together):
            here = slice(start, start + together)
            spectrum: Any = fft.rfft(fft.irfft(self.coefficients[rows[here]], count) * window)
            np.multiply(spectrum[:, : self.modes].real, weights, out=found[here, : self.modes])
            np.multiply(spectrum[:, : self.modes].imag, weights, out=found[here, self.modes :])
        return found


def _interpolated(
    one: _Band, other: _Band, i: np.ndarray, j: np.ndarray, angles: np.ndarray, sign: float, low: float
) -> np.ndarray:
    """Return the kernel of pairs of rows of two bands, at angles of `low` or more."""
    values, modes = np.zeros(len(i)), one.modes
    points = low + (one.high - low) * 0.5 * (1.0 - np.cos(np.pi * np.arange(_POINTS) / (_POINTS - 1)))
    mirror = np.repeat([1.0, sign], modes)  # the coefficients of g(−x) are the conjugate ones
    for rows, columns, chosen in _blocks(i, j, max(_BYTES // (32 * modes), 1), one is other):
        tiles = list(_tiles(np.searchsorted(rows, i[chosen]), np.searchsorted(columns, j[chosen])))
        _check_work(tiles, len(rows) + len(columns), modes, one.high)
        for point, weight in zip(points, _barycentric(points, angles[chosen]).T, strict=True):
            stop_point()
            A = one.scaled(rows, point)
            B = A if columns is rows else other.scaled(columns, point)
            B = B * mirror if sign < 0 else B
            for tile in tiles:
                values[chosen[tile.pairs]] += weight[tile.pairs] * tile.products(A, B)
    return values


def _barycentric(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the weights of Chebyshev points, both ends among them, in a polynomial's values: (len(at), n_points)."""
    signs = (-1.0) ** np.arange(len(points))
    signs[[0, -1]] *= 0.5
    apart = at[:, None] - points
    apart[apart == 0.0] = 1e-300  # at a point its own weight outweighs the others
    found = signs / apart
    found /= found.sum(axis=1, keepdims=True)
    return found


# --- inner products of many pairs of rows -----------------------------------------------------------------------------


def _blocks(
    i: np.ndarray, j: np.ndarray, most: int, alike: bool
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield all pairs in groups: different i, different j, at most `most` of each, and the pairs of these."""
    if alike and len(both := np.union1d(i, j)) <= most:
        yield both, both, np.arange(len(i))
        return
    rows, columns = np.unique(i), np.unique(j)
    for start in range(0, len(rows), most):
        some = rows[start : start + most]
        of_rows = np.flatnonzero((i >= some[0]) & (i <= some[-1]))
        for first in range(0, len(columns), most):
            others = columns[first : first + most]
            chosen = of_rows[(j[of_rows] >= others[0]) & (j[of_rows] <= others[-1])]
            if len(chosen):
                yield some, others, chosen


@dataclass(frozen=True, eq=False)
class _Tile:
    """Pairs of rows of two matrices, near each other in the matrix of all inner products.

    Attributes
    ----------
    pairs : ndarray of shape (n,)
        Which of all pairs.
    i, j : ndarray of shape (n,)
        Their rows.
    """

    pairs: np.ndarray
    i: np.ndarray
    j: np.ndarray

    @property
    def bounds(self) -> tuple[slice, slice]:
        """Return the rows of both matrices that the pairs lie between."""
        return slice(self.i.min(), self.i.max() + 1), slice(self.j.min(), self.j.max() + 1)

    @property
    def n_products(self) -> int:
        """Return the number of products of all these rows, or 0 if few are wanted, which are then computed singly."""
        rows, columns = self.bounds
        size = int((rows.stop - rows.start) * (columns.stop - columns.start))
        return size if size <= _SPARSE * len(self.i) else 0

    def products(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Return the inner products."""
        if self.n_products:
            rows, columns = self.bounds
            return (A[rows] @ B[columns].T)[self.i - rows.start, self.j - columns.start]
        found, together = np.empty(len(self.i)), max(_AT_ONCE // A.shape[1], 1)
        for start in range(0, len(found), together):
            part = slice(start, start + together)
            found[part] = np.einsum("ij,ij->i", A[self.i[part]], B[self.j[part]])
        return found


def _tiles(i: np.ndarray, j: np.ndarray) -> Iterator[_Tile]:
    """Sort pairs by squares of the matrix of all inner products."""
    if not len(i):
        return
    square = (i // _TILE) * (int(j.max()) // _TILE + 1) + j // _TILE
    order = np.argsort(square, kind="stable")
    for pairs in np.split(order, np.flatnonzero(np.diff(square[order])) + 1):
        yield _Tile(pairs, i[pairs], j[pairs])


def _check_work(tiles: list[_Tile], n_rows: int, modes: int, high: float) -> None:
    """Refuse pairs whose kernel would take minutes to compute.

    Raises
    ------
    SlowKernelError
    """
    products = sum(tile.n_products or _SPARSE * len(tile.i) for tile in tiles)
    if 2 * modes * _POINTS * (products + _TRANSFORM * n_rows) > _MOST_WORK:
        raise SlowKernelError(
            "X",
            "must hold fewer rows of nearly the same direction for the exact kernel of a function",
            f"{sum(len(tile.i) for tile in tiles):,} pairs within {math.degrees(high):.2g}°",
            "Centre the columns, or use fewer rows.",
        )
