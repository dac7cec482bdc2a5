"""Links from one page to another that bring settings along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rfviz.lab.address import format_value
from rfviz.lab.index import entry_of
from rfviz.ui.state import PageState

__all__ = ["data_values", "page_link"]


def data_values(state: PageState) -> dict[str, Any]:
    """Return the data set of a page, with its settings, for the address of another page."""
    settings = {name: value for name, value in state.changed().items() if name.startswith("data.")}
    return {"data": state.value("data"), **settings}


def page_link(slug: str, values: Mapping[str, Any], help: str = "", label: str = "") -> None:
    """Draw a link to a page with these settings; it can be copied or opened in a new tab.

    Parameters
    ----------
    slug : str
        The page's place in the address.
    values : mapping
        Settings by their names in the address.
    help : str
        What the user will see there.
    label : str
        The page's title where not given.
    """
    page = entry_of(slug)
    query = {name: format_value(value) for name, value in values.items()}
    st.page_link(page.path, label=label or page.title, icon=page.icon, help=help or None, query_params=query)
