"""The table of layers as a control: what an address holds of it, and skeletons that fit into it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rfviz.errors import RfvizError
from rfviz.experiments.pixel_cooccurrence.layers import Row, build, rows_of, rows_of_texts
from rfviz.lab.controls import Control
from rfviz.skeleton import Skeleton

__all__ = ["LAYERS", "MOST_LAYERS", "OWN", "one_more", "own_rows", "values_of"]

#: The choice of a skeleton whose layers are the table's.
OWN = "own"
MOST_LAYERS = 8


def own_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """Return values of the page's controls that show these rows."""
    return {"layers": [row.to_text() for row in rows], "skeleton": OWN}


def one_more(shape: tuple[int, int, int], rows: Sequence[Row]) -> list[Row]:
    """Return the rows with one more convolution below the top, as large as what is below it allows."""
    try:
        below = build(shape, rows)
        side = int(len(below.layers[-2].edges) ** 0.5) if len(below.layers) > 1 else shape[0]
    except RfvizError:
        side = 3
    size = min(3, side)
    return [*rows[:-1], Row(size, min(2, size), "relu"), rows[-1]]


def values_of(skeleton: Skeleton) -> dict[str, Any]:
    """Return values of the page's controls that show a skeleton.

    Raises
    ------
    RfvizError
        For a skeleton that they cannot hold.
    """
    shape = skeleton.image_shape
    if shape is None or shape[0] != shape[1] or not 6 <= shape[0] <= 32 or shape[2] not in (1, 3):
        raise RfvizError(
            f"The page holds square images of 6 to 32 pixels per side in 1 or 3 colours; got {shape}. Change “image”."
        )
    if len(skeleton.layers) > MOST_LAYERS + 1:
        raise RfvizError(f"The table holds {MOST_LAYERS} layers; got {len(skeleton.layers) - 1}. Use the library.")
    return own_rows(rows_of(skeleton)) | {"side": shape[0], "colour": shape[2] == 3}


def _clean(given: Any) -> list[str]:
    texts = given if isinstance(given, (list, tuple)) else [given]
    return [row.to_text() for row in rows_of_texts(texts[: MOST_LAYERS + 1])]


LAYERS = Control("layers", "own", ["5/2/relu", "relu"], _clean, "Layers", "The rows of your own skeleton.")
