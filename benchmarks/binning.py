"""Random binning: codes a second against bare passes over the same numbers, and ridge that never makes a dense matrix.

python benchmarks/binning.py [--rows 20480] [--features 16] [--grids 256] [--repetitions 5] [--json FILE]

A code of one row in one grid takes, for each column, two products, a rounding, two sums and a conversion. The bare
passes are the least that visits as many numbers: a multiplication, a rounding and a sum, without telling bins apart.
The ridge is measured on digits against scikit-learn's on the dense matrix, with the memory that both take.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import PeakMemory, interleaved, markdown_table, median_ratio, write_json  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402

from rfviz.backend import single_threaded_blas  # noqa: E402
from rfviz.features import RandomBinning  # noqa: E402
from rfviz.linear_model import RidgePathClassifier  # noqa: E402

ALPHA = 50.0


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_480)
    parser.add_argument("--features", type=int, default=16)
    parser.add_argument("--grids", type=int, default=256)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "binning-cpu.json")
    options = parser.parse_args()
    report = {"codes": codes(options), "ridge": ridge(options.repetitions)}
    for part in ("codes", "ridge"):
        print(f"\n{part}\n")
        print(markdown_table([{"what": name, "value": float(value)} for name, value in report[part].items()]))
    write_json(options.json, report)


def codes(options: argparse.Namespace) -> dict[str, float]:
    """Measure codes a second where boxes are narrow (every column counts), where they are wide, and of bare passes."""
    X = np.random.default_rng(0).standard_normal((options.rows, options.features))
    narrow, wide = (
        RandomBinning(options.grids, gamma=gamma, device="cpu").fit(X) for gamma in (1.0, 0.1 / options.features)
    )
    columns, rates = np.ascontiguousarray(X.T), 1.0 / narrow.pitches_

    def bare() -> None:
        place, total = np.empty((64, 1024)), np.zeros((64, 1024))
        for row in range(0, options.rows - 1023, 1024):
            for grid in range(0, options.grids - 63, 64):
                for j in range(options.features):
                    np.multiply(rates[grid : grid + 64, j, None], columns[j, row : row + 1024], out=place)
                    np.ceil(place, out=place)
                    np.add(total, place, out=total)

    functions = {
        "narrow boxes": lambda: narrow.codes(X),
        "wide boxes": lambda: wide.codes(X),
        "bare passes on one core": bare,
        "CSR matrix": lambda: narrow.transform(X),
    }
    seconds = interleaved(functions, options.repetitions)
    count = options.rows * options.grids
    result = {f"{name}, million codes/s": count / np.median(times) / 1e6 for name, times in seconds.items()}
    result["narrow boxes over bare passes"] = median_ratio(seconds["narrow boxes"], seconds["bare passes on one core"])
    return result


def ridge(repetitions: int) -> dict[str, float]:
    """Compare RidgePathClassifier on boxes as they are with Ridge on the same features made dense."""
    X, y = load_digits(return_X_y=True)
    X, train, test = X / 16.0, slice(0, 1300), slice(1300, None)
    scheme = RandomBinning(500, gamma=0.2, device="cpu")
    kept: dict[str, float] = {}

    def path() -> None:
        with PeakMemory() as peak:
            fitted = RidgePathClassifier(scheme, m_grid=[500], alphas=ALPHA).fit(X[train], y[train])
            kept["sparse error, %"] = 100 * fitted.error_path(X[test], y[test])[0]
        kept["sparse peak, MB"] = peak.extra / 1e6
        kept["columns"] = fitted.feature_map_.columns(500)

    def dense() -> None:
        with PeakMemory() as peak:
            fitted = scheme.fit(X[train])
            Phi, Phi_test = fitted.transform(X[train]).toarray(), fitted.transform(X[test]).toarray()
            targets = np.where(y[train][:, None] == np.arange(10), 1.0, -1.0)
            scores = Ridge(alpha=ALPHA / 500).fit(Phi, targets).predict(Phi_test)
        kept["dense error, %"] = 100 * np.mean(np.argmax(scores, axis=1) != y[test])
        kept["dense peak, MB"] = peak.extra / 1e6

    with single_threaded_blas():
        seconds = interleaved({"sparse": path, "dense": dense}, repetitions)
    return {f"{name}, s": float(np.median(times)) for name, times in seconds.items()} | kept


if __name__ == "__main__":
    main()
