"""Routes of the scripts that draw the charts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from rfviz.figures.plotly_js import Script, scripts

__all__ = ["plotly_address", "plotly_routes", "server_path"]


def server_path(path: str) -> str:
    """Return a path below the base URL that Streamlit is configured with: ``"/static/"``."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' if base else ''}{base}{path}"


def plotly_address(script: Script) -> str:
    """Return the path of a script on this server; it holds the version, so that browsers may cache it for ever."""
    return server_path(f"/rfviz/{script.path.name.removesuffix('.min.js')}-{script.version}.min.js")


def plotly_routes() -> list[Route]:
    """Return a route for each script."""
    return [Route(plotly_address(script), _answer(script)) for script in scripts()]


def _answer(script: Script) -> Callable[[Request], Awaitable[FileResponse]]:
    immutable = {"Cache-Control": "public, max-age=31536000, immutable"}

    async def answer(request: Request) -> FileResponse:
        return FileResponse(script.path, media_type="text/javascript", headers=immutable)

    return answer
