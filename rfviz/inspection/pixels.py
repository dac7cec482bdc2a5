"""Pixels that have the same value in every image: the border of most images is empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.inspection.finding import Claim, Claims, Finding
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
    kinds: ClassVar = {"constant pixels": "Values of an image, of `pixels`, that are the same in all images."}

    def applies(self, inspection: Inspection) -> bool:
        return inspection.has_images

    def compute(self, inspection: Inspection) -> PixelResult:
        X = inspection.source.dataset.X
        return PixelResult(int(np.sum(X.max(axis=0) == X.min(axis=0))), X.shape[1])

    def claims(self, result: PixelResult, inspection: Inspection) -> Iterator[Claim]:
        n_rows = len(inspection.source.dataset.X)
        yield Claim("constant pixels", result.n_constant, n_rows=n_rows, of={"pixels": result.n_pixels})

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        (claim,) = claims
        n_constant, n_pixels = claim.value, claim.of["pixels"]
        if n_constant == n_pixels:
            return self.say("warning", "No pixel has more than a single value: all images are equal.")
        if not n_constant:
            return self.say("fine", "No pixel has the same value in every image.")
        some = f"{n_constant:,} of {n_pixels:,} pixels {plural(n_constant, 'has', 'have')} a single value"
        return self.say("fine", f"{some}, as borders of images do.")

    def numbers(self, result: PixelResult) -> pd.DataFrame:
        return pd.DataFrame()
