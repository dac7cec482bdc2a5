"""A feature map that takes part in a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rfviz.features import FeatureMap, MapSpec
from rfviz.words import shown

__all__ = ["Candidate", "told_apart"]


@dataclass(frozen=True)
class Candidate:
    """A feature map with its parameters, but for the number of features and the seed.

    Attributes
    ----------
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


def told_apart(names: Sequence[str], specs: Sequence[MapSpec[FeatureMap]]) -> list[str]:
    """Return the names of maps, where equal ones are followed by the parameters in which their maps differ."""
    found = []
    for name, spec in zip(names, specs, strict=True):
        alike = [other for other, its_name in zip(specs, names, strict=True) if its_name == name]
        params = spec.make().get_params(deep=False) if len(alike) > 1 else ()
        differing = [param for param in params if len({other.get(param) for other in alike}) > 1]
        found.append(name + "".join(f", {param} = {shown(spec.get(param))}" for param in differing))
    return found
