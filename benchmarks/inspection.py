"""What a quick inspection says of clean tables, and of tables with a planted fault.

python benchmarks/inspection.py [--clean 20] [--planted 10] [--processes 1] [--json FILE]

Ten kinds of clean tables are drawn, each so many times: a finding other than "fine" that is not true of its kind is a
false alarm. Each planted fault is drawn so many times: it is found where the finding that is about it speaks, and names
the column or the rows where there are any to name.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
from collections import Counter, defaultdict  # noqa: E402
from collections.abc import Callable  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from multiprocessing import get_context  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

import rfviz  # noqa: E402

Generator = np.random.Generator


# --- clean tables -----------------------------------------------------------------------------------------------------


def gaussian(rng: Generator, n: int = 600, d: int = 6) -> pd.DataFrame:
    """Draw independent normal columns."""
    return pd.DataFrame(rng.normal(size=(n, d)), columns=[f"x{i}" for i in range(d)])


def two_classes(rng: Generator, n: int = 600) -> pd.DataFrame:
    """Draw two classes that a noisy line separates."""
    frame = gaussian(rng, n)
    return frame.assign(label=np.where(frame.x0 + frame.x1 + rng.logistic(size=n) > 0, "yes", "no"))


def regression(rng: Generator, n: int = 600) -> pd.DataFrame:
    """Draw a target that is linear with noise."""
    frame = gaussian(rng, n)
    return frame.assign(label=2.0 * frame.x0 - frame.x1 + rng.normal(size=n))


def mixed(rng: Generator, n: int = 800) -> pd.DataFrame:
    """Draw numbers and categories, of which some words are rare."""
    frame = two_classes(rng, n)
    frame["town"] = rng.choice(["Bern", "Oslo", "Rome", "Wien", "Graz"], n, p=[0.5, 0.3, 0.15, 0.03, 0.02])
    frame["kind"] = rng.choice(["red", "green"], n)
    return frame


def unlabelled(rng: Generator, n: int = 700) -> pd.DataFrame:
    """Draw correlated columns without labels."""
    frame = gaussian(rng, n)
    return frame.add(0.8 * rng.normal(size=n), axis=0)


def skewed(rng: Generator, n: int = 700) -> pd.DataFrame:
    """Draw counts, amounts and shares."""
    frame = two_classes(rng, n)
    frame["visits"], frame["amount"] = rng.poisson(4, n), np.round(rng.lognormal(3, 0.5, n), 2)
    return frame.assign(part=rng.beta(2, 5, n))


def noise(rng: Generator, n: int = 600) -> pd.DataFrame:
    """Draw labels that depend on nothing."""
    return gaussian(rng, n).assign(label=rng.choice(["yes", "no"], n))


def three_classes(rng: Generator, n: int = 750) -> pd.DataFrame:
    """Draw three groups that overlap."""
    y = rng.integers(0, 3, n)
    frame = gaussian(rng, n)
    frame[["x0", "x1"]] += 1.6 * np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])[y]
    return frame.assign(label=np.array(["a", "b", "c"])[y])


def dated(rng: Generator, n: int = 600) -> pd.DataFrame:
    """Draw rows that follow each other in time, and do not depend on it."""
    return two_classes(rng, n).assign(time=pd.date_range("2024-01-01", periods=n, freq="h").astype(str))


def few(rng: Generator) -> pd.DataFrame:
    """Draw 80 rows."""
    return two_classes(rng, 80)


def wide(rng: Generator, n: int = 150, d: int = 80) -> pd.DataFrame:
    """Draw half as many columns as rows."""
    frame = gaussian(rng, n, d)
    return frame.assign(label=np.where(frame.iloc[:, :10].sum(axis=1) + rng.logistic(size=n) > 0, "yes", "no"))


#: Kinds of clean tables, and the findings that may speak of each: that nothing is learnt from noise is true.
CLEAN = {
    two_classes: set(),
    regression: set(),
    mixed: set(),
    unlabelled: set(),
    skewed: set(),
    noise: {"structure"},
    three_classes: set(),
    dated: set(),
    few: {"structure"},
    wide: {"structure", "dimension", "distances"},
}


# --- planted faults ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planted:
    """A table with a fault: which findings may tell it, and what they must name (one of the columns, half the rows)."""

    frame: pd.DataFrame
    told_by: tuple[str, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    says: str = ""


def _rows(rng: Generator, frame: pd.DataFrame, n: int) -> np.ndarray:
    return rng.choice(len(frame), n, replace=False)


def exact_copies(rng: Generator) -> Planted:
    """Plant rows that are there already."""
    frame = two_classes(rng)
    frame = pd.concat([frame, frame.sample(18, random_state=int(rng.integers(1000)))], ignore_index=True)
    return Planted(frame, ("copies",), rows=tuple(range(600, 618)))


def near_copies(rng: Generator) -> Planted:
    """Plant rows that are nearly there already."""
    frame = two_classes(rng)
    twins = frame.sample(18, random_state=int(rng.integers(1000)))
    twins = twins.assign(**{f"x{i}": twins[f"x{i}"] + 1e-4 * rng.normal(size=18) for i in range(6)})
    return Planted(pd.concat([frame, twins], ignore_index=True), ("near-copies",), rows=tuple(range(600, 618)))


def wrong_labels(rng: Generator) -> Planted:
    """Plant wrong classes among groups that are apart."""
    frame = gaussian(rng, 750)
    y = rng.integers(0, 3, len(frame))
    frame[["x0", "x1"]] = 5 * np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])[y] + rng.normal(size=(len(y), 2))
    wrong = _rows(rng, frame, len(frame) // 20)
    y[wrong] = (y[wrong] + 1) % 3
    return Planted(frame.assign(label=np.array(["a", "b", "c"])[y]), ("labels",), rows=tuple(wrong))


def wrong_targets(rng: Generator) -> Planted:
    """Plant wrong numbers to predict."""
    frame = regression(rng)
    wrong = _rows(rng, frame, 6)
    frame.loc[wrong, "label"] += 9.0 * rng.choice([-1, 1], 6)
    return Planted(frame, ("labels",), rows=tuple(wrong))


def leak(rng: Generator) -> Planted:
    """Plant a column that says the label."""
    frame = two_classes(rng)
    return Planted(frame.assign(told=3.0 * (frame.label == "yes") + 0.3 * rng.normal(size=600)), ("leaks",), ("told",))


def leak_by_difference(rng: Generator) -> Planted:
    """Plant two columns whose difference says the label."""
    frame, past = two_classes(rng), rng.normal(50, 20, 600)
    return Planted(frame.assign(a=past, b=past - np.where(frame.label == "yes", 1, -1)), ("leaks",), ("a", "b"))


def leak_by_category(rng: Generator) -> Planted:
    """Plant a category that says one of six classes."""
    frame, y = gaussian(rng), rng.integers(0, 6, 600)
    codes = np.array([f"C{i}" for i in range(12)])[2 * y + rng.integers(0, 2, 600)]
    return Planted(frame.assign(code=codes, label=np.array(list("abcdef"))[y]), ("leaks",), ("code",))


def leak_by_gap(rng: Generator) -> Planted:
    """Plant a column that is empty where the label is one."""
    frame = two_classes(rng)
    spare = np.where(frame.label == "yes", np.nan, rng.normal(size=600))
    return Planted(frame.assign(spare=spare), ("leaks", "missing"), ("spare",))


def constant(rng: Generator) -> Planted:
    """Plant a column of one value."""
    return Planted(two_classes(rng).assign(flat=3.5), ("columns",), ("flat",))


def repeated(rng: Generator) -> Planted:
    """Plant a column in another unit."""
    frame = two_classes(rng)
    return Planted(frame.assign(inch=frame.x0 / 2.54), ("columns",), ("inch",))


def numbering(rng: Generator) -> Planted:
    """Plant a number of the row."""
    return Planted(two_classes(rng).assign(key=np.arange(600) + 17), ("columns",), ("key",))


def gaps(rng: Generator) -> Planted:
    """Plant missing values."""
    frame = two_classes(rng)
    frame.loc[rng.random(600) < 0.3, "x2"] = np.nan
    return Planted(frame, ("missing",), ("x2",))


def code_for_missing(rng: Generator) -> Planted:
    """Plant a number that stands for a missing value."""
    frame = two_classes(rng)
    frame["age"] = np.where(rng.random(600) < 0.1, -999.0, rng.normal(40, 12, 600).round())
    return Planted(frame, ("values",), ("age",))


def gross_values(rng: Generator) -> Planted:
    """Plant values far beyond all others."""
    frame = two_classes(rng)
    wrong = _rows(rng, frame, 3)
    frame.loc[wrong, "x3"] = 1e6
    return Planted(frame, ("values",), ("x3",), tuple(wrong))


def two_spellings(rng: Generator) -> Planted:
    """Plant words in several spellings."""
    words = rng.choice(["yes", "no", "Yes", "YES"], 600, p=[0.5, 0.4, 0.07, 0.03])
    return Planted(two_classes(rng).assign(paid=words), ("values",), ("paid",))


def outliers(rng: Generator) -> Planted:
    """Plant rows whose columns do not go together."""
    frame = unlabelled(rng)
    wrong = _rows(rng, frame, 3)
    frame.iloc[wrong] = np.array([[4.0, -4, 4, -4, 4, -4], [-4, 4, 4, 4, -4, -4], [4, 4, 4, -4, -4, -4]])
    return Planted(frame, ("outliers",), rows=tuple(wrong))


def groups(rng: Generator) -> Planted:
    """Plant people, each with ten rows and one label."""
    patient = np.repeat(np.arange(60), 10)
    centres, y = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)
    frame = pd.DataFrame(centres[patient] + 0.1 * rng.normal(size=(600, 6)), columns=[f"x{i}" for i in range(6)])
    label = np.where(y[patient] == 1, "yes", "no")
    return Planted(frame.assign(patient_id=patient, label=label), ("groups",), ("patient_id",))


def drift(rng: Generator) -> Planted:
    """Plant a column that changes half-way."""
    frame = two_classes(rng, 1200)
    frame.loc[600:, "x4"] += 0.7
    return Planted(frame, ("groups", "drift"), ("x4",))


def interaction(rng: Generator) -> Planted:
    """Plant a label that only two columns together say."""
    frame = gaussian(rng, 1500)
    return Planted(frame.assign(label=np.where(frame.x0 * frame.x1 > 0, "yes", "no")), ("structure", "interactions"))


def imbalance(rng: Generator) -> Planted:
    """Plant a class of one row in 200."""
    frame = gaussian(rng, 3000)
    return Planted(frame.assign(label=np.where(np.arange(3000) % 200 == 0, "yes", "no")), ("balance",))


def heavy_tail(rng: Generator) -> Planted:
    """Plant a target whose ranks alone can be learnt: a quarter of it is 0, which has no logarithm."""
    frame = gaussian(rng, 800)
    frame["label"] = np.exp(3.0 * frame.x0 + rng.normal(size=800)) * (rng.random(800) > 0.25)
    return Planted(frame, ("structure",), says="predict its rank")


def uneven_noise(rng: Generator) -> Planted:
    """Plant noise whose size depends on a column."""
    frame = gaussian(rng)
    frame["label"] = frame.x0 + np.exp(0.8 * frame.x1) * rng.normal(size=len(frame))
    return Planted(frame, ("uncertainty",), ("x1",))


def heavy_noise(rng: Generator) -> Planted:
    """Plant noise with a heavy tail."""
    frame = gaussian(rng)
    return Planted(frame.assign(label=frame.x0 + rng.standard_t(3, len(frame))), ("uncertainty",), says="heavy tail")


FAULTS: tuple[Callable[[Generator], Planted], ...] = (
    exact_copies, near_copies, wrong_labels, wrong_targets, leak, leak_by_difference, leak_by_category, leak_by_gap,
    constant, repeated, numbering, gaps, code_for_missing, gross_values, two_spellings, outliers, groups, drift,
    interaction, imbalance, heavy_tail, uneven_noise, heavy_noise,
)  # fmt: skip


# --- counting ---------------------------------------------------------------------------------------------------------


def inspected(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the findings by name."""
    label = "label" if "label" in frame else None
    return rfviz.inspect(frame, label=label).findings.set_index("name")


