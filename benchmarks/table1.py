"""Table 1 of the random maxout paper on MNIST: every m, every q, five draws.

python benchmarks/table1.py path/to/mnist.npz [--draws 5] [--device auto] [--quick] [--json FILE]

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
    m_values, draws = ((100, 500, 1000), 2) if options.quick else (TABLE_M, options.draws)
    begun = time.perf_counter()

    def progress(share: float, text: str) -> None:
        print(f"\r{time.perf_counter() - begun:6.0f} s {share:6.1%} {text:60}", end="", flush=True)

    table = maxout_table(*parts, m_values, TABLE_Q, range(draws), device=device.name, progress=progress)
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
    name = "cpu" if not device.is_gpu else device.describe().split(",")[0].replace(" ", "-").lower()
    default = Path(__file__).parent / "results" / f"table1-{name}{'-quick' if options.quick else ''}.json"
    write_json(options.json or default, payload)


if __name__ == "__main__":
    main()
