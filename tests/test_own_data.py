"""Data that a reader brings: every page works with them or says why not, and nothing of them is left behind."""

import asyncio
import gc
import weakref

import numpy as np
import pytest

from rfviz.datasets import upload
from rfviz.ui import own_data, own_data_menu
from rfviz.ui.own_data import Desk, OwnSet
from rfviz.ui.page_index import find_pages
from rfviz.ui.results import forget, kept, known
from tests.datasets.test_bad_uploads import csv, pictures
from tests.test_pages import opened, specs

SATURATION, EMBEDDING = "distance-saturation", "maxout-pca"
TAKEN = {"table": upload.take("people.csv", csv()), "images": upload.take("pets.zip", pictures(24))}


def own(kind):
    desk = Desk()
    return desk, desk.put(TAKEN[kind], TAKEN[kind].suggestion, TAKEN[kind].prepare())


def visited(slug, kind, **state):
    """A page of a session that has brought such data."""
    from tests.test_pages import _ROUTER, AppTest, changed

    desk, key = own(kind)
    at = AppTest.from_string(_ROUTER.format(slug=slug), default_timeout=60)
    at.session_state[own_data._STATE] = desk
    return changed(at, slug, {"data": key} | state), desk, key


PAGES = [page.slug for page in find_pages() if page.slug not in ("home", "zoo")]


@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.parametrize("slug", PAGES)
def test_every_page_works_with_brought_data(slug, kind):
    at, desk, key = visited(slug, kind)
    assert not at.error and not at.warning and specs(at)
    assert next(box for box in at.selectbox if box.key == f"{slug}.data").value == key
    assert any("Only you see these data" in caption.value for caption in at.caption)
