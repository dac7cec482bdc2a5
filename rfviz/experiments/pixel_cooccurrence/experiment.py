"""Pixel co-occurrence as an experiment: counted in random features of skeletons, and exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.base import Chart, ExperimentWithoutData, experiment, revision
from rfviz.experiments.data import Data
from rfviz.experiments.pixel_cooccurrence.compute import (
    MAX_FEATURES,
    FeatureSample,
    PixelMap,
    Tier,
    capacity,
    exact_map,
    pixel_map,
    sample_features,
    tiers,
)
from rfviz.experiments.pixel_cooccurrence.describe import explanation, figure_4, summary
from rfviz.experiments.pixel_cooccurrence.figures import plot_map_grid, plot_maps, plot_rms, scale_of
from rfviz.experiments.pixel_cooccurrence.layers import Row, build, rows_of, rows_of_texts, windows_of
from rfviz.params import Param
from rfviz.skeleton import PRESETS, CoOccurrence, Skeleton, convolutions, preset
from rfviz.words import number

__all__ = [
    "ACTIVATION",
    "COLOUR",
    "SIDE",
    "WINDOWS",
    "Maps",
    "PixelCooccurrence",
    "drawn_sample",
    "known_samples",
    "sample_of",
]

SIDE = Param("side", 24, "int", 6, 32, label="Image side", help="Pixels per side of the square image.")
COLOUR = Param(
    "colour",
    False,
    "bool",
    label="Colours",
    help="Three inputs per pixel: red, green, blue. A pixel counts as reached if one of them is.",
)
_N_FEATURES = Param("n_features", 500_000, "int", 1, MAX_FEATURES)
# The sizes of the samples that are cached.
_SIZES = tuple(1 << k for k in range(capacity(1).bit_length() - 1, MAX_FEATURES.bit_length()))
ACTIVATION = Param(
    "activation",
    "relu",
    "choice",
    choices=("relu", "exponential/1", "exponential/0.25", "erf"),
    titles=("ReLU", "exp(ρ − 1)", "exp((ρ − 1)/4)", "erf"),
    label="Activation",
    help="Of all nodes of the four skeletons. The paper says ReLU of the deep ones, and nothing of the flat one.",
)
#: Windows and strides of the convolutions of Figure 4, from the image up.
WINDOWS = ("5/2", "5/2 4/2", "4/2 3/2 3/1")

#: By the name of a skeleton, a map for each pixel: one of one, or four of each of four.
Maps = Mapping[str, tuple[PixelMap, ...]]


@experiment
class PixelCooccurrence(ExperimentWithoutData[Maps]):
    """Count which pixels occur together in random features of a skeleton, next to the exact law.

    Parameters
    ----------
    skeleton : str or sequence of str, optional
        A name of :data:`rfviz.skeleton.PRESETS`, whose windows shrink to fit the image, or layers from the image up,
        each as ``window/stride/activation``, and the activation of the top: ``("5/2/relu", "relu")``. By default the
        four skeletons of Figure 4 of the paper, each with four pixels.
    side : int
        Pixels per side of the image.
    colour : bool
        Whether a pixel has three inputs; it is reached if one of them is.
    windows : sequence of str
        For Figure 4: of each of its deep skeletons the windows and strides, from the image up, which shrink to fit the
        image. The paper does not say them.
    activation : str
        For Figure 4: of all nodes, also of the flat skeleton.
    pixel : int, optional
        The framed pixel of a skeleton, row by row from 0; by default one in the middle.

    Examples
    --------
    >>> from rfviz.experiments import PixelCooccurrence
    >>> result = PixelCooccurrence(skeleton="1 convolution", n_features=100_000, pixel=275).run()
    >>> list(result.charts)
    ['maps', 'rms']

    The steps, one by one:

    >>> import numpy as np
    >>> from rfviz.experiments.pixel_cooccurrence.compute import pixel_map, sample_features
    >>> from rfviz.skeleton import preset
    >>> found = pixel_map(sample_features(preset("1 convolution", (24, 24)), 100_000), 275, 100_000)
    >>> bool(np.all(found.correlation == result.to_frame()["correlation"]))
    True
    """

    skeleton: str | Sequence[str] | None = None
    side: int = SIDE.default
    colour: bool = COLOUR.default
    n_features: int = _N_FEATURES.default
    seed: int = 0
    pixel: int | None = None
    windows: Sequence[str] = WINDOWS
    activation: str = ACTIVATION.default

    params = (SIDE, COLOUR, _N_FEATURES, Param("seed", 0, "int", 0), ACTIVATION)
    question = "Which pixels meet in a random feature of a skeleton?"

    def __post_init__(self) -> None:
        """Check the values; see :class:`rfviz.experiments.base.Experiment`.

        Raises
        ------
        ParameterError
            For a value that breaks its rule. Whether the layers fit the image is said when they are used.
        """
        super().__post_init__()
        if self.pixel is not None:
            if self.skeleton is None:
                raise ParameterError("pixel", "must be left out of Figure 4, which has four", self.pixel)
            Param("pixel", 0, "int", 0, self.side**2 - 1).validate(self.pixel)
        if self.skeleton is not None:
            self._rows(self.skeleton)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and channels."""
        return self.side, self.side, 3 if self.colour else 1

    @property
    def rows(self) -> tuple[Row, ...]:
        """The layers of the skeleton; none of Figure 4, which has four."""
        return () if self.skeleton is None else tuple(self._rows(self.skeleton))

    def _rows(self, skeleton: str | Sequence[str]) -> list[Row]:
        if skeleton in PRESETS:
            return rows_of(preset(str(skeleton), self.image_shape, shrink=True))
        try:
            return rows_of_texts(skeleton)
        except ParameterError:  # of an activation, which it names
            raise
        except (TypeError, ValueError):
            names = ", ".join(map(repr, PRESETS))
            rule = f"must be one of {names}, or layers such as ('5/2/relu', 'relu'), the top last"
            raise ParameterError("skeleton", rule, skeleton) from None

    @property
    def pixels(self) -> tuple[int, ...]:
        """The framed pixel; of Figure 4 the middle, two next to it, and one near a corner."""
        side, corner, middle = self.side, self.side // 6, self.side // 2
        if self.skeleton is not None:
            return ((middle - 1) * (side + 1),) if self.pixel is None else (self.pixel,)
        places = ((middle, middle), (side // 3, side // 3), (middle, side - 3), (corner, corner))
        return tuple(row * side + column for row, column in places)

    @property
    def skeletons(self) -> dict[str, Skeleton]:
        """The skeletons by name: one, or the four of Figure 4.

        Raises
        ------
        ParameterError
            With the number of the layer that cannot be.
        """
        if self.skeleton is None:
            return self._figure_4()
        name = self.skeleton if isinstance(self.skeleton, str) else "own"
        return {name: build(self.image_shape, self.rows)}

    def _figure_4(self) -> dict[str, Skeleton]:
        """Return a flat skeleton and deep ones, named by how many convolutions they have."""
        act = Row.from_text(self.activation).activation
        found = {"flat": convolutions(self.image_shape, [], act)}
        for text in self.windows:
            windows = windows_of(text)
            name = f"{len(windows)} convolution{'s' * (len(windows) > 1)}"
            layers = [(size, stride, act) for size, stride in windows]
            made = convolutions(self.image_shape, layers, act, shrink=True)
            found[f"{name}, {text}" if name in found else name] = made
        return found

    def compute(self, data: Data, cache: Cache) -> Maps:
        return {
            name: tuple(cache.call(map_of, skeleton, self.seed, pixel, self.n_features) for pixel in self.pixels)
            for name, skeleton in self.skeletons.items()
        }

    def charts(self, data: Data, numbers: Maps, cache: Cache) -> tuple[Chart, ...]:
        return self._grid_charts(numbers, cache) if self.skeleton is None else self._pixel_charts(numbers)

    def _pixel_charts(self, numbers: Maps) -> tuple[Chart, ...]:
        """Return the counted and the exact map, and how the one tends to the other."""
        ((found,),) = numbers.values()
        (skeleton,) = self.skeletons.values()
        maps = partial(plot_maps, found, self.side, revision=revision(self.image_shape))
        rms = partial(plot_rms, found, revision=revision(skeleton.to_json()))
        alt = f"RMS difference up to {found.n_features:,} features: {number(found.rms[-1], 2)}."
        return (
            Chart("maps", maps, found.to_frame, summary(found, self.side), explanation(found, self.side)),
            Chart("rms", rms, found.errors_frame, alt),
        )

    def tiers(self, cache: Cache) -> dict[str, tuple[Tier, ...]]:
        """Return the tiers of each skeleton: how much pixels correlate by the lowest layer in which they meet."""
        return {name: cache.call(tiers_of, skeleton, self.pixels) for name, skeleton in self.skeletons.items()}

    def _grid_charts(self, numbers: Maps, cache: Cache) -> tuple[Chart, ...]:
        """Return the maps of four pixels for four skeletons: counted, and exact."""
        every = [found for row in numbers.values() for found in row]
        limit = scale_of([found.exact.correlation for found in every], [found.pixel for found in every])

        def table() -> pd.DataFrame:
            frames = [m.to_frame().assign(skeleton=name, framed=m.pixel) for name, row in numbers.items() for m in row]
            return pd.concat(frames, ignore_index=True)

        charts = []
        for name, title in (("grid", f"Counted in {self.n_features:,} features"), ("grid-exact", "Exact")):
            rows = [
                (key, [(m.pixel, m.exact.correlation if name == "grid-exact" else m.correlation) for m in row])
                for key, row in numbers.items()
            ]
            plot = partial(plot_map_grid, rows, self.side, limit, revision=revision(self.image_shape))
            alt = f"{title}: correlations of four pixels with all others, for four skeletons."
            words = figure_4(self.tiers(cache), self.skeletons, self.activation) if name == "grid" else ""
            charts.append(Chart(name, plot, table, alt, words))
        return tuple(charts)


def sample_of(skeleton: Skeleton, seed: int, size: int, *, cache: Cache) -> FeatureSample:
    """Draw features of a skeleton, from where the largest smaller sample that is cached ends."""
    known = known_samples(skeleton, seed, cache)
    return sample_features(skeleton, size, seed, known[max(known)] if known else None, cache.progress)


def known_samples(skeleton: Skeleton, seed: int, cache: Cache) -> dict[int, FeatureSample]:
    """Return the samples that are cached, by their sizes."""
    found = {size: cache.peek(sample_of, skeleton, seed, size) for size in _SIZES}
    return {size: sample for size, sample in found.items() if sample is not None}


def drawn_sample(skeleton: Skeleton, seed: int, n_features: int, cache: Cache) -> FeatureSample:
    """Return at least this many features of a skeleton."""
    enough = [size for size in known_samples(skeleton, seed, cache) if size >= n_features]
    return cache.call(sample_of, skeleton, seed, min(enough, default=capacity(n_features)))


def exact_of(skeleton: Skeleton, pixel: int, *, cache: Cache) -> CoOccurrence:
    """Compute the exact map of a pixel."""
    return exact_map(skeleton, pixel)


def tiers_of(skeleton: Skeleton, pixels: Sequence[int], *, cache: Cache) -> tuple[Tier, ...]:
    """Sort the exact correlations of pixels by the lowest layer in which two meet."""
    return tiers(skeleton, [cache.call(exact_of, skeleton, pixel) for pixel in pixels])


def map_of(skeleton: Skeleton, seed: int, pixel: int, n_features: int, *, cache: Cache) -> PixelMap:
    """Count the map of a pixel in the first features of a sample."""
    sample = drawn_sample(skeleton, seed, n_features, cache)
    return pixel_map(sample, pixel, n_features, cache.call(exact_of, skeleton, pixel))
