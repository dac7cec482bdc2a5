"""The page for unknown addresses, where Streamlit would open a dialog of its own above the front page."""

from __future__ import annotations

from difflib import get_close_matches
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from rfviz.lab.index import NAVIGATION
from rfviz.ui.links import page_link
from rfviz.ui.plain import plain

__all__ = ["page_of_unknown_address"]

_SLUGS = [page.slug for page in NAVIGATION]


def page_of_unknown_address(address: str | None) -> StreamlitPage | None:
    """Return a page that is not in the navigation for an address that ends with no page's name; else None.

    An address may end with the name of the folder that the laboratory is served from: such a page is never asked for.
    """
    name = unquote(urlsplit(address or "").path).rstrip("/").rpartition("/")[2].strip()
    if not name or name in _SLUGS:
        return None

    def say() -> None:
        st.title("No such page", anchor=False)
        st.markdown(f"The laboratory has no page “{plain(name[:60])}”. All its pages are in the menu.")
        likely = get_close_matches(name.lower().replace("_", "-"), _SLUGS, n=3)
        with st.container(width="content"):
            for slug in dict.fromkeys([*likely, "home"]):
                page_link(slug, {})

    return st.Page(say, title="No such page", url_path=name, visibility="hidden")
