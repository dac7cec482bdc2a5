"""Addresses that are no page's."""

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.lab.index import NAVIGATION
from rfviz.ui.no_such_page import page_of_unknown_address


@pytest.mark.parametrize(
    "address", [None, "", "http://a", "http://a/", "http://a/lab/hashing?x=1", "http://a/hashing/", "nonsense:"]
)
def test_addresses_of_pages_have_none(address):
    assert page_of_unknown_address(address) is None


@pytest.mark.parametrize("page", NAVIGATION, ids=lambda page: page.slug)
def test_every_page_is_known(page):
    assert page_of_unknown_address(f"http://a/lab/{page.slug}?zoom=x") is None
    assert page_of_unknown_address(f"http://a/lab/{page.slug}x") is not None


_SCRIPT = """
import streamlit as st
from rfviz.lab.index import NAVIGATION
from rfviz.ui.no_such_page import page_of_unknown_address
unknown = page_of_unknown_address({address!r})
st.navigation([unknown] + [st.Page(p.path, title=p.title, url_path=p.slug) for p in NAVIGATION]).run()
"""


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("hashingg", "hashingg"),
        ("a%2Fb", "b"),
        ("..%2F..", ".."),
        ("%F0%9F%92%A5", "💥"),
        ("a b", "a b"),
        ("x" * 5000, "x" * 60),
    ],
)
def test_an_unknown_name_is_said_with_the_likely_pages(path, said):
    at = AppTest.from_string(_SCRIPT.format(address=f"http://a/{path}")).run()
    assert not at.exception
    assert [title.value for title in at.title] == ["No such page"]
    assert at.markdown[0].value.replace("\\", "").startswith(f"The laboratory has no page “{said}”.")
    links = [link.proto.label for link in at.get("page_link")]
    assert links == (["Hashing", "Home"] if path == "hashingg" else ["Home"])


def test_a_name_cannot_write_into_the_page():
    at = AppTest.from_string(_SCRIPT.format(address="http://a/[press](b) **x** <i>")).run()
    said = at.markdown[0].value
    assert said.replace("\\", "").startswith("The laboratory has no page “[press](b) **x** ")
    assert not any(mark in said for mark in ("[press](", "**x", " <i"))
