"""What a phone gets from the server: the page, questions, and one sentence where it sends what is no answer."""

import json
import re
import threading

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from rfviz.lessons import ROOMS, Axis, Question
from rfviz.ui.web import room_route
from rfviz.ui.web.boot_script import InjectBootScript
from rfviz.ui.web.headers import PageHeaders, content_security_policy
from rfviz.ui.web.room_route import join_address, room_address, room_routes
from tests.asgi import fetch

APP = Starlette(
    routes=room_routes(),
    middleware=[
        Middleware(InjectBootScript, slugs=["accuracy"]),
        Middleware(PageHeaders, makers=[content_security_policy]),
    ],
)
PHONE = "0123456789abcdef"
CHOICE = Question("choice", "Lesson", "With $q = 2$", "How **large** is $\\sqrt q$?", ("$q$", "less than 2 & more"))
CURVE = Question("curve", "L", "Draw", "Where?", axes=(Axis("x", 1.0, 100.0, True), Axis("y", 0.0, 2.0, False)))


@pytest.fixture
def room():
    room = ROOMS.open()
    yield room
    ROOMS.close(room)


def look(room, have="", phone=PHONE):
    status, _, body = fetch(APP, room_address(room.code), query=f"phone={phone}&have={have}".encode())
    return status, json.loads(body)


def send(room, question, answer, phone=PHONE):
    return post(room, json.dumps({"phone": phone, "question": question, "answer": answer}).encode())


def post(room, body):
    status, _, told = fetch(APP, room_address(room.code), body=body)
    return status, json.loads(told)


def test_the_page_runs_its_own_script_and_nothing_else():
    status, headers, body = fetch(APP, join_address("ABC234"))
    page = body.decode()
    (policy,) = headers.getlist("content-security-policy")
    (nonce,) = set(re.findall(r'nonce="([^"]+)"', page))
    assert status == 200 and "no-store" in headers["cache-control"]
    assert f"script-src 'nonce-{nonce}'" in policy and "default-src 'none'" in policy and "unsafe" not in policy
    assert page.count("<script") == 2 and "__streamlit" not in page
    assert nonce not in fetch(APP, join_address())[2].decode()
    assert "https://" not in page and len(body) < 30_000
    assert not re.search(
        r"\b(NONCE|STYLE|SCRIPT|ADDRESSES)\b(?!\.)", page.replace("ADDRESSES = ", "").replace("(ADDRESSES", "")
    )


def test_a_question_comes_once_and_then_its_stage_alone(room):
    assert look(room) == (200, {"stage": "wait"})
    room.ask(CHOICE)
    status, told = look(room)
    assert status == 200 and told["stage"] == "ask" and told["answer"] is None
    assert "<strong>large</strong>" in told["question"]["text"] and "<msqrt>" in told["question"]["text"]
    assert "<math" in told["question"]["title"] and told["question"]["options"][1] == "less than 2 &amp; more"
    assert look(room, have="choice") == (200, {"stage": "ask", "id": "choice"})
    assert send(room, "choice", 1) == (200, {})
    assert look(room)[1]["answer"] == 1  # a phone that was loaded again
    assert "right" not in look(room)[1]
    room.reveal(lambda answers: {PHONE: "**Right.** $q$"}, 1)
    assert look(room)[1]["right"] == 1
    verdict = look(room, have="choice")[1]["verdict"]
    assert "<strong>Right.</strong>" in verdict and "<math" in verdict


def test_a_curve_has_the_axes_of_the_chart(room):
    room.ask(CURVE)
    question = look(room)[1]["question"]
    assert question["axes"] == [
        {"label": "x", "ends": [1.0, 100.0], "log": True},
        {"label": "y", "ends": [0.0, 2.0], "log": False},
    ]
    assert send(room, "curve", [[1, 0.5], [99, 1.5]]) == (200, {})
    assert look(room)[1]["answer"] == [[1, 0.5], [99, 1.5]]


BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b"{}",
    b'{"phone": 1}',
    b"\xff\xfe",
    b"[" * 5000,
    b'{"phone": [], "question": {}}',
]


@pytest.mark.parametrize("body", BODIES, ids=[str(at) for at in range(len(BODIES))])
def test_what_is_no_answer_gets_one_sentence(room, body):
    room.ask(CHOICE)
    assert post(room, body) == (400, {"error": "This is no answer."})


def test_an_answer_is_short(room):
    room.ask(CURVE)
    status, told = send(room, "curve", [[1, 1]] * 2000)
    assert status == 413 and "8,000 bytes" in told["error"]
    assert room.count()[1] == 0


def test_wrong_answers_and_names_get_one_sentence(room):
    room.ask(CHOICE)
    assert send(room, "choice", 7) == (409, {"error": "This is not one of the answers."})
    assert send(room, "other", 1)[0] == 409 and look(room, phone="x")[0] == 409
    assert send(room, {"a": 1}, 1)[0] == 409


@pytest.mark.parametrize("code", ["NOSUCH", "%00", "x" * 500, "../../health"])
def test_a_room_that_is_not_there(code):
    status, _, body = fetch(APP, room_address(code), query=f"phone={PHONE}".encode())
    assert status == 404 and (b"no such room" in body or b"Not Found" in body)


def test_the_lecturer_alone_is_told_how_many_there_are(room):
    room.ask(CHOICE)
    send(room, "choice", 1)
    address = f"{room_address(room.code)}/count"
    assert fetch(APP, address)[0] == 403
    assert fetch(APP, address, **{"rfviz-room-key": "wrong"})[0] == 403
    status, _, body = fetch(APP, address, **{"rfviz-room-key": room.key})
    assert status == 200 and json.loads(body) == {"present": 1, "answered": 1}
    assert room.key not in json.dumps(look(room)[1]) and room.key not in fetch(APP, join_address(room.code))[2].decode()


def test_a_server_that_starts_says_so(room, monkeypatch):
    waiting = threading.Event()
    monkeypatch.setattr(room_route, "is_ready", waiting.is_set)
    status, told = look(room)
    assert status == 503 and "starting" in told["error"]
    waiting.set()
    assert look(room)[0] == 200
