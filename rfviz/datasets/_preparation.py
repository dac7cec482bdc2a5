"""The choices by which a file becomes a data set: declared once, for validation, controls and JSON alike."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rfviz.datasets._raw import RANDOM_STATE, max_samples_param
from rfviz.datasets._text import one_line
from rfviz.errors import DataError
from rfviz.params import Param

__all__ = [
    "CATEGORIES", "COLOUR", "MISSING", "MOST_CLASSES", "MOST_WORDS", "SCALE", "SIDE", "TARGET", "Preparation",
]  # fmt: skip

#: So many classes can be told apart by colour; numbers of more different values are taken for a quantity.
MOST_CLASSES = 30

TARGET = Param(
    "target", "auto", "choice", choices=("auto", "classes", "numbers"), label="The label holds",
    titles=("as it looks", "classes", "a quantity"),
    help="Words are classes always. Whole numbers are taken for classes where they have at most "
    f"{MOST_CLASSES} different values, other numbers for a quantity to predict.",
)  # fmt: skip
MISSING = Param(
    "missing", "drop rows", "choice", choices=("drop rows", "impute"), label="Where a value is missing",
    titles=("drop the row", "fill it in"),
    help="Drop every row that lacks a value in a column that is used, or fill in the median of a number and the most "
    "frequent word of a category. Rows without a label or a place in the order are always dropped.",
)  # fmt: skip
CATEGORIES = Param(
    "categories", "one-hot", "choice", choices=("one-hot", "drop"), label="Categories",
    titles=("one column a word", "leave out"),
    help="Maps need numbers. One column of zeros and ones for each word (“one-hot”), or without these columns.",
)  # fmt: skip
MOST_WORDS = Param(
    "most_words", 20, "int", 2, 200, label="Words at most",
    help="A category with more words keeps its most frequent ones; the others share one column.",
)  # fmt: skip
SCALE = Param(
    "scale", "standardise", "choice", choices=("none", "unit norm", "standardise"), label="Scale",
    titles=("as they are", "unit norm", "standardise"),
    help="“Standardise” gives each column mean 0 and variance 1 over all rows, so that metres do not drown kilograms; "
    "“unit norm” divides each row by its length. The pages’ own “Normalise” works on what comes out here, and either "
    "of the two done twice is the same as once. To standardise here and take unit norm there, as is proposed, puts "
    "columns of equal weight on the sphere.",
)  # fmt: skip
SIDE = Param(
    "side", 0, "int", 0, 128, label="Longer side (0: by itself)",
    help="Images are shrunk or enlarged to one size whose longer side has so many pixels; 0 follows the rule: the size "
    "they have where they all have one of at most 64 pixels, else 32. The shape is the usual one, and what sticks out "
    "of it is cut off at the edges.",
)  # fmt: skip
COLOUR = Param(
    "colour", "auto", "choice", choices=("auto", "grey", "colour"), label="Colours",
    titles=("as found", "grey", "in colour"), help="Colours make three columns of a pixel.",
)  # fmt: skip


@dataclass(frozen=True)
class Preparation:
    """How a file becomes a data set; hashable, and the same as JSON.

    Attributes
    ----------
    label, order : str or None
        Columns that play these parts.
    leave_out : tuple of str
        Columns that are not used.
    target, missing, categories, most_words, scale : object
        As :data:`TARGET`, :data:`MISSING`, :data:`CATEGORIES`, :data:`MOST_WORDS` and :data:`SCALE` declare; of tables.
    max_samples, random_state : int
        Rows to keep at most, and the seed of that choice; a larger sample holds the smaller.
    side, colour : object
        As :data:`SIDE` and :data:`COLOUR` declare; of images.
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
    side: int = SIDE.default
    colour: str = COLOUR.default

    def __post_init__(self) -> None:
        object.__setattr__(self, "leave_out", tuple(self.leave_out))
        params = TARGET, MISSING, CATEGORIES, MOST_WORDS, SCALE, SIDE, COLOUR, RANDOM_STATE, max_samples_param(None)
        for param in params:
            object.__setattr__(self, param.name, param.validate(getattr(self, param.name)))

    def to_json(self) -> str:
        """What differs from the defaults, as JSON."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}
        return json.dumps(plain, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Preparation:
        """The inverse of :meth:`to_json`.

        Raises
        ------
        DataError
            If it is not such a text.
        ParameterError
            If a value breaks its rule.
        """
        try:
            values = json.loads(text)
            return cls(**values)
        except (TypeError, json.JSONDecodeError, RecursionError):
            raise DataError(f"This is no preparation: {one_line(text, 60)!r}. Write one with to_json().") from None

    def replace(self, changes: Mapping[str, Any]) -> Preparation:
        """Another preparation that differs in these values."""
        return dataclasses.replace(self, **changes)
