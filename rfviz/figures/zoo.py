"""Pictures of the zoo: values on the plane as levels of one scale of colours, small enough to move with a slider."""

from __future__ import annotations

import base64

import numpy as np

from rfviz.analysis.zoo import SIDE, Card
from rfviz.figures.cooccurrence import DIVERGING

__all__ = ["LEVELS", "card_pictures", "levels", "palette"]

LEVELS = 255  # an odd number: the middle one is zero


def palette() -> list[list[int]]:
    """Red, green and blue of each level, from the most negative to the most positive."""
    stops = np.array([stop for stop, _ in DIVERGING])
    colours = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for _, colour in DIVERGING])
    share = np.linspace(0.0, 1.0, LEVELS)
    return np.column_stack([np.rint(np.interp(share, stops, c)) for c in colours.T]).astype(int).tolist()


def levels(values: np.ndarray, limit: float) -> str:
    """The level of each value on a scale from −limit to limit, beyond which they are cut: bytes in base 64.

    Parameters
    ----------
    values : ndarray of shape (SIDE²,)
        The lowest row first.
    limit : float
        Where it is zero, so must be the values.

    Returns
    -------
    str
        SIDE² bytes, the uppermost row first, as a screen has it.
    """
    share = np.clip(values / limit, -1.0, 1.0) if limit > 0 else np.zeros_like(values)
    level = np.rint((share + 1.0) * ((LEVELS - 1) / 2)).astype(np.uint8)
    return base64.b64encode(np.ascontiguousarray(level.reshape(SIDE, SIDE)[::-1])).decode("ascii")


def card_pictures(card: Card) -> dict[str, str]:
    """The three pictures of a card: the feature on a scale of its own, both kernels on that of the exact one."""
    if card.problem:
        return {}
    return {
        "feature": levels(card.feature, float(np.abs(card.feature).max())),
        "sampled": levels(card.sampled, card.limit),
        "exact": levels(card.exact, card.limit),
    }
