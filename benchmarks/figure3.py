"""Figure 3 of the paper on compositional kernels: errors of kernel estimates against the budget of features.

RFVIZ_DATA=path/to/folder python benchmarks/figure3.py [--draws 10] [--points 128] [--most 50000] [--json FILE]

On 24×24 crops of CIFAR-10 where the data folder has it, else on patches of two photographs. Pixels from 0 to 1 are
angles from 0 to π. All draws see the same points; the paper draws new ones for each. Prints a table, and in how many
comparisons compositional features (RFS) are ahead of the baseline; writes benchmarks/results/figure3-cpu.json.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz import datasets  # noqa: E402
from rfviz.analysis.kernel_sample import prepare_sample  # noqa: E402
from rfviz.experiments.kernel_approximation.compute import METRICS, KernelErrorResult, kernel_errors  # noqa: E402
from rfviz.features import CompositionalFeatures, HybridCompositional, MapSpec  # noqa: E402

BUDGETS = (500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
# The paper's curves, and the baseline with pairs (cos, sin), whose variance is lower where the kernel is large.
CURVES = {
    "RFS": MapSpec(CompositionalFeatures, deduplicate=True, device="cpu"),
    "RFS, as drawn": MapSpec(CompositionalFeatures, deduplicate=False, device="cpu"),
    "baseline": MapSpec(HybridCompositional, paired=False, device="cpu"),
    "baseline, pairs": MapSpec(HybridCompositional, paired=True, device="cpu"),
}
SKELETONS = {"shallow": "flat", "deep": "deep"}
# From so many standard errors of the difference on, one curve is called ahead.
_SURE = 3.0


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--points", type=int, default=128)
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="largest budget")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "figure3-cpu.json")
    options = parser.parse_args()
    found = datasets.cifar10.in_folder() is not None
    loaded = datasets.load("cifar10", side="24") if found else datasets.load(datasets.DEFAULT_COLOUR_IMAGES)
    sample = prepare_sample(loaded, "none", options.points)
    budgets = [m for m in BUDGETS if m <= options.most]
    rows, results = [], {}
    for structure, skeleton in SKELETONS.items():
        for curve, spec in CURVES.items():
            begun = time.perf_counter()
            result = kernel_errors(sample, spec.replace(skeleton=skeleton), budgets, options.draws)
            results[structure, curve] = result
            print(f"{structure}, {curve}: {time.perf_counter() - begun:.0f} s", flush=True)
            rows += table(structure, curve, result)
    print(f"\n{loaded.name}: {sample.n_points} points, {options.draws} draws\n")
    print(markdown_table(rows))
    verdicts = [v for structure in SKELETONS for v in compare(structure, results)]
    print()
    print(markdown_table(verdicts))
    payload = {"data": loaded.name, "points": sample.n_points, "draws": options.draws, "rows": rows}
    write_json(options.json, payload | {"comparisons": verdicts})


def table(structure: str, curve: str, result: KernelErrorResult) -> list[dict]:
    """Return one row a budget: means of the measures over the draws, and the standard deviation of one draw's RMSE."""
    frame = result.to_frame()
    return [
        {"skeleton": structure, "map": curve, "m": int(m)}
        | {title: float(frame[title][place]) for name, title in METRICS.items() if name != "correlation"}
        | {
            "1 − correlation": float(1 - frame["correlation"][place]),
            "RMSE s.d.": float(frame["RMSE s.d."][place]),
            "predicted RMSE": _number(frame["predicted RMSE"][place]),
        }
        for place, m in enumerate(result.m_grid)
    ]


def compare(structure: str, results: dict[tuple[str, str], KernelErrorResult]) -> list[dict]:
    """Count for each pair of curves and measure: at how many budgets the first is ahead, surely or at all."""
    pairs = [(a, b) for a in ("RFS", "RFS, as drawn") for b in ("baseline", "baseline, pairs")]
    verdicts = []
    for first, second in [*pairs, ("RFS", "RFS, as drawn")]:
        for name, title in METRICS.items():
            a, b = (results[structure, curve].errors.metric(name) for curve in (first, second))
            if name == "correlation":
                title, a, b = f"1 − {title}", 1.0 - a, 1.0 - b
            gain = b.mean(axis=0) - a.mean(axis=0)
            error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / len(a))
            verdicts.append(
                {
                    "skeleton": structure,
                    "first": first,
                    "second": second,
                    "measure": title,
                    "budgets": len(gain),
                    "ahead": int((gain > 0).sum()),
                    "surely ahead": int((gain > _SURE * error).sum()),
                    "surely behind": int((gain < -_SURE * error).sum()),
                    "ratio, smallest m": float(a.mean(axis=0)[0] / b.mean(axis=0)[0]),
                    "ratio, largest m": float(a.mean(axis=0)[-1] / b.mean(axis=0)[-1]),
                }
            )
    return verdicts


def _number(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


if __name__ == "__main__":
    main()
