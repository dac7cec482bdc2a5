"""Settings of the page on hashing: the hash, and which closer look is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rfviz.features import FeatureMap, MapSpec, RandomMaxout, map_class
from rfviz.lab.controls import Control, one_of
from rfviz.lab.hashing.figures import AXES
from rfviz.lab.hashing.points import MAX_POINTS, NEIGHBOURS, hash_titles, query_rows
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["Look", "NearFar", "Neighbours", "Recall", "Settings", "Source", "choose_hash", "choose_look"]

_SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the hash functions.")
_SIMHASH = Param("beside", True, "bool", label="Compare with SimHash",
                 help="Also draw the theory and the means of SimHash, the signs of random projections.")  # fmt: skip
_M = Param("n_components", 256, "int", 1, 65_536, log=True, symbol="m", label="Symbols",
           marks=(8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048),
           help="Length of a code. The error of a Hamming distance falls as 1/√m.")  # fmt: skip
_Q_MARKS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_Q_HELP = "Projections that compete for a symbol. The more there are, the better a symbol tells near points apart."
_K = Param("k", 10, "int", 1, NEIGHBOURS, log=True, marks=(1, 2, 3, 5, 8, 10, 15, 20, 30, 50), label="Neighbours",
           help="How many nearest points are searched for.")  # fmt: skip
_DRAWS = Param("draws", 5, "int", 1, 50, log=True, marks=(1, 2, 3, 5, 10, 20, 50), label="Draws",
               help="Independent draws of the hash functions.")  # fmt: skip
_LONGEST = Param("longest", 256, "int", 8, 4096, log=True, marks=(32, 64, 128, 256, 512, 1024, 2048), symbol="m",
                 label="Longest code",
                 help="Symbols of the longest maxout code; SimHash goes up to as many bits.")  # fmt: skip
_POOLS = [2, 4, 8, 16, 32, 64]
# Closer looks; only the chosen one is computed.
_LOOKS = ("Neighbours", "Recall", "Near and far")
_LOOK = replace(one_of("look", _LOOKS, _LOOKS[0], "Look closer"), kind="own")


@dataclass(frozen=True)
class Source(ScaledData):
    """Scaled data, and which distance counts as exact."""

    metric: str

    @property
    def n_points(self) -> int:
        """Number of points that are hashed."""
        return min(self.dataset.n_samples, MAX_POINTS)


@dataclass(frozen=True)
class Neighbours:
    """Two rows whose codes are compared; `second` is None for the nearest point."""

    first: int
    second: int | None


@dataclass(frozen=True)
class Recall:
    """Codes whose recall is measured, and the unit of their length."""

    pools: tuple[int, ...]
    longest: int
    k: int
    draws: int
    axis: str


@dataclass(frozen=True)
class NearFar:
    """How many neighbours count as near."""

    k: int


Look = Neighbours | Recall | NearFar


@dataclass(frozen=True)
class Settings:
    """A hash, whether SimHash is drawn next to it, and a closer look."""

    spec: MapSpec[FeatureMap]
    with_simhash: bool
    look: Look


def choose_hash(panel: Panel) -> tuple[MapSpec[FeatureMap], bool]:
    """Ask for a hash with its parameters, and whether SimHash is drawn next to it."""
    with panel.section("controls", ["scheme", "n_components", "pool_size", "gamma", _SEED.name, _SIMHASH.name]):
        titles = hash_titles()
        chosen = panel.choice(
            "scheme", list(titles), "RandomMaxout", "Hash", "What a symbol says about a point.", titles
        )
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
        return spec, spec.cls is RandomMaxout and panel.control(_SIMHASH)


def choose_look(panel: Panel, source: Source) -> Look:
    """Ask which closer look is taken, and at what."""
    look = panel.ask(_LOOK)
    if look == "Neighbours":
        return _choose_rows(panel, source.n_points)
    if look == "Near and far":
        with panel.section("controls-spread"):
            return NearFar(panel.control(_K))
    with panel.section("controls-recall"):
        pools = panel.several("pools", _POOLS, [2, 4, 16], "Pool sizes q", "Maxout codes to compare.")
        longest, k, draws = panel.control(_LONGEST), panel.control(_K), panel.control(_DRAWS)
        axis = panel.choice("axis", list(AXES), "symbols", "Length in", "What the horizontal axis counts.")
    return Recall(pools, longest, k, draws, axis)


def _choose_rows(panel: Panel, n: int) -> Neighbours:
    queries = query_rows(n)
    start = int(queries[len(queries) // 2]) + 1
    with panel.section("controls-pair"):
        one = panel.ask(_row("first", start, 1, n, "Example", "Row of the point that is searched for."))
        help = "The second row whose code is shown; 0 takes the nearest point."
        two = panel.ask(_row("second", 0, 0, n, "Compared with", help))
    return Neighbours(one - 1, None if two in (0, one) else two - 1)


def _row(name: str, default: int, low: int, high: int, label: str, help: str) -> Control:
    clean = Param(name, default, "int", low, high).clamp
    return Control(name, "number", default, clean, label, help, low=low, high=high)
