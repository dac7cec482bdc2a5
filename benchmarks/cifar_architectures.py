"""Table 1 of the paper on compositional kernels: which architecture of convolutions suits CIFAR-10 best.

python benchmarks/cifar_architectures.py path/to/cifar10.npz [--m 4000] [--draws 3] [--only 4,5 6,4] [--exact]
    [--json FILE]

Ridge regression on compositional features of 24×24 centre crops, for the ten architectures of the paper: two
convolutions of stride 2 and a fully connected node, all ReLU; and one node above all pixels. Beside the accuracy and
its rank stand the paper's. Architectures that the JSON file has for the same setting are not computed again.

What differs from the paper: at most some thousands of features rather than a million, a closed-form ridge regression
rather than 120 epochs of AdaGrad, no augmentation. The paper does not say which base space stands for the principal
components of a patch; here each, divided by their common standard deviation, is an angle. How many radians (--turn)
was settled by a look at two architectures: from 0.05 to 0.2 their test accuracy changes by two per cent at most.

With --exact, ridge regression with the exact kernels, which the features tend to, is computed where the file lacks it:
kernel values of 3 × 10⁸ pairs of images, and 9 GB. A GPU is used for them where there is one.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before NumPy

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from _rates import about  # noqa: E402
from _report import markdown_table, write_json  # noqa: E402

from rfviz.analysis.exact_kernel import run_exact_kernel  # noqa: E402
from rfviz.analysis.splits import Split  # noqa: E402
from rfviz.backend import get_device  # noqa: E402
from rfviz.experiments.accuracy.architectures import (  # noqa: E402
    NAMES,
    PAPER_TABLE_1,
    architecture,
    rank_correlations,
    ranking,
)
from rfviz.features import CompositionalFeatures, MapSpec  # noqa: E402
from rfviz.linear_model import RidgePathClassifier  # noqa: E402
from rfviz.skeleton import PatchPCA, Skeleton  # noqa: E402

SOURCE = "A. Daniely, R. Frostig, V. Gupta, Y. Singer, Random Features for Compositional Kernels, 2017, Table 1"
SIDE = 24
ALPHAS = np.logspace(1, 5, 5)


def main() -> None:
    """Read the arguments, compute, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cifar", type=Path, help="X_train, y_train, X_test, y_test in an .npz file, bytes 32×32×3")
    parser.add_argument("--m", type=int, default=4000, help="largest number of features")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--turn", type=float, default=0.1, help="part of a full turn that one standard deviation makes")
    parser.add_argument("--only", nargs="*", default=NAMES, choices=NAMES, help="architectures")
    parser.add_argument("--exact", action="store_true", help="the exact kernels too")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "cifar-architectures-cpu.json")
    options = parser.parse_args()
    setting = {"m": options.m, "draws": options.draws, "turn": options.turn}
    results = _known(options.json, setting)
    images, labels = zip(*(load(options.cifar, part) for part in ("train", "test")), strict=True)
    images = [whitened(centre(part)) for part in images]
    setting |= {"train": len(labels[0]), "test": len(labels[1])}
    for name in options.only:
        if name in results and ("exact" in results[name] or not options.exact):
            continue
        begun = time.perf_counter()
        inputs, skeleton = prepared(name, images, options.turn)
        if name not in results:
            results[name] = accuracies(inputs, labels, skeleton, options.m, options.draws)
        print(
            f"{name}: {np.mean(results[name]['accuracy'][-1]):.2f} % in {time.perf_counter() - begun:.0f} s", flush=True
        )
        if options.exact:
            results[name]["exact"] = exact(name, inputs, labels, skeleton)
        write_json(
            options.json, {"setting": setting, "paper": PAPER_TABLE_1, "paper_source": SOURCE, "results": results}
        )
    report(results)


