"""The rounds of the search for columns that act together, one after the other."""

from __future__ import annotations

from collections.abc import Hashable

from rfviz.cache import Cache
from rfviz.inspection.interactions import InteractionResult, named, plot_importances
from rfviz.inspection.words import share
from rfviz.lab.animation import Animation, AnimationSpec

__all__ = ["over_rounds"]


def over_rounds(result: InteractionResult, chart: str, key: Hashable) -> AnimationSpec:
    """Animate the importance of columns over the rounds, which are computed already.

    Parameters
    ----------
    chart : str
        Name of the chart that moves.
    key : hashable
        The data.
    """
    values = range(1, len(result.found.importances) + 1)

    def render(cache: Cache, seconds: float) -> Animation:
        first = tuple(result.important[:2].tolist())
        shares = [share(float(one[list(first)].sum())) for one in result.found.importances]
        captions = [f"{named(result, first)}: {words} of the importance" for words in shares]
        return Animation(values, captions, [{chart: plot_importances(result, only=value)} for value in values])

    return AnimationSpec("round", "", values[-1], values, ("round", key), render)
