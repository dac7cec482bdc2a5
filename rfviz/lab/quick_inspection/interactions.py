"""Columns that act together on the label, or bend: what a line misses, and where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.interactions import MOST_CLASSES, Interactions, find_interactions
from rfviz.errors import DataError
from rfviz.lab.finding import Finding, unknown
from rfviz.lab.quick_inspection.raw import Raw, RowCounts, Whole
from rfviz.lab.quick_inspection.sample import column_name, take_sample
from rfviz.lab.quick_inspection.splits import SplitScore, groups_apart
from rfviz.lab.quick_inspection.text import share
from rfviz.progress import Progress, silent

__all__ = ["InteractionResult", "describe_interactions", "inspect_interactions", "named"]

# Rows that are used: more of more columns, since the pairs among which one is looked for grow with these.
_ROWS_A_COLUMN, _FEW, _MOST = 200, 4000, 20_000
_BINS, _LISTED = 12, 12
# A change of so many right labels is one that a user would see; where curves get so many right, none is left to see.
_SEEN, _GIVEN_AWAY = 0.005, 0.995
# A difference of R² that is not of chance.
_NO_FIT = 0.02


@dataclass(frozen=True, eq=False)
class InteractionResult:
    """Columns that act together, or bend, by their names.

    Attributes
    ----------
    found : Interactions
        By the places of the columns.
    names : tuple of str
        Of all features.
    sources : tuple of str
        The column of the file that each comes from.
    is_classification : bool
    shown : tuple of int
        The pair of columns that the picture shows, or none.
    surface : ndarray of shape (bins, bins)
        The mean target, or share of the class `shown_class`, by these columns; the second runs along the rows. nan
        where no row lies.
    edges : tuple of two ndarrays
        Of the bins, first column first.
    shown_class : str
    apart : SplitScore or None
        What the rows that judge do not share with those that were searched, where random rows would flatter.
    is_merged : bool
        Whether classes are so many that the rarer ones count as one.
    """

    found: Interactions
    names: tuple[str, ...]
    sources: tuple[str, ...]
    is_classification: bool
    shown: tuple[int, ...]
    surface: np.ndarray
    edges: tuple[np.ndarray, np.ndarray]
    shown_class: str
    apart: SplitScore | None
    is_merged: bool

    @property
    def together(self) -> tuple[int, ...]:
        """The columns that act together."""
        return _together(self.found, self.is_classification)

    @property
    def important(self) -> np.ndarray:
        """The columns that the last round weighs most, the most important first."""
        return np.argsort(-self.found.importances[-1], kind="stable")[:_LISTED]

    def to_frame(self) -> pd.DataFrame:
        """Return the importance of the most important columns in each round."""
        columns = self.important
        rounds = {f"round {r + 1}": one[columns] for r, one in enumerate(self.found.importances)}
        return pd.DataFrame({"column": [self.names[c] for c in columns]} | rounds)

    def surface_frame(self) -> pd.DataFrame:
        """Return one row per cell of the picture of two columns, which lie above these values."""
        other, one = np.indices(self.surface.shape).reshape(2, -1)
        across, up = (self.names[column] for column in self.shown)
        value = f"share of {self.shown_class}" if self.is_classification else "mean target"
        return pd.DataFrame({across: self.edges[0][one], up: self.edges[1][other], value: self.surface.ravel()})


def inspect_interactions(
    raw: Raw, whole: Whole, apart: SplitScore | None = None, progress: Progress = silent
) -> InteractionResult:
    """Look for columns that act together on the label, in rows of the whole table.

    Parameters
    ----------
    raw : Raw
    whole : Whole
        Prepared rows of it.
    apart : SplitScore, optional
        By which rows are to be judged that have no like among those that are searched.
    progress : callable

    Raises
    ------
    DataError
        Without labels of two kinds, with too few rows, or too many columns.
    """
    dataset = whole.dataset
    if dataset.y is None or len(np.unique(dataset.y)) < 2:
        raise DataError("Without labels of two kinds no columns can act on them.")
    d = dataset.n_features
    most = min(max(_ROWS_A_COLUMN * d, _FEW), _MOST)
    places = take_sample(dataset, "none", most, most * d).places
    X, y, is_classes = dataset.X[places].astype(np.float64), dataset.y[places], bool(dataset.target_names)
    groups = None if apart is None else groups_apart(raw, dataset, places, apart)
    found = find_interactions(X, y if is_classes else y.astype(np.float64), progress=progress, groups=groups)
    together = _together(found, is_classes)
    shown = (found.pairs[0].columns if together and found.pairs else together or found.bent.columns)[:2]
    shown = shown if (together or found.bent.is_real()) and len(shown) == 2 else ()
    target, name = y.astype(np.float64), ""
    if is_classes:
        largest = int(np.bincount(y).argmax())
        target, name = (y == largest).astype(np.float64), dataset.target_names[largest]
    surface, edges = _surface(X[:, list(shown)], target) if shown else (np.empty((0, 0)), (np.empty(0), np.empty(0)))
    names = tuple(column_name(dataset, c) for c in range(d))
    is_merged = is_classes and len(np.unique(y)) > MOST_CLASSES
    return InteractionResult(found, names, whole.sources, is_classes, shown, surface, edges, name, apart, is_merged)


def _together(found: Interactions, is_classification: bool) -> tuple[int, ...]:
    """Return the columns that act together; none where single ones give every label away: rounding is left, no more."""
    return () if is_classification and found.additive >= _GIVEN_AWAY else found.columns


def _surface(X: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the mean target in bins of two columns that hold about as many rows each, and the edges of the bins."""
    one, other = (np.unique(np.quantile(x, np.linspace(0, 1, _BINS + 1))) for x in X.T)
    if len(one) < 4 or len(other) < 4:  # few values: a bin each
        one, other = (_between(x) if len(edges) < 4 else edges for x, edges in zip(X.T, (one, other), strict=True))
    across, up = (np.clip(np.searchsorted(e, x, "right") - 1, 0, len(e) - 2)
                  for e, x in zip((one, other), X.T, strict=True))  # fmt: skip
    place, size = up * (len(one) - 1) + across, (len(other) - 1) * (len(one) - 1)
    count = np.bincount(place, minlength=size)
    mean = np.bincount(place, target, minlength=size) / np.where(count > 0, count, np.nan)
    return mean.reshape(len(other) - 1, len(one) - 1), (one, other)


