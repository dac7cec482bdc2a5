"""Remark 1 of the random maxout paper: which projection is the largest is a hash code."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.hash_points import HashPoints, exact_order, hash_codes, prepare_hash_points
from rfviz.analysis.hash_recall import RecallResult, recall_curves
from rfviz.analysis.hashing import HammingResult, NearFarResult, hash_pairs, near_and_far, pair_place
from rfviz.features import registry
from rfviz.figures.hashing import AXES, plot_hamming, plot_near_far, plot_recall
from rfviz.lab.panel import Panel
from rfviz.recipes import hashing_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.hashing_script import hashing_script
from rfviz.recipes.hashing_settings import (
    SIMHASH,
    NearFar,
    Neighbours,
    Recall,
    Settings,
    Source,
    choose_hash,
    choose_look,
    choose_source,
)

__all__ = ["RECIPE", "Compared", "Hashed", "Outcome", "closer", "closer_chart", "compare", "main_chart", "nearest"]

SAME = {"data": "digits", "scheme": "RandomMaxout", "pool_size": 2, "n_components": 256, "seed": 0, "beside": True,
        "normalise": "unit norm", "metric": "cosine", "look": "Neighbours", "first": 900, "second": 0}  # fmt: skip
FACES = SAME | {"data": "turning_head", "data.order_noise": 3, "data.random_state": 0, "pool_size": 16,
                "n_components": 512, "first": 17}  # fmt: skip
# So that few lengths are ever computed: shorter codes are the beginnings of longer ones.
_SHORTEST = 256


@dataclass(frozen=True, eq=False)
class Hashed:
    """Points with their codes: what the parts of the page look at.

    Attributes
    ----------
    points : HashPoints
    scheme : str
    setting : dict
    codes : ndarray of shape (n, m)
    key : hashable
        What they are known by.
    """

    points: HashPoints
    scheme: str
    setting: dict[str, Any]
    codes: np.ndarray
    key: Hashable

    def pairs(self, keeper: Keeper) -> HammingResult:
        """Hamming distances of sampled pairs, with their law."""
        return keeper.kept(
            "hash pairs", self.key, lambda: hash_pairs(self.points, self.scheme, self.setting, self.codes), 64
        )

    def place(self, one: int, two: int) -> tuple[float, float]:
        """Where a pair of rows lies in the main chart."""
        return pair_place(self.points, self.scheme, self.setting, self.codes, one, two)


@dataclass(frozen=True, eq=False)
class Compared:
    """Codes, their distances beside the law, and those of SimHash where they are drawn."""

    view: Hashed
    result: HammingResult
    other: HammingResult | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the main chart shows, and the closer look: none at neighbours."""

    compared: Compared
    closer: RecallResult | NearFarResult | None


