"""Whether random folds flatter: rows of one group or one stretch of time on both sides of a split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.order import rank_correlation
from rfviz.datasets import Dataset
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, TEXT
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.draws import generator
from rfviz.inspection.drawing import plot_bars
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import NAMED_LIKE_GROUPS, NAMED_LIKE_KEYS, Raw
from rfviz.inspection.sample import scaling_of
from rfviz.inspection.structure import (
    LARGE_GAIN,
    SCORE,
    Gain,
    Structure,
    StructureResult,
    losses_in_folds,
    model_name,
    shown_score,
    standard_error,
)
from rfviz.inspection.words import sentences
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = [
    "SplitResult",
    "SplitScore",
    "Splits",
    "group_columns",
    "groups_apart",
    "inspect_splits",
    "plot_splits",
]

# The smallest loss that is told.
_LEAST_LOSS = 0.03
_FOLDS = 5
# Stretches, of which each counts as one observation.
_STRETCHES = 50
# Least number of groups, least mean number of their rows, and most columns that make them.
_FEWEST_GROUPS, _GROUP_ROWS, _MOST_COLUMNS = 10, 2.0, 3
# Where labels hardly differ within groups.
_PURE = 0.9
# A loss of this share of another one is about as large.
_ABOUT = 0.7
# One group holds this share of the rows at most: else the model that is judged on it has hardly any rows to learn from.
_LARGEST = 0.5
# Least rank correlation of a target that follows the file with the rows' numbers; least correlation of neighbouring
# values of a number that is a quantity which the target depends on, and not the name of a group.
_BY_TARGET, _QUANTITY = 0.5, 0.9


@dataclass(frozen=True)
class SplitScore:
    """A model judged on rows that are apart from those it learnt from.

    Attributes
    ----------
    kind : {"group", "order", "file"}
    column : str
        That says which rows belong together; empty for the order of the file.
    n_groups : int
        Groups, or stretches.
    loss : Gain
        What random folds have too much.
    is_by_target : bool
        Whether the target rises or falls along the file, so that stretches have values of their own.
    """

    kind: str
    column: str
    n_groups: int
    score: float
    loss: Gain
    is_by_target: bool = False


@dataclass(frozen=True, eq=False)
class SplitResult:
    """Random folds compared with folds of groups and of stretches.

    Attributes
    ----------
    score : float
        Of random folds.
    over_guess : Gain
        What that is more than the score of a guess.
    scores : tuple of SplitScore
    """

    model: str
    score: float
    over_guess: Gain
    scores: tuple[SplitScore, ...]
    is_classification: bool
    n_rows: int

    @property
    def is_learnt(self) -> bool:
        """Whether the model is better than a guess on random rows, by more than chance explains."""
        return self.over_guess.is_real()

    @property
    def worst(self) -> SplitScore | None:
        """The split by which the model loses most, beyond chance, or None if it loses or has learnt nothing.

        A group stands before stretches that lose about as much: in a file that is sorted by groups these are the same.
        """
        if not self.is_learnt:
            return None
        real = [one for one in self.scores if one.loss.value >= _LEAST_LOSS and one.loss.is_real(len(self.scores))]
        most = max((one.loss.value for one in real), default=0.0)
        return max(
            real,
            key=lambda one: (one.kind == "group" and one.loss.value >= _ABOUT * most, one.loss.value),
            default=None,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per way to split."""
        rows = [("random", "", self.score, np.nan, np.nan)]
        rows += [(one.kind, one.column, one.score, one.loss.value, one.loss.error) for one in self.scores]
        return pd.DataFrame(rows, columns=["folds", "column", "score", "lost", "standard error"])


