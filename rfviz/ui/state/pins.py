"""Charts that are pinned next to the live one, with what differs in their settings.

They last as long as the session. The address holds their settings, ``saturation:pool_size=16;saturation:``, each by the
name of its chart and what differs from the page's defaults; a link draws them anew.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import plotly.graph_objects as go

from rfviz.cache import Cache
from rfviz.datasets.base import is_own
from rfviz.errors import DataError, RfvizError
from rfviz.figures.traces import plotly_json
from rfviz.lab.address import format_value, parse_value
from rfviz.lab.controls import Control
from rfviz.lab.page import Page, compute
from rfviz.ui.component import Component, fields
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue
from rfviz.ui.state.page_state import PageState
from rfviz.words import shown

__all__ = [
    "MOST",
    "Pin",
    "clear",
    "differences",
    "discard",
    "draw_linked",
    "in_address",
    "pins_of",
    "remove",
    "request",
    "restore",
    "show",
    "take",
]

#: Pinned charts of a page.
MOST = 4
# A chart's name, as in an address, and its settings.
_PINNED = re.compile(r"([A-Za-z0-9_-]{1,60}):(.{0,1000})")
_HERE = Path(__file__).parent
# A figure goes to the browser once, into a place of its own; the row of pins, which changes with every setting, is
# small.
_SHEET_JS = """
export default function ({ data }) {
  const sheet = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  const pins = (window.rfviz.pins ??= new Map());
  if (pins.has(sheet.name)) return;
  pins.set(sheet.name, sheet);
  window.dispatchEvent(new CustomEvent("rfviz:pin", { detail: sheet.name }));
}
"""

_row = Component(
    "pins",
    _HERE / "pins.js",
    _HERE / "pins.css",
    html='<div class="pins" role="group" aria-label="Pinned charts"></div>',
    isolated=False,  # Plotly puts its rules of style into the page's head
)
_sheet = Component("pin_sheet", js=_SHEET_JS)


@dataclass(frozen=True, eq=False)
class Pin:
    """One pinned chart.

    Attributes
    ----------
    name : str
        Unique, and hard to guess.
    chart : str
        Key of the chart.
    values : mapping
        What the controls held, by name.
    query : str
        What of them differs from the page's defaults, as in an address.
    words : mapping
        The values as people say them.
    spec : bytes
        The figure, as JSON for the browser.
    alt : str
        Alternative text.
    """

    name: str
    chart: str
    values: Mapping[str, Any]
    query: str
    words: Mapping[str, str]
    spec: bytes
    alt: str


# Of each page: its pinned charts, the first one first; the key of the chart to pin when the page is drawn next; and
# what the address pins that is not drawn yet.
_PINS = SessionValue("pins", tuple[Pin, ...])
_WANTED = SessionValue("pin", str)
_LINKED = SessionValue("pins-linked", list[str])


def pins_of(page: str) -> tuple[Pin, ...]:
    """Return the pinned charts of a page, the first one first."""
    return _PINS.of(page).get()


def request(page: str, chart: str) -> None:
    """Pin the chart of that key when the page is drawn next."""
    _WANTED.of(page).set(chart)


def take(state: PageState, figure: go.Figure, chart: str, alt: str) -> None:
    """Pin a figure with the present settings; the oldest one goes where there are too many."""
    query = urlencode({name: format_value(value) for name, value in state.changed().items()}, safe=",:/")
    _add(state, figure, chart, alt, state.values(), query, state.controls)


def _add(
    state: PageState,
    figure: go.Figure,
    chart: str,
    alt: str,
    values: Mapping[str, Any],
    query: str,
    controls: Mapping[str, Control],
) -> None:
    name = secrets.token_hex(6)
    spec: dict[str, Any] = figure.to_dict()
    layout = {key: value for key, value in spec["layout"].items() if key != "template"}
    text = plotly_json({"name": name, "figure": {"data": list(spec["data"]), "layout": layout}})
    pin = Pin(name, chart, dict(values), query, _words(values, controls), text.encode(), alt)
    _PINS.of(state.page).set((*pins_of(state.page), pin)[-MOST:])


def in_address(page: str) -> str:
    """Return the pinned charts of a page as an address holds them, without those of uploads."""
    pinned = [f"{pin.chart}:{pin.query}" for pin in pins_of(page) if not is_own(str(pin.values.get("data")))]
    return ";".join(pinned + _LINKED.of(page).get())


def draw_linked(page: Page[Any, Any, Any], state: PageState, cache: Cache) -> bool:
    """Draw and pin what the link pins that the page was opened with; return whether the page is to be drawn again.

    Of a computation in parts the chart shows what is known already.
    """
    linked = _LINKED.of(page.slug)
    if asked := state.address.text("pins"):
        _PINS.of(page.slug).set(())
        linked.set(asked.split(";")[:MOST])
    came = False
    # One that was drawn is off the list: a control that is moved meanwhile ends this, and the rest comes afterwards.
    while left := linked.get():
        try:
            _draw(page, state, cache, left[0])
            came = True
        except RfvizError as error:
            state.address.refuse(f"A pinned chart of the link is left out. {plain(str(error))}")
        except Exception:
            linked.set(left[1:])  # or the page would go wrong whatever the user does
            raise
        linked.set(left[1:])
    return came


def _draw(page: Page[Any, Any, Any], state: PageState, cache: Cache, text: str) -> None:
    match = _PINNED.fullmatch(text)
    if match is None:
        raise DataError(f"It must name a chart and settings, got “{text[:40]}”. Pin the chart again.")
    chart, query = match.groups()
    from rfviz.lab.preset import Preset  # for a link with pinned charts alone

    panel = Preset({name: parse_value(value) for name, value in parse_qsl(query, keep_blank_values=True)})
    source = page.source(panel)
    computed = compute(page, source, page.settings(panel, source), cache, lambda work: None)
    drawn = next((one for one in computed.charts if one.name == chart), None)
    if drawn is None:
        raise DataError(f"This page has no chart of the name “{chart}”. Pin another one.")
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in panel.answers.items()}
    _add(state, drawn.figure, chart, drawn.alt, values, query, {**panel.controls, **state.controls})


def remove(page: str, name: str) -> None:
    """Take a pin away."""
    _PINS.of(page).set(tuple(pin for pin in pins_of(page) if pin.name != name))


def clear(page: str) -> None:
    """Take all pins of a page away."""
    _PINS.of(page).pop()


def discard(is_gone: Callable[[Mapping[str, Any]], bool]) -> None:
    """Take away the pins of every page whose values meet this."""
    for pins in _PINS.of_all():
        pins.set(tuple(pin for pin in pins.get() if not is_gone(pin.values)))


def restore(state: PageState, name: str) -> None:
    """Set the controls to what they held when that chart was pinned."""
    pin = next((pin for pin in pins_of(state.page) if pin.name == name), None)
    if pin is not None:
        state.apply({name: list(value) if isinstance(value, list) else value for name, value in pin.values.items()})


def differences(state: PageState, pin: Pin) -> list[str]:
    """Return what differs between a pinned chart and the present settings: ``"q: 8 (now 32)"``."""
    now = state.values()
    held = _words(now, state.controls)
    return [
        f"{_label(state, name)}: {pin.words[name]} (now {held[name]})"
        for name, value in now.items()
        if name in pin.values and format_value(pin.values[name]) != format_value(value)
    ]


def _words(values: Mapping[str, Any], controls: Mapping[str, Control]) -> dict[str, str]:
    """Return values in words."""
    words = {}
    for name, value in values.items():
        control = controls.get(name)
        try:
            words[name] = control.words(value) if control else shown(value)
        except (TypeError, KeyError):  # a value without a title
            words[name] = shown(value)
    return words


def _label(state: PageState, name: str) -> str:
    """Return the short label of a control: its letter if it has one."""
    control = state.controls.get(name)
    label = control.label if control else name.replace("_", " ").replace(".", " ")
    last = label.rpartition(" ")[2]
    if len(last) == 1 and last.isalpha():
        return last
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def show(state: PageState, figure: go.Figure, chart: str, alt: str) -> None:
    """Draw pinned charts below a chart, and how their settings differ from the present ones."""
    page = state.page
    if _WANTED.of(page).get() == chart:
        _WANTED.of(page).pop()
        take(state, figure, chart, alt)
    pins = [pin for pin in pins_of(page) if pin.chart == chart]
    if not pins:
        return
    key = f"{chart}-pins"

    def act(sent: Any) -> None:
        remove(page, str(fields(sent).get("name")))

    rows = [{"name": pin.name, "alt": pin.alt, "differences": differences(state, pin)} for pin in pins]
    _row.mount(key, json.dumps({"chart": chart, "pins": rows}).encode(), {"removed": act})
    for pin in pins:
        _sheet.mount(f"{key}-{pin.name}-sheet", pin.spec, height=1)
