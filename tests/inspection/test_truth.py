"""Every number of a sentence about columns, values, gaps, copies and dependence is that of the table.

Tables are drawn at random with faults planted in them. What the sentences say is computed again from the table, by
pandas and SciPy alone; a number that no pattern knows is a failure, too.
"""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, false_discovery_control, ncx2, rankdata, spearmanr

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection

# --- tables with faults in them ---------------------------------------------------------------------------------------


FAULTS = (
    "repeat", "near", "flat", "nearly", "tick", "words", "code", "id", "sorted", "gaps", "empty", "inf", "far",
    "missing", "copies", "few values",
)  # fmt: skip


def drawn(seed):
    """Return a table in which some of many faults are, and the name of its label or None."""
    g = np.random.default_rng(seed)
    n = int(g.integers(45, 400))
    has = dict(zip(FAULTS, g.random(len(FAULTS)) < 0.4, strict=True))
    frame = pd.DataFrame({"amount": g.normal(50, 9, n).round(2), "visits": g.poisson(6, n), "size": g.normal(size=n)})
    frame["town"] = g.choice(["Bern", "Genf", "Oslo", "Rome"], n, p=[0.5, 0.3, 0.15, 0.05])
    frame["wave"] = np.sin(2 * frame["size"]) + 0.2 * g.normal(size=n)
    if has["few values"]:
        frame = pd.DataFrame({"rating": g.integers(1, 4, n), "sort": g.choice(["a", "b"], n)})
    for fault, plant in columns_with_faults(g, frame.columns[0]).items():
        if has[fault]:
            frame = frame.assign(**plant(frame))
    if has["gaps"]:
        rows = g.random(n) < g.uniform(0.01, 0.6)
        frame.loc[rows, frame.columns[:2].tolist() + frame.columns[-2:].tolist()] = None
        frame.loc[g.random(n) < 0.05, frame.columns[1]] = None
    if has["copies"]:
        frame = pd.concat([frame, frame.sample(int(g.integers(1, 9)), random_state=seed)], ignore_index=True)
    return with_label(g, frame)


def columns_with_faults(g, first):
    def renamed(frame):
        codes = pd.factorize(frame.iloc[:, -1])[0]
        return {"code": g.permutation(codes.max() + 1)[codes]} if codes.max() < 9 else {}

    def far(frame):
        speed = g.normal(20, 3, len(frame)).round(3)
        speed[g.choice(len(frame), 2, replace=False)] = [9e5, 123_456.5]
        return {"speed": speed}

    def near(frame):
        noise = 0.08 * frame[first].std() * g.normal(size=len(frame))
        return {"close": frame[first] * g.choice([-1.0, 1.0]) + noise}

    return {
        "repeat": lambda frame: {"unit": frame[first] * 2.5 - 7},
        "near": near,
        "flat": lambda frame: {"flat": "same", "still": 3},
        "nearly": lambda frame: {"nearly": np.where(np.arange(len(frame)) == 7, 2.5, 1.0)},
        "tick": lambda frame: {"tick": np.where(g.random(len(frame)) < 0.4, "Tea", None)},
        "words": lambda frame: {"answer": g.choice(["yes", "Yes", "no", "not sure", "not-sure"], len(frame))},
        "code": renamed,
        "id": lambda frame: {"key_no": g.permutation(len(frame)) + 1000},
        "sorted": lambda frame: {"moment": np.sort(g.normal(size=len(frame)))},
        "empty": lambda frame: {"gone": np.nan},
        "inf": lambda frame: {"ratio": np.where(g.random(len(frame)) < 0.03, np.inf, g.normal(size=len(frame)))},
        "far": far,
        "missing": lambda frame: {
            "age": np.where(g.random(len(frame)) < 0.1, g.choice([-999, -200]), g.integers(18, 90, len(frame)))
        },
    }


def with_label(g, frame):
    n, kind = len(frame), int(g.integers(4))
    if kind == 0:
        return frame, None
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(g.integers(0, 900, n), "D")
    frame["target"] = [g.choice(["no", "yes", "maybe"], n, p=[0.7, 0.28, 0.02]), g.normal(size=n), days][kind - 1]
    if g.random() < 0.5:
        frame.loc[g.random(n) < 0.3, "target"] = None
    return frame, "target"


