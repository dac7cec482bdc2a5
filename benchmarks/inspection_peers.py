"""A quick inspection beside other tools: label errors, time and memory, and planted faults.

python benchmarks/inspection_peers.py [--parts labels,cost,faults,mnist] [--mnist FILE] [--draws 3] [--json FILE]

The others are cleanlab, skrub and ydata-profiling (``pip install cleanlab skrub ydata-profiling``, which want an
environment of their own); one that is missing is passed over. Label errors: 5% of the labels of ten data sets are
changed, and rows ranked by how doubtful their label is; cleanlab gets a logistic regression by five folds, as in its
documentation. Cost: CPU seconds and memory on ten tables, each tool in a process of its own, without its imports.
Planted faults: those of ``benchmarks/inspection.py``; another tool has found one where it has any alert of a kind that
fits, about the right column or half of the rows where there are any (how often it has them on clean tables is not
counted).
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import importlib.metadata  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from collections.abc import Callable  # noqa: E402
from importlib.util import find_spec  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import sklearn.datasets as sets  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import average_precision_score  # noqa: E402
from sklearn.model_selection import cross_val_predict  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

FLIPPED = 0.05
# Rows of MNIST's test set whose label most of five people did not confirm (Northcutt, Athalye and Mueller, "Pervasive
# label errors in test sets", 2021; rows counted from 0).
MNIST_ERRORS = [947, 1621, 1901, 2130, 2462, 2597, 2654, 3520, 3558, 5937, 6651, 6783, 8527, 9679, 9729]


# --- label errors -----------------------------------------------------------------------------------------------------


def labelled(seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return ten data sets with labels; half of them are drawn."""
    many = {"n_samples": 1000, "random_state": seed}
    drawn = {
        "two moons": sets.make_moons(noise=0.2, **many),
        "circles": sets.make_circles(noise=0.1, factor=0.5, **many),
        "blobs": sets.make_blobs(centers=5, cluster_std=1.5, n_features=5, **many),
        "shells": sets.make_gaussian_quantiles(n_features=4, n_classes=3, **many),
        "hypercube": sets.make_classification(n_features=20, n_informative=8, n_classes=4, **many),
        "ellipses": sets.make_classification(n_features=10, n_informative=5, class_sep=2.0, **many),
    }
    loaders = (sets.load_digits, sets.load_iris, sets.load_wine, sets.load_breast_cancer)
    return {make.__name__.removeprefix("load_"): make(return_X_y=True) for make in loaders} | drawn


