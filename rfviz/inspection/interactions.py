"""Columns that act together on the label, or bend: what a line misses, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.interactions import MOST_CLASSES, Evidence, find_interactions
from rfviz.analysis.interactions import Interactions as FoundInteractions
from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, SEQUENCE, rgba, styled
from rfviz.figures.traces import literal, trace
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Raw, Whole
from rfviz.inspection.sample import column_name, take_sample
from rfviz.inspection.splits import Splits, SplitScore, groups_apart
from rfviz.inspection.words import plural, quoted, r_squared, share
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["InteractionResult", "Interactions", "inspect_interactions", "named", "plot_acting", "plot_importances"]

# Rows that are used: more of more columns, since the pairs among which one is looked for grow with these.
_ROWS_A_COLUMN, _FEW, _MOST = 200, 4000, 20_000
_BINS, _LISTED = 12, 12
# Characters of a name below an axis.
_NAME = 14
# Least change of the share of right labels that a user would see; share from which curves leave none to be seen, and R²
# from which they leave hardly anything of numbers.
_SEEN, _GIVEN_AWAY, _NEARLY_ALL = 0.005, 0.995, 0.9999
# A difference of R² that is not of chance.
_NO_FIT = 0.02


@dataclass(frozen=True, eq=False)
class InteractionResult:
    """Columns that act together, or bend, by their names.

    Attributes
    ----------
    found : FoundInteractions
        By the places of the columns.
    names : tuple of str
        Of all features.
    sources : tuple of str
        The column of the file that each comes from.
    shown : tuple of int
        The pair of columns that the picture shows, or none.
    surface : ndarray of shape (bins, bins)
        The mean target, or share of the class `shown_class`, by these columns; the second runs along the rows. nan
        where no row lies.
    edges : tuple of two ndarrays
        Of the bins, first column first.
    apart : SplitScore or None
        What the rows that judge do not share with those that were searched, where random rows would flatter.
    is_merged : bool
        Whether classes are so many that the rarer ones count as one.
    rows : ndarray of int
        The rows of the file that were searched, from 0.
    judging : ndarray of int
        Those that judged.
    """

    found: FoundInteractions
    names: tuple[str, ...]
    sources: tuple[str, ...]
    is_classification: bool
    shown: tuple[int, ...]
    surface: np.ndarray
    edges: tuple[np.ndarray, np.ndarray]
    shown_class: str
    apart: SplitScore | None
    is_merged: bool
    rows: np.ndarray
    judging: np.ndarray

    @property
    def together(self) -> tuple[int, ...]:
        """The columns that act together."""
        return _together(self.found, self.is_classification)

    @property
    def bent(self) -> tuple[int, ...]:
        """The columns that act along a curve; none if lines predict every label."""
        is_given_away = self.is_classification and self.found.linear >= _GIVEN_AWAY
        return self.found.bent.columns if self.found.bent.is_real() and not is_given_away else ()

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
    whole : Whole
        Prepared rows of it.
    apart : SplitScore, optional
        By which rows are to be judged that have no like among those that are searched.

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
    rows, is_searched = dataset.row_numbers[places], np.isin(np.arange(len(places)), found.searched)
    return InteractionResult(
        found,
        names,
        whole.sources,
        is_classes,
        shown,
        surface,
        edges,
        name,
        apart,
        is_merged,
        rows[is_searched],
        rows[~is_searched],
    )


def _together(found: FoundInteractions, is_classification: bool) -> tuple[int, ...]:
    """Return the columns that act together; none if single ones predict every label: only rounding is left."""
    return () if is_classification and found.additive >= _GIVEN_AWAY else found.columns


def _surface(X: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the mean target in bins of two columns that hold about as many rows each, and the edges of the bins."""
    one, other = (np.unique(np.quantile(x, np.linspace(0, 1, _BINS + 1))) for x in X.T)
    if len(one) < 4 or len(other) < 4:  # few values: a bin each
        one, other = (_between(x) if len(edges) < 4 else edges for x, edges in zip(X.T, (one, other), strict=True))
    across, up = (
        np.clip(np.searchsorted(e, x, "right") - 1, 0, len(e) - 2) for e, x in zip((one, other), X.T, strict=True)
    )
    place, size = up * (len(one) - 1) + across, (len(other) - 1) * (len(one) - 1)
    count = np.bincount(place, minlength=size)
    mean = np.bincount(place, target, minlength=size) / np.where(count > 0, count, np.nan)
    return mean.reshape(len(other) - 1, len(one) - 1), (one, other)