def inspect_splits(
    raw: Raw, dataset: Dataset, structure: StructureResult, how: str = "automatic", progress: Progress = silent
) -> SplitResult | None:
    """Judge the best model once more, on groups and on stretches of rows that it has not learnt from.

    Parameters
    ----------
    dataset : Dataset
        Prepared rows of it.
    structure : StructureResult
        Of `dataset`.
    how : str
        See :data:`rfviz.inspection.sample.SCALING`.

    Returns
    -------
    SplitResult or None
        None if nothing says which rows belong together.
    """
    if dataset.y is None:
        return None
    places = structure.rows
    X, y = dataset.X[places].astype(np.float64), dataset.y[places]
    splits = list(_splits(raw, dataset, places, y))
    if not splits:
        return None
    best = max(structure.curves, key=lambda curve: curve.scores[-1])
    is_linear = structure.linear >= best.scores[-1]
    spec: MapSpec[FeatureMap] | None = None if is_linear else best.spec
    random = structure.linear_losses if is_linear else best.losses
    unit = 1.0 if structure.is_classification else float(np.var(y))
    more = structure.guess_losses - random
    over_guess = Gain(float(more.mean()) / unit, standard_error(more) / unit)
    found = []
    for number, (kind, column, n_groups, folds) in enumerate(splits):
        progress(number / len(splits), "Folds of rows that belong together")
        losses = losses_in_folds(X, y, folds, spec, scaling_of(dataset, how))
        lost = Gain(float(np.mean(losses - random)) / unit, standard_error(losses - random) / unit)
        is_by_target = (
            kind == "file"
            and not structure.is_classification
            and abs(rank_correlation(dataset.row_numbers[places], y)) >= _BY_TARGET
        )
        found.append(SplitScore(kind, column, n_groups, 1.0 - float(losses.mean()) / unit, lost, is_by_target))
    model = "linear" if is_linear else best.label
    score = 1.0 - float(random.mean()) / unit
    return SplitResult(model, score, over_guess, tuple(found), structure.is_classification, len(y))


def _splits(
    raw: Raw, dataset: Dataset, places: np.ndarray, y: np.ndarray
) -> Iterator[tuple[str, str, int, np.ndarray]]:
    """Yield ways to split: kind, column, number of groups, and the fold of each row."""
    rows = dataset.row_numbers[places]
    for name in group_columns(raw):
        _, group = np.unique(_cells(raw, name, rows), return_inverse=True)
        n_groups = int(group.max()) + 1
        is_even = np.bincount(group).max() <= _LARGEST * len(rows)
        if is_even and n_groups >= _FOLDS and n_groups * 1.3 <= len(rows):
            yield "group", name, n_groups, _folds_of_groups(group, n_groups)
    kinds = y if dataset.target_names else None
    column = _order_column(raw, dataset, places)
    if column or (raw.of_kind(NUMBER, CATEGORY) and dataset.rows is not None):
        place = _place_in_order(raw, dataset, places)
        yield "order" if column else "file", column, _FOLDS, _folds_of_stretches(place, kinds, _FOLDS)


def _order_column(raw: Raw, dataset: Dataset, places: np.ndarray) -> str:
    """Return the column that orders rows, or an empty string if only the file does."""
    if dataset.order is not None and len(np.unique(dataset.order[places])) > 2 * _FOLDS:
        return raw.order or "order"
    return next(iter(raw.of_kind(DATE)), "")


def _place_in_order(raw: Raw, dataset: Dataset, places: np.ndarray) -> np.ndarray:
    """Return numbers that rise with the order of rows."""
    rows, column = dataset.row_numbers[places], _order_column(raw, dataset, places)
    if not column:
        return rows
    if dataset.order is not None and column == (raw.order or "order"):
        return dataset.order[places]
    return np.nan_to_num(raw.table.quantity(column)[rows])


