"""Figure 2 of the paper on random features: random grids in the plane, and the kernel that they add up to."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz import datasets
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.binning.compute import MAX_POINTS, MAX_REPETITIONS, SharedBoxes, boxes
from rfviz.experiments.binning.experiment import ALL_PAIRS, MIXED, SHARE, VIEW, Binning, BinningResult, shared_of
from rfviz.experiments.binning.figures import plot_boxes, plot_shared
from rfviz.experiments.data import Data
from rfviz.features import MapSpec, RandomBinning
from rfviz.lab.animation import Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.binning.text import PROFILES
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import LARGE_SCALE, NOTES
from rfviz.params import Param
from rfviz.words import number

__all__ = ["PAGE", "BinningPage"]

P = Param(
    "p",
    100,
    "int",
    1,
    MAX_REPETITIONS,
    log=True,
    symbol="P",
    label="Grids",
    marks=(1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 4000),
    help="The number of grids (repetitions) in the estimate. Four times as many halve its error.",
)
SHOWN = Param("shown", 1, "int", 1, 60, label="Grid shown", help="Which of the grids is drawn over the points.")
GAMMA = Param(
    "gamma",
    2.0,
    "float",
    0.05,
    50.0,
    log=True,
    ui_high=20.0,
    symbol=r"\gamma",
    label="Gamma",
    help="Inverse length scale: larger γ, smaller boxes, narrower kernel.",
)
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other grids.")
PROFILE, DENSITY = RandomBinning.param("profile"), RandomBinning.param("pitch_density")
FIGURE_2 = {"data": "moons", "data.n_samples": 100, "view": ALL_PAIRS, "p": 1, "shown": 1, "gamma": 2.0, "seed": 0,
            "profile": "laplacian"}  # fmt: skip
DIAMOND = {"data": "moons", "view": "A point", "p": 4000, "gamma": 2.0, "profile": "laplacian"}
TWO_HATS = "exp(-20*(x - 1)^2) + exp(-20*(x - 4)^2)"
MIXTURE = {"data": "moons", "view": MIXED, "mix": 0.5, "p": 300, "gamma": 2.0, "profile": "laplacian"}


class BinningPage(ExperimentPage[Data, Binning, BinningResult]):
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
            "Two hats": (
                "A mixture of narrow and wide hats, drawn as a density of the grids’ pitches.",
                {"data": "moons", "p": 1000, "gamma": 2.0, "profile": "own", DENSITY.name: TWO_HATS},
            ),
            "Grids and waves": (
                f"{NOTES}, conclusion: a mixture of features, grids and waves in equal shares.",
                MIXTURE,
            ),
        }

    def source(self, panel: Panel) -> Data:
        return panel.data("moons", [name for name, spec in datasets.specs().items() if spec.planar], planar=True)

    def settings(self, panel: Panel, source: Data) -> Binning:
        n = max(min(source.dataset.n_samples, MAX_POINTS), 2)
        with panel.section("controls", [P.name, SHOWN.name, GAMMA.name]):
            view, p, shown = panel.control(VIEW), panel.control(P), panel.control(SHOWN)
            share = panel.control(SHARE, name="mix") if view == MIXED else SHARE.default
            gamma = panel.control(GAMMA)
            choices = list(PROFILE.choices)
            profile = panel.choice("profile", choices, "laplacian", "Kernel", PROFILE.help, PROFILES)
            own = {DENSITY.name: panel.control(DENSITY)} if profile == "own" else {}
            point = Param("point", 1, "int", 1, n, label="Ringed point", help="Or click a point in the first picture.")
            row, seed = panel.control(point), panel.control(SEED)
        spec = MapSpec(RandomBinning, n_components=p, gamma=gamma, profile=profile, random_state=seed, **own)
        return Binning(feature_map=spec, view=view, shown=shown - 1, row=row - 1, share=share)

    def animations(
        self, source: Data, settings: Binning, result: BinningResult, panel: Panel
    ) -> tuple[AnimationSpec, ...]:
        if settings.view != VIEW.default:  # a matrix of all pairs for each frame would be megabytes
            return ()
        law = settings.law

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

    def maps(self, source: Data, settings: Binning, cache: Cache) -> tuple[MapExport, ...]:
        X, all_rows = source.dataset.X[:MAX_POINTS], all_rows_of(source.dataset)
        labels = source.dataset.labels(slice(len(X)))
        return (MapExport(RandomBinning.label, settings.law.make(n_components=settings.p), X, all_rows, labels),)


PAGE = BinningPage()