# --- what holds in them -----------------------------------------------------------------------------------------------


class Facts:
    """What pandas and SciPy say of a table."""

    def __init__(self, frame, label):
        self.all, self.label = frame, None if label is None else frame[label]
        self.frame = frame if label is None else frame.drop(columns=label)
        self.known = self.frame.replace([np.inf, -np.inf], np.nan)

    def numbers(self):
        return [name for name in self.known if self.known[name].dtype.kind in "if"]

    def same(self, share, said):
        """Return whether a share in words is one in numbers."""
        if said.startswith("less than"):
            return 0 < share < 0.0005
        if said.startswith("more than"):
            return 0.9995 <= share < 1
        digits = len(said.rstrip("%").partition(".")[2])
        return f"{100 * share:.{digits}f}%" == said and (share == 0) == (float(said.rstrip("%")) == 0)

    def number(self, said):
        return float(said.replace(",", "").replace("−", "-"))

    def is_(self, value, said):
        """Return whether a number is written as said: whole ones with all digits, others with six or hundredths."""
        found = self.number(said)
        return value == found if value == round(value) else np.isclose(value, found, rtol=6e-6, atol=1e-12)

    def strength(self, one, other):
        """Return the strength of dependence of two columns in the rows that know both, and its degrees of freedom."""
        pair = self.known[[one, other]].dropna()
        A, B = (features(pair[name]) for name in (one, other))
        k = [np.linalg.matrix_rank(F) if F.shape[1] else 0 for F in (A, B)]
        if len(pair) < 40 or not all(k):
            return None
        found = max(explained(A, B, k[0], len(pair)), explained(B, A, k[1], len(pair)))
        r = np.nan
        if {one, other} <= set(self.numbers()):
            r = spearmanr(pair[one], pair[other]).statistic
            found = max(found, abs(r))
        U, V = (np.linalg.svd(F, full_matrices=False)[0][:, :size] for F, size in zip((A, B), k, strict=True))
        p = chi2.sf(len(pair) * np.sum((U.T @ V) ** 2), k[0] * k[1])
        return found, r, p, k[0] * k[1], len(pair)


def features(column):
    """Return indicators of words and of few values, or cosines of ranks, centred."""
    n, counts = len(column), column.value_counts()
    if column.dtype.kind not in "if" or len(counts) <= 12:
        often = counts[counts >= 5].index[:11]
        grouped = column.where(column.isin(often), "others").astype(object)
        if (grouped == "others").sum() < 5 and len(often):
            grouped = grouped.where(grouped != "others", often[-1])
        F = pd.get_dummies(grouped).to_numpy(dtype=float)
    else:
        waves = int(np.clip(round(n ** (1 / 3) / 1.5), 3, 8))
        F = np.cos(np.pi * np.outer((rankdata(column) - 0.5) / n, np.arange(1, waves + 1)))
    F = F - F.mean(axis=0) if n else F
    return F if n and np.abs(F).max() > 1e-9 else F[:, :0]


def explained(A, B, k, n):
    """Return how well one column follows from another: the root of the adjusted share of its largest variance."""
    U = np.linalg.svd(A, full_matrices=False)[0][:, :k]
    share = (np.linalg.norm(U.T @ B, 2) / np.linalg.norm(B, 2)) ** 2
    return np.sqrt(max(1 - (1 - share) * (n - 1) / (n - 1 - k), 0))


# --- sentences --------------------------------------------------------------------------------------------------------

NAME, N, NUMBER = "“([^”]+)”", r"([\d,]+)", r"(−?[\d,]*\.?\d+(?:e-?\d+)?)"
SHARE = r"((?:less than |more than )?[\d.]+%)"


def leftover(said, patterns):
    """Return a text without all that patterns know, each of which must be true."""
    for pattern, is_true in patterns:
        for match in re.finditer(pattern, said):
            assert is_true(*match.groups()), f"{match.group()!r} in {said!r}"
        said = re.sub(pattern, "", said)
    return said


