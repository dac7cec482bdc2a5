"""Drift: whether two parts of the rows, or this file and another one, have one distribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, norm
from sklearn.decomposition import PCA

from rfviz.analysis.drift import FEWEST_ROWS, WANDERING, WITNESS_ROWS, DriftResult, find_drift
from rfviz.analysis.profiles import TableProfile
from rfviz.datasets import Dataset
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, Table
from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, SYMBOLS, rgba, styled
from rfviz.figures.traces import literal, trace
from rfviz.inspection.drawing import HEIGHT, OF_ROWS
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.profile import Part, ProfilePart, compared_in_profile, is_sorted, recoded
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.inspection.sample import column_name
from rfviz.inspection.words import plural, share
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["AUTOMATIC", "Comparison", "Drift", "Part", "compared_columns", "inspect_drift", "plot_drift"]

#: The default comparison: with the other file, of training with test rows, or of the halves of the rows.
AUTOMATIC = "automatic"
# One false alarm in a thousand tables; a smaller difference of distribution functions is not told.
_ALARM, _LEAST = 1e-3, 0.01
_FEW_VALUES, _DRAWN, _NAMED = 12, 1500, 3
_NO_COLUMN = "There is no column to compare: numbers or categories in both, which do not number the rows."
# Words of a column that are drawn.
_WORDS = 12
# Directions in which images vary most.
_DIRECTIONS = 10
# Of ten columns that differ by as much as is said to be noticed, about nine are.
_NINE_OF_TEN, _N_QUESTIONS = 1.28, 3
# Why columns are not compared: those of the first three are a difference of two files.
_ONLY_HERE, _ONLY_THERE, _OTHER_KIND = (
    "only in this file",
    "only in the other file",
    "numbers in one, words in the other",
)
_SORTING, _KEYS = "the rows are sorted by it", "named like a number of the row"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between two samples.

    Attributes
    ----------
    n_columns : int
        Columns of the file, those that were not compared included.
    whole : Comparison or None
        The halves of all rows, where each class was cut by itself because these halves differ in their classes.
    uneven : (str, float, float)
        The class whose share of the labels differs most between the halves of all rows, with either share.
    n_labelled : int
        Rows with a label, of these.
    only_first, only_second, other_kind : tuple of str
        Columns that are not compared: only one of two files has them, or they hold numbers in one and words in the
        other.
    keys, sorting : tuple of str
        Columns that are not compared, for they are named as numbers of the rows are, or the rows are sorted by them.
    images : ndarray of int or None
        The row of the file of each image, from 0, where the columns are measures of images.
    profile : TableProfile or None
        That of the other file.
    """

    first: Part
    second: Part | ProfilePart
    result: DriftResult
    n_columns: int
    whole: Comparison | None = None
    uneven: tuple[str, float, float] = ("", 0.0, 0.0)
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    other_kind: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    sorting: tuple[str, ...] = ()
    images: np.ndarray | None = None
    n_labelled: int = 0
    profile: TableProfile | None = None

    @property
    def what(self) -> str:
        """The word for the compared quantity."""
        return "column" if self.images is None else "measure"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were compared."""
        return self.first.columns

    @property
    def columns(self) -> np.ndarray:
        """The columns that differ by themselves, by enough to be told: by known values, then by gaps only."""
        found = self.result.columns(_ALARM)
        found = found[self.result.apart[found] >= _LEAST]
        is_value = self._differs_in_values[found]
        far = np.where(is_value, self.result.distances[found], self.result.apart[found])
        return found[np.lexsort((-far, ~is_value))]

    @property
    def in_values(self) -> np.ndarray:
        """Those of them whose known values differ, the farthest first; of the others only the gaps do."""
        found = self.columns
        return found[self._differs_in_values[found]]

    @property
    def _differs_in_values(self) -> np.ndarray:
        return (self.result.values_p <= _ALARM) & (self.result.distances >= _LEAST)

    @property
    def together(self) -> bool:
        """Whether the combination of the columns differs."""
        return self.result.together_p <= _ALARM

    @property
    def noticed(self) -> float:
        """The distance of a column from which on its difference would have been noticed, in about nine of ten cases."""
        result, d = self.result, len(self.names)
        # A share deviates from its mean by at most half of this root; three questions are asked of each column.
        z = norm.isf(_ALARM / (2 * _N_QUESTIONS * d))
        # Few blocks vary more when they are permuted, for the difference itself is among them.
        n_blocks = sum(result.n_used) / result.block_rows
        z = z / np.sqrt(max(1.0 - z**2 / n_blocks, 1e-9)) + _NINE_OF_TEN
        return float(min(0.5 * z * np.sqrt(max(result.alike, 1.0) * sum(1.0 / n for n in result.n_used)), 1.0))

    @property
    def pictured(self) -> Comparison:
        """The comparison that has a difference to draw: this one, or that of all rows."""
        return self if self.whole is None or self.shown()[0] else self.whole

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column, the farthest apart first."""
        return self.result.to_frame(self.names)

    def words(self, name: str) -> list[str]:
        """Return the words that the numbers of a column stand for; none for numbers."""
        if name not in self.first.words:
            return []
        if self.profile is not None:
            return [*self.profile.words[name], "all others"]
        return list(map(str, self.first.table.words[name].categories))

    def shown(self) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
        """Return the column, or the pair of columns, that differs most, and its values in some rows of each part.

        Words are numbered. There are no columns if only gaps differ.
        """
        columns: list[int] = self.in_values[:1].tolist()
        if not columns and self.together and self.result.pairs:
            columns = list(self.result.pairs[0][:2])
        parts = (self.first, self.second)
        values = [part.values(columns, _DRAWN) if columns else np.empty((0, 0)) for part in parts]
        return tuple(self.names[column] for column in columns), values[0], values[1]


