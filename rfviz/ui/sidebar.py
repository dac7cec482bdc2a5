"""The sidebar of all pages: which data set, with which settings, on which device."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.errors import DataError, DownloadError, MemoryBudgetError, ParameterError
from rfviz.experiments.data import Data, in_plane
from rfviz.ui.cache import session_cache
from rfviz.ui.component import Component
from rfviz.ui.device_choice import choose_device
from rfviz.ui.own_data import menu as own_data_menu
from rfviz.ui.own_data import text as own_text
from rfviz.ui.widgets.badge import badge

if TYPE_CHECKING:
    from rfviz.ui.controls import PagePanel

__all__ = ["choose_data", "show_device"]

# A download that failed is not tried again with every move of a slider, but only after a while.
_RETRY_S = 30.0
_failed: dict[str, tuple[float, str]] = {}
_HERE = Path(__file__).parent
# On a phone, which has the sidebar behind a button of two arrows.
_data_button = Component(
    "data_button", _HERE / "data_button.css", _HERE / "data_button.js", html='<button type="button"></button>'
)


def choose_data(panel: PagePanel, default: str, names: Sequence[str] | None = None, planar: bool = False) -> Data:
    """Draw the choice of a data set and its settings, and load it.

    Parameters
    ----------
    default : str
        The data set to begin with, which also stands in when another cannot be loaded.
    names : sequence of str, optional
        Data sets that make sense on this page; all by default.
    planar : bool
        Whether to project uploads of more than two columns to a plane.
    """
    state = panel.state
    specs = own_data_menu.specs() | datasets.specs()
    offered = [name for name in specs if names is None or name in names or own_data_menu.is_own(name)]
    # A file that another data set is read from is not a second entry, unless it is asked for.
    asked = {state.value("data"), st.query_params.get("data")}
    twins = datasets.files_of_downloads() - asked
    offered = own_data_menu.menu(state, [name for name in offered if name not in twins], default, specs)
    with st.sidebar:
        name = panel.choice(
            "data",
            offered,
            default,
            "Data set",
            "What the features are computed on. “Your own data…” takes a file of yours; the data sets after it "
            "need no download. Files in a data folder are offered too: start the laboratory with the environment "
            "variable RFVIZ_DATA set to the folder.",
            {key: own_data_menu.title_of(key, specs) for key in offered},
        )
    name = own_data_menu.chosen(state, name, default, specs)
    own_data_menu.offer(state, name, offered, specs)
    spec = specs[name]
    if state.place is not None and not st.context.is_embedded and not {"sidebar", "data"} & {*state.hidden}:
        with state.place:
            _data_button.mount("data-button", {"title": spec.title, "page": state.page}, height=1)
    with st.sidebar:
        st.caption(spec.summary)
        own_data_menu.remarks(state, name, default, specs)
        # Each data set's settings have names of their own in the address, so that two sets do not share a value.
        values = {param.name: panel.control(param, name=f"data.{param.name}") for param in spec.params}
        try:
            data = _load(name, spec, values)
        except (DataError, MemoryBudgetError, ParameterError) as error:
            # Above the chart, which is of other data than the menu says.
            (state.place or st).warning(f"{error}\n\nShowing “{specs[default].title}” instead.", icon="⚠️")
            return _load(default, specs[default], {})
        if not planar or not own_data_menu.is_own(name) or data.dataset.n_features <= 2:
            return data
        flat, share = session_cache().call(plane_of_upload, data)
        st.caption(own_text.IN_PLANE.format(d=data.dataset.n_features, share=share))
        return flat


def _load(name: str, spec: datasets.DatasetSpec, values: dict[str, Any]) -> Data:
    stamp = spec.extra.get("stamp")
    if own_data_menu.is_own(name):
        return Data(name, tuple(spec.extra["values"].items()), stamp, spec.load())
    failed, reason = _failed.get(name, (0.0, ""))
    if time.monotonic() - failed < _RETRY_S:
        raise DataError(reason)
    settings = tuple(sorted(values.items()))
    try:
        return Data(name, settings, stamp, session_cache().load(dataset_of, name, settings, stamp))
    except DownloadError as error:
        _failed[name] = (time.monotonic(), str(error))
        raise


def dataset_of(name: str, settings: tuple[tuple[str, Any], ...], stamp: str | None, *, cache: Cache) -> Any:
    """Load a data set; the stamp tells the versions of a file apart."""
    return datasets.load(name, cache.progress, **dict(settings))


def plane_of_upload(data: Data, *, cache: Cache) -> tuple[Data, float]:
    """Project an upload to a plane; see :func:`rfviz.lab.panel.in_plane`."""
    return in_plane(data)


def show_device(unfolded: bool = False) -> None:
    """Show which device computes and, unfolded, how it is doing; where there are several, the choice among them."""
    with st.sidebar:
        badge(choose_device(), unfolded)
