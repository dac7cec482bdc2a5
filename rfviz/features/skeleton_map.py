"""Base of the maps over a computation skeleton: their parameters `skeleton` and `turn`, and their kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rfviz import kernels
from rfviz.backend import get_device, to_host
from rfviz.errors import ParameterError, warn
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import fits_on_gpu
from rfviz.features.precision import check_angles
from rfviz.features.receptive import checked_image_shape
from rfviz.features.widths import evenly, largest_entry
from rfviz.params import Param
from rfviz.skeleton import Skeleton, as_skeleton, image_shape_of

__all__ = ["TURN", "SkeletonMap"]

TURN = Param(
    "turn", 0.5, "float", low=0.0, open_low=True, high=1e6, ui_low=0.05, ui_high=10.0, log=True, label="Turn",
    help="Part of a full circle that an input of 1 makes. With 0.5, black and white pixels are opposite.",
)  # fmt: skip


class SkeletonMap(FeatureMap):
    """Base of the feature maps over a computation skeleton, a parameter that may be more than the name of a preset."""

    skeleton: Any
    turn: float
    image_shape: Sequence[int] | None
    skeleton_: Skeleton

    def _check_param(self, param: Param, value: Any) -> Any:
        if param.name == "skeleton":
            is_json = isinstance(value, str) and value.lstrip().startswith("{")
            if value is None or is_json or isinstance(value, (Skeleton, Mapping)):
                return value
        return super()._check_param(param, value)

    @property
    def _is_preset(self) -> bool:
        return self.skeleton is None or (isinstance(self.skeleton, str) and not self.skeleton.lstrip().startswith("{"))

    def _skeleton_for(self, n_features: int) -> Skeleton:
        shape = None
        if self.image_shape is not None and not self._is_preset:
            rule = "must be None for a skeleton of one's own, which says itself where its inputs lie"
            raise ParameterError("image_shape", rule, self.image_shape, "Leave it out, or take a preset.")
        if self.image_shape is not None:
            shape = checked_image_shape(self.image_shape, n_features, "Leave it out for data that are no images.")
        return as_skeleton(self.skeleton, n_features, self.turn, shape)

    def _guessed_image(self, n_features: int) -> tuple[int, ...] | None:
        # A flat skeleton does not see where inputs lie.
        if self.image_shape is not None or not self._is_preset or self.skeleton in (None, "flat"):
            return None
        return image_shape_of(n_features)

    def _check_precision(self, X: Any) -> None:
        rows = evenly(X)
        for group in self.skeleton_.inputs:
            columns = rows[:, group.columns]
            if group.base.kind in ("circle", "gaussian"):
                radians = largest_entry(X[:, group.columns]) * group.base.unit_angle
                check_angles(radians, "The angles that the data stand for", self.dtype)
            if group.base.kind == "circle":
                _warn_of_whole_turns(columns.data if sparse.issparse(columns) else columns, group.base.turn)

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

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        # On the host in the end; a GPU computes it where the map has one.
        device, skeleton = get_device(self.device), self._skeleton_for(X.shape[1])
        found: list[np.ndarray] = []

        def on_gpu() -> None:
            with device.activate():
                rows = [None if A is None else device.asarray(A) for A in (X, Y)]
                found.append(to_host(kernels.compositional(*rows, skeleton=skeleton)))

        if device.is_gpu and fits_on_gpu(on_gpu, device):
            return found[0]
        return kernels.compositional(X, Y, skeleton=skeleton)


def _warn_of_whole_turns(values: np.ndarray, turn: float) -> None:
    """Warn where whole numbers go around the circle, as pixels from 0 to 255 do, so that many are the same point."""
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if (high - low) * turn < 1.0 or not np.array_equal(values, np.round(values)):
        return
    warn(
        f"The data are whole numbers from {low:g} to {high:g}, but with turn={turn:g} values {1.0 / turn:g} apart are "
        f"the same point of the circle. Scale them to 0…1, or use turn={0.5 / (high - low):.3g}.",
        UserWarning,
    )
