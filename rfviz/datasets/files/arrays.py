"""The arrays of a data set, as an ``.npz`` file or a download holds them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.files.images import StoredPictures
from rfviz.datasets.files.prepare import prepare
from rfviz.datasets.files.suggest import as_they_are
from rfviz.datasets.files.table import DATE, NUMBER, Table, names_of_columns, own_names, table_of_frame
from rfviz.errors import DataError

__all__ = ["Arrays"]


@dataclass(frozen=True, eq=False)
class Arrays:
    """The arrays of a data set, checked for shape and type but not for values.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Real numbers of any type; images flattened.
    y : ndarray of shape (n_samples,), optional
        Labels: text, booleans or numbers.
    order : ndarray of shape (n_samples,), optional
        Real numbers.
    n_train : int, optional
        Rows before it are for training.
    image_shape : tuple of int, optional
        Given for uint8 images, whose pixels are divided by 255.
    feature_names, class_names : tuple of str
        Names of the columns, and names by whole-number label.
    notes : tuple of str
        A sentence on each part that was left out.
    codes : ndarray of shape (n_samples, n_columns), optional
        Categorical columns, whole numbers or text, for data sets that know their meaning; no part of :meth:`table`.
    """

    X: np.ndarray
    y: np.ndarray | None = None
    order: np.ndarray | None = None
    n_train: int | None = None
    image_shape: tuple[int, ...] | None = None
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    codes: np.ndarray | None = None

    @property
    def labels(self) -> np.ndarray:
        """Return `y` of data that must have labels.

        Raises
        ------
        DataError
            If there are none.
        """
        if self.y is None:
            raise DataError("These data have no labels. Save them as an array y of the file.")
        return self.y

    def table(self) -> Table:
        """Return the arrays as columns, which share the memory of `X`."""
        import pandas as pd

        n_rows, n_columns = self.X.shape
        pictures = None
        features: tuple[str, ...] = ()
        if self.image_shape is not None:
            pictures = StoredPictures(self.X.reshape(n_rows, *self.image_shape))
        elif len(self.feature_names) == n_columns:
            features = self.feature_names
        else:
            features = tuple(f"column {number}" for number in range(1, n_columns + 1))
        columns: dict[str, np.ndarray] = {}
        if self.y is not None:
            columns["y"] = np.char.decode(self.y, "utf-8", "replace") if self.y.dtype.kind == "S" else self.y
        if self.order is not None:
            columns["order"] = self.order
        names = names_of_columns([*features, *columns])
        used = dict(zip(columns, names[len(features) :], strict=True))
        tables = {used[part]: table_of_frame(pd.DataFrame({used[part]: values})) for part, values in columns.items()}
        head = pd.DataFrame(self.X[:8, : len(features)], columns=names[: len(features)])
        return Table(
            names=tuple(names),
            n_rows=n_rows,
            matrix=self.X[:, : len(features)],
            places={name: place for place, name in enumerate(names[: len(features)])},
            parsed={name: table.quantity(name) for name, table in tables.items() if table.kind(name) in (NUMBER, DATE)},
            words={name: words for table in tables.values() for name, words in table.words.items()},
            described={name: table.columns[0] for name, table in tables.items()},
            head=pd.concat([head, *(table.head for table in tables.values())], axis=1),
            label=used.get("y"),
            order=used.get("order"),
            pictures=pictures,
            n_train=self.n_train,
            class_names=self.class_names,
            own_names=own_names(names, [*features, *columns]),
        )

    def dataset(
        self,
        name: str,
        source: str,
        *,
        missing: str = "error",
        only_class: int = -1,
        max_samples: int = 1_000_000,
        random_state: int = 0,
    ) -> Dataset:
        """Choose rows, encode the labels and convert the numbers, which stay as they are.

        The parameters are those of :mod:`rfviz.datasets.parameters`.

        Raises
        ------
        DataError
            If values are missing and `missing` does not say what to do, too few rows are left, a class does not exist,
            or a value is beyond the range of float32.
        MemoryBudgetError
            If the rows would not fit into the memory limit.
        """
        choices = {
            "missing": missing,
            "only_class": only_class,
            "max_samples": max_samples,
            "random_state": random_state,
        }
        table = self.table()
        dataset = prepare(table, as_they_are(table).replace(choices), name, source)
        is_named = len(self.feature_names) == self.X.shape[1] and not self.image_shape
        # The arrays of a download are large, and numbers already.
        return replace(dataset, feature_names=dataset.feature_names if is_named else (), origin=None)
