"""Findings in plain sentences, from the results of the analyses, and the other texts of the page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from rfviz.lab.finding import Finding, unknown
from rfviz.lab.quick_inspection.columns import ColumnResult
from rfviz.lab.quick_inspection.copies import CopyResult, NearCopyResult
from rfviz.lab.quick_inspection.dimension import DimensionResult
from rfviz.lab.quick_inspection.labels import LabelResult
from rfviz.lab.quick_inspection.leaks import LeakResult
from rfviz.lab.quick_inspection.maps import MapResult
from rfviz.lab.quick_inspection.missing import MissingResult
from rfviz.lab.quick_inspection.neighbours import FAR_OUTLYING, OUTLYING, DistanceResult, NeighbourResult
from rfviz.lab.quick_inspection.raw import RowCounts
from rfviz.lab.quick_inspection.splits import LEAST_LOSS, SplitResult
from rfviz.lab.quick_inspection.structure import Gain, StructureResult
from rfviz.lab.quick_inspection.values import ValueResult

__all__ = [
    "METHOD", "columns", "copies", "dimension", "distances", "labels", "leaks", "missing", "near_copies", "odd_values",
    "order", "outliers", "pixels", "share", "splits", "structure",
]  # fmt: skip

# Distances spread so little, of their mean, that near and far mean little; and so small a part of the largest one as
# rounding leaves of none.
_CONCENTRATED, _NO_DISTANCE = 0.1, 1e-6
_DISAGREE = 1.6
_MANY_MISSING, _SOME_MISSING = 0.5, 0.01
# More rows than this share are no outliers: the data have a long tail, or clusters of different density.
_MOST_OUTLYING = 0.03
# From here on a number of times says no more than that they are many.
_MANY_TIMES = 1000
# A linear model that leaves fewer errors than this, and a tenth of a guess's, is suspiciously good.
_TOO_GOOD = 0.005
_NEARLY_ALL = 0.995
# Shares of single wrong labels that would be recognised: hardly any, and nearly all.
_HARDLY, _NEARLY_ALL_FOUND = 0.1, 0.9
# Gain of random features over a linear model that nobody would leave, in accuracy or R².
_LARGE_GAIN = 0.05

METHOD = """
**Rows.** Columns, missing and odd values, exact copies and the counts of labels are those of all rows, as the file has
them. What needs distances or learning uses rows drawn at random, always the same ones: maps 1,000, distances and
neighbours 10,000, near copies 20,000, learning 2,500 at most, and fewer of very wide data. Row 1 is the first below the
names of the columns. Columns of tables are standardised, images are left as they are, unless you choose otherwise in
the sidebar; a word of a category counts as much as a usual difference of two numbers, however rare it is.

**Maps.** The first two principal components of the rows, of 1,000 random maxout features (pools of 8), and of 1,000
random Fourier features with γ one over the squared median distance.

**Missing values.** Whether gaps depend on the label: a χ² test of each column, or, for numbers to predict, a
correlation with their ranks. A dependence of at least 0.1 is reported, with one false alarm in a thousand tables.

**Odd values.** A repeated round number (−999, 9999, 0) farther from all others than half of their span, or another
whole one farther than all of it; or numbers 20 times as far from the middle as the nearest others. Words that differ
only in capitals, blanks, and marks between letters.

**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN (Facco et al. 2017)
reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood estimate (Levina and Bickel 2004,
with the correction of MacKay and Ghahramani) off the ten nearest. Both are too low where d is large and rows are few.

**Outliers.** The local outlier factor (Breunig et al. 2000) in the columns of numbers: how many times sparser the
surroundings of a row are than those of its 20 nearest. A row is an outlier from 2 on, if its factor is larger than
chance brings in one of a hundred tables: of normal data of that dimension (1 + 5.2/d^0.8, simulated), and of factors
whose tail falls off as that of this table does. A far one has at least 5.

**Copies.** Exact copies agree in every cell but the label. Near copies are closer than a tenth of the usual distance to
the fifth neighbour, or less where the data are crowded, so that chance would give about one row in a thousand such a
neighbour. Candidates are rows that share a box of one of 16 random grids; their distance is then measured. A pair at
the limit is found with a probability of at least 99.9%.

**Leaks.** Half of up to 4,000 rows choose what to try, columns of the file and differences and sums of two; the other
half says, by cross-validation, how well a small tree on that alone does. It gives the label away if the tree has at
most 2% errors and a tenth of the errors of a guess (for numbers: leaves 1% of the variance). The limits for “nearly”
are 10% and a fifth.

