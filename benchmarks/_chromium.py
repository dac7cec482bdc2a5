"""Which browser the tests, the measurements and the pictures are made with."""

from __future__ import annotations

import os
import shutil

__all__ = ["find_chromium"]

# Debian's shell is the same engine without the parts of a window, some of which start anew with every page though
# nobody sees them: a visit takes half of the processor's time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Find the path of a browser to drive: the one named by ``RFVIZ_CHROMIUM``, else the first on the path, or None."""
    return os.environ.get("RFVIZ_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
