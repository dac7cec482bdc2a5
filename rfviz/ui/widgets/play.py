"""Charts that follow a control without the server: one computation gives every frame, and the browser draws them.

A page offers animations of its controls (the number of features, the pool size, the seed). Nothing is computed before a
user presses Play, or touches the slider of such a control. Then the browser fetches the frames, as what changes from
one to the next, and draws them at the screen's rate: by the clock where the user plays, and under the hand where the
slider is dragged, in which case the server hears of the value when the slider is let go.
"""

from __future__ import annotations

import hashlib
import json
from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rfviz.cache import Cache
from rfviz.errors import RfvizError
from rfviz.lab.animation import AnimationSpec, encode
from rfviz.progress import Progress
from rfviz.ui.cache import SessionCache
from rfviz.ui.component import Component, fields, is_number
from rfviz.ui.scheduler.requests import Request
from rfviz.ui.scheduler.session import new_request
from rfviz.ui.session import SessionValue
from rfviz.ui.state import PageState
from rfviz.ui.web.animation_route import OFFERS, animation_address

__all__ = ["chart_bar"]

_HERE = Path(__file__).parent
_HTML = '<div class="bar" role="group" aria-label="Play this chart"></div>'
# A user who presses Play waits; one who touches a slider goes on, and needs the frames before the hand has moved far.
_PLAY_S, _SLIDER_S = 8.0, 1.0
_POLL_S = 0.05

_STYLE = json.dumps((_HERE / "play.css").read_text(encoding="utf-8"))
_bar = Component(
    "play",
    _HERE / "play.js",
    html=_HTML,
    css=".bar { min-height: 2rem; }",
    js=f"const CSS_TEXT = {_STYLE};",
    served=True,
)


@dataclass(frozen=True)
class _Asked:
    """Frames that were asked for: equal to others of the same page and key."""

    page: str
    key: Hashable
    seconds: float
    spec: AnimationSpec = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class _Offer:
    """An animation that a session's browser may fetch."""

    page: str
    spec: AnimationSpec
    origin: Request

    async def lines(self, of_slider: bool) -> AsyncIterator[bytes]:
        """Yield the share that is computed, as long as it takes, and then the frames."""
        asked = _Asked(self.page, self.spec.key, _SLIDER_S if of_slider else _PLAY_S, self.spec)
        found: list[bytes] = []

        def work(progress: Progress) -> None:
            try:
                found.append(SessionCache(progress).call(_encoded, asked))
            except RfvizError as error:
                found.append(json.dumps({"error": str(error)}).encode())

        from rfviz.ui.scheduler.background import BackgroundRun

        run = BackgroundRun(asked, work, self.origin)
        try:
            while not run.done.is_set():
                share, _ = run.look()
                yield json.dumps({"share": share}).encode()
                await sleep(_POLL_S)
            if run.error is not None:
                raise run.error
            yield found[0]
        finally:
            run.leave()  # a browser that wants other frames, or has gone, hangs up


# Those of the page that is shown: they are there as long as the session, or until a page offers others.
_OFFERED = SessionValue("animations", dict[str, _Offer])


def chart_bar(
    state: PageState, chart: str, animations: Sequence[AnimationSpec], pin: Callable[[], None] | None = None
) -> None:
    """Draw the bar below a chart: what can be played, and a button that pins the chart.

    Parameters
    ----------
    chart : str
        Key of the chart.
    animations : sequence of AnimationSpec
    pin : callable, optional
        Called before the page is drawn again when the user pins the chart.
    """
    origin = new_request()
    # Play moves its control, which must not be one that a lecturer has hidden.
    shown = [spec for spec in animations if not spec.control or state.shows(spec.control)]
    offers = {_name(offer): offer for offer in (_Offer(state.page, spec, origin) for spec in shown)}
    OFFERS.update(offers)
    if offers:
        _OFFERED.set(offers)

    def keep(sent: Any) -> None:
        kept = fields(sent)
        offer, value = offers.get(str(kept.get("id"))), kept.get("value")
        if offer is not None and offer.spec.control and is_number(value):
            state.apply({offer.spec.control: value})

    data = [
        {
            "id": name,
            "symbol": offer.spec.symbol,
            "now": offer.spec.now,
            "slider": state.key(offer.spec.control) if offer.spec.control else "",
        }
        for name, offer in offers.items()
    ]
    heard: dict[str, Callable[[Any], None]] = {"kept": keep}
    if pin is not None:
        heard["pinned"] = lambda _: pin()
    message = {"address": animation_address(), "animations": data, "pin": pin is not None}
    _bar.mount(f"{chart}-bar", message, heard)


def _encoded(asked: _Asked, *, cache: Cache) -> bytes:
    return encode(asked.spec.render(cache, asked.seconds), asked.spec.options)


def _name(offer: _Offer) -> str:
    # Named after the session, too, so that the address of frames of private data cannot be guessed.
    parts = offer.origin.session, offer.page, offer.spec.key
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
