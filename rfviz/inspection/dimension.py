"""The intrinsic dimension: the number of coordinates that tell a point from its neighbours, by two estimates.

Where points are spread evenly over a d-dimensional sheet, the number of points within a distance grows as its d-th
power, whatever the number of columns; both estimates read d off the distances to the nearest neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.errors import DataError
from rfviz.figures.quick import trace
from rfviz.figures.template import COLOURS, styled
from rfviz.inspection.drawing import HEIGHT, MOST_POINTS
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.neighbours import Neighbours
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import FEATURES, PREPARED, WITHOUT_FAR, claim_of_features
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = [
    "NEIGHBOURS",
    "Dimension",
    "DimensionResult",
    "intrinsic_dimension",
    "likelihood_dimension",
    "plot_dimension",
    "two_nn_dimension",
]

#: Neighbours that the likelihood estimate uses.
NEIGHBOURS = 10
# The largest ratios are left out of the first estimate: they come from sparse borders.
_KEPT_SHARE = 0.9
_FEWEST = 20
# Share of rows whose first and second neighbour are equally far, up to rounding, beyond which columns take too few
# values.
_TIED, _EQUAL = 0.2, 1e-6
# Estimates that differ by this factor disagree.
_DISAGREE = 1.6


@dataclass(frozen=True, eq=False)
class DimensionResult:
    """Two estimates of the intrinsic dimension.

    Attributes
    ----------
    two_nn, two_nn_error : float
        Facco et al., with its standard error.
    likelihood, likelihood_error : float
        Levina and Bickel's, corrected by MacKay and Ghahramani.
    n_rows : int
        Different rows that were used.
    n_features : int
        Columns of the data: no estimate should exceed it by more than chance.
    tied : float
        Share of the rows whose two nearest neighbours are equally far.
    ratios : ndarray of shape (n_rows,)
        Distance of each row to its second neighbour over that to its first, rising.
    """

    two_nn: float
    two_nn_error: float
    likelihood: float
    likelihood_error: float
    n_rows: int
    n_features: int
    tied: float
    ratios: np.ndarray

    def ratio_frame(self) -> pd.DataFrame:
        """Return the logarithm of each ratio, and of the share of rows with a larger one, turned round."""
        n = len(self.ratios)
        return pd.DataFrame({"ln ratio": np.log(self.ratios), "−ln share": -np.log(1.0 - (np.arange(n) + 0.5) / n)})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per estimate."""
        return pd.DataFrame(
            {
                "estimate": ["TwoNN", "Maximum likelihood"],
                "dimension": [self.two_nn, self.likelihood],
                "standard error": [self.two_nn_error, self.likelihood_error],
                "neighbours": [2, min(NEIGHBOURS, self.n_rows - 1)],
            }
        )


def intrinsic_dimension(distance: np.ndarray, n_features: int) -> DimensionResult:
    """Estimate the dimension twice from the distances to the nearest neighbours.

    Parameters
    ----------
    distance : ndarray of shape (n, k)
        To the k ≥ 3 nearest other rows, nearest first; equal rows merged into one.
    n_features : int
        Columns of the data.

    Raises
    ------
    DataError
        For fewer than 20 different rows, or columns of so few values that neighbours are equally far.
    """
    n = len(distance)
    if n < _FEWEST:
        raise DataError(f"The dimension needs at least {_FEWEST} different rows; there are {n}. Choose more rows.")
    tied = float(np.mean(distance[:, 1] <= (1.0 + _EQUAL) * distance[:, 0]))
    if tied > _TIED:
        raise DataError(
            f"The two nearest neighbours of {tied:.0%} of the rows are equally far, as where columns take few values. "
            "Such data have no dimension that distances tell."
        )
    two, likely = two_nn_dimension(distance), likelihood_dimension(distance[:, :NEIGHBOURS])
    return DimensionResult(*two, *likely, n, n_features, tied, np.sort(distance[:, 1] / distance[:, 0]))


def two_nn_dimension(distance: np.ndarray) -> tuple[float, float]:
    r"""Estimate the dimension from the ratio μ of the two nearest distances (Facco, d'Errico, Rodriguez, Laio 2017).

    As P(μ > t) = t^{−d}, ln μ is exponential of rate d. From the smallest nine tenths of the ratios, the sum
    T = Σ ln μ_(i) + (n − r) ln μ_(r) is Gamma(r, d), were they independent: (r − 1)/T is unbiased.

    Parameters
    ----------
    distance : ndarray of shape (n, ≥ 2)

    Returns
    -------
    dimension, standard_error : float
        Infinite where all ratios are 1.

    References
    ----------
    E. Facco et al., "Estimating the intrinsic dimension of datasets by a minimal neighborhood information",
    Scientific Reports 7, 2017.
    """
    logs = np.sort(np.log(distance[:, 1] / distance[:, 0]))
    kept = max(int(_KEPT_SHARE * len(logs)), 3)
    total = float(logs[:kept].sum() + (len(logs) - kept) * logs[kept - 1])
    if not total > 0:
        return np.inf, np.inf
    dimension = (kept - 1) / total
    return dimension, dimension / np.sqrt(kept - 2)


def likelihood_dimension(distance: np.ndarray) -> tuple[float, float]:
    r"""Estimate the dimension from the k nearest distances by maximum likelihood (Levina and Bickel 2004).

    ln(T_k/T_j), j < k, are exponential of rate d about every point. MacKay and Ghahramani (2005) average the inverses
    over the points and invert once, which is the maximum of the joint likelihood; the mean of d over the points would
    be too large.

    Parameters
    ----------
    distance : ndarray of shape (n, k)
        Distances T_1 ≤ … ≤ T_k, k ≥ 3.

    Returns
    -------
    dimension, standard_error : float
        The error is that of independent ratios; since neighbourhoods overlap, the true one is about a third larger.

    References
    ----------
    E. Levina, P. Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004.
    """
    n, k = distance.shape
    inverse = float(np.log(distance[:, -1:] / distance[:, :-1]).sum() / (n * (k - 1)))
    if not inverse > 0:
        return np.inf, np.inf
    return 1.0 / inverse, 1.0 / inverse / np.sqrt(n * (k - 1))


