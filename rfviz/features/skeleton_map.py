"""Base of the maps over a computation skeleton: their parameters `skeleton` and `turn`, and their kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rfviz import kernels
from rfviz.backend import get_device, to_host
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import fits_on_gpu
from rfviz.params import Param
from rfviz.skeleton import Skeleton, as_skeleton

__all__ = ["TURN", "SkeletonMap"]

TURN = Param(
    "turn", 0.5, "float", low=0.0, open_low=True, high=1e6, ui_low=0.05, ui_high=10.0, log=True, label="Turn",
    help="Part of a full circle that an input of 1 makes. With 0.5, black and white pixels are opposite.",
)  # fmt: skip


class SkeletonMap(FeatureMap):
    """Base of the feature maps over a computation skeleton, a parameter that may be more than the name of a preset."""

    skeleton: Any
    turn: float
    skeleton_: Skeleton

    def _check_param(self, param: Param, value: Any) -> Any:
        if param.name == "skeleton":
            is_json = isinstance(value, str) and value.lstrip().startswith("{")
            if value is None or is_json or isinstance(value, (Skeleton, Mapping)):
                return value
        return super()._check_param(param, value)

    def _skeleton_for(self, n_features: int) -> Skeleton:
        return as_skeleton(self.skeleton, n_features, self.turn)

    def _input_kind(self) -> str:
        """Return what an input is, and what the numbers of its name count."""
        shape = self.skeleton_.image_shape
        return "input" if shape is None else f"pixel (row, column{', colour' * (shape[2] > 1)})"

    def _input_name(self, column: int) -> str:
        """Return the name of an input in a formula: numbers from 1."""
        shape = self.skeleton_.image_shape
        if shape is None:
            return str(column + 1)
        *pixel, colour = (int(place) + 1 for place in np.unravel_index(column, shape))
        return ",".join(map(str, [*pixel, colour] if shape[2] > 1 else pixel))

    def kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the exact kernel of all rows of `X` and `Y`, on the host; a GPU computes it where the map has one."""
        device, skeleton = get_device(self.device), self._skeleton_for(np.shape(X)[1])
        found: list[np.ndarray] = []

        def on_gpu() -> None:
            with device.activate():
                rows = [None if A is None else device.asarray(np.asarray(A)) for A in (X, Y)]
                found.append(to_host(kernels.compositional(*rows, skeleton=skeleton)))

        if device.is_gpu and fits_on_gpu(on_gpu, device):
            return found[0]
        return kernels.compositional(X, Y, skeleton=skeleton)
