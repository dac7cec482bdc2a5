"""Random features at the scale of Table 1 of the paper on compositional kernels: AdaGrad on images that change.

python benchmarks/cifar_features.py path/to/cifar10.npz [--m 10000 30000 100000] [--epochs 120] [--minutes 60]
    [--only 4,5 6,4] [--device cpu] [--json FILE]

The ten architectures of benchmarks/cifar_architectures.py under multinomial logistic regression by AdaGrad. As in the
paper an image is cropped at random to 24×24, flipped, and given another brightness, saturation and contrast in each
epoch; then its mean and variance become 0 and 1, and its patches their principal components. Test images are cropped to
their middle. Features are computed again for every batch, so that memory holds a block of them and the weights of the
linear model. All m of a run share them. What is learnt is written once a minute and at the end: a run that was stopped,
or is given more --epochs or --minutes, goes on.

The paper has a million features and 120 epochs of 50,000 images, and tunes the learning rate. Here it follows from the
size of the features, times --rate-factor, whose default was settled by a look at the architecture 4,5 with 5,000
features: after five epochs 48.2% of the test images are right with 1, 51.2% with 4, and 51.9% with 16.

Where epochs are missing, a power law c − b·t^(−p) of the accuracy after t epochs is fitted to those that are there and
says where they would end: from 31 of the 62 epochs of the architecture 4,5 on a GPU it says 59.0, 62.1 and 63.5% for
10,000, 100,000 and 1,000,000 features, where 58.2, 61.8 and 63.1% came.
The paper's setting, on a GPU (minutes for each architecture):

python benchmarks/cifar_features.py cifar10.npz --m 10000 100000 1000000 --device cuda \
    --json benchmarks/results/cifar-features-gpu.json

What the laboratory shows of it is collected by benchmarks/cifar_trained.py.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from concurrent.futures import Executor, Future, ThreadPoolExecutor  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from _report import write_json  # noqa: E402
from cifar_architectures import SOURCE, centre, fitted, load, report, whitened  # noqa: E402
from cifar_networks import augmented  # noqa: E402
from scipy.optimize import curve_fit  # noqa: E402

from rfviz.backend import memory_budget, to_host, worker_count  # noqa: E402
from rfviz.experiments.accuracy.architectures import NAMES, PAPER_TABLE_1  # noqa: E402
from rfviz.features import CompositionalFeatures  # noqa: E402
from rfviz.linear_model import StochasticPath  # noqa: E402

RESULTS = Path(__file__).parent / "results"
# Images that are made at a time, by one thread, and seconds between two states that are written.
PART, BETWEEN_STATES = 2500, 60.0
# Epochs from which a law can be fitted.
FEWEST_EPOCHS = 16


def main() -> None:
    """Read the arguments, train, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cifar", type=Path, help="X_train, y_train, X_test, y_test in an .npz file, bytes 32×32×3")
    parser.add_argument("--m", type=int, nargs="+", default=[10_000, 30_000, 100_000], help="numbers of features")
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--minutes", type=float, default=60.0, help="for each architecture; no epoch begins after them")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--rate-factor", type=float, default=8.0, help="see rfviz.linear_model.StochasticPath")
    parser.add_argument("--turn", type=float, default=0.1, help="part of a full turn that one standard deviation makes")
    parser.add_argument("--train", type=int, help="training images, all of them by default")
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES, help="architectures")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--states", type=Path, default=Path("cifar_features"), help="folder of paths to go on with")
    parser.add_argument("--json", type=Path, default=RESULTS / "cifar-features-cpu.json")
    options = parser.parse_args()
    train, test = load(options.cifar, "train"), load(options.cifar, "test")
    train = train[0][: options.train], train[1][: options.train]
    options.states.mkdir(exist_ok=True)
    results: dict[str, Any] = {}
    for name in options.only:
        results[name] = trained(name, train, test, options)
        setting = {key: getattr(options, key) for key in ("m", "batch_size", "rate_factor", "turn")}
        setting |= {"train": len(train[1]), "test": len(test[1])}
        results[name]["extrapolated"] = [
            extrapolated(curve, options.epochs) for curve in zip(*results[name]["by_epoch"], strict=True)
        ]
        payload = {"setting": setting, "paper": PAPER_TABLE_1, "paper_source": SOURCE, "results": results}
        write_json(options.json, payload)
    fewest = min(len(result["by_epoch"]) for result in results.values())
    print(f"\nAfter {fewest} epochs, which all have:")
    report(
        {
            name: {"m": options.m, "accuracy": [[value] for value in result["by_epoch"][fewest - 1]]}
            for name, result in results.items()
        }
    )


