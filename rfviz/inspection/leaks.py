"""Columns that give the label away: alone, by being empty, or as the difference of two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER
from rfviz.errors import DataError
from rfviz.inspection.drawing import MOST_BARS, plot_bars
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import SCORES, Picture, Question
from rfviz.inspection.raw import Raw, spread_rows
from rfviz.inspection.words import plural, r_squared, share
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Clue", "LeakResult", "Leaks", "inspect_leaks", "plot_leaks"]

_FEWEST_ROWS = 20
_LEAK_ROWS, _CELLS = 4000, 8_000_000
_FOLDS = 5
_SCREENED = 0.85
_MOST_TRIED = 8
# A column gives the label away where it leaves no more than this share of errors, and of what a guess gets wrong.
_LEFT, _LEFT_OF_GUESS = 0.02, 0.1
_LEFT_VARIANCE = 0.01
# It nearly does so where it leaves no more than this.
_NEARLY_LEFT, _NEARLY_OF_GUESS = 0.1, 0.2
_NEARLY_VARIANCE = 0.1
# Numbers of which all pairs are tried.
_PAIRED = 24
_TOO_FEW = "Too few rows, columns or classes to tell whether one column gives the label away."


@dataclass(frozen=True)
class Clue:
    """How well the label is predicted by one column, or by the difference of two.

    Attributes
    ----------
    columns : tuple of str
    what : {"value", "gap", "difference", "sum"}
        What of it says the label: ``"gap"`` where it is enough to know whether it is empty.
    score : float
        Cross-validated share of right labels, or R² of numbers, of a small tree.
    """

    columns: tuple[str, ...]
    what: str
    score: float

    @property
    def name(self) -> str:
        """Its name for users."""
        return _named(self.columns, self.what)


def _named(columns: tuple[str, ...], what: str) -> str:
    names = [f"“{column}”" for column in columns]
    return {
        "value": names[0],
        "gap": f"whether {names[0]} is empty",
        "difference": " − ".join(names),
        "sum": " + ".join(names),
    }[what]


@dataclass(frozen=True, eq=False)
class LeakResult:
    """How well single columns, and differences of two, predict the label.

    Attributes
    ----------
    clues : tuple of Clue
        Those that were tried, the best first: they looked best on other rows.
    guess : float
        The score for always guessing the largest class, or the mean.
    n_leaks, n_nearly : int
        Number of clues, from the first, that give the label away, and that nearly do so.
    limits : tuple of float
        Scores from which a clue gives the label away, and from which it nearly does.
    rows : ndarray of int
        The rows of the file, from 0, by which they were judged, in the order in which they were drawn.
    is_thinned : bool
        Whether rows of a frequent class were left out.
    unused : tuple of str
        Columns that were not looked at, since nothing is computed from them.
    """

    clues: tuple[Clue, ...]
    guess: float
    n_leaks: int
    n_nearly: int
    is_classification: bool
    limits: tuple[float, float]
    rows: np.ndarray
    is_thinned: bool
    unused: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Rows by which they were judged."""
        return len(self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per clue."""
        measure = "right labels" if self.is_classification else "R²"
        return pd.DataFrame(
            {
                "column": [clue.name for clue in self.clues],
                measure: [clue.score for clue in self.clues],
                "gives the label away": np.arange(len(self.clues)) < self.n_leaks,
            }
        )


def inspect_leaks(raw: Raw, progress: Progress = silent) -> LeakResult:
    """Look for columns that alone, or two together, predict the label nearly perfectly.

    Columns are those of the file: a category counts as one, and being empty is a value. Half of the rows choose what to
    try, by how pure the label is within bins; the other half says, by cross-validation, how well a small tree does. So
    the choice does not flatter what it chose.

    Raises
    ------
    DataError
        Without labels, with a single column, and for fewer than 40 rows with a label.
    """
    if raw.y is None:
        raise DataError("There are no labels that a column could give away.")
    names = [name for name in raw.of_kind(NUMBER, DATE, CATEGORY) if name in raw.used]
    if len(names) < 2 or int(raw.labelled.sum()) < 2 * _FEWEST_ROWS:
        raise DataError(_TOO_FEW)
    is_classes = bool(raw.target_names)
    most = max(min(_LEAK_ROWS, _CELLS // len(names)), 2 * _FEWEST_ROWS)
    rows = spread_rows(raw.n_rows, most, raw.y if is_classes else None, raw.labelled)
    y, half = raw.y[rows], len(rows) // 2
    if half < _FEWEST_ROWS or np.ptp(y[half:]) == 0 or np.ptp(y[:half]) == 0:
        raise DataError(_TOO_FEW)
    progress(0.1, "Looking for columns that give the label away")
    columns = {name: _values(raw, name, rows) for name in names}
    trial = _Trial(y, half, is_classes)
    screened = {Clue((name,), "value", 0.0): trial.purity(x) for name, x in columns.items()}
    progress(0.5, "Looking for columns that give the label away")
    screened |= _pairs(raw, columns, trial, max(screened.values(), default=0.0))
    best = sorted(screened, key=lambda clue: -screened[clue])
    tried = [clue for clue in best[:_MOST_TRIED] if screened[clue] >= trial.least]
    alone = next(clue for clue in best if len(clue.columns) == 1)
    tried += [] if alone in tried else [alone]
    scored = []
    for clue in tried:
        x = _combined(columns, clue)
        scored.append(Clue(clue.columns, clue.what, trial.score(x)))
        missing = np.isnan(x)
        if clue.what == "value" and _FEWEST_ROWS <= missing.sum() <= len(x) - _FEWEST_ROWS:
            by_gap = trial.score(missing.astype(float))
            if by_gap >= scored[-1].score - 0.01:
                scored[-1] = Clue(clue.columns, "gap", by_gap)
    wrong = 1.0 - trial.guess
    allowed = min(_LEFT, _LEFT_OF_GUESS * wrong) if is_classes else _LEFT_VARIANCE
    # That two columns together say much of the label is what one hopes for, unless they say all.
    scored = [clue for clue in scored if len(clue.columns) == 1 or 1.0 - clue.score <= allowed]
    scored.sort(key=lambda clue: -clue.score)
    left = np.array([1.0 - clue.score for clue in scored])
    nearly = min(_NEARLY_LEFT, _NEARLY_OF_GUESS * wrong) if is_classes else _NEARLY_VARIANCE
    n_leaks = int(np.sum(left <= allowed))
    is_thinned = is_classes and len(rows) < min(most, int(raw.labelled.sum()))
    n_nearly, judging = int(np.sum(left <= nearly)) - n_leaks, raw.file_rows(rows[half:])
    limits, unused = (1.0 - allowed, 1.0 - nearly), tuple(name for name in raw.columns if name not in names)
    return LeakResult(tuple(scored), trial.guess, n_leaks, n_nearly, is_classes, limits, judging, is_thinned, unused)


def _values(raw: Raw, name: str, rows: np.ndarray) -> np.ndarray:
    """Return a column as floats, nan where it is empty; the words of a category as whole numbers."""
    if raw.table.kind(name) == CATEGORY:
        codes = raw.codes(name)[rows].astype(np.float64)
        return np.where(codes < 0, np.nan, codes)
    values = raw.numbers(name)[rows]
    exact = values
    if values.dtype.kind in "iu":  # of long identifiers neighbours stay apart
        _, exact = np.unique(values, return_inverse=True)
    values = exact.astype(np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _combined(columns: dict[str, np.ndarray], clue: Clue) -> np.ndarray:
    if len(clue.columns) == 1:
        return columns[clue.columns[0]]
    one, other = (columns[name] for name in clue.columns)
    return one - other if clue.what == "difference" else one + other


def _pairs(raw: Raw, columns: dict[str, np.ndarray], trial: _Trial, alone: float) -> dict[Clue, float]:
    """Return the differences and sums of two numbers that say more of the label than any column alone."""
    numbers = [name for name in columns if raw.table.kind(name) == NUMBER and np.isfinite(columns[name]).all()]
    numbers = [name for name in numbers if np.ptp(columns[name]) > 0]
    if len(numbers) < 2:
        return {}
    if len(numbers) > _PAIRED:
        # Those that a linear model weighs most.
        X = np.stack([columns[name][: trial.half] for name in numbers], axis=1)
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)
        y = trial.y[: trial.half]
        model = RidgeClassifier(alpha=1.0).fit(X, y) if trial.is_classes else LinearRegression().fit(X, y)
        weight = np.abs(np.atleast_2d(model.coef_)).max(axis=0)
        numbers = [numbers[place] for place in np.argsort(-weight)[:_PAIRED]]
    found = {}
    for i, one in enumerate(numbers):
        for other in numbers[:i]:
            for what, sign in (("difference", -1.0), ("sum", 1.0)):
                x = columns[one] + sign * columns[other]
                purity = trial.purity(x)
                if purity > alone:
                    found[Clue((one, other), what, 0.0)] = purity
    best = sorted(found, key=lambda clue: -found[clue])[:2]
    return {clue: found[clue] for clue in best}


class _Trial:
    """Labels of two halves of some rows: one chooses what to try, the other judges it."""

    def __init__(self, y: np.ndarray, half: int, is_classes: bool) -> None:
        self.y, self.half, self.is_classes = y, half, is_classes
        judge = y[half:]
        self.guess = float(np.unique(judge, return_counts=True)[1].max() / len(judge)) if is_classes else 0.0
        self.least = max(_SCREENED, 1.0 - 0.5 * (1.0 - self.guess)) if is_classes else _SCREENED
        self._centred = y[:half] - y[:half].mean()
        self._n_classes = int(y.max()) + 1 if is_classes else 0

    def purity(self, x: np.ndarray) -> float:
        """Return the share of the first half in the largest class of its bin, or the variance between bins."""
        x, y = x[: self.half], self.y[: self.half]
        kinds = self._n_classes
        place = _bins(x, min(max(32, 4 * kinds), max(len(x) // 4, 2)))
        if self.is_classes:
            table = np.bincount(place * kinds + y, minlength=kinds * (int(place.max()) + 1)).reshape(-1, kinds)
            return float(table.max(axis=1).sum() / len(x))
        count, sums = np.bincount(place), np.bincount(place, self._centred)
        return float(np.sum(sums**2 / np.maximum(count, 1)) / np.sum(self._centred**2))

    def score(self, x: np.ndarray) -> float:
        """Return the cross-validated share of right labels of the other half, or R²; for R², of a line too."""
        x, y = x[self.half :, None], self.y[self.half :]
        if not self.is_classes:
            folds = KFold(_FOLDS, shuffle=True, random_state=0)
            models = [DecisionTreeRegressor(min_samples_leaf=3, random_state=0)]
            models += [LinearRegression()] if np.isfinite(x).all() else []
            errors = [np.sum((cross_val_predict(model, x, y, cv=folds) - y) ** 2) for model in models]
            return float(1.0 - min(errors) / np.sum((y - y.mean()) ** 2))
        fewest = int(np.unique(y, return_counts=True)[1].min())
        kind = StratifiedKFold if fewest >= _FOLDS else KFold
        folds = kind(_FOLDS, shuffle=True, random_state=0)
        tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
        return float(np.mean(cross_val_predict(tree, x, y, cv=folds) == y))


def _bins(x: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the bin of each row; bins hold about equal numbers of rows, equal values share one, and so do gaps."""
    missing = np.isnan(x)
    if missing.any():
        place = np.zeros(len(x), dtype=np.int64)
        if not missing.all():
            place[~missing] = 1 + _bins(x[~missing], n_bins)
        return place
    values, place = np.unique(x, return_inverse=True)
    if len(values) <= max(n_bins, len(x) // 8):
        return place
    cuts = np.quantile(x, np.linspace(0.0, 1.0, n_bins + 1)[1:-1])
    return np.searchsorted(cuts, x)


class Leaks(Question[LeakResult]):
    """Whether columns give the label away: alone, or two together."""

    name, key = "Leaks", "leaks"
    cost = 1
    leaves_out = "columns"
    formats = SCORES
    method = (
        "**Leaks.** Half of up to 4,000 rows choose what to try, columns of the file and differences and sums of two; "
        "the other half says, by cross-validation, how well a small tree on that alone does. It gives the label away "
        "if the tree has at most 2% errors and a tenth of the errors of a guess (for numbers: leaves 1% of the "
        "variance). The limits for “nearly” are 10% and a fifth."
    )

    kinds: ClassVar = {
        "judged rows": (
            "Rows by which columns are judged: half of those that this program draws at random among at most 4,000 "
            "with a label (fewer of more than 2,000 columns), `rows` in the order of drawing. `thinned`: where one "
            "class has more than nine tenths of the labels, at most three of its rows, but no fewer than 30 in all, "
            "are drawn for each row of another. The other half chooses what is tried."
        ),
        "guess": "The share of the most frequent label among the judged rows.",
        "leaks": "Columns, and sums and differences of two, that give the label away: with a score of at least `from`.",
        "near leaks": "Others that nearly do: with a score of at least `from`; of single columns only.",
        "score": (
            "How well a tree predicts the label of the judged rows, cross-validated in five shuffled folds "
            "(scikit-learn, random_state 0), from the column alone: its `by` is “value”, or “gap”, where it is enough "
            "to know whether it is empty, or the “difference” or “sum” of two. `unit`: the accuracy of "
            "DecisionTreeClassifier(min_samples_leaf=2), folds stratified if each class has five rows; or R², of "
            "DecisionTreeRegressor(min_samples_leaf=3), or of least squares where they do better and nothing is "
            "missing. Words count as numbers in alphabetical order, gaps as nan, long whole numbers by their rank. "
            "The best first: all leaks, then all near ones, or if there are none, the best, which the other half "
            "chose."
        ),
        "unused columns": "Columns that were not looked at, since nothing is computed from them.",
    }

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images

    def compute(self, inspection: Inspection) -> LeakResult:
        return inspect_leaks(inspection.raw, inspection.progress)

    def claims(self, result: LeakResult, inspection: Inspection) -> Iterator[Claim]:
        n, unit = result.n_rows, "accuracy" if result.is_classification else "R²"
        label = inspection.raw.label_columns
        yield Claim("judged rows", n, label, n, of={"thinned": result.is_thinned}, rows=result.rows)
        if result.is_classification:
            yield Claim("guess", result.guess, label, n)
        for what, count, limit in zip(
            ("leaks", "near leaks"), (result.n_leaks, result.n_nearly), result.limits, strict=True
        ):
            yield Claim(what, count, label, n, None if count else 1, {"from": limit, "unit": unit})
        for clue in result.clues[: max(result.n_leaks + result.n_nearly, 1)]:
            yield Claim("score", clue.score, clue.columns, n, of={"by": clue.what, "unit": unit})
        yield Claim("unused columns", len(result.unused), result.unused, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        told = Claims(claims.of("score")[: claims.value("leaks") or None])
        best, n, guess = told[0], told[0].n_rows, claims.value("guess")
        name = _named(best.columns, best.of["by"])
        measure, by_guess = f"reaches {r_squared(best.value)}", ""
        if guess is not None:  # not all rows are judged, so that the share of a class is another one
            measure = f"tells the label in {share(best.value)} of {counted(n, 'row')}"
            by_guess = f" (always the largest class: {share(guess)})"
        is_thinned = claims[0].of["thinned"]
        of = f" Judged by {n:,} rows; others of the largest class were left out." if is_thinned else ""
        if not claims.value("leaks") and not claims.value("near leaks"):
            n_unused = claims.value("unused columns")
            unused = f"{counted(n_unused, 'column')} that nothing is computed from"
            rest = f" {unused} {plural(n_unused, 'was', 'were')} not looked at." if n_unused else ""
            return self.say(
                "fine",
                f"No column gives the label away: the best, {name}, {measure}{by_guess}.{of}{rest}",
            )
        others = set(told.columns) - set(best.columns)
        more = f", and {counted(len(others), 'other column')} nearly as well" if others else ""
        ask = plural(len(best.columns), "Is it known before the label is?", "Are both known before the label is?")
        text = f"{name[:1].upper()}{name[1:]} alone {measure}{by_guess}{more}. {ask}{of}"
        values = {"maps": ["RandomFourier"], "normalise": "standardise"}
        status = "warning" if claims.value("leaks") else "look"
        return self.say(status, text, "accuracy", values).about(columns=told.columns)

    def pictures(self, result: LeakResult) -> Iterator[Picture]:
        if result.clues:
            yield Picture("leaks", result, plot_leaks, "How well single columns, or two, predict the label.")

    def note(self, result: LeakResult) -> str:
        return "How well single columns, or two, predict the label, cross-validated."


def plot_leaks(result: LeakResult, revision: str = "") -> go.Figure:
    """Draw how well single columns, or two, predict the label, and a guess.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    unit, measure = (100.0, "right labels, %") if result.is_classification else (1.0, "R²")
    shown = result.clues[:MOST_BARS]
    return plot_bars(
        [clue.name for clue in shown],
        unit * np.array([clue.score for clue in shown]),
        measure,
        ":.4g",
        revision,
        ("a guess", unit * result.guess),
        np.arange(len(shown)) < result.n_leaks,
    )
