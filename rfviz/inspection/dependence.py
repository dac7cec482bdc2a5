"""Dependence: which columns tell of each other, and those of them that hardly correlate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.dependence import (
    ConditionalDependence,
    DependenceResult,
    find_conditional_dependence,
    find_dependence,
)
from rfviz.datasets.files.table import CATEGORY, NUMBER
from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, rgba, styled
from rfviz.figures.traces import literal, trace
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Computation, Picture, Question
from rfviz.inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = [
    "AtTheSame",
    "ColumnDependence",
    "Dependence",
    "HeldConstant",
    "hold_constant",
    "inspect_dependence",
    "plot_dependence",
    "plot_pair",
]

_ROWS, _FEWEST, _CELLS, _MOST_COLUMNS = 20_000, 2_000, 2_000_000, 500
# Expected share of false pairs among those that are told; a weaker dependence is called weak.
_FALSE, _LEAST = 0.01, 0.3
# Largest correlation of columns that hardly correlate, least one that is told; how alike neighbouring rows may be in
# both columns.
_HARDLY, _NEWS, _ALIKE = 0.2, 0.5, 0.1
_NAMED, _DRAWN = 3, 1500
# Columns of the heat map; pixels of its slanted names below, and of each column, so that every name is there.
_HEAT, _NAMES_HEIGHT, _ROW_HEIGHT = 60, 170, 19
# Pairs at most that are looked at again among rows with the same third column.
_MOST_HELD = 100


@dataclass(frozen=True, eq=False)
class ColumnDependence:
    """How strongly columns depend on each other.

    Attributes
    ----------
    names : tuple of str
    values : ndarray of shape (n, d)
        Of the rows that were used; words are numbered, nan where a value is missing.
    words : dict of str to list of str
        The words of columns of words.
    n_all : int
        Rows of the file.
    """

    names: tuple[str, ...]
    values: np.ndarray
    words: dict[str, list[str]]
    result: DependenceResult
    n_all: int

    @property
    def measured(self) -> np.ndarray:
        """Pairs that enough rows know, the strongest first, shape (k, 2)."""
        pairs = np.argwhere(np.triu(self.result.freedom, 1) > 0)
        return pairs[np.argsort(-self.result.strength[tuple(pairs.T)], kind="stable")]

    @property
    def dependent(self) -> np.ndarray:
        """Pairs that depend on each other, however weakly, the strongest first, shape (k, 2)."""
        pairs = self.measured
        return pairs[self.result.adjusted[tuple(pairs.T)] <= _FALSE]

    @property
    def pairs(self) -> np.ndarray:
        """Pairs that depend on each other and not just weakly, the strongest first, shape (k, 2)."""
        pairs = self.dependent
        return pairs[self.result.strength[tuple(pairs.T)] >= _LEAST]

    def may_be_chance(self, pairs: np.ndarray) -> np.ndarray:
        """Return of which pairs rows that follow each other are alike in both columns, so that these seem to depend."""
        one, other = pairs.T
        return self.result.neighbours[one] * self.result.neighbours[other] > _ALIKE

    def uncorrelated(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs of numbers that hardly correlate, and those of them where chance may have done it."""
        pairs = self.pairs
        strength, r = self.result.strength[tuple(pairs.T)], self.result.correlation[tuple(pairs.T)]
        is_news = (np.abs(r) <= _HARDLY) & (strength >= _NEWS)
        may_be_chance = self.may_be_chance(pairs)
        return pairs[is_news & ~may_be_chance], pairs[is_news & may_be_chance]

    def to_frame(self, most: int = 200) -> pd.DataFrame:
        """Return one row per pair that depends on each other, those that hardly correlate first."""
        news = {(int(i), int(j)) for i, j in self.uncorrelated()[0]}
        pairs = sorted(map(tuple, self.pairs.tolist()), key=lambda pair: pair not in news)[:most]
        return pd.DataFrame(
            [
                (
                    self.names[i],
                    self.names[j],
                    self.result.strength[i, j],
                    self.result.correlation[i, j],
                    self.result.adjusted[i, j],
                )
                for i, j in pairs
            ],
            columns=["column", "other column", "dependence", "rank correlation", "p-value"],
        )

    def shown(self) -> tuple[tuple[str, str], np.ndarray]:
        """Return the strongest of `pairs` that hardly correlate, or else of all, and some of its rows."""
        news, pairs = self.uncorrelated()[0], self.pairs
        i, j = (news if len(news) else pairs)[0].tolist()
        step = np.unique(np.linspace(0, len(self.values) - 1, min(len(self.values), _DRAWN)).astype(int))
        return (self.names[i], self.names[j]), self.values[step][:, [i, j]]

    def strength_frame(self) -> pd.DataFrame:
        """Return one row per pair of columns."""
        one, other = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        return pd.DataFrame(
            {
                "column": names[one],
                "other column": names[other],
                "dependence": self.result.strength[one, other],
                "rank correlation": self.result.correlation[one, other],
            }
        )

    def pair_frame(self) -> pd.DataFrame:
        """Return some rows in the two columns of :meth:`shown`."""
        names, values = self.shown()
        columns = {}
        for name, column in zip(names, values.T, strict=True):
            words = self.words.get(name)
            columns[name] = column if words is None else [words[int(code)] if code >= 0 else None for code in column]
        return pd.DataFrame(columns)


