"""How much of the package a page needs when it is opened; all else waits until it is used."""

import subprocess
import sys
from pathlib import Path

import pytest

from rfviz.lab.index import NAVIGATION
from tests.app_pages import SMALL

ROOT = Path(__file__).parent.parent
MOST = 150
# What draws layers of a network, shows how a feature decides on a pair, fits linear models, inspects a table in twenty
# ways, or decides which device computes needs more.
MORE = {
    "zoo": 152,
    "hashing": 152,
    "binning": 155,
    "quick-inspection": 234,
    "kernel-approximation": 159,
    "pixel-cooccurrence": 163,
    "guarantees": 178,
    "decision-surfaces": 163,
    "accuracy": 186,
    "kitchen-sinks": 176,
    "speech": 163,
}
OTHERS = [page.slug for page in NAVIGATION if page.slug != "hashing"]
_ROUTER = """
import streamlit as st
from rfviz.lab.index import NAVIGATION
st.navigation([st.Page(p.path, title=p.title, url_path=p.slug, default=p.slug == {slug!r}) for p in NAVIGATION]).run()
"""
# Each page is opened by a process that has imported nothing of rfviz yet, but all packages that pages compute and draw
# with: a copy of one that has.
_OPEN = """
import os, sys, traceback
import numpy, pandas, plotly.graph_objects, scipy.linalg, scipy.spatial.distance, scipy.stats, sklearn.decomposition
import sklearn.ensemble, sklearn.impute, sklearn.neighbors, sklearn.preprocessing, sklearn.svm
from streamlit.testing.v1 import AppTest

def show(slug, router, settings):
    at = AppTest.from_string(router, default_timeout=300)
    for name, value in settings.items():
        at.session_state[slug + "." + name] = value
    at.run()
    assert at.title and not at.exception, at.exception
    print(slug, *sorted(name for name in sys.modules if name.split(".")[0] == "rfviz"), flush=True)

assert "rfviz" not in sys.modules
for page in {pages!r}:
    if os.fork():
        os.wait()
        continue
    try:
        show(*page)
    except BaseException:
        traceback.print_exc()
    os._exit(0)
"""


def modules_of(slugs):
    """Return the modules of rfviz that opening each of these pages imports, by page."""
    pages = [(slug, _ROUTER.format(slug=slug), SMALL.get(slug, {})) for slug in slugs]
    code = _OPEN.format(pages=pages)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found = [line.split() for line in done.stdout.splitlines()]
    loaded = {slug: names for slug, *names in found if slug in slugs}
    assert loaded.keys() == set(slugs), done.stderr
    return loaded


@pytest.mark.parametrize(
    "slugs", [["hashing"], pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["hashing", "others"]
)
def test_opening_a_page_imports_what_it_shows(slugs):
    for slug, names in modules_of(slugs).items():
        assert len(names) <= MORE.get(slug, MOST), "\n".join([slug, *names])
