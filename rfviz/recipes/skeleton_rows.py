"""A skeleton as rows that a table can hold: window, stride and activation of each layer, from the image up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rfviz.errors import ParameterError
from rfviz.skeleton import Activation, Skeleton, activation, convolutions

__all__ = ["KINDS", "MOST_LAYERS", "NUMBER", "OWN", "Row", "build", "clean_rows", "own_rows", "rows_of"]

OWN = "own"
# What a row offers, and the number that goes with it.
KINDS = {"relu": "ReLU", "exponential": "exp", "step": "step", "erf": "erf", "identity": "identity",
          "polynomial": "power"}  # fmt: skip
NUMBER = {"exponential": ("scale", 1.0), "polynomial": ("degree", 2)}
MOST_LAYERS = 8


@dataclass(frozen=True)
class Row:
    """A layer; the top has neither window nor stride (0)."""

    size: int
    stride: int
    kind: str
    number: float = 0.0

    @property
    def activation(self) -> dict[str, Any]:
        name = NUMBER.get(self.kind, ("", 0))[0]
        if not name:
            return {"kind": self.kind}
        return {"kind": self.kind, name: int(self.number) if name == "degree" else float(self.number)}

    def to_text(self) -> str:
        """As the address holds it: ``5/2/relu``, ``exponential/0.25``."""
        parts = [self.kind] + ([f"{self.number:g}"] if self.kind in NUMBER else [])
        return "/".join([str(self.size), str(self.stride), *parts] if self.size else parts)

    @staticmethod
    def from_text(text: str) -> Row:
        """The row of a text.

        Raises
        ------
        ValueError
            Where it is none.
        """
        parts = str(text).split("/")
        size, stride = (int(parts.pop(0)), int(parts.pop(0))) if parts[0].isdigit() else (0, 0)
        kind = parts.pop(0)
        if kind not in KINDS or (size and not (1 <= size <= 64 and 1 <= stride <= 64)):
            raise ValueError(text)
        number = float(parts[0]) if kind in NUMBER and parts else float(NUMBER.get(kind, ("", 0.0))[1])
        return Row(size, stride, kind, activation_number(kind, number))

    @staticmethod
    def of(act: Activation, size: Sequence[int] = (0, 0), stride: int = 0) -> Row:
        """The row of a layer of a skeleton.

        Raises
        ------
        ParameterError
            For what the table cannot hold.
        """
        if size[0] != size[1] or act.kind not in KINDS or act.offset:
            raise ParameterError(
                "layer", "must have a square window and no series or offset to fit the table", act.to_form(),
                "Use the library for other skeletons.",
            )  # fmt: skip
        number = getattr(act, NUMBER[act.kind][0]) if act.kind in NUMBER else 0.0
        return Row(size[0], stride, act.kind, float(number))


def activation_number(kind: str, number: float) -> float:
    """The number of an activation, checked by the library."""
    if kind not in NUMBER:
        return 0.0
    form = Row(0, 0, kind, number).activation
    return float(getattr(activation(form), NUMBER[kind][0]))


def rows_of(skeleton: Skeleton) -> list[Row]:
    """The rows of a stack of convolutions."""
    rows = [Row.of(activation(x["activation"]), x["size"], x["stride"]) for x in skeleton.form["layers"]]
    return [*rows, Row.of(activation(skeleton.form["top"]))]


def own_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """Settings of the page that show these rows."""
    return {"layers": [row.to_text() for row in rows], "skeleton": OWN}


def build(shape: tuple[int, int, int], rows: Sequence[Row], base: Any) -> Skeleton:
    """The skeleton of rows over an image.

    Raises
    ------
    ParameterError
        With the number of the row that cannot be.
    """
    layers = [(row.size, row.stride, row.activation) for row in rows[:-1]]
    return convolutions(shape, layers, rows[-1].activation, base)


def clean_rows(given: Any) -> list[str]:
    """Rows as texts from what an address holds.

    Raises
    ------
    ValueError
        Where they are no stack of layers with one top.
    """
    texts = given if isinstance(given, (list, tuple)) else [given]
    rows = [Row.from_text(text) for text in texts[: MOST_LAYERS + 1]]
    if not rows or rows[-1].size or any(not row.size for row in rows[:-1]):
        raise ValueError(given)
    return [row.to_text() for row in rows]
