"""The look of a feature map's curves, apart from any plotting library."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Look"]


@dataclass(frozen=True)
class Look:
    """Colour, dash and symbol of the curves of a feature map, the same in every chart.

    Attributes
    ----------
    colour : str
        Hexadecimal; a contrast of at least 3:1 on a light and on a dark background, and apart from that of every other
        map. The maxout family is blue to violet, the products are pink, and their baseline brown.
    dash, symbol : str
        Plotly's names. No two maps share a symbol, so that no distinction rests on colour alone.
    """

    colour: str
    dash: str
    symbol: str
