"""Hash codes as an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rfviz.analysis.points import NORMALISATION
from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.base import Chart, ExperimentOnMap, experiment, revision
from rfviz.experiments.data import Data
from rfviz.experiments.hashing.compute import (
    HammingResult,
    NearFarResult,
    hash_pairs,
    near_and_far,
    pair_place,
    stack_frames,
)
from rfviz.experiments.hashing.describe import near_far, recall, summary
from rfviz.experiments.hashing.figures import AXES, plot_hamming, plot_near_far, plot_recall
from rfviz.experiments.hashing.points import (
    METRIC,
    NEIGHBOURS,
    HashPoints,
    exact_order,
    hash_codes,
    prepare_hash_points,
    query_rows,
)
from rfviz.experiments.hashing.recall import RecallResult, recall_curves
from rfviz.features import FeatureMap, MapSpec, RandomMaxout, RandomProjection
from rfviz.params import Param
from rfviz.words import number

__all__ = [
    "DRAWS",
    "LONGEST",
    "LOOKS",
    "SIMHASH",
    "Comparison",
    "Hashing",
    "HashingResult",
    "K",
    "example_row",
]

SIMHASH = Param(
    "with_simhash",
    False,
    "bool",
    label="Compare with SimHash",
    help="Also draw the theory and the means of SimHash, the signs of random projections.",
)
K = Param(
    "k",
    10,
    "int",
    1,
    NEIGHBOURS,
    log=True,
    marks=(1, 2, 3, 5, 8, 10, 15, 20, 30, 50),
    label="Neighbours",
    help="How many nearest points are searched for.",
)
DRAWS = Param(
    "draws",
    5,
    "int",
    1,
    50,
    log=True,
    marks=(1, 2, 3, 5, 10, 20, 50),
    label="Draws",
    help="Independent draws of the hash functions.",
)
LONGEST = Param(
    "longest",
    256,
    "int",
    8,
    4096,
    log=True,
    marks=(32, 64, 128, 256, 512, 1024, 2048),
    symbol="m",
    label="Longest code",
    help="Symbols of the longest maxout code; SimHash goes up to as many bits.",
)
#: Closer looks; only the chosen one is computed.
LOOKS = ("Neighbours", "Recall", "Near and far")
# So that few lengths are ever computed: shorter codes are the beginnings of longer ones.
_SHORTEST = 256


@dataclass(frozen=True, eq=False)
class Comparison:
    """Points with their codes, the distances of these next to the law, and those of SimHash where they are drawn."""

    points: HashPoints
    codes: np.ndarray
    result: HammingResult
    simhash: HammingResult | None


@dataclass(frozen=True, eq=False)
class HashingResult:
    """What the main chart shows, and the closer look; None if that has no chart of its own."""

    comparison: Comparison
    closer: RecallResult | NearFarResult | None


@experiment
class Hashing(ExperimentOnMap[HashingResult]):
    """Compare the Hamming distances of hash codes with the exact law of their collisions, and take a closer look.

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
        The hash: a map that has `codes`, whose `n_components` is the number of symbols.
    with_simhash : bool
        Whether to compare a maxout code with SimHash, the signs of random projections.
    normalise : str
        How the points are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    metric : {"cosine", "euclidean"}
        By which points are near.
    look : {"Neighbours", "Recall", "Near and far"}
        The closer look: two rows, whose pair is ringed; the share of the true neighbours that codes find; or how well
        codes tell near from far pairs.
    first, second : int, optional
        Of ``"Neighbours"``: the rows, by default a typical one and its nearest neighbour.
    pools : tuple of int
        Of ``"Recall"``: the pool sizes of the maxout codes that are compared.
    longest, draws : int
        Of ``"Recall"``: symbols of the longest code, and draws of each.
    axis : {"symbols", "bits", "projections"}
        Of ``"Recall"``: what the length of a code is counted in.
    k : int
        Of the other two looks: how many neighbours count as near.

    Examples
    --------
    >>> from rfviz.experiments import Hashing
    >>> from rfviz.features import RandomMaxout
    >>> result = Hashing(feature_map=RandomMaxout(256, pool_size=8), look="Near and far").run("digits")
    >>> list(result.charts), round(result.numbers.comparison.result.rms, 2)
    (['hamming', 'near-far'], 0.03)

    The steps, one by one, for two points at a right angle, for which eight projections collide in one case of eight:

    >>> import numpy as np
    >>> hashing_map = RandomMaxout(20_000, pool_size=8, random_state=0).fit(np.eye(2))
    >>> one, two = hashing_map.codes(np.eye(2))
    >>> round(float(np.mean(one == two)), 2), round(float(hashing_map.collision_law().curve(90.0)), 3)
    (0.12, 0.125)
    """

    with_simhash: bool = SIMHASH.default
    normalise: str = NORMALISATION.default
    metric: str = METRIC.default
    look: str = LOOKS[0]
    first: int | None = None
    second: int | None = None
    pools: tuple[int, ...] = (2, 4, 16)
    longest: int = LONGEST.default
    k: int = K.default
    draws: int = DRAWS.default
    axis: str = "symbols"

    params = (
        SIMHASH,
        NORMALISATION,
        METRIC,
        Param("look", LOOKS[0], "choice", choices=LOOKS),
        LONGEST,
        K,
        DRAWS,
        Param("axis", "symbols", "choice", choices=tuple(AXES)),
    )
    question = "How well do hash codes reveal the angle between two points?"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.with_simhash and self.spec.cls is not RandomMaxout:
            rule = "must be False unless the hash is RandomMaxout"
            raise ParameterError("with_simhash", rule, True, "Leave it out.")
        for pool in self.pools:
            Param("pools", 8, "int", 2, 1024).validate(pool)

    @property
    def spec(self) -> MapSpec[FeatureMap]:
        """The hash as a specification, with all its parameters."""
        spec = super().spec
        return spec.replace(**spec.make().get_params(deep=False))

    def compute(self, data: Data, cache: Cache) -> HashingResult:
        comparison, scaled, closer = self.compare(data, cache), self._scaled(data), None
        if self.look == "Recall" and self.pools:
            closer = cache.call(recall_of, *scaled, self.pools, self.longest, self.k, self.draws)
        elif self.look == "Near and far":
            closer = cache.call(near_far_of, *scaled, self.spec, self.k)
        return HashingResult(comparison, closer)

    def compare(self, data: Data, cache: Cache) -> Comparison:
        """Compute what the main chart shows."""
        scaled, spec, simhash = self._scaled(data), self.spec, None
        result = cache.call(pairs_of, *scaled, spec)
        if self.with_simhash:
            params = {name: spec.get(name) for name in ("n_components", "random_state")}
            simhash = cache.call(pairs_of, *scaled, MapSpec(RandomProjection, **params))
        return Comparison(cache.call(points_of, *scaled), _codes(*scaled, spec, cache), result, simhash)

    def rows(self, points: HashPoints) -> tuple[int, int]:
        """Return the two rows whose codes are compared.

        Raises
        ------
        ParameterError
            If there is no such row.
        """
        n = len(points.original)
        first = example_row(n) if self.first is None else Param("first", 0, "int", 0, n - 1).validate(self.first)
        if self.second is None:
            return first, int(exact_order(points, first, 1)[0])
        return first, Param("second", 0, "int", 0, n - 1).validate(self.second)

    def charts(self, data: Data, numbers: HashingResult, cache: Cache) -> tuple[Chart, ...]:
        main, closer = self.main_chart(data, numbers.comparison), numbers.closer
        scaled = self._scaled(data)
        if isinstance(closer, RecallResult):
            plot = partial(plot_recall, closer, self.axis, revision=revision(scaled, self.axis))
            alt = f"Recall at {closer.k} against the {AXES[self.axis]}."
            return main, Chart("recall", plot, closer.to_frame, alt, recall(closer))
        if isinstance(closer, NearFarResult):
            plot = partial(plot_near_far, closer, revision=revision(scaled))
            alt = f"Densities of differing symbols: near and far pairs, area under the ROC curve {number(closer.auc)}."
            return main, Chart("near-far", plot, closer.to_frame, alt, near_far(closer))
        return (main,)

    def main_chart(self, data: Data, comparison: Comparison) -> Chart:
        """Return Hamming distance against distance, with a ring around the two points of the closer look."""
        points, result, simhash, place = comparison.points, comparison.result, comparison.simhash, None
        if self.look == "Neighbours":
            place = pair_place(points, self.spec, comparison.codes, *self.rows(points))
        words = summary(result, simhash, self.spec.get("pool_size"))
        return Chart(
            "hamming",
            partial(plot_hamming, result, simhash, place, revision=revision(self._scaled(data))),
            partial(stack_frames, [result] if simhash is None else [result, simhash]),
            words.replace("*", ""),
            words,
        )

    def _scaled(self, data: Data) -> tuple[Data, str, str]:
        """Return what the points depend on."""
        return data, self.normalise, self.metric


def example_row(n: int) -> int:
    """Return one of the `n` rows that are searched for: that in the middle."""
    queries = query_rows(n)
    return int(queries[len(queries) // 2])


def points_of(data: Data, normalise: str, metric: str, *, cache: Cache) -> HashPoints:
    """Normalise the points and search their neighbours."""
    return prepare_hash_points(data.dataset, normalise, metric, progress=cache.progress)


def codes_of(data: Data, normalise: str, metric: str, spec: MapSpec[FeatureMap], *, cache: Cache) -> np.ndarray:
    """Hash all points."""
    return hash_codes(cache.call(points_of, data, normalise, metric), spec, cache.progress)


def pairs_of(data: Data, normalise: str, metric: str, spec: MapSpec[FeatureMap], *, cache: Cache) -> HammingResult:
    """Compare the codes of sampled pairs with the law."""
    points = cache.call(points_of, data, normalise, metric)
    return hash_pairs(points, spec, _codes(data, normalise, metric, spec, cache))


def near_far_of(
    data: Data, normalise: str, metric: str, spec: MapSpec[FeatureMap], k: int, *, cache: Cache
) -> NearFarResult:
    """Compare near with far pairs."""
    points = cache.call(points_of, data, normalise, metric)
    return near_and_far(points, spec, _codes(data, normalise, metric, spec, cache), k)


def recall_of(
    data: Data, normalise: str, metric: str, pools: tuple[int, ...], longest: int, k: int, draws: int, *, cache: Cache
) -> RecallResult:
    """Measure the recall of codes."""
    return recall_curves(cache.call(points_of, data, normalise, metric), pools, longest, k, draws, cache.progress)


def _codes(data: Data, normalise: str, metric: str, spec: MapSpec[FeatureMap], cache: Cache) -> np.ndarray:
    """Return the codes of all points; the length only cuts codes that are in the cache already."""
    length = max(1 << (spec.get("n_components") - 1).bit_length(), _SHORTEST)
    codes = cache.call(codes_of, data, normalise, metric, spec.replace(n_components=length))
    return codes[:, : spec.get("n_components")]