def trained(name: str, train: tuple, test: tuple, options: argparse.Namespace) -> dict:
    """Train all m of one architecture as long as it may take; test accuracy in per cent by epoch and m."""
    patch_pca, skeleton = fitted(name, whitened(centre(train[0])), options.turn)
    prepare = patch_pca.transform if patch_pca else lambda rows: rows
    feature_map = CompositionalFeatures(max(options.m), skeleton=skeleton, device=options.device)
    path = StochasticPath(feature_map, m_grid=options.m, batch_size=options.batch_size, rate_factor=options.rate_factor)
    state = options.states / f"{name}.npz"
    known: dict[str, list] = {"by_epoch": [], "seconds": []}
    rows = prepare(whitened(centre(test[0])))
    if state.exists():
        path.load(state, rows[:1])
        known = json.loads(state.with_suffix(".json").read_text())
    # Of one clock in all lines: a GPU works while the processor waits.
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    begun = saved = time.perf_counter()
    error = None
    with ThreadPoolExecutor(worker_count()) as executor:
        ahead = next_epoch(executor, len(known["by_epoch"]), train, prepare)
        while len(known["by_epoch"]) < options.epochs and time.perf_counter() - begun < 60 * options.minutes:
            epoch, started = len(known["by_epoch"]), clock()
            images, labels = [part.result() for part in ahead[0]], ahead[1]
            ahead = next_epoch(executor, epoch + 1, train, prepare)
            path.partial_fit(np.concatenate(images), labels, classes=np.arange(10))
            known["seconds"].append(round(clock() - started, 1))
            error = error or error_on(path, rows, test[1])
            known["by_epoch"].append(np.round(100 * (1 - error()), 2).tolist())
            print(f"{name}, epoch {epoch + 1}: {known['by_epoch'][-1]} %, {known['seconds'][-1]:.1f} s", flush=True)
            if time.perf_counter() - saved > BETWEEN_STATES or len(known["by_epoch"]) == options.epochs:
                write_state(path, known, state)
                saved = time.perf_counter()
        for part in ahead[0]:
            part.cancel()
    write_state(path, known, state)
    return known


def error_on(path: StochasticPath, rows: np.ndarray, labels: np.ndarray) -> Callable[[], np.ndarray]:
    """Return what measures the errors of a path that goes on; on a processor features are computed once if they fit."""
    n_bytes = len(rows) * path.feature_map_.n_components * np.dtype(path.feature_map_.dtype).itemsize
    if path.feature_map_.device != "cpu" or n_bytes > memory_budget("cpu") / 4:
        return lambda: path.error_path(rows, labels)
    features = np.concatenate([to_host(block) for block in path.feature_map_.transform_blocks(rows, scaled=False)])
    parts = [(features[:, : len(coef)], m) for m, coef in path.coef_path_.items()]
    return lambda: np.array(
        [path.error(part @ path.coef_path_[m] + path.intercept_path_[m], labels) for part, m in parts]
    )


def extrapolated(curve: Sequence[float], epochs: int) -> float | None:
    """Return the accuracy that a power law of the epochs known promises after so many; None where few are known."""
    known = np.arange(1.0, len(curve) + 1)
    if len(curve) < FEWEST_EPOCHS:
        return None

    def law(t: Any, end: float, missing: float, power: float) -> Any:
        return end - missing * t**-power

    start = (max(curve) + 5.0, 20.0, 0.5)
    bounds = ((0.0, 0.0, 0.05), (100.0, 100.0, 3.0))
    found, _ = curve_fit(law, known[2:], np.array(curve[2:]), start, bounds=bounds)
    return round(float(law(epochs, *found)), 1)


def next_epoch(executor: Executor, epoch: int, train: tuple, prepare: Callable) -> tuple[list[Future], np.ndarray]:
    """Begin to make the images of an epoch: their parts as they will come, and their labels."""
    order = np.random.default_rng((epoch, 1)).permutation(len(train[1]))
    chosen = np.array_split(order, -(-len(order) // PART))

    def part(number: int) -> np.ndarray:
        generator = np.random.default_rng((epoch, 2, number))
        return prepare(whitened(augmented(train[0][chosen[number]], generator)))

    return [executor.submit(part, number) for number in range(len(chosen))], train[1][order]


def write_state(path: StochasticPath, known: dict, state: Path) -> None:
    """Write what was learnt beside what was there, then put both files in its place."""
    fresh = state.with_suffix(".new.npz"), state.with_suffix(".new.json")
    path.save(fresh[0])
    fresh[1].write_text(json.dumps(known))
    fresh[0].replace(state)
    fresh[1].replace(state.with_suffix(".json"))


if __name__ == "__main__":
    main()
