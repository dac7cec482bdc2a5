"""Patches of two photographs: colour images of 24×24 pixels that need no download."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.parameters import RANDOM_STATE, max_samples_param
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

_SIDE, _N_PATCHES = 24, 884  # 17 rows of 26 patches from each photograph of 427×640 pixels
_PHOTOGRAPHS = {"china.jpg": "temple", "flower.jpg": "flower"}
PARAMS = (replace(max_samples_param(_N_PATCHES), label="Patches at most"), RANDOM_STATE)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load two photographs, cut into patches side by side that do not overlap.

    A larger sample holds the smaller, with as many patches of each photograph.

    Returns
    -------
    Dataset
        ``X`` of shape (at most 884, 1728): rows of 24×24×3 values in [0, 1]; ``y`` the photograph; ``order`` the place
        of the patch in its photograph, from the top left, line by line.
    """
    values = validate(PARAMS, params)
    from sklearn.datasets import load_sample_image

    from rfviz.datasets.files.arrays import Arrays

    patches = np.stack([_cut(load_sample_image(name)) for name in _PHOTOGRAPHS])
    arrays = Arrays(
        X=patches.reshape(_N_PATCHES, -1),
        y=np.repeat(np.arange(len(_PHOTOGRAPHS)), patches.shape[1]),
        order=np.tile(np.arange(patches.shape[1]), len(_PHOTOGRAPHS)),
        image_shape=(_SIDE, _SIDE, 3),
        class_names=tuple(_PHOTOGRAPHS.values()),
    )
    source = "Photographs china.jpg by danielbuechele and flower.jpg by vultilion (Flickr, CC BY 2.0)"
    return arrays.dataset("photo_patches", f"{source}, bundled with scikit-learn.", **values)


def _cut(photograph: np.ndarray) -> np.ndarray:
    """Cut a photograph into patches, line by line; the remainder at the right and the bottom is left out."""
    rows, columns = photograph.shape[0] // _SIDE, photograph.shape[1] // _SIDE
    whole = photograph[: rows * _SIDE, : columns * _SIDE].reshape(rows, _SIDE, columns, _SIDE, 3)
    return whole.swapaxes(1, 2).reshape(rows * columns, _SIDE, _SIDE, 3)
