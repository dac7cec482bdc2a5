"""Figure 2 of the paper on random features: random grids in the plane, and the kernel that they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rfviz import datasets
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.features import MapSpec, RandomBinning
from rfviz.lab import script
from rfviz.lab.animation import Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.binning import text
from rfviz.lab.binning.compute import (
    MAX_POINTS,
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
from rfviz.lab.binning.figures import plot_boxes, plot_pairs, plot_shared, plot_shared_error
from rfviz.lab.page import MapExport, Page, Presets, revision
from rfviz.lab.panel import Panel
from rfviz.lab.papers import LARGE_SCALE
from rfviz.params import Param
from rfviz.words import number

__all__ = ["PAGE", "Binning", "BinningResult", "Settings"]

P = Param("p", 100, "int", 1, MAX_REPETITIONS, log=True, symbol="P", label="Grids",
          marks=(1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 4000),
          help="The number of grids (repetitions) in the estimate. Four times as many halve its error.")  # fmt: skip
SHOWN = Param("shown", 1, "int", 1, 60, label="Grid shown", help="Which of the grids is drawn over the points.")
GAMMA = Param("gamma", 2.0, "float", 0.05, 50.0, log=True, ui_high=20.0, symbol=r"\gamma", label="Gamma",
              help="Inverse length scale: larger γ, smaller boxes, narrower kernel.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other grids.")
ALL_PAIRS = "All pairs"
VIEW = Param("view", "A point", "choice", choices=("A point", ALL_PAIRS), label="Right-hand picture",
             titles=("Around a point", "All pairs"),
             help="The kernel around the ringed point, or of all pairs as in the paper’s Figure 2.")  # fmt: skip
PROFILE = RandomBinning.param("profile")
DATA = ["moons", "circles", "spirals", "xor", "circle"]
FIGURE_2 = {"data": "moons", "data.n_samples": 100, "view": ALL_PAIRS, "p": 1, "shown": 1, "gamma": 2.0, "seed": 0,
            "profile": "laplacian"}  # fmt: skip
DIAMOND = {"data": "moons", "view": "A point", "p": 4000, "gamma": 2.0, "profile": "laplacian"}


@dataclass(frozen=True)
class Settings:
    """The grids, and which part of them is shown.

    Attributes
    ----------
    spec : MapSpec
        Its `n_components` is the number of grids that are averaged.
    view : str
        Of the second picture.
    shown : int
        The grid that is drawn, from 0.
    row : int
        The ringed point, from 0.
    """

    spec: MapSpec[RandomBinning]
    view: str
    shown: int
    row: int

    @property
    def p(self) -> int:
        """The number of grids that are averaged."""
        return self.spec.get("n_components")


@dataclass(frozen=True, eq=False)
class BinningResult:
    """All grids, the one that is drawn, their kernel around a point, and of all pairs where that is drawn."""

    grids: PlaneGrids
    one: BoxView
    shared: SharedBoxes
    pairs: tuple[np.ndarray, np.ndarray] | None


class Binning(Page[Data, Settings, BinningResult]):
    """Random grids over points of the plane, and the share of them that put two points into one box."""

    slug = "binning"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 2 of the paper": (
                f"{LARGE_SCALE}: one random grid, and its matrix of inner products.",
                FIGURE_2,
            ),
            "Boxes to diamonds": ("4000 grids: together their boxes give the Laplacian kernel.", DIAMOND),
        }

    def source(self, panel: Panel) -> Data:
        return panel.data("moons", DATA, planar=True)

    def settings(self, panel: Panel, source: Data) -> Settings:
        n = max(min(source.dataset.n_samples, MAX_POINTS), 2)
        with panel.section("controls", [P.name, SHOWN.name, GAMMA.name]):
            view, p, shown = panel.control(VIEW), panel.control(P), panel.control(SHOWN)
            gamma = panel.control(GAMMA)
            choices = list(PROFILE.choices)
            profile = panel.choice("profile", choices, "laplacian", "Kernel", PROFILE.help, text.PROFILES)
            point = Param("point", 1, "int", 1, n, label="Ringed point", help="Or click a point in the first picture.")
            row, seed = panel.control(point), panel.control(SEED)
        spec = MapSpec(RandomBinning, n_components=p, gamma=gamma, profile=profile, random_state=seed)
        return Settings(spec, view, shown - 1, row - 1)

    def run(self, source: Data, settings: Settings, cache: Cache) -> BinningResult:
        law, p = settings.spec.without("n_components"), settings.p
        grids = cache.call(grids_of, source, law)
        shared = cache.call(shared_of, source, law, settings.row, p)
        pairs = cache.call(pairs_of, source, law, p, settings.shown) if settings.view == ALL_PAIRS else None
        return BinningResult(grids, boxes(grids, settings.shown, settings.row), shared, pairs)

    def charts(self, source: Data, settings: Settings, result: BinningResult, cache: Cache) -> tuple[Chart, ...]:
        grids, one, shared, of_data = result.grids, result.one, result.shared, revision(source)
        if result.pairs is not None:
            words, frame = text.pairs_explanation(grids, one, settings.p), partial(pairs_frame, *result.pairs)
            plot = partial(plot_pairs, *result.pairs, revision=of_data)
            second = Chart("pairs", plot, frame, "Inner products of all pairs.")
        else:
            words, frame = text.explanation(one, shared), partial(grids.shared_frame, shared)
            second = Chart("shared", partial(plot_shared, grids, shared, revision=of_data), frame, text.summary(shared))
        plot = partial(plot_boxes, grids, one, settings.row, revision=of_data)
        first = Chart("boxes", plot, partial(grids.boxes_frame, one), text.boxes_summary(grids, one), words)
        plot = partial(plot_shared_error, shared, revision=revision(source, settings.spec.without("n_components")))
        alt = f"RMS error, {number(shared.error, 2)} at P = {settings.p:,}."
        return first, second, Chart("binning-error", plot, shared.to_frame, alt)

    def animations(
        self, source: Data, settings: Settings, result: BinningResult, panel: Panel
    ) -> tuple[AnimationSpec, ...]:
        if result.pairs is not None:  # a matrix of all pairs for each frame would be megabytes
            return ()
        law = settings.spec.without("n_components")

        def over_p(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            def run(p: int) -> SharedBoxes:
                return cache.call(shared_of, source, law, settings.row, p)

            values, found = one_by_one(options, now, run, cache, seconds)
            frames = [{"shared": plot_shared(result.grids, shared)} for shared in found]
            return Animation(values, [f"RMS error {number(shared.error, 2)}" for shared in found], frames)

        def over_grids(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            views = [boxes(result.grids, number - 1, settings.row) for number in options]
            frames = [{"boxes": plot_boxes(result.grids, view, settings.row)} for view in views]
            return Animation(
                options, [f"boxes {number(v.pitch[0], 2)} × {number(v.pitch[1], 2)}" for v in views], frames
            )

        return animate(panel, "P", P.name, source, over_p), animate(panel, "grid", SHOWN.name, source, over_grids)

    def script(self, source: Data, settings: Settings) -> str:
        uses = [datasets, MapSpec, RandomBinning, plane_grids, boxes, shared_boxes, plot_boxes, plot_shared_error]
        if settings.view == ALL_PAIRS:
            uses += [pair_shares, pairs_frame, plot_pairs]
            second = f"""shares, order = pair_shares(grids, n_repetitions={settings.p}, repetition={settings.shown})
