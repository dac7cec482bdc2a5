"""Pages in Streamlit's own test client, which runs them within the navigation, without a browser."""

import base64
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from rfviz import datasets
from rfviz.lab.index import NAVIGATION
from tests.page_settings import OTHERS

PAGES = {page.slug: page for page in NAVIGATION}
SATURATION, EMBEDDING = "distance-saturation", "maxout-pca"
# The folded parts under a chart hold nothing until they are opened.
UNFOLDED = {f"details-{number}": True for number in range(3)}
# Of pages that run long by default, for tests of what no setting changes.
SMALL = {slug: OTHERS[slug][0] for slug in ("accuracy", "kitchen-sinks", "speech")}
OFFLINE = [spec.name for spec in datasets.specs().values() if spec.source in ("generated", "bundled")]

_ROUTER = """
import streamlit as st
from rfviz.lab.index import NAVIGATION
pages = [st.Page(p.path, title=p.title, url_path=p.slug, default=p.slug == {slug!r}) for p in NAVIGATION]
st.navigation(pages).run()
"""


def page_at(slug, query=None, timeout=120):
    """Return a page that has not run yet, with these settings in its address."""
    at = AppTest.from_string(_ROUTER.format(slug=slug), default_timeout=timeout)
    for name, value in (query or {}).items():
        at.query_params[name] = value
    return at


def opened(slug, state=None, query=None):
    """Return a page after its first run, with these settings held by the session or by the address."""
    return changed(page_at(slug, query), slug, state or {})


def changed(at, slug, state):
    """Change these settings and run the page again."""
    for name, value in state.items():
        at.session_state[f"{slug}.{name}"] = value
    at.run()
    assert not at.exception
    return at


def prose(at):
    """Return the texts of a page as they are read: without the links of terms to the glossary."""
    return [re.sub(r"\[([^]]+)\]\(#term-[^)]+\)", r"\1", element.value) for element in at.markdown]


def specs(at):
    """Return what is drawn in each chart of the page, as it is sent to the browser."""
    components = [element.proto for element in at.get("bidi_component")]
    return [json.loads(c.bytes)["figure"] for c in components if c.component_name == "rfviz.live_chart"]


def array(value):
    """Return the numbers of a trace, which travel as base64."""
    if isinstance(value, dict):
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
        return numbers.reshape([int(n) for n in str(value["shape"]).split(",")]) if "shape" in value else numbers
    return np.array(value, dtype=None if any(isinstance(one, str) for one in np.ravel(value)) else float)


def assert_refused(at):
    """Assert one sentence instead of a chart, and all controls still there to choose otherwise."""
    assert len(at.error) == 1
    assert not specs(at)
    assert "Traceback" not in at.error[0].value
    assert len(at.selectbox) >= 3
    return at.error[0].value


def run_to_its_end(at):
    """Run the page until its race is over: it starts small races by itself."""
    for _ in range(200):
        if any(caption.value in ("Done.", "The other parts are done.") for caption in at.caption):
            return at
        at.run()
    raise AssertionError("the race did not end")
