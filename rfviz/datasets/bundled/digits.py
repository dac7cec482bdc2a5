"""The small digits of scikit-learn: real images that need no download."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.scikit import bunch_of
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["load"]


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load 1797 handwritten digits of 8×8 pixels.

    Returns
    -------
    Dataset
        ``X`` of shape (1797, 64), pixels in [0, 1] (sixteenths); ``y`` the digit.
    """
    validate((), params)
    from sklearn.datasets import load_digits

    bunch = bunch_of(load_digits)
    return Dataset(
        name="digits",
        X=np.ascontiguousarray(bunch.data / 16, dtype=np.float32),
        y=bunch.target.astype(np.int64),
        target_names=tuple(str(name) for name in bunch.target_names),
        image_shape=(8, 8),
        provenance="Optical Recognition of Handwritten Digits (UCI, CC BY 4.0), test part, bundled with scikit-learn.",
    )
