"""Random features compared with AdaBoost: error, seconds, and seconds to reach an error, as in the paper.

Figure 1 of the paper on kitchen sinks. Both sides learn from the same rows and are tested on the same others. Random
features are drawn once and fitted by a convex loss; AdaBoost chooses each of its stumps with care.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from rfviz.analysis.accuracy import Segment, mean_and_spread
from rfviz.analysis.splits import Split
from rfviz.experiments.kitchen_sinks.approximation import Distances
from rfviz.experiments.kitchen_sinks.boosting import BoostSegment
from rfviz.experiments.kitchen_sinks.constraint import ConstrainedErrors
from rfviz.experiments.kitchen_sinks.rivals import RivalSegment
from rfviz.experiments.kitchen_sinks.weights import WeightDecay
from rfviz.features import (
    DecisionStumps,
    FeatureMap,
    RandomActivation,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomReLU,
    SigmoidalRidge,
)

__all__ = [
    "ADABOOST",
    "JOINT",
    "LEARNERS",
    "PAPERS_LEARNERS",
    "PURSUIT",
    "ROUNDING",
    "Curve",
    "KitchenSinksResult",
    "boost_curve",
    "curves_frame",
    "rival_curve",
    "sink_curve",
]

ADABOOST, PURSUIT, JOINT = "AdaBoost", "Matching pursuit", "Joint fit"
#: The families of random features that the paper tries.
PAPERS_LEARNERS: tuple[type[FeatureMap], ...] = (DecisionStumps, SigmoidalRidge, RandomFourier)
#: Those that the page offers, and their names there; any other map can take part as well.
LEARNERS: dict[type[FeatureMap], str] = {
    DecisionStumps: "Random stumps",
    SigmoidalRidge: "Random sigmoids",
    RandomFourier: "Random Fourier",
    RandomActivation: "Own function",
    RandomMaxout: "Random maxout",
    RandomReLU: "Random ReLU",
    RandomBinning: "Random binning",
}

#: Errors are shares of whole rows, but for rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Curve:
    """One learner.

    Attributes
    ----------
    cls : type of FeatureMap or None
        None for AdaBoost and other methods that draw no features of their own.
    frame : DataFrame
        Columns K, error (share of wrong test rows, mean over draws), s.d., draws, train, test and total (seconds,
        median over draws; missing where they were not measured on their own). One row per K, rising.
    """

    label: str
    cls: type[FeatureMap] | None
    frame: pd.DataFrame

    @property
    def measured(self) -> pd.DataFrame:
        """The rows whose seconds are known."""
        return self.frame.loc[self.frame["total"].notna()]

    @property
    def best(self) -> tuple[int, float]:
        """The least of all its errors, and the first K that has it."""
        errors = self.frame["error"].to_numpy(float)
        first = int(np.flatnonzero(errors <= errors.min() + ROUNDING)[0])
        return int(self.frame["K"].iloc[first]), float(errors[first])

    def staircase(self) -> tuple[np.ndarray, np.ndarray]:
        """Return errors that were reached, falling, and the seconds of the quickest K that reached each."""
        frame = self.measured.sort_values(["total", "error"])
        best = frame["error"].cummin()
        first = frame.loc[(frame["error"] <= best) & ~best.duplicated()]
        return first["error"].to_numpy(), first["total"].to_numpy()

    def reaches(self, error: float) -> int | None:
        """Return the first K with this error or less, timed or not, or None if there is none."""
        enough = np.flatnonzero(self.frame["error"].to_numpy(float) <= error + ROUNDING)
        return int(self.frame["K"].iloc[enough[0]]) if len(enough) else None

    def reached_after(self, error: float) -> float | None:
        """Return the seconds after which its staircase has come to an error, or None if it does not."""
        errors, seconds = self.staircase()
        enough = np.flatnonzero(errors <= error + ROUNDING)
        return float(seconds[enough[0]]) if len(enough) else None


def sink_curve(label: str, cls: type[FeatureMap], runs: Sequence[Sequence[Segment]]) -> Curve:
    """Return the curve of segments of several draws.

    The last K of a segment is the one whose seconds were measured; they hold the choice of the penalty too.

    Parameters
    ----------
    cls : type of FeatureMap
    runs : sequence of sequences of Segment
        The segments of each draw.
    """
    spread = mean_and_spread(runs)
    frame = pd.DataFrame({"K": spread["m"], "error": spread["error"], "s.d.": spread["s.d."], "draws": spread["seeds"]})
    times: dict[int, list[tuple[float, float]]] = {}
    for segment in (s for run in runs for s in run):
        times.setdefault(int(segment.m_grid[-1]), []).append((segment.seconds_fit, segment.seconds_predict))
    # The median, since the first draw of all also pays for modules that are loaded then.
    middle = {k: np.median(values, axis=0) for k, values in times.items()}
    missing = (np.nan, np.nan)
    seconds = np.array([middle.get(int(k), missing) for k in frame["K"]], dtype=float).reshape(-1, 2)
    return Curve(label, cls, frame.assign(train=seconds[:, 0], test=seconds[:, 1], total=seconds.sum(axis=1)))


def boost_curve(segments: Sequence[BoostSegment]) -> Curve:
    """Return AdaBoost's curve from its segments, in their order."""
    columns = {"K": "k_grid", "error": "errors", "train": "seconds_fit", "test": "seconds_predict"}
    frame = pd.DataFrame(
        {name: np.concatenate([getattr(s, of) for s in segments] or [np.zeros(0)]) for name, of in columns.items()}
    )
    if len(segments):  # beyond the last stump nothing changes, and nothing is to be drawn
        frame = frame[frame["K"] <= max(segments[-1].state.n_stumps, 1)]
    frame = frame.astype({"K": int}).assign(total=frame["train"] + frame["test"], draws=1)
    frame.insert(2, "s.d.", 0.0)
    return Curve(ADABOOST, None, frame.reset_index(drop=True))


