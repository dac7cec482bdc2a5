"""A function of a normal variable at several scales, as samples whose sums are integrals even where it jumps.

The samples of f(r t) are second differences of f integrated twice. Where f is smooth they are its values, to the eighth
order of the step. Where it jumps or bends they are not, but their sums against anything smooth are its integrals,
because the integrals know the place of a jump: so that one grid serves scales from 1 to 1000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss

from rfviz.errors import DataError

__all__ = ["Function", "Integrated", "Sampled"]

Function = Callable[[np.ndarray], np.ndarray]

# Cells of the integrals for 10 standard deviations either side; the longest that a cell may be, in the units of the
# function, which can make them more; and the most that there may be.
_CELLS, _LONGEST, _MOST = 1 << 16, 0.025, 1 << 20
# As many of them, those in which the function changes most, are cut into as many parts: so a jump finds its place.
_CUT, _PARTS = 512, 128
# The second derivative from nine values.
_STENCIL = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
_MARGIN = len(_STENCIL) // 2
_ROUNDED = 2.0**40
# Numbers at once that stay in a processor's cache.
_AT_ONCE = 1 << 14
# Of a mean: samples over 20 standard deviations, at first and at most; three times the relative error that asks for
# more; and rows at once.
_SAMPLES, _MOST_SAMPLES, _ERROR, _ROWS = 1024, 1 << 17, 6e-7, 256


@dataclass(frozen=True, eq=False)
class _Cubics:
    """A function on cells of equal width, a cubic polynomial in each: of its place in the cell, from 0 to 1.

    Attributes
    ----------
    low, rate : float
        Where the first cell begins, and one over the width.
    coefficients : ndarray of shape (4, n_cells)
        Of the powers 3, 2, 1, 0.
    """

    low: float
    rate: float
    coefficients: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        place = (x - self.low) * self.rate
        cell = place.astype(np.int32)
        place -= cell
        found = self.coefficients[0].take(cell)
        for coefficients in self.coefficients[1:]:
            found *= place
            found += coefficients.take(cell)
        return found


class Integrated:
    """A function that is evaluated and integrated once for each octave of scales.

    Parameters
    ----------
    f : callable
        Of an array, elementwise.
    """

    def __init__(self, f: Function) -> None:
        self.f = f
        self._known: dict[tuple[int, float], _Cubics] = {}
        self._products: dict[tuple[int, float], Integrated] = {}

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the values.

        Raises
        ------
        DataError
            If one is not finite.
        """
        with np.errstate(all="ignore"):
            values = np.broadcast_to(np.asarray(self.f(x), dtype=np.float64), x.shape)
        finite = np.isfinite(values)
        if not finite.all():
            raise DataError(
                "A function must have finite values, and squares, as far as projections of the rows go, which is ten "
                f"times their norm and more; at {x[~finite].flat[0]:.3g} there is none. Scale the rows down, or take a "
                "function that grows more slowly."
            )
        return values

    def times(self, other: Integrated, sign: float) -> Integrated:
        """Return the function f(x)·g(sign·x), the same object each time."""
        key = id(other), sign
        if key not in self._products:
            self._products[key] = Integrated(lambda x: self(x) * other(sign * x))
        return self._products[key]

    def twice(self, exponent: int, reach: float) -> _Cubics:
        """Return the second antiderivative of f(2^exponent · x) for |x| up to `reach`, and a little beyond."""
        key = exponent, reach
        if key not in self._known:
            self._known[key] = self._integrate(exponent, 1.02 * reach)
        return self._known[key]

    def _integrate(self, exponent: int, reach: float) -> _Cubics:
        wanted = max(_CELLS * reach / 10.0, 2.0 * reach * 2.0 ** min(exponent, 60) / _LONGEST)
        half = int(min(wanted, _MOST)) // 2
        step = reach / half
        left = step * np.arange(-half, half)
        total, moment, values = self._moments(left, step, exponent)
        # A jump near the end of a cell shows beside the neighbour only.
        around = [*values, np.roll(values[-1], 1), np.roll(values[0], -1)]
        cut, width = np.argpartition(np.ptp(around, axis=0), -_CUT)[-_CUT:], step / _PARTS
        before = width * np.arange(_PARTS)
        finer, within, _ = self._moments(left[cut, None] + before, width, exponent)
        total[cut] = finer.sum(axis=1)
        moment[cut] = (within + finer * (step - width - before)).sum(axis=1)
        first = _sums_from_the_middle(total)
        second = _sums_from_the_middle(step * first[:-1] + moment)
        # Hermite's cubics: of the values and slopes at both ends of a cell.
        rise, slope, end_slope = np.diff(second), step * first[:-1], step * first[1:]
        cubics = slope + end_slope - 2.0 * rise, 3.0 * rise - 2.0 * slope - end_slope, slope, second[:-1]
        return _Cubics(-reach, 1.0 / step, np.stack(cubics))

    def _moments(self, left: np.ndarray, width: float, exponent: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ∫f and ∫f·(right − x) over cells that begin at `left`, and f at three places in each, a row each."""
        nodes, weights = (part / 2.0 for part in leggauss(3))
        values = np.array([self(np.ldexp(left + width * (0.5 + node), exponent)) for node in nodes])
        total, moment = np.zeros_like(left), np.zeros_like(left)
        for value, node, weight in zip(values, nodes, weights, strict=True):
            total += width * weight * value
            moment += width**2 * weight * (0.5 - node) * value
        return total, moment, values


def _sums_from_the_middle(parts: np.ndarray) -> np.ndarray:
    """Return the sums of an even number of parts from the middle to each end of one: small ones keep their digits."""
    half = len(parts) // 2
    below, above = -np.cumsum(parts[:half][::-1])[::-1], np.cumsum(parts[half:])
    return np.concatenate([below, [0.0], above])


class Sampled:
    """A function f(r t) of a standard normal t, at the norms r of some rows.

    Parameters
    ----------
    norms : ndarray of shape (n_rows,)
    reach : float
        The samples go from −reach to reach standard deviations.

    Attributes
    ----------
    norms : ndarray of shape (n_norms,)
        The different norms: rows of one length differ by rounding only.
    which : ndarray of shape (n_rows,)
        The norm of each row.
    """

    def __init__(self, function: Integrated, norms: np.ndarray, reach: float) -> None:
        self.function, self.reach = function, reach
        mantissas, exponents = np.frexp(norms)
        rounded = np.ldexp(np.round(mantissas * _ROUNDED) / _ROUNDED, exponents)
        self.norms, self.which = np.unique(rounded, return_inverse=True)

    def places(self, count: int) -> tuple[np.ndarray, float]:
        """Return `count` places t, and their distance."""
        step = 2.0 * self.reach / count
        return step * np.arange(count) - self.reach, step

    def samples(self, which: np.ndarray, count: int) -> np.ndarray:
        """Return samples at `count` places, for some of the norms: shape (len(which), count)."""
        found = np.empty((len(which), count))
        mantissas, exponents = np.frexp(self.norms[which])
        step = 2.0 * self.reach / count
        places = step * np.arange(-_MARGIN, count + _MARGIN) - self.reach
        together = max(_AT_ONCE // count, 1)
        for exponent in np.unique(exponents[mantissas > 0]):
            twice, rows = self.function.twice(int(exponent), self.reach), np.flatnonzero(exponents == exponent)
            rows = rows[mantissas[rows] > 0]
            for start in range(0, len(rows), together):
                here = rows[start : start + together]
                values = twice(mantissas[here, None] * places)
                part = _STENCIL[_MARGIN] * values[:, _MARGIN:-_MARGIN]
                for shift, weight in enumerate(_STENCIL[:_MARGIN]):
                    other = 2 * _MARGIN - shift
                    part += weight * (values[:, shift : shift + count] + values[:, other : other + count])
                found[here] = part / (mantissas[here, None] * step) ** 2
        found[mantissas == 0] = self.function(np.zeros(1))
        return found

    def means(self) -> np.ndarray:
        """Return E f(r t) at each norm, shape (n_norms,)."""
        rows, count = np.arange(len(self.norms)), round(_SAMPLES * self.reach / 10.0)
        found = self._means(rows, count)
        while len(rows) and count < _MOST_SAMPLES:
            count *= 2
            finer = self._means(rows, count)
            rough = np.abs(finer - found[rows]) > _ERROR * np.abs(finer)  # three times the error of `finer`
            found[rows] = finer
            rows = rows[rough]
        return found

    def _means(self, rows: np.ndarray, count: int) -> np.ndarray:
        places, step = self.places(count)
        weights = step / np.sqrt(2.0 * np.pi) * np.exp(-(places**2) / 2.0)
        parts = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
        return np.concatenate([rows[:0], *(self.samples(part, count) @ weights for part in parts)])
