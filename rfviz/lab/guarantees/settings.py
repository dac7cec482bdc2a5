"""Settings of the page on guarantees: bounds on kernel estimates, or on what is learned with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from rfviz.bounds import LOSSES
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout, map_class, registry
from rfviz.lab.guarantees.compute import ABOUT, DELTAS
from rfviz.lab.maps import choose_map
from rfviz.lab.panel import Panel
from rfviz.params import Param

__all__ = [
    "CompositionalTheorem",
    "KernelSettings",
    "KitchenSinksTheorem",
    "LearningSettings",
    "MaxoutTheorem",
    "Settings",
    "Theorem",
    "choose_settings",
]

_VIEW = Param("view", "Kernel", "choice", choices=("Kernel", "Learning"), label="Bounds on",
              help="The error of the kernel estimate, or the risk of what is learnt with it.")  # fmt: skip
_DELTA = Param("delta", 0.05, "float", 0.001, 0.5, log=True, marks=tuple(sorted(DELTAS)), label="Failure δ",
               help="The probability, over draws of the map, that the error is larger.")  # fmt: skip
_EPS = Param("eps", 0.1, "float", 0.005, 1.0, log=True, label="Error ε",
             marks=(0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0),
             help="The error that you accept. Half the error requires four times the features.")  # fmt: skip
_M = FeatureMap.param("n_components")
_POINTS = Param("points", 64, "int", 3, 1000, log=True, marks=(8, 16, 32, 64, 128, 256), symbol="n",
                label="Points", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
_DIMENSION = Param("dimension", "data", "int", 1, 1_000_000, ui_high=10_000, choices=("data",), log=True, symbol="d",
                   label="Dimension", help="Of the region, in the bounds for all of it.")  # fmt: skip
_DRAWS = Param("draws", 100, "int", 20, 1000, log=True, marks=(20, 50, 100, 200, 500, 1000), label="Draws",
               help="Independent draws of the map. A probability δ needs more than 1/δ of them.")  # fmt: skip
_ROWS = Param("rows", "data", "int", 10, 10**12, ui_low=100, ui_high=10**10, choices=("data",), log=True, symbol="n",
              label="Training rows", help="n in the bound. The measured curves use the data’s own rows.")  # fmt: skip
_SIZE = Param("size", "measured", "float", 0.01, 1e9, ui_low=0.1, ui_high=1000.0, choices=("measured",), log=True,
              label="Size C", help="How large coefficients may be. Measured: of the fit at this m.")  # fmt: skip
_RADIUS = replace(_SIZE, label="Norm B", help="The largest norm of the function. Measured: of the fit at this m.")
_CONSTANT = Param("constant", 1.0, "float", 1e-3, 1e6, ui_low=0.01, ui_high=1000.0, log=True, label="Constant C′",
                  help="The paper does not give its value.")  # fmt: skip
_INTRINSIC = Param("intrinsic", 10, "int", 1, 100_000, ui_high=1000, log=True, label="Intrinsic dim.",
                   help="The Assouad dimension of the data: unknown, at most of the order of d.")  # fmt: skip
_THEOREMS = {"kitchen sinks": "Kitchen sinks", "compositional": "Compositional", "maxout": "Maxout"}
_DEFAULTS = {"gamma": 1.0, "pool_size": 4}


@dataclass(frozen=True)
class KernelSettings:
    """Bounds on the error of a kernel estimate.

    Attributes
    ----------
    spec : MapSpec
        Without the number of features and the seed.
    m : int
        The number of features that is marked.
    eps, delta : float
        The error that the user accepts, and how often it may be larger.
    n_points, draws : int
        What errors are measured on.
    dimension : int or "data"
        Of the region, in bounds for all of it.
    shown : tuple of str
        Which errors are drawn.
    """

    spec: MapSpec[FeatureMap]
    m: int
    eps: float
    delta: float
    n_points: int
    draws: int
    dimension: int | str
    shown: tuple[str, ...]

    @property
    def m_max(self) -> int:
        """Number of features up to which errors are measured: fewer where a feature is a whole grid of boxes."""
        return 400 if self.spec.cls.sparse_output else 2000


@dataclass(frozen=True)
class KitchenSinksTheorem:
    """Theorem 1 of random kitchen sinks, and how often it may fail."""

    name: ClassVar[str] = "kitchen sinks"
    delta: float


@dataclass(frozen=True)
class CompositionalTheorem:
    """The theorem of compositional kernels."""

    name: ClassVar[str] = "compositional"


@dataclass(frozen=True)
class MaxoutTheorem:
    """Theorem 2 of random maxout features: how often it may fail, and the constants that it leaves open."""

    name: ClassVar[str] = "maxout"
    delta: float
    constant: float
    intrinsic: int


Theorem = KitchenSinksTheorem | CompositionalTheorem | MaxoutTheorem


@dataclass(frozen=True)
class LearningSettings:
    """A bound on the risk of what is learned with random features.

    Attributes
    ----------
    theorem : KitchenSinksTheorem, CompositionalTheorem or MaxoutTheorem
    spec : MapSpec
        Without the number of features and the seed.
    loss : str
    m : int
    rows : int or "data"
        Training rows in the bound.
    size : float or "measured"
        How large coefficients, or the norm of the function, may be.
    """

    theorem: Theorem
    spec: MapSpec[FeatureMap]
    loss: str
    m: int
    rows: int | str
    size: float | str

    @property
    def norm(self) -> str:
        """The name of the measured norm that the theorem is about."""
        return "radius" if isinstance(self.theorem, CompositionalTheorem) else "size"


Settings = KernelSettings | LearningSettings


def choose_settings(panel: Panel) -> Settings:
    """Ask for all but the data."""
    view = panel.control(_VIEW)
    live = ["map", "n_components", "gamma", _EPS.name, "theorem", "features", "loss", _M.name, _ROWS.name]
    with panel.section("controls", live):
        return _choose_kernel(panel) if view == "Kernel" else _choose_learning(panel)


def _choose_kernel(panel: Panel) -> KernelSettings:
    spec = choose_map(panel, _DEFAULTS, first=RandomFourier)
    eps, delta = panel.control(_EPS), panel.control(_DELTA)
    titles = {about: about.capitalize() for about in ABOUT}
    shown = panel.several("about", list(ABOUT), list(ABOUT), "Shown", "Which errors the chart shows.", titles)
    n_points, draws, dimension = panel.control(_POINTS), panel.control(_DRAWS), panel.control(_DIMENSION)
    m = spec.params["n_components"]
    return KernelSettings(spec.without("n_components"), m, eps, delta, n_points, draws, dimension, shown)


def _choose_learning(panel: Panel) -> LearningSettings:
    theorem = panel.choice(
        "theorem", list(_THEOREMS), "kitchen sinks", "Theorem", "Which paper’s bound on the risk.", _THEOREMS
    )
    cls = _choose_class(panel, theorem)
    spec = MapSpec(cls, **{p.name: panel.control(p, _DEFAULTS[p.name]) for p in cls.params if p.name in _DEFAULTS})
    loss = "ramp"
    if theorem != "maxout":
        if cls is RandomFourier:
            spec = spec.replace(paired=theorem == "compositional")
        titles = {name: loss.label for name, loss in LOSSES.items()}
        loss = panel.choice("loss", list(LOSSES), "hinge", "Loss", "c(z) of the margin z = y·f(x).", titles)
    m, rows = panel.control(_M), panel.control(_ROWS)
    size = panel.control(_RADIUS if theorem == "compositional" else _SIZE)
    return LearningSettings(_choose_constants(panel, theorem), spec, loss, m, rows, size)


def _choose_constants(panel: Panel, theorem: str) -> Theorem:
    if theorem == "compositional":
        return CompositionalTheorem()
    if theorem == "kitchen sinks":
        return KitchenSinksTheorem(panel.control(_DELTA))
    return MaxoutTheorem(panel.control(_DELTA), panel.control(_CONSTANT), panel.control(_INTRINSIC))


def _choose_class(panel: Panel, theorem: str) -> type[FeatureMap]:
    """Ask for the map that a theorem is about; kitchen sinks are any features that are bounded by 1."""
    if theorem == "maxout":
        return RandomMaxout
    sinks = sorted((cls for cls in registry().values() if cls.is_kitchen_sink), key=lambda cls: -cls.rank)
    bounded = {cls.__name__: cls.label for cls in sinks}
    if theorem == "compositional" or len(bounded) < 2:
        return RandomFourier
    return map_class(
        panel.choice(
            "features",
            list(bounded),
            "RandomFourier",
            "Features",
            "The theorem is about features that are at most 1.",
            bounded,
        )
    )