frames["pairs"] = pairs_frame(shares, order)
figures["pairs"] = plot_pairs(shares, order)"""
        else:
            uses += [plot_shared]
            second = """frames["shared"] = grids.shared_frame(shared)
figures["shared"] = plot_shared(grids, shared)"""
        body = f"""
{script.load_data(source)}
spec = {script.python(settings.spec.without("n_components"), 7)}
grids = plane_grids(dataset, spec)

row = {settings.row}
one = boxes(grids, repetition={settings.shown}, row=row)
shared = shared_boxes(grids, row, n_repetitions={settings.p})

frames = {{"boxes": grids.boxes_frame(one)}}
figures = {{"boxes": plot_boxes(grids, one, row)}}
{second}
frames["binning-error"] = shared.to_frame()
figures["binning-error"] = plot_shared_error(shared)
print(frames["binning-error"].to_string())

for figure in figures.values():
    figure.show()
"""
        return script.write(self.entry.question, body, uses)

    def maps(self, source: Data, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        X, all_rows = source.dataset.X[:MAX_POINTS], all_rows_of(source.dataset)
        labels = source.dataset.labels(slice(len(X)))
        return (MapExport(RandomBinning.label, settings.spec.make(), X, all_rows, labels),)


def grids_of(source: Data, spec: MapSpec[RandomBinning], *, cache: Cache) -> PlaneGrids:
    """Draw all grids over the points."""
    return plane_grids(source.dataset, spec)


def shared_of(source: Data, spec: MapSpec[RandomBinning], row: int, p: int, *, cache: Cache) -> SharedBoxes:
    """Estimate the kernel around a point by the first p grids."""
    return shared_boxes(cache.call(grids_of, source, spec), row, p)


def pairs_of(
    source: Data, spec: MapSpec[RandomBinning], p: int, first: int, *, cache: Cache
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the kernel of all pairs by p grids from one on."""
    return pair_shares(cache.call(grids_of, source, spec), p, first)


PAGE = Binning()
