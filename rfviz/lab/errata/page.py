"""Errors in the papers: a statement as printed, next to its correction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rfviz.cache import Cache
from rfviz.experiments.errata.compute import Picture
from rfviz.experiments.errata.experiment import CONTROLS, STATEMENT, Errata
from rfviz.experiments.errata.figures import plot_erratum
from rfviz.experiments.errata.statements import ERRATA, STATEMENTS
from rfviz.lab.animation import Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.errata.text import TITLES
from rfviz.lab.page import ExperimentPage, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS, KITCHEN_SINKS, RANDOM_MAXOUT

__all__ = ["PAGE", "ErrataPage"]

# What can be played, as its button says.
_PLAYED = {"pool_size": "q", "rho": "ρ", "m": "m", "dimension": "d", "categories": "n"}


class ErrataPage(ExperimentPage[None, Errata, Picture]):
    """The statements of the five papers that do not hold, each with its picture."""

    slug = "errata"

    @property
    def presets(self) -> Presets:
        return {
            "Theorem 1 of maxout": (
                f"{RANDOM_MAXOUT}: both mistakes of its proof, at q = 4 and ρ = 0.3.",
                {"statement": "maxout kernel", "pool_size": 4, "rho": 0.3},
            ),
            "Far points": (
                f"{RANDOM_MAXOUT}: most of the kernel is a constant.",
                {"statement": "far points", "pool_size": 32},
            ),
            "Figure 2 of kitchen sinks": (
                f"{KITCHEN_SINKS}: the largest weight falls because copies of a stump share it.",
                {"statement": "copies of stumps", "seed": 0},
            ),
            "Categories": (
                f"{COMPOSITIONAL_KERNELS}, Example 4: an exponent, printed upside down.",
                {"statement": "categories", "categories": 4},
            ),
        }

    def source(self, panel: Panel) -> None:
        """Ask for nothing: what has points makes its own."""

    def settings(self, panel: Panel, source: None) -> Errata:
        with panel.section("controls", [STATEMENT.name, *CONTROLS]):
            help = "The statements that have a picture. All others are below the chart, by paper."
            statement = panel.choice(STATEMENT.name, list(STATEMENTS), STATEMENT.default, STATEMENT.label, help, TITLES)
            controls = {name: panel.control(CONTROLS[name]) for name in ERRATA[statement].controls}
        return Errata(statement=statement, **controls)

    def animations(self, source: None, settings: Errata, result: Picture, panel: Panel) -> list[AnimationSpec]:
        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> tuple[Errata, Picture]:
                asked = replace(settings, **{name: value})
                return asked, self.run(source, asked, cache)

            values, found = one_by_one(options, now, run, cache, seconds)
            captions = [f"{CONTROLS[name].label} {value:g}" for value in values]
            return Animation(values, captions, [{"erratum": plot_erratum(picture)} for _, picture in found])

        names = [name for name in settings.erratum.controls if name in _PLAYED]
        return [animate(panel, _PLAYED[name], name, source, partial(over, name)) for name in names]


PAGE = ErrataPage()
