"""Scripts of components as files: a browser fetches each once, where Streamlit sends inline code with every message."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rfviz.ui.web.plotly_routes import server_path

__all__ = ["component_script", "script_addresses", "script_route"]

_FOLDER = "/rfviz/scripts/"
# By their file names, which change with their text.
_SCRIPTS: dict[str, bytes] = {}
# A run of the page may come before the file, and another one, or the end of the component, before that is read.
_HAND_OVER = """
let mount;
const loaded = import(location.origin + "ADDRESS").then((module) => (mount = module.default));
export default function (component) {
  if (mount) return mount(component);
  let end, gone = false;
  loaded.then((found) => gone || (end = found(component)));
  return () => ((gone = true), end?.());
}
"""


def component_script(*paths: Path, before: str = "") -> str:
    """Return the code of a component that leaves all to scripts, which are served as one file.

    Parameters
    ----------
    *paths : Path
        The last has the default export.
    before : str
        Code to stand before them.
    """
    text = "\n".join([before, *(path.read_text(encoding="utf-8") for path in paths)]).encode()
    name = f"{paths[-1].stem}-{hashlib.blake2b(text, digest_size=8).hexdigest()}.js"
    _SCRIPTS[name] = text
    return _HAND_OVER.replace("ADDRESS", server_path(_FOLDER + name))


def script_addresses() -> list[str]:
    """Return the paths of all scripts on this server."""
    return [server_path(_FOLDER + name) for name in _SCRIPTS]


def script_route() -> Route:
    """Return the route of the scripts."""
    return Route(server_path(f"{_FOLDER}{{name}}"), _send)


async def _send(request: Request) -> Response:
    text = _SCRIPTS.get(request.path_params["name"])
    if text is None:
        return Response(status_code=404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(text, media_type="text/javascript", headers=headers)
