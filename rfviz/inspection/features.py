"""How many random features are enough: predicted from the exact kernel of the rows, before a feature is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.backend import single_threaded_blas
from rfviz.datasets import Dataset
from rfviz.features import MapSpec, RandomFourier
from rfviz.figures.axes import count_axis
from rfviz.figures.lines import M_TITLE, line, mark
from rfviz.figures.template import COLOURS, GREY, map_style, styled
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import take_sample
from rfviz.inspection.structure import Gain, learnable
from rfviz.inspection.words import share
from rfviz.progress import Progress, silent
from rfviz.theory import leave_one_out_curve
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Features", "FeaturesResult", "features_for", "plot_features"]

# Within 5% of the exact kernel's error, or of next to nothing a thousandth of a guess's.
_ROWS, _WITHIN, _NOTHING = 2000, 0.05, 0.001
_SPEC = MapSpec(RandomFourier, n_components=2, gamma="median", random_state=0, dtype="float64")
_POINTS = 60


@dataclass(frozen=True, eq=False)
class FeaturesResult:
    """Predicted errors of random Fourier features, as parts of the error of the mean of the other rows.

    Attributes
    ----------
    n_rows : int
    gamma : float
        Of the kernel.
    m : int
        Enough features, rounded up to two digits.
    within : float
        How much larger their error may be than that of the exact kernel, as a part of it.
    error, exact : float
        With m features, and with the exact kernel.
    gain : Gain
        Of the exact kernel over the mean.
    is_reliable : bool
    m_grid, errors : ndarray
        The predicted curve; infinite where m features cannot fit as much as the best penalty of the grid lets them.
    """

    is_classification: bool
    n_rows: int
    gamma: float
    m: int
    within: float
    error: float
    exact: float
    gain: Gain
    is_reliable: bool
    m_grid: np.ndarray
    errors: np.ndarray

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of features, and last the exact kernel."""
        m = pd.array([*self.m_grid.tolist(), None], dtype="Int64")
        return pd.DataFrame({"features": m, "predicted error": [*self.errors, self.exact]})


def features_for(dataset: Dataset, how: str = "automatic", progress: Progress = silent) -> FeaturesResult:
    """Predict the number of random Fourier features that come within 5% of the exact kernel's squared error.

    Parameters
    ----------
    dataset : Dataset
        With labels; up to 2,000 rows are used, drawn at random.
    how : str
        See :data:`rfviz.inspection.sample.SCALING`.

    Raises
    ------
    DataError
        Without labels, or with too few rows of two classes.
    """
    X, y, _ = learnable(dataset, _ROWS)
    X = take_sample(Dataset("rows", X), how, len(X), X.size).X
    progress(0.2, "Decomposing the exact kernel")
    is_classes = bool(dataset.target_names)
    Y = (y[:, None] == np.unique(y)).astype(np.float64) if is_classes else y / y.std()
    fitted = _SPEC.make().fit(X)
    with single_threaded_blas():  # several users share the processor
        curve = leave_one_out_curve(fitted.kernel(X), Y)
    unit, difference = float(curve.guess_losses.mean()), curve.guess_losses - curve.losses
    within = max(_WITHIN, _NOTHING * unit / max(curve.exact, np.finfo(float).tiny))
    m = _rounded_up(curve.features_needed(within))
    gain = Gain(float(difference.mean()) / unit, float(difference.std(ddof=1)) / unit / np.sqrt(len(y)))
    m_grid = np.unique(np.geomspace(1, 10 * max(m, len(y)), _POINTS).astype(int))
    return FeaturesResult(
        is_classes,
        len(y),
        float(fitted.gamma_),
        m,
        within,
        float(curve.error(m)) / unit,
        curve.exact / unit,
        gain,
        bool(curve.is_reliable(m)),
        m_grid,
        curve.error(m_grid) / unit,
    )


def _rounded_up(m: int) -> int:
    step = 10 ** max(floor(log10(m)) - 1, 0)
    return ceil(m / step) * step


