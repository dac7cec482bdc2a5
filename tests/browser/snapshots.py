"""Pictures of every page, light and dark, wide and narrow, compared with those that are committed.

``RFVIZ_PICTURES=write`` writes them anew, at a quarter of their size; look at the difference before you commit it. What
is compared is coarser still, so that another font or another rounding of a curve changes nothing: a block that moved,
went or came, or changed its colour, is seen.
"""

import base64
import io
import os
from pathlib import Path

import numpy as np
from PIL import Image

from tests.browser.conftest import ARTIFACTS
from tests.browser.steps import settle

PICTURES = Path(__file__).with_name("pictures")
SIZES = {"wide": (1440, 1600), "narrow": (800, 1800)}
KEPT, COMPARED = 4, 16  # pixels of the page to one of the picture, to one of those that are compared
# Levels of 255 that are a difference, and the share of such pixels that is none.
LEVELS, SHARE = 20, 0.01
# What differs from machine to machine or from run to run.
HIDDEN = "[data-testid=stProgress], .st-key-rfviz-badge, [data-testid=stToast]"
# What turns for ever, and what blinks.
STOPPED = "* { animation: none !important; caret-color: transparent !important; }"
# Whether no transition of Streamlit's is under way; what turns for ever does not count.
STILL = """() => document.getAnimations().every((one) => one.playState !== "running"
  || one.effect.getComputedTiming().endTime === Infinity)"""
# Pages that measure this machine: the seconds in their charts and sentences are never the same.
MEASURED = {"your-machine", "kitchen-sinks"}


def picture_of(page) -> Image.Image:
    """Return what the window shows, without what no two machines have in common."""
    style = page.add_style_tag(content=f"{HIDDEN} {{ visibility: hidden !important; }} {STOPPED}")
    page.mouse.move(1, 1)
    page.wait_for_function(STILL)
    settle(page)
    # Playwright's own pictures have the same pixels, packed smaller, in twice the time.
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"optimizeForSpeed": True})["data"]
    session.detach()
    style.evaluate("(element) => element.remove()")
    return Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")


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


def check_picture(page, slug, scheme, name):
    """Give the window the size of that name; check that the page looks as it did, or write how it looks."""
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[name], strict=True)))
    settle(page)
    if slug in MEASURED:
        return
    found, path = coarse(picture_of(page), KEPT), PICTURES / f"{slug}-{scheme}-{name}.webp"
    if os.environ.get("RFVIZ_PICTURES") == "write":
        PICTURES.mkdir(exist_ok=True)
        found.save(path, quality=60, method=6)
        return
    share = different(found, Image.open(path).convert("RGB"))
    if share > SHARE:
        ARTIFACTS.mkdir(exist_ok=True)
        found.save(ARTIFACTS / path.name)
    assert share <= SHARE, f"{share:.1%} of {path.name} differs"