def our_doubt(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how doubtful each label is by random features."""
    from rfviz.analysis.label_errors import find_label_errors

    return -find_label_errors(X, y).margins


def cleanlab_doubt(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how doubtful each label is by a logistic regression and cleanlab."""
    from cleanlab.rank import get_label_quality_scores

    chances = cross_val_predict(LogisticRegression(max_iter=1000), X, y, cv=5, method="predict_proba")
    return -get_label_quality_scores(y, chances)


def label_errors(draws: int) -> list[dict[str, Any]]:
    """Compare average precision on ten data sets with changed labels."""
    rankers: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {"rfviz": our_doubt}
    if find_spec("cleanlab"):
        rankers["cleanlab"] = cleanlab_doubt
    rows = []
    for name in labelled(0):
        row: dict[str, Any] = {"data": name}
        for ranker, doubt in rankers.items():
            precisions, seconds = [], 0.0
            for seed in range(draws):
                X, y = labelled(seed)[name]
                X, rng = StandardScaler().fit_transform(X), np.random.default_rng(seed)
                changed = rng.choice(len(y), round(FLIPPED * len(y)), replace=False)
                n_classes, given = y.max() + 1, y.copy()
                given[changed] = (y[changed] + rng.integers(1, n_classes, len(changed))) % n_classes
                start = time.process_time()
                doubts = doubt(X, given)
                seconds += time.process_time() - start
                precisions.append(average_precision_score(np.isin(np.arange(len(y)), changed), doubts))
            row[f"{ranker}: average precision"] = round(float(np.mean(precisions)), 3)
            row[f"{ranker}: CPU s"] = round(seconds / draws, 2)
        rows.append(row)
    return rows


def mnist_errors(path: Path) -> list[dict[str, Any]]:
    """Count the known errors of MNIST's test set among the first hundred, alone and by a fit to the training set."""
    from rfviz.analysis.label_errors import find_label_errors
    from rfviz.features import RandomFourier
    from rfviz.linear_model import RidgePathClassifier

    with np.load(path) as stored:
        X, y, training, labels = (stored[name] for name in ("X_test", "y_test", "X_train", "y_train"))
    X, training = (images.reshape(len(images), -1).astype(np.float32) / 255 for images in (X, training))
    rows, everyone = [], np.arange(len(y))
    start = time.process_time()
    rows.append(_among_first("test set alone, 1,000 Fourier features", our_doubt(X, y), start))
    for m, draw in ((3000, 0), (3000, 1), (3000, 2), (3000, 3), (6000, 0)):  # the page takes the first
        start = time.process_time()
        doubts = -find_label_errors(X, y, m, draw, image_shape=(28, 28)).margins
        rows.append(_among_first(f"test set alone, {m:,} convolutions, draw {draw}", doubts, start))
    start = time.process_time()
    fields = RandomFourier(6000, gamma=0.006, receptive_field=(8, 20), image_shape=(28, 28), random_state=0)
    scores = RidgePathClassifier(fields, m_grid=[6000]).fit(training, labels).decision_function(X)
    own = scores[everyone, y]
    scores[everyone, y] = -np.inf
    rows.append(_among_first("fit to the training set, 6,000 features of rectangles", scores.max(axis=1) - own, start))
    return rows


def _among_first(what: str, doubts: np.ndarray, start: float) -> dict[str, Any]:
    seconds = time.process_time() - start
    first = set(np.argsort(-doubts)[:100])
    return {"ranked by": what, "of 15 among the first 100": len(first & set(MNIST_ERRORS)), "CPU s": round(seconds, 1)}


# --- cost -------------------------------------------------------------------------------------------------------------


def tables() -> dict[str, Callable[[], pd.DataFrame]]:
    """Return ten tables, of 150 to 1,000,000 rows."""
    return {
        "iris": lambda: sets.load_iris(as_frame=True).frame,
        "wine": lambda: sets.load_wine(as_frame=True).frame,
        "breast cancer": lambda: sets.load_breast_cancer(as_frame=True).frame,
        "diabetes": lambda: sets.load_diabetes(as_frame=True).frame,
        "digits": lambda: sets.load_digits(as_frame=True).frame,
        "mixed, 10,000 × 20": lambda: _mixed(10_000),
        "mixed, 100,000 × 20": lambda: _mixed(100_000),
        "normal, 10,000 × 100": lambda: _normal(10_000),
        "normal, 100,000 × 100": lambda: _normal(100_000),
        "normal, 1,000,000 × 100": lambda: _normal(1_000_000),
    }


def _normal(n: int) -> pd.DataFrame:
    X = np.random.default_rng(0).standard_normal((n, 100), dtype=np.float32)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(100)])
    return frame.assign(target=np.where(frame.x0 + frame.x1 > 0, "yes", "no"))


