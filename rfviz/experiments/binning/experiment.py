"""Random binning in the plane as an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.base import Chart, ExperimentOnMap, experiment, revision
from rfviz.experiments.binning.compute import (
    MAX_REPETITIONS,
    BoxView,
    PlaneGrids,
    SharedBoxes,
    boxes,
    pair_shares,
    pairs_frame,
    plane_grids,
    shared_boxes,
)
from rfviz.experiments.binning.describe import (
    boxes_summary,
    explanation,
    mixed_explanation,
    mixed_summary,
    pairs_explanation,
    summary,
)
from rfviz.experiments.binning.figures import (
    plot_boxes,
    plot_density,
    plot_hats_kernel,
    plot_mixed,
    plot_pairs,
    plot_shared,
    plot_shared_error,
)
from rfviz.experiments.binning.hats import hats_view
from rfviz.experiments.binning.mixed import MixedMaps, mixed_maps
from rfviz.experiments.data import Data
from rfviz.features import MapSpec, RandomBinning
from rfviz.params import Param
from rfviz.words import number

__all__ = ["ALL_PAIRS", "MIXED", "SHARE", "VIEW", "Binning", "BinningResult", "shared_of"]

ALL_PAIRS, MIXED = "All pairs", "Mixture"
VIEW = Param(
    "view",
    "A point",
    "choice",
    choices=("A point", ALL_PAIRS, MIXED),
    label="Right-hand picture",
    titles=("Around a point", "All pairs", "Mixed with waves"),
    help="The kernel around the ringed point, of all pairs as in the paper’s Figure 2, or of grids and Fourier "
    "features together.",
)
SHARE = Param(
    "share",
    0.5,
    "float",
    0.0,
    1.0,
    marks=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    symbol="a",
    label="Share of grids",
    help="The kernel is this share of the grids’ and the rest of the Gaussian one.",
)
_MOST_SHOWN = 60


@dataclass(frozen=True, eq=False)
class BinningResult:
    """All grids, the one that is drawn, their kernel around a point, and what the second picture draws instead."""

    grids: PlaneGrids
    one: BoxView
    shared: SharedBoxes
    pairs: tuple[np.ndarray, np.ndarray] | None
    mixed: MixedMaps | None = None


@experiment
class Binning(ExperimentOnMap[BinningResult]):
    """Lay random grids over points of the plane, and estimate a kernel by the share of them with both points in a box.

    The data have two columns.

    Parameters
    ----------
    feature_map : RandomBinning or MapSpec
        Its `n_components` is the number of grids that are averaged.
    view : {"A point", "All pairs", "Mixture"}
        Of the second picture: the kernel around a point, of all pairs, or around a point of grids and as many waves of
        the same γ, side by side.
    shown : int
        The grid that is drawn, from 0.
    row : int
        The ringed point, from 0.
    share : float
        Of the grids in the mixture, from 0 to 1.

    Examples
    --------
    >>> from rfviz.experiments import Binning
    >>> from rfviz.features import RandomBinning
    >>> result = Binning(feature_map=RandomBinning(1000, gamma=2.0)).run("moons")
    >>> list(result.charts), round(result.numbers.shared.error, 2)
    (['boxes', 'shared', 'binning-error'], 0.01)

    The steps, one by one, for two points: the share of grids in which they share a box is the kernel of their distance.

    >>> import numpy as np
    >>> codes = RandomBinning(4000, gamma=2.0, random_state=0).fit(np.eye(2)).codes(np.array([[0.0, 0.0], [0.1, 0.2]]))
    >>> bool(abs(np.mean(codes[0] == codes[1]) - np.exp(-2.0 * 0.3)) < 0.03)
    True
    """

    view: str = VIEW.default
    shown: int = 0
    row: int = 0
    share: float = SHARE.default

    params = (VIEW, Param("shown", 0, "int", 0, _MOST_SHOWN - 1), Param("row", 0, "int", 0), SHARE)
    question = "How do random grids add up to a smooth kernel?"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spec.cls is not RandomBinning:
            raise ParameterError("feature_map", "must be RandomBinning", self.spec.cls.__name__)
        Param("n_components", 100, "int", 1, MAX_REPETITIONS).validate(self.p)

    @property
    def law(self) -> MapSpec[RandomBinning]:
        """The map without its number of grids."""
        return MapSpec(RandomBinning, **super().law.params)

    @property
    def p(self) -> int:
        """The number of grids that are averaged."""
        return self.m

    def compute(self, data: Data, cache: Cache) -> BinningResult:
        law, p = self.law, self.p
        grids = cache.call(grids_of, data, law)
        Param("row", 0, "int", 0, len(grids.points) - 1).validate(self.row)
        shared = cache.call(shared_of, data, law, self.row, p)
        pairs = cache.call(pairs_of, data, law, p, self.shown) if self.view == ALL_PAIRS else None
        mixed = cache.call(mixed_of, data, law, self.row, p, self.share) if self.view == MIXED else None
        return BinningResult(grids, boxes(grids, self.shown, self.row), shared, pairs, mixed)

    def charts(self, data: Data, numbers: BinningResult, cache: Cache) -> tuple[Chart, ...]:
        grids, one, shared, of_data = numbers.grids, numbers.one, numbers.shared, revision(data)
        if numbers.pairs is not None:
            words, frame = pairs_explanation(grids, one, self.p), partial(pairs_frame, *numbers.pairs)
            plot = partial(plot_pairs, *numbers.pairs, revision=of_data)
            second = Chart("pairs", plot, frame, "Inner products of all pairs.")
        elif numbers.mixed is not None:
            words, mixed = mixed_explanation(one, numbers.mixed), numbers.mixed
            plot = partial(plot_mixed, grids, mixed, revision=of_data)
            second = Chart("mixed", plot, partial(mixed.to_frame, grids), mixed_summary(mixed))
        else:
            words, frame = explanation(one, shared), partial(grids.shared_frame, shared)
            second = Chart("shared", partial(plot_shared, grids, shared, revision=of_data), frame, summary(shared))
        plot = partial(plot_boxes, grids, one, self.row, revision=of_data)
        first = Chart("boxes", plot, partial(grids.boxes_frame, one), boxes_summary(grids, one), words)
        plot = partial(plot_shared_error, shared, revision=revision(data, self.law))
        alt = f"RMS error, {number(shared.error, 2)} at P = {self.p:,}."
        return first, second, Chart("binning-error", plot, shared.to_frame, alt), *self._hats()

    def _hats(self) -> tuple[Chart, ...]:
        """Return the charts of a mixture of hats of the user's own."""
        if self.spec.get("profile") != "own":
            return ()
        hats = hats_view(self.spec.get("pitch_density"))
        words = "Density of the pitches of the grids. Draw in it to change it."
        return (
            Chart("hats-density", partial(plot_density, hats), hats.density_frame, words),
            Chart(
                "hats-kernel",
                partial(plot_hats_kernel, hats),
                hats.kernel_frame,
                f"Kernel of one column; {number(hats.at_one)} at distance 1.",
                hats.explanation(),
            ),
        )


def grids_of(data: Data, spec: MapSpec[RandomBinning], *, cache: Cache) -> PlaneGrids:
    """Draw all grids over the points."""
    return plane_grids(data.dataset, spec)


def shared_of(data: Data, spec: MapSpec[RandomBinning], row: int, p: int, *, cache: Cache) -> SharedBoxes:
    """Estimate the kernel around a point by the first p grids."""
    return shared_boxes(cache.call(grids_of, data, spec), row, p)


def mixed_of(data: Data, spec: MapSpec[RandomBinning], row: int, p: int, share: float, *, cache: Cache) -> MixedMaps:
    """Estimate the kernel of p grids and p waves around a point."""
    return mixed_maps(cache.call(grids_of, data, spec), cache.call(shared_of, data, spec, row, p), share)


def pairs_of(
    data: Data, spec: MapSpec[RandomBinning], p: int, first: int, *, cache: Cache
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the kernel of all pairs by p grids, the first of them at place `first`."""
    return pair_shares(cache.call(grids_of, data, spec), p, first)
