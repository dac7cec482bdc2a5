"""Findings in plain sentences, from the results of the analyses, and the other texts of the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from rfviz.datasets import Dataset
from rfviz.lab.quick_inspection.columns import ColumnResult, LeakResult
from rfviz.lab.quick_inspection.copies import CopyResult, NearCopyResult
from rfviz.lab.quick_inspection.dimension import DimensionResult
from rfviz.lab.quick_inspection.maps import MapResult
from rfviz.lab.quick_inspection.neighbours import FAR_OUTLYING, OUTLYING, DistanceResult, NeighbourResult
from rfviz.lab.quick_inspection.structure import StructureResult

__all__ = [
    "GRADES", "METHOD", "Finding", "columns", "copies", "dimension", "distances", "findings_frame",
    "leaks", "near_copies", "order", "outliers", "rows", "share", "structure", "unknown", "verdict",
]  # fmt: skip

#: Words of each grade, the most urgent first.
GRADES = {"warning": "warning", "look": "worth a look", "fine": "fine", "unknown": "cannot be said"}

_RARE, _UNBALANCED = 5, 10.0
_CONCENTRATED = 0.1
_DISAGREE = 1.6
_FEW_ROWS = 40

METHOD = """
**Rows.** The maps show up to 1,000 rows, distances and neighbours are those of up to 10,000, copies of all of them; of
very wide data fewer. Rows are drawn at random, always the same ones. Columns of tables are standardised, images are
left as they are, unless you choose otherwise in the sidebar.

**Maps.** The first two principal components of the rows, of 1,000 random maxout features (pools of 8), and of 1,000
random Fourier features whose width is one over the median distance.

**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN (Facco et al. 2017)
reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood estimate (Levina and Bickel 2004,
with the correction of MacKay and Ghahramani) off the ten nearest. Both are too low where d is large and rows are few.

**Outliers.** The local outlier factor (Breunig et al. 2000): how many times sparser the surroundings of a row are than
those of its 20 nearest. From 2 on a row is an outlier, from 5 on a far one.

**Copies.** Exact copies agree in every number. Near copies are closer than a tenth of the usual distance to the fifth
neighbour, or less where the data are crowded, so that chance would give about one row in a thousand such a neighbour.
Candidates are rows that share a box of one of 16 random grids; their distance is then measured. A pair at the limit is
found with a probability of at least 99.9%.

**Leaks.** Half of the rows choose the columns to try; the other half says, by cross-validation, how well a small tree
on that one column does. A column gives the label away if it leaves at most 2% of errors, and a tenth of those of a
guess (of numbers: 1% of the variance).

**Linear or not.** Five-fold cross-validation on up to 2,500 rows: ridge regression on the columns, and on up to 400
random features of them. Scaling, widths and penalties are learnt within the training rows. A gain counts as real
where chance would bring it about once in a hundred data sets, with the errors of Nadeau and Bengio (2003).
"""


@dataclass(frozen=True)
class Finding:
    """A plain sentence with its number, and how much attention it calls for.

    Attributes
    ----------
    title : str
    grade : str
        One of :data:`GRADES`.
    sentence : str
    page : str
        Slug of a page that shows it; empty where none does.
    values : mapping
        Settings there, next to the data set.
    """

    title: str
    grade: str
    sentence: str
    page: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.title} ({GRADES[self.grade]}): {self.sentence}"


def verdict(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each grade: ``"1 warning, 2 worth a look, 6 fine"``."""
    counts = {grade: sum(finding.grade == grade for finding in findings) for grade in GRADES}
    words = [
        f"{count} {GRADES[grade]}{'s' if grade == 'warning' and count > 1 else ''}"
        for grade, count in counts.items()
        if count
    ]
    return ", ".join(words)


