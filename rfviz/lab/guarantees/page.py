"""Guarantees of the papers next to measurements: how loose each bound is, and how many features it requires."""

from __future__ import annotations

from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.bounds import LOSSES
from rfviz.cache import Cache
from rfviz.experiments.guarantees.compute import ABOUT
from rfviz.experiments.guarantees.experiment import (
    CONSTANT,
    DELTA,
    DIMENSION,
    DRAWS,
    EPS,
    INTRINSIC,
    POINTS,
    RADIUS,
    ROWS,
    SIZE,
    FunctionGuarantees,
    KernelGuarantees,
    KernelResult,
    LearningGuarantees,
    LearningResult,
)
from rfviz.experiments.guarantees.function import ApproximatedFunction
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, map_class, registry
from rfviz.lab.maps import choose_map
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import COMPOSITIONAL_KERNELS, KITCHEN_SINKS, LARGE_SCALE
from rfviz.params import Param

__all__ = ["PAGE", "GuaranteesPage", "Result", "Settings"]

FOURIER = {"view": "Kernel", "map": "RandomFourier", "data": "digits", "normalise": "unit norm", "gamma": 1.0,
           "paired": True, "spectrum": "gaussian", "draw": "iid", "eps": 0.1, "delta": 0.05, "n_components": 1000,
           "dimension": "data", "draws": 100, "points": 64,
           "about": ["one pair", "all pairs", "everywhere"]}  # fmt: skip
_BOXES = {"map": "RandomBinning", "profile": "laplacian", "draws": 50, "points": 32, "n_components": 400}
BINNING = {name: value for name, value in FOURIER.items() if name not in ("paired", "spectrum", "draw")} | _BOXES
SINKS = {"view": "Learning", "theorem": "kitchen sinks", "features": "RandomFourier", "data": "digits",
         "normalise": "unit norm", "gamma": 1.0, "loss": "hinge", "n_components": 300, "rows": "data",
         "size": "measured", "delta": 0.05}  # fmt: skip
COROLLARY_4 = {"view": "Function", "map": "CompositionalFeatures", "data": "digits", "normalise": "none",
               "skeleton": "flat", "turn": 0.5, "deduplicate": False, "n_components": 1000, "eps": 0.1, "points": 64,
               "draws": 50}  # fmt: skip
_VIEW = Param(
    "view",
    "Kernel",
    "choice",
    choices=("Kernel", "Function", "Learning"),
    label="Bounds on",
    help="The error of the kernel estimate, of one function of its space, or the risk of what is learnt.",
)
_M = FeatureMap.param("n_components")
_THEOREMS = {"kitchen sinks": "Kitchen sinks", "compositional": "Compositional", "maxout": "Maxout"}
_DEFAULTS = {"gamma": 1.0, "pool_size": 4}
_OF_MAPS = (*_DEFAULTS, "skeleton", "turn")  # the parameters of a map on learning

Settings = KernelGuarantees | FunctionGuarantees | LearningGuarantees
Result = KernelResult | ApproximatedFunction | LearningResult


