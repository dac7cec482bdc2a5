"""A link for students: the page as it stands, with only the controls that they are to move."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit

import segno
import streamlit as st

from rfviz.ui.session import set_widget_value, widget_value
from rfviz.ui.state import PageState
from rfviz.ui.state.zoom import current_zoom

__all__ = ["is_local", "link_of", "qr_code", "reach", "student_link"]

_ELSEWHERE = "open it by this computer’s name or number in the network, and copy the link there."
_LOCAL = (
    "This address opens only on this computer. For others, start the laboratory with `--server.address 0.0.0.0`, "
    f"{_ELSEWHERE}"
)
_CONTAINED = (
    "This address opens only on this computer, whose number the laboratory cannot know in a container. Publish the "
    f"container’s port (`SITE=:80` with compose), {_ELSEWHERE}"
)
_IN_NETWORK = (
    "Other devices cannot open “localhost”. In the same network they find the laboratory at **{host}**, unless a "
    "firewall on this computer forbids it."
)


def link_of(
    base: str,
    values: Mapping[str, str],
    hidden: list[str],
    *,
    embed: bool = False,
    present: bool = False,
    lesson: Mapping[str, str] | None = None,
) -> str:
    """Return an address.

    Parameters
    ----------
    base : str
        That of the page, without what follows a question mark.
    values : mapping of str to str
        Controls that differ from their defaults.
    hidden : list of str
        Controls and parts that are not drawn.
    embed, present : bool
        Without the frame, for a frame in another page; in the presenter's view.
    lesson : mapping of str to str, optional
        The lesson that is on, and its step.
    """
    query = {**values, **(lesson or {})}
    if hidden:
        query["hide"] = ",".join(hidden)
    query |= {name: "true" for name, on in (("present", present), ("embed", embed)) if on}
    return f"{base}?{urlencode(query, safe=',:;', quote_via=quote)}" if query else base


def is_local(address: str) -> bool:
    """Return whether an address leads to the machine on which it is opened."""
    return urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")


def reach(address: str) -> tuple[str, str]:
    """Return an address as others have it, and a note on its reach, empty if it has no limit.

    Parameters
    ----------
    address : str
        As this browser has it.
    """
    if not is_local(address):
        return address, ""
    parts = urlsplit(address)
    # HTTPS comes from a proxy, whose certificate for “localhost” is none for the number.
    host = "" if parts.scheme == "https" else _network_number()
    if not host:
        return address, _CONTAINED if _is_contained() else _LOCAL
    netloc = f"{host}:{parts.port}" if parts.port else host
    return parts._replace(netloc=netloc).geturl(), _IN_NETWORK.format(host=netloc)


def _is_contained() -> bool:
    """Return whether the laboratory runs in a container of Docker's or of Podman's."""
    return any(map(os.path.exists, ("/.dockerenv", "/run/.containerenv")))


def _network_number() -> str:
    """Return this computer's number in its network; an empty string in a container or if the server does not listen."""
    if _is_contained() or st.get_option("server.address") not in (None, "", "0.0.0.0", "::"):
        return ""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which way out such a packet would take
            number = probe.getsockname()[0]
        except OSError:
            return ""
    return "" if number.startswith("127.") or number == "0.0.0.0" else number


def qr_code(address: str, words: str, width: str = "min(100%, 16rem)") -> str:
    """Return HTML of a picture that a phone's camera reads as the address, or an empty string if it is too long.

    `words` are its alternative text; `width` is one of CSS.
    """
    try:
        code = segno.make_qr(address)
    except segno.DataOverflowError:
        return ""
    # White also on a dark page: few cameras read a code with light modules.
    source = code.svg_data_uri(light="#fff", omitsize=True)
    return f'<img src="{source}" alt="{words}" style="width: {width}">'


def _tick(keys: list[str], ticked: bool) -> None:
    for key in keys:
        set_widget_value(key, ticked)


@st.fragment  # a box that is ticked draws this alone anew
def student_link(state: PageState, parts: Mapping[str, str]) -> None:
    """Draw boxes for what students see, and the address that gives it."""
    labels, values = state.last()
    st.markdown("**Link for students**")
    st.caption("Students get this page with these settings. Unticked controls are hidden and keep their values.")
    base, words = reach(st.context.url or state.page)
    if words:
        st.caption(f":material/lan: {words}")
    shown, boxes = {}, {name: f"{state.page}:show:{name}" for name in (*labels, *parts)}
    with st.container(horizontal=True):
        for word, ticked in (("Show all", True), ("Show none", False)):
            key = f"{state.page}:{word}"
            st.button(word, key=key, type="tertiary", on_click=_tick, args=(list(boxes.values()), ticked))
    with st.container(key="student-boxes"):
        for name, label in {**labels, **parts}.items():
            key = boxes[name]
            set_widget_value(key, widget_value(key, name not in state.hidden))
            shown[name] = st.checkbox(label, key=key)
    with st.container(horizontal=True):
        embed = st.toggle(
            "Embedded",
            key=f"{state.page}:link-embed",
            help="Without the frame of the laboratory, to be put into a page of your own as an iframe.",
        )
        present = st.toggle("Presenter view", key=f"{state.page}:link-present")
    lesson = {name: st.query_params[name] for name in ("lesson", "step") if name in st.query_params}
    hidden = [name for name, on in shown.items() if not on]
    if zoom := current_zoom(state, "sheet"):
        values = {**values, "zoom": zoom}
    link = link_of(base, values, hidden, embed=embed, present=present, lesson=lesson)
    st.code(link, language=None, wrap_lines=True)
    if st.context.url and not is_local(base):
        if picture := qr_code(link, "QR code of the link for students"):
            st.html(picture)
        else:
            st.caption(f"The link has {len(link):,} characters, too many for a QR code. Copy the text.")
