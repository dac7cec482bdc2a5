"""Pixels that have the same value in every image: the border of most images is empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz.inspection.finding import Finding
from rfviz.inspection.question import Question
from rfviz.inspection.words import plural

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["PixelResult", "Pixels"]


@dataclass(frozen=True)
class PixelResult:
    """How many pixels there are, and how many of them have a single value."""

    n_constant: int
    n_pixels: int


class Pixels(Question[PixelResult]):
    """Which columns say nothing, of images: the pixels that never change."""

    name, key = "Columns", "columns"

    def applies(self, inspection: Inspection) -> bool:
        return inspection.has_images

    def compute(self, inspection: Inspection) -> PixelResult:
        X = inspection.source.dataset.X
        return PixelResult(int(np.sum(X.max(axis=0) == X.min(axis=0))), X.shape[1])

    def describe(self, result: PixelResult, inspection: Inspection) -> Finding:
        n_constant, n_pixels = result.n_constant, result.n_pixels
        if n_constant == n_pixels:
            return self.say("warning", "No pixel has more than a single value: all images are equal.")
        if not n_constant:
            return self.say("fine", "No pixel has the same value in every image.")
        some = f"{n_constant:,} of {n_pixels:,} pixels {plural(n_constant, 'has', 'have')} a single value"
        return self.say("fine", f"{some}, as borders of images do.")

    def numbers(self, result: PixelResult) -> pd.DataFrame:
        return pd.DataFrame()
