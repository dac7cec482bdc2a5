"""Every feature map on the same plane: one of its features, and its kernel, estimated and exact."""

from __future__ import annotations

from collections.abc import Mapping

from rfviz.cache import Cache
from rfviz.experiments.zoo.compute import Refusal, ZooResult, ordered_maps, plane, plane_spec
from rfviz.experiments.zoo.experiment import ACROSS, FEATURE, UP, M, Zoo
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.params import Param

__all__ = ["PAGE", "ZooPage"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of every map.")


class ZooPage(ExperimentPage[None, Zoo, ZooResult]):
    """All feature maps next to each other."""

    slug = "zoo"

    @property
    def presets(self) -> Presets:
        return {
            "Ten features": ("So few that each can be seen in the estimate.", {"m": 10}),
            "A thousand": ("So many that the estimate looks like the kernel.", {"m": 1000}),
        }

    def source(self, panel: Panel) -> None:
        """Ask for nothing: the plane is always the same."""

    def settings(self, panel: Panel, source: None) -> Zoo:
        with panel.section("controls", [M.name, ACROSS.name, UP.name]):
            return Zoo(
                m=panel.control(M),
                x=panel.control(ACROSS),
                y=panel.control(UP),
                feature=panel.control(FEATURE),
                seed=panel.control(SEED),
            )

    def failures(self, result: ZooResult) -> Mapping[str, str]:
        return {card.cls.label: card.problem for card in result.cards if isinstance(card, Refusal)}

    def maps(self, source: None, settings: Zoo, cache: Cache) -> tuple[MapExport, ...]:
        specs = (plane_spec(cls, settings.m, settings.seed) for cls in ordered_maps())
        return tuple(MapExport(spec.cls.label, spec.make(device="cpu"), plane()) for spec in specs)


PAGE = ZooPage()
