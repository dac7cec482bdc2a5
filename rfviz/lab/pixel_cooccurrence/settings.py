"""Settings of the page on pixel co-occurrence."""

from __future__ import annotations

from dataclasses import dataclass

from rfviz.lab.pixel_cooccurrence.layers import Row, build
from rfviz.skeleton import Skeleton, preset

__all__ = ["FIGURE_4_ROWS", "Settings"]

#: The skeletons of Figure 4.
FIGURE_4_ROWS = ("flat", "1 convolution", "2 convolutions", "3 convolutions")


@dataclass(frozen=True)
class Settings:
    """A skeleton over an image, and how many of its features are counted.

    Attributes
    ----------
    image_shape : tuple of int
        Height, width, channels.
    n_features, seed : int
    chosen : str
        A preset of :data:`rfviz.skeleton.PRESETS` or ``"own"``; empty for Figure 4 of the paper, which has four.
    rows : tuple of Row
        Of the skeleton.
    pixel : int or None
        The framed one; None for Figure 4.
    """

    image_shape: tuple[int, int, int]
    n_features: int
    seed: int
    chosen: str = ""
    rows: tuple[Row, ...] = ()
    pixel: int | None = None

    @property
    def side(self) -> int:
        """Pixels per side of the image."""
        return self.image_shape[0]

    @property
    def pixels(self) -> tuple[int, ...]:
        """The framed pixel; of Figure 4 the middle, two next to it, and one near a corner."""
        if self.pixel is not None:
            return (self.pixel,)
        side, corner, middle = self.side, self.side // 6, self.side // 2
        places = ((middle, middle), (side // 3, side // 3), (middle, side - 3), (corner, corner))
        return tuple(row * side + column for row, column in places)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the rows.

        Raises
        ------
        ParameterError
            With the number of the row that cannot be.
        """
        return build(self.image_shape, self.rows)

    def skeletons(self) -> dict[str, Skeleton]:
        """Return the skeletons by name: one, or the four of Figure 4."""
        if self.pixel is not None:
            return {self.chosen: self.skeleton}
        return {name: preset(name, self.image_shape, shrink=True) for name in FIGURE_4_ROWS}
