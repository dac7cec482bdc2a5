"""Distance saturation as an experiment."""

from __future__ import annotations

from functools import partial

from rfviz.analysis.points import NORMALISATION
from rfviz.cache import Cache
from rfviz.experiments.base import Chart, Experiment, Maps, experiment, specs_of
from rfviz.experiments.data import Data
from rfviz.experiments.distance_saturation.compute import (
    MappedPairs,
    PointPairs,
    SaturationResult,
    map_pairs,
    on_common_axes,
    prepare_pairs,
)
from rfviz.experiments.distance_saturation.describe import explanation, summary
from rfviz.experiments.distance_saturation.figures import plot_saturation
from rfviz.features import FeatureMap, MapSpec
from rfviz.params import Param
from rfviz.words import shown

__all__ = ["AS_PRINTED", "DistanceSaturation", "mapped_pairs_of", "pairs_of"]

AS_PRINTED = Param(
    "as_printed",
    False,
    "bool",
    label="Theorem 1 as printed",
    help="Also draw, dotted in red, the curve that Theorem 1 of the paper gives. It is wrong: see below.",
)


@experiment
class DistanceSaturation(Experiment[SaturationResult]):
    """Compare the distances of points before and after random feature maps with the exact law of the maps.

    Parameters
    ----------
    maps : sequence of feature maps, or of MapSpec
        Of one class, with one number of features.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    as_printed : bool
        Whether the chart also shows the formula of Theorem 1 of the random maxout paper, which is wrong.

    Examples
    --------
    >>> from rfviz.experiments import DistanceSaturation
    >>> from rfviz.features import RandomMaxout
    >>> result = DistanceSaturation(maps=[RandomMaxout(100, pool_size=8)], normalise="unit norm").run("circle")
    >>> result.to_frame()[["map", "plateau"]].round(2).values.tolist()
    [['q = 8', 0.91]]
    """

    maps: Maps
    normalise: str = NORMALISATION.default
    as_printed: bool = False

    params = (NORMALISATION, AS_PRINTED)
    question = "Which distances between points survive a random feature map, and which does it forget?"

    @property
    def specs(self) -> tuple[MapSpec[FeatureMap], ...]:
        """The maps as specifications."""
        return specs_of(self.maps)

    @property
    def cls(self) -> type[FeatureMap]:
        """The class of all maps."""
        return self.specs[0].cls

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of each map: the value of the parameter that its kind is compared by."""
        varied = self.cls.compared()
        if varied is None:
            return tuple(spec.cls.label for spec in self.specs)
        return tuple(f"{varied.sign} = {shown(spec.get(varied.name))}" for spec in self.specs)

    def compute(self, data: Data, cache: Cache) -> SaturationResult:
        return cache.call(result_of, data, self.normalise, self.specs, self.labels)

    def charts(self, data: Data, numbers: SaturationResult, cache: Cache) -> tuple[Chart, ...]:
        plot = partial(plot_saturation, numbers, as_printed=self.as_printed)
        words = explanation(numbers, self.as_printed)
        return (Chart("saturation", plot, numbers.to_frame, summary(numbers), words),)


def pairs_of(data: Data, normalise: str, *, cache: Cache) -> PointPairs:
    """Prepare the points and the distances of their pairs."""
    return prepare_pairs(data.dataset, normalise)


def mapped_pairs_of(data: Data, normalise: str, spec: MapSpec[FeatureMap], *, cache: Cache) -> MappedPairs:
    """Map the points by one map, so that a slider that moves it does not pay for those it is compared with."""
    return map_pairs(cache.call(pairs_of, data, normalise), spec, cache.progress)


def result_of(
    data: Data, normalise: str, specs: tuple[MapSpec[FeatureMap], ...], labels: tuple[str, ...], *, cache: Cache
) -> SaturationResult:
    """Map the points by all maps."""
    mapped = [cache.call(mapped_pairs_of, data, normalise, spec) for spec in specs]
    return on_common_axes(cache.call(pairs_of, data, normalise), specs[0].cls, mapped, labels)
