"""Controls drawn from declarations: a :class:`rfviz.params.Param` is all that a slider, switch or menu needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.errors import ParameterError
from rfviz.features import FeatureMap, registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.params import Param
from rfviz.ui.live_slider import live_slider
from rfviz.ui.state import PageState

__all__ = ["choice", "choose_map", "control", "receptive_field", "several"]

# Characters that fit side by side in a column of controls.
_SHORT = 14
# Characters beyond which pills take more room than a menu.
_LONG = 40


def control(state: PageState, param: Param, default: Any = None, name: str | None = None) -> Any:
    """Draw the control of a parameter and return its value.

    Parameters
    ----------
    state : PageState
        The page it belongs to.
    param : Param
        What it sets.
    default : object, optional
        A default of the page's own.
    name : str, optional
        Its name in the address; that of the parameter where it is not given.

    Returns
    -------
    object
        A legal value of the parameter.
    """
    default = param.default if default is None else default
    name = name or param.name
    label = param.label or param.name
    if param.kind == "bool":
        key = state.claim(name, default, param.validate)
        if not state.draws(name, label):
            return st.session_state[key]
        return st.toggle(label, key=key, help=param.help or None)
    if param.kind == "choice":
        titles = dict(zip(param.choices, param.titles, strict=True)) if param.titles else None
        return choice(state, name, param.choices, default, label, param.help, titles)
    if param.kind == "range":
        return _range(state, param, name)
    if param.name == "random_state":
        key = state.claim(name, default, param.clamp)
        if not state.draws(name, label):
            return st.session_state[key]
        low, high = int(param.low or 0), int(param.high or 2**31 - 1)
        return st.number_input(label, low, high, step=1, key=key, help=param.help or None)
    options = _options(param, default)
    key = state.claim(name, default, lambda value: _nearest(options, param.clamp(value)))
    if not state.draws(name, label):
        return st.session_state[key]
    symbol = f" {_PLAIN[param.symbol]}" if param.symbol in _PLAIN else ""
    return live_slider(key, label + symbol, options, [shown(option) for option in options], param.help)


# A slider's label is plain text, where the declaration has LaTeX.
_PLAIN = {"m": "m", "P": "P", "q": "q", "n": "n", "d": "d", r"\gamma": "γ", r"\alpha": "α", r"\nu": "ν"}


def choice(
    state: PageState, name: str, options: Sequence[str], default: str, label: str, help: str = "", titles: Any = None
) -> str:
    """One of several words: side by side where they are few, a menu where they are many."""

    def clean(value: Any) -> str:
        # The address may hold a word that reads as a number ("3").
        match = next((option for option in options if str(option) == str(value)), None)
        if match is None:
            raise ValueError(value)
        return match

    key = state.claim(name, default, clean)
    if not state.draws(name, label):
        return st.session_state[key]
    titles = titles or {}
    show = {"format_func": lambda option: titles.get(option, option), "key": key, "help": help or None}
    if sum(len(titles.get(option, option)) for option in options) <= _SHORT:
        return st.segmented_control(label, options, required=True, **show)
    return st.selectbox(label, options, **show)


def _range(state: PageState, param: Param, name: str) -> tuple[int, int] | None:
    """A slider with two ends; both at the right end mean no restriction where that is the parameter's default."""
    low, high = int(param.low), int(param.high)
    none = (high, high)
    key = state.claim(name, none if param.default is None else param.default, lambda value: param.clamp(value) or none)
    if low < high and state.draws(name, param.label or name):
        st.slider(param.label or param.name, low, high, key=key, help=param.help or None)
    value = tuple(st.session_state[key])
    return None if param.default is None and value == none else value


def receptive_field(state: PageState, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """Let the reader confine features to rectangles of images of this shape: the map's keyword arguments, if any."""
    if not image_shape:
        return {}
    field = control(state, dataclasses.replace(RECEPTIVE_FIELD, high=max(image_shape[:2])))
    return {} if field is None else {"receptive_field": field, "image_shape": tuple(image_shape)}


def choose_map(
    state: PageState,
    defaults: Mapping[str, Any],
    image_shape: Sequence[int] | None = None,
    *,
    first: str = "RandomMaxout",
) -> tuple[type[FeatureMap], dict[str, Any]]:
    """Let the reader choose a feature map and its parameters.

    Parameters
    ----------
    state : PageState
    defaults : mapping
        Defaults of the page's own, by the name of the parameter.
    image_shape : tuple of int, optional
        Of the data, where they are images: maps that project can then be confined to rectangles.
    first : str
        Class name of the scheme to begin with.

    Returns
    -------
    scheme : type of FeatureMap
    setting : dict
        Its keyword arguments, without the seed.
    """
    schemes = registry()
    titles = {name: scheme.label for name, scheme in schemes.items()}
    name = choice(state, "scheme", list(schemes), first, "Scheme", "Which feature map.", titles)
    # The precision shows in no picture.
    setting: dict[str, Any] = {}
    for param in schemes[name].params:
        if param.name != "dtype" and param.kind != "range" and param.applies(setting):
            setting[param.name] = control(state, param, defaults.get(param.name))
    if RECEPTIVE_FIELD in schemes[name].params:
        setting |= receptive_field(state, image_shape)
    return schemes[name], setting


def several(
    state: PageState,
    name: str,
    options: Sequence[Any],
    default: Sequence[Any],
    label: str,
    help: str,
    titles: Mapping[Any, str] | None = None,
) -> list:
    """Any number of the options, as a row of pills."""

    def clean(value: Any) -> list:
        values = value if isinstance(value, (list, tuple)) else [value]
        return [option for option in options if option in values]

    key = state.claim(name, list(default), clean)
    if not state.draws(name, label):
        return list(st.session_state[key])
    titles = titles or {option: shown(option) for option in options}
    show = {"key": key, "help": help, "format_func": titles.__getitem__}
    if sum(map(len, titles.values())) > _LONG:
        return st.multiselect(label, options, **show)
    return st.pills(label, options, selection_mode="multi", **show)


def shown(value: Any) -> str:
    """A number as people write it: 20 000 with a thin space, 0.05 without padding; words as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}".replace(",", "\u2009") if isinstance(value, int) else f"{value:g}"


def _options(param: Param, default: Any) -> list:
    if param.log:
        stops: list = list(param.stops())
        if not isinstance(default, str) and default not in stops:
            stops = sorted([*stops, default])
    else:
        low = int(param.low if param.ui_low is None else param.ui_low)
        high = int(param.high if param.ui_high is None else param.ui_high)
        stops = list(range(low, high + 1, param.step))
    return [*param.choices, *stops]


def _nearest(options: list, value: Any) -> Any:
    if isinstance(value, str):
        if value not in options:
            raise ParameterError("value", f"must be one of {options}", value)
        return value
    numbers = [option for option in options if not isinstance(option, str)]
    return min(numbers, key=lambda option: abs(option - value))