def _mixed(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{i}": rng.normal(size=n) for i in range(12)}
    columns |= {f"word{i}": rng.choice([f"w{j}" for j in range(4 + 4 * i)], n) for i in range(5)}
    columns |= {"gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)), "count": rng.poisson(3, n)}
    return pd.DataFrame(columns | {"target": np.where(columns["x0"] > 0, "yes", "no")})


def ours(frame: pd.DataFrame) -> object:
    """Inspect a table."""
    import rfviz

    return rfviz.inspect(frame, label="target").findings


def skrub_report(frame: pd.DataFrame) -> object:
    """Write skrub's report, plots and associations included."""
    from skrub import TableReport

    return TableReport(frame, plot_distributions=True, compute_associations=True, verbose=0).html()


def skrub_default(frame: pd.DataFrame) -> object:
    """Write skrub's report as it comes: large tables without plots and associations."""
    from skrub import TableReport

    return TableReport(frame, verbose=0).html()


def ydata_minimal(frame: pd.DataFrame) -> object:
    """Write the short report of ydata-profiling."""
    from ydata_profiling import ProfileReport

    return ProfileReport(frame, minimal=True, progress_bar=False).to_html()


def ydata_full(frame: pd.DataFrame) -> object:
    """Write the long report of ydata-profiling."""
    from ydata_profiling import ProfileReport

    return ProfileReport(frame, progress_bar=False).to_html()


TOOLS: dict[str, tuple[str, Callable[[pd.DataFrame], object]]] = {
    "rfviz": ("rfviz", ours),
    "skrub": ("skrub", skrub_default),
    "skrub, everything": ("skrub", skrub_report),
    "ydata, minimal": ("ydata_profiling", ydata_minimal),
    "ydata": ("ydata_profiling", ydata_full),
}


def cost(limit: int) -> list[dict[str, Any]]:
    """Measure each tool on each table in a process of its own, until one of them takes too many CPU seconds."""
    rows: list[dict[str, Any]] = []
    tools = {tool: "" for tool, (package, _) in TOOLS.items() if find_spec(package)}
    for name in tables():
        row: dict[str, Any] = {"table": name}
        for tool, stopped in tools.items():
            found: dict[str, Any] = {"s": stopped or None}
            if not stopped:
                command = [sys.executable, __file__, "--one", name, tool, "--limit", str(limit)]
                answer = subprocess.run(command, capture_output=True, text=True, check=False)
                if answer.returncode == 0:
                    found = json.loads(answer.stdout.splitlines()[-1])
                else:
                    tools[tool] = found["s"] = f"over {limit}" if answer.returncode < 0 else "failed"
            row[f"{tool}: CPU s"], row[f"{tool}: MB"] = found["s"], found.get("MB")
        rows.append(row)
        print(row, flush=True)
    return rows


def one_cost(table: str, tool: str, limit: int) -> None:
    """Measure one tool on one table: CPU seconds, and memory above that of the table."""
    warnings.simplefilter("ignore")
    TOOLS[tool][1](sets.load_iris(as_frame=True).frame)  # imports, and what is built at first use
    frame = tables()[table]()
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + limit, -1))
    TOOLS[tool][1](frame)
    seconds = time.process_time() - start
    extra = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"s": round(seconds, 2), "MB": round(extra / 1024)}))


# --- planted faults ---------------------------------------------------------------------------------------------------

# The alerts of the other tools that are about a fault, by their names there; a fault that is not here has none.
_YDATA = {
    "exact_copies": {"duplicates"}, "near_copies": {"near_duplicates", "duplicates"}, "constant": {"constant"},
    "repeated": {"high_correlation"}, "numbering": {"unique", "uniform"}, "gaps": {"missing"},
    "leak_by_gap": {"missing"}, "leak": {"high_correlation"}, "leak_by_category": {"high_correlation"},
    "gross_values": {"skewed"}, "code_for_missing": {"skewed"}, "imbalance": {"imbalance"},
    "leak_by_difference": {"high_correlation"}, "heavy_tail": {"skewed"}, "groups": {"high_correlation"},
    "heavy_noise": {"skewed"},
}  # fmt: skip
_DATALAB = {
    "exact_copies": "near_duplicate", "near_copies": "near_duplicate", "wrong_labels": "label", "outliers": "outlier",
    "wrong_targets": "label", "drift": "non_iid", "imbalance": "class_imbalance", "gaps": "null",
    "gross_values": "outlier", "groups": "non_iid",
}  # fmt: skip