def _between(x: np.ndarray) -> np.ndarray:
    values = np.unique(x)
    middle = 0.5 * (values[1:] + values[:-1])
    step = values[1] - values[0] if len(values) > 1 else 1.0
    return np.concatenate([[values[0] - step / 2], middle, [values[-1] + step / 2]])


def describe_interactions(result: InteractionResult, rows: RowCounts) -> Finding:
    """Say which columns act together, or bend."""
    name, found = "Interactions", result.found
    used = found.n_search + found.n_judge
    of = rows.of_all(used)
    of = f", of {used:,} rows{of}" if of else ""
    apart = result.apart
    where = "that took no part in the search"
    if apart is not None:
        where = {
            "group": f"with other values of “{apart.column}” than those searched",
            "order": f"with a later “{apart.column}” than those searched",
            "file": "further down the file than those searched",
        }[apart.kind]
    judged = f" Judged by {found.n_judge:,} rows {where}{of}."
    get = "gets {} of the labels right" if result.is_classification else "reaches {}"
    show = share if result.is_classification else _r_squared
    link = ("accuracy", {"schemes": ["RandomFourier"], "normalise": "standardise"})
    # Which is why these shares are not those of other findings.
    merged = f" (the {MOST_CLASSES - 1} most frequent classes, and the others as one)" if result.is_merged else ""
    line, curves, joint = show(found.linear), show(found.additive), show(found.joint)
    together = result.together
    if together:
        who = " and ".join(named(result, pair.columns) for pair in found.pairs[:1]) or named(result, together)
        first = set(_files(result, found.pairs[0].columns)) if found.pairs else set[str]()
        others = [named(result, pair.columns) for pair in found.pairs if first != {*_files(result, pair.columns)}]
        text = f"{who} act together on the label"
        if not found.pairs:
            text += ", though no two of them do"
        text += f" (so do {'; '.join(others[:2])})" if others else ""
        if found.joint - found.additive >= _SEEN:
            text += f": a curve for each column {get.format(curves)}, with them together {joint}{merged}."
        else:
            text += f": together they take away {share(found.together.gain)} of the squared error that curves leave."
        text += " Give a linear model their product, or use features that see both."
        return Finding(name, "look", text + judged, *link).about(columns=_files(result, together))
    if found.bent.is_real() and not (result.is_classification and found.linear >= _GIVEN_AWAY):
        bent = found.bent.columns
        text = (
            f"{named(result, bent)} {'acts' if len(bent) == 1 else 'each act'} on the label along a curve, not a line; "
            f"no columns act together. A line for each column {get.format(line)}, a curve for each {curves}{merged}"
        )
        if found.additive - found.linear < _SEEN:
            text += f": it takes away {share(found.bent.gain)} of the squared error that lines leave"
        text += "."
        return Finding(name, "look", text + judged, *link).about(columns=_files(result, bent))
    models = f"a line for each column {get.format(line)}, a curve for each {curves}"
    if result.is_classification:
        models += f", a guess {show(found.guess)}{merged}"
    if reason := _cannot_judge(result):
        judges = f"{found.n_judge:,} rows {where}{of}"
        return unknown(name, f"Whether columns act together cannot be judged: {reason}. On {judges}, {models}.")
    return Finding(
        name,
        "fine",
        f"No sign that columns act together, or that one acts along a curve: {models}. What takes away less than "
        f"{share(found.noticed)} of the squared error that is left would not have been noticed.{judged}",
    )


def _cannot_judge(result: InteractionResult) -> str:
    """Say why the rows that judge cannot tell whether columns act together, if they cannot."""
    found = result.found
    if found.noticed >= 1.0:
        return "there are too few groups to tell anything from chance"
    # By chance two shares of right labels differ by as much. The mean of the rows themselves has R² 0.
    noise = 2.0 / np.sqrt(found.n_judge) if result.is_classification else _NO_FIT
    guess = found.guess if result.is_classification else max(found.guess, 0.0)
    if max(found.linear, found.additive) < guess - noise:
        unlike = "" if result.apart is None else ", for these rows are unlike those that were searched"
        return f"the models that are to be improved are worse than a guess{unlike}"
    if found.additive < found.linear - noise:
        return "curves do worse than lines where they were not fitted, so what they leave says nothing"
    return ""


def named(result: InteractionResult, columns: tuple[int, ...]) -> str:
    """Return columns by their names, in the order of the table."""
    words = [f"“{result.names[column]}”" for column in sorted(columns)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _files(result: InteractionResult, columns: tuple[int, ...]) -> list[str]:
    return [result.sources[column] for column in columns]


def _r_squared(score: float) -> str:
    return f"R² {score:.2f}".replace("-", "−")
