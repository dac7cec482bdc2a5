"""The data set in memory, and the entry of the registry that loads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from rfviz.datasets.wording import counted
from rfviz.errors import DataError
from rfviz.params import Param

if TYPE_CHECKING:
    from rfviz.datasets.files.features import Features
    from rfviz.datasets.files.preparation import Preparation
    from rfviz.datasets.files.table import Table

__all__ = ["OWN", "Dataset", "DatasetSpec", "NamedProfile", "Origin", "is_own"]

#: What the keys of data begin with that a user brings.
OWN = "own:"


class NamedProfile(Protocol):
    """A profile of a table, which is read where it is computed with; data sets only hold it."""

    @property
    def name(self) -> str:
        """The name of its file."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes of its file; empty if there is none."""
        ...


def is_own(name: str) -> bool:
    """Return whether this is the key of data that a user brings."""
    return name.startswith(OWN)


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """The table of a file, all its rows as they are, and how a data set was made of it.

    Attributes
    ----------
    sources : tuple of str
        The column of the table that each feature comes from; empty for images.
    other : Table, NamedProfile or None
        The table of another file, or the profile of one, to compare this one with.
    other_name : str
        The name of that file.
    features : Features or None
        What made the features; None of images.
    notes : tuple of str
        What the file does not say and was concluded, and parts of it that were passed over; a sentence each.
    guessed : frozenset of {"label", "order"}
        Columns of the preparation that were suggested, and not looked at by a user.
    """

    table: Table
    preparation: Preparation
    sources: tuple[str, ...]
    other: Table | NamedProfile | None = None
    other_name: str = ""
    features: Features | None = None
    notes: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set in memory.

    Attributes
    ----------
    name : str
        Short name: the key in the registry or the file's stem.
    X : ndarray of shape (n_samples, n_features), float32, C-contiguous
        One sample a row. Images are flattened, pixel values in [0, 1].
    y : ndarray of shape (n_samples,), optional
        Integer class codes (int64) or regression targets (float64).
    target_names : tuple of str
        Name of each class code; empty if there are no classes.
    order : ndarray of shape (n_samples,), optional
        The given place of each sample in a sequence (a frame number); may be noisy.
    image_shape : tuple of int, optional
        ``(height, width)`` or ``(height, width, 3)``.
    feature_names : tuple of str
        Name of each column; empty for images and unnamed columns.
    n_train : int, optional
        Where the data come with their own split: the first `n_train` rows are for training, the others for testing.
    provenance : str
        One sentence: the origin of the data, their processing, and their licence if it is known.
    rows : ndarray of int, shape (n_samples,), optional
        The place of each sample among the rows of its file, from 0, or None if all were taken in their order.
    origin : Origin, optional
        The table that they come from, of files.
    standardised : bool
        Whether all rows together gave the columns mean 0 and variance 1; a split gives them those of its training rows.
    curve : str
        Of two columns x and y, the formula of x whose graph separates the classes, if one does.
    """

    name: str
    X: np.ndarray
    y: np.ndarray | None = None
    target_names: tuple[str, ...] = ()
    order: np.ndarray | None = None
    image_shape: tuple[int, ...] | None = None
    feature_names: tuple[str, ...] = ()
    n_train: int | None = None
    provenance: str = ""
    rows: np.ndarray | None = None
    origin: Origin | None = None
    standardised: bool = False
    curve: str = ""

    def __post_init__(self) -> None:
        # A data set made by hand, whose mistakes would be found out far from here.
        X = cast(Any, self.X)
        if not isinstance(X, np.ndarray) or X.ndim != 2:
            found = f"has the shape {X.shape}" if isinstance(X, np.ndarray) else f"is a {type(X).__name__}"
            raise DataError(f"X must be a NumPy array of shape (n_samples, n_features); it {found}. Use np.asarray.")
        for name in ("y", "order", "rows"):
            held = getattr(self, name)
            if held is not None and len(held) != len(self.X):
                raise DataError(f"{name} has {len(held):,} values, and X {len(self.X):,} rows. Give one value per row.")

    def __repr__(self) -> str:
        """Describe the content without the numbers: ``<Dataset digits: 1,797 images of 8×8 pixels, 10 classes>``."""
        return f"<Dataset {self.name}: {self.summary.rstrip('.')}>"

    @property
    def summary(self) -> str:
        """Return one line: number of rows, what they hold, what labels there are."""
        what = f"rows of {counted(self.n_features, 'number')}"
        if self.image_shape:
            what = f"images of {'×'.join(map(str, self.image_shape[:2]))} pixels"
            what += " in colour" if len(self.image_shape) == 3 else ""
        labels = ""
        if self.target_names:
            labels = f", {len(self.target_names)} class{'es' * (len(self.target_names) != 1)}"
        elif self.y is not None:
            labels = ", a number to predict"
        return f"{self.n_samples:,} {what}{labels}."

    def labels(self, rows: Any = slice(None)) -> tuple[np.ndarray | None, tuple[str, ...]]:
        """Return classes or targets of these rows, or None if there are none, and the names of classes."""
        return None if self.y is None else self.y[rows], self.target_names

    @property
    def shape_of_images(self) -> tuple[int, ...]:
        """Return `image_shape` of a data set of images.

        Raises
        ------
        DataError
            If the rows are not images.
        """
        if self.image_shape is None:
            raise DataError(f"{self.name} holds no images. Choose a data set of images.")
        return self.image_shape

    @property
    def row_numbers(self) -> np.ndarray:
        """Return the number of each sample among the rows of its file, from 0."""
        return np.arange(self.n_samples) if self.rows is None else self.rows

    @property
    def is_drawn(self) -> bool:
        """Return whether it was drawn from more rows of a table, which can be read."""
        return self.origin is not None and self.origin.table.source is not None

    @property
    def n_samples(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]


@dataclass(frozen=True)
class DatasetSpec:
    """An entry of the registry: how a data set is named, configured and loaded.

    Attributes
    ----------
    name, title : str
        The key, and the name in menus.
    load : callable
        ``load(progress=None, **params) -> Dataset``, with values for `params`. It raises a DataError where the data
        cannot be read or downloaded, a ParameterError for a parameter that is unknown or breaks its rule, and a
        MemoryBudgetError for data that would not fit into the memory limit. A download reports to `progress`.
    params : sequence of Param
        What can be chosen (number of points, dimension, noise, seed).
    source : {"generated", "bundled", "download", "folder", "own"}
        Where it comes from; everything but ``"download"`` works without a network.
    summary : str
        One line: number of samples and features, what it shows.
    planar, labelled, images, numbers : bool
        Whether its rows are points of the plane, have labels, are images, or whether those labels are numbers to
        predict: pages offer the data sets that they can use.
    extra : dict
        What else its source knows of it; ``"problem"``, a sentence, where it cannot be loaded.
    """

    name: str
    title: str
    load: Callable[..., Dataset] = field(repr=False)
    params: Sequence[Param] = ()
    source: str = "generated"
    summary: str = ""
    planar: bool = False
    labelled: bool = True
    images: bool = False
    numbers: bool = False
    extra: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)
