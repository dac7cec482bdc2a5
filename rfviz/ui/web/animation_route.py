"""The route at which a browser fetches the frames of an animation that its page offers."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Protocol
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from rfviz.ui.web.plotly_routes import server_path

__all__ = ["OFFERS", "Offer", "animation_address", "animation_route"]


class Offer(Protocol):
    """An animation that can be fetched."""

    def lines(self, of_slider: bool) -> AsyncIterator[bytes]:
        """Compute the frames, for a slider only those that come at once, and yield texts of JSON, one a line."""
        ...


#: What can be fetched, by a name that cannot be guessed, as long as a session holds it.
OFFERS: WeakValueDictionary[str, Offer] = WeakValueDictionary()


def animation_address() -> str:
    """Return the path of the route, without the name of an animation."""
    return server_path("/rfviz/animation/")


def animation_route() -> Route:
    """Return the route, whose parameter ``slider`` asks for frames that come at once."""
    return Route(f"{animation_address()}{{name}}", _send)


async def _send(request: Request) -> Response:
    offer = OFFERS.get(request.path_params["name"])
    if offer is None:
        return Response(status_code=404)
    lines = _packed(offer.lines("slider" in request.query_params))
    headers = {"Cache-Control": "no-store", "Content-Encoding": "gzip"}
    return StreamingResponse(lines, media_type="text/plain", headers=headers)


async def _packed(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Compress lines, each so that it can be read at once."""
    packer = zlib.compressobj(wbits=31)
    async for line in lines:
        yield packer.compress(line + b"\n") + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