def is_found(planted: Planted, found: pd.DataFrame) -> bool:
    """Return whether a finding tells a fault, with the column or half of the rows where there are any."""
    for name in planted.told_by:
        if name not in found.index or found.status[name] not in ("look", "warning"):
            continue
        right_columns = not planted.columns or bool(set(planted.columns) & set(found.columns_[name]))
        hits = len(set(planted.rows) & set(found.rows[name]))
        if right_columns and 2 * hits >= len(planted.rows) and planted.says in found.text[name]:
            return True
    return False


def clean_findings(job: tuple[int, int]) -> dict[str, str]:
    """Return the status of each finding of a clean table, by kind and seed."""
    number, seed = job
    return dict(inspected(list(CLEAN)[number](np.random.default_rng((number, seed)))).status)


def found_fault(job: tuple[int, int]) -> bool:
    """Return whether a planted fault is found, by fault and seed."""
    number, seed = job
    planted = FAULTS[number](np.random.default_rng((100 + number, seed)))
    return is_found(planted, inspected(planted.frame).rename(columns={"columns": "columns_"}))


def main() -> None:
    """Read the arguments, count, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clean", type=int, default=20, help="clean tables of each kind")
    parser.add_argument("--planted", type=int, default=10, help="tables with each fault")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "inspection-alarms.json")
    options = parser.parse_args()
    clean = [(number, seed) for number in range(len(CLEAN)) for seed in range(options.clean)]
    planted = [(number, seed) for number in range(len(FAULTS)) for seed in range(options.planted)]
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        statuses = list(pool.map(clean_findings, clean))
        hits = list(pool.map(found_fault, planted))
    asked: Counter[str] = Counter(name for found in statuses for name in found)
    alarms: dict[str, Counter[str]] = defaultdict(Counter)
    for (number, _), found in zip(clean, statuses, strict=True):
        make, allowed = list(CLEAN.items())[number]
        for name, status in found.items():
            if status in ("look", "warning") and name not in allowed:
                alarms[name][make.__name__] += 1
    silent = [
        {"finding": name, "tables": n, "false alarms": alarms[name].total(), "of": dict(alarms[name])}
        for name, n in asked.items()
    ]
    print(f"## Clean tables\n\n{markdown_table(silent)}\n")
    faults = []
    for number, make in enumerate(FAULTS):
        found = sum(hit for (one, _), hit in zip(planted, hits, strict=True) if one == number)
        faults.append({"fault": make.__name__, "tables": options.planted, "found": found})
    print(f"## Planted faults\n\n{markdown_table(faults)}")
    write_json(options.json, {"clean tables": silent, "planted faults": faults})


if __name__ == "__main__":
    main()
