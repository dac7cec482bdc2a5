"""What takes part in a comparison of feature maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Entrant"]


@dataclass(frozen=True)
class Entrant:
    """A feature map with its settings, but for the number of features and the seed.

    Attributes
    ----------
    label : str
    scheme : str
        Class name.
    setting : tuple of (name, value)
    patches : (image_shape, (size, stride, n_components)) or None
        The principal components of image patches that are its inputs, rather than the columns themselves.
    loss : str
        How it is trained, where that is not the race's choice.
    """

    label: str
    scheme: str
    setting: tuple[tuple[str, Any], ...]
    patches: tuple[tuple[int, ...], tuple[int, int, int]] | None = None
    loss: str = ""

    @property
    def pool_size(self) -> int | None:
        return dict(self.setting).get("pool_size")

    def products(self, m: int) -> int:
        """About how many inner products m features take."""
        setting = dict(self.setting)
        return setting.get("n_projections") or m * (setting.get("pool_size") or 1)