def groups_apart(raw: Raw, dataset: Dataset, places: np.ndarray, split: SplitScore) -> np.ndarray:
    """Return which rows belong together by a split: values of a column in random order, or stretches in theirs.

    Parameters
    ----------
    dataset : Dataset
        Prepared rows of it.
    places : ndarray of int, shape (n,)
        Of the rows in it.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    rows = dataset.row_numbers[places]
    if split.kind == "group":
        _, group = np.unique(_cells(raw, split.column, rows), return_inverse=True)
        return generator(0, 6).permutation(int(group.max()) + 1)[group]
    y = dataset.y[places] if dataset.y is not None and dataset.target_names else None
    return _folds_of_stretches(_place_in_order(raw, dataset, places), y, _STRETCHES)


def group_columns(raw: Raw) -> list[str]:
    """Return columns whose values may stand for people, places or batches.

    They are named so, or labels hardly differ within them.
    """
    found: dict[str, float] = {}
    if raw.y is None:
        return []
    y, is_classes = raw.y[raw.labelled], bool(raw.target_names)
    n = len(y)
    guess = np.bincount(y).max() / n if is_classes and n else 0.0
    for name in raw.of_kind(NUMBER, CATEGORY, TEXT):
        if name == raw.order:
            continue
        cells = _cells(raw, name, None)[raw.labelled]
        if cells.dtype.kind == "f":
            part = cells[:1000]
            if not (np.rint(part) == part).all() or not (np.rint(cells) == cells).all():
                continue
        values, group = np.unique(cells, return_inverse=True)
        if not _FEWEST_GROUPS <= len(values) <= n / _GROUP_ROWS:
            continue
        is_named = bool(NAMED_LIKE_GROUPS.search(name) or NAMED_LIKE_KEYS.search(name))
        if is_classes:
            kinds = len(raw.target_names)
            table = np.bincount(group * kinds + y, minlength=kinds * len(values)).reshape(-1, kinds)
            pure = (float(table.max(axis=1).sum()) / n - guess) / max(1.0 - guess, 1e-9)
        else:
            centred = y - y.mean()
            sums, sizes = np.bincount(group, centred), np.bincount(group)
            means = sums / sizes
            is_quantity = raw.table.kind(name) == NUMBER and not is_named
            if is_quantity and np.corrcoef(means[1:], means[:-1])[0, 1] > _QUANTITY:
                continue
            pure = float(np.sum(sums**2 / sizes)) / max(float(np.sum(centred**2)), 1e-300)
        if is_named or (pure >= _PURE and len(values) >= 2 * _FEWEST_GROUPS):
            found[name] = pure + is_named
    return sorted(found, key=lambda name: -found[name])[:_MOST_COLUMNS]


def _cells(raw: Raw, name: str, rows: np.ndarray | None) -> np.ndarray:
    """Return numbers that are equal where the cells of a column are; of rows of the file, or of all that count."""
    table = raw.table
    if name in table.places or name in table.parsed:
        values = raw.numbers(name) if rows is None else table.quantity(name)[rows]
        return np.nan_to_num(values.astype(np.float64), nan=-1e300) if values.dtype.kind == "f" else values
    if rows is None:
        return raw.codes(name)
    held = table.words[name].codes if name in table.words else pd.factorize(table.texts[name])[0]
    return np.asarray(held)[rows]


def _folds_of_groups(group: np.ndarray, n_groups: int) -> np.ndarray:
    """Return folds of whole groups, of about equal numbers of rows."""
    sizes = np.bincount(group, minlength=n_groups)
    fold_of, filled = np.empty(n_groups, dtype=int), np.zeros(_FOLDS)
    order = generator(0, 5).permutation(n_groups)
    for one in order[np.argsort(-sizes[order], kind="stable")].tolist():
        fold_of[one] = int(filled.argmin())
        filled[fold_of[one]] += sizes[one]
    return fold_of[group]


def _folds_of_stretches(place: np.ndarray, y: np.ndarray | None, n_folds: int) -> np.ndarray:
    """Return folds of rows that follow each other; of each class by itself, since files are often sorted by class."""
    folds = np.empty(len(place), dtype=int)
    for kind in [None] if y is None else np.unique(y).tolist():
        rows = np.arange(len(place)) if y is None else np.flatnonzero(y == kind)
        rows = rows[np.argsort(place[rows], kind="stable")]
        folds[rows] = np.arange(len(rows)) * n_folds // max(len(rows), 1)
    return folds


class Splits(Question[SplitResult]):
    """Whether random folds flatter a model of these data."""

    name, key = "Unseen groups and times", "groups"
    cost = 5
    settings = ("normalise",)
    formats: ClassVar = {"score": "%.4f", "lost": "%.4f", "standard error": "%.4f"}
    method = (
        "**Splits.** The better model once more, on folds of whole groups and of rows that follow each other, if it "
        "is better than a guess on random rows. Groups are values of columns named like people or batches, or "
        "within which labels hardly differ."
    )

    kinds: ClassVar = {
        "score": SCORE,
        "gain over a guess": (
            "The score of the model less that of a guess on the same rows and random folds, with its error; nothing is "
            "said of a model without a gain beyond chance."
        ),
        "loss": (
            "The score on random folds less that on these `folds` of the column or the file, of `groups`, with the "
            "same model and rows. `error`: as of a score, of the differences of losses. `by target`: whether the "
            "target’s rank correlation with the row’s number is 0.5 or more in size."
        ),
        "optimism": (
            "The largest loss that is 0.03 or more and beyond chance in one of a hundred tables, over all folds; of "
            "groups, where it is 0.7 of the largest or more. 0 if none is: one of `least` would have been told, about "
            "nine of ten times."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return inspection.source.dataset.y is not None

    def compute(self, inspection: Inspection) -> SplitResult | None:
        structure, how = inspection.answer(Structure()), inspection.source.normalise
        return inspect_splits(inspection.raw, inspection.dataset, structure, how, inspection.progress)

    def claims(self, result: SplitResult, inspection: Inspection) -> Iterator[Claim]:
        n, worst, over_guess = result.n_rows, result.worst, result.over_guess
        model = {"model": result.model, "unit": "accuracy" if result.is_classification else "R²"}
        scaling, label = {"scaling": inspection.source.normalise}, inspection.raw.label_columns
        yield Claim("score", result.score, label, n, of=model | scaling | {"folds": "random"})
        yield Claim("gain over a guess", over_guess.value, label, n, of=model | {"error": over_guess.error})
        for one in result.scores:
            columns, folds = (one.column,) if one.column else (), {"folds": one.kind, "groups": one.n_groups}
            yield Claim("score", one.score, (*columns, *label), n, of=model | scaling | folds)
            of = model | folds | {"error": one.loss.error, "by target": one.is_by_target}
            yield Claim("loss", one.loss.value, columns, n, of=of)
        if worst is None:
            noticed = max(_LEAST_LOSS, *(one.loss.noticed(len(result.scores)) for one in result.scores))
            yield Claim("optimism", 0.0, n_rows=n, least=noticed, of=model)
        else:
            columns = (worst.column,) if worst.column else ()
            yield Claim("optimism", worst.loss.value, columns, n, of=model | {"folds": worst.kind})

    def describe(self, claims: Claims, inspection: Inspection) -> Finding | None:
        (random, *scores), losses = claims.of("score"), claims.of("loss")
        over_guess, optimism = claims.of("gain over a guess")[0], claims.of("optimism")[0]
        if not Gain(over_guess.value, over_guess.of["error"]).is_real():
            return None
        if optimism.value:
            place = next(
                place
                for place, loss in enumerate(losses)
                if (loss.columns, loss.of["folds"]) == (optimism.columns, optimism.of["folds"])
            )
            return self._too_optimistic(random, scores[place], losses[place])
        kinds = {"group": "unseen values of “{}”", "order": "stretches of “{}”", "file": "stretches of the file"}
        tried = " and ".join(f"{shown_score(one)} on {kinds[one.of['folds']].format(*one.columns)}" for one in scores)
        most = max(losses, key=lambda loss: loss.value)
        if most.value >= LARGE_GAIN:
            text = f"Random folds may be too optimistic: {shown_score(random)} on random rows, {tried}"
            return self.say("unknown", f"{text}. The loss ({_points(most)}) may be chance: only more rows can tell.")
        noticed = 100 * (optimism.least or 0.0)
        text = (
            f"Random folds are not too optimistic: {shown_score(random)} on random rows, {tried}; a loss of "
            f"{noticed:.1f} points would have been noticed"
        )
        return self.say("fine", sentences([text]), "accuracy")

    def _too_optimistic(self, random: Claim, score: Claim, loss: Claim) -> Finding:
        folds, columns = loss.of["folds"], loss.columns
        advice = "Split by “{}”" if folds == "group" else "Split off whole stretches, not random rows"
        if loss.of["by target"]:
            advice = (
                "The target rises or falls along the file: if rows were collected in this order, split off whole "
                "stretches; if they were sorted later, shuffle them"
            )
        unseen = {
            "group": "unseen values of “{}”",
            "order": "unseen stretches of “{}”",
            "file": "unseen stretches of the file",
        }[folds]
        get = "gets" if random.of["model"] == "linear" else "get"
        text = (
            f"Random folds are too optimistic: {model_name(random)} {get} {shown_score(random)} on random rows, but "
            f"{shown_score(score)} on {unseen.format(*columns)} ({_points(loss)} less)"
        )
        return self.say("warning", sentences([text, advice.format(*columns)]), "accuracy").about(columns=columns)

    def pictures(self, result: SplitResult) -> Iterator[Picture]:
        words = "The score of one model with several ways to split the rows."
        explanation = (
            "The same model, tested on rows at random, and on groups or stretches of rows that it has not seen. The "
            "difference shows how optimistic random folds are."
        )
        yield Picture("groups", result, plot_splits, words, explanation)


def _points(loss: Claim) -> str:
    return f"{100 * loss.value:.1f} ± {100 * loss.of['error']:.1f} points"


def plot_splits(result: SplitResult, revision: str = "") -> go.Figure:
    """Draw the score of the same model with random folds, and with folds of groups and of rows that follow each other.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    unit, measure = (100.0, "right labels, %") if result.is_classification else (1.0, "R²")
    names = ["random folds", *(_folds(one) for one in result.scores)]
    scores = unit * np.array([result.score, *(one.score for one in result.scores)])
    return plot_bars(names, scores, measure, ":.4g", revision)


def _folds(one: SplitScore) -> str:
    if one.kind == "group":
        return f"unseen values of “{one.column}”"
    return f"stretches of “{one.column}”" if one.column else "stretches of the file"