def _between(x: np.ndarray) -> np.ndarray:
    values = np.unique(x)
    middle = 0.5 * (values[1:] + values[:-1])
    step = values[1] - values[0] if len(values) > 1 else 1.0
    return np.concatenate([[values[0] - step / 2], middle, [values[-1] + step / 2]])


def _cannot_judge(claims: Claims) -> str:
    """Say why the rows that judge cannot tell whether columns act together, if they cannot."""
    scores = [claims.of(what)[0] for what in ("guess score", "line score", "curve score")]
    least = claims.of("joint gain")[0].least
    if least is not None and least >= 1.0:
        return "there are too few groups to tell anything from chance"
    return _no_models(*scores, is_random=claims.of("rows searched")[0].of["apart by"] == "random")


def _no_models(guess: Claim, line: Claim, curve: Claim, *, is_random: bool) -> str:
    """Say why there is no model that could be improved, if there is none."""
    is_classes = guess.of["unit"] == "accuracy"
    # By chance two shares of right labels differ by as much. The mean of the rows themselves has R² 0.
    noise = 2.0 / np.sqrt(guess.n_rows) if is_classes else _NO_FIT
    if max(line.value, curve.value) < (guess.value if is_classes else max(guess.value, 0.0)) - noise:
        unlike = "" if is_random else ", for these rows are unlike those that were searched"
        return f"the models that are to be improved are worse than a guess{unlike}"
    if curve.value < line.value - noise:
        return "curves do worse than lines where they were not fitted, so what they leave says nothing"
    return ""


def named(result: InteractionResult, columns: tuple[int, ...]) -> str:
    """Return columns by their names, in the order of the table."""
    return quoted(result.names[column] for column in sorted(columns))


def _untold(
    what: str, evidence: Evidence, n_rows: int, least: float | None, is_judged: bool, columns: tuple[str, ...]
) -> Claim:
    """Claim that nothing is gained; or nothing, of what cannot be judged, or is more than would have been noticed.

    A gain that may be chance names its columns, so that it can be computed again.
    """
    if is_judged and (least is None or evidence.gain <= least):
        return Claim(what, 0.0, n_rows=n_rows, least=least)
    return Claim(what, None, columns, n_rows, least, {"gain": evidence.gain, "z": evidence.z})


def _unclear(together: Claim, bent: Claim) -> str:
    """Say what the rows that judge leave open, if they do: much is gained, and yet it may be chance."""
    columns, curves = "columns act together", "a column acts along a curve"
    taken = [
        f"{they} take away {share(claim.of['gain'])} of the squared error that {others} leave"
        for claim, they, others in ((bent, "curves", "lines"), (together, "columns together", "curves"))
        if claim.value is None
    ]
    if not taken:
        return ""
    opened = [what for claim, what in ((together, columns), (bent, curves)) if claim.value is None]
    closed = "" if len(opened) == 2 else f"No sign that {columns if together.value == 0 else curves}. "
    return f"{closed}Whether {' or '.join(opened)} is not clear: {' and '.join(taken)}, and yet this may be chance."