class Dimension(Question[DimensionResult]):
    """How many coordinates tell a row from its neighbours."""

    name, key = "Dimension", "dimension"
    settings = ("normalise",)
    formats: ClassVar = {"dimension": "%.2f", "standard error": "%.2f"}
    method = (
        "**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN "
        "(Facco et al. 2017) reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood "
        "estimate (Levina and Bickel 2004, with the correction of MacKay and Ghahramani) off the ten nearest. Both "
        "are too low where d is large and rows are few."
    )

    kinds: ClassVar = {
        "dimension": (
            "The number of coordinates that tell a row from its neighbours. `estimate` “TwoNN”: of the logarithms of "
            "the ratio of the distances to the second and the first nearest different row, the smallest r = ⌊0.9 n⌋ "
            "are summed, the largest of these once more for each of the others; (r − 1) over that sum. “maximum "
            "likelihood”: the inverse of the mean of ln(T₁₀/Tⱼ), j = 1 to 9, over all rows, Tⱼ the distance to the "
            f"j-th nearest different row. {PREPARED} {WITHOUT_FAR}"
        ),
        "features": FEATURES,
    }

    def compute(self, inspection: Inspection) -> DimensionResult:
        return intrinsic_dimension(inspection.answer(Neighbours()).distance, inspection.source.dataset.n_features)

    def claims(self, result: DimensionResult, inspection: Inspection) -> Iterator[Claim]:
        n, how = result.n_rows, inspection.source.normalise
        estimates = {
            "TwoNN": (result.two_nn, result.two_nn_error),
            "maximum likelihood": (result.likelihood, result.likelihood_error),
        }
        for name, (value, error) in estimates.items():
            of = {"estimate": name, "standard error": float(error), "scaling": how}
            yield Claim("dimension", float(value), n_rows=n, of=of)
        yield claim_of_features(inspection, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        link = ("maxout-pca", {"dimensions": "3", "normalise": inspection.source.normalise})
        estimates, features = claims.of("dimension"), claims.of("features")[0]
        n_rows, n_columns = features.n_rows, features.of["columns"]
        low, high = sorted(claim.value for claim in estimates)
        about = f"about {low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"between {low:.1f} and {high:.1f}"
        by = ", ".join(f"{claim.of['estimate']} {claim.value:.1f}" for claim in estimates)
        # Each word of a category is a feature of its own.
        wide = counted(features.value, "column")
        if features.value != n_columns:
            wide = f"{counted(features.value, 'feature')} of {counted(n_columns, 'column')}"
        text = f"Near each row the data have {about} dimensions ({by}), in {wide}"
        grade = "fine"
        if high > n_rows - 1:
            most = f"{counted(n_rows, 'row')} lie in {n_rows - 1:,} dimensions at most"
            return self.say("unknown", f"{most}, and their distances suggest more ({high:.0f}): too few rows to tell.")
        if high > _DISAGREE * low:
            grade, text = "look", f"{text}; the two estimates differ so much because rows are not spread evenly"
        elif low > 20:
            grade = "look"
            text += "; so high a dimension is underestimated, and neighbours are hardly nearer than other rows"
        return self.say(grade, f"{text}.", *link)

    def pictures(self, result: DimensionResult) -> Iterator[Picture]:
        words = "The distribution of the ratio of the two nearest distances, and lines of both estimates."
        explanation = (
            "Each row’s distance to its second nearest row over that to its nearest. Where rows fill d dimensions "
            "evenly, the dots follow a line of slope d. Maximum likelihood looks at ten neighbours of each row; where "
            "its line leaves the dots, larger neighbourhoods look different from small ones."
        )
        yield Picture("dimension", result, plot_dimension, words, explanation, result.ratio_frame)

    def note(self, result: DimensionResult) -> str:
        return f"From {result.n_rows:,} different rows."


def plot_dimension(result: DimensionResult, revision: str = "") -> go.Figure:
    """Draw the law of the ratio of the two nearest distances, whose slope is the dimension, and both estimates.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    law = result.ratio_frame().to_numpy()
    shown = law[np.unique(np.linspace(0, len(law) - 1, MOST_POINTS).astype(int))]
    points = trace(
        "scatter",
        x=shown[:, 0],
        y=shown[:, 1],
        mode="markers",
        name="rows",
        showlegend=True,
        marker={"color": COLOURS[0], "size": 4},
        hovertemplate="ln ratio %{x:.3g}: −ln share %{y:.3g}<extra></extra>",
    )
    traces, (width, height) = [points], law.max(axis=0)
    for slope, name, dash in ((result.two_nn, "TwoNN", "solid"), (result.likelihood, "maximum likelihood", "dash")):
        end = min(width, height / slope)
        traces.append(
            trace(
                "scatter",
                x=[0.0, end],
                y=[0.0, slope * end],
                mode="lines",
                name=f"{name}: {slope:.1f}",
                line={"color": COLOURS[1], "dash": dash, "width": 2.5},
                hovertemplate=f"{name}: {slope:.3g}<extra></extra>",
            )
        )
    return styled(traces, x="ln(second distance / first)", y="−ln(share with more)", height=HEIGHT, revision=revision)
