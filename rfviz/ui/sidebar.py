"""The sidebar that pages share: which data set, with which settings, on which device."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from rfviz import datasets
from rfviz.errors import DataError, DownloadError, MemoryBudgetError, ParameterError
from rfviz.ui import own_data_menu
from rfviz.ui.badge import badge
from rfviz.ui.controls import choice, control
from rfviz.ui.device_choice import choose_device
from rfviz.ui.results import watched
from rfviz.ui.state import PageState

__all__ = ["choose_data", "show_device"]


# A download that failed is not tried again with every move of a slider, but only after a while.
_RETRY_S = 30.0
_failed: dict[str, tuple[float, str]] = {}


def choose_data(state: PageState, default: str, names: list[str] | None = None) -> tuple[datasets.Dataset, tuple]:
    """Let the reader choose a data set and its settings, and load it.

    Parameters
    ----------
    state : PageState
        The page, in whose address the choice is kept.
    default : str
        The data set to begin with; also the one that stands in when another cannot be loaded.
    names : list of str, optional
        Data sets that make sense here; all by default.

    Returns
    -------
    dataset : Dataset
    key : tuple
        What was loaded, hashable, for :func:`rfviz.ui.results.kept`.
    """
    specs = own_data_menu.specs() | datasets.specs()
    offered = [name for name in specs if names is None or name in names or own_data_menu.is_own(name)]
    offered = own_data_menu.menu(state, offered, default, specs)
    with st.sidebar:
        name = choice(
            state, "data", offered, default, "Data set",
            "What the features are computed on. “Your own data…” takes a file of yours; those after it need no "
            "download. Files in a data folder are offered too: start the laboratory with the environment variable "
            "RFVIZ_DATA set to the folder.",
            {key: own_data_menu.title_of(key, specs) for key in offered},
        )  # fmt: skip
    name = own_data_menu.chosen(state, name, default, specs)
    spec = specs[name]
    with st.sidebar:
        st.caption(spec.summary)
        own_data_menu.remarks(state, name, default, specs)
        # Each data set's settings have their own place in the address, so that they do not get into each other's way.
        values = {param.name: control(state, param, name=f"data.{param.name}") for param in spec.params}
        try:
            return _load(name, spec, values)
        except (DataError, MemoryBudgetError, ParameterError) as error:
            # Above the chart, which is of other data than the menu says.
            (state.place or st).warning(f"{error}\n\nShowing “{specs[default].title}” instead.", icon="⚠️")
            return _load(default, specs[default], {})


def _load(name: str, spec: datasets.DatasetSpec, values: dict[str, Any]) -> tuple[datasets.Dataset, tuple]:
    key = (name, spec.extra.get("stamp"), tuple(sorted(values.items())))
    if own_data_menu.is_own(name):
        return spec.load(), (*key[:2], tuple(spec.extra["values"].items()))
    failed, reason = _failed.get(name, (0.0, ""))
    if time.monotonic() - failed < _RETRY_S:
        raise DataError(reason)
    try:
        return watched("data", key, lambda progress: datasets.load(name, progress, **values), most=4, turns=False), key
    except DownloadError as error:
        _failed[name] = (time.monotonic(), str(error))
        raise


def show_device() -> None:
    """Which device computes and how it is doing; where there are several, the choice among them."""
    with st.sidebar:
        badge(choose_device())
