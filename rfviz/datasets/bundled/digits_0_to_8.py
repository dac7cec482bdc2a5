"""The example of the notes on random features: nine of scikit-learn's small digits, the first half to learn from."""

from __future__ import annotations

from typing import Any

from rfviz.datasets.base import Dataset
from rfviz.datasets.bundled import digits
from rfviz.progress import Progress

__all__ = ["load"]


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load the digits 0 to 8 in scikit-learn's order: 808 rows to learn from and 809 to test on.

    Returns
    -------
    Dataset
        ``X`` of shape (1617, 64), pixels in [0, 1] (sixteenths); ``y`` the digit.
    """
    whole = digits.load(progress, **params)
    assert whole.y is not None and whole.target_names is not None
    rows = whole.y < 9
    return Dataset(
        name="digits_0_to_8",
        X=whole.X[rows],
        y=whole.y[rows],
        target_names=whole.target_names[:9],
        image_shape=whole.image_shape,
        n_train=int(rows.sum()) // 2,
        provenance=f"The digits 0 to 8, of which the first half is to learn from. {whole.provenance}",
    )
