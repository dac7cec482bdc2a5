"""The route at which the server tells the load and memory of a device."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from rfviz.ui.web.plotly_routes import server_path

__all__ = ["device_address", "device_route"]


def device_address() -> str:
    """Return the path of the route."""
    return server_path("/rfviz/device")


def device_route() -> Route:
    """Return the route, whose parameters are ``device``, ``precision`` and ``session``."""
    return Route(device_address(), _tell)


def _tell(request: Request) -> JSONResponse:  # in a thread of its own, so that a slow driver delays no other request
    from rfviz.ui.web.startup import wait_until_ready

    wait_until_ready()
    from rfviz import backend  # not before: they import NumPy
    from rfviz.ui.device_use import describe
    from rfviz.ui.scheduler import Target

    names = [device.name for device in backend.available_devices()]
    name, precision = request.query_params.get("device", ""), request.query_params.get("precision", "")
    place = Target(name if name in names else names[0], "tf32" if precision == "tf32" else "float32")
    session = request.query_params.get("session", "")
    return JSONResponse(describe(place, session), headers={"Cache-Control": "no-store"})
