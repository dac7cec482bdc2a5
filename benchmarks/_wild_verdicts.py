"""Verdicts of wild.py: a claim, what is computed of it, and whether they agree.

Each kind of claim has a function, as the question's `kinds` describe it. It returns the value that it finds, a `Range`
in which the claimed one must lie where that depends on draws or on a method of its own, or raises `NotCheckable`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from scipy.stats import t as t_law

__all__ = [
    "FALSE_ALARMS",
    "KINDS",
    "PARTLY",
    "Claim",
    "NotCheckable",
    "Own",
    "Range",
    "agree",
    "check_findings",
    "class_counts",
    "code_matrix",
    "is_labelled",
    "kind",
    "labels_of",
    "of_draws",
    "short",
    "target_of",
    "verdict_of",
    "with_label",
]

Claim = Mapping[str, Any]


class NotCheckable(Exception):  # noqa: N818 - not an error: a verdict
    """Why a claim cannot be computed from the cells."""


@dataclass(frozen=True)
class Range:
    """Ends between which a value must lie, and why it is not known better."""

    low: float
    high: float
    why: str = ""

    def __str__(self) -> str:
        return f"{self.low:.6g} to {self.high:.6g}{f' ({self.why})' if self.why else ''}"


@dataclass(frozen=True)
class Own:
    """What the checker finds: the value, and where they matter the rows and what else belongs to it.

    With `partly` it tells little: only a part was computed, or draws differ too much.
    """

    value: Any
    rows: np.ndarray | None = None
    of: Mapping[str, Any] = field(default_factory=dict)
    partly: bool = False


#: One claim in so many is refuted though it is true, where it depends on a draw.
FALSE_ALARMS = 1000

Kind = Callable[[Claim, Cells, Sequence[Claim]], Any]
KINDS: dict[str, Kind] = {}
#: Kinds of which only a part is computed anew, or a condition that must hold: "consistent" is said of these.
PARTLY = {"order"}
#: Kinds whose column is the label.
_OF_THE_LABEL = {
    *("contradicted labels", "contradicted label", "contradicted targets", "contradicted target"),
    *("recognised share", "overlapping classes", "share like another class", "outlying residuals"),
    *("largest deviation", "unlabelled rows", "labelled rows", "classes", "class size"),
}


def kind(*names: str) -> Callable[[Kind], Kind]:
    """Register a function for the kinds of claims of these names; "question: kind" for those of one question alone."""

    def register(function: Kind) -> Kind:
        KINDS.update(dict.fromkeys(names, function))
        return function

    return register


def check_findings(
    findings: Sequence[Mapping[str, Any]], readings: Sequence[Cells]
) -> tuple[Cells, list[dict[str, Any]]]:
    """Compute all claims again, by the reading of the file that refutes the fewest; return it and their verdicts."""
    best: tuple[Cells, list[dict[str, Any]]] | None = None
    for cells in [with_label(cells, findings) for cells in readings]:
        checks = []
        cells.claims = claimed = [claim for finding in findings for claim in finding["claims"]]
        cells.unused = {claim["columns"][0] for claim in claimed if claim["what"] == "unused"}
        # The question of how many random features are enough has claims of that name as well, which say within what.
        cells.n_features = next(
            (c["value"] for c in claimed if c["what"] == "features" and "within" not in c["of"]), None
        )
        cells.orders = {c["columns"][0] for c in claimed if c["what"] == "order"}
        cells.usable = next((c["of"]["usable rows"] for c in claimed if "usable rows" in c["of"]), cells.n_rows)
        cells.keys = {name for claim in claimed if claim["what"] == "numbering columns" for name in claim["columns"]}
        for finding in findings:
            for claim in finding["claims"]:
                verdict, own = verdict_of(finding["name"], claim, cells, finding["claims"])
                said = {"question": finding["name"], "what": claim["what"], "columns": claim["columns"]}
                checks.append({**said, "of": claim["of"], "value": claim["value"], "own": own, "verdict": verdict})
        if best is None or _n_refuted(checks) < _n_refuted(best[1]):
            best = cells, checks
    assert best is not None
    return best


def with_label(cells: Cells, findings: Sequence[Mapping[str, Any]]) -> Cells:
    """Return the cells with the label that was guessed, if there is none: as claims name it, or as it fits best."""
    claims = [(finding, claim) for finding in findings for claim in finding["claims"]]
    told = [claim["columns"][0] for _, claim in claims if claim["what"] == "labelled rows" and claim["columns"]]
    if not cells.label and told and told[0] in cells.frame.columns:
        return cells.labelled(told[0])
    if cells.label or not any(claim["what"] in ("labelled rows", "unlabelled rows") for _, claim in claims):
        return cells
    about = ("labelled rows", "unlabelled rows", "classes", "class size", "smallest target", "largest target")
    some = [pair for pair in claims if pair[1]["what"] in (*about, "rows with gaps")]

    def n_confirmed(name: str) -> int:
        one = cells.labelled(name)
        verdicts = [verdict_of(finding["name"], claim, one, finding["claims"])[0] for finding, claim in some]
        return len(verdicts) - verdicts.count("refuted") - verdicts.count("not checkable")

    return cells.labelled(max(reversed(cells.frame.columns), key=n_confirmed))


def _n_refuted(checks: Sequence[Mapping[str, Any]]) -> int:
    return sum(check["verdict"] == "refuted" for check in checks)


def verdict_of(question: str, claim: Claim, cells: Cells, claims: Sequence[Claim]) -> tuple[str, str]:
    """Return the verdict, and what was found or why nothing was.

    What few draws refute is asked of many, for then a law that is not normal is known better.
    """
    found = _verdict_of(question, claim, cells, claims)
    return found if found[0] != "refuted" else _verdict_of(question, claim, cells.with_more_draws(), claims)


def _verdict_of(question: str, claim: Claim, cells: Cells, claims: Sequence[Claim]) -> tuple[str, str]:
    function = KINDS.get(f"{question}: {claim['what']}", KINDS.get(claim["what"]))
    if function is None:
        return "not checkable", "no function for this kind"
    unknown = [name for name in claim["columns"] if name not in cells.frame.columns]
    if unknown:
        return "refuted", f"no column {unknown[0]!r}"
    if claim["what"] in _OF_THE_LABEL and claim["columns"] not in ([], [cells.label]):
        return "refuted", f"the label is {cells.label!r}"
    try:
        own = function(claim, cells, claims)
    except NotCheckable as reason:
        return "not checkable", str(reason)
    except KeyError as error:  # a name within words, or a column of another claim
        return "refuted", f"no column {error}"
    except (IndexError, ValueError, TypeError, np.linalg.LinAlgError) as error:
        return "not checkable", f"failed: {error}"
    own = own if isinstance(own, Own) else Own(own)
    told = _wrong(claim, own)
    if told:
        return "refuted", told
    return "consistent" if own.partly or claim["what"] in PARTLY else "confirmed", short(own.value)


def _wrong(claim: Claim, own: Own) -> str:
    """Return what differs, or nothing."""
    if not agree(claim["value"], own.value):
        return f"{short(own.value)}"
    for name, value in own.of.items():
        if name in claim["of"] and not agree(claim["of"][name], value):
            return f"{name}: {short(value)} instead of {short(claim['of'][name])}"
    if own.rows is not None and not np.array_equal(np.sort(claim["rows"]), np.sort(own.rows)):
        differ = np.setxor1d(np.asarray(claim["rows"], dtype=np.int64), own.rows)
        return f"other rows, such as {differ[:5].tolist()}"
    return ""


def of_draws(values: Sequence[float], why: str, rounding: float = 0.0) -> Range:
    """Return where one more draw lies but once in `FALSE_ALARMS` cases, if draws have a normal law.

    The ends of the draws themselves are within the range.
    """
    n = max(len(values), 2)
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    middle, reach = float(np.mean(values)), float(t_law.isf(0.5 / FALSE_ALARMS, n - 1)) * math.sqrt(1.0 + 1.0 / n)
    slack = reach * spread + rounding
    low, high = min(middle - slack, *values), max(middle + slack, *values)
    return Range(low, high, f"{len(values)} draws; {why}")


def agree(claimed: Any, own: Any) -> bool:
    if isinstance(own, Range):
        return claimed is not None and own.low <= claimed <= own.high
    if isinstance(own, (list, tuple)):
        return isinstance(claimed, (list, tuple)) and len(claimed) == len(own) and all(map(agree, claimed, own))
    if isinstance(own, (bool, np.bool_, str)) or own is None:
        return claimed == own
    if not isinstance(claimed, (int, float)):
        return False
    return math.isclose(claimed, float(own), rel_tol=1e-6, abs_tol=1e-9)


def short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# --- what several kinds need ------------------------------------------------------------------------------------------


def class_counts(cells: Cells) -> pd.Series:
    """Return the rows of each class."""
    return labels_of(cells).dropna().value_counts()


def labels_of(cells: Cells) -> pd.Series:
    """Return the labels.

    Raises
    ------
    NotCheckable
        Without a label.
    """
    if cells.label not in cells.frame.columns:
        raise NotCheckable("the label was guessed, and the claim does not name it")
    return cells.labels()


def is_labelled(cells: Cells) -> np.ndarray:
    """Return which rows have a label; a target must be finite."""
    labels_of(cells)
    return ~cells.missing(cells.label)


def target_of(cells: Cells) -> np.ndarray:
    """Return the numbers to predict, or dates as seconds."""
    labels_of(cells)
    if cells.kinds[cells.label] not in ("number", "date"):
        raise NotCheckable("the label is not a number to the checker")
    return cells.numbers(cells.label)


def code_matrix(cells: Cells, columns: Iterable[str]) -> pd.DataFrame:
    """Return a number for each different cell of some columns."""
    return pd.DataFrame({place: cells.codes(name) for place, name in enumerate(columns)}, index=cells.frame.index)