def findings_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return one row per finding: its title, its grade in words, the sentence, and the page that shows it."""
    rows = [(f.title, GRADES[f.grade], f.sentence, f.page) for f in findings]
    return pd.DataFrame(rows, columns=["title", "grade", "finding", "page"])


def unknown(title: str, reason: str) -> Finding:
    """Return the finding for a question that these data cannot answer."""
    return Finding(title, "unknown", reason)


def rows(dataset: Dataset) -> Finding:
    """Describe how many rows there are, and how the labels are spread over them."""
    title, n, d = "Rows and labels", dataset.n_samples, dataset.n_features
    size = f"{count(n, 'row')} of {count(d, 'pixel value' if dataset.image_shape else 'column')}"
    few = n < _FEW_ROWS
    if dataset.y is None:
        return Finding(title, "look" if few else "fine", f"{size}, without labels{'; that is little' if few else ''}.")
    if not dataset.target_names:
        low, high = float(dataset.y.min()), float(dataset.y.max())
        if low == high:
            return Finding(title, "warning", f"{size}; the target is {low:g} in every row, so nothing can be learnt.")
        return Finding(
            title, "look" if few else "fine", f"{size}; the target is a number from {low:.4g} to {high:.4g}."
        )
    counts = np.bincount(dataset.y, minlength=len(dataset.target_names))
    present = np.flatnonzero(counts)
    largest, smallest = int(counts.argmax()), int(present[counts[present].argmin()])
    most, fewest = int(counts[largest]), int(counts[smallest])
    if len(present) < 2:
        return Finding(title, "warning", f"{size}; all are of the class “{dataset.target_names[largest]}”.")
    if fewest == most:
        spread = f"{size} in {len(present)} classes of the same size"
        return Finding(title, "look" if few else "fine", f"{spread}{'; that is little' if few else ''}.", "accuracy")
    spread = (
        f"{size} in {len(present)} classes: “{dataset.target_names[largest]}” has {share(most / n)} of the "
        f"rows, “{dataset.target_names[smallest]}” {share(fewest / n)}"
    )
    if fewest < _RARE or most > _UNBALANCED * fewest:
        rare = "its single row counts" if fewest == 1 else f"its {fewest} rows count"
        why = f"{rare} for little" if fewest < _RARE else "unbalanced"
        return Finding(title, "look", f"{spread}; {why}.", "accuracy")
    if few:
        return Finding(title, "look", f"{spread}; that is little.")
    return Finding(title, "fine", f"{spread}.", "accuracy")


def columns(result: ColumnResult, dataset: Dataset) -> Finding:
    """Describe columns that are constant, repeat others, or number the rows."""
    title, parts = "Columns", []
    if len(result.constant):
        what = "pixels" if dataset.image_shape else "columns"
        parts.append(f"{_some(result, result.constant, what)} {_verb(result.constant, 'has', 'have')} a single value")
    if dataset.image_shape:  # the border of most images is empty, and neighbouring pixels are alike
        text = f"{parts[0]}, as borders of images do." if parts else "No pixel has the same value in every image."
        return Finding(title, "fine", text)
    if len(result.constant) == len(result.names):
        return Finding(title, "warning", "No column has more than a single value: all rows are equal.")
    if result.same:
        twice = [column for column, _ in result.same]
        first = f" (“{result.names[result.same[0][1]]}”)" if len(twice) == 1 else ""
        parts.append(f"{_some(result, twice)} {_verb(twice, 'repeats', 'repeat')} an earlier column{first}")
    if len(result.numbering):
        numbered = _verb(result.numbering, "numbers the rows", "number the rows")
        parts.append(f"{_some(result, result.numbering)} {numbered}, as an identifier does")
    if not parts:
        return Finding(title, "fine", "No column is constant, none repeats another, and none numbers the rows.")
    grade, said = "warning" if len(result.numbering) else "look", "; ".join(parts)
    return Finding(title, grade, f"{said[:1].upper()}{said[1:]}. Leave such columns out.")


def leaks(result: LeakResult | None, dataset: Dataset) -> Finding:
    """Describe columns that alone predict the label."""
    title = "Leaks"
    if result is None:
        if dataset.y is None:
            return unknown(title, "Without labels no column can give them away.")
        return unknown(title, "Too few rows, columns or classes to tell whether one column gives the label away.")
    name, score = result.names[0], result.scores[0]
    measure = f"gets {share(score)} of the labels right" if result.is_classification else f"reaches R² = {score:.3f}"
    guess = f" (always the largest class: {share(result.guess)})" if result.is_classification else ""
    if not result.n_leaks:
        return Finding(title, "fine", f"No column gives the label away: the best alone, “{name}”, {measure}{guess}.")
    more = f", and {count(result.n_leaks - 1, 'other')} nearly so" if result.n_leaks > 1 else ""
    text = f"“{name}” alone {measure}{guess}{more}. Is it known before the label is?"
    return Finding(title, "warning", text, "accuracy", {"schemes": ["RandomFourier"], "normalise": "standardise"})


def copies(result: CopyResult, dataset: Dataset, how: str) -> Finding:
    """Describe rows that occur more than once."""
    title, link = "Exact copies", ("hashing", {"scheme": "RandomBinning", "metric": "euclidean", "normalise": how})
    n = dataset.n_samples
    if n > 1 and result.n_extra == n - 1:
        return Finding(title, "warning", f"All {n:,} rows are equal.")
    if not result.n_extra:
        return Finding(title, "fine", f"No two of the {n:,} rows are equal.")
    text = f"{count(result.n_extra, 'row')} of {n:,} ({share(result.n_extra / n)}) {_are(result.n_extra)} there already"
    if result.n_across:
        return Finding(title, "warning", f"{text}; {count(result.n_across, 'test row')} "
                       f"{_are(result.n_across)} among the training rows too.", *link)  # fmt: skip
    if result.n_conflicting:
        return Finding(title, "warning", f"{text}; {count(result.n_conflicting, 'row')} {_are(result.n_conflicting)} "
                       "equal to one with another label.", *link)  # fmt: skip
    return Finding(title, "look", f"{text}: they count twice, and may land on both sides of a split.", *link)


def near_copies(result: NearCopyResult, how: str) -> Finding:
    """Describe rows that are nearly equal."""
    link = ("hashing", {"scheme": "RandomBinning", "metric": "euclidean", "normalise": how})
    looked = f"hash codes left {result.n_candidates:,} of {result.n_all:,} pairs to measure"
    if result.n_known:
        looked += f" and found {result.n_found} of {result.n_known} known ones"
    if not result.n_near:
        return Finding("Near copies", "fine", f"No suspiciously similar rows; {looked}.", *link)
    grade = "look" if result.n_near > max(0.003 * result.n_rows, 4) else "fine"
    one, other = result.pairs[0] + 1
    text = (
        f"{result.n_near:,} of {result.n_rows:,} rows are nearly equal to another, first of all rows {one:,} and "
        f"{other:,}; {looked}."
    )
    return Finding("Near copies", grade, text, *link)


def distances(result: DistanceResult, how: str) -> Finding:
    """Describe how far apart rows are, and the width of a kernel that suits them."""
    values = {"scheme": "RandomFourier", "gamma": "median", "normalise": how}
    text = (
        f"The median distance is {result.median:.3g}, which suggests γ = {result.gamma_median:.2g} for a Gaussian "
        f"kernel; its map saturates at {result.reach:.3g}, and {share(result.beyond)} of all pairs are farther apart"
    )
    if result.contrast < _CONCENTRATED:
        text += (
            f". All rows are nearly equally far apart (± {share(result.contrast)}), so that near and far mean little"
        )
        return Finding("Distances", "look", f"{text}.", "distance-saturation", values)
    return Finding("Distances", "fine", f"{text}.", "distance-saturation", values)


def dimension(result: DimensionResult, how: str) -> Finding:
    """Describe the intrinsic dimension."""
    low, high = sorted((result.two_nn, result.likelihood))
    about = f"about {low:.1f}" if f"{low:.1f}" == f"{high:.1f}" else f"between {low:.1f} and {high:.1f}"
    text = f"Near each row the data have {about} dimensions (TwoNN {result.two_nn:.1f}, maximum likelihood "
    text += f"{result.likelihood:.1f}), in {count(result.n_features, 'column')}"
    grade = "fine"
    if high > _DISAGREE * low:
        grade, text = "look", f"{text}; that they differ so much means rows are not spread evenly"
    elif low > 20:
        grade, text = "look", f"{text}; so many are underestimated, and neighbours hardly nearer than others"
    return Finding("Dimension", grade, f"{text}.", "maxout-pca", {"dimensions": "3", "normalise": how})


def outliers(result: NeighbourResult, how: str) -> Finding:
    """Describe outliers."""
    worst, row = float(result.factor.max()), int(result.outliers(1)[0]) + 1
    link = ("maxout-pca", {"normalise": how})
    if worst < OUTLYING:
        text = (
            f"No outliers. The most isolated row is {row:,}: its surroundings are {worst:.1f} times as sparse as its "
            "neighbours’."
        )
        return Finding("Outliers", "fine", text, *link)
    grade = "warning" if worst >= FAR_OUTLYING else "look"
    n, n_rows = result.n_outlying, len(result.rows)
    which = f"1 of {n_rows:,} rows is an outlier" if n == 1 else f"{n:,} of {n_rows:,} rows are outliers"
    strongest = f"It is row {row:,}" if n == 1 else f"The strongest is row {row:,}"
    text = f"{which}. {strongest}: its surroundings are {worst:.1f} times as sparse as its neighbours’."
    return Finding("Outliers", grade, text, *link)


def structure(result: StructureResult, how: str) -> Finding:
    """Say whether random features learn what a linear model does not."""
    title, best = "Linear or not", result.best
    values = {"schemes": ["RandomFourier", "RandomMaxout"], "normalise": how}
    show = share if result.is_classification else (lambda score: f"R² {score:.3f}")
    linear, top = f"{show(result.linear)}", show(best.scores[-1])
    if result.is_nonlinear:
        step = f"{100 * best.gain.value:.1f} ± {100 * best.gain.error:.1f} points"
        text = (
            f"There is structure that a linear model misses: it reaches {linear}, {best.label} features {top} "
            f"({step} more); {best.reached} of them are enough."
        )
        return Finding(title, "look", text, "accuracy", values)
    if not result.has_signal:
        guess = show(result.guess) if result.is_classification else "the mean"
        text = (
            f"Neither a linear model ({linear}) nor random features ({top}) beat a plain guess ({guess}) beyond noise."
        )
        return Finding(title, "look", text, "accuracy", values)
    text = (
        f"A linear model reaches {linear} and random features {top}: no gain beyond noise "
        f"({100 * best.gain.value:+.1f} ± {100 * best.gain.error:.1f} points), so a linear model is enough."
    )
    return Finding(title, "fine", text, "accuracy", values)


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


def _some(result: ColumnResult, which: Collection[int], what: str = "columns") -> str:
    """Name columns where they are few, else count them."""
    if len(which) > 3:
        return f"{len(which):,} of {len(result.names):,} {what}"
    return " and ".join(f"“{result.names[int(column)]}”" for column in which)


def _verb(which: Collection[int], one: str, many: str) -> str:
    return one if len(which) == 1 else many


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def share(value: float) -> str:
    """Write a share in per cent, with a digit after the point where that is needed: 0.3%, 37%, 99.6%."""
    percent = 100.0 * float(value)
    digits = 1 if 0 < percent < 9.95 or (90.5 < percent < 100 and round(percent, 1) != round(percent)) else 0
    return f"{percent:.{digits}f}%"


def count(n: int, what: str) -> str:
    """Write a number of things: ``1 row``, ``2,000 rows``."""
    plural = what if n == 1 else f"{what[:-1]}es" if what.endswith("x") else f"{what}s"
    return f"{n:,} {plural}"
