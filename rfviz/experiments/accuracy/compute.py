"""Curves of the test error over the number of features, over seconds and over bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from rfviz.analysis.accuracy import Segment, mean_and_spread
from rfviz.analysis.exact_kernel import ExactKernel
from rfviz.analysis.splits import Split
from rfviz.experiments.accuracy.architectures import AUGMENTED, AUGMENTED_M, NAMES, NETWORKS, errors_by_epoch, ranking
from rfviz.experiments.accuracy.maxout_table import PAPER_TABLE_1, TABLE_M, MaxoutTable
from rfviz.experiments.accuracy.prediction import Prediction, Unpredicted
from rfviz.experiments.candidate import Candidate
from rfviz.features import FeatureMap, RandomMaxout

__all__ = [
    "TRAINED", "AccuracyResult", "Curve", "curves_frame", "epochs_frame", "make_curve", "mean_against_seconds",
    "table_runs",
]  # fmt: skip

# What has errors by epoch, in the order of Curve.epochs.
TRAINED = ("features", "network")
Runs = Sequence[Sequence[Segment]]


@dataclass(frozen=True, eq=False)
class Curve:
    """One map in the chart.

    Attributes
    ----------
    cls : type of FeatureMap
        Gives the curve its colour.
    frame : DataFrame
        Columns of the chosen axis (``m``, ``seconds`` or ``bytes``), ``error`` and ``s.d.``, in the units of the chart.
    paper : tuple of (m, error, s.d.)
        The paper's numbers for the same setting; empty if it has none.
    network : float or None
        Error of the network of the same skeleton, where it is known.
    exact : float or None
        Error of ridge regression with the map's exact kernel, where it is known.
    augmented : tuple of (m, error)
        Errors after training on images that change, where they are known.
    epochs : tuple of (features, network)
        Errors after each epoch of this training, of the most features and of the network, where they are known.
    prediction : Prediction or None
        Squared errors predicted from the exact kernel, if the curve is of squared errors.
    """

    label: str
    cls: type[FeatureMap]
    frame: pd.DataFrame
    paper: tuple[tuple[float, float, float], ...] = ()
    network: float | None = None
    exact: float | None = None
    augmented: tuple[tuple[int, float], ...] = ()
    epochs: tuple[tuple[float, ...], ...] = ()
    prediction: Prediction | None = None


def make_curve(
    label: str,
    cls: type[FeatureMap],
    runs: Runs,
    *,
    scale: float = 1.0,
    axis: str = "m",
    paper: tuple[tuple[float, float, float], ...] = (),
    network: float | None = None,
    exact: float | None = None,
    augmented: tuple[tuple[int, float], ...] = (),
    epochs: tuple[tuple[float, ...], ...] = (),
    prediction: Prediction | None = None,
) -> Curve:
    """Return the curve of the mean over some runs.

    Parameters
    ----------
    cls : type of FeatureMap
    runs : sequence of sequences of Segment
        The segments of each seed.
    scale : float
        Of the errors: 100 for per cent.
    axis : {"m", "seconds", "bytes"}
        What it is drawn against.
    paper : tuple of (m, error, s.d.)
    network, exact, augmented, epochs, prediction
        See :class:`Curve`.
    """
    frame = mean_against_seconds(runs) if axis == "seconds" else mean_and_spread(runs)
    errors = {name: scale * frame[name] for name in ("error", "s.d.")}
    return Curve(label, cls, frame.assign(**errors), paper, network, exact, augmented, epochs, prediction)


def mean_against_seconds(runs: Runs) -> pd.DataFrame:
    """Return the error at the last m of each segment, whose time was measured, against the mean time over the seeds.

    More features never take less time: where a larger m was measured faster, which is noise, it and its neighbours get
    their mean time, so that no curve runs backwards.

    Parameters
    ----------
    runs : sequence of sequences of Segment
        As :func:`rfviz.analysis.accuracy.mean_and_spread` takes them.

    Returns
    -------
    DataFrame
        Columns m, error, seconds and s.d. (of the error; 0 for a single seed); one row per m, rising.
    """
    rows = [
        {"m": int(s.m_grid[-1]), "error": s.errors[-1], "seconds": s.seconds_fit + s.seconds_predict}
        for segments in runs
        for s in segments
        if np.isfinite(s.seconds_fit)  # a draw of Table 1 shares its time among pool sizes
    ]
    if not rows:
        return pd.DataFrame(columns=["m", "error", "s.d.", "seconds"])
    groups = pd.DataFrame(rows).groupby("m")
    frame = groups.agg("mean").reset_index()
    frame["s.d."] = groups["error"].std(ddof=1).fillna(0.0).to_numpy()
    frame["seconds"] = isotonic_regression(frame["seconds"].to_numpy(float)).x
    return frame


def curves_frame(curves: Sequence[Curve], baselines: Mapping[str, float]) -> pd.DataFrame:
    """Return every point of every curve with the name of its map; then what has an error alone.

    These are the exact kernels and the baselines. Predicted errors follow the points that were measured.

    Parameters
    ----------
    curves : sequence of Curve
    baselines : mapping of str to float
        Error of each by name, in the unit of the curves.
    """
    exact = {f"{curve.label}, exact kernel": curve.exact for curve in curves if curve.exact is not None}
    lines = pd.DataFrame({"map": [*exact, *baselines], "error": [*exact.values(), *baselines.values()]})
    frames = [curve.frame.assign(map=curve.label) for curve in curves if len(curve.frame)]
    for curve in curves:
        if curve.prediction is not None:
            known = {"m": curve.prediction.m_grid, "error": curve.prediction.test}
            frames.append(pd.DataFrame({"map": f"{curve.label}, predicted"} | known))
    if not frames:
        return lines
    table = pd.concat([*frames, *([lines] if len(lines) else [])], ignore_index=True)
    whole = [name for name in ("m", "seeds", "bytes", "columns") if name in table]
    table = table.astype(dict.fromkeys(whole, "Int64"))  # where a baseline has none
    table.insert(0, "map", table.pop("map"))
    return table


def epochs_frame(curves: Sequence[Curve]) -> pd.DataFrame:
    """Return the error of features and networks after each epoch of training, of the curves that know it.

    Parameters
    ----------
    curves : sequence of Curve

    Returns
    -------
    DataFrame
        Columns architecture, trained ("features" or "network"), epoch and error; one row per epoch, rising.
    """
    rows = [
        (curve.label, trained, epoch, error)
        for curve in curves
        if curve.epochs
        for trained, errors in zip(TRAINED, curve.epochs, strict=True)
        for epoch, error in enumerate(errors, 1)
    ]
    return pd.DataFrame(rows, columns=["architecture", "trained", "epoch", "error"])


def table_runs(
    table: MaxoutTable | None, candidates: Sequence[Candidate], split: Split
) -> dict[str, list[list[Segment]]]:
    """Return the draws of Table 1 of the maxout paper as runs: by the label of a candidate, a segment a draw."""
    if table is None:
        return {candidate.label: [[]] for candidate in candidates}
    grid, d, k = np.array(table.m_values), split.X_train.shape[1], len(split.target_names)
    found: dict[str, list[list[Segment]]] = {}
    for candidate in candidates:
        place = table.q_values.index(candidate.spec.get("pool_size"))
        weights = [candidate.spec.make(n_components=m).weight_bytes(d) for m in table.m_values]
        size = np.array(weights) + 8 * grid * (k if k > 2 else 1)
        cells = zip(table.errors, table.alphas, table.predictions, strict=True)
        found[candidate.label] = [
            [Segment(grid, e[place], a[place], p[place], size, grid, np.nan, np.nan, len(split.X_train))]
            for e, a, p in cells
        ]
    return found


@dataclass(frozen=True, eq=False)
class AccuracyResult:
    """The comparison as far as it is computed.

    Attributes
    ----------
    candidates : tuple of Candidate
    runs : mapping of str to list of lists of Segment
        By the label of a candidate, the segments of each seed.
    baseline_errors : mapping of str to float
        Errors of other methods by name: shares of wrong labels, or root mean squared errors.
    refused : tuple of str
        Why other baselines were not computed, in a sentence each.
    costs : mapping of str to (seconds, bytes)
        Of other methods by name: to search, train and test, and of the model.
    exact : mapping of str to ExactKernel
        Ridge regression with the exact kernel of a map, by the label of its candidate.
    losses : mapping of str to ndarray of shape (n_test,)
        Of other methods by name: the loss of each test row; see
        :class:`rfviz.experiments.accuracy.baselines.BaselineResult`.
    measure : {"accuracy", "squared error"}
        What the curves are of.
    predicted : mapping of str to Prediction or Unpredicted
        Squared errors from the exact kernel, or why there are none, by the label of a candidate.
    table : MaxoutTable or None
        The cells of Table 1 of the maxout paper, as far as they are computed, if they were asked for.
    times : mapping of str to (fit, predict)
        Of other methods by name: seconds to train, without a search, and to predict the test rows.
    """

    split: Split = field(repr=False)
    candidates: tuple[Candidate, ...]
    loss: str
    runs: Mapping[str, list[list[Segment]]] = field(repr=False)
    baseline_errors: Mapping[str, float]
    refused: tuple[str, ...] = ()
    is_complete: bool = True
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    exact: Mapping[str, ExactKernel] = field(default_factory=dict)
    losses: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    measure: str = "accuracy"
    predicted: Mapping[str, Prediction | Unpredicted] = field(default_factory=dict, repr=False)
    table: MaxoutTable | None = field(default=None, repr=False)
    times: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    _curves: dict[str, list[Curve]] = field(default_factory=dict, init=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether no point is known yet."""
        return not any(run for runs in self.runs.values() for run in runs)

    @property
    def is_squared(self) -> bool:
        """Whether the curves are of squared errors."""
        return self.measure != "accuracy"

    @property
    def is_per_cent(self) -> bool:
        """Whether the curves are of shares of wrong classes."""
        return self.split.is_classification and not self.is_squared

    @property
    def scale(self) -> float:
        """The factor from errors to the unit of the chart: per cent for classes."""
        return 100.0 if self.is_per_cent else 1.0

    @property
    def baselines(self) -> dict[str, float]:
        """The errors of other methods in the unit of the chart."""
        return {name: self.scale * error for name, error in self.baseline_errors.items()}

    @property
    def unit(self) -> str:
        """The title of the chart's axis of errors."""
        if self.is_squared:
            return "squared error ÷ variance"
        return "test error, %" if self.is_per_cent else "test error (root mean square)"

    @property
    def name_of_errors(self) -> str:
        """What the curves are of, for the beginning of a sentence."""
        return "Squared error" if self.is_squared else "Test error"

    @property
    def is_papers_mnist(self) -> bool:
        """Whether these are all of MNIST's rows, with its own split."""
        split = self.split
        return split.given and split.X_test.shape == (10_000, 784) and len(split.X_train) == 60_000

    @property
    def architectures(self) -> list[str]:
        """The candidates that are architectures of the compositional paper's Table 1."""
        return [candidate.label for candidate in self.candidates if candidate.label in NAMES]

    def curves(self, axis: str = "m") -> list[Curve]:
        """Return the curves over an axis, ``"m"``, ``"seconds"`` or ``"bytes"``."""
        if axis not in self._curves:  # every part of the page asks for them
            self._curves[axis] = [self._curve(c, axis) for c in self.candidates]
        return self._curves[axis]

    def _curve(self, c: Candidate, axis: str) -> Curve:
        runs, exact, prediction = self.runs[c.label], self.exact_error(c.label), self.predicted.get(c.label)
        if self.is_squared:
            # What others have measured are shares of wrong classes.
            runs = [[replace(s, errors=s.squared) for s in run if len(s.squared)] for run in runs]
            known = prediction if isinstance(prediction, Prediction) and axis == "m" else None
            return make_curve(c.label, c.spec.cls, runs, axis=axis, exact=exact, prediction=known)
        return make_curve(
            c.label,
            c.spec.cls,
            runs,
            scale=self.scale,
            axis=axis,
            paper=self._paper(c),
            network=self._network(c),
            exact=exact,
            augmented=self._augmented(c),
            epochs=errors_by_epoch(c.label) if self._is_crops else (),
        )

    def exact_error(self, label: str) -> float | None:
        """Return the error of the exact kernel of a candidate in the unit of the chart, or None if it is not known."""
        found = self.exact.get(label)
        return None if found is None else found.squared if self.is_squared else self.scale * found.error

    def times_frame(self) -> pd.DataFrame:
        """Return seconds to fit and to predict the test rows, for each m that was timed on its own.

        Returns
        -------
        DataFrame
            Columns method, m (missing for other methods), seconds to fit and seconds to predict: medians over the
            draws, since the first draw also pays for modules that are loaded then.
        """
        rows = [
            (label, int(s.m_grid[-1]), s.seconds_fit, s.seconds_predict)
            for label, runs in self.runs.items()
            for run in runs
            for s in run
        ]
        names = ["method", "m", "seconds to fit", "seconds to predict"]
        own = pd.DataFrame(rows, columns=names).groupby(["method", "m"], sort=False).median().reset_index()
        others = pd.DataFrame([(name, None, *times) for name, times in self.times.items()], columns=names)
        return pd.concat([own.astype({"m": "Int64"}), others.astype({"m": "Int64"})], ignore_index=True)

    def ladder(self) -> pd.DataFrame:
        """Return every method with its error, seconds and bytes, from the largest error down.

        A map stands with the largest m whose time is known.
        """
        rows: list[dict[str, Any]] = []
        for timed, curve in zip(self.curves("seconds"), self.curves(), strict=True):
            if len(timed.frame):
                last = timed.frame.iloc[-1]
                size = curve.frame.loc[curve.frame["m"] == last["m"], "bytes"].iloc[0]
                rows.append({"method": curve.label, "m": last["m"], "error": last["error"]})
                rows[-1] |= {"seconds": last["seconds"], "bytes": size}
        for name, (seconds, size) in self.costs.items():
            rows.append({"method": name, "m": None, "error": self.baselines[name], "seconds": seconds, "bytes": size})
        for label, found in self.exact.items():
            rows.append({"method": f"{label}, exact kernel", "m": None, "error": self.exact_error(label)})
            rows[-1] |= {"seconds": found.seconds, "bytes": found.bytes}
        columns = ["method", "m", "error", "seconds", "bytes"]
        table = pd.DataFrame(rows, columns=columns).astype({"m": "Int64", "bytes": "Int64"})
        return table.sort_values("error", ascending=False, kind="stable", ignore_index=True)

    def _paper(self, candidate: Candidate) -> tuple[tuple[float, float, float], ...]:
        spec = candidate.spec
        plain = spec.cls is RandomMaxout and list(spec.params) == ["pool_size"] and not candidate.loss
        if not (plain and self.is_papers_mnist and spec.get("pool_size") in PAPER_TABLE_1):
            return ()
        return tuple((m, *cell) for m, cell in zip(TABLE_M, PAPER_TABLE_1[spec.get("pool_size")], strict=True))

    @property
    def _is_crops(self) -> bool:
        """Whether these are the crops of CIFAR-10 on which networks and many features were trained beforehand."""
        return self.split.name == "cifar10" and self.split.X_train.shape[1] == 24 * 24 * 3

    def _network(self, candidate: Candidate) -> float | None:
        return 100.0 - NETWORKS[candidate.label] if self._is_crops and candidate.label in NETWORKS else None

    def _augmented(self, candidate: Candidate) -> tuple[tuple[int, float], ...]:
        if not (self._is_crops and candidate.label in AUGMENTED):
            return ()
        return tuple((m, 100.0 - right) for m, right in zip(AUGMENTED_M, AUGMENTED[candidate.label], strict=True))

    def predictions(self, label: str) -> dict[int, np.ndarray]:
        """Return the predicted class codes of the test rows for each m, of the first seed of a candidate."""
        segments = self.runs[label][0]
        return {int(m): codes for s in segments for m, codes in zip(s.m_grid, s.predictions, strict=True)}

    def is_told_from(self, label: str, m: int, baseline: str) -> bool:
        """Return whether the test rows tell a map with m features from another method, beyond chance.

        Both are tested on the same rows, so that rows on which they agree say nothing. Of the others d, each the mean
        over the seeds, the sum is compared with twice its standard deviation √Σd² were they alike, less one row because
        rows are whole: McNemar’s test with its correction for continuity, where there is one seed. Errors of a
        regression, which have no such rows, are told apart where they differ.
        """
        y, losses = self.split.y_test, self.losses.get(baseline)
        segments = [segment for run in self.runs[label] for segment in run if len(segment.predictions)]
        found = [s.predictions[place] != y for s in segments for place in np.flatnonzero(s.m_grid == m)]
        if not found or losses is None:
            return True
        apart = np.mean(found, axis=0) - losses
        return abs(apart.sum()) - 1.0 > 2.0 * np.sqrt(np.sum(apart**2))

    def confusions(self, label: str, m: int) -> np.ndarray:
        """Return the number of test rows by true class (rows) and predicted class (columns)."""
        k = len(self.split.target_names)
        counts = np.zeros((k, k), dtype=int)
        np.add.at(counts, (self.split.y_test, self.predictions(label)[m]), 1)
        return counts

    def architecture_table(self) -> tuple[pd.DataFrame, int] | None:
        """Return the table of architectures at the largest m that all have reached, and that m; None before the first.

        See :func:`rfviz.experiments.accuracy.architectures.ranking`.
        """
        accuracies = {
            label: [
                {int(m): 100.0 * (1.0 - error) for s in run for m, error in zip(s.m_grid, s.errors, strict=True)}
                for run in self.runs[label]
            ]
            for label in self.architectures
        }
        reached = set.intersection(*(set(run) for runs in accuracies.values() for run in runs))
        if not reached:
            return None
        m = max(reached)
        exact = {label: 100.0 * (1.0 - self.exact[label].error) for label in accuracies if label in self.exact}
        return ranking({label: [run[m] for run in runs] for label, runs in accuracies.items()}, exact), m