def compared_columns(dataset: Dataset) -> list[str]:
    """Return the columns whose values can say which rows are compared."""
    if dataset.image_shape:
        return []
    if dataset.origin is None:
        return [column_name(dataset, column) for column in range(dataset.n_features)]
    table = dataset.origin.table
    return [name for name in table.names if table.kind(name) in (NUMBER, CATEGORY, DATE)]


def inspect_drift(raw: Raw, dataset: Dataset, by: str = AUTOMATIC, progress: Progress = silent) -> Comparison | None:
    """Compare two parts of the rows, or this file with another one.

    Parameters
    ----------
    dataset : Dataset
        Prepared rows of it.
    by : str
        :data:`AUTOMATIC`, or a column: its two most frequent values, or the rows up to its median and those beyond.

    Returns
    -------
    Comparison or None
        None if the comparison is left open and the order of the rows means nothing, there are too few rows, or no
        column can be compared.

    Raises
    ------
    DataError
        If a comparison is asked for, and a part has too few rows, or no column can be compared.
    """
    images = None
    if dataset.image_shape:
        if dataset.n_samples < 2 * FEWEST_ROWS:
            return None
        raw, images = _measured(raw, dataset), dataset.row_numbers
    if (other := _other(dataset, by)) is not None and dataset.origin is not None:
        return _with_other(raw, other, dataset.origin.other_name, progress)
    parts = _parts(raw, dataset, by)
    if parts is None:
        return None
    names, keys, sorting = _columns_to_compare(raw, by)
    is_asked = by != AUTOMATIC
    if not is_asked and min(len(rows) for _, rows in parts) < FEWEST_ROWS:
        return None
    if not names:
        return _nothing_to_compare(is_asked, sorting)
    table = raw.table

    def compared(parts: _Parts, names: list[str]) -> tuple[Part, Part, DriftResult]:
        words = {name: np.asarray(table.words[name].codes) for name in names if name in table.words}
        one, two = (Part(said, table, rows, tuple(names), words) for said, rows in parts)
        categories = [place for place, name in enumerate(names) if name in words]
        return one, two, find_drift(one, two, categories=categories, progress=progress)

    whole = Comparison(*compared(parts, names), _n_columns(raw), keys=keys, sorting=sorting, images=images)
    uneven = None if is_asked or raw.n_train is not None else _uneven_class(raw, parts)
    names = [name for name in names if name != raw.label]
    if uneven is None or not names:
        return whole
    by_class = compared(_parts_of_classes(raw, parts), names)
    n_labelled = sum(map(len, _classes_of(raw, parts)))
    return replace(
        whole,
        first=by_class[0],
        second=by_class[1],
        result=by_class[2],
        whole=whole,
        uneven=uneven,
        n_labelled=n_labelled,
    )


def _with_other(raw: Raw, other: Table | TableProfile, name: str, progress: Progress) -> Comparison:
    """Compare all rows with the profile of another table, which is made here if it was not given."""
    table = raw.table
    names, keys, sorting = _columns_to_compare(raw, AUTOMATIC)
    lacked = tuple(name for name in names if name not in other)
    new = tuple(name for name in other.names if name not in table)
    shared = [name for name in names if name in other]
    other_kind = tuple(name for name in shared if other.kind(name) != table.kind(name))
    # In the order of the other table, in which its profile has them.
    names = sorted((name for name in shared if name not in other_kind), key=other.names.index)
    if not names:
        raise DataError(_NO_COLUMN)
    is_given = isinstance(other, TableProfile)
    profile = other.only(names) if is_given else compared_in_profile(other, name, names, progress)
    rows = raw.file_rows(np.arange(raw.n_rows))
    first = Part("the rows of this file", table, rows, tuple(names), recoded(table, profile.words))
    if is_given:
        second = ProfilePart(f"the profile of {other.of}", profile)
    else:
        second = Part(f"those of {name}", other, np.arange(other.n_rows), tuple(names), recoded(other, profile.words))
    return Comparison(
        first,
        second,
        find_drift(first, profile.drift, progress=progress),
        _n_columns(raw),
        only_first=lacked,
        only_second=new,
        other_kind=other_kind,
        keys=keys,
        sorting=sorting,
        profile=profile,
    )


