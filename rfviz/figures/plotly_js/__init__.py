"""The scripts that draw figures in a browser: all of Plotly, and its bundle for traces in a plane.

The Python package brings all of Plotly along, 4.8 MB, of which a browser runs every line before it draws the first
chart. Maps, scenes and finance are two thirds of that. The bundle beside this file is Plotly's own. To renew it, take
``plotly-cartesian.min.js`` and ``LICENSE`` from the npm package ``plotly.js-cartesian-dist-min`` of the version that
``plotly.offline.get_plotlyjs_version()`` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import plotly
from plotly.offline import get_plotlyjs_version

__all__ = ["Script", "needed_script", "scripts"]

_HEAD = 400  # characters that hold a script's version


@dataclass(frozen=True)
class Script:
    """One of Plotly's scripts.

    Attributes
    ----------
    path : Path
    traces : frozenset of str or None
        The kinds of trace that it draws; None: all.
    """

    path: Path
    traces: frozenset[str] | None = None

    @cached_property
    def version(self) -> str:
        """Of Plotly: ``"4.1.1"``."""
        with self.path.open(encoding="utf-8") as file:
            return re.search(r"plotly\.js\D* v(\d+\.\d+\.\d+)", file.read(_HEAD))[1]

    @cached_property
    def text(self) -> str:
        """The script itself, to be written into pages that open offline."""
        return self.path.read_text(encoding="utf-8")


_WHOLE = Script(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")
_PLANE = Script(
    Path(__file__).parent / "plotly-cartesian.min.js",
    frozenset(
        {"bar", "box", "contour", "heatmap", "histogram", "histogram2d", "histogram2dcontour", "image", "pie",
         "scatter", "scatterternary", "violin"}
    ),
)  # fmt: skip


@cache
def scripts() -> tuple[Script, ...]:
    """Those that can be used, the smallest first: not the bundle where figures are made for another major version."""
    fits = _PLANE.version.split(".")[0] == get_plotlyjs_version().split(".")[0]
    return (_PLANE, _WHOLE) if fits else (_WHOLE,)


def needed_script(traces: Iterable[str]) -> Script:
    """The smallest script that draws these kinds of trace."""
    kinds = frozenset(traces)
    return next(script for script in scripts() if script.traces is None or kinds <= script.traces)