def load(path: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images of 32×32×3 bytes, and labels."""
    with np.load(path) as stored:
        return stored[f"X_{part}"], stored[f"y_{part}"].astype(int)


def centre(images: np.ndarray) -> np.ndarray:
    """Middle 24×24 pixels."""
    edge = (images.shape[1] - SIDE) // 2
    return images[:, edge : edge + SIDE, edge : edge + SIDE].astype(np.float32)


def whitened(images: np.ndarray) -> np.ndarray:
    """Rows of numbers, each image with mean 0 and variance 1."""
    flattened = images.reshape(len(images), -1)
    flattened = flattened - flattened.mean(axis=1, keepdims=True)
    flattened /= np.maximum(flattened.std(axis=1, keepdims=True), 1.0 / np.sqrt(flattened.shape[1]))
    return flattened


def prepared(name: str, images: list[np.ndarray], turn: float) -> tuple[list[np.ndarray], Skeleton]:
    """Return the inputs of an architecture for training and test images, and its skeleton."""
    patch_pca, skeleton = fitted(name, images[0], turn)
    return [patch_pca.transform(part) if patch_pca else part for part in images], skeleton


def fitted(name: str, images: np.ndarray, turn: float) -> tuple[PatchPCA | None, Skeleton]:
    """Return the principal components of patches of an architecture, None where it has none, and its skeleton."""
    shape = (SIDE, SIDE, 3)
    patches, skeleton = architecture(name, shape, turn)
    if not patches:
        return None, skeleton
    size, stride, q = patches
    return PatchPCA(shape, size=size, stride=stride, n_components=q).fit(images), skeleton


def accuracies(inputs: list, labels: tuple, skeleton: Skeleton, m_max: int, draws: int) -> dict:
    """Test accuracy in per cent for a few m, by draw."""
    grid = [m for m in (1000, 2000, 4000, 10_000) if m < m_max] + [m_max]
    found = []
    for draw in range(draws):
        features = CompositionalFeatures(m_max, skeleton=skeleton, random_state=draw, device="cpu")
        path = RidgePathClassifier(features, m_grid=grid, alphas=ALPHAS, solver="primal").fit(inputs[0], labels[0])
        found.append(100.0 * (1.0 - path.error_path(inputs[1], labels[1])))
    return {"m": grid, "accuracy": np.round(np.transpose(found), 3).tolist()}


def exact(name: str, inputs: list, labels: tuple, skeleton: Skeleton) -> dict:
    """Test accuracy in per cent of ridge regression with the exact kernel, and what it takes."""
    (X_train, X_test), (y_train, y_test) = inputs, labels
    names = tuple(map(str, range(10)))
    split = Split(name, X_train, y_train, X_test, y_test, np.arange(len(y_test)), names, given=True)
    found = run_exact_kernel(split, MapSpec(CompositionalFeatures, skeleton=skeleton.to_json()))
    measured: dict = {"accuracy": round(100.0 * (1.0 - found.error), 3), "seconds": round(found.seconds)}
    measured["device"] = about(get_device())["device"]
    print(f"{name}, exact kernel: {measured['accuracy']:.2f} % in {measured['seconds']} s", flush=True)
    return measured


def report(results: dict) -> None:
    """Print the table at the largest m, and how the rankings agree."""
    limits = {name: result["exact"]["accuracy"] for name, result in results.items() if "exact" in result}
    table = ranking({name: result["accuracy"][-1] for name, result in results.items()}, limits)
    table.insert(1, "m", [results[name]["m"][-1] for name in table["architecture"]])
    print()
    shown = table.map(lambda value: f"{value:.2f}" if isinstance(value, float) else value)
    print(markdown_table(shown.to_dict("records")))
    correlations = rank_correlations(table)
    print(f"Rank correlation with the paper's random features: {correlations.paper_features:.2f}")
    print(f"Rank correlation with the paper's networks: {correlations.paper_networks:.2f}")


def _known(path: Path, setting: dict) -> dict:
    """Return what the file has for this setting."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text())
    same = all(stored["setting"].get(name) == value for name, value in setting.items())
    return stored["results"] if same else {}


if __name__ == "__main__":
    main()