**Label errors.** Ridge regression on up to 1,000 random Fourier features scores each class, and each row is scored by
the fit to all other rows. A label is contradicted if another class suits the row better, by as much as that class suits
its own rows better than all others. Nothing is said about classes that overlap: their rows lie among each other at
every margin, fewer at larger ones, while wrong labels have large margins. Many wrong labels look like an overlap, and
then none is named. Since the score of a row does not know its own label, the share of single wrong labels that would be
recognised is known: that of the rows that would be contradicted if they had the label of the next best class. For
numbers to predict, a residual of such a fit counts if normal noise brings a larger one in only one of a hundred tables,
given the leverage of the row, and if hardly any other residual comes close.

**Uncertainty.** The same predictions of each row by all others. Intervals reach as far as nine tenths of the residuals
of the other rows, as in the jackknife; their own widths are proportional to the size of residuals that ridge regression
predicts. Intervals that hold too few rows of the widest fifth, or of a class, are reported with one false alarm in a
thousand tables. For new rows: `rfviz.linear_model.prediction_intervals` and `prediction_sets` (jackknife+).

**Dependence.** Cosine waves over the ranks of each column, words and few values as indicators, in up to 20,000 rows
that know both. How much of one column the other explains is measured as in redundancy analysis (van den Wollenberg
1977), so that words count by their rows; of numbers this is the largest canonical correlation, as in the randomized
dependence coefficient (Lopez-Paz et al. 2013). A pair is worth a look from 0.5 on, if its ranks correlate by 0.2 at
most; of the pairs told, at most 1% are expected to be false. P-values follow from the moments of permutations.
Among rows with the same third column: the same waves, less what many waves of that column predict of them; p-values
allow for noise that varies with it, as in the randomized conditional correlation test (Strobl et al. 2019).

**Drift.** Training with test rows, the halves of the file, the values of a column, or two files. Where the halves of
the file differ in their classes, the halves of each class by itself are compared as well. Each column: cosine waves
over its ranks, squared normal scores for its spread and its tails, and its gaps; the first two also summed over all
columns. All together: random Fourier features of three widths, after each column got the same distribution in both
parts. Blocks of rows are permuted 9,999 times, and the largest difference counts; it is reported with one false alarm
in a thousand tables. The distance that is said to be noticed would be found in about nine of ten tables. With a fixed
number of random features some changes of the combination stay unseen (arXiv 2407.08976). Images are compared by their
brightness, their contrast and their coordinates along ten principal components.

**Linear or not.** Five-fold cross-validation: logistic regression on the columns (of numbers to predict, ridge
regression), and ridge regression on up to 400 random features of them. Scaling, widths and penalties are learnt within
the training rows. A gain counts as real where chance would bring it about once in a hundred data sets, with the errors
of Nadeau and Bengio (2003); the gain that is said to be noticed would be found in about nine of ten. Whether
predictions agree with labels at all is judged against shuffled labels. If one class has nine tenths of the rows, only
as many of its rows are used as all others have together, so that a guess is right half of the time.

**Interactions.** One half of up to 20,000 rows is searched: a model with a curve for each column is fitted, and a
recursive feature machine to what it leaves (random Fourier features; columns weighted by the average gradient outer
product of the fit; five rounds). The other half judges the columns that it weighs most. What they explain together must
agree with what the curves leave there, so well that chance would do it once in ten thousand tables, and take away 2% of
the squared error. Curves add up to log-odds of a class, or any function of them. So a class on one side of a plane is
no interaction, nor is one within a circle: there each of two columns acts along a curve. Where lines and curves are
worse than a guess on the rows that judge, nothing can be said.

