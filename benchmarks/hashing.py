"""Hash codes on MNIST beside exact search: recall, bytes a point, milliseconds a query.

python benchmarks/hashing.py path/to/mnist.npz [--points 60000] [--longest 256] [--draws 3] [--quick] [--json FILE]

Searches the 10 nearest of 200 images among all by cosine, with argmax codes of several pools, with SimHash of as many
bits, and exactly (scikit-learn, brute force, float32). Also the time of Hamming distances by bit planes beside bytes
and SciPy. Times are of batches, on whatever else the machine does; read recall and bytes as exact.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _report import interleaved, machine, markdown_table, write_json  # noqa: E402
from scipy.spatial.distance import cdist  # noqa: E402

from rfviz.datasets import Dataset  # noqa: E402
from rfviz.experiments.hashing.hamming import hamming_blocks, pack  # noqa: E402
from rfviz.experiments.hashing.points import prepare_hash_points  # noqa: E402
from rfviz.experiments.hashing.recall import recall_curves  # noqa: E402

POOLS, NEIGHBOURS = [2, 4, 8, 16], 10


def hamming_times(n: int, n_queries: int, m: int, q: int, repetitions: int) -> list[dict]:
    """Time three ways to the same distances, in rotation."""
    codes = np.random.default_rng(0).integers(0, q, (n, m)).astype(np.uint8)
    queries = codes[:n_queries]
    bits = (q - 1).bit_length()
    base = pack(codes, bits)
    ways = {
        "bit planes": lambda: list(hamming_blocks(pack(queries, bits), base)),
        "bytes, row by row": lambda: [np.count_nonzero(codes != row, axis=1) for row in queries],
        "scipy cdist": lambda: cdist(queries, codes, "hamming"),
    }
    seconds = interleaved(ways, repetitions)
    pairs = n * n_queries
    return [
        {
            "way": way,
            "ns a pair": 1e9 * min(times) / pairs,
            "s": min(times),
            "bytes a point": base.words.nbytes // n if way == "bit planes" else (8 if "scipy" in way else 1) * m,
        }
        for way, times in seconds.items()
    ]


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mnist", type=Path, help="MNIST as X_train, ... in an .npz file")
    parser.add_argument("--points", type=int, default=60_000)
    parser.add_argument("--longest", type=int, default=256)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="6000 points, codes up to 128 symbols, one draw")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "hashing-cpu.json")
    options = parser.parse_args()
    n, longest, draws = (6000, 128, 1) if options.quick else (options.points, options.longest, options.draws)
    with np.load(options.mnist) as stored:
        X = stored["X_train"][:n].reshape(-1, 784).astype(np.float32) / np.float32(255)
    about = machine()
    print(f"{about['processor']}, {about['blas']}\n")
    points = prepare_hash_points(Dataset("mnist", X), "unit norm", "cosine", n)
    result = recall_curves(points, POOLS, longest, NEIGHBOURS, draws, lambda share, text: print(f"{share:4.0%} {text}"))
    costs, curves = result.costs(), result.to_frame()
    size = f"{len(X)} points, {result.n_queries} queries, {NEIGHBOURS} neighbours, {draws} draws"
    print(f"\n## Search on MNIST: {size}\n\n{markdown_table(costs.to_dict('records'))}")
    print(f"\n## Recall@{NEIGHBOURS} by length\n\n{markdown_table(curves.to_dict('records'))}")
    distances = hamming_times(min(n, 20_000), 100, 256, 8, 3)
    print(f"\n## Hamming distances, 256 symbols of 8\n\n{markdown_table(distances)}")
    payload = {"costs": costs.to_dict("records"), "recall": curves.to_dict("records"), "hamming": distances}
    write_json(options.json, {"size": size, **payload})


if __name__ == "__main__":
    main()
