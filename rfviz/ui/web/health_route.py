"""The route at which the server says whether a page would come at once."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from rfviz.ui.web.plotly_routes import server_path
from rfviz.ui.web.startup import is_ready

__all__ = ["health_route"]


def health_route() -> Route:
    """Return the route; Streamlit's own, ``/_stcore/health``, says yes while the first page would still wait."""
    return Route(server_path("/rfviz/health"), _tell)


async def _tell(request: Request) -> PlainTextResponse:
    headers = {"Cache-Control": "no-store"}
    if is_ready():
        return PlainTextResponse("ok", headers=headers)
    return PlainTextResponse("starting", status_code=503, headers=headers | {"Retry-After": "2"})
