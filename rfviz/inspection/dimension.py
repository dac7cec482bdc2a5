"""How many coordinates tell a row from its neighbours, by two estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rfviz.analysis.intrinsic_dimension import DimensionResult, intrinsic_dimension, twins
from rfviz.figures.template import COLOURS, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT, MOST_POINTS
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.neighbours import NEIGHBOURS as KNOWN
from rfviz.inspection.neighbours import Neighbours, neighbour_distances, scaled_by_most
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import FEATURES, PREPARED, WITHOUT_FAR, claim_of_features
from rfviz.inspection.words import plural
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Dimension", "plot_dimension"]

# Estimates that differ by this factor disagree.
_DISAGREE = 1.6


class Dimension(Question[DimensionResult]):
    """How many coordinates tell a row from its neighbours."""

    name, key = "Dimension", "dimension"
    cost = 3
    settings = ("normalise",)
    formats: ClassVar = {"dimension": "%.2f", "standard error": "%.2f"}
    method = (
        "**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN "
        "(Facco et al. 2017) reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood "
        "estimate (Levina and Bickel 2004, with the correction of MacKay and Ghahramani) off the ten nearest. Both "
        "are too low where d is large and rows are few. Where many rows are nearly equal to another one, and a gap "
        "sets them apart, these near copies are left out: their distances say nothing of the sheet that the rows lie "
        "on."
    )

    kinds: ClassVar = {
        "dimension": (
            "The number of coordinates that tell a row from its neighbours. `estimate` “TwoNN”: of the logarithms of "
            "the ratio of the distances to the second and the first nearest different row, the smallest r = ⌊0.9 n⌋ "
            "are summed, the largest of these once more for each of the others; (r − 1) over that sum. “maximum "
            "likelihood”: the inverse of the mean of ln(T₁₀/Tⱼ), j = 1 to 9, over all rows, Tⱼ the distance to the "
            "j-th nearest different row. `left out` are near copies: of the shares 0.1, 0.05, … of T₅ the largest is "
            "taken within which at least 10 and 5% of the rows have their nearest one, and at most a third as many "
            "have it between once and three times that share; of rows within it of each other only the first stays. "
            f"{PREPARED} {WITHOUT_FAR}"
        ),
        "features": FEATURES,
    }

    def compute(self, inspection: Inspection) -> DimensionResult:
        known, n_features = inspection.answer(Neighbours()), inspection.source.dataset.n_features
        if not (left_out := twins(known.distance, known.neighbours)).any():
            return intrinsic_dimension(known.distance, n_features)
        sample = scaled_by_most(inspection.sample())
        X = sample.X[np.searchsorted(sample.rows, known.rows[~left_out])]
        found = intrinsic_dimension(neighbour_distances(X, KNOWN)[0], n_features)
        return replace(found, n_twins=int(left_out.sum()))

    def claims(self, result: DimensionResult, inspection: Inspection) -> Iterator[Claim]:
        n, how = result.n_rows + result.n_twins, inspection.source.normalise
        estimates = {
            "TwoNN": (result.two_nn, result.two_nn_error),
            "maximum likelihood": (result.likelihood, result.likelihood_error),
        }
        for name, (value, error) in estimates.items():
            of = {"estimate": name, "standard error": float(error), "scaling": how, "left out": result.n_twins}
            yield Claim("dimension", float(value), n_rows=n, of=of)
        yield claim_of_features(inspection, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        link = ("maxout-pca", {"dimensions": "3", "normalise": inspection.source.normalise})
        estimates, features = claims.of("dimension"), claims.of("features")[0]
        n_twins, n_columns = estimates[0].of["left out"], features.of["columns"]
        n_rows = features.n_rows - n_twins
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
        if n_twins:
            copies = f"{n_twins:,} {plural(n_twins, 'near copy', 'near copies')}"
            text = f"{text}. {copies} of other rows {plural(n_twins, 'is', 'are')} left out"
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
        return f"From {result.n_rows:,} different rows{', near copies left out' if result.n_twins else ''}."


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