def inspect_dependence(raw: Raw, progress: Progress = silent) -> ColumnDependence:
    """Measure how strongly columns depend on each other.

    Raises
    ------
    DataError
        For fewer than two columns or 40 rows, or too many columns.
    """
    table = raw.table
    names = [name for name in raw.of_kind(NUMBER, CATEGORY) if name != raw.order and not NAMED_LIKE_KEYS.search(name)]
    if len(names) > _MOST_COLUMNS:
        raise DataError(
            f"ColumnDependence is measured of at most {_MOST_COLUMNS} columns; here are {len(names):,}. Leave some out."
        )
    n = min(raw.n_rows, max(_CELLS // max(len(names), 1), _FEWEST), _ROWS)
    rows = raw.file_rows(np.unique(np.linspace(0, raw.n_rows - 1, n).astype(np.int64)))
    values, words = np.empty((len(rows), len(names))), {}
    for place, name in enumerate(names):
        if name in table.words:
            codes = np.asarray(table.words[name].codes)[rows]
            values[:, place] = np.where(codes < 0, np.nan, codes)
            words[name] = list(map(str, table.words[name].categories))
        else:
            values[:, place] = table.quantity(name)[rows]
    categories = [place for place, name in enumerate(names) if name in words]
    return ColumnDependence(tuple(names), values, words, find_dependence(values, categories, progress), raw.n_rows)


@dataclass(frozen=True, eq=False)
class HeldConstant:
    """The pairs that depend on each other, among rows with the same value of a third column.

    Attributes
    ----------
    given : str
        The third column.
    names : tuple of (str, str)
        The pairs, those that depend most among all rows first.
    before : ndarray of shape (n_pairs,)
        Their dependence among all rows.
    """

    given: str
    names: tuple[tuple[str, str], ...]
    before: np.ndarray
    result: ConditionalDependence

    @property
    def still(self) -> np.ndarray:
        """Which pairs depend on each other among rows with the same value, too."""
        return self.result.adjusted <= _FALSE

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, those that depend most at the same value first."""
        frame = pd.DataFrame(self.names, columns=["column", "other column"])
        frame["dependence"] = self.before
        frame[f"at the same {self.given}"], frame["p-value"] = self.result.strength, self.result.adjusted
        order = np.lexsort([-self.result.strength, ~self.still])
        return frame.iloc[order].reset_index(drop=True)

    def __str__(self) -> str:
        n, still = len(self.names), self.still
        same = f"among rows with the same “{self.given}”"
        if not n:
            return f"No two other columns depend clearly on each other, so there is no pair to look at {same}."
        if still.all():
            which = "The pair depends" if n == 1 else f"All {n} pairs depend" if n > 2 else "Both pairs depend"
            return f"{which} on each other {same}, too: {self._pair(int(self.result.strength.argmax()))}."
        gone = np.flatnonzero(~still)
        largest = self._pair(int(gone[self.before[gone].argmax()]))
        if not still.any():
            which = "The pair shows" if n == 1 else f"None of {n} pairs shows"
            no = " no" if n == 1 else ""
            return f"{which}{no} dependence {same}: {largest}. “{self.given}” may be all that makes them go together."
        strongest = int(np.where(still, self.result.strength, -1.0).argmax())
        which, most = ("depends", ":") if still.sum() == 1 else ("depend", ", most")
        rest = f" and {counted(len(gone) - 1, 'more pair')}" if len(gone) > 1 else ""
        return (
            f"{int(still.sum())} of {n} pairs still {which} on each other {same}{most} {self._pair(strongest)}. "
            f"No dependence shows between {largest}{rest}."
        )

    def _pair(self, place: int) -> str:
        one, other = self.names[place]
        held, before = self.result.strength[place], self.before[place]
        return f"“{one}” and “{other}” (dependence {held:.2f}, among all rows {before:.2f})"


def hold_constant(dependence: ColumnDependence, given: str, progress: Progress = silent) -> HeldConstant:
    """Return which of the pairs that depend on each other do so among rows with the same value of a third column."""
    held = dependence.names.index(given)
    pairs = dependence.pairs
    pairs = pairs[(pairs != held).all(axis=1)][:_MOST_HELD]
    words = [place for place, name in enumerate(dependence.names) if name in dependence.words]
    found = find_conditional_dependence(dependence.values, pairs, held, words, progress)
    names = tuple((dependence.names[i], dependence.names[j]) for i, j in pairs.tolist())
    return HeldConstant(given, names, dependence.result.strength[pairs[:, 0], pairs[:, 1]], found)


class Dependence(Question[ColumnDependence]):
    """Which columns depend on each other though they hardly correlate, or else which depend most."""

    name, key = "Dependence", "dependence"
    cost = 1
    formats: ClassVar = {"dependence": "%.3f", "rank correlation": "%.3f", "p-value": "%.2g"}
    method = (
        "**Dependence.** Cosine waves over the ranks of each column, words and few values as indicators, in up to "
        "20,000 rows that know both. How much of one column the other explains is measured as in redundancy "
        "analysis (van den Wollenberg 1977), so that words count by their rows; of numbers this is the largest "
        "canonical correlation, as in the randomized dependence coefficient (Lopez-Paz et al. 2013). A pair is "
        "worth a look from 0.5 on, if its ranks correlate by 0.2 at most; of the pairs told, at most 1% are "
        "expected to be false. P-values follow from the moments of permutations. Among rows with the same third "
        "column: the same waves, less what many waves of that column predict of them; p-values allow for noise that "
        "varies with it, as in the randomized conditional correlation test (Strobl et al. 2019)."
    )

    kinds: ClassVar = {
        "compared pairs": (
            "Pairs of columns whose dependence is measured: at least 40 rows know both, and both vary in these. Of "
            "`all rows`, n_rows are used: the whole parts of as many numbers evenly from 0 to the last row, "
            "which is all rows up to 20,000, or fewer if there are more than 100 columns. `columns`: "
            "all between which pairs are looked for."
        ),
        "incomparable pairs": "All other pairs of these columns.",
        "dependent pairs": (
            "Compared pairs with a dependence of at least `from` and a p-value of 1% at most, after Benjamini and "
            "Hochberg over all compared pairs. If there are none, one of `least` in any compared pair would be among "
            "them with a probability of 95%, by the noncentral χ² law."
        ),
        "pairs of alike rows": (
            "Those of the dependent pairs for which the autocorrelations at lag 1 of both columns’ waves, each the "
            "mean over the column’s directions of variance 1, of the used rows that know this column, have a product "
            "above 0.1."
        ),
        "uncorrelated pairs": (
            "Dependent pairs of numbers with a dependence of at least 0.5 and a rank correlation of 0.2 at most in "
            "size, without pairs of alike rows; `of all`: with any rank correlation, and pairs of alike rows."
        ),
        "uncorrelated pairs of alike rows": "Pairs of alike rows of which the same is true.",
        "dependence": (
            "Of two columns, by the rows that know both. A column of n rows is centred cos(kπu) of its mid-ranks u "
            "from 0 to 1, for k = 1 to n^(1/3)/1.5, rounded, at least 3 and at most 8. Words, or numbers of at most 12 "
            "values, are centred indicators of the 11 most frequent with 5 rows or more, and one of all others (which, "
            "if they have fewer than 5 rows, count as the rarest of those); of equally frequent ones those that come "
            "first. Directions with less than 1e-4 of the largest variance, or of a sum of squares of 1, are dropped. "
            "Of the combination of one column’s that varies most among those of length 1, or any other, the part that "
            "least squares on the other column’s explain, over the largest variance of such a combination: its largest "
            "value is a share R², adjusted to 1 − (1 − R²)(n − 1)/(n − 1 − size) for the other column’s size. The "
            "dependence is the root of the larger one of both directions, but never less than the absolute rank "
            "correlation. `rank correlation`: Spearman’s, of numbers. `p-value`: of Pillai’s trace, by the gamma law "
            "with the mean and variance of permutations (Kazi-Aoual et al. 1995), after Benjamini and Hochberg."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images and len(inspection.raw.columns) > 1

    def compute(self, inspection: Inspection) -> ColumnDependence:
        return inspect_dependence(inspection.raw, inspection.progress)

    def claims(self, result: ColumnDependence, inspection: Inspection) -> Iterator[Claim]:
        n, n_columns, found = result.result.n_rows, len(result.names), result.result
        measured, dependent, strong = result.measured, result.dependent, result.pairs
        news, doubtful = result.uncorrelated()
        yield Claim("compared pairs", len(measured), result.names, n, of={"all rows": result.n_all})
        yield Claim("incomparable pairs", n_columns * (n_columns - 1) // 2 - len(measured), n_rows=n)
        if not len(measured):
            return
        visible = found.visible(_FALSE)
        for pairs, least in ((strong, _LEAST), (dependent, 0.0)):
            seen = None if len(pairs) else max(visible, least)
            yield Claim("dependent pairs", len(pairs), n_rows=n, least=seen, of={"from": least})
            n_alike = int(np.count_nonzero(result.may_be_chance(pairs)))
            yield Claim("pairs of alike rows", n_alike, n_rows=n, of={"from": least})
        one, other = strong.T
        n_clear = np.count_nonzero((found.strength[one, other] >= _NEWS) & np.isfinite(found.correlation[one, other]))
        seen = None if len(news) else max(visible, _NEWS)
        yield Claim("uncorrelated pairs", len(news), n_rows=n, least=seen, of={"of all": int(n_clear)})
        yield Claim("uncorrelated pairs of alike rows", len(doubtful), n_rows=n)
        sure = dependent[~result.may_be_chance(dependent)]
        told = next(pairs for pairs in (news, strong[:1], sure[:1], dependent[:1], measured[:1]) if len(pairs))
        # Few rows with many words may bring a stronger one by chance.
        is_unsure = not len(strong) and len(dependent) and found.strength[tuple(measured[0])] >= _LEAST
        for i, j in np.concatenate([told, measured[:1] if is_unsure else measured[:0]]).tolist():
            r = float(found.correlation[i, j])
            of = {"rank correlation": r if np.isfinite(r) else None, "p-value": float(found.adjusted[i, j])}
            names = result.names[i], result.names[j]
            yield Claim("dependence", float(found.strength[i, j]), names, int(found.both[i, j]), of=of)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        compared, n_news = claims[0], claims.value("uncorrelated pairs", 0)
        n_doubtful, n_others = claims.value("uncorrelated pairs of alike rows", 0), claims.value("incomparable pairs")
        if not compared.value:
            return self.say(
                "unknown", "No two columns can be compared: too few rows know both, or one of them hardly varies."
            )
        said, told = [], claims.of("dependence")
        if n_news:
            shown = ", ".join(map(_pair, told[:_NAMED]))
            rest = f" and {n_news - _NAMED:,} more" if n_news > _NAMED else ""
            verb, whose = ("depends", "the") if n_news == 1 else ("depend", "their")
            of = f"{n_news:,} of {counted(compared.value, 'pair')} of columns"
            said.append(f"{of} {verb} on each other though {whose} columns hardly correlate: {shown}{rest}")
        else:
            said += _strongest(claims) if claims.value("dependent pairs") else _weak(claims)
        if n_doubtful:
            seem = f"{counted(n_doubtful, 'pair')} {'seems' if n_doubtful == 1 else 'seem'}"
            said.append(f"{seem} to without correlating, but {_ALIKE_ROWS}")
        if n_others:
            said.append(
                f"{counted(n_others, 'other pair')} cannot be compared: too few rows know both, or one hardly varies"
            )
        if compared.n_rows < compared.of["all rows"]:
            said.append(f"Judged by {compared.n_rows:,} of {compared.of['all rows']:,} rows")
        text = " ".join(f"{part}." for part in said)
        return self.say("look" if n_news else "fine", text).about(columns=told.columns if n_news else ())

    def pictures(self, result: ColumnDependence) -> Iterator[Picture]:
        words = "How strongly each pair of columns depends on each other."
        explanation = "The stronger the colour, the more two columns depend on each other."
        yield Picture("dependence", result, plot_dependence, words, explanation, result.strength_frame)
        if len(result.pairs):
            words = "Rows in the two columns that depend most without correlating, or else most."
            yield Picture("pair", result, plot_pair, words, table=result.pair_frame)

    def note(self, result: ColumnDependence) -> str:
        if not len(result.pairs):
            return "No two columns depend clearly on each other."
        return (
            "Dependence: how well the better known one of two columns follows from the other, from 0 to 1. Pairs that "
            "hardly correlate come first. P-values are adjusted for the number of pairs."
        )


@dataclass(frozen=True)
class AtTheSame(Computation):
    """The pairs among rows with the same value of one column."""

    given: str

    def compute(self, inspection: Inspection) -> HeldConstant:
        return hold_constant(inspection.answer(Dependence()), self.given, inspection.progress)


def _strongest(claims: Claims) -> list[str]:
    """Say which columns depend most, where none do so without correlating."""
    n_pairs, n_alike = claims.value("dependent pairs"), claims.value("pairs of alike rows")
    strongest = _pair(claims.of("dependence")[0])
    verb, most = ("depends", f": {strongest}") if n_pairs == 1 else ("depend", f", most {strongest}")
    said = [
        f"{n_pairs:,} of {counted(claims[0].value, 'pair')} of columns {verb} on each other by {_LEAST} or more{most}"
    ]
    n_doubtful = claims.value("uncorrelated pairs of alike rows")
    uncorrelated = claims.of("uncorrelated pairs")[0]
    if uncorrelated.of["of all"] and not n_doubtful:
        said.append(f"Numbers that depend by {_NEWS} or more correlate, too")
    if n_alike and not n_doubtful:
        which = f"For {n_alike:,} of them this" if n_alike < n_pairs else "This"
        said.append(f"{which} is no proof, for {_ALIKE_ROWS}")
    return said


def _weak(claims: Claims) -> list[str]:
    """Say which columns depend weakly, or else how strong a dependence would have to be to show."""
    n_pairs, told = counted(claims[0].value, "pair"), claims.of("dependence")
    dependent, n_alike = claims.of("dependent pairs")[1], claims.of("pairs of alike rows")[1].value
    if dependent.value:
        n_sure = dependent.value - n_alike
        n_told = n_sure or dependent.value
        verb = ("depends" if n_told == 1 else "depend") if n_sure else ("seems" if n_told == 1 else "seem")
        weakly = f"{verb} {'' if n_sure else 'to depend '}weakly on each other"
        which = f", most {_pair(told[0])}" if n_told > 1 else f": {_pair(told[0])}"
        but = "" if n_sure else f", but {_ALIKE_ROWS}"
        unsure = [claim for claim in told if claim.value >= _LEAST]
        none = f"No two columns {'are sure to ' if unsure else ''}depend by {_LEAST} or more"
        said = [none, f"{n_told:,} of {n_pairs} {weakly}{which}{but}"]
        return [*said, *(f"The strongest, {_pair(claim)}, may be chance" for claim in unsure)]
    seen = dependent.least
    assert seen is not None
    shows = f"one of {seen:.2f} or more would almost surely show" if seen < 1.0 else "hardly any shows in so few rows"
    strongest, rows = _pair(told[0]), counted(claims[0].n_rows, "row")
    if claims[0].value == 1:
        return [f"No dependence shows between {strongest} in {rows}; {shows}"]
    none = f"No dependence shows between {n_pairs} of columns ({rows})"
    return [none, f"The strongest, {strongest}, may be chance; {shows}"]


_ALIKE_ROWS = "in both columns each row is like the one before it, and that alone can look like dependence"


def _pair(claim: Claim) -> str:
    (one, other), r = claim.columns, claim.of["rank correlation"]
    said = f", rank correlation {_rounded(r)}" if r is not None else ""
    return f"“{one}” and “{other}” (dependence {_rounded(claim.value)}{said})"


def _rounded(value: float) -> str:
    """Write a number between −1 and 1, and never 1 for less."""
    if 0.995 <= abs(value) < 1.0 - 1e-5:  # to which single precision is good
        return "below −0.99" if value < 0 else "above 0.99"
    return f"{value:.2f}".replace("-", "−").replace("−0.00", "0.00")


def plot_dependence(dependence: ColumnDependence, revision: str = "") -> go.Figure:
    """Draw the dependence of each pair of columns as a heat map, of the columns that depend most where there are many.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    strength, correlation = dependence.result.strength.copy(), dependence.result.correlation
    np.fill_diagonal(strength, 0.0)
    shown = np.sort(np.argsort(-strength.max(axis=1), kind="stable")[:_HEAT])
    np.fill_diagonal(strength, np.nan)
    names = [literal(dependence.names[column]) for column in shown]
    heat = trace(
        "heatmap",
        z=strength[np.ix_(shown, shown)],
        x=names,
        y=names,
        zmin=0.0,
        zmax=1.0,
        hoverongaps=False,
        colorscale=[[0, rgba(COLOURS[0], 0.04)], [1, COLOURS[0]]],
        customdata=correlation[np.ix_(shown, shown)],
        hovertemplate="%{x} and %{y}: dependence %{z:.2f}, rank correlation %{customdata:.2f}<extra></extra>",
        showscale=False,
    )
    across = {"type": "category", "showgrid": False, "tickangle": -45, "automargin": True}
    up = {"type": "category", "showgrid": False, "autorange": "reversed", "automargin": True}
    axes = {"xaxis": across, "yaxis": up, "margin": {"t": 12}}
    height = max(HEIGHT, _NAMES_HEIGHT + _ROW_HEIGHT * len(shown))
    return styled([heat], x="", y="", height=height, revision=revision, **axes)


def plot_pair(dependence: ColumnDependence, revision: str = "") -> go.Figure:
    """Draw rows in the two columns that depend most without correlating, or else most of all.

    Parameters
    ----------
    dependence : ColumnDependence
        With a pair that depends.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    names, values = dependence.shown()
    values = values[np.isfinite(values).all(axis=1)]
    x, y = (_cells(dependence.words.get(name), values[:, place]) for place, name in enumerate(names))
    points = trace(
        "scatter",
        x=x,
        y=y,
        mode="markers",
        marker={"color": rgba(COLOURS[0], 0.5), "size": 6},
        hovertemplate="%{x}, %{y}<extra></extra>",
    )
    return styled([points], x=literal(names[0]), y=literal(names[1]), height=HEIGHT, revision=revision)


def _cells(words: list[str] | None, values: np.ndarray) -> Any:
    return values if words is None else [literal(words[int(value)]) for value in values]
