"""What can be chosen on the page on guarantees: bounds on kernel estimates, or on what is learnt with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rfviz.analysis.guarantees import ABOUT, DELTAS
from rfviz.analysis.points import NORMALISATION
from rfviz.bounds import LOSSES
from rfviz.features import COMMON_PARAMS, registry
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param
from rfviz.recipes.maps import choose_map

__all__ = ["KernelSettings", "LearningSettings", "choose_settings", "choose_source"]

_VIEW = Param("view", "Kernel", "choice", choices=("Kernel", "Learning"), label="Bounds on",
              help="The error of the kernel estimate, or the risk of what is learnt with it.")  # fmt: skip
_DELTA = Param("delta", 0.05, "float", 0.001, 0.5, log=True, marks=tuple(sorted(DELTAS)), label="Failure δ",
              help="The probability, over draws of the map, with which the error may be larger.")  # fmt: skip
_EPS = Param("eps", 0.1, "float", 0.005, 1.0, log=True, label="Error ε",
             marks=(0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0),
             help="The error that you can live with. Half the error asks for four times the features.")  # fmt: skip
_M = next(p for p in COMMON_PARAMS if p.name == "n_components")
_POINTS = Param("points", 64, "int", 3, 1000, log=True, marks=(8, 16, 32, 64, 128, 256), symbol="n",
                label="Points", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
_DIMENSION = Param("dimension", "data", "int", 1, 1_000_000, ui_high=10_000, choices=("data",), log=True, symbol="d",
                   label="Dimension", help="Of the region, in the bounds for all of it.")  # fmt: skip
_DRAWS = Param("draws", 100, "int", 20, 1000, log=True, marks=(20, 50, 100, 200, 500, 1000), label="Draws",
               help="Independent draws of the map. A probability δ needs more than 1/δ of them.")  # fmt: skip
_ROWS = Param("rows", "data", "int", 10, 10**12, ui_low=100, ui_high=10**10, choices=("data",), log=True, symbol="n",
              label="Training rows", help="n in the bound. What is measured has the rows of the data.")  # fmt: skip
_SIZE = Param("size", "measured", "float", 0.01, 1e9, ui_low=0.1, ui_high=1000.0, choices=("measured",), log=True,
              label="Size C", help="How large coefficients may be. Measured: of the fit at this m.")  # fmt: skip
_RADIUS = replace(_SIZE, label="Norm B", help="The largest norm of the function. Measured: of the fit at this m.")
_CONSTANT = Param("constant", 1.0, "float", 1e-3, 1e6, ui_low=0.01, ui_high=1000.0, log=True, label="Constant C′",
                  help="The paper says only that it is a number.")  # fmt: skip
_INTRINSIC = Param("intrinsic", 10, "int", 1, 100_000, ui_high=1000, log=True, label="Intrinsic dim.",
                   help="The Assouad dimension of the data: not known, of the order of d at most.")  # fmt: skip
_THEOREMS = {
    "kitchen sinks": "Kitchen sinks",
    "compositional": "Compositional",
    "maxout": "Maxout",
}
_DEFAULTS = {"gamma": 1.0, "pool_size": 4}


@dataclass(frozen=True, eq=False)
class KernelSettings:
    """Bounds on the error of a kernel estimate.

    Attributes
    ----------
    scheme : str
        Class name.
    setting : dict
        Its keyword arguments, but for the number of features and the seed.
    m : int
        The number of features that is marked.
    eps, delta : float
        The error that the reader allows, and how often it may be larger.
    n_points, draws : int
        What errors are measured on.
    dimension : int or "data"
        Of the region, in bounds for all of it.
    shown : list of str
        Which errors are drawn.
    """

    scheme: str
    setting: dict[str, Any]
    m: int
    eps: float
    delta: float
    n_points: int
    dimension: int | str
    draws: int
    shown: list[str]

    @property
    def sparse(self) -> bool:
        """Whether a feature is a whole grid of boxes."""
        return bool(getattr(registry()[self.scheme], "sparse_output", False))


@dataclass(frozen=True, eq=False)
class LearningSettings:
    """A bound on the risk of what is learnt with random features.

    Attributes
    ----------
    theorem : {"kitchen sinks", "compositional", "maxout"}
    scheme : str
    setting : dict
    loss : str
    m : int
    rows : int or "data"
        Training rows in the bound.
    size : float or "measured"
        How large coefficients, or the norm of the function, may be.
    constants : dict
        Those of δ, C′ and the intrinsic dimension that the theorem has.
    """

    theorem: str
    scheme: str
    setting: dict[str, Any]
    loss: str
    m: int
    rows: int | str
    size: float | str
    constants: dict[str, Any]


def choose_source(panel: Panel) -> ScaledData:
    """Ask for the data."""
    return ScaledData(panel.data("digits"), panel.control(NORMALISATION))


def choose_settings(panel: Panel) -> KernelSettings | LearningSettings:
    """Ask for all else."""
    view = panel.control(_VIEW)
    with panel.section("controls"):
        return _choose_kernel(panel) if view == "Kernel" else _choose_learning(panel)


def _choose_kernel(panel: Panel) -> KernelSettings:
    scheme, setting = choose_map(panel, _DEFAULTS, first="RandomFourier")
    m, eps, delta = setting.pop("n_components"), panel.control(_EPS), panel.control(_DELTA)
    with panel.section("more", ["about", _POINTS.name, _DRAWS.name, _DIMENSION.name]):
        shown = panel.several("about", list(ABOUT), list(ABOUT), "Shown", "Which errors are drawn.",
                              {about: about.capitalize() for about in ABOUT})  # fmt: skip
        n_points, draws, dimension = panel.control(_POINTS), panel.control(_DRAWS), panel.control(_DIMENSION)
    return KernelSettings(scheme.__name__, setting, m, eps, delta, n_points, dimension, draws, shown)


def _choose_learning(panel: Panel) -> LearningSettings:
    theorem = panel.choice("theorem", list(_THEOREMS), "kitchen sinks", "Theorem", "Whose bound.", _THEOREMS)
    scheme = _learning_scheme(panel, theorem)
    params = [p for p in registry()[scheme].params if p.name in _DEFAULTS]
    setting = {p.name: panel.control(p, _DEFAULTS[p.name]) for p in params}
    loss = "ramp"
    if theorem != "maxout":
        if scheme == "RandomFourier":
            setting["paired"] = theorem == "compositional"
        names = {k: v.label for k, v in LOSSES.items()}
        loss = panel.choice("loss", list(LOSSES), "hinge", "Loss", "c(z) of the margin z = y·f(x).", names)
    m, rows = panel.control(_M), panel.control(_ROWS)
    size = panel.control(_RADIUS if theorem == "compositional" else _SIZE)
    constants = {} if theorem == "compositional" else {"delta": panel.control(_DELTA)}
    if theorem == "maxout":
        constants |= {"constant": panel.control(_CONSTANT), "intrinsic": panel.control(_INTRINSIC)}
    return LearningSettings(theorem, scheme, setting, loss, m, rows, size, constants)


def _learning_scheme(panel: Panel, theorem: str) -> str:
    """The map that a theorem speaks of; kitchen sinks are any features that are bounded by 1."""
    if theorem == "maxout":
        return "RandomMaxout"
    sinks = sorted((cls for cls in registry().values() if cls.is_kitchen_sink), key=lambda cls: -cls.rank)
    bounded = {cls.__name__: cls.label for cls in sinks}
    if theorem == "compositional" or len(bounded) < 2:
        return "RandomFourier"
    return panel.choice("features", list(bounded), "RandomFourier", "Features", "Bounded by 1.", bounded)
