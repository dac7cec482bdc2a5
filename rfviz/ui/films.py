"""What plays on the pages: the frames of each, by the computation that is best for it, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rfviz.analysis.progress import Progress
from rfviz.lab.animation import thinned
from rfviz.lab.controls import Control
from rfviz.lab.panel import Data, Panel
from rfviz.ui.play import Film, Reel
from rfviz.ui.state import PageState

__all__ = ["SEEDS", "OtherPanel", "one_by_one", "reel_of"]

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