def numbers_left(said):
    return re.findall(r"\d[\d.,]*", re.sub("“[^”]*”", "", said))


def check_balance(f, said):
    label, n = f.label, len(f.frame)
    known = None if label is None else label.dropna()
    counts = None if label is None else known.value_counts()
    share = lambda name, part: f.same(counts[name] / len(known), part)  # noqa: E731
    ends = lambda low, high: f.is_(known.min(), low) and f.is_(known.max(), high)  # noqa: E731
    days = lambda low, high: (f"{known.min():%Y-%m-%d}", f"{known.max():%Y-%m-%d}") == (low, high)  # noqa: E731
    return leftover(
        said,
        [
            (rf"^{N} rows? of {N} columns?", lambda a, b: f.number(a) == n and f.number(b) == f.frame.shape[1]),
            (rf", {N} of them with a label", lambda a: f.number(a) == len(known) < n),
            (rf" in {N} classes", lambda a: f.number(a) == len(counts)),
            (rf"{NAME} has {SHARE} of (?:the rows|these)", share),
            (rf"{NAME} {SHARE}", share),
            (rf"{N} rows are too few", lambda a: f.number(a) == counts.min()),
            (
                rf"unbalanced, {N} rows? against {N}",
                lambda a, b: (f.number(a), f.number(b)) == (counts.min(), counts.max()),
            ),
            (r"a date from (\S+) to (\S+)\.$", days),
            (rf"a number from {NUMBER} to {NUMBER}\.$", ends),
        ],
    )


def check_columns(f, said):
    frame, known, n = f.frame, f.known, len(f.frame)
    values = lambda name: known[name].dropna()  # noqa: E731
    alike = [pair for pair in combinations(f.numbers(), 2) if abs(known[pair[0]].corr(known[pair[1]])) >= 0.99]

    def repeats(one, other):
        both = [pd.factorize(known[name])[0] for name in (one, other)]
        return np.array_equal(*both)

    def together(one, other, r):
        exact = known[one].corr(known[other])
        if r.startswith(("above", "below")):
            return 0.9995 <= abs(exact) <= 1 and (exact > 0) == r.startswith("above")
        return f"{exact:.3f}".replace("-", "−") == r

    def none(_):
        return not [name for name in frame if frame[name].nunique() == 1 and frame[name].notna().all()]

    return leftover(
        said,
        [
            (rf"{NAME} and {NAME} go together \(correlation ((?:above |below )?−?[\d.]+)\)", together),
            (rf", and so do(?:es)? {N} other pairs? \(0\.99 or more\)", lambda a: 1 <= f.number(a) < len(alike)),
            (rf"{NAME} repeats an earlier column \({NAME}\)", repeats),
            (
                rf"{NAME} is {NUMBER} in ([\d.]+%) of the rows",
                lambda a, b, c: abs((frame[a] == f.number(b)).mean() - float(c[:-1]) / 100) < 6e-4,
            ),
            (r"have one value in at least 99\.5% of the rows", lambda: True),
            (rf"{NAME} has a single value", lambda a: frame[a].nunique() == 1 and frame[a].notna().all()),
            (
                rf"{NAME} and {NAME} have a single value",
                lambda a, b: all(frame[c].nunique() == 1 and frame[c].notna().all() for c in (a, b)),
            ),
            (
                rf"{NAME} holds one value \(“?([^”)]+)”?\) or nothing",
                lambda a, b: (
                    str(values(a).iloc[0]).removesuffix(".0") == b and values(a).nunique() == 1 < n - len(values(a))
                ),
            ),
            ("(No column is constant)", none),
            (
                rf"The rows are sorted by {NAME}",
                lambda a: (frame[a].is_monotonic_increasing or frame[a].is_monotonic_decreasing) and frame[a].is_unique,
            ),
            (rf"{NAME} numbers the rows", lambda a: frame.drop_duplicates()[a].is_unique),
            (rf"{N} of {N} columns", lambda a, b: f.number(a) > 3 and f.number(b) == frame.shape[1]),
        ],
    )