def _columns_to_compare(raw: Raw, by: str) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """Return the columns to compare, those named like keys, and those that sort the rows."""
    names = [name for name in raw.of_kind(NUMBER, CATEGORY) if name not in (raw.order, by)]
    keys = tuple(name for name in names if NAMED_LIKE_KEYS.search(name))
    rows = slice(None) if raw.rows is None else raw.rows
    sorting = tuple(name for name in names if name not in keys and is_sorted(raw.table, name, rows))
    names = [name for name in names if name not in (*keys, *sorting)]
    if raw.label is not None and raw.label != by and raw.table.kind(raw.label) in (NUMBER, CATEGORY):
        names.append(raw.label)
    return names, keys, sorting


def _n_columns(raw: Raw) -> int:
    return len(raw.columns) + (raw.label is not None)


def _nothing_to_compare(is_asked: bool, sorting: tuple[str, ...]) -> None:
    """Raise an error where an answer is waited for, or the only column sorts the rows.

    Raises
    ------
    DataError
    """
    if sorting:
        raise DataError(f"There is nothing to compare but {_listed(sorting)}, by which the rows are sorted.")
    if is_asked:
        raise DataError(_NO_COLUMN)


def _measured(raw: Raw, dataset: Dataset) -> Raw:
    """Return images as a table of measures: brightness, contrast, places along the directions in which they vary most.

    The directions are those of all images together, so that they know nothing of the parts that are compared.
    """
    X = dataset.X.astype(np.float64)
    n_directions = min(_DIRECTIONS, *X.shape)
    along = PCA(n_directions, svd_solver="randomized", random_state=0).fit_transform(X)
    names = ("brightness", "contrast", *(f"direction {place + 1}" for place in range(n_directions)))
    values = np.column_stack([X.mean(axis=1), X.std(axis=1), along])
    table = replace(raw.table, names=names, matrix=values, places={name: place for place, name in enumerate(names)})
    return replace(raw, table=table, columns=names)


def _other(dataset: Dataset, by: str) -> Table | TableProfile | None:
    other = dataset.origin.other if dataset.origin is not None and by == AUTOMATIC else None
    return other if isinstance(other, Table | TableProfile) else None


_Parts = tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]


def _parts(raw: Raw, dataset: Dataset, by: str) -> _Parts | None:
    """Return the names and the rows of the two parts of this file."""
    rows = raw.file_rows(np.arange(raw.n_rows))
    if by != AUTOMATIC:
        return _parts_by(raw, by, rows)
    if raw.n_train is not None and 0 < raw.n_train < raw.n_rows:
        return ("the training rows", rows[: raw.n_train]), ("the test rows", rows[raw.n_train :])
    if dataset.rows is None and dataset.order is None:
        return None
    column = raw.order or next(iter(raw.of_kind(DATE)), None)
    usable = np.arange(raw.n_rows)
    if column is not None:
        place = np.asarray(raw.numbers(column), dtype=np.float64)
        usable = usable[np.isfinite(place)]  # the others have no place
        usable = usable[np.argsort(place[usable], kind="stable")]
    cut, said = len(usable) // 2, f"of the rows by “{column}”" if column is not None else "of the file"
    return (f"the first half {said}", rows[usable[:cut]]), (f"the second half {said}", rows[usable[cut:]])


def _uneven_class(raw: Raw, parts: _Parts) -> tuple[str, float, float] | None:
    """Return the class whose share differs most between two parts, with either share, or None if chance explains it."""
    if not raw.target_names or raw.y is None:
        return None
    counts = np.stack([np.bincount(codes, minlength=len(raw.target_names)) for codes in _classes_of(raw, parts)])
    there = np.flatnonzero(counts.sum(axis=0))
    if len(there) < 2 or not counts.sum(axis=1).all():
        return None
    test = chi2_contingency(counts[:, there], correction=False)
    shares = counts / counts.sum(axis=1, keepdims=True)
    most = int(np.abs(shares[0] - shares[1]).argmax())
    if test.pvalue > _ALARM or abs(shares[0, most] - shares[1, most]) < _LEAST:  # pyright: ignore[reportAttributeAccessIssue]
        return None
    return raw.target_names[most], float(shares[0, most]), float(shares[1, most])


