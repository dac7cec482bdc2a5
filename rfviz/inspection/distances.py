"""Distances of pairs of rows, and the kernel width that they suggest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.points import centred_gram, squared_distances
from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.features import RandomFourier
from rfviz.features.widths import learnt_gamma
from rfviz.figures.template import GREY, map_style, rgba, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import FEATURES, PREPARED, Sample, claim_of_features
from rfviz.inspection.words import share
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["DistanceResult", "Distances", "distances", "plot_distances"]

_PAIR_ROWS, _BINS = 1000, 60
# A map is saturated where its distances are this share of the largest.
_SATURATED = 0.9
# Distances spread so little, of their mean, that near and far mean little; and so small a part of the largest one as
# rounding leaves of none.
_CONCENTRATED, _NO_DISTANCE = 0.1, 1e-6


@dataclass(frozen=True, eq=False)
class DistanceResult:
    """Distances of the pairs of some rows.

    Attributes
    ----------
    edges : ndarray of shape (61,)
    counts : ndarray of shape (60,), int
        Pairs by distance.
    n_rows : int
        Rows that form the pairs.
    gamma_median, gamma_scale : float
        Learnt from these rows by ``gamma="median"`` and ``"scale"`` of :class:`rfviz.features.RandomFourier`.
    reach : float
        Distance at which the Gaussian map with the median's width reaches nine tenths of its largest distance.
    beyond : float
        Share of the pairs that are farther apart.
    """

    edges: np.ndarray
    counts: np.ndarray
    n_rows: int
    median: float
    mean: float
    deviation: float
    gamma_median: float
    gamma_scale: float
    reach: float
    beyond: float

    @property
    def contrast(self) -> float:
        """Standard deviation over mean: near 0 where all rows are equally far from each other."""
        return self.deviation / self.mean

    def mapped(self, r: np.ndarray) -> np.ndarray:
        """Return the distance after the map, √(2 − 2k(r)), over the largest, √2, of two rows at distance r."""
        return np.sqrt(-np.expm1(-self.gamma_median * np.asarray(r) ** 2))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per bar of the histogram."""
        return pd.DataFrame(
            {
                "from": self.edges[:-1],
                "to": self.edges[1:],
                "pairs": self.counts,
                "after the map, share of its largest": self.mapped(0.5 * (self.edges[1:] + self.edges[:-1])),
            }
        )


def distances(sample: Sample) -> DistanceResult:
    """Measure the distances of the pairs of up to 1000 rows, taken evenly.

    Raises
    ------
    DataError
        For fewer than two rows, or rows that are all equal.
    """
    chosen = np.unique(np.linspace(0, len(sample.X) - 1, min(len(sample.X), _PAIR_ROWS)).astype(int))
    X = sample.X[chosen]
    with single_threaded_blas():
        r = np.sqrt(squared_distances(centred_gram(X))) if len(X) > 1 else np.zeros(0)
    if not r.size or not r.max() > 1e-6 * np.abs(X).max():
        raise DataError("The rows are equal in all columns used: there are no distances to measure.")
    by_median, by_scale = (learnt_gamma(rule, "gaussian", sample.X) for rule in ("median", "scale"))
    reach = float(np.sqrt(-np.log1p(-(_SATURATED**2)) / by_median))
    counts, edges = np.histogram(r, _BINS, (0.0, float(r.max())))
    return DistanceResult(
        edges,
        counts,
        len(X),
        float(np.median(r)),
        float(r.mean()),
        float(r.std()),
        by_median,
        by_scale,
        reach,
        float(np.mean(r > reach)),
    )