**Splits.** The better model once more, on folds of whole groups and of rows that follow each other, if it is better
than a guess on random rows. Groups are values of columns named like people or batches, or within which labels hardly
differ.
"""


def columns(result: ColumnResult) -> Finding:
    """Describe columns that are constant, repeat others, number the rows, or are not used."""
    name, n = "Columns", result.n_columns
    if n and len(result.constant) == n:
        return Finding(name, "warning", "No column has more than a single value: all rows are equal.")
    more = []
    if result.ticked:
        which = [column for column, _ in result.ticked]
        value = f" ({result.ticked[0][1]})" if len(which) == 1 else ""
        boxes = "a box that is ticked or not" if len(which) == 1 else "boxes that are ticked or not"
        more.append(f"{_some(n, which)} {_verb(which, 'holds', 'hold')} one value{value} or nothing, as {boxes}")
    if result.alike:
        one, other, r = result.alike[0]
        others = len(result.alike) - 1
        rest = f", and so do{'es' * (others == 1)} {count(others, 'other pair')} (0.99 or more)" if others else ""
        more.append(f"“{one}” and “{other}” go together (correlation {_correlation(r)}){rest}")
    if result.ordering:
        which = [column for column, _ in result.ordering]
        more.append(f"The rows are sorted by {_some(n, which)}")
    if result.unused:
        which = [column for column, _ in result.unused]
        why = " or ".join(dict.fromkeys(reason for _, reason in result.unused))
        more.append(f"nothing is computed from {_some(n, which)} ({why})")
    if result.order:
        more.append(f"“{result.order}” gives the order")
    parts, odd = _odd_columns(result)
    if not parts:
        numbers = ["no column of numbers numbers the rows"] if not result.ordering else []
        said = ["No column is constant", "none repeats another", *numbers]
        return Finding(name, "fine", _sentences([_listed(said), *more]))
    advice = "leave such columns out" if len(odd) > 1 else "leave it out"
    status = "warning" if result.numbering else "look"
    return Finding(name, status, _sentences(["; ".join(parts), advice, *more])).about(columns=odd)


def _odd_columns(result: ColumnResult) -> tuple[list[str], list[str]]:
    """Return what is said about columns that say nothing, or nothing new, and these columns."""
    n, parts = result.n_columns, []
    if result.constant:
        parts.append(f"{_some(n, result.constant)} {_verb(result.constant, 'has', 'have')} a single value")
    nearly = [column for column, _, _ in result.nearly]
    if len(nearly) == 1:
        column, value, part = result.nearly[0]
        parts.append(f"“{column}” is {value} in {_nearly_all(part)} of the rows")
    elif nearly:
        parts.append(f"{_some(n, nearly)} have one value in at least {share(_NEARLY_ALL)} of the rows")
    twice = [column for column, _ in result.same]
    if twice:
        first = f" (“{result.same[0][1]}”)" if len(twice) == 1 else ""
        parts.append(f"{_some(n, twice)} {_verb(twice, 'repeats', 'repeat')} an earlier column{first}")
    if result.numbering:
        numbered = _verb(result.numbering, "numbers the rows", "number the rows")
        parts.append(f"{_some(n, result.numbering)} {numbered}, as an identifier does")
    return parts, [*result.constant, *nearly, *twice, *result.numbering]


def pixels(n_constant: int, n_pixels: int) -> Finding:
    """Describe pixels that have the same value in every image: the border of most images is empty."""
    if n_constant == n_pixels:
        return Finding("Columns", "warning", "No pixel has more than a single value: all images are equal.")
    if not n_constant:
        return Finding("Columns", "fine", "No pixel has the same value in every image.")
    some = f"{n_constant:,} of {n_pixels:,} pixels {'has' if n_constant == 1 else 'have'} a single value"
    return Finding("Columns", "fine", f"{some}, as borders of images do.")


def missing(result: MissingResult) -> Finding:
    """Describe missing values, and whether they depend on the label."""
    name, n = "Missing values", result.n_rows
    unlabelled = f"{count(result.unlabelled, 'row')} of {n:,} {_lack(result.unlabelled)} a label"
    if not result.shares:
        if result.unlabelled:
            return Finding(name, "look", f"No value is missing in the columns, but {unlabelled}.")
        return Finding(name, "fine", f"No value is missing in any of the {n:,} rows.")
    empty = [column for column, part in result.shares if part == 1.0]
    partly = [(column, part) for column, part in result.shares if part < 1.0]
    parts = []
    if partly:
        n_rows = len(result.rows)
        parts.append(f"{count(n_rows, 'row')} of {n:,} ({share(n_rows / n)}) {_lack(n_rows)} some value")
        worst = ", ".join(f"“{column}” {share(part)}" for column, part in partly[:3])
        parts[-1] += f": {worst}{_others_that_lack(partly)}"
    if result.infinite:
        which = [column for column, _ in result.infinite]
        n_infinite = count(sum(n for _, n in result.infinite), "infinite value")
        held = f"{_some(result.n_columns, which)} {_verb(which, 'holds', 'hold')} {n_infinite}"
        parts.append(f"{held}, which count{'s' * n_infinite.startswith('1 ')} as missing")
    if empty:
        parts.append(f"{_some(result.n_columns, empty)} {_verb(empty, 'is', 'are')} completely empty")
    if result.unlabelled:
        parts.append(unlabelled)
    status = "look" if empty or result.unlabelled or max(p for _, p in result.shares) >= _SOME_MISSING else "fine"
    if result.telling:
        gap = result.telling[0]
        what = f"Whether “{gap.column}” is empty depends on the label"
        if gap.most[0]:
            what += f": it is for {share(gap.most[1])} of “{gap.most[0]}” and {share(gap.least[1])} of “{gap.least[0]}”"
        parts.append(f"{what}. Filling in the gaps does not hide this")
        status = "warning"
    elif partly and partly[0][1] >= _MANY_MISSING:
        status = "warning"
    # Rows to drop are no remedy where a column lacks most values.
    named = [*(gap.column for gap in result.telling), *(column for column, _ in result.shares)]
    return Finding(name, status, _sentences(parts)).about(result.rows, named)


def _others_that_lack(shares: Sequence[tuple[str, float]]) -> str:
    """Count the columns after the third of those that lack values, the most first."""
    if len(shares) <= 3:
        return ""
    least, others = shares[2][1], [part for _, part in shares[3:]]
    much = "as much" if others[-1] == least else "less" if others[0] < least else "as much or less"
    return f" and {count(len(others), 'other column')} {much}"


def odd_values(result: ValueResult) -> Finding:
    """Describe values that are probably no values."""
    name = "Odd values"
    if not result.found:
        rows = count(result.n_rows, "row")
        none = "No number lies far beyond all others, as a slip or a code for a missing value does"
        return Finding(name, "fine", f"{none}, and no word is written in two ways ({rows}).")
    shown = [f"“{odd.column}” {odd.text}" for odd in result.found[:3]]
    rest = set[str]({odd.column for odd in result.found[3:]}) - {odd.column for odd in result.found[:3]}
    if rest:
        shown.append(f"{count(len(rest), 'more column')} {'has' if len(rest) == 1 else 'have'} odd values")
    status = "warning" if any(odd.kind in ("code", "far") for odd in result.found) else "look"
    rows = np.concatenate([odd.rows for odd in result.found])
    return Finding(name, status, _sentences(shown)).about(rows, [odd.column for odd in result.found])


def leaks(result: LeakResult | None, has_labels: bool) -> Finding:
    """Describe columns that alone, or two together, predict the label."""
    name = "Leaks"
    if result is None:
        if not has_labels:
            return unknown(name, "There are no labels that a column could give away.")
        return unknown(name, "Too few rows, columns or classes to tell whether one column gives the label away.")
    best = result.clues[0]
    measure = f"reaches {_r_squared(best.score)}"
    if result.is_classification:  # not all rows are judged, so that the share of a class is another one
        measure = f"gets {share(best.score)} of the labels of {count(result.n_rows, 'row')} right"
    guess = f" (always the largest class: {share(result.guess)})" if result.is_classification else ""
    of = f" Judged by {result.n_rows:,} rows, of which few are of the largest class." if result.is_thinned else ""
    link = ("accuracy", {"schemes": ["RandomFourier"], "normalise": "standardise"})
    clue = f"{best.name[:1].upper()}{best.name[1:]}"
    if not result.n_leaks and not result.n_nearly:
        unused = f"{count(result.n_unused, 'column')} that nothing is computed from"
        rest = f" {unused} {'was' if result.n_unused == 1 else 'were'} not looked at." if result.n_unused else ""
        return Finding(
            name, "fine", f"No column gives the label away: the best alone, {best.name}, {measure}{guess}.{of}{rest}"
        )
    n = result.n_leaks or result.n_nearly
    found = [column for one in result.clues[:n] for column in one.columns]
    others = {column for one in result.clues[1:n] for column in one.columns} - set(best.columns)
    more = f", and {count(len(others), 'other column')} nearly as well" if others else ""
    ask = "Is it known before the label is?" if len(best.columns) == 1 else "Are both known before the label is?"
    text = f"{clue} alone {measure}{guess}{more}. {ask}{of}"
    return Finding(name, "warning" if result.n_leaks else "look", text, *link).about(columns=found)


def copies(result: CopyResult, rows: RowCounts, how: str) -> Finding:
    """Describe rows that occur more than once."""
    name, link = "Exact copies", ("hashing", {"scheme": "RandomBinning", "metric": "euclidean", "normalise": how})
    n = len(result.group)
    of = rows.of_all(n)
    but = f" apart from {_listed([f'“{column}”' for column in result.ignored])}" if result.ignored else ""
    if not result.n_extra:
        return Finding(name, "fine", f"No two of the {n:,} rows{of} are equal{but}.")
    what = "is a copy of an earlier row" if result.n_extra == 1 else "are copies of earlier rows"
    text = f"{count(result.n_extra, 'row')} of {n:,}{of} ({share(result.n_extra / n)}) {what}{but}"
    text = f"All {n:,} rows{of} are equal{but}" if result.n_extra == n - 1 else text
    found = Finding(name, "warning", text, *link).about(result.repeats)
    if result.n_across:
        what = f"{count(result.n_across, 'test row')} {_are(result.n_across)} among the training rows too"
        return replace(found, text=f"{text}; {what}.")
    if result.n_conflicting:
        what = f"{count(result.n_conflicting, 'row')} {_are(result.n_conflicting)} equal to one with another label"
        return replace(found, text=f"{text}; {what}.")
    if result.n_extra == n - 1:
        return replace(found, text=f"{text}.")
    if result.may_be_chance:
        return replace(found, status="fine", text=f"{text}, as chance brings about where columns take few values.")
    many = "it counts twice, and may" if result.n_extra == 1 else "they count more than once, and may"
    return replace(found, status="look", text=f"{text}: {many} land on both sides of a split.")


def near_copies(result: NearCopyResult, rows: RowCounts, how: str) -> Finding:
    """Describe rows that are nearly equal.

    Parameters
    ----------
    result : NearCopyResult
    rows : RowCounts
    how : str
        The normalisation.
    """
    name, link = "Near copies", ("hashing", {"scheme": "RandomBinning", "metric": "euclidean", "normalise": how})
    looked = f"Hash codes left {result.n_candidates:,} of {result.n_all:,} pairs to measure"
    known = f"found {result.n_found} of {result.n_known} known pairs"
    looked += f", and {known}" if result.n_known else ""
    missed = f" The search {known}." if result.n_found < result.n_known else ""
    n, of = result.n_rows, rows.of_all(result.n_rows)
    if not result.n_near:
        return Finding(name, "fine", f"No two of {n:,} rows{of} are suspiciously similar.{missed}", *link)
    if result.n_near <= max(0.003 * n, 4):
        near = f"{count(result.n_near, 'row')} of {n:,}{of} {_lie(result.n_near)} close to another"
        return Finding(name, "fine", f"No more similar rows than by chance ({near}).{missed}", *link)
    one, other = result.pairs[0] + 1
    text = (
        f"{result.n_near:,} of {n:,} rows{of} are nearly equal to another; the nearest are rows {one:,} and "
        f"{other:,}. {looked}."
    )
    return Finding(name, "look", text, *link).about(result.pairs)


def distances(result: DistanceResult, rows: RowCounts, how: str) -> Finding:
    """Describe how far apart rows are, and the width of a kernel that suits them."""
    values = {"scheme": "RandomFourier", "gamma": "median", "normalise": how}
    of = rows.of_all(result.n_rows)
    between = f" between {count(result.n_rows, 'row')}{of}" if of else ""
    if result.median <= _NO_DISTANCE * result.edges[-1]:
        none = f"More than half of the distances{between} are 0, or nearly so next to the largest"
        return Finding("Distances", "look", f"{none}: no width suits such rows.", "distance-saturation", values)
    text = (
        f"The median distance{between} is {result.median:.3g}, which suggests "
        f"γ = {result.gamma_median:.2g} for a Gaussian kernel; its map saturates at {result.reach:.3g}, and "
        f"{share(result.beyond)} of all pairs are farther apart"
    )
    if result.contrast < _CONCENTRATED:
        text += (
            f". All rows are nearly equally far apart (± {share(result.contrast)}), so that near and far mean little"
        )
        return Finding("Distances", "look", f"{text}.", "distance-saturation", values)
    return Finding("Distances", "fine", f"{text}.", "distance-saturation", values)


def dimension(result: DimensionResult, how: str) -> Finding:
    """Describe the intrinsic dimension."""
    name, link = "Dimension", ("maxout-pca", {"dimensions": "3", "normalise": how})
    low, high = sorted((result.two_nn, result.likelihood))
    about = f"about {low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"between {low:.1f} and {high:.1f}"
    text = f"Near each row the data have {about} dimensions (TwoNN {result.two_nn:.1f}, maximum likelihood "
    text += f"{result.likelihood:.1f}), in {count(result.n_features, 'column')}"
    grade = "fine"
    if high > result.n_rows - 1:
        most = f"{count(result.n_rows, 'row')} lie in {result.n_rows - 1:,} dimensions at most"
        return unknown(name, f"{most}, and their distances suggest more ({high:.0f}): too few rows to tell.")
    if high > _DISAGREE * low:
        grade, text = "look", f"{text}; the two estimates differ so much because rows are not spread evenly"
    elif low > 20:
        grade = "look"
        text += "; so high a dimension is underestimated, and neighbours are hardly nearer than other rows"
    return Finding(name, grade, f"{text}.", *link)


def outliers(result: NeighbourResult, n_used: int, rows: RowCounts, how: str, n_left_out: int = 0) -> Finding:
    """Describe outliers.

    Parameters
    ----------
    result : NeighbourResult
    n_used : int
        Rows that were looked at, equal ones among them.
    rows : RowCounts
    how : str
        The normalisation.
    n_left_out : int
        Columns that are no numbers, which do not count.
    """
    name, link = "Outliers", ("maxout-pca", {"normalise": how})
    worst, row = float(result.factor.max()), int(result.outliers(1)[0]) + 1
    n, n_rows = int(result.is_outlying.sum()), len(result.rows)
    of = rows.of_all(n_used)
    among = (
        f"{n_rows:,} rows{of} that differ in the columns of numbers" if n_left_out else f"{n_rows:,} different rows{of}"
    )
    times = f"{worst:.1f}" if worst < _MANY_TIMES else f"more than {_MANY_TIMES:,}"
    sparse = f"its surroundings are {times} times as sparse as its neighbours’"
    # Where nothing stands out, only rows that normal data do not have are worth a word.
    n_sparse = int(np.sum(result.factor >= (OUTLYING if n else result.usual)))
    if n_sparse > max(_MOST_OUTLYING * n_rows, 5):
        text = (
            f"{n_sparse:,} of {among} lie in sparser regions than their neighbours. So many are hardly errors: columns "
            "have long tails, or clusters differ in density"
        )
        return Finding(name, "look", f"{text}. The most isolated is row {row:,}.", *link)
    if not n:
        text = f"No outliers among {among}. The most isolated row is {row:,}: {sparse}"
        text += f"; by chance it can be up to {result.limit:.1f} times." if worst >= OUTLYING else "."
        return Finding(name, "fine", text, *link)
    status = "warning" if worst >= FAR_OUTLYING else "look"
    which = f"1 of {among} is an outlier" if n == 1 else f"{n:,} of {among} are outliers"
    strongest = f"It is row {row:,}" if n == 1 else f"The strongest is row {row:,}"
    found = result.rows[result.is_outlying]
    return Finding(name, status, f"{which}. {strongest}: {sparse}.", *link).about(found)


def _no_gain(gain: Gain, comparisons: int) -> str:
    """Say of a difference that is not real how large it is, and how large it had to be."""
    if not gain.error:
        return "random features get the same rows right"
    size = f"{100 * gain.value:+.1f} ± {100 * gain.error:.1f} points".replace("-", "−")
    if gain.value >= _LARGE_GAIN:
        return f"the gain ({size}) may be noise: only more rows can tell"
    noticed = f"one of {100 * gain.noticed(comparisons):.1f} points would have been noticed"
    return f"no gain beyond noise from random features ({size}; {noticed})"


def structure(result: StructureResult, splits: SplitResult | None, rows: RowCounts, how: str) -> Finding:
    """Say whether random features learn what a linear model does not.

    Parameters
    ----------
    result : StructureResult
    splits : SplitResult or None
        Whether random folds, by which the result was found, flatter.
    rows : RowCounts
    how : str
        The normalisation.
    """
    name, best = "Linear or not", result.best
    values = {"schemes": ["RandomFourier", "RandomMaxout"], "normalise": how}
    show = share if result.is_classification else _r_squared
    linear, top = show(result.linear), show(best.scores[-1])
    guess = show(result.guess) if result.is_classification else "R² 0"
    of = f"by {count(result.n_rows, 'row')}{rows.of_all(result.n_rows)}"
    if result.is_thinned:
        of += ", half of them of the largest class"
    step = f"{100 * abs(best.gain.value):.1f} ± {100 * best.gain.error:.1f} points"
    status, worst = "look", None if splits is None else splits.worst
    if worst is not None and splits is not None:
        apart = {"group": f"unseen “{worst.column}”", "order": f"unseen stretches of “{worst.column}”",
                 "file": "unseen stretches of the file"}[worst.kind]  # fmt: skip
        text = (
            f"On random rows a linear model reaches {linear} and random features {top}, but {splits.model} only "
            f"{show(worst.score)} on {apart}: judge models there, not on random rows"
        )
    elif result.is_nonlinear:
        text = (
            f"There is structure that a linear model misses: it reaches {linear}, {best.label} features {top} "
            f"({step} more); {best.reached} of them are enough"
        )
    elif not result.has_signal:
        what = "the labels depend" if result.is_classification else "the target depends"
        text = (
            f"A linear model ({linear}) and random features ({top}) are no better than a guess ({guess}): neither "
            f"finds that {what} on the columns"
        )
        if result.transformed is not None:
            other = result.transformed
            text += f". The target has {other.why}"
            if other.has_signal:
                text += f"; its ranks can be learnt (R² {other.best:.2f}), so predict its logarithm or its rank"
            else:
                text += "; its ranks cannot be learnt either"
    elif result.transformed is not None and result.transformed.best > max(result.linear, best.scores[-1]) + 0.1:
        other = result.transformed
        text = (
            f"A linear model reaches {linear} and random features {top}, but R² {other.best:.2f} of the target’s "
            f"ranks. The target has {other.why}: predict its logarithm or its rank"
        )
    elif result.is_worse:
        text = (
            f"A linear model reaches {linear}, random features {top}: {step} less. {result.m_grid[-1]} features with "
            "one width for all columns can blur what single columns say"
        )
        status = "fine"
    else:
        clear = result.linear > result.guess + (0.0 if not result.is_classification else 0.5 * result.linear_error)
        shown = f"where a guess gets {guess}, " if result.is_classification and clear else ""
        text = (
            f"A linear model reaches {linear} and random features {top}, {shown}so the columns tell something about "
            f"the label; {_no_gain(best.gain, len(result.curves))}"
        )
        status = "fine"
    wrong = 1.0 - max(result.linear, 0.0)
    if result.is_classification and wrong <= min(_TOO_GOOD, 0.1 * (1.0 - result.guess)):
        text += ". So few errors are rare: check that no columns were computed from the label"
        status = "look"
    return Finding(name, status, f"{text}. Judged {of}.", "accuracy", values)


def splits(result: SplitResult | None) -> Finding | None:
    """Say whether random folds flatter, or None if nothing says what belongs together, or nothing is learnt."""
    if result is None or not result.is_learnt:
        return None
    name, parts, worst = "Unseen groups and times", [], result.worst
    show = share if result.is_classification else _r_squared
    named: list[str] = []
    status = "fine"
    if worst is not None:
        status = "warning"
        advice = f"Split by “{worst.column}”" if worst.kind == "group" else "Split off whole stretches, not random rows"
        if worst.is_by_target:
            advice = (
                "The target rises or falls along the file: if rows were collected in this order, split off whole "
                "stretches; if they were sorted later, shuffle them"
            )
        unseen = {
            "group": f"unseen values of “{worst.column}”",
            "order": f"unseen stretches of “{worst.column}”",
            "file": "unseen stretches of the file",
        }[worst.kind]
        parts.append(
            f"Random folds are too optimistic: {result.model} get{'s' if result.model.startswith('a ') else ''} "
            f"{show(result.score)} on random rows, but {show(worst.score)} on {unseen} "
            f"({100 * worst.loss.value:.1f} ± {100 * worst.loss.error:.1f} points less). {advice}"
        )
        named.append(worst.column)
    elif result.scores:
        kinds = {"group": "unseen values of “{}”", "order": "stretches of “{}”", "file": "stretches of the file"}
        tried = " and ".join(f"{show(one.score)} on {kinds[one.kind].format(one.column)}" for one in result.scores)
        most = max(result.scores, key=lambda one: one.loss.value)
        if most.loss.value >= _LARGE_GAIN:
            step = f"{100 * most.loss.value:.1f} ± {100 * most.loss.error:.1f} points"
            text = f"Random folds may be too optimistic: {show(result.score)} on random rows, {tried}"
            return unknown(name, f"{text}. The loss ({step}) may be chance: only more rows can tell.")
        noticed = max(LEAST_LOSS, *(one.loss.noticed(len(result.scores)) for one in result.scores))
        parts.append(
            f"Random folds are not too optimistic: {show(result.score)} on random rows, {tried}; a loss of "
            f"{100 * noticed:.1f} points would have been noticed"
        )
    return Finding(name, status, _sentences(parts), "accuracy").about(columns=[column for column in named if column])


def order(result: MapResult, how: str) -> Finding | None:
    """Say whether the maps put the rows in their given order; None where there is none."""
    found = [abs(projection.order.spearman) for projection in result.projections if projection.order is not None]
    if not found:
        return None
    plain, maxout, _ = found
    text = (
        f"Along the curve of the maxout map the rows follow their given order up to a rank correlation of {maxout:.3f} "
        f"(plain PCA: {plain:.3f})."
    )
    return Finding("Order", "fine" if maxout > 0.9 else "look", text, "maxout-pca", {"normalise": how})


def labels(result: LabelResult, label: str | None, rows: RowCounts) -> Finding:
    """Describe labels that the other rows contradict."""
    name, of = "Label errors", rows.of_all(result.n_rows)
    overlap = (
        f"{_some(result.n_classes, result.unclear, 'classes')} overlap{_verb(result.unclear, 's', '')} with others"
    )
    recognised = result.errors.recognised
    if not result.n_contradicted:
        if len(result.unclear) == result.n_classes:
            amiss = share(float(np.mean(result.errors.margins < 0)))
            text = f"{amiss} of {result.n_rows:,} rows{of} are more like those of another class than like their own"
            return unknown(
                name,
                f"{text}: the classes overlap, or seem to, for many labels are wrong. So single wrong labels "
                "cannot be told from right ones.",
            )
        none = f"No label of {result.n_rows:,} rows{of} is contradicted by the other rows"
        if recognised < _HARDLY:
            why = overlap if result.unclear else "the classes lie too close to each other, or have too few rows"
            return unknown(name, f"{none}, but a single wrong label would hardly be, either: {why}.")
        said = [f"{none}; of single wrong labels about {share(recognised)} would be"]
        if result.unclear:
            said.append(f"{overlap}; wrong labels cannot be recognised there")
        return Finding(name, "fine", _sentences(said))
    n = result.n_contradicted
    first = f"row {result.rows[0] + 1:,} is “{result.given[0]}”, but is like the rows of “{result.proposed[0]}”"
    said = [
        f"{count(n, 'label')} of {result.n_rows:,} rows{of} {_are(n)} contradicted by the other rows: {first}",
        f"Look at {'this row' if n == 1 else 'these rows'} first when you check labels",
    ]
    if result.unclear:
        said.append(f"{overlap}; there may be more wrong labels there")
    elif recognised < _NEARLY_ALL_FOUND:
        said.append(f"There may be more: of single wrong labels about {share(recognised)} are recognised here")
    return Finding(name, "look", _sentences(said)).about(result.rows[:n], [label] if label else [])


def _some(n: int, which: Collection[str], what: str = "columns") -> str:
    """Name columns where they are few, else count them."""
    if len(which) > 3:
        return f"{len(which):,} of {n:,} {what}"
    return _listed([f"“{column}”" for column in which])


def _listed(words: Sequence[str]) -> str:
    """Return ``"a"``, ``"a and b"``, ``"a, b and c"``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _correlation(r: float) -> str:
    """Write a correlation, and never as 1 where it is less."""
    bound = "above 0.999" if r > 0 else "below −0.999"
    return bound if 0.9995 <= abs(r) < 1.0 - 1e-12 else f"{r:.3f}".replace("-", "−")


