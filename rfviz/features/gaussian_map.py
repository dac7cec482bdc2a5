"""Base of the feature maps of one Gaussian projection a feature."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from rfviz.features.draws import standard_normal
from rfviz.features.receptive import ReceptiveMap
from rfviz.features.steps import Step, projection_step, scaled_step

__all__ = ["GaussianMap"]


class GaussianMap(ReceptiveMap):
    """Base of the feature maps whose feature is a function of one projection ⟨w, x⟩ with w ~ N(0, I).

    Attributes
    ----------
    weights_ : ndarray of shape (n_components, n_features)
    """

    _weights: ClassVar[tuple[str, ...]] = ("weights_",)
    _projections: ClassVar[tuple[str, ...]] = ("weights_",)
    _rotation_invariant: ClassVar[bool] = True

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.n_components, n_features), dtype=self.dtype)
        standard_normal(self.seed_, 0, out=self.weights_)
        self._mask(self.weights_)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"weights_": self.weights_[:n_components]}

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        first = projection_step(self.weights_[feature], x, r"\langle w,x\rangle")
        then = self._after_projection(first.value)
        if then is None:
            return []
        value = then[-1].value if then else first.value
        return [first, *then, scaled_step(float(self._scale()), value)]

    def _after_projection(self, z: float) -> list[Step] | None:
        """Return the steps from the projection to the unscaled feature; None where a map does not tell them."""
        return None
