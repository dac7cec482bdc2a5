"""How much of the package a page needs when it is opened; all else waits until it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

from rfviz.lab.index import NAVIGATION

ROOT = Path(__file__).parent.parent
MOST = 150
# What draws layers of a network, fits linear models, inspects a table in twenty ways, or decides which device computes
# needs more.
MORE = {
    "zoo": 151,
    "binning": 153,
    "quick-inspection": 230,
    "kernel-approximation": 156,
    "pixel-cooccurrence": 162,
    "guarantees": 177,
    "decision-surfaces": 162,
    "accuracy": 188,
    "kitchen-sinks": 172,
    "speech": 161,
}
_ROUTER = """
import streamlit as st
from rfviz.lab.index import NAVIGATION
st.navigation([st.Page(p.path, title=p.title, url_path=p.slug, default=p.slug == {slug!r}) for p in NAVIGATION]).run()
"""
_OPEN = """
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_string({router!r}, default_timeout=300).run()
assert at.title and not at.exception, at.exception
print(*sorted(name for name in sys.modules if name.split(".")[0] == "rfviz"))
"""


@pytest.mark.parametrize(
    "slug",
    [page.slug if page.slug == "hashing" else pytest.param(page.slug, marks=pytest.mark.slow) for page in NAVIGATION],
)
def test_opening_a_page_imports_what_it_shows(slug):
    code = _OPEN.format(router=_ROUTER.format(slug=slug))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert len(loaded) <= MORE.get(slug, MOST), "\n".join(loaded)