def _of_columns(result: InteractionResult, evidence: Evidence) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the columns of the file that evidence is about, and what else is claimed of it."""
    columns = tuple(dict.fromkeys(result.sources[place] for place in evidence.columns))
    features = tuple(result.names[place] for place in sorted(evidence.columns))
    return columns, {"features": features, "z": evidence.z}


class Interactions(Question[InteractionResult]):
    """Which columns act together on the label, or bend."""

    name, key = "Interactions", "interactions"
    cost = 6
    settings = ("normalise",)
    method = (
        "**Interactions.** One half of up to 20,000 rows is searched: a model with a curve for each column is "
        "fitted, and a recursive feature machine to what it leaves (random Fourier features; columns weighted by "
        "the average gradient outer product of the fit; five rounds). The other half judges the columns that it "
        "weighs most. What they explain together must agree with what the curves leave there, so well that chance "
        "would do it once in ten thousand tables, and take away 2% of the squared error. Curves add up to log-odds "
        "of a class, or any function of them. So a class on one side of a plane is no interaction, nor is one "
        "within a circle: there each of two columns acts along a curve. Where lines and curves are worse than a "
        "guess on the rows that judge, nothing can be said."
    )

    kinds: ClassVar = {
        "rows searched": (
            "`rows` in which columns are searched. Up to 200 a column are drawn, at "
            "least 4,000 and at most 20,000, of the `usable rows` of `all rows`. `apart by`: random halves (other "
            "draws change the scores by their errors), or groups (values of the column in a drawn order; or 50 "
            "stretches in the order of the column, or of the file, of each class by itself), of which the first are "
            "searched, until they hold half of the rows. Only the `most frequent classes`, if told, count by "
            "themselves, and all others as one."
        ),
        "rows that judge": "The other `rows`, of these n_rows.",
        "guess score": (
            "The share of right labels (`unit` accuracy), or R², that the largest class, or the mean, of the rows "
            "searched reaches among those that judge."
        ),
        "line score": (
            "The same of ridge regression with penalty 1, or of logistic regression whose inverse penalty of 1, 10 or "
            "100 is chosen by the log loss of every fifth row, on principal components of variance 1 of the "
            "standardised features, cut at ±8."
        ),
        "curve score": (
            "The same of that on a curve for each column: these values, their normal scores cut at ±3, and up to six "
            "hinges of the scores at quantiles that lie densest at both ends, as many as leave ten of the rows "
            "searched for each term."
        ),
        "joint score": (
            "The same of these curves and ridge regression on up to 400 random Fourier features of the columns that "
            "the search weighs most, fitted to what the curves leave."
        ),
        "joint gain": (
            "The share of the squared error that curves leave which these features take away, if they agree with it by "
            "`z` standard deviations, more than chance brings in one of ten thousand tables, and take away 0.02 at "
            "least; else 0, and less than `least` would not have been noticed. No `least`: single columns tell 99.5% "
            "of the labels. No value: the `gain` is more than that, and yet chance is not ruled out; or lines and "
            "curves are worse than a guess, or there are too few groups to tell."
        ),
        "pair gain": "The same of two of these columns by themselves.",
        "bent gain": (
            "The share of the squared error that lines leave which the curves of all columns take away, in the same "
            "way, these columns most; else 0, or no value."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return inspection.raw.y is not None and not inspection.has_images

    def compute(self, inspection: Inspection) -> InteractionResult:
        try:
            splits = inspection.answer(Splits())
        except DataError:  # too little for a model that could be flattered
            splits = None
        apart = None if splits is None else splits.worst
        return inspect_interactions(inspection.raw, inspection.whole, apart, inspection.progress)

    def claims(self, result: InteractionResult, inspection: Inspection) -> Iterator[Claim]:
        found, apart, together, bent = result.found, result.apart, result.together, result.bent
        n, unit = found.n_judge, {"unit": "accuracy" if result.is_classification else "R²"}
        columns = (apart.column,) if apart is not None and apart.column else ()
        label = inspection.raw.label_columns
        how = {"apart by": "random" if apart is None else apart.kind} | inspection.rows.counts
        how |= {"most frequent classes": MOST_CLASSES - 1} if result.is_merged else {}
        yield Claim("rows searched", found.n_search, columns, found.n_search + n, of=how, rows=result.rows)
        yield Claim("rows that judge", n, label, found.n_search + n, rows=result.judging)
        names = {"guess": "guess", "linear": "line", "additive": "curve", "joint": "joint"}
        scores = [
            Claim(f"{name} score", float(getattr(found, what)), label, n, of=unit) for what, name in names.items()
        ]
        yield from scores
        is_given_away = found.additive >= (_GIVEN_AWAY if result.is_classification else _NEARLY_ALL)
        is_judged = is_given_away or (not _no_models(*scores[:3], is_random=apart is None) and found.noticed < 1.0)
        least = None if is_given_away else found.noticed
        files, of = _of_columns(result, found.together)
        if together:
            yield Claim("joint gain", found.together.gain, files, n, of=of)
            for pair in found.pairs:
                files, of = _of_columns(result, pair)
                yield Claim("pair gain", pair.gain, files, n, of=of)
        else:
            yield _untold("joint gain", found.together, n, least, is_judged, files)
        files, of = _of_columns(result, found.bent)
        if bent:
            yield Claim("bent gain", found.bent.gain, files, n, of=of)
        else:
            yield _untold("bent gain", found.bent, n, least, is_judged, ())  # of all columns

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        searched, (guess, line, curve, joint) = claims[0], claims[2:6]
        together, bent, pairs = claims.of("joint gain")[0], claims.of("bent gain")[0], claims.of("pair gain")
        is_classes, n_judge = guess.of["unit"] == "accuracy", guess.n_rows
        judges = f"{n_judge:,} rows {_where(searched)}{_of(inspection, searched.n_rows)}"
        get = "gets {} of the labels right" if is_classes else "reaches {}"
        show = share if is_classes else partial(r_squared, digits=2)
        link = ("accuracy", {"maps": ["RandomFourier"], "normalise": "standardise"})
        # Which is why these shares are not those of other findings.
        n_frequent = searched.of.get("most frequent classes")
        merged = f" (the {n_frequent} most frequent classes, and the others as one)" if n_frequent else ""
        lines, curves, both = show(line.value), show(curve.value), show(joint.value)
        if together.value:
            text = f"{_acting(together, pairs)} act together on the label"
            if not pairs:
                text += ", though no two of them do"
            others = [quoted(pair.of["features"]) for pair in pairs if {*pair.columns} != {*pairs[0].columns}]
            text += f" (so do {'; '.join(others[:2])})" if others else ""
            if joint.value - curve.value >= _SEEN:
                text += f": a curve for each column {get.format(curves)}, with them together {both}{merged}."
            else:
                text += f": together they take away {share(together.value)} of the squared error that curves leave."
            text += f" Give a linear model their product, or use features that see both. Judged by {judges}."
            return self.say("look", text, *link).about(columns=pairs.columns or together.columns)
        if bent.value:
            features = bent.of["features"]
            act = plural(len(features), "acts", "each act")
            text = (
                f"{quoted(features)} {act} on the label along a curve, not a line; no columns act together. A line for "
                f"each column {get.format(lines)}, a curve for each {curves}{merged}"
            )
            if curve.value - line.value < _SEEN:
                text += f": it takes away {share(bent.value)} of the squared error that lines leave"
            return self.say("look", f"{text}. Judged by {judges}.", *link).about(columns=bent.columns)
        models = f"a line for each column {get.format(lines)}, a curve for each {curves}"
        if is_classes:
            models += f", a guess {show(guess.value)}{merged}"
        if reason := _cannot_judge(claims):
            text = f"Whether columns act together cannot be judged: {reason}. On {judges}, {models}."
            return self.say("unknown", text)
        if unclear := _unclear(together, bent):
            return self.say("unknown", f"{unclear} {models[0].upper()}{models[1:]}. Judged by {judges}.")
        unseen = "Single columns tell nearly every label, so that hardly anything is left to tell"
        if together.least is not None:
            less = f"What takes away less than {share(together.least)} of the squared error that is left"
            unseen = f"{less} would not have been noticed"
        text = f"No sign of interactions or curved effects: {models}. {unseen}."
        return self.say("fine", f"{text} Judged by {judges}.")

    def pictures(self, result: InteractionResult) -> Iterator[Picture]:
        if result.shown:
            one, other = (result.names[column] for column in result.shown)
            words = "The label by two columns that act together, in cells of about as many rows each way."
            explanation = (
                f"“{one}” across and “{other}” up, each cut into twelve parts with about as many rows. If the two did "
                "not act together, all lines of cells would have the same pattern, lighter or darker."
            )
            yield Picture("interactions", result, plot_acting, words, explanation, result.surface_frame)
        words = "Importance of columns to what single columns leave unexplained, by round of the search."
        explanation = (
            "How much each column matters for what curves of single columns leave unexplained, in "
            f"{result.found.n_search:,} rows. Each round weighs the columns by their importance in the round before. "
            "Columns that act together stand out more and more; where there are none, chance decides."
        )
        yield Picture("importances", result, plot_importances, words, explanation)


def _where(searched: Claim) -> str:
    """Say which rows judge."""
    return {
        "random": "that took no part in the search",
        "group": "with other values of “{}” than those searched",
        "order": "with a later “{}” than those searched",
        "file": "further down the file than those searched",
    }[searched.of["apart by"]].format(*searched.columns)


def _of(inspection: Inspection, n: int) -> str:
    of = inspection.rows.of_all(n)
    return f", of {n:,} rows{of}" if of else ""


def _acting(together: Claim, pairs: Sequence[Claim]) -> str:
    return quoted(pairs[0].of["features"] if pairs else together.of["features"])


def plot_acting(result: InteractionResult, revision: str = "") -> go.Figure:
    """Draw the mean target, or the share of a class, by the two columns that act together.

    Parameters
    ----------
    result : InteractionResult
        With a pair to show.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    across, up = (result.names[column] for column in result.shown)
    title = f"share of “{result.shown_class}”" if result.is_classification else "mean target"
    cells = trace(
        "heatmap",
        z=result.surface,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hovertemplate=f"bin %{{x}} of {literal(across)}, bin %{{y}} of {literal(up)}: %{{z:.3g}}<extra></extra>",
    )
    axes = {
        name: {
            "tickvals": (ends := np.array([0, len(edges) // 2, len(edges) - 1])) - 0.5,
            "showgrid": False,
            "ticktext": [f"{edge:.2g}".replace("-", "−") for edge in edges[ends]],
        }
        for name, edges in zip(("xaxis", "yaxis"), result.edges, strict=True)
    }
    colours = {
        "colorscale": SEQUENCE,
        "colorbar": {"title": {"text": literal(title), "side": "right"}, "thickness": 14},
    }
    if result.is_classification:
        colours |= {"cmin": 0.0, "cmax": 1.0}
    return styled(
        [cells],
        x=literal(across),
        y=literal(up),
        height=HEIGHT,
        revision=revision,
        coloraxis=colours,
        xaxis=axes["xaxis"],
        yaxis=axes["yaxis"],
        margin={"l": 100, "r": 24, "t": 48, "b": 56},
    )


def plot_importances(result: InteractionResult, revision: str = "", only: int | None = None) -> go.Figure:
    """Draw the importance of columns in each round of the recursive feature machine, the later the stronger.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    only : int, optional
        The round to draw alone, from 1; by default they stand side by side.
    """
    columns, rounds = result.important, result.found.importances
    names = [literal(result.names[column]) for column in columns]
    traces = [
        trace(
            "bar",
            x=np.arange(len(columns)),
            y=100.0 * one[columns],
            name=f"{r}",
            hovertext=names,
            marker={"color": rgba(COLOURS[0], r / len(rounds) if only is None else 1.0), "line": {"width": 0}},
            hovertemplate=f"%{{hovertext}}: %{{y:.1f}}%<extra>round {r}</extra>",
        )
        for r, one in enumerate(rounds, start=1)
        if only in (None, r)
    ]
    top = 105.0 * float(rounds[:, columns].max())
    shown = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    return styled(
        traces,
        x="",
        y="importance, %",
        height=HEIGHT + 40,
        revision=revision,
        xaxis={"tickvals": np.arange(len(columns)), "ticktext": shown, "autotickangles": [0, -45, -90]},
        yaxis={"range": [0.0, top]},
        margin={"l": 76, "r": 24, "t": 64, "b": 112},
        legend={"title": {"text": "round"}},
    )
