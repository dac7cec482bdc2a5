"""What a control is, without how it is drawn: its name, what it may hold, and the legal value nearest to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rfviz.errors import ParameterError
from rfviz.params import Param
from rfviz.words import shown

__all__ = ["Control", "of_param", "one_of", "some_of"]


@dataclass(frozen=True, eq=False)
class Control:
    """One control of a page.

    Attributes
    ----------
    name : str
        Its name in an address and in a preset.
    kind : {"switch", "number", "stops", "ends", "word", "words", "text", "own"}
        A switch, a number that is typed, a slider with stops, a slider with two ends, one word of several, any number
        of words, a text that is typed; ``"own"`` for what a page draws itself, in a way or a place of its own.
    default : object
        Its value where nothing is known.
    clean : callable
        Gives the legal value nearest to what it is handed (from an address, or an old value), or raises ValueError.
    label, help : str
        What the user reads next to it, and on asking.
    options : tuple
        What it may hold, for stops and words.
    titles : mapping
        What the user reads in place of an option.
    low, high : int
        For a number and for two ends.
    """

    name: str
    kind: Literal["switch", "number", "stops", "ends", "word", "words", "text", "own"]
    default: Any
    clean: Callable[[Any], Any] = field(repr=False)
    label: str
    help: str = ""
    options: tuple[Any, ...] = ()
    titles: Mapping[Any, str] = field(default_factory=dict)
    low: int = 0
    high: int = 0

    def title(self, option: Any) -> str:
        """Return what a user reads for an option."""
        return self.titles.get(option) or shown(option)

    def words(self, value: Any) -> str:
        """Return a value in words: ``"20,000"``, ``"on"``, ``"q = 8, 32"`` without the name."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, (list, tuple)):
            return ", ".join(map(self.title, value)) or "none"
        return self.title(value)


# A control's label is plain text, where a declaration has LaTeX.
_PLAIN = {"m": "m", "P": "P", "q": "q", "n": "n", "d": "d", r"\gamma": "γ", r"\alpha": "α", r"\nu": "ν"}


def of_param(param: Param, default: Any = None, name: str | None = None) -> Control:
    """Return the control of a parameter.

    Parameters
    ----------
    param : Param
        What it sets.
    default : object, optional
        A default of the page's own.
    name : str, optional
        Its name in the address; that of the parameter where it is not given.
    """
    default = param.default if default is None else default
    name, label, help = name or param.name, param.label or param.name, param.help
    if param.kind == "bool":
        return Control(name, "switch", default, param.validate, label, help)
    if param.kind == "formula":
        # Any text: one that is not a formula is refused in a sentence, and can be mended where it stands.
        return Control(name, "text", default, str, label, help)
    if param.kind == "choice":
        titles = dict(zip(param.choices, param.titles, strict=True)) if param.titles else {}
        return one_of(name, param.choices, default, label, help, titles)
    if param.kind in ("int", "float"):
        param = replace(param, default=default)  # used if the value in an address is not a number
    low, high = int(param.low or 0), int(2**31 - 1 if param.high is None else param.high)
    if param.kind == "range":
        # Both ends at the right end mean no restriction, where that is the parameter's default.
        none = (high, high)
        default = none if param.default is None else param.default
        return Control(name, "ends", default, lambda value: param.clamp(value) or none, label, help, low=low, high=high)
    if param.name == "random_state":
        return Control(name, "number", default, param.clamp, label, help, low=low, high=high)
    options = _stops(param, default)
    if param.symbol in _PLAIN:
        label += f" {_PLAIN[param.symbol]}"
    return Control(
        name, "stops", default, lambda value: _nearest(options, param.clamp(value)), label, help, tuple(options)
    )


def one_of(
    name: str, options: Sequence[str], default: str, label: str, help: str = "", titles: Mapping[Any, str] | None = None
) -> Control:
    """Return a control for one of several words."""

    def clean(value: Any) -> str:
        # An address may hold a word that reads as a number ("3").
        match = next((option for option in options if str(option) == str(value)), None)
        if match is None:
            raise ValueError(value)
        return match

    return Control(name, "word", default, clean, label, help, tuple(options), titles or {})


def some_of(
    name: str,
    options: Sequence[Any],
    default: Sequence[Any],
    label: str,
    help: str,
    titles: Mapping[Any, str] | None = None,
) -> Control:
    """Return a control for any number of the options."""

    def clean(value: Any) -> list[Any]:
        values = value if isinstance(value, (list, tuple)) else [value]
        return [option for option in options if option in values]

    return Control(name, "words", list(default), clean, label, help, tuple(options), titles or {})


def _stops(param: Param, default: Any) -> list[Any]:
    if param.log or param.marks:
        stops: list[Any] = list(param.stops())
        if not isinstance(default, str) and default not in stops:
            stops = sorted([*stops, default])
    else:
        low, high = map(int, param.slider_ends())
        stops = list(range(low, high + 1, param.step))
    return [*param.choices, *stops]


def _nearest(options: list[Any], value: Any) -> Any:
    if isinstance(value, str):
        if value not in options:
            raise ParameterError("value", f"must be one of {options}", value)
        return value
    numbers = [option for option in options if not isinstance(option, str)]
    return min(numbers, key=lambda option: abs(option - value))
