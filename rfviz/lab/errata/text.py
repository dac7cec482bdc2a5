"""Texts of the page on errors in the papers."""

from __future__ import annotations

from rfviz.experiments.errata.statements import Asked, Erratum

__all__ = ["METHOD", "TITLES", "of_erratum"]

#: The statements as the page offers them.
TITLES = {
    "maxout kernel": "Maxout, Theorem 1: the kernel",
    "far points": "Maxout: far points have a kernel near 0",
    "large pools": "Maxout: large pools",
    "longest projection": "Maxout, Theorem 2: how often it fails",
    "deviation term": "Kitchen sinks, Lemma 3: a factor of two",
    "copies of stumps": "Kitchen sinks, Figure 2: weights fall",
    "constant of Hoeffding": "Fourier: the constant for one pair",
    "unit of length": "Binning: a bound with a unit",
    "categories": "Compositional, Example 4: categories",
    "recursive calls": "Compositional: what C(S) counts",
    "paths of two lengths": "Compositional: a bound on C(S)",
}

METHOD = r"""
Every number is computed when the page is drawn, by a function of the library; nothing is drawn at random but the data
and the stumps of Figure 2. The mean products of two maxima are integrals over the plane, with the joint normal
distribution by Owen’s function, good to nine digits. Tests compare them with draws, and the other numbers with
formulas that use nothing of the library.

Red and dotted is what the paper prints. A paper that has an error here is not a bad one: what holds instead is often
as strong, and most statements of the five papers are right. The compositional paper’s Theorem 3, for one, is exact as
printed. The two errors on MNIST and on the data of Figure 1 were measured by scripts in `benchmarks/`.
"""


def of_erratum(erratum: Erratum, asked: Asked | None = None) -> str:
    """Return a statement with its reasons, in Markdown; with its numbers if settings are given."""
    lines = [
        f"**{erratum.place}**",
        f"*Printed.* {erratum.printed}",
        f"*Why it fails.* {erratum.why}",
        f"*What holds.* {erratum.right}",
    ]
    if asked is not None and erratum.numbers is not None:
        lines.append(f"*In numbers.* {erratum.numbers(asked)}")
    return "\n\n".join(lines)
