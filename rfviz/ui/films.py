"""What plays on the pages: the frames of each, by the computation that is best for it, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rfviz.analysis.embedding import EmbeddingPoints, Projection, prepare_points
from rfviz.analysis.frames import affordable, thinned
from rfviz.analysis.frames_embedding import embedding_over_m, turned_to_agree
from rfviz.analysis.progress import Progress
from rfviz.figures.embedding import PointStyle, plot_embedding
from rfviz.lab.controls import Control
from rfviz.lab.panel import Data, Panel
from rfviz.recipes.base import Bench
from rfviz.ui.play import Film, Reel
from rfviz.ui.results import kept
from rfviz.ui.state import PageState

__all__ = ["SEEDS", "OtherPanel", "embedding_reels", "one_by_one", "reel_of"]

#: Seeds that run by themselves.
SEEDS = 24
# What one by one may take together, by the time that the first one took.
_PATIENCE_S, _FEWEST = 8.0, 6


class OtherPanel(Panel):
    """A panel that answers what the page's controls hold, but for one of them."""

    def __init__(self, state: PageState, data: Data, name: str, value: Any) -> None:
        super().__init__()
        self._values, self._data = state.values() | {name: value}, data

    def _answer(self, control: Control) -> Any:
        return control.clean(self._values.get(control.name, control.default))

    def data(self, default: str, names: Sequence[str] | None = None) -> Data:
        return self._data


def reel_of(
    state: PageState, symbol: str, name: str, film: Callable[[Sequence[Any], Any, Progress], Film], *on: Any
) -> Reel:
    """A reel over a control of the page.

    Parameters
    ----------
    state : PageState
    symbol : str
        What a person reads.
    name : str
        The control.
    film : callable
        ``film(options, now, progress)``; options are what the control stops at.
    *on : hashable
        What the frames depend on beside the controls: the data.
    """
    values = state.values()
    now, control = values.pop(name), state.controls[name]
    options = control.options or range(control.low, control.high + 1)
    numbers = [option for option in options if not isinstance(option, str)]
    key = (tuple(sorted((other, repr(value)) for other, value in values.items())), *map(repr, on))
    return Reel(symbol, name, now, key, lambda progress: film(numbers, now, progress))


def one_by_one(values: Sequence[Any], now: Any, run: Callable[[Any], Any], progress: Progress) -> tuple[list, list]:
    """Results of a control's values, as many as some seconds allow: the values taken, and what each gave."""
    started = time.monotonic()
    known = {now: run(now)}
    took = max(time.monotonic() - started, 1e-3)
    chosen = thinned(values, max(_FEWEST, int(_PATIENCE_S / took)), now)
    for number, value in enumerate(chosen):
        progress(number / len(chosen), f"{number} of {len(chosen)} pictures")
        if value not in known:
            known[value] = run(value)
    return chosen, [known[value] for value in chosen]


# --- Maxout-PCA -------------------------------------------------------------------------------------------------------


def embedding_reels(
    state: PageState, recipe: Any, source: Any, settings: Any, exact: Projection | None, style: PointStyle,
    marks: tuple | None, height: int,
) -> list[Reel]:  # fmt: skip
    """The number of features, the pool size, and the seed."""

    def film(values: Sequence[Any], found: Sequence[Projection], now: Any, note: str = "") -> Film:
        frames = turned_to_agree(found, list(values).index(now))
        captions = [_embedding_caption(frame, exact) for frame in frames]
        return Film(list(values), captions, _embedding_figures(frames, style, marks, height, settings.point), note)

    def over_m(options: Sequence[int], now: int, progress: Progress) -> Film:
        key = (*source.key, settings.n_dimensions)
        points: EmbeddingPoints = kept("points", key, lambda: prepare_points(source.data.dataset, *key[1:]), most=4)
        name = settings.scheme.__name__
        values = affordable(name, settings.setting, points.original.shape, options, now)
        found = embedding_over_m(points, name, settings.setting, settings.n_dimensions, values, exact, progress)
        return film(values, found, now, "" if values[-1] == options[-1] else f"up to {values[-1]:,}")

    def run(name: str, value: Any) -> Projection:
        return recipe.run(source, recipe.settings(OtherPanel(state, source.data, name, value), source), bench).features

    bench = Bench()

    def over_pools(options: Sequence[int], now: int, progress: Progress) -> Film:
        return film(*one_by_one(options, now, lambda value: run("pool_size", value), progress), now)

    def over_seeds(options: Sequence[int], now: int, progress: Progress) -> Film:
        seeds = sorted({*options[:SEEDS], now})
        return film(*one_by_one(seeds, now, lambda value: run("seed", value), progress), now)

    reels = [reel_of(state, "m", "n_components", over_m, source.key)]
    if "pool_size" in settings.setting:
        reels.append(reel_of(state, "q", "pool_size", over_pools, source.key))
    return [*reels, reel_of(state, "seed", "seed", over_seeds, source.key)]


def _embedding_figures(
    frames: Sequence[Projection], style: PointStyle, marks: tuple | None, height: int, point: int | None
) -> list[dict[str, Any]]:
    look = {"height": height, "thumbnails": marks, "selected": point}
    return [{"embedding": plot_embedding(frame, style, **look)} for frame in frames]


def _embedding_caption(frame: Projection, exact: Projection | None) -> str:
    words = f"axes hold {frame.explained.sum():.0%}"
    if exact is not None:
        words += f" (limit {exact.explained.sum():.0%})"
    return words + (f" · order ρ = {frame.order.spearman:.3f}" if frame.order else "")
