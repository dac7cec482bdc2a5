"""What the page on hashing asks: the hash, and which closer look is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rfviz.experiments.hashing.experiment import DRAWS, LONGEST, LOOKS, SIMHASH, K, example_row
from rfviz.experiments.hashing.figures import AXES
from rfviz.experiments.hashing.points import MAX_POINTS, hash_titles
from rfviz.features import FeatureMap, MapSpec, RandomMaxout, map_class
from rfviz.lab.controls import Control, one_of
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["Source", "choose_hash", "choose_look"]

_SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the hash functions.")
_M = Param(
    "n_components",
    256,
    "int",
    1,
    65_536,
    log=True,
    symbol="m",
    label="Symbols",
    marks=(8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048),
    help="Length of a code. The error of a Hamming distance falls as 1/√m.",
)
_Q_MARKS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_Q_HELP = "Projections that compete for a symbol. The more there are, the better a symbol tells near points apart."
_POOLS = [2, 4, 8, 16, 32, 64]
_LOOK = replace(one_of("look", LOOKS, LOOKS[0], "Look closer"), kind="own")


@dataclass(frozen=True)
class Source(ScaledData):
    """Scaled data, and which distance counts as exact."""

    metric: str

    @property
    def n_points(self) -> int:
        """Number of points that are hashed."""
        return min(self.dataset.n_samples, MAX_POINTS)


def choose_hash(panel: Panel) -> tuple[MapSpec[FeatureMap], bool]:
    """Ask for a hash with its parameters, and whether SimHash is drawn next to it."""
    with panel.section("controls", ["map", "n_components", "pool_size", "gamma", _SEED.name, "with_simhash"]):
        titles = hash_titles()
        chosen = panel.choice("map", list(titles), "RandomMaxout", "Hash", "What a symbol says about a point.", titles)
        spec = MapSpec(map_class(chosen))
        for param in spec.cls.params:
            if param.name == "n_components":
                spec = spec.replace(n_components=panel.control(_M))
            elif param.name == "pool_size":
                own = replace(param, default=8, low=2, high=64, marks=_Q_MARKS, help=_Q_HELP)
                spec = spec.replace(pool_size=panel.control(own))
            elif param.name != "dtype" and param.kind != "range":  # whole images: only they have a law of the angle
                spec = spec.replace(**{param.name: panel.control(param)})
        spec = spec.replace(random_state=panel.control(_SEED))
        return spec, spec.cls is RandomMaxout and panel.control(SIMHASH, True)


def choose_look(panel: Panel, source: Source) -> dict[str, Any]:
    """Ask which closer look is taken, and at what: fields of :class:`rfviz.experiments.Hashing`."""
    look = panel.ask(_LOOK)
    if look == "Neighbours":
        return {"look": look} | _choose_rows(panel, source.n_points)
    if look == "Near and far":
        with panel.section("controls-spread"):
            return {"look": look, "k": panel.control(K)}
    with panel.section("controls-recall"):
        pools = panel.several("pools", _POOLS, [2, 4, 16], "Pool sizes q", "Maxout codes to compare.")
        numbers = {param.name: panel.control(param) for param in (LONGEST, K, DRAWS)}
        axis = panel.choice("axis", list(AXES), "symbols", "Length in", "What the horizontal axis counts.")
    return {"look": look, "pools": pools, "axis": axis} | numbers


def _choose_rows(panel: Panel, n: int) -> dict[str, int | None]:
    with panel.section("controls-pair"):
        one = panel.ask(_row("first", example_row(n) + 1, 1, n, "Example", "Row of the point that is searched for."))
        help = "The second row whose code is shown; 0 takes the nearest point."
        two = panel.ask(_row("second", 0, 0, n, "Compared with", help))
    return {"first": one - 1, "second": None if two in (0, one) else two - 1}


def _row(name: str, default: int, low: int, high: int, label: str, help: str) -> Control:
    clean = Param(name, default, "int", low, high).clamp
    return Control(name, "number", default, clean, label, help, low=low, high=high)
