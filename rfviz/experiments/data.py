"""The data of an experiment: a name, a data set, a table or an array, as something that can be the key of a cache."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rfviz import datasets
from rfviz.datasets import Dataset
from rfviz.datasets.base import is_own

__all__ = ["NO_DATA", "PLANE_ROWS", "Data", "as_data", "in_plane"]

# Rows that say which plane a table of more columns is projected to.
PLANE_ROWS = 1000


@dataclass(frozen=True)
class Data:
    """A data set that was chosen: equal to another if its name, settings and contents are.

    Attributes
    ----------
    name : str
        Its name in the registry.
    values : tuple of (str, object)
        Its settings.
    stamp : str or None
        Differs where the contents of a file do; of an upload it is unique to the session.
    """

    name: str
    values: tuple[tuple[str, Any], ...]
    stamp: str | None
    dataset: Dataset = field(repr=False, compare=False)

    @property
    def owner(self) -> str:
        """The upload that results belong to, which they are removed with; empty for all other data."""
        return self.stamp or "" if is_own(self.name) else ""

    @property
    def key(self) -> tuple[str, str | None, tuple[tuple[str, Any], ...]]:
        """Name, stamp and settings."""
        return self.name, self.stamp, self.values


#: That of an experiment which needs none.
NO_DATA = Data("none", (), None, Dataset("none", np.zeros((0, 0), dtype=np.float32)))


def as_data(data: Any) -> Data:
    """Return what an experiment runs on.

    Parameters
    ----------
    data : str, Dataset, DataFrame, array of shape (n_samples, n_features) or Data
        The name of a data set with its default settings; a data set; a table, prepared as
        :func:`rfviz.datasets.from_frame` does by default; or numbers without labels, as they are.

    Raises
    ------
    DataError
        For anything else.
    """
    if isinstance(data, Data):
        return data
    if isinstance(data, str):
        return Data(data, (), None, datasets.load(data))
    if isinstance(data, Dataset):
        dataset = data
    else:
        dataset = datasets.from_arrays(data) if isinstance(data, (list, np.ndarray)) else datasets.from_frame(data)
    # The key keeps the data set alive, so that no other one can have its number.
    return Data(dataset.name, (), f"in memory: {id(dataset)}", dataset)


def in_plane(data: Data) -> tuple[Data, float]:
    """Return data as points of the plane of their first principal components, and its share of their variance."""
    from rfviz.analysis.plane import plane_of

    dataset = data.dataset
    plane = plane_of(dataset.X[:PLANE_ROWS])
    points = np.ascontiguousarray(plane.project(dataset.X), dtype=np.float32)
    flat = replace(dataset, X=points, image_shape=None, feature_names=(), origin=None, standardised=False)
    return replace(data, dataset=flat, values=(*data.values, ("plane", PLANE_ROWS))), plane.explained