class Distances(Question[DistanceResult]):
    """How far apart rows are, and the width of a kernel that suits them."""

    name, key = "Distances", "distances"
    cost = 1
    settings = ("normalise",)
    formats: ClassVar = {"from": "%.3g", "to": "%.3g", "after the map, share of its largest": "%.3f"}

    kinds: ClassVar = {
        "median distance": (
            "The median of the Euclidean distances of the pairs of at most 1000 rows, taken evenly. " + PREPARED
        ),
        "features": FEATURES,
        "largest distance": "The largest of them.",
        "spread of distances": "Their standard deviation over their mean.",
        "width": (
            "γ of the Gaussian kernel exp(−γr²): 1/M², where M is the median distance of the pairs of at most 500 of "
            "the rows, taken evenly."
        ),
        "saturation": "The distance r at which √(1 − exp(−γr²)), the share of the map’s largest distance, is 0.9.",
        "pairs beyond saturation": "The share of the pairs that are farther apart.",
    }

    def compute(self, inspection: Inspection) -> DistanceResult:
        return distances(inspection.sample())

    def claims(self, result: DistanceResult, inspection: Inspection) -> Iterator[Claim]:
        of = {"scaling": inspection.source.normalise} | inspection.rows.counts
        said = {
            "median distance": result.median,
            "largest distance": float(result.edges[-1]),
            "spread of distances": result.contrast,
            "width": result.gamma_median,
            "saturation": result.reach,
            "pairs beyond saturation": result.beyond,
        }
        for what, value in said.items():
            yield Claim(what, value, n_rows=result.n_rows, of=of)
        yield claim_of_features(inspection, result.n_rows)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        said, n = {claim.what: claim.value for claim in claims}, claims[0].n_rows
        values = {"map": "RandomFourier", "gamma": "median", "normalise": inspection.source.normalise}
        of = inspection.rows.of_all(n)
        between = f" between {counted(n, 'row')}{of}" if of else ""
        if said["median distance"] <= _NO_DISTANCE * said["largest distance"]:
            none = f"More than half of the distances{between} are 0, or nearly so next to the largest"
            return self.say("look", f"{none}: no width suits such rows.", "distance-saturation", values)
        text = (
            f"The median distance{between} is {said['median distance']:.3g}, which suggests γ = {said['width']:.2g} "
            f"for a Gaussian kernel; its map saturates at {said['saturation']:.3g}, and "
            f"{share(said['pairs beyond saturation'])} of all pairs are farther apart"
        )
        if said["spread of distances"] < _CONCENTRATED:
            text += f". All rows are nearly equally far apart (± {share(said['spread of distances'])}), so that near "
            text += "and far mean little"
            return self.say("look", f"{text}.", "distance-saturation", values)
        return self.say("fine", f"{text}.", "distance-saturation", values)

    def pictures(self, result: DistanceResult) -> Iterator[Picture]:
        words = "Histogram of the distances of pairs, and the map’s distances."
        explanation = (
            "Grey: distances between the rows. Curve: their distances after a random Fourier map with the width that "
            f"the median rule suggests (γ = {result.gamma_median:.3g}, σ = {(0.5 / result.gamma_median) ** 0.5:.3g}; "
            f"the rule “scale” gives {result.gamma_scale:.3g}). At {result.reach:.3g} the curve reaches nine tenths of "
            f"its maximum. {share(result.beyond)} of the pairs are farther apart: the map forgets their distance."
        )
        yield Picture("distances", result, plot_distances, words, explanation)


def plot_distances(result: DistanceResult, revision: str = "") -> go.Figure:
    """Draw a histogram of the distances of pairs, and the distances after the Gaussian map.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    style = map_style(RandomFourier)
    centres, width = 0.5 * (result.edges[1:] + result.edges[:-1]), float(result.edges[1] - result.edges[0])
    height = result.counts / result.counts.max()
    grid = np.linspace(0.0, result.edges[-1], 161)
    bars = trace(
        "bar",
        x=centres,
        y=height,
        width=width,
        marker={"color": rgba(GREY, 0.55), "line": {"width": 0}},
        name="pairs",
        customdata=result.counts,
        hovertemplate="distance %{x:.3g}: %{customdata} pairs<extra></extra>",
    )
    curve = trace(
        "scatter",
        x=grid,
        y=result.mapped(grid),
        mode="lines",
        name="distance after the Fourier map",
        line={"color": style.colour, "dash": style.dash, "width": 2.5},
        hovertemplate="after the map: %{y:.2f} of its largest<extra></extra>",
    )
    marks = [("median", result.median), ("saturated", result.reach)]
    lines = [
        {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1.02, "line": {"color": GREY, "dash": "dot", "width": 1.5}}
        for _, x in marks
    ]
    above = {"y": 1.02, "showarrow": False, "yanchor": "bottom", "font": {"size": 13}}
    words = [
        above | {"x": x, "text": text, "xanchor": side}
        for (text, x), side in zip(marks, ("right", "left"), strict=True)  # the map is saturated beyond the median
        if x <= result.edges[-1]
    ]
    return styled(
        [bars, curve],
        x="distance of two rows",
        y="share of the largest",
        height=HEIGHT,
        revision=revision,
        shapes=[line for line in lines if line["x0"] <= result.edges[-1]],
        annotations=words,
        bargap=0,
        legend={"y": 1.1},
        margin={"l": 76, "r": 24, "t": 64, "b": 56},
        xaxis={"range": [0.0, float(result.edges[-1])]},
        yaxis={"range": [0.0, 1.1]},
    )
