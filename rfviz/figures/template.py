"""The one style of all charts: colours, symbols, dashes, type sizes, and the layout around the data.

Text and grid colours are left to the page's theme, light or dark; the data colours below have a contrast of at least
3:1 on both backgrounds and stay apart for colour-blind users (after Okabe and Ito). Curves also differ in dash and
symbol, so that no distinction rests on colour alone.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rfviz.features import FeatureMap, Look
from rfviz.figures.traces import quick_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "COLOURS", "DASHES", "DIVERGING", "GREY", "SEQUENCE", "SHARES", "SIGNS", "SYMBOLS", "map_style", "map_styles",
    "rgba", "series_styles", "styled",
]  # fmt: skip

COLOURS = ("#2a7fc4", "#d9661f", "#0f9b77", "#b5609a", "#9a7b13", "#6d6fd0")
DASHES = ("solid", "dash", "dashdot", "longdash", "longdashdot", "solid")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
# The same in text.
SIGNS: dict[str, str] = dict(zip(SYMBOLS, "●◆■▲✚★", strict=True))
GREY = "#808790"
# For ordered values. Cividis without its ends, which vanish on a light or on a dark page.
SEQUENCE = (
    (0.0, "#31507f"), (0.25, "#5f6a86"), (0.5, "#8b8779"), (0.75, "#bca657"), (1.0, "#e5c934"),
)  # fmt: skip
# For values about zero. Blue to orange: apart for colour-blind users. Towards zero they fade into the page, light or
# dark, up to a faint grey that shows where the picture ends.
DIVERGING = (
    (0.0, "rgba(42,127,196,1)"), (0.48, "rgba(42,127,196,0.14)"), (0.5, "rgba(128,135,144,0.1)"),
    (0.52, "rgba(217,102,31,0.14)"), (1.0, "rgba(217,102,31,1)"),
)  # fmt: skip
# For shares, from nothing to all, in the same way.
SHARES = ((0.0, "rgba(128,135,144,0.1)"), (0.04, "rgba(42,127,196,0.12)"), (1.0, "rgba(42,127,196,1)"))


# For feature maps that declare no look: by their name, so that they too look the same everywhere.
_OTHERS = (
    Look("#b36ae8", "longdashdot", "star-diamond"),
    Look("#7e5a7e", "solid", "hourglass"),
    Look("#6d7a3c", "dash", "bowtie"),
)
# What sets the second and third setting of one feature map apart from its first: shade, dash and symbol.
_SHADES = (None, 0.285, 0.13)
_VARIANT_SYMBOLS = ("", "-open", "-dot", "-open-dot")


def map_style(cls: type[FeatureMap], variant: int = 0) -> Look:
    """Return the look of a feature map, the same in every chart.

    Parameters
    ----------
    cls : type of FeatureMap
    variant : int
        0 for the map; 1, 2, … for further settings of it in the same chart: another shade of its colour, another dash,
        another form of its symbol.
    """
    look = cls.look or _OTHERS[zlib.crc32(cls.__name__.encode()) % len(_OTHERS)]
    if variant == 0:
        return look
    colour = _shade(look.colour, _SHADES[variant % len(_SHADES)])
    dash = DASHES[(DASHES.index(look.dash) + variant) % (len(DASHES) - 1)]
    symbol = look.symbol.removesuffix("-dot") + _VARIANT_SYMBOLS[variant % len(_VARIANT_SYMBOLS)]
    return Look(colour, dash, symbol)


def map_styles(classes: Iterable[type[FeatureMap]]) -> list[Look]:
    """Return the looks of curves in one chart, given the feature map of each.

    A map that comes again is a variant of its colour. Only where a chart shows many settings of one map alone, more
    than there are shades, do they take other colours.
    """
    classes = list(classes)
    if len(classes) > len(_SHADES) and len(set(classes)) == 1:
        return series_styles(classes[0], len(classes))
    seen: Counter[type[FeatureMap]] = Counter()
    styles = []
    for cls in classes:
        styles.append(map_style(cls, seen[cls]))
        seen[cls] += 1
    return styles


def series_styles(cls: type[FeatureMap], count: int) -> list[Look]:
    """Return looks for settings of one map in a chart that shows no other: first its own colour, then others apart."""
    first = map_style(cls).colour
    colours = (first, *(colour for colour in COLOURS if colour != first))
    # A colour that comes again has another dash and symbol.
    turns = [i + i // len(colours) for i in range(count)]
    return [
        Look(colours[i % len(colours)], DASHES[turn % len(DASHES)], SYMBOLS[turn % len(SYMBOLS)])
        for i, turn in enumerate(turns)
    ]


def _shade(colour: str, luminance: float | None) -> str:
    """Return the colour made lighter or darker, up to a relative luminance that is legible on both backgrounds."""
    if luminance is None:
        return colour
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    target = 1.0 if _luminance(channels) < luminance else 0.0
    low, high = 0.0, 1.0
    for _ in range(20):
        share = 0.5 * (low + high)
        mixed = [c + share * (target - c) for c in channels]
        short = (_luminance(mixed) < luminance) == (target == 1.0)
        low, high = (share, high) if short else (low, share)
    return "#" + "".join(f"{round(255 * (c + low * (target - c))):02x}" for c in channels)


def _luminance(channels: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgba(colour: str, alpha: float) -> str:
    """Return a hexadecimal colour with an opacity, as CSS: ``rgba("#2a7fc4", 0.2)``."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"


def styled(traces: list[dict[str, Any]], *, x: str, y: str, height: int, revision: str, **layout: Any) -> go.Figure:
    """Return a figure of `traces` in the common style.

    Parameters
    ----------
    traces : list of dict
        Plotly traces.
    x, y : str
        Axis titles, with units.
    height : int
        Pixels; fixed, so that the page does not jump.
    revision : str
        While it stays the same, a user's zoom survives a redraw.
    **layout
        Anything else for the layout; what it says of an axis is added to the above.
    """
    base: dict[str, Any] = {
        "height": height,
        "margin": {"l": 88, "r": 24, "t": 40, "b": 54},
        "font": {"size": 15},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 14}},
        "hoverlabel": {"font": {"size": 14}},
        "xaxis": {"title": {"text": x, "font": {"size": 16}}, "zeroline": False, "tickfont": {"size": 14}},
        "yaxis": {"title": {"text": y, "font": {"size": 16}}, "zeroline": False, "tickfont": {"size": 14}},
        "uirevision": revision,
        "hovermode": "closest",
    }
    for name, value in layout.items():
        base[name] = base.get(name, {}) | value if isinstance(value, dict) else value
    return quick_figure(traces, base)