def _nearly_all(part: float) -> str:
    """Write a share that is nearly 1, but never as 100%."""
    return f"{min(100 * part, 99.999):.{1 if part < 0.9985 else 3}f}%"


def _r_squared(score: float) -> str:
    return f"R² {score:.3f}".replace("-", "−")


def _sentences(parts: Sequence[str]) -> str:
    """Join parts to sentences."""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def _lack(n: int) -> str:
    return "lacks" if n == 1 else "lack"


def _lie(n: int) -> str:
    return "lies" if n == 1 else "lie"


def _verb(which: Collection[object], one: str, many: str) -> str:
    return one if len(which) == 1 else many


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def share(value: float) -> str:
    """Write a share in per cent, with a digit after the point where that is needed: 0.3%, 37%, 99.6%.

    It is never 0% of something that is there, nor 100% of what is not all.
    """
    percent = 100.0 * float(value)
    if 0 < percent < 0.05:
        return "less than 0.1%"
    if 99.95 <= percent < 100:
        return "more than 99.9%"
    digits = 1 if 0 < percent < 9.95 or (90.5 < percent < 100 and round(percent, 1) != round(percent)) else 0
    return f"{percent:.{digits}f}%"


def count(n: int, what: str) -> str:
    """Write a number of things: ``1 row``, ``2,000 rows``."""
    plural = what if n == 1 else f"{what[:-1]}es" if what.endswith("x") else f"{what}s"
    return f"{n:,} {plural}"