def ydata_found(fault: str, planted: Any) -> bool:
    """Return whether ydata-profiling has an alert of the right kind about the right column."""
    from ydata_profiling import ProfileReport

    if fault not in _YDATA:
        return False
    alerts = ProfileReport(planted.frame, progress_bar=False).get_description().alerts
    about = {"label"} if fault in ("imbalance", "heavy_tail", "heavy_noise") else set(planted.columns)
    kinds = ((alert.alert_type.name.lower(), alert.column_name) for alert in alerts)
    return any(kind in _YDATA[fault] and (not about or column in about) for kind, column in kinds)


def datalab_found(fault: str, planted: Any) -> bool:
    """Return whether cleanlab's Datalab finds the right kind of issue, with half of the rows where there are any."""
    from cleanlab import Datalab

    if fault not in _DATALAB:
        return False
    frame, kind = planted.frame, _DATALAB[fault]
    numbers = frame.drop(columns="label", errors="ignore").select_dtypes("number")
    X = StandardScaler().fit_transform(numbers.fillna(numbers.mean()))
    task = None if "label" not in frame else "regression" if frame.label.dtype.kind == "f" else "classification"
    named = {"label_name": "label", "task": task} if task else {}
    lab = Datalab(frame.to_dict("list"), verbosity=0, **named)
    asked: dict[str, Any] = {"features": numbers.to_numpy() if kind == "null" else X}
    if task == "classification":
        asked["pred_probs"] = cross_val_predict(
            LogisticRegression(max_iter=1000), X, frame.label, cv=5, method="predict_proba"
        )
    if task == "regression":
        asked = {"features": X}
    lab.find_issues(**asked, issue_types={kind: {}})
    if kind not in set(lab.get_issue_summary().issue_type):
        return False
    found = lab.get_issues(kind)[f"is_{kind}_issue"].to_numpy()
    rows = list(planted.rows)
    return bool(found[rows].mean() >= 0.5 if rows else found.any())


def faults(draws: int) -> list[dict[str, Any]]:
    """Count the planted faults that each tool finds."""
    from inspection import FAULTS, inspected, is_found

    rows = []
    for number, make in enumerate(FAULTS):
        row: dict[str, Any] = {"fault": make.__name__, "tables": draws, "rfviz": 0}
        row |= {"ydata": 0} if find_spec("ydata_profiling") else {}
        row |= {"Datalab": 0} if find_spec("cleanlab") else {}
        for seed in range(draws):
            planted = make(np.random.default_rng((100 + number, seed)))
            row["rfviz"] += is_found(planted, inspected(planted.frame).rename(columns={"columns": "columns_"}))
            if "ydata" in row:
                row["ydata"] += ydata_found(make.__name__, planted)
            if "Datalab" in row:
                row["Datalab"] += datalab_found(make.__name__, planted)
        rows.append(row)
        print(row, flush=True)
    return rows


def main() -> None:
    """Read the arguments, measure, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default="labels,cost,faults,mnist")
    parser.add_argument("--mnist", type=Path, help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--limit", type=int, default=200, help="CPU seconds a tool may take on a table")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "inspection-peers.json")
    parser.add_argument("--one", nargs=2, metavar=("TABLE", "TOOL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one_cost(*options.one, options.limit)
    warnings.simplefilter("ignore")
    make: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "labels": lambda: label_errors(options.draws),
        "cost": lambda: cost(options.limit),
        "faults": lambda: faults(options.draws),
    }
    if options.mnist:
        make["mnist"] = lambda: mnist_errors(options.mnist)
    stored = json.loads(options.json.read_text()) if options.json.exists() else {}
    report = {name: stored[name] for name in make if name in stored}
    for name in options.parts.split(","):
        if name in make:
            report[name] = make[name]()
            print(f"\n## {name}\n\n{markdown_table(report[name])}\n")
            versions = {package: _version(package) for package in ("cleanlab", "skrub", "ydata-profiling", "pandas")}
            write_json(options.json, {"peers": versions, **report})
    return None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
