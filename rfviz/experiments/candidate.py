"""A feature map that takes part in a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from rfviz.features import FeatureMap, MapSpec

__all__ = ["Candidate"]


@dataclass(frozen=True)
class Candidate:
    """A feature map with its parameters, but for the number of features and the seed.

    Attributes
    ----------
    label : str
    spec : MapSpec
    patches : (image_shape, (size, stride, n_components)) or None
        The principal components of image patches that are its inputs, rather than the columns themselves.
    loss : str
        How it is trained, where that is not the comparison's choice.
    """

    label: str
    spec: MapSpec[FeatureMap]
    patches: tuple[tuple[int, ...], tuple[int, int, int]] | None = None
    loss: str = ""

    def products(self, m: int) -> int:
        """Return about how many inner products m features take."""
        return self.spec.get("n_projections") or m * (self.spec.get("pool_size") or 1)