class Features(Question[FeaturesResult]):
    """How many random features are enough."""

    name, key = "Number of features", "features"
    cost = 6
    settings = ("normalise",)
    on_request = True
    formats: ClassVar = {"predicted error": "%.4f"}
    method = (
        "**Number of features.** No feature is drawn. On given rows, random features act on average as their exact "
        "kernel with a larger penalty, and their leave-one-out errors follow from its eigenvalues and the labels "
        "(`rfviz.theory.leave_one_out_curve`). The number told comes within 5% of the squared error of the exact "
        "kernel, the penalty of each the best. Where the eigenvalues fall so fast that single draws decide, no number "
        "is told. Share of right labels is not predicted."
    )

    kinds: ClassVar = {
        "features": (
            "The smallest number of features, rounded up to two digits, whose predicted squared error is at most "
            "`within` above that of the exact kernel: 5%, or if that is more, a thousandth of the error of the mean of "
            "all other rows. Rows, their scaling and the largest class are those of the finding “Linear or not”, but "
            "2,000 rows at most and all of them scaled together."
        ),
        "predicted error": (
            "The mean squared leave-one-out error of ridge regression with an intercept, over that of the mean of all "
            "other rows; of classes, of one column of 0 and 1 each, summed. Of the exact kernel exp(−γ‖x − y‖²), the "
            "least over 37 penalties, if `model` says so; else of that number of random features, by the formula that "
            "`rfviz.theory.leave_one_out_curve` states."
        ),
        "gain over the mean": (
            "One less that error of the exact kernel. `error`: the standard error of the mean of the rows’ "
            "differences. Below 2.33 of these, nothing is learnt."
        ),
        "is predictable": (
            "Whether three tenths or more of the fitted directions are shrunk in part: with p = λ/(λ + γ) for each "
            "eigenvalue, Σp − Σp² is at least 0.3 Σp; or whether there are ten features or more for each of Σp."
        ),
    }

    def compute(self, inspection: Inspection) -> FeaturesResult:
        return features_for(inspection.dataset, inspection.source.normalise, inspection.progress)

    def claims(self, result: FeaturesResult, inspection: Inspection) -> Iterator[Claim]:
        n, label = result.n_rows, inspection.raw.label_columns
        of = {"scaling": inspection.source.normalise, "γ": result.gamma}
        yield Claim("features", result.m, label, n, of={"within": result.within} | of | inspection.rows.counts)
        yield Claim("predicted error", result.error, label, n, of={"model": "features", "features": result.m} | of)
        yield Claim("predicted error", result.exact, label, n, of={"model": "exact kernel"} | of)
        yield Claim("gain over the mean", result.gain.value, label, n, of={"error": result.gain.error})
        yield Claim("is predictable", result.is_reliable, label, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        enough, (error, exact), gain = claims[0], claims.of("predicted error"), claims.of("gain over the mean")[0]
        how, m, n = inspection.source.normalise, enough.value, enough.n_rows
        link = ("learning-curve", {"map": "RandomFourier", "gamma": enough.of["γ"], "normalise": how, "tuned": True})
        of = f"{counted(n, 'row')}{inspection.rows.of_all(n)}"
        if not Gain(gain.value, gain.of["error"]).is_real():
            text = f"The Gaussian kernel of {of} is no better than a guess by more than chance brings"
            return self.say("unknown", f"{text}: no number of random features would be.", *link)
        if not claims.value("is predictable"):
            text = f"How many features do for {of} cannot be predicted"
            return self.say(
                "unknown", f"{text}: the kernel’s eigenvalues fall so fast that single draws decide.", *link
            )
        text = (
            f"About {counted(m, 'random Fourier feature')} would do for {of}: their predicted squared error is "
            f"{share(error.value)} of that of a guess, and that of the exact Gaussian kernel {share(exact.value)}"
        )
        if m > n:
            text += ". These are more than the rows, so the exact kernel itself costs less"
        return self.say("fine", f"{text}.", *link)

    def pictures(self, result: FeaturesResult) -> Iterator[Picture]:
        words = "The predicted squared error against the number of random features, and that of the exact kernel."
        yield Picture("features", result, plot_features, words)

    def note(self, result: FeaturesResult) -> str:
        return f"For {result.n_rows:,} rows, as parts of the squared error of a guess; last, the exact kernel."


def plot_features(result: FeaturesResult, revision: str = "") -> go.Figure:
    """Draw the predicted error against the number of features, and that of the exact kernel.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    known = np.isfinite(result.errors)
    style, ends = map_style(RandomFourier), np.array([1.0, result.m_grid[-1]])
    curve = line(result.m_grid[known], result.errors[known], style.colour, "solid", "predicted", 2.5)
    kernel = line(ends, np.full(2, result.exact), COLOURS[2], "dashdot", "exact kernel", 2.0)
    guess = line(ends, np.ones(2), GREY, "dot", "guess", 2.0)
    return styled(
        [curve, kernel, guess],
        x=M_TITLE,
        y="squared error ÷ that of a guess",
        height=HEIGHT,
        revision=revision,
        xaxis=count_axis(1, result.m_grid[-1]),
        yaxis={"range": [0.0, 1.1]},
        shapes=[mark("x", result.m)],
    )
