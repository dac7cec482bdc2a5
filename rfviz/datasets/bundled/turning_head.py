"""The turning head: one head on its way from profile to frontal, with some neighbouring frames swapped.

It stands in for the face images of the random maxout experiments: the images lie on a curve, one degree of freedom
through 10,304 dimensions, and an embedding that finds the curve also finds the errors in the given order.
``assets/turning_head/render.py`` of the repository renders the images, so that they may be shipped and their angles
are known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["IMAGE_SHAPE", "N_FRAMES", "PARAMS", "STORED", "load", "noisy_order"]

N_FRAMES = 33
IMAGE_SHAPE = (112, 92)
STORED = Path(__file__).with_name("turning_head.npz")
PARAMS = (
    Param(
        "order_noise",
        3,
        "int",
        low=0,
        high=N_FRAMES // 2,
        label="Swapped frames",
        help="Pairs of neighbouring frames that trade places in the given order. 0 leaves the true order; "
        f"at {N_FRAMES // 2} every frame but one is out of place.",
    ),
    replace(RANDOM_STATE, help="Which neighbouring frames trade places. The images themselves do not depend on it."),
)


def noisy_order(n_frames: int, n_swaps: int, random_state: int) -> np.ndarray:
    """Return the sequence of frames after some disjoint pairs of neighbours have traded places.

    The pairs are drawn uniformly among all sets of `n_swaps` pairs ``(i, i + 1)`` that share no frame. So exactly
    ``2 * n_swaps`` frames are out of place, each by one, and Kendall's distance to the true order is `n_swaps`.

    Parameters
    ----------
    n_frames : int
        Length of the sequence.
    n_swaps : int
        Number of pairs, at most ``n_frames // 2``.
    random_state : int
        Seed.

    Returns
    -------
    ndarray of shape (n_frames,), int64
        Element `i` is the true place of the frame given as number `i`.
    """
    generator = np.random.default_rng(random_state)
    # Sets of disjoint pairs correspond one to one to subsets of the places left when every pair is shrunk to one place.
    shrunk = np.sort(generator.choice(n_frames - n_swaps, size=n_swaps, replace=False))
    first = shrunk + np.arange(n_swaps)
    order = np.arange(n_frames)
    order[first], order[first + 1] = first + 1, first
    return order


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load the turning head in its noisy given order (see :func:`noisy_order`).

    Returns
    -------
    Dataset
        `X` of shape (33, 10304), pixel / 255, rows in the given order; ``order = 0, ..., 32``; `y` the true angle in
        degrees, from 90 (profile) to 0 (frontal): it decreases along the true order, not quite along the given one.
    """
    values = validate(PARAMS, params)
    with np.load(STORED) as stored:
        images, angle = stored["X"], stored["angle"]
    places = noisy_order(len(images), values["order_noise"], values["random_state"])
    return Dataset(
        name="turning_head",
        X=np.ascontiguousarray(images[places].reshape(len(images), -1) / np.float32(255)),
        y=angle[places].astype(np.float64),
        order=np.arange(len(images)),
        image_shape=IMAGE_SHAPE,
        provenance="Rendered by rfviz (assets/turning_head) and under its licence; y is the angle in degrees.",
    )
