"""The choices by which a file becomes a data set: declared once, for validation, controls and JSON alike."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rfviz.datasets.parameters import MISSING as MISSING_IN_FOLDER
from rfviz.datasets.parameters import ONLY_CLASS, RANDOM_STATE, max_samples_param
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError
from rfviz.params import Param

__all__ = ["CATEGORIES", "COLOUR", "MISSING", "MOST_CLASSES", "MOST_WORDS", "SCALE", "SIDE", "TARGET", "Preparation"]

#: Whole numbers of more different values are a quantity, unless one says that they are classes.
MOST_CLASSES = 30

TARGET = Param(
    "target",
    "auto",
    "choice",
    choices=("auto", "classes", "numbers"),
    titles=("as it looks", "classes", "a quantity"),
    label="The label holds",
    help="Words are always classes. Whole numbers count as classes where they have at most "
    f"{MOST_CLASSES} different values, other numbers as a quantity to predict.",
)
MISSING = Param(
    "missing",
    "drop rows",
    "choice",
    choices=("drop rows", "impute"),
    titles=("drop the row", "fill it in"),
    label="Where a value is missing",
    help="Drop every row that lacks a value in a column that is used, or fill in the median of a number and the most "
    "frequent word of a category. Rows without a label or a place in the order are always dropped.",
)
CATEGORIES = Param(
    "categories",
    "one-hot",
    "choice",
    choices=("one-hot", "drop"),
    titles=("one column per word", "leave out"),
    label="Categories",
    help="Maps need numbers. Give each word a column of zeros and ones (“one-hot”), or leave these columns out.",
)
MOST_WORDS = Param(
    "most_words",
    20,
    "int",
    2,
    200,
    label="Words at most",
    help="A category with more words keeps its most frequent ones; the others share one column.",
)
SCALE = Param(
    "scale",
    "standardise",
    "choice",
    choices=("none", "unit norm", "standardise"),
    titles=("as they are", "unit norm", "standardise"),
    label="Scale",
    help="“Standardise” gives each column mean 0 and variance 1 over all rows (where a page splits them, over "
    "the training rows), so that columns in large units do not outweigh the others. “Unit norm” divides each row by "
    "its length. The pages’ own “Normalise” works on the result; doing the same twice changes nothing. The defaults, "
    "standardise here and unit norm there, put the rows on the sphere, with columns of equal weight.",
)
SIDE = Param(
    "side",
    0,
    "int",
    0,
    128,
    label="Longer side (0: by itself)",
    help="All images get one size, whose longer side has this many pixels. 0 keeps their size where all have the same, "
    "of at most 64 pixels, and else takes 32. The shape is the median one; what sticks out of it is cut off at the "
    "edges.",
)
COLOUR = Param(
    "colour",
    "auto",
    "choice",
    choices=("auto", "grey", "colour"),
    titles=("as found", "grey", "in colour"),
    label="Colours",
    help="Colours make three columns per pixel.",
)
_PARAMS = (
    TARGET,
    CATEGORIES,
    MOST_WORDS,
    SCALE,
    COLOUR,
    ONLY_CLASS,
    RANDOM_STATE,
    max_samples_param(None),
    # A data set that is loaded without a look at it may refuse missing values, and keeps the size of its images.
    dataclasses.replace(MISSING, choices=tuple(dict.fromkeys(MISSING.choices + MISSING_IN_FOLDER.choices))),
    dataclasses.replace(SIDE, high=65_536),
)


@dataclass(frozen=True)
class Preparation:
    """The choices by which a file becomes a data set; hashable, and to and from JSON.

    Attributes
    ----------
    label, order : str or None
        Columns that play these parts.
    leave_out : tuple of str
        Columns that are not used.
    target, categories, most_words, scale : object
        As :data:`TARGET`, :data:`CATEGORIES`, :data:`MOST_WORDS` and :data:`SCALE` declare; of tables.
    missing : {"drop rows", "impute", "impute mean", "error"}
        As :data:`MISSING` declares; or fill in the mean of a number; or refuse missing values, and say where they are.
    max_samples, random_state : int
        Rows to keep at most, and the seed of that choice; a larger sample holds the smaller.
    only_class : int
        Code of the one class to keep; -1 keeps all.
    side, colour : object
        As :data:`SIDE` and :data:`COLOUR` declare; of images.

    Examples
    --------
    >>> Preparation(label="kind", scale="none").to_json()
    '{"label": "kind", "scale": "none"}'
    """

    label: str | None = None
    order: str | None = None
    leave_out: tuple[str, ...] = ()
    target: str = TARGET.default
    missing: str = MISSING.default
    categories: str = CATEGORIES.default
    most_words: int = MOST_WORDS.default
    scale: str = SCALE.default
    max_samples: int = 2000
    random_state: int = 0
    only_class: int = ONLY_CLASS.default
    side: int = SIDE.default
    colour: str = COLOUR.default

    def __post_init__(self) -> None:
        # One name is not the names of its letters.
        left_out = (self.leave_out,) if isinstance(self.leave_out, str) else tuple(self.leave_out)
        object.__setattr__(self, "leave_out", left_out)
        for param in _PARAMS:
            object.__setattr__(self, param.name, param.validate(getattr(self, param.name)))

    def to_json(self) -> str:
        """Return the values that differ from the defaults, as JSON."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}
        return json.dumps(plain, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Preparation:
        """Return the inverse of :meth:`to_json`.

        Raises
        ------
        DataError
            If it is not such a text.
        ParameterError
            If a value breaks its rule.
        """
        try:
            return cls().replace(json.loads(text))
        except (json.JSONDecodeError, RecursionError):
            raise DataError(f"This is no preparation: {one_line(text, 60)!r}. Write one with to_json().") from None

    def replace(self, changes: Mapping[str, Any]) -> Preparation:
        """Return a preparation that differs in these values.

        Raises
        ------
        DataError
            If there is no such choice.
        ParameterError
            If a value breaks its rule.
        """
        try:
            return dataclasses.replace(self, **changes)
        except TypeError:
            known = ", ".join(field.name for field in dataclasses.fields(self))
            raise DataError(
                f"This is no preparation: {one_line(changes, 60)}. Give values by name; known: {known}."
            ) from None
