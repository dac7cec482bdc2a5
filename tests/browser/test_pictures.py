"""Every page looks as it did: light and dark, wide and narrow, compared with the pictures that are committed.

``RFVIZ_PICTURES=write`` writes them anew, at a quarter of their size; look at the difference before you commit it. What
is compared is coarser still, so that another font or another rounding of a curve changes nothing: a block that moved,
went or came, or changed its colour, is seen.
"""

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rfviz.ui.page_index import NAVIGATION
from tests.browser.conftest import ARTIFACTS
from tests.browser.steps import settle

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).with_name("pictures")
SIZES = {"wide": (1440, 1600), "narrow": (800, 1800)}
KEPT, COMPARED = 4, 16  # pixels of the page to one of the picture, to one of those that are compared
# Levels of 255 that are a difference, and the share of such pixels that is none.
LEVELS, SHARE = 20, 0.01
# What differs from machine to machine or from run to run.
HIDDEN = "[data-testid=stProgress], .st-key-rfviz-badge, [data-testid=stToast]"
# Pages that measure this machine: the seconds in their charts and sentences are never the same.
MEASURED = {"your-machine", "kitchen-sinks"}
SLUGS = [page.slug for page in NAVIGATION if page.slug not in MEASURED]


def picture_of(page) -> Image.Image:
    """Return what the window shows, without what no two machines have in common."""
    page.add_style_tag(content=f"{HIDDEN} {{ visibility: hidden !important; }}")
    page.mouse.move(1, 1)
    page.wait_for_timeout(300)  # transitions of Streamlit's
    settle(page)
    shot = page.screenshot(animations="disabled", caret="hide")
    return Image.open(io.BytesIO(shot)).convert("RGB")


def coarse(picture: Image.Image, factor: int) -> Image.Image:
    """Return the picture made smaller by the means of squares."""
    width, height = picture.size
    return picture.resize((width // factor, height // factor), Image.Resampling.BOX)


def different(found: Image.Image, expected: Image.Image) -> float:
    """Return the share of the picture that differs, between those of the kept size."""
    if found.size != expected.size:
        return 1.0
    blocks = [np.asarray(coarse(image, COMPARED // KEPT), dtype=int) for image in (found, expected)]
    return float(np.mean(np.abs(blocks[0] - blocks[1]).max(axis=2) > LEVELS))


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_looks_as_it_did(app, visit, slug, scheme):
    page = visit(app, "" if slug == "home" else slug, SIZES["wide"], color_scheme=scheme)
    for name, size in SIZES.items():
        page.set_viewport_size({"width": size[0], "height": size[1]})
        settle(page)
        found, path = coarse(picture_of(page), KEPT), PICTURES / f"{slug}-{scheme}-{name}.webp"
        if os.environ.get("RFVIZ_PICTURES") == "write":
            PICTURES.mkdir(exist_ok=True)
            found.save(path, quality=60, method=6)
            continue
        share = different(found, Image.open(path).convert("RGB"))
        if share > SHARE:
            ARTIFACTS.mkdir(exist_ok=True)
            found.save(ARTIFACTS / path.name)
        assert share <= SHARE, f"{share:.1%} of {path.name} differs"


def test_a_moved_block_is_seen_and_a_shade_is_not():
    ground = Image.new("RGB", (360, 400), "white")
    block, shade = ground.copy(), ground.copy()
    block.paste((40, 90, 160), (100, 100, 160, 140))
    shade.paste((250, 250, 250), (0, 0, 360, 400))
    assert different(ground, ground) == 0
    assert different(block, ground) > SHARE
    assert different(shade, ground) == 0
