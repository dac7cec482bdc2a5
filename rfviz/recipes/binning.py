"""Figure 2 of the paper on random features: random grids in the plane, and the kernel that they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rfviz import datasets
from rfviz.analysis.binning import (
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
from rfviz.features import RandomBinning
from rfviz.figures.binning import plot_boxes, plot_pairs, plot_shared, plot_shared_error
from rfviz.lab import script
from rfviz.lab.panel import Data, Panel
from rfviz.params import Param
from rfviz.recipes import binning_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe

__all__ = ["RECIPE", "Outcome", "Settings", "error_chart", "grid_chart", "share_chart"]

P = Param("p", 100, "int", 1, MAX_REPETITIONS, log=True, symbol="P", label="Grids",
          marks=(1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 4000),
          help="How many grids (repetitions) the estimate averages. Four times as many halve its error.")  # fmt: skip
SHOWN = Param("shown", 1, "int", 1, 60, label="Grid shown", help="Which of the grids is drawn over the points.")
GAMMA = Param("gamma", 2.0, "float", 0.05, 50.0, log=True, ui_high=20.0, symbol=r"\gamma", label="Gamma",
              help="One over a length: a larger γ makes smaller boxes and a narrower kernel.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other grids.")
ALL_PAIRS = "All pairs"
VIEW = Param("view", "A point", "choice", choices=("A point", ALL_PAIRS), label="Second picture",
             help="The kernel around the ringed point, or of all pairs as in the paper’s Figure 2.")  # fmt: skip
PROFILE = next(p for p in RandomBinning.params if p.name == "profile")
DATA = ["moons", "circles", "spirals", "xor", "circle"]
FIGURE_2 = {"data": "moons", "data.n_samples": 100, "view": ALL_PAIRS, "p": 1, "shown": 1, "gamma": 2.0, "seed": 0,
            "profile": "laplacian"}  # fmt: skip
DIAMOND = {"data": "moons", "view": "A point", "p": 4000, "gamma": 2.0, "profile": "laplacian"}


@dataclass(frozen=True, eq=False)
class Settings:
    """The grids, and what is looked at.

    Attributes
    ----------
    view : str
        Of the second picture.
    p : int
        How many grids are averaged.
    shown : int
        The grid that is drawn, from 0.
    gamma : float
    profile : str
        The kernel along one axis.
    row : int
        The ringed point, from 0.
    seed : int
    """

    view: str
    p: int
    shown: int
    gamma: float
    profile: str
    row: int
    seed: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """All grids, the one that is drawn, what they add up to, and their shares of all pairs where those are drawn."""

    grids: PlaneGrids
    one: BoxView
    shared: SharedBoxes
    pairs: tuple[np.ndarray, np.ndarray] | None


class Binning(Recipe[Data, Settings, Outcome]):
    """Random grids over points of the plane, and the share of them that put two points into one box."""

    slug = "binning"
    presets: ClassVar = {
        "Figure 2 of the paper": ("One random grid, and its matrix of inner products.", FIGURE_2),
        "Boxes to diamonds": ("4000 grids, whose boxes have become the Laplacian kernel.", DIAMOND),
    }

    def source(self, panel: Panel) -> Data:
        return panel.data("moons", DATA, planar=True)

    def settings(self, panel: Panel, source: Data) -> Settings:
        n = max(min(source.dataset.n_samples, MAX_POINTS), 2)
        with panel.section("controls"):
            view, p, shown = panel.control(VIEW), panel.control(P), panel.control(SHOWN)
            gamma = panel.control(GAMMA)
            choices = list(PROFILE.choices)
            profile = panel.choice("profile", choices, "laplacian", "Kernel", PROFILE.help, text.PROFILES)
            point = Param("point", 1, "int", 1, n, label="Ringed point", help="Or click a point in picture one.")
            row, seed = panel.control(point), panel.control(SEED)
        return Settings(view, p, shown - 1, gamma, profile, row - 1, seed)

    def run(self, source: Data, settings: Settings, keeper: Keeper) -> Outcome:
        law = (settings.gamma, settings.profile, settings.seed)
        key, p, row = (source.key, *law), settings.p, settings.row
        grids = keeper.watched("grids", key, lambda _: plane_grids(source.dataset, *law), most=12)
        one = boxes(grids, settings.shown, row)
        shared = keeper.kept("shared boxes", (key, p, row), lambda: shared_boxes(grids, row, p), most=200)
        pairs = None
        if settings.view == ALL_PAIRS:
            first = settings.shown
            pairs = keeper.kept("box pairs", (key, p, first), lambda: pair_shares(grids, p, first), most=24)
        return Outcome(grids, one, shared, pairs)

    def charts(self, source: Data, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        return tuple(draw(source, settings, result) for draw in (grid_chart, share_chart, error_chart))

    def script(self, source: Data, settings: Settings) -> str:
        uses = [datasets, plane_grids, boxes, shared_boxes, plot_boxes, plot_shared_error]
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
grids = plane_grids(dataset, gamma={settings.gamma}, profile={settings.profile!r}, random_state={settings.seed})

row = {settings.row}
one = boxes(grids, repetition={settings.shown}, row=row)
shared = shared_boxes(grids, row, n_repetitions={settings.p})

frames = {{"boxes": grids.boxes_frame(one)}}
figures = {{"boxes": plot_boxes(grids, one, row)}}
{second}
frames["binning-error"] = shared.to_frame()
figures["binning-error"] = plot_shared_error(shared)
print(frames["binning-error"])

for figure in figures.values():
    figure.show()
"""
        return script.write("How do grids that are laid at random add up to a smooth kernel?", body, uses)

    def maps(self, source: Data, settings: Settings) -> tuple[MapOn, ...]:
        law = {"gamma": settings.gamma, "profile": settings.profile, "random_state": settings.seed}
        return (MapOn(RandomBinning.label, RandomBinning(settings.p, **law), source.dataset.X[:MAX_POINTS]),)


def grid_chart(source: Data, settings: Settings, result: Outcome) -> Chart:
    """One of the grids over the points, and what is seen in it and in its neighbour."""
    grids, one, shared = result.grids, result.one, result.shared
    figure = plot_boxes(grids, one, settings.row, revision=str(source.key))
    words = text.explanation(grids, one, shared, shared.error)
    if result.pairs is not None:
        words = text.pairs_explanation(grids, one, settings.p)
    return Chart("boxes", figure, grids.boxes_frame(one), text.boxes_summary(grids, one), words)


def share_chart(source: Data, settings: Settings, result: Outcome) -> Chart:
    """What the grids add up to: of all pairs, or around the ringed point."""
    if result.pairs is not None:
        shares, order = result.pairs
        figure = plot_pairs(shares, order, revision=str(source.key))
        return Chart("pairs", figure, pairs_frame(shares, order), "Inner products of all pairs.")
    shared = result.shared
    figure = plot_shared(result.grids, shared, revision=str(source.key))
    return Chart("shared", figure, result.grids.shared_frame(shared), text.shared_summary(shared))


def error_chart(source: Data, settings: Settings, result: Outcome) -> Chart:
    """The error of the sum against the number of grids."""
    shared, law = result.shared, (settings.gamma, settings.profile, settings.seed)
    figure = plot_shared_error(shared, revision=str((source.key, *law)))
    return Chart("binning-error", figure, shared.to_frame(), f"RMS error, {shared.error:.3g} at P = {settings.p}.")


RECIPE = Binning()