def _classes_of(raw: Raw, parts: _Parts) -> list[np.ndarray]:
    """Return the classes of the labelled rows of each part, in the order of its rows."""
    codes = np.full(raw.table.n_rows, -1)
    if raw.y is not None:
        codes[raw.file_rows(np.flatnonzero(raw.labelled))] = raw.y[raw.labelled]
    return [(found := codes[rows])[found >= 0] for _, rows in parts]


def _parts_of_classes(raw: Raw, parts: _Parts) -> _Parts:
    """Return the halves of each class instead of those of all rows."""
    (first_name, first), (second_name, second) = parts
    labelled = np.zeros(raw.table.n_rows, dtype=bool)
    labelled[raw.file_rows(np.flatnonzero(raw.labelled))] = True
    rows = np.concatenate([first, second])
    rows = rows[labelled[rows]]
    place = _place_within(np.concatenate(_classes_of(raw, parts)))
    rows = rows[np.argsort(place, kind="stable")]
    cut = len(rows) // 2
    first_name, second_name = (
        name.replace("half of the file", "half of each class").replace("half of the rows", "half of each class")
        for name in (first_name, second_name)
    )
    return (first_name, rows[:cut]), (second_name, rows[cut:])


def _parts_by(raw: Raw, name: str, rows: np.ndarray) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]:
    """Return the rows of the two most frequent values of a column, or those up to its median and those beyond."""
    table = raw.table
    if name not in table or table.kind(name) not in (NUMBER, CATEGORY, DATE):
        raise DataError(f"There is no column “{name}” of numbers, categories or dates to compare rows by.")
    if name in table.words:
        values, titles = np.asarray(table.words[name].codes)[rows], list(map(str, table.words[name].categories))
        distinct, counts = np.unique(values[values >= 0], return_counts=True)
        shown = [titles[value] for value in distinct.tolist()]
    else:
        values = np.asarray(table.quantity(name)[rows], dtype=np.float64)
        distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
        shown = [f"{value:g}" for value in distinct[:_FEW_VALUES].tolist()]
    if len(distinct) < 2:
        raise DataError(f"The column “{name}” has a single value. Compare rows by another one.")
    if name in table.words or (len(distinct) <= _FEW_VALUES and table.kind(name) != DATE):
        one, two = np.sort(np.argsort(-counts, kind="stable")[:2]).tolist()
        return tuple(
            (f"the rows with “{name}” {shown[place]}", rows[values == distinct[place]]) for place in (one, two)
        )  # pyright: ignore[reportReturnType]
    known = np.flatnonzero(np.isfinite(values))
    known = known[np.argsort(values[known], kind="stable")]
    middle = float(np.median(values[known]))
    cut = int(np.searchsorted(values[known], middle, side="right"))
    last = float(values[known[cut - 1]])
    said = str(pd.Timestamp(last, unit="s").date()) if table.kind(name) == DATE else f"{last:.6g}"
    return (
        (f"the rows with “{name}” up to {said}", rows[known[:cut]]),
        (f"the rows with “{name}” beyond {said}", rows[known[cut:]]),
    )