def rival_curve(label: str, segments: Sequence[RivalSegment]) -> Curve:
    """Return the curve of another method from its segments, in their order."""
    columns = {"K": "k_grid", "error": "errors", "train": "seconds_fit", "test": "seconds_predict"}
    frame = pd.DataFrame(
        {name: np.concatenate([getattr(s, of) for s in segments] or [np.zeros(0)]) for name, of in columns.items()}
    )
    frame = frame.astype({"K": int}).assign(total=frame["train"] + frame["test"], draws=1)
    frame.insert(2, "s.d.", 0.0)
    return Curve(label, None, frame)


def curves_frame(curves: Sequence[Curve], view: str = "error") -> pd.DataFrame:
    """Return the points of several curves, with the name of the learner.

    Parameters
    ----------
    curves : sequence of Curve
    view : {"error", "seconds", "reach"}
        Errors against K; seconds against K; or the seconds after which each error was first reached.
    """
    frames = []
    for curve in curves:
        if view == "reach":
            frame = pd.DataFrame(dict(zip(("error", "seconds"), curve.staircase(), strict=True)))
        elif view == "seconds":
            frame = curve.measured[["K", "train", "test", "total"]]
        else:
            frame = curve.frame[["K", "error", "s.d.", "draws"]]
        frame = frame.copy()
        frame.insert(0, "learner", curve.label)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True, eq=False)
class KitchenSinksResult:
    """The learners, or the weights of one family, as far as they are computed.

    Attributes
    ----------
    curves : tuple of Curve
    ended : str
        Why AdaBoost has fewer stumps than were asked for.
    is_complete : bool
        Whether no point is missing.
    """

    split: Split = field(repr=False)
    curves: tuple[Curve, ...] = ()
    decay: WeightDecay | None = None
    constrained: ConstrainedErrors | None = None
    distances: Distances | None = None
    ended: str = ""
    is_complete: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether there is no point to draw."""
        drawn = self.decay, self.constrained, self.distances
        return all(found is None for found in drawn) and not any(len(curve.frame) for curve in self.curves)