def check_missing(f, said):
    gaps, n = f.known.isna(), len(f.frame)
    lacking = gaps.loc[:, ~gaps.all()]
    shares = lacking.mean()[lacking.any()].sort_values(ascending=False, kind="stable")

    def others(number, much):
        third, rest = shares.iloc[2], shares.iloc[3:]
        held = {
            "as much": (rest == third).all(),
            "less": (rest < third).all(),
            "as much or less": rest.iloc[0] == third and rest.iloc[-1] < third,
        }
        return f.number(number) == len(rest) and held[much]

    def telling(name, most, one, least, other):
        by = gaps[name].groupby(f.label.to_numpy()).mean()
        return f.same(by[one], most) and f.same(by[other], least)

    return leftover(
        said,
        [
            (
                rf"{N} rows? of {N} \({SHARE}\) lacks? some value",
                lambda a, b, c: (
                    f.number(a) == lacking.any(axis=1).sum()
                    and f.number(b) == n
                    and f.same(lacking.any(axis=1).mean(), c)
                ),
            ),
            (
                rf"{N} rows? of {N} lacks? a label",
                lambda a, b: f.number(a) == f.label.isna().sum() and f.number(b) == n,
            ),
            (rf"{NAME} holds {N} infinite values?", lambda a, b: f.number(b) == np.isinf(f.frame[a]).sum()),
            (rf"and {N} other columns? (as much or less|as much|less)", others),
            (
                rf" {SHARE} of {NAME} and {SHARE} of {NAME}",
                lambda a, b, c, d: any(telling(name, a, b, c, d) for name in re.findall(f"Whether {NAME}", said)),
            ),
            (rf"{NAME} {SHARE}", lambda a, b: f.same(gaps[a].mean(), b)),
            (rf"{NAME} is completely empty", lambda a: gaps[a].all()),
            (rf"No value is missing in any of the {N} rows", lambda a: f.number(a) == n and not gaps.any(axis=None)),
            ("(No value is missing)", lambda _: not gaps.any(axis=None)),
        ],
    )


def check_values(f, said):
    def odd(name, values, rows, first, low, high):
        listed = [f.number(value) for value in values.removesuffix(", …").split(", ")]
        column = f.all[name]
        found = column[column.isin(listed) | ((column < f.number(low)) | (column > f.number(high)))]
        rest = column[~column.index.isin(found.index)]
        held = all(any(f.is_(value, one) for value in found) for one in values.removesuffix(", …").split(", "))
        rows_are_said = ", ".join(map(str, found.index[:3] + 1)) + ", …" * (len(found) > 3) == first
        return (
            held
            and rows_are_said
            and len(found) == f.number(rows)
            and f.is_(rest.min(), low)
            and f.is_(rest.max(), high)
        )

    return leftover(
        said,
        [
            (
                rf"{NAME} is (−?[\d,.]+(?:, −?[\d,.]+)*) in {N} rows? \(([\d, …]+)\), while all others lie "
                rf"from {NUMBER} to {NUMBER}\.",
                odd,
            ),
            (
                rf"{NAME} spells what is probably one word as ((?:“[^”]+”(?:, )?)+)",
                lambda a, b: (
                    set(re.findall(NAME, b)) <= set(f.all[a].dropna())
                    and len({re.sub(r"\W", "", w).lower() for w in re.findall(NAME, b)}) == 1
                ),
            ),
            (rf"and {N} other words? in several spellings", lambda a: f.number(a) == 1),
            (rf"in two ways \({N} rows\)", lambda a: f.number(a) == len(f.frame)),
        ],
    )


def check_copies(f, said):
    apart = re.findall(NAME, said.partition("apart from ")[2].partition(":")[0].partition(";")[0])
    columns = [name for name in f.frame if name not in apart]
    again = f.frame.duplicated(subset=columns)
    conflict = 0
    if f.label is not None and f.label.dtype.kind not in "fM":
        known = f.label.notna()
        groups = f.frame.loc[known, columns].astype(object).where(f.frame[columns].notna(), "gap").apply(tuple, axis=1)
        conflict = int((f.label[known].groupby(groups).transform("nunique") > 1).sum())
    return leftover(
        said,
        [
            (
                rf"{N} rows? of {N} \({SHARE}\) (?:is a copy|are copies)",
                lambda a, b, c: f.number(a) == again.sum() and f.number(b) == len(again) and f.same(again.mean(), c),
            ),
            (rf"{N} rows? (?:is|are) equal to one with another label", lambda a: f.number(a) == conflict),
            (rf"No two of the {N} rows are equal", lambda a: f.number(a) == len(again) and not again.any()),
        ],
    )


