"""Table 1 of the random maxout paper on MNIST: every m, every q, five draws.

python benchmarks/table1.py path/to/mnist.npz [--draws 5] [--device auto] [--quick] [--no-intercept] [--json FILE]

Prints a Markdown table beside the paper's, and writes benchmarks/results/table1-<device>.json.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz.backend import get_device  # noqa: E402
from rfviz.experiments.accuracy.maxout_table import TABLE_M, TABLE_Q, maxout_table  # noqa: E402


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mnist", type=Path, help="MNIST as X_train, y_train, X_test, y_test in an .npz file")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--quick", action="store_true", help="m up to 1000, two draws")
    parser.add_argument("--m-max", type=int, default=TABLE_M[-1], help="leave larger numbers of features out")
    parser.add_argument("--q-max", type=int, default=TABLE_Q[-1], help="leave larger pools out")
    parser.add_argument("--no-intercept", action="store_true", help="as in the paper's formula")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    with np.load(options.mnist) as stored:
        parts = [
            (
                stored[f"X_{part}"].reshape(len(stored[f"y_{part}"]), -1) / np.float32(255),
                stored[f"y_{part}"].astype(int),
            )
            for part in ("train", "test")
        ]
    device = get_device(options.device)
    m_values = tuple(m for m in TABLE_M if m <= (1000 if options.quick else options.m_max))
    q_values = tuple(q for q in TABLE_Q if q <= options.q_max)
    draws, intercept = 2 if options.quick else options.draws, not options.no_intercept
    begun = time.perf_counter()

    def progress(share: float, text: str) -> None:
        print(f"\r{time.perf_counter() - begun:6.0f} s {share:6.1%} {text:60}", end="", flush=True)

    table = maxout_table(
        *parts, m_values, q_values, range(draws), device=device.name, progress=progress, intercept=intercept
    )
    seconds = time.perf_counter() - begun
    frame = table.to_frame()
    print(f"\n\n{device.describe()}: {seconds:.0f} s for {draws} draws\n")
    print(markdown_table(frame.to_dict("records")))
    payload = {
        "device": device.describe(),
        "seconds": round(seconds, 1),
        "draws": draws,
        "m": list(table.m_values),
        "q": list(table.q_values),
        "errors": table.errors.round(6).tolist(),
        "alphas": table.alphas.tolist(),
    }
    payload |= {} if intercept else {"intercept": False}
    name = "cpu" if not device.is_gpu else device.describe().split(",")[0].replace(" ", "-").lower()
    name += "" if intercept else "-no-intercept"
    default = Path(__file__).parent / "results" / f"table1-{name}{'-quick' if options.quick else ''}.json"
    write_json(options.json or default, payload)


if __name__ == "__main__":
    main()