class Hashing(Recipe[Source, Settings, Outcome]):
    """Hamming distances of hash codes against the distances of points."""

    slug = "hashing"
    presets: ClassVar = {
        "q = 2 is SimHash": ("The larger of two projections is the sign of their difference.", SAME),
        "Faces": ("33 pictures of a turning head: the nearest codes are the neighbouring frames.", FACES),
    }

    def source(self, panel: Panel) -> Source:
        return choose_source(panel)

    def settings(self, panel: Panel, source: Source) -> Settings:
        return Settings(*choose_hash(panel), choose_look(panel, source))

    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Outcome:
        compared = compare(source, settings.scheme, settings.setting, settings.beside, keeper)
        return Outcome(compared, closer(source, settings.look, compared.view, keeper))

    def charts(self, source: Source, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        main = main_chart(source, settings.look, result.compared)
        return (main,) if result.closer is None else (main, closer_chart(source, settings.look, result.closer))

    def script(self, source: Source, settings: Settings) -> str:
        return hashing_script(source, settings, codes_for(settings.setting["n_components"]))

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        X = prepare_hash_points(source.data.dataset, source.normalise, source.metric).original
        scheme = registry()[settings.scheme]
        return (MapOn(scheme.label, scheme(**settings.setting), X),)


def codes_for(m: int) -> int:
    """How many symbols are computed where m are asked for."""
    return max(1 << (m - 1).bit_length(), _SHORTEST)


def compare(source: Source, scheme: str, setting: dict[str, Any], beside: bool, keeper: Keeper) -> Compared:
    """Hash the points and compare the distances of their codes with the law, and with SimHash."""
    dataset, rules = source.data.dataset, (source.normalise, source.metric)
    points = keeper.watched("hash points", source.key, lambda p: prepare_hash_points(dataset, *rules, progress=p), 4)
    view, other = _hashed(points, source.key, scheme, setting, keeper), None
    result = view.pairs(keeper)
    if beside:
        plain = {"n_components": setting["n_components"], "random_state": setting["random_state"]}
        other = _hashed(points, source.key, SIMHASH, plain, keeper).pairs(keeper)
    return Compared(view, result, other)


def _hashed(points: HashPoints, key: Hashable, scheme: str, setting: dict[str, Any], keeper: Keeper) -> Hashed:
    """The codes of all points; the length only cuts codes that are known already."""
    m = setting["n_components"]
    full = setting | {"n_components": codes_for(m)}
    known_by = (key, scheme, tuple(sorted(full.items())))
    codes = keeper.watched("hash codes", known_by, lambda p: hash_codes(points, scheme, full, p), 16)
    return Hashed(points, scheme, setting, codes[:, :m], (*known_by, m))


def nearest(look: Neighbours, points: HashPoints) -> int:
    """The row that an example is compared with."""
    return int(exact_order(points, look.first, 1)[0]) if look.second is None else look.second


def closer(source: Source, look: Any, view: Hashed, keeper: Keeper) -> RecallResult | NearFarResult | None:
    """What a closer look shows; None where it has no chart of its own."""
    points = view.points
    if isinstance(look, Recall) and look.pools:
        asked = (look.pools, look.longest, look.k, look.draws)
        compute = lambda p: recall_curves(points, *asked, p)  # noqa: E731
        return keeper.watched("hash recall", (source.key, *asked), compute, 32)
    if isinstance(look, NearFar):
        k = _near(look, points)
        compute = lambda: near_and_far(points, view.scheme, view.setting, view.codes, k)  # noqa: E731
        return keeper.kept("near and far", (view.key, k), compute, 64)
    return None


def _near(look: NearFar, points: HashPoints) -> int:
    return min(look.k, points.neighbours.shape[1])


def main_chart(source: Source, look: Any, compared: Compared) -> Chart:
    """Hamming distance against distance, with the two points that are looked at where there are such."""
    view, result, other = compared.view, compared.result, compared.other
    place = view.place(look.first, nearest(look, view.points)) if isinstance(look, Neighbours) else None
    figure = plot_hamming(result, other, place, revision=f"{source.key}")
    words = text.summary(result, other, view.setting.get("pool_size"))
    found = [result] if other is None else [result, other]
    frame = pd.concat([r.to_frame().assign(hash=r.scheme) for r in found], ignore_index=True)
    return Chart("hamming", figure, frame, words.replace("*", ""), f"**What am I seeing?** {words}")


def closer_chart(source: Source, look: Any, found: RecallResult | NearFarResult) -> Chart:
    """Recall against the length of codes, or the distances of near and of far pairs."""
    if isinstance(found, RecallResult):
        figure = plot_recall(found, look.axis, revision=f"{source.key}-{look.axis}")
        alt = f"Recall at {found.k} against the {AXES[look.axis]}."
        return Chart("recall", figure, found.to_frame(), alt, text.recall(found))
    alt = f"Densities of differing symbols: near and far pairs, area under the ROC curve {found.auc:.3f}."
    figure = plot_near_far(found, revision=f"{source.key}")
    return Chart("near-far", figure, found.to_frame(), alt, text.near_far(found))


RECIPE = Hashing()