class GuaranteesPage(ExperimentPage[ScaledData, Settings, Result]):
    """Errors and risks that are measured, and those that theorems allow."""

    slug = "guarantees"

    @property
    def presets(self) -> Presets:
        return {
            "Uniform against one pair": (
                f"{LARGE_SCALE}, Claim 1, on digits: one pair, all pairs, all of a region.",
                FOURIER,
            ),
            "Binning": (f"{LARGE_SCALE}, Claim 2: a bound for one pair, and one for a region.", BINNING),
            "A function: Corollary 4": (
                f"{COMPOSITIONAL_KERNELS}, Corollary 4: how far a function is from its random version.",
                COROLLARY_4,
            ),
            "Learning: Theorem 1": (f"{KITCHEN_SINKS}, Theorem 1: estimation and approximation apart.", SINKS),
        }

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("digits"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        live = [_VIEW.name, "map", "n_components", "gamma", EPS.name, "theorem", "features", "loss", _M.name, ROWS.name]
        with panel.section("controls", live):
            view = panel.control(_VIEW)
            if view == "Function":
                return _ask_function(panel, source)
            return _ask_kernel(panel, source) if view == "Kernel" else _ask_learning(panel, source)

    def maps(self, source: ScaledData, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        feature_map = settings.spec.make(n_components=settings.m, random_state=0)
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return (MapExport(feature_map.label, feature_map, X, all_rows, source.dataset.labels()),)


def _ask_kernel(panel: Panel, source: ScaledData) -> KernelGuarantees:
    # Bounds are about features as they are drawn; with equal ones kept once there is none.
    spec = choose_map(panel, _DEFAULTS | {"deduplicate": False}, first=RandomFourier)
    eps, delta = panel.control(EPS), panel.control(DELTA)
    titles = {about: about.capitalize() for about in ABOUT}
    shown = panel.several("about", list(ABOUT), list(ABOUT), "Shown", "Which errors the chart shows.", titles)
    points, draws, dimension = panel.control(POINTS), panel.control(DRAWS), panel.control(DIMENSION)
    return KernelGuarantees(
        feature_map=spec,
        normalise=source.normalise,
        eps=eps,
        delta=delta,
        points=points,
        draws=draws,
        dimension=dimension,
        shown=shown,
    )


def _ask_function(panel: Panel, source: ScaledData) -> FunctionGuarantees:
    return FunctionGuarantees(
        feature_map=choose_map(panel, _DEFAULTS | {"deduplicate": False}, first=RandomFourier),
        normalise=source.normalise,
        eps=panel.control(EPS),
        points=panel.control(POINTS),
        draws=panel.control(DRAWS),
    )


def _ask_learning(panel: Panel, source: ScaledData) -> LearningGuarantees:
    theorem = panel.choice(
        "theorem", list(_THEOREMS), "kitchen sinks", "Theorem", "Which paper’s bound on the risk.", _THEOREMS
    )
    cls = _ask_class(panel, theorem)
    asked = [param for param in cls.params if param.name in _OF_MAPS]
    spec = MapSpec(cls, **{param.name: panel.control(param, _DEFAULTS.get(param.name)) for param in asked})
    loss = "ramp"
    if theorem != "maxout":
        if cls is RandomFourier:
            spec = spec.replace(paired=theorem == "compositional")
        elif theorem == "compositional":
            spec = spec.replace(deduplicate=False)  # the theorem is about features as they are drawn
        titles = {name: loss.label for name, loss in LOSSES.items()}
        loss = panel.choice("loss", list(LOSSES), "hinge", "Loss", "c(z) of the margin z = y·f(x).", titles)
    m, rows = panel.control(_M), panel.control(ROWS)
    size = panel.control(RADIUS if theorem == "compositional" else SIZE)
    free = [] if theorem == "compositional" else [DELTA, CONSTANT, INTRINSIC] if theorem == "maxout" else [DELTA]
    return LearningGuarantees(
        feature_map=spec.replace(n_components=m),
        normalise=source.normalise,
        theorem=theorem,
        loss=loss,
        rows=rows,
        size=size,
        **{param.name: panel.control(param) for param in free},
    )


def _ask_class(panel: Panel, theorem: str) -> type[FeatureMap]:
    """Ask for the map that a theorem is about: bounded features, which kitchen sinks are by 1."""
    if theorem == "maxout":
        return RandomMaxout
    if theorem == "compositional":
        from rfviz.features import CompositionalFeatures  # with skeletons, which the other theorems do without

        fit, help = [RandomFourier, CompositionalFeatures], "The theorem is about independent features with a bound."
    else:
        fit = sorted((cls for cls in registry().values() if cls.is_kitchen_sink), key=lambda cls: -cls.rank)
        help = "The theorem is about features that are at most 1."
    bounded = {cls.__name__: cls.label for cls in fit}
    if len(bounded) < 2:
        return RandomFourier
    return map_class(panel.choice("features", list(bounded), "RandomFourier", "Features", help, bounded))


PAGE = GuaranteesPage()
