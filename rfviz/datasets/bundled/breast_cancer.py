"""Breast cancer (Wisconsin): a small problem of two classes, from scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.scikit import bunch_of
from rfviz.params import validate
from rfviz.progress import Progress

__all__ = ["load"]


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Load 569 tumours by 30 measurements of their cells' nuclei.

    Returns
    -------
    Dataset
        ``X`` of shape (569, 30), every column with mean 0 and variance 1, since an area in square micrometres would
        outweigh a smoothness otherwise; ``y`` 0 for malignant and 1 for benign; ``feature_names``.
    """
    validate((), params)
    from sklearn.datasets import load_breast_cancer

    bunch = bunch_of(load_breast_cancer)
    X = (bunch.data - bunch.data.mean(axis=0)) / bunch.data.std(axis=0)
    return Dataset(
        name="breast_cancer",
        X=np.ascontiguousarray(X, dtype=np.float32),
        y=bunch.target.astype(np.int64),
        target_names=tuple(str(name) for name in bunch.target_names),
        feature_names=tuple(str(name) for name in bunch.feature_names),
        provenance="Breast Cancer Wisconsin, Diagnostic (UCI, CC BY 4.0), columns standardised over all rows (over the "
        "training rows where a page splits them), bundled with scikit-learn.",
        standardised=True,
    )
