"""Figure 3 of the compositional kernels paper: how well m random features estimate the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rfviz.analysis.points import Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.datasets import DEFAULT_COLOUR_IMAGES, file_of_download
from rfviz.experiments.kernel_approximation.compute import KernelErrorResult
from rfviz.experiments.kernel_approximation.experiment import KernelApproximation, KernelErrors
from rfviz.lab.animation import Animation, AnimationSpec, animate
from rfviz.lab.kernel_approximation import animation
from rfviz.lab.kernel_approximation.settings import Source, choose_experiment, choose_source
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS

__all__ = ["PAGE", "KernelApproximationPage", "figure_3"]

FIGURE_3 = f"{COMPOSITIONAL_KERNELS}, Figure 3: 128 colour images of 24×24 pixels, ten draws"
BIASED = {"data": "sphere", "data.n_samples": 500, "data.dimension": 3, "points": 128, "draws": 20, "m_max": 500,
          "maps": ["RandomFourier"], "gamma": 0.1, "paired": True, "odd": True, "normalise": "unit norm",
          "metric": "rmse", "m": 11}  # fmt: skip
BETTER = {"data": "digits", "normalise": "unit norm", "points": 128, "draws": 10, "m_max": 1000, "m": 112, "odd": False,
          "maps": ["RandomFourier"], "draw": ["iid", "orthogonal", "structured", "qmc"], "spectrum": "gaussian",
          "gamma": 1.0, "paired": True, "metric": "rmse"}  # fmt: skip
SHARED_POOL = {"data": "digits", "points": 128, "normalise": "unit norm", "metric": "rmse", "relative": True,
               "maps": ["RandomMaxout", "SharedPoolMaxout"], "pool_size": 4, "pools": [], "n_projections": 400,
               "m_max": 2000, "m": 94, "draws": 20, "odd": False}  # fmt: skip


def figure_3(skeleton: str) -> dict[str, Any]:
    """Return the setting of Figure 3 of the paper: CIFAR-10 where the data folder has it, else bundled photographs."""
    found = file_of_download("cifar10") is not None
    data = {"data": "cifar10", "data.side": "24"} if found else {"data": DEFAULT_COLOUR_IMAGES}
    return data | {
        "normalise": "none",
        "points": 128,
        "draws": 10,
        "m_max": 10_000,
        "m": 1128,
        "odd": False,
        "metric": "rmse",
        "maps": ["CompositionalFeatures", "HybridCompositional"],
        "skeleton": skeleton,
        "turn": 0.5,
        "deduplicate": True,
        "both": True,
        "paired": False,
    }


class KernelApproximationPage(ExperimentPage[Source, KernelApproximation, KernelErrors]):
    """Kernel estimates against the exact kernel, for every number of features; of all rows of a file in parts."""

    slug = "kernel-approximation"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 3, shallow": (f"{FIGURE_3}, all pixels under one node.", figure_3("flat")),
            "Figure 3, deep": (f"{FIGURE_3}, two convolutions.", figure_3("deep")),
            "Better draws": (
                "Four ways to draw the frequencies of Fourier features, at the same cost or less.",
                BETTER,
            ),
            "Shared pool": (
                "Maxout features over 400 shared projections, compared with independent ones.",
                SHARED_POOL,
            ),
            "A biased map": (
                "Odd numbers of paired Fourier features, and a wide kernel: a bias that draws show.",
                BIASED,
            ),
        }

    def source(self, panel: Panel) -> Source:
        return choose_source(panel)

    def settings(self, panel: Panel, source: Source) -> KernelApproximation:
        return choose_experiment(panel, source)

    def has_parts(self, source: Source) -> bool:
        return source.all_rows

    def failures(self, result: KernelErrors) -> Mapping[str, str]:
        return result.failures

    def animations(
        self, source: Source, settings: KernelApproximation, result: KernelErrors, panel: Panel
    ) -> list[AnimationSpec]:
        def over_m(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            return animation.over_m(settings, source.data, result.maps, options)

        def over_pools(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            def run(value: int) -> tuple[KernelApproximation, Sequence[KernelErrorResult]]:
                asked = replace(self.settings(panel.with_value("pool_size", value), source), all_rows=False)
                return asked, asked.compute(source.data, cache).maps

            return animation.over_pools(run, source.data, pooled[0], options, now, cache, seconds)

        found = [animate(panel, "m", "m", source, over_m)]
        pooled = [place for place, candidate in enumerate(settings.candidates) if candidate.spec.get("pool_size")]
        if pooled and not result.failures:
            found.append(animate(panel, "q", "pool_size", source, over_pools))
        return found

    def maps(self, source: Source, settings: KernelApproximation, cache: Cache) -> tuple[MapExport, ...]:
        sample = settings.sample(source.data, cache)
        all_rows = all_rows_of(source.dataset, Scaling(source.dataset.X[sample.rows], source.normalise))
        X, labels = sample.original, source.dataset.labels(sample.rows)
        made = [(one.label, one.spec.make(n_components=settings.m, random_state=0)) for one in settings.candidates]
        return tuple(MapExport(label, feature_map, X, all_rows, labels) for label, feature_map in made)


PAGE = KernelApproximationPage()
