"""Sign-in by OpenID Connect, where the server's Streamlit secrets have a section ``[auth]``; else all may come in."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAuthError

from rfviz.ui.component import Component

__all__ = ["sign_in_page", "sign_out_button", "wants_sign_in"]

_return = Component("sign_in", Path(__file__).with_name("sign_in.js"))
_NO_PACKAGE = (
    "This server asks its users to sign in, but the packages that do it are missing, so nobody can come in. Whoever "
    "runs it installs them with `pip install 'rfviz[auth]'`, or removes the section `[auth]` from the secrets."
)


def wants_sign_in() -> bool:
    """Return whether the user has to sign in first."""
    return st.user.to_dict().get("is_logged_in") is False


def sign_in_page() -> None:
    """Draw the page before the sign-in: one button for each identity provider."""
    _return.mount("sign-in-return", {"signed_in": False})
    st.title("Sign in to rfviz")
    if not all(map(find_spec, ("authlib", "httpx"))):
        st.error(_NO_PACKAGE)
        return
    st.write("This laboratory is open to people who have an account here.")
    section = st.secrets["auth"]
    named = [name for name, value in section.items() if isinstance(value, Mapping) and "client_id" in value]
    for provider in named or [None]:
        if st.button(f"Sign in with {provider}" if provider else "Sign in", type="primary"):
            try:
                st.login(provider)
            except StreamlitAuthError as error:
                st.error(f"Nobody can sign in before the section `[auth]` of this server's secrets is mended: {error}")


def sign_out_button() -> None:
    """Draw the account and the button to sign out in the sidebar, if the server asks for accounts."""
    user = st.user.to_dict()
    if not user.get("is_logged_in"):
        return
    with st.sidebar, st.container(horizontal=True, vertical_alignment="center"):
        _return.mount("sign-in-return", {"signed_in": True})
        st.caption(f"Signed in as {user.get('email') or user.get('name') or 'a user without a name'}", width="stretch")
        st.button("Sign out", type="tertiary", on_click=st.logout)