def _place_within(y: np.ndarray) -> np.ndarray:
    """Return the place of each row among those of its class, from 0 to 1."""
    found = np.empty(len(y))
    for kind in np.unique(y).tolist():
        rows = np.flatnonzero(y == kind)
        found[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return found


class Drift(Question[Comparison]):
    """Whether two parts of the rows differ, and by which columns."""

    name, key = "Drift", "drift"
    cost = 2
    settings = ("compare",)
    formats: ClassVar = {
        "distance": "%.3f",
        "p-value": "%.4f",
        "missing in the first": "percent",
        "missing in the second": "percent",
    }
    method = (
        "**Drift.** Training with test rows, the halves of the file, the values of a column, or two files. Where the "
        "halves of the file differ in their classes, the halves of each class by itself are compared as well. Each "
        "column: cosine waves over its ranks, squared normal scores for its spread and its tails, and its gaps; the "
        "first two also summed over all columns. All together: random Fourier features of three widths, after each "
        "column got the same distribution in both parts. Blocks of rows are permuted 9,999 times, and the largest "
        "difference counts; it is reported with one false alarm in a thousand tables. The distance that is said to be "
        "noticed would be found in about nine of ten tables. With a fixed number of random features some changes of "
        "the combination stay unseen (arXiv 2407.08976). Another file is compared by its profile: its quantiles make "
        "the bins, and it keeps means of up to 32 blocks of rows. Images are compared by their brightness, their "
        "contrast and their coordinates along ten principal components."
    )

    kinds: ClassVar = {
        "compared columns": (
            "Columns of `all` that are compared between the rows `first` and `second`; n_rows are all of these rows. "
            "They are numbers and categories, and the label unless the halves are those of each class. The first half "
            "is ⌊n/2⌋ rows, in the order of the file or of the column that is named. Halves of each class: rows with a "
            "label in the order of (k − ½)/m for the k-th of the m rows of a class. Of images, `measures`: mean and "
            "standard deviation of a row’s pixels, and ten principal components of all images. `profile`: the others "
            "are known by a profile."
        ),
        "p-value": (
            "Of the hypothesis that all these columns have one distribution in both parts: the share of 9,999 drawn "
            "permutations of blocks of rows that reach as much, see `rfviz.analysis.drift.find_drift`."
        ),
        "differing columns": (
            "Columns with a p-value of 0.001 at most, adjusted for their number, whose distance, or the difference of "
            "whose shares of missing values, is `from` or more. If there are none, a distance of `least` would have "
            "been found in about nine of ten tables. n_rows are the rows that were used: all, but of a part with more "
            "than eight times the rows of the other one, stretches."
        ),
        "distance": (
            "The largest difference between the distribution functions of a column’s known values in both parts; of "
            "words, half the sum of the differences of their shares, all beyond the 100 most frequent as one (with "
            "another file all beyond its 30 most frequent, and those of fewer than 5 of its rows). It is the mean over "
            "blocks of rows (see “stretches differ”), which are about one size, so that it may differ from that of all "
            "rows by 0.015; of numbers it is looked for at 63 quantiles, and may be 0.03 too small. "
            "`p-value`: of the known values, adjusted for the number of columns."
        ),
        "missing shares": "The shares of missing values of a column in both parts: the mean over blocks of rows.",
        "largest difference": "The largest of all distances, of known values.",
        "largest difference of gaps": "The largest of all differences of shares of missing values.",
        "p-value of the combination": (
            "The p-value of how columns go together, given each by itself, by permutations of blocks: random Fourier "
            "features of three widths (drawn by this program) of normal scores within each part, less what single "
            "columns contribute. 1 if fewer than two columns vary in both parts and, where a value has more than a "
            "tenth of the rows, do not differ by themselves (p ≤ 0.05), or if there are more than 1,000 columns. With "
            "another file all its columns go in, so that one that differs as said is enough; then, and if one of its "
            "columns is left out here, this is not `compared`."
        ),
        "rank correlations": (
            "Of two columns in both parts: correlations of normal scores of 64 bins of ranks, taken within each part. "
            "They are told if their difference, by Fisher’s transformation, has a p-value of 0.01 for all pairs."
        ),
        "stretches differ": (
            "Whether `correlation`, the largest of that of all columns and of each differing one, is above 0.35: over "
            "blocks of about `block rows` rows that follow each other within a part, the sum of products of block "
            "means of features, less their mean over the part, over that of their squares; 0 of a column that is "
            "constant within each part. Features: cos(kπu)/k of ranks u for k = 1 to 8, half the squared normal score, "
            "a gap; of words, indicators over √(share + 0.01), all beyond the 100 most frequent as one. Each column’s "
            "have variance 1 together. Ranks are those of 64 bins, which end at the quantiles 1/64 to 63/64 of the "
            "known values."
        ),
        "least alike rows": (
            "Up to 100 rows of `part`, of those `looked at`, the farthest first, where the witness function, the "
            "difference of the mean embeddings of both parts, is largest on their side."
        ),
        "class shares": (
            "The shares of `class` among the labels of both parts; n_rows have a label, of `rows`. Told for the class "
            "with the largest difference, if a χ² test of all classes has a p-value of 0.001 at most."
        ),
        "columns not compared": "How many columns are not compared, and `why`; `names` are those of the other file.",
    }

    def compute(self, inspection: Inspection) -> Comparison | None:
        source = inspection.source
        return inspect_drift(inspection.raw, source.dataset, source.compare, inspection.progress)

    def claims(self, result: Comparison, inspection: Inspection) -> Iterator[Claim]:
        yield from _claims_of(result)
        parts, n_rows = {"first": result.first.name, "second": result.second.name}, sum(result.result.n_rows)
        if len(result.columns) or result.together:
            # Rows of this file: of another one there are none to show.
            side, part = 0, result.first
            if result.profile is None and isinstance(result.second, Part):
                side, part = 1, result.second
            rows = part.rows[result.result.rows[side]]
            rows = rows if result.images is None else result.images[rows]
            of = parts | {"part": part.name, "looked at": min(part.n_rows, WITNESS_ROWS)}
            if len(rows):
                yield Claim("least alike rows", len(rows), n_rows=part.n_rows, of=of, rows=rows)
        if result.whole is not None:
            yield from _claims_of(result.whole)
            first, second = result.whole.first.name, result.whole.second.name
            (kind, *shares), n = result.uneven, sum(result.whole.result.n_rows)
            of = {"first": first, "second": second, "class": kind, "rows": n}
            yield Claim("class shares", tuple(shares), inspection.raw.label_columns, result.n_labelled, of=of)
        for why, names in (
            (_ONLY_HERE, result.only_first),
            (_ONLY_THERE, result.only_second),
            (_OTHER_KIND, result.other_kind),
            (_SORTING, result.sorting),
            (_KEYS, result.keys),
        ):
            if names:
                is_here = why != _ONLY_THERE
                of = parts | {"why": why} | ({} if is_here else {"names": names})
                yield Claim("columns not compared", len(names), names if is_here else (), n_rows, of=of)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        compared, first = claims[0], claims[0].of["first"]
        own = Claims(claim for claim in claims if claim.of["first"] == first)
        whole = Claims(claim for claim in claims if claim.of["first"] != first)
        parts, of_all, rows = _differences(own), _of_all_rows(whole, compared), np.empty(0, dtype=np.int64)
        apart = {claim.of["why"]: claim for claim in claims.of("columns not compared")}
        is_look = bool(parts or of_all or apart.keys() & {_ONLY_HERE, _ONLY_THERE, _OTHER_KIND})
        if not parts:
            parts.append(_nothing(own))
            is_look |= own.value("p-value") <= _ALARM and _largest(own) >= _LEAST
        elif far := claims.get("least alike rows"):
            rows, part, n = far.rows, far.of["part"], far.of["looked at"]
            some = f"{n:,} rows of {part}" if n < far.n_rows else part
            parts.append(f"Of {some}, row {rows[0] + 1:,} is least like the other part.")
        named = [
            *(own.of("distance").columns),
            *(own.of("rank correlations").columns),
            *(column for why in (_ONLY_HERE, _OTHER_KIND) if why in apart for column in apart[why].columns),
            *(whole.of("distance").columns),
        ]
        text = " ".join([*parts, *of_all, *_unanswered(own), *_left_out(apart)])
        return self.say("look" if is_look else "fine", text).about(rows, named)

    def pictures(self, result: Comparison) -> Iterator[Picture]:
        if result.pictured.shown()[0]:
            words = "What differs most between the two parts, drawn for both."
            yield Picture("drift", result, plot_drift, words)

    def note(self, result: Comparison) -> str:
        first, second = (f"{part.name} ({counted(part.n_rows, 'row')})" for part in (result.first, result.second))
        measures = (
            ""
            if result.images is None
            else (
                "Each image is measured by its brightness (mean), its contrast (standard deviation), and its "
                "coordinates along the directions in which the images vary most (principal components). "
            )
        )
        return (
            f"Compared: {first} and {second}. {measures}Distance: the largest difference of the distribution functions "
            f"of known values. P-values are adjusted for the number of {result.what}s."
        )


def _claims_of(drift: Comparison) -> Iterator[Claim]:
    """Yield the claims about two parts; measures of images have names, but are not columns."""
    result, d, found = drift.result, len(drift.names), drift.columns
    n, parts = sum(result.n_used), {"first": drift.first.name, "second": drift.second.name}

    def claim(what: str, value: Any, *columns: int, least: float | None = None, **of: Any) -> Claim:
        names = tuple(drift.names[column] for column in columns)
        if drift.images is None:
            return Claim(what, value, names, n, least, parts | of)
        return Claim(what, value, (), n, least, parts | of | ({"measures": names} if names else {}))

    without_rows = {"profile": True} if isinstance(drift.second, ProfilePart) else {}
    yield replace(
        claim("compared columns", d, *range(d), all=drift.n_columns, **without_rows), n_rows=sum(result.n_rows)
    )
    yield claim("p-value", result.p_value)
    least = None if len(found) else max(drift.noticed, _LEAST)
    yield claim("differing columns", len(found), *found.tolist(), least=least, **{"from": _LEAST})
    for column in found.tolist():
        yield claim("distance", float(result.distances[column]), column, **{"p-value": float(result.values_p[column])})
        before, after = result.missing[column].tolist()
        if column not in drift.in_values or abs(before - after) >= _LEAST:
            yield claim("missing shares", (before, after), column)
    most, gaps = int(result.distances.argmax()), np.abs(result.missing[:, 0] - result.missing[:, 1])
    yield claim("largest difference", float(result.distances[most]), most)
    yield claim("largest difference of gaps", float(gaps.max()), int(gaps.argmax()))
    apart = {"compared": False} if drift.profile is not None and d > 1 and not result.is_together else {}
    yield claim("p-value of the combination", result.together_p, **apart)
    for one, other, before, after in result.pairs if drift.together else ():
        yield claim("rank correlations", (before, after), one, other)
    alike = result.steady(found)
    yield claim("stretches differ", alike > WANDERING, correlation=alike, **{"block rows": result.block_rows})


def _names(claim: Claim) -> tuple[str, ...]:
    return claim.of.get("measures", claim.columns)


def _what(compared: Claim) -> str:
    return "measure" if "measures" in compared.of else "column"


def _between(compared: Claim) -> str:
    first, second = compared.of["first"], compared.of["second"]
    half, _, of = first.partition(" half ")
    return f"{half} and {second}" if of else f"{first} and {second}"


def _largest(claims: Claims) -> float:
    return max(claims.value("largest difference"), claims.value("largest difference of gaps", 0.0))


def _nothing(claims: Claims) -> str:
    """Say that nothing, or little, differs, and what would have been noticed."""
    compared, differing = claims[0], claims.of("differing columns")[0]
    what, n_all, n_used = _what(compared), compared.of["all"], differing.n_rows
    columns = counted(compared.value, what)
    columns = columns if compared.value >= n_all else f"{compared.value:,} of {counted(n_all, what)}"
    rows = f"{n_used:,} of {compared.n_rows:,} rows" if n_used < compared.n_rows else counted(n_used, "row")
    of = f"between {_between(compared)} ({rows}, {columns})"
    if claims.value("p-value") <= _ALARM:
        most = claims.of("largest difference")[0]
        if _largest(claims) < _LEAST:
            return f"Only small differences {of}: all are below {differing.of['from']}."
        known = " of known values" if claims.value("largest difference of gaps", 0.0) >= _LEAST else ""
        largest = f"the largest{known} is {most.value:.2g} (“{_names(most)[0]}”)"
        return f"Many small differences {of}: no {what} stands out, but all of them together do; {largest}."
    return (
        f"Nothing differs {of}. A {what} whose distribution functions differ by about {differing.least:.2f} would "
        "have been noticed."
    )


def _differences(claims: Claims) -> list[str]:
    """Return the sentences about columns that differ, and about their combination."""
    compared, distances = claims[0], claims.of("distance")
    is_together = claims.value("p-value of the combination") <= _ALARM
    if not distances and not is_together:
        return []
    parts, between = [], _between(compared)
    values = [claim for claim in distances if claim.of["p-value"] <= _ALARM and claim.value >= _LEAST]
    if values:
        parts.append(
            f"{len(values):,} of {counted(compared.value, _what(compared))} {plural(len(values), 'differs', 'differ')} "
            f"between {between}, by the largest difference of their distribution functions: {_shown(claims, values)}."
        )
    gaps = [claim for claim in distances if claim not in values]
    if gaps:
        where = "" if values else f" between {between}"
        parts.append(f"Only the gaps of {_shown(claims, gaps, gaps_only=True)} differ{where}, not the known values.")
    if is_together:
        parts.append(_combination(claims, bool(distances)))
    if claims.value("stretches differ"):
        parts.append(
            "Stretches within each part differ, too: the change is gradual, or each row is like the one before it. So "
            "this is no proof of a change between the parts."
        )
    else:
        parts.append("If nothing had changed, chance would show this in at most one of a thousand tables.")
    return parts


def _combination(claims: Claims, as_well: bool) -> str:
    what = _what(claims[0])
    text = f"The way in which {what}s go together differs as well"
    if not as_well:
        text = f"Between {_between(claims[0])} no {what} differs by itself, but the way in which they go together does"
    pairs = claims.of("rank correlations")
    if not pairs:
        return f"{text}."
    (before, after), (one, other), n_more = pairs[0].value, _names(pairs[0]), len(pairs) - 1
    more = f", and {counted(n_more, 'other pair')} {plural(n_more, 'changes', 'change')}" if n_more else ""
    return (
        f"{text}: the rank correlation of “{one}” and “{other}” is {_signed(before)} in the first part and "
        f"{_signed(after)} in the second{more}."
    )


def _of_all_rows(claims: Claims, compared: Claim) -> list[str]:
    """Return the sentences about the halves of all rows, where each class was cut by itself to be compared."""
    uneven = claims.get("class shares")
    if uneven is None:
        return []
    first, second, (before, after) = uneven.of["first"], uneven.of["second"], uneven.value
    half, _, _ = second.partition(" half ")
    labelled = ", of the rows with a label" if uneven.n_rows < uneven.of["rows"] else ""
    parts = [
        f"The classes are spread unevenly over the rows: “{uneven.of['class']}” is {share(before)} of {first} and "
        f"{share(after)} of {half}{labelled}."
    ]
    told = [claim for claim in claims.of("distance") if _names(claim)[0] in _names(compared)]
    if told:
        of = counted(compared.value, "column") if _what(compared) == "column" else "measures of images"
        parts.append(f"These halves differ in {len(told):,} of {of}: {_shown(claims, told)}.")
    if first.endswith("of the file"):
        parts.append("Shuffle the rows before you cut off a part of them.")
    return parts


def _unanswered(claims: Claims) -> list[str]:
    """Return the sentences about what a profile cannot tell."""
    said: list[str] = []
    if not claims.of("p-value of the combination")[0].of.get("compared", True):
        said.append(
            "How the columns go together was not compared: a column with few values differs, or one is left out here."
        )
    if claims[0].of.get("profile"):
        said.append(
            "A profile has no rows: which of the others are unlike these, and pictures of two columns, need the table."
        )
    return said


def _left_out(apart: Mapping[str, Claim]) -> list[str]:
    """Return the sentences about columns that are not compared, by the reason."""
    texts = {
        _ONLY_HERE: "only this file has {}",
        _ONLY_THERE: "only the other one has {}",
        _OTHER_KIND: "{}: numbers in one, words in the other",
        _SORTING: "{}, by which the rows are sorted",
        _KEYS: "{}, named like a number of the row",
    }
    said = [
        texts[why].format(_listed(claim.of.get("names", claim.columns))) for why, claim in apart.items() if why in texts
    ]
    return [f"Not compared: {'; '.join(said)}."] if said else []


def _shown(claims: Claims, told: Sequence[Claim], gaps_only: bool = False) -> str:
    gaps = {_names(claim): claim.value for claim in claims.of("missing shares")}
    shown = ", ".join(f"“{_names(claim)[0]}” ({_by(claim, gaps, gaps_only)})" for claim in told[:_NAMED])
    return shown + (f" and {len(told) - _NAMED:,} more" if len(told) > _NAMED else "")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(f"“{name}”" for name in names[:_NAMED]) + more


def _by(claim: Claim, gaps: Mapping[tuple[str, ...], tuple[float, float]], gaps_only: bool) -> str:
    before, after = gaps.get(_names(claim), (0.0, 0.0))
    missing = [f"missing {share(before)} and {share(after)}"] if gaps_only or before != after else []
    return ", ".join([*([] if gaps_only else [f"{claim.value:.2f}"]), *missing])


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def plot_drift(drift: Comparison, revision: str = "") -> go.Figure:
    """Draw the column that differs most in both parts, or else the pair of columns.

    Parameters
    ----------
    drift : Comparison
        With something that differs.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    drift = drift.pictured
    names, *samples = drift.shown()
    titles = [literal(part.name) for part in (drift.first, drift.second)]
    looks = list(zip(samples, titles, COLOURS, ("solid", "dash"), SYMBOLS, strict=False))
    if len(names) == 2:
        traces = [
            trace(
                "scatter",
                x=values[:, 0],
                y=values[:, 1],
                mode="markers",
                name=title,
                marker={"color": rgba(colour, 0.6), "symbol": symbol, "size": 6},
                hovertemplate="%{x:.4g}, %{y:.4g}<extra>" + title + "</extra>",
            )
            for values, title, colour, _, symbol in looks
            if len(values)  # a profile has none
        ]
        x, y = map(literal, names)
        return styled(traces, x=x, y=y, height=HEIGHT, revision=revision)
    known = [values[np.isfinite(values[:, 0]), 0] for values in samples]
    words = drift.words(names[0])
    if words:
        counts = [np.bincount(values.astype(np.int64), minlength=len(words))[: len(words)] for values in known]
        often = np.argsort(-(counts[0] + counts[1]), kind="stable")[:_WORDS]
        traces = [
            trace(
                "bar",
                x=[literal(words[word]) for word in often],
                y=100.0 * count[often] / max(len(values), 1),
                name=title,
                marker={"color": colour, "pattern": {"shape": "/" if dash == "dash" else ""}},
                hovertemplate="%{x}: %{y:.3g}%<extra>" + title + "</extra>",
            )
            for (_, title, colour, dash, _), count, values in zip(looks, counts, known, strict=True)
        ]
        return styled(traces, x=literal(names[0]), y=OF_ROWS, height=HEIGHT, revision=revision, barmode="group")
    # A few huge values would leave all others in one bar.
    low, high = np.percentile(np.concatenate(known), (0.5, 99.5)) if sum(map(len, known)) else (0.0, 1.0)
    edges = np.linspace(low, high if high > low else low + 1.0, 31)
    traces = []
    for (_, title, colour, dash, _), values in zip(looks, known, strict=True):
        counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
        traces.append(
            trace(
                "scatter",
                x=edges[:-1],
                y=100.0 * counts / max(len(values), 1),
                mode="lines",
                name=title,
                line={"color": colour, "dash": dash, "width": 2.5, "shape": "hv"},
                hovertemplate="from %{x:.4g}: %{y:.3g}%<extra>" + title + "</extra>",
            )
        )
    return styled(traces, x=literal(names[0]), y=OF_ROWS, height=HEIGHT, revision=revision)
