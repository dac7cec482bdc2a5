"""Where the server offers the scripts that draw the charts."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rfviz.figures.plotly_js import Script, scripts

__all__ = ["plotly_address", "plotly_routes"]


def plotly_address(script: Script) -> str:
    """Path of a script on this server. The version is part of it, so that browsers may keep the file for ever."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' if base else ''}{base}/rfviz/{script.path.name.removesuffix('.min.js')}-{script.version}.min.js"


def plotly_routes() -> list[Route]:
    """What answers at the addresses of all scripts."""
    return [Route(plotly_address(script), _answer(script)) for script in scripts()]


def _answer(script: Script) -> Callable:
    plain = script.path.read_bytes()
    packed = gzip.compress(plain)  # once, and not for every visitor: it takes longer than to send it
    lasting = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}

    async def answer(request: Request) -> Response:
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers = {**lasting, "Content-Encoding": "gzip"}
            return Response(packed, media_type="text/javascript", headers=headers)
        return Response(plain, media_type="text/javascript", headers=lasting)

    return answer