def check_dependence(f, said):
    names = [name for name in f.known if name != "key_no" and f.known[name].notna().any()]
    pairs = {pair: found for pair in combinations(names, 2) if (found := f.strength(*pair)) is not None}
    p = dict(zip(pairs, false_discovery_control([found[2] for found in pairs.values()]), strict=True)) if pairs else {}

    def between(number, least, most=1.0):
        """Return whether so many pairs depend; p-values and strengths near the limits may fall on either side."""

        def count(q, by):
            return sum(
                p[pair] < q and found[0] >= least + by and not abs(found[1]) > most - by
                for pair, found in pairs.items()
            )

        return count(1e-3, 0.01) <= f.number(number) <= count(0.1, -0.01)

    def told(one, other, strength, r):
        found, exact = pairs.get((one, other)) or pairs[other, one], True
        for said_, true in ((strength, found[0]), (r, found[1])):
            if said_ and said_.startswith(("above", "below")):
                exact &= 0.99 <= abs(true) <= 1 and (true > 0) == said_.startswith("above")
            elif said_:
                exact &= abs(f.number(said_) - true) < 0.0051
        return bool(exact)

    def visible(number):
        worst = 0.0
        for _, _, _, freedom, n in pairs.values():
            needed = chi2.isf(0.01 / len(pairs), freedom)
            worst = max(worst, np.sqrt(brentq(lambda c, k=freedom, q=needed: ncx2.cdf(q, k, c) - 0.05, 1e-6, 1e4) / n))
        return abs(min(worst, 1.0) - float(number)) < 0.0051

    total = len(names) * (len(names) - 1) // 2
    value = r"((?:above |below )?−?[\d.]+)"
    return leftover(
        said,
        [
            (rf"{NAME} and {NAME} \(dependence {value}(?:, rank correlation {value})?\)", told),
            (r"one of ([\d.]+) or more would", visible),
            (
                rf"{N} of {N} pairs? of columns depends? on each other though",
                lambda a, b: f.number(b) == len(pairs) and between(a, 0.5, 0.2),
            ),
            (
                rf"{N} of {N} pairs? of columns depends? on each other by 0\.3 or more",
                lambda a, b: f.number(b) == len(pairs) and between(a, 0.3),
            ),
            (
                rf"No two columns (?:are sure to )?depend by 0\.3 or more\. {N} of {N} pairs? (?:depends?|seems?)",
                lambda a, b: f.number(b) == len(pairs) and between(a, 0.0),
            ),
            (
                rf"between {N} pairs? of columns \({N} rows\)",
                lambda a, b: f.number(a) == len(pairs) and f.number(b) == len(f.frame),
            ),
            (rf" in {N} rows", lambda a: f.number(a) == len(f.frame)),
            (rf"{N} other pairs? cannot be compared", lambda a: f.number(a) == total - len(pairs)),
            (r"depend by 0\.5 or more correlate", lambda: True),
            (rf"{N} pairs? seems? to without|For {N} of them", lambda a, b: f.number(a or b) <= len(pairs)),
        ],
    )


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 40))])
def test_every_number_is_that_of_the_table(seed):
    frame, label = drawn(seed)
    upload = upload_of_frame(frame)
    inspection = Inspection(upload.prepare(upload.suggestion.replace({"label": label, "missing": "impute"})))
    facts = Facts(frame, label)
    found = {
        check_balance: inspection.finding("balance"),
        check_columns: inspection.finding("columns"),
        check_missing: inspection.finding("missing"),
        check_values: inspection.finding("values"),
        check_copies: inspection.finding("copies"),
        check_dependence: inspection.finding("dependence"),
    }
    for check, finding in found.items():
        assert numbers_left(check(facts, finding.text)) == [], f"{check.__name__}: {finding.text}"
