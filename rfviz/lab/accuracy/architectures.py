"""Table 1 of the paper on compositional kernels: ten architectures on CIFAR-10 and their ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from rfviz.skeleton import ARCHITECTURES, Skeleton, convolutions, flat

__all__ = [
    "AUGMENTED", "AUGMENTED_EPOCHS", "AUGMENTED_M", "EXACT", "NAMES", "NETWORKS", "NETWORK_EPOCHS", "NETWORK_FEATURES",
    "PAPER_TABLE_1", "STRIDE", "architecture", "rank_correlations", "ranking",
]  # fmt: skip

# Test accuracy in per cent of random features and of the network that is trained, the best features first.
PAPER_TABLE_1 = {
    "4,5": (72.88, 77.09), "6,4": (72.42, 77.06), "6,6": (72.25, 75.52), "4,4": (71.49, 74.94), "5,4": (71.45, 76.78),
    "4,6": (70.62, 74.24), "5,6": (70.39, 75.38), "6,5": (70.14, 74.23), "5,5": (69.64, 73.57), "full": (60.01, 55.09),
}  # fmt: skip
NAMES = tuple(PAPER_TABLE_1)
# Test accuracy in per cent of the same networks after so few epochs, on 20,000 images: what
# benchmarks/cifar_networks.py wrote to benchmarks/results/cifar-networks-cpu.json.
NETWORK_EPOCHS, NETWORK_FEATURES = 6, 384
NETWORKS = {
    "4,5": 45.30, "6,4": 45.00, "6,6": 44.46, "4,4": 43.44, "5,4": 44.92,
    "4,6": 41.66, "5,6": 42.50, "6,5": 43.26, "5,5": 41.22, "full": 42.44,
}  # fmt: skip
# Test accuracy in per cent of ridge regression with the exact kernel of each architecture on 20,000 images: what
# benchmarks/cifar_architectures.py wrote to benchmarks/results/cifar-architectures-cpu.json.
EXACT = {
    "4,5": 57.48, "6,4": 57.96, "6,6": 57.66, "4,4": 55.86, "5,4": 56.64,
    "4,6": 55.74, "5,6": 56.74, "6,5": 55.92, "5,5": 54.78, "full": 51.04,
}  # fmt: skip
# Test accuracy in per cent of features that are trained by AdaGrad on 20,000 images that change in each epoch, after so
# many epochs, by m: what benchmarks/cifar_features.py wrote to benchmarks/results/cifar-features-gpu.json.
AUGMENTED_EPOCHS = 10
AUGMENTED_M = (10_000, 100_000, 1_000_000)
AUGMENTED = {
    "4,5": (54.92, 57.64, 58.1), "6,4": (55.52, 58.28, 58.76),
    "6,6": (55.68, 57.68, 58.24), "4,4": (53.72, 56.88, 56.96),
    "5,4": (55.12, 57.6, 58.58), "4,6": (53.0, 56.18, 56.82),
    "5,6": (54.8, 57.04, 57.88), "6,5": (54.1, 56.28, 56.82),
    "5,5": (53.6, 56.12, 56.48), "full": (49.56, 52.3, 52.54),
}  # fmt: skip
STRIDE = 2
# The paper does not say which base space stands for a principal component of a patch. Here it is an angle, this part
# of a full turn for one standard deviation: from 0.05 to 0.2 the test accuracy changes by two per cent at most.
_TURN = 0.1


def architecture(
    name: str, image_shape: Sequence[int], turn: float = _TURN
) -> tuple[tuple[int, int, int] | None, Skeleton]:
    """Return an architecture of the table for images of this shape.

    Parameters
    ----------
    name : str
        ``"4,5"``: the sides of the two windows; ``"full"``: one node above all pixels. All with ReLU.
    image_shape : (height, width) or (height, width, channels)
    turn : float
        Part of a full turn that an input of 1 makes.

    Returns
    -------
    patches : (size, stride, n_components) or None
        Of the :class:`rfviz.skeleton.PatchPCA` that goes before; None where the pixels themselves are the inputs.
    skeleton : Skeleton

    Raises
    ------
    ParameterError
        For images that the windows do not fit.
    """
    circle = {"kind": "circle", "turn": turn}
    if name == "full":
        return None, flat(int(np.prod(image_shape)), "relu", circle)
    first, second = map(int, name.split(","))
    q = ARCHITECTURES[first, second]
    layers = [(first, STRIDE, "relu"), (second, STRIDE, "relu")]
    # A grey image has fewer numbers in a patch than the paper's have components.
    q = min(q, first * first * (image_shape[2] if len(image_shape) == 3 else 1))
    return (first, STRIDE, q), convolutions(image_shape, layers, "relu", circle, q)


def ranking(accuracies: Mapping[str, Sequence[float]], exact: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Return the table: accuracy, standard error and rank, next to the paper's.

    Parameters
    ----------
    accuracies : mapping
        Name of an architecture to its test accuracies in per cent, one per draw.
    exact : mapping, optional
        To the accuracy of its exact kernel, where that is known for the data at hand; :data:`EXACT` elsewhere.

    Returns
    -------
    DataFrame
        One row per architecture, in the paper's order: architecture, accuracy %, s.e. (NaN for a single draw), rank,
        exact %, network % (:data:`NETWORKS`), paper RFS %, paper rank, paper net %.
    """
    means = {name: float(np.mean(runs)) for name, runs in accuracies.items()}
    rows = []
    for paper_rank, (name, (features, network)) in enumerate(PAPER_TABLE_1.items(), 1):
        if name in means:
            runs = np.asarray(accuracies[name], dtype=float)
            rows.append({
                "architecture": name, "accuracy %": means[name],
                "s.e.": runs.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan,
                "rank": 1 + sum(other > means[name] for other in means.values()),
                "exact %": (exact or {}).get(name, EXACT[name]), "network %": NETWORKS[name],
                "paper RFS %": features, "paper rank": paper_rank, "paper net %": network,
            })  # fmt: skip
    return pd.DataFrame(rows)


def rank_correlations(table: pd.DataFrame) -> tuple[float, float]:
    """Return Spearman's correlation of the accuracies of :func:`ranking` with the paper's features and networks.

    NaN with fewer than three architectures.
    """
    if len(table) < 3:
        return float("nan"), float("nan")
    ours = table["accuracy %"]
    features, networks = (
        cast(tuple[float, float], spearmanr(ours, table[name])) for name in ("paper RFS %", "paper net %")
    )
    return float(features[0]), float(networks[0])
