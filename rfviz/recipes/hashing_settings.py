"""What can be chosen on the page on hashing: the hash, and which closer look is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rfviz.analysis.hash_points import MAX_POINTS, METRIC, NEIGHBOURS, hash_schemes, query_rows
from rfviz.analysis.points import NORMALISATION
from rfviz.features import map_class, registry
from rfviz.figures.hashing import AXES
from rfviz.lab.controls import Control, one_of
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = [
    "LOOKS", "SIMHASH", "Look", "NearFar", "Neighbours", "Recall", "Settings", "Source", "choose_hash", "choose_look",
    "choose_source",
]  # fmt: skip

SIMHASH = "RandomProjection"
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the hash functions.")
BESIDE = Param("beside", True, "bool", label="SimHash beside it",
               help="Also draw the law and the means of SimHash, the signs of random projections.")  # fmt: skip
_M = Param("n_components", 256, "int", 1, 65_536, log=True, symbol="m", label="Symbols",
           marks=(8, 16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048),
           help="Length of a code. The error of a Hamming distance falls as 1/√m.")  # fmt: skip
_Q_MARKS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_Q_HELP = "Projections that compete for a symbol: the more, the finer a symbol tells near points apart."
_K = Param("k", 10, "int", 1, NEIGHBOURS, log=True, marks=(1, 2, 3, 5, 8, 10, 15, 20, 30, 50), label="Neighbours",
           help="How many nearest points are searched for.")  # fmt: skip
_DRAWS = Param("draws", 5, "int", 1, 50, log=True, marks=(1, 2, 3, 5, 10, 20, 50), label="Draws",
               help="Independent draws of the hash functions.")  # fmt: skip
_LONGEST = Param("longest", 256, "int", 8, 4096, log=True, marks=(32, 64, 128, 256, 512, 1024, 2048), symbol="m",
                 label="Longest code",
                 help="Symbols of the longest maxout code; SimHash goes up to as many bits.")  # fmt: skip
_POOLS = [2, 4, 8, 16, 32, 64]
#: Closer looks; only the chosen one is computed.
LOOKS = ("Neighbours", "Recall", "Near and far")
_LOOK = replace(one_of("look", LOOKS, LOOKS[0], "Look closer"), kind="own")


@dataclass(frozen=True, eq=False)
class Source(ScaledData):
    """The data, how their rows are scaled, and which distance counts."""

    metric: str

    @property
    def key(self) -> tuple:
        """Hashable, to keep results by."""
        return *super().key, self.metric

    @property
    def n_points(self) -> int:
        """How many points are hashed."""
        return min(self.data.dataset.n_samples, MAX_POINTS)


@dataclass(frozen=True)
class Neighbours:
    """Two rows whose codes are compared; the nearest point where `second` is None."""

    first: int
    second: int | None


@dataclass(frozen=True)
class Recall:
    """Codes whose recall is measured, and what their length is counted in."""

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


@dataclass(frozen=True, eq=False)
class Settings:
    """A hash, whether SimHash is drawn beside it, and a closer look.

    Attributes
    ----------
    scheme : str
        Class name.
    setting : dict
        Its keyword arguments.
    beside : bool
    look : Look
    """

    scheme: str
    setting: dict[str, Any]
    beside: bool
    look: Look


def choose_source(panel: Panel) -> Source:
    """Ask for what is hashed."""
    return Source(panel.data("digits"), panel.control(NORMALISATION), panel.control(METRIC))


def choose_hash(panel: Panel) -> tuple[str, dict[str, Any], bool]:
    """Ask for the scheme, among those that are hashes, its settings, and whether SimHash is drawn beside it."""
    with panel.section("controls"):
        schemes = hash_schemes()
        titles = {name: map_class(name).hash_label or map_class(name).label for name in schemes}
        scheme = panel.choice("scheme", schemes, "RandomMaxout", "Hash", "What a symbol says of a point.", titles)
        setting: dict[str, Any] = {}
        for param in registry()[scheme].params:
            if param.name == "n_components":
                setting[param.name] = panel.control(_M)
            elif param.name == "pool_size":
                own = replace(param, default=8, low=2, high=64, marks=_Q_MARKS, help=_Q_HELP)
                setting[param.name] = panel.control(own)
            elif param.name != "dtype" and param.kind != "range":  # whole images: only they have a law of the angle
                setting[param.name] = panel.control(param)
        setting["random_state"] = panel.control(SEED)
        beside = scheme == "RandomMaxout" and panel.control(BESIDE)
    return scheme, setting, beside


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
    return Recall(tuple(pools), longest, k, draws, axis)


def _choose_rows(panel: Panel, n: int) -> Neighbours:
    queries = query_rows(n)
    start = int(queries[len(queries) // 2]) + 1
    with panel.section("controls-pair"):
        one = panel.ask(_row("first", start, 1, n, "Example", "Row of the point that is looked for."))
        beside = "Row whose code is shown beside it; 0: the nearest point."
        two = panel.ask(_row("second", 0, 0, n, "Compared with", beside))
    return Neighbours(one - 1, None if two in (0, one) else two - 1)


def _row(name: str, default: int, low: int, high: int, label: str, help: str) -> Control:
    clean = Param(name, default, "int", low, high).clamp
    return Control(name, "number", default, clean, label, help, low=low, high=high)
