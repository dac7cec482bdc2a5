"""Table 1 of the paper on compositional kernels: ten architectures on CIFAR-10 and their ranking."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from rfviz.skeleton import ARCHITECTURES, Skeleton, convolutions, flat

__all__ = [
    "AUGMENTED", "AUGMENTED_EPOCHS", "AUGMENTED_M", "EXACT", "FEATURES_BY_EPOCH", "FEATURES_M", "NAMES", "NETWORKS",
    "NETWORKS_BY_EPOCH", "NETWORK_EPOCHS", "NETWORK_FEATURES", "PAPER_TABLE_1", "STRIDE", "RankCorrelations",
    "architecture", "errors_by_epoch", "rank_correlations", "ranking",
]  # fmt: skip

# Test accuracy in per cent of random features and of the network that is trained, the best features first.
PAPER_TABLE_1 = {
    "4,5": (72.88, 77.09), "6,4": (72.42, 77.06), "6,6": (72.25, 75.52), "4,4": (71.49, 74.94), "5,4": (71.45, 76.78),
    "4,6": (70.62, 74.24), "5,6": (70.39, 75.38), "6,5": (70.14, 74.23), "5,5": (69.64, 73.57), "full": (60.01, 55.09),
}  # fmt: skip
NAMES = tuple(PAPER_TABLE_1)
# Test accuracy in per cent of networks and features that were trained by AdaGrad on 20,000 images that change in each
# epoch (benchmarks/cifar_networks.py, cifar_features.py), as benchmarks/cifar_trained.py collected it from the results.
_TRAINED = json.loads(Path(__file__).with_name("trained.json").read_text(encoding="utf-8"))
# The networks by epoch, and after the epochs that all of them have; the dense node has NETWORK_FEATURES channels.
NETWORKS_BY_EPOCH: dict[str, list[float]] = _TRAINED["networks"]
NETWORK_EPOCHS, NETWORK_FEATURES = min(map(len, NETWORKS_BY_EPOCH.values())), 384
NETWORKS = {name: by_epoch[NETWORK_EPOCHS - 1] for name, by_epoch in NETWORKS_BY_EPOCH.items()}
# FEATURES_M features by epoch, on a processor; and, on a GPU, each of AUGMENTED_M after AUGMENTED_EPOCHS epochs.
FEATURES_M: int = _TRAINED["m"]
FEATURES_BY_EPOCH: dict[str, list[float]] = _TRAINED["features"]
AUGMENTED_EPOCHS: int = _TRAINED["augmented"]["epochs"]
AUGMENTED_M = tuple[int, ...](_TRAINED["augmented"]["m"])
AUGMENTED: dict[str, tuple[float, ...]] = {
    name: tuple(accuracies) for name, accuracies in _TRAINED["augmented"]["accuracy"].items()
}
# Test accuracy in per cent of ridge regression with the exact kernel of each architecture on 20,000 images: what
# benchmarks/cifar_architectures.py wrote to benchmarks/results/cifar-architectures-cpu.json.
EXACT = {
    "4,5": 57.48, "6,4": 57.96, "6,6": 57.66, "4,4": 55.86, "5,4": 56.64,
    "4,6": 55.74, "5,6": 56.74, "6,5": 55.92, "5,5": 54.78, "full": 51.04,
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
        Of the :class:`rfviz.skeleton.PatchPCA` that goes before; None if the pixels themselves are the inputs.
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
            rows.append(
                {
                    "architecture": name,
                    "accuracy %": means[name],
                    "s.e.": runs.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan,
                    "rank": 1 + sum(other > means[name] for other in means.values()),
                    "exact %": (exact or {}).get(name, EXACT[name]),
                    "network %": NETWORKS[name],
                    "paper RFS %": features,
                    "paper rank": paper_rank,
                    "paper net %": network,
                }
            )
    return pd.DataFrame(rows)


class RankCorrelations(NamedTuple):
    """Spearman's correlations between columns of :func:`ranking`.

    Attributes
    ----------
    paper_features, paper_networks : float
        Of our features with the paper's features, and with its networks.
    networks : float
        Of our features with our networks.
    paper : float
        Of the paper's features with its networks.
    """

    paper_features: float
    paper_networks: float
    networks: float
    paper: float


def rank_correlations(table: pd.DataFrame) -> RankCorrelations:
    """Return how alike the columns of :func:`ranking` order the architectures.

    NaN with fewer than three architectures.
    """
    ours, papers = "accuracy %", "paper RFS %"
    pairs = (ours, papers), (ours, "paper net %"), (ours, "network %"), (papers, "paper net %")
    if len(table) < 3:
        return RankCorrelations(*[float("nan")] * len(pairs))
    found = (cast(tuple[float, float], spearmanr(table[one], table[other])) for one, other in pairs)
    return RankCorrelations(*(float(correlation) for correlation, _ in found))


def errors_by_epoch(name: str) -> tuple[tuple[float, ...], ...]:
    """Return test errors in per cent after each epoch: of :data:`FEATURES_M` features, and of the network.

    Empty for a name that is not an architecture of the table.
    """
    if name not in NAMES:
        return ()
    features, network = (
        tuple(100.0 - accuracy for accuracy in by_epoch[name]) for by_epoch in (FEATURES_BY_EPOCH, NETWORKS_BY_EPOCH)
    )
    return features, network
