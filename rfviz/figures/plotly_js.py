"""The scripts that draw figures in a browser: the whole of Plotly, and a partial bundle where it is installed.

The Python package brings the whole script (4.8 MB). The npm package ``plotly.js-cartesian-dist-min`` has a third of it,
enough for every chart without a third dimension; ``make app`` installs it next to the environment where npm is at hand,
in the version that ``plotly.offline.get_plotlyjs_version()`` names. A browser runs a script whole before it draws the
first chart, so the bundle saves a first visit about half a second and each exported page 3.3 MB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["NPM_PACKAGE", "Script", "find_bundle", "kinds_of", "needed_script", "scripts"]

NPM_PACKAGE = "plotly.js-cartesian-dist-min"
# Kinds of trace that the bundle draws.
_PLANE = frozenset(
    {
        "bar",
        "box",
        "contour",
        "heatmap",
        "histogram",
        "histogram2d",
        "histogram2dcontour",
        "image",
        "pie",
        "scatter",
        "scatterternary",
        "violin",
    }
)


@dataclass(frozen=True)
class Script:
    """One of Plotly's scripts.

    Attributes
    ----------
    version : str
        Of plotly.js: ``"4.1.1"``.
    traces : frozenset of str or None
        The kinds of trace that it draws, or None if it draws all.
    """

    path: Path
    version: str
    traces: frozenset[str] | None = None

    @cached_property
    def text(self) -> str:
        """Return the script itself, to be written into pages that open offline."""
        return self.path.read_text(encoding="utf-8")


def find_bundle(folder: Path) -> Script | None:
    """Return the partial bundle that npm has installed below a folder, or None if it has none of this version."""
    from plotly.offline import get_plotlyjs_version

    package = folder / "node_modules" / NPM_PACKAGE
    try:
        version = str(json.loads((package / "package.json").read_text(encoding="utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    path = package / "plotly-cartesian.min.js"
    fits = version == get_plotlyjs_version() and path.is_file()
    return Script(path, version, _PLANE) if fits else None


@cache
def scripts() -> tuple[Script, ...]:
    """Return the scripts at hand, the smallest first."""
    import plotly
    from plotly.offline import get_plotlyjs_version

    whole = Script(Path(plotly.__file__).parent / "package_data" / "plotly.min.js", get_plotlyjs_version())
    bundle = find_bundle(Path(sys.prefix) / "share" / "rfviz")
    return (whole,) if bundle is None else (bundle, whole)


def kinds_of(figure: go.Figure) -> list[str]:
    """Return the kind of each trace of a figure: ``"scatter"``."""
    return list(map(attrgetter("type"), figure.select_traces()))


def needed_script(traces: Iterable[str]) -> Script:
    """Return the smallest script that draws these kinds of trace."""
    kinds = frozenset(traces)
    return next(script for script in scripts() if script.traces is None or kinds <= script.traces)
