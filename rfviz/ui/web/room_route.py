"""The routes by which phones join a room: one plain page, and its questions and answers as JSON.

A phone gets no session of Streamlit's, which would load three megabytes and hold a thread: two hundred of them ask
every other second on one connection each, and each answer is a few hundred bytes.
"""

from __future__ import annotations

import json
import secrets
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from rfviz.ui.web.plotly_routes import server_path
from rfviz.ui.web.startup import is_ready

if TYPE_CHECKING:
    from rfviz.lessons import Answer, Question, Room

__all__ = ["join_address", "room_address", "room_routes"]

_WIDGETS = Path(__file__).parents[1] / "widgets"
_MOST_BYTES = 8_000
_PRIVATE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_GONE = "There is no such room. Look at the code again: a room is closed when the lecture is over."


def join_address(code: str = "") -> str:
    """Return the path of the page for phones, of one room if a code is given."""
    return server_path(f"/join/{code}" if code else "/join")


def room_address(code: str = "") -> str:
    """Return the path of a room's questions and answers."""
    return server_path(f"/rfviz/room/{code}")


def room_routes() -> list[Route]:
    """Return the routes."""
    at = room_address("{code}")
    return [
        Route(join_address(), _page),
        Route(join_address("{code}"), _page),
        Route(at, _look),
        Route(at, _answer, methods=["POST"]),
        Route(f"{at}/count", _count),
    ]


async def _page(request: Request) -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(_markup().replace("NONCE", nonce), headers=_PRIVATE | {"Content-Security-Policy": policy})


@cache
def _markup() -> str:
    folder = Path(__file__).parent
    parts = {
        "STYLE": [_WIDGETS / "drawn_curve.css", folder / "room.css"],
        "SCRIPT": [_WIDGETS / "drawn_curve.js", folder / "room.js"],
    }
    page = (folder / "room.html").read_text(encoding="utf-8")
    page = page.replace("ADDRESSES", json.dumps({"join": join_address(), "room": room_address()}))
    for name, files in parts.items():
        page = page.replace(name, "\n".join(path.read_text(encoding="utf-8") for path in files))
    return page


def _refused(words: str, status: int) -> JSONResponse:
    return JSONResponse({"error": words}, status, headers=_PRIVATE)


def _room_of(request: Request) -> Room | JSONResponse:
    if not is_ready():
        return _refused("The laboratory is starting. This page goes on by itself.", 503)
    from rfviz.lessons import ROOMS  # not before: it imports NumPy

    return ROOMS.find(request.path_params["code"]) or _refused(_GONE, 404)


async def _look(request: Request) -> Response:
    room = _room_of(request)
    if isinstance(room, JSONResponse):
        return room
    from rfviz.lessons import RoomError

    try:
        stage, question, answer, verdict = room.look(request.query_params.get("phone", ""))
    except RoomError as error:
        return _refused(str(error), 409)
    told: dict[str, Any] = {"stage": stage}
    if question is not None:
        told["id"] = question.id
        if request.query_params.get("have") != question.id:
            told["question"] = _shown(question)
            told["answer"] = _plain(answer)
    if question is not None and stage == "answer":
        told["right"] = _plain(room.right(question.id))
        from rfviz.lab.markdown import html_of

        told["verdict"] = html_of(verdict)
    return JSONResponse(told, headers=_PRIVATE)


@lru_cache(maxsize=200)
def _html(text: str, inline: bool) -> str:
    from rfviz.lab.markdown import html_of, line_of

    return (line_of if inline else html_of)(text)


def _shown(question: Question) -> dict[str, Any]:
    """Return a question as the page draws it."""
    shown: dict[str, Any] = {"title": _html(question.step, True), "text": _html(question.text, False)}
    if question.options:
        return shown | {"options": [_html(option, True) for option in question.options]}
    axes = [{"label": axis.label, "ends": [axis.low, axis.high], "log": axis.log} for axis in question.axes]
    return shown | {"axes": axes, "hint": question.hint}


def _plain(answer: Answer | None) -> Any:
    """Return an answer as JSON has it."""
    return answer if answer is None or isinstance(answer, int) else answer.tolist()


async def _answer(request: Request) -> Response:
    room = _room_of(request)
    if isinstance(room, JSONResponse):
        return room
    from rfviz.lessons import RoomError

    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            return _refused(f"An answer has at most {_MOST_BYTES:,} bytes.", 413)
    try:
        sent = json.loads(body)
        phone, id = (str(sent[name]) for name in ("phone", "question"))
        answer = sent["answer"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return _refused("This is no answer.", 400)
    try:
        room.answer(phone, id, answer)
    except RoomError as error:
        return _refused(str(error), 409)
    return JSONResponse({}, headers=_PRIVATE)


async def _count(request: Request) -> Response:
    """Tell the lecturer's page how many are here and have answered, and note that the lecturer is."""
    room = _room_of(request)
    if isinstance(room, JSONResponse):
        return room
    if not secrets.compare_digest(request.headers.get("rfviz-room-key", "").encode(), room.key.encode()):
        return _refused("Only the room’s lecturer is told.", 403)
    room.keep()
    n_present, n_answered = room.count()
    return JSONResponse({"present": n_present, "answered": n_answered}, headers=_PRIVATE)
