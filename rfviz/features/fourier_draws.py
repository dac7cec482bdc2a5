"""Ways to draw the frequencies of random Fourier features: independent, orthogonal, structured, quasi-Monte Carlo.

All are nested: the frequencies of a smaller map are the first of a larger one's. Independent and Sobol frequencies come
one by one; orthogonal and structured ones in blocks, of which a map may use the beginning of the last.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.stats import qmc

from rfviz.backend import map_ordered, single_threaded_blas, worker_count
from rfviz.errors import ParameterError
from rfviz.features.draws import CHUNK_ROWS, chi_square, generator, standard_normal, uniform
from rfviz.features.spectra import Spectrum
from rfviz.features.structured import draw_signs, padded_size

__all__ = ["DRAWS", "check_draw", "draw_frequencies", "draw_phases", "orthogonal_rows"]

DRAWS = ("iid", "orthogonal", "structured", "qmc")
_FREQUENCIES, _PHASES, _MIXING, _LENGTHS, _SIGNS, _SOBOL = range(6)
# Blocks of orthogonal rows each have a stream of their own, from here on.
_BLOCKS = 16
_SOBOL_BITS = 30
_SOBOL_ROWS = 4096
# Numbers from which several blocks are made at once.
_PARALLEL_FROM = 500_000


def check_draw(
    draw: str, spectrum_name: str, spectrum: Spectrum, n_features: int, n_extra: int, rectangles: bool
) -> None:
    """Refuse what a draw cannot do.

    Parameters
    ----------
    draw, spectrum_name : str
    spectrum : Spectrum
    n_features : int
    n_extra : int
        Uniform numbers that a feature takes in addition to one for each column.
    rectangles : bool
        Whether features see rectangles of images.

    Raises
    ------
    ParameterError
    """
    if draw in ("orthogonal", "structured") and not spectrum.isotropic:
        rule = f"must be 'iid' or 'qmc' for the spectrum {spectrum_name!r}, which sees the axes and has no rotations"
        raise ParameterError("draw", rule, draw, "Use draw='qmc', or the spectrum 'gaussian' or 'matern'.")
    if draw == "structured" and rectangles:
        rule = "must be another than 'structured' with receptive fields, for which every weight must be at hand"
        raise ParameterError("draw", rule, draw, "Use draw='orthogonal', or whole images.")
    if draw == "qmc" and n_features + n_extra > qmc.Sobol.MAXDIM:
        most = qmc.Sobol.MAXDIM - n_extra
        rule = f"must be another than 'qmc' beyond {most} columns, where no Sobol sequence is known (here {n_features})"
        raise ParameterError("draw", rule, draw, "Use draw='orthogonal' or 'iid'.")


def draw_frequencies(
    spectrum: Spectrum, draw: str, seed: int, n_frequencies: int, n_features: int, phases: bool, dtype: str
) -> dict[str, np.ndarray]:
    """Draw the weights of a map, by attribute name: unit frequencies, or what makes them, and phases.

    Parameters
    ----------
    spectrum : Spectrum
    draw : {"iid", "orthogonal", "structured", "qmc"}
    seed : int
    n_frequencies, n_features : int
    phases : bool
        Whether every frequency comes with a phase.
    dtype : {"float32", "float64"}

    Returns
    -------
    dict
        ``frequencies_`` of shape (n_frequencies, n_features), or ``signs_`` and ``radii_`` of structured blocks; with
        `phases` also ``phases_`` of shape (n_frequencies,).
    """
    shape = n_frequencies, n_features
    if draw == "qmc":
        return _sobol(spectrum, seed, shape, phases, dtype)
    if draw == "structured":
        radii = _lengths(spectrum, seed, n_frequencies, padded_size(n_features))
        signs = draw_signs(seed, _SIGNS, n_frequencies, n_features, dtype)
        weights = {"signs_": signs, "radii_": radii.astype(dtype)}
    elif draw == "orthogonal":
        frequencies = np.empty(shape, dtype=dtype)
        orthogonal_rows(seed, frequencies, _lengths(spectrum, seed, n_frequencies, n_features))
        weights = {"frequencies_": frequencies}
    else:
        frequencies = spectrum.draw(seed, _FREQUENCIES, np.empty(shape, dtype=dtype))
        mixing = spectrum.mixing(seed, _MIXING, np.empty((n_frequencies, 1)))
        if mixing is not None:
            frequencies *= mixing.astype(dtype)
        weights = {"frequencies_": frequencies}
    if phases:
        weights["phases_"] = draw_phases(seed, n_frequencies, dtype)
    return weights


def draw_phases(seed: int, n_phases: int, dtype: str) -> np.ndarray:
    """Draw phases that are uniform on the circle, shape (n_phases,)."""
    return uniform(seed, _PHASES, 2.0 * np.pi, out=np.empty((n_phases, 1), dtype=dtype))[:, 0]


def _lengths(spectrum: Spectrum, seed: int, n_frequencies: int, dimension: int) -> np.ndarray:
    """Draw lengths of independent unit frequencies of an isotropic spectrum, shape (n_frequencies,)."""
    lengths = np.sqrt(chi_square(seed, _LENGTHS, dimension, np.empty((n_frequencies, 1))))
    mixing = spectrum.mixing(seed, _MIXING, np.empty((n_frequencies, 1)))
    return (lengths if mixing is None else lengths * mixing)[:, 0]


def orthogonal_rows(seed: int, out: np.ndarray, lengths: np.ndarray) -> None:
    """Fill `out`, shape (m, d), with blocks of d orthogonal rows of uniformly random orientation, of given lengths.

    A block is made in panels of 256 rows: Gaussian rows, freed from the panels before, then orthogonalised among each
    other. A panel is always made whole, so that it does not depend on how many rows follow; and the last block takes
    O(d·rows²), not O(d³), where few of its rows are wanted.
    """
    m, d = out.shape

    def fill(block: int) -> None:
        start = block * d
        wanted = min(d, m - start)
        rows = min(-(-wanted // CHUNK_ROWS) * CHUNK_ROWS, d)
        Q = standard_normal(seed, _BLOCKS + block, np.empty((rows, d)))
        for first in range(0, rows, CHUNK_ROWS):
            before, panel = Q[:first], Q[first : first + CHUNK_ROWS]
            for _ in range(2 if first else 0):  # once leaves errors where a row lies near the span of the others
                panel -= (panel @ before.T) @ before
            basis, triangle = np.linalg.qr(panel.T)
            # With a positive diagonal this is Gram and Schmidt's method, whose result is uniformly distributed.
            panel[...] = (basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)).T
        out[start : start + wanted] = Q[:wanted] * lengths[start : start + wanted, None]

    large = m * d >= _PARALLEL_FROM
    # Decompositions as small as these gain nothing from threads of their own, and lose much where cores are shared.
    with single_threaded_blas():
        for _ in map_ordered(fill, range(-(-m // d)), worker_count() if large else 1):
            pass


def _sobol(spectrum: Spectrum, seed: int, shape: tuple[int, int], phases: bool, dtype: str) -> dict[str, np.ndarray]:
    """Return the first points of one scrambled Sobol sequence, through the inverse laws.

    The first dimensions of such a sequence are the most even. They go to what matters for all columns, the mixing
    factor and the phase, then to the columns in their order.
    """
    extra = spectrum.n_mixing + phases
    # `seed` is `rng` from SciPy 1.15 on, which takes both names.
    sobol: Any = qmc.Sobol
    engine = sobol(extra + shape[1], scramble=True, bits=_SOBOL_BITS, seed=generator(seed, _SOBOL))
    frequencies, angles = np.empty(shape, dtype=dtype), np.empty(shape[0] if phases else 0, dtype=dtype)
    for start in range(0, shape[0], _SOBOL_ROWS):
        rows = slice(start, min(start + _SOBOL_ROWS, shape[0]))
        with warnings.catch_warnings():
            # That a power of two of points is balanced best is no news to a map whose m is a matter of cost.
            warnings.filterwarnings("ignore", message="The balance properties")
            points = engine.random(rows.stop - rows.start)
        points += 0.5 ** (_SOBOL_BITS + 1)  # the middle of a cell, which is never 0
        frequencies[rows] = spectrum.from_uniform(points[:, : spectrum.n_mixing], points[:, extra:])
        if phases:
            angles[rows] = 2.0 * np.pi * points[:, spectrum.n_mixing]
    return {"frequencies_": frequencies} | ({"phases_": angles} if phases else {})
