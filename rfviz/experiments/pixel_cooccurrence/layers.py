"""A skeleton as rows of a table: window, stride and activation of each layer, from the image up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rfviz.errors import ParameterError, RfvizError
from rfviz.skeleton import Activation, Skeleton, activation, convolutions

__all__ = ["KINDS", "NUMBER", "Row", "build", "first_error", "image_of", "rows_of", "rows_of_texts", "windows_of"]

# The activations of a row, and the number that goes with some.
KINDS = {"relu": "ReLU", "exponential": "exp", "step": "step", "erf": "erf", "identity": "identity",
          "polynomial": "power"}  # fmt: skip
NUMBER = {"exponential": ("scale", 1.0), "polynomial": ("degree", 2)}


@dataclass(frozen=True)
class Row:
    """A layer; the top has neither window nor stride (0)."""

    size: int
    stride: int
    kind: str
    number: float = 0.0

    @property
    def activation(self) -> dict[str, Any]:
        """Its JSON form."""
        name = NUMBER.get(self.kind, ("", 0))[0]
        if not name:
            return {"kind": self.kind}
        return {"kind": self.kind, name: int(self.number) if name == "degree" else float(self.number)}

    def to_text(self) -> str:
        """Return it as the address holds it: ``5/2/relu``, ``exponential/0.25``."""
        parts = [self.kind] + ([f"{self.number:g}"] if self.kind in NUMBER else [])
        return "/".join([str(self.size), str(self.stride), *parts] if self.size else parts)

    @staticmethod
    def from_text(text: str) -> Row:
        """Parse a row.

        Raises
        ------
        ValueError
            If it is not one.
        """
        parts = str(text).split("/")
        if parts[0].isdigit() and len(parts) < 3:
            raise ValueError(text)
        size, stride = (int(parts.pop(0)), int(parts.pop(0))) if parts[0].isdigit() else (0, 0)
        kind = parts.pop(0)
        if kind not in KINDS or (size and not (1 <= size <= 64 and 1 <= stride <= 64)):
            raise ValueError(text)
        number = float(parts[0]) if kind in NUMBER and parts else float(NUMBER.get(kind, ("", 0.0))[1])
        if kind in NUMBER:  # checked by the library
            number = float(getattr(activation(Row(0, 0, kind, number).activation), NUMBER[kind][0]))
        return Row(size, stride, kind, number)

    @staticmethod
    def of(act: Activation, size: Sequence[int] = (0, 0), stride: int = 0) -> Row:
        """Return the row of a layer of a skeleton.

        Raises
        ------
        ParameterError
            For what the table cannot hold.
        """
        if size[0] != size[1] or act.kind not in KINDS or act.offset:
            raise ParameterError(
                "layer",
                "must have a square window and no series or offset to fit the table",
                act.to_form(),
                "Use the library for other skeletons.",
            )
        number = getattr(act, NUMBER[act.kind][0]) if act.kind in NUMBER else 0.0
        return Row(size[0], stride, act.kind, float(number))


def image_of(skeleton: Skeleton) -> tuple[int, int, int]:
    """Return height, width and channels of the image below a stack of convolutions.

    Raises
    ------
    ParameterError
        For a skeleton of another form.
    """
    if skeleton.image_shape is None:
        raise ParameterError("skeleton", "must be a stack of convolutions over an image", skeleton)
    return skeleton.image_shape


def rows_of(skeleton: Skeleton) -> list[Row]:
    """Return the rows of a stack of convolutions."""
    rows = [Row.of(activation(x["activation"]), x["size"], x["stride"]) for x in skeleton.form["layers"]]
    return [*rows, Row.of(activation(skeleton.form["top"]))]


def rows_of_texts(texts: Sequence[str]) -> list[Row]:
    """Return the rows that texts stand for: see :meth:`Row.to_text`.

    Raises
    ------
    ValueError
        Unless they are layers with one top, the last.
    """
    rows = [Row.from_text(text) for text in texts]
    if not rows or rows[-1].size or any(not row.size for row in rows[:-1]):
        raise ValueError(texts)
    return rows


def windows_of(text: str) -> list[tuple[int, int]]:
    """Return the windows and strides of layers, from the image up, that a text such as ``"5/2 4/2"`` stands for.

    Raises
    ------
    ParameterError
        If it is not one.
    """
    rows = [part.split("/") for part in text.split()]
    found = [(int(row[0]), int(row[1])) for row in rows if len(row) == 2 and all(map(str.isdecimal, row))]
    if not rows or len(found) < len(rows) or not all(1 <= stride <= size <= 64 for size, stride in found):
        rule = "must be windows with their strides, from the image up, as in '5/2 4/2', no stride beyond its window"
        raise ParameterError("windows", rule, text, "Try '5/2 4/2'.")
    return found


def build(shape: tuple[int, int, int], rows: Sequence[Row]) -> Skeleton:
    """Build the skeleton of rows over an image of points on a circle.

    Raises
    ------
    ParameterError
        With the number of the row that cannot be.
    """
    layers = [(row.size, row.stride, row.activation) for row in rows[:-1]]
    return convolutions(shape, layers, rows[-1].activation, "circle")


def first_error(shape: tuple[int, int, int], rows: Sequence[Row]) -> tuple[int, str]:
    """Return the place of the first row that cannot be, and why in one sentence, or "" if all can be."""
    side = shape[0]
    for place, row in enumerate(rows):
        name, words = f"Layer {place + 1}" if row.size else "Top layer", ""
        if row.size > side:
            words = f"a {row.size}×{row.size} window does not fit into the {side}×{side} nodes below."
        elif row.stride > row.size:
            words = f"a stride of {row.stride} skips pixels because the window is only {row.size} wide."
        elif row.kind == "step" and place:
            words = "step is possible in layer 1 only, since the number of its paths has no mean. Choose ReLU here."
        else:
            part = rows[: place + 1]
            try:
                build(shape, part if not row.size else [*part, Row(0, 0, "identity")]).check_sampling()
            except RfvizError as error:
                words = str(error)
        if words:
            return place, f"{name}: {words}"
        side = (side - row.size) // row.stride + 1 if row.size else 1
    return 0, ""
