"""The device in the sidebar: a few lines that follow what it does while the page stands still."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit.components.v2 import component

from rfviz import backend
from rfviz.ui.device_use import describe
from rfviz.ui.scheduler import Target
from rfviz.ui.web.plotly_routes import server_path

__all__ = ["badge", "device_route"]

_ADDRESS = "/rfviz/device"
_CSS = """
.badge { font-size: 0.875rem; line-height: 1.45; opacity: 0.72; cursor: default; }
.badge .name { font-weight: 600; }
.badge [hidden] { display: none; }
"""
_mount = component(
    "rfviz.badge",
    html='<div class="badge" role="status" aria-live="off"><div class="name"></div><div class="memory"></div>'
    '<div class="queue"></div><div class="last"></div></div>',
    css=_CSS,
    js=(Path(__file__).parent / "badge.js").read_text(encoding="utf-8"),
)


def device_route() -> Route:
    """Return the route at which the server tells the load and memory of a device."""

    def tell(request: Request) -> JSONResponse:  # in a thread of its own, so that a slow driver holds nobody up
        names = [device.name for device in backend.available_devices()]
        name, precision = request.query_params.get("device", ""), request.query_params.get("precision", "")
        place = Target(name if name in names else names[0], "tf32" if precision == "tf32" else "float32")
        return JSONResponse(describe(place), headers={"Cache-Control": "no-store"})

    return Route(server_path(_ADDRESS), tell)


def badge(place: Target) -> None:
    """Show which device computes, its memory, who waits, and how near its limit the last computation came."""
    query = urlencode({"device": place.device, "precision": place.precision})
    _mount(key="rfviz-badge", data={"state": describe(place), "address": f"{server_path(_ADDRESS)}?{query}"})
