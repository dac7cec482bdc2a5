"""The address for students."""

from urllib.parse import parse_qs, urlsplit

import pytest
import streamlit as st

from rfviz.ui.teaching.student_link import is_local, link_of, qr_code, reach


def test_address_holds_values_hidden_names_and_the_view():
    address = link_of(
        "http://host/page",
        {"compare": "8,32", "data.n": "5"},
        ["seed", "sidebar"],
        embed=True,
        lesson={"lesson": "saturation", "step": "2"},
    )
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("host", "/page")
    assert parse_qs(parts.query) == {
        "compare": ["8,32"],
        "data.n": ["5"],
        "hide": ["seed,sidebar"],
        "embed": ["true"],
        "lesson": ["saturation"],
        "step": ["2"],
    }
    assert "hide=seed,sidebar" in address  # legible


def test_a_plain_page_has_a_plain_address():
    assert link_of("page", {}, []) == "page"
    assert link_of("page", {}, [], present=True) == "page?present=true"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8501/hashing", True),
        ("http://127.0.0.1/", True),
        ("http://[::1]:8501/", True),
        ("http://lab.example:8501/hashing", False),
        ("https://10.0.0.7/localhost", False),
        ("", False),
    ],
)
def test_an_address_that_nobody_else_reaches_is_known(address, local):
    assert is_local(address) == local


def test_a_qr_code_is_a_picture_in_the_page_itself_and_says_what_it_is():
    picture = qr_code("http://lab.example:8501/hashing", "QR code of the link for students")
    assert 'src="data:image/svg+xml' in picture and 'alt="QR code of the link for students"' in picture
    assert picture != qr_code("http://lab.example:8501/accuracy", "QR code of the link for students")
    # However long the address is, and whatever it holds, it does not leave the attribute.
    assert qr_code('http://lab.example/?name="><script>', "code").count("<") == 1


def test_an_address_that_is_too_long_has_no_qr_code():
    assert qr_code("http://lab.example/?" + "x" * 3000, "too long") == ""


@pytest.fixture
def listens(monkeypatch):
    """Return a function that sets where the server listens, and which way out this computer has."""

    class Socket:
        def __init__(self, *kind):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def connect(self, place):
            if Socket.number is None:
                raise OSError("Network is unreachable")

        def getsockname(self):
            return Socket.number, 40000

    def choose(where, number, container=None):
        Socket.number = number
        monkeypatch.setattr(st, "get_option", {"server.address": where}.get)
        monkeypatch.setattr("rfviz.ui.teaching.student_link.socket.socket", Socket)
        monkeypatch.setattr("rfviz.ui.teaching.student_link.os.path.exists", lambda path: path == container)

    return choose


def test_others_get_this_computers_number_in_the_network(listens):
    listens(None, "192.168.7.5")
    address, words = reach("http://localhost:8501/hashing?q=8")
    assert address == "http://192.168.7.5:8501/hashing?q=8" and "**192.168.7.5:8501**" in words
    assert reach("http://127.0.0.1/hashing")[0] == "http://192.168.7.5/hashing"
    assert reach("http://lab.example:8501/hashing") == ("http://lab.example:8501/hashing", "")


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("127.0.0.1", "192.168.7.5"),
        ("localhost", "192.168.7.5"),
        (None, None),
        (None, "127.0.0.1"),
        ("0.0.0.0", "0.0.0.0"),
    ],
)
def test_where_nobody_else_can_come_in_the_words_say_what_to_do(listens, where, number):
    listens(where, number)
    address, words = reach("http://localhost:8501/hashing")
    assert address == "http://localhost:8501/hashing" and "only on this computer" in words


@pytest.mark.parametrize("container", ["/.dockerenv", "/run/.containerenv"])
def test_the_number_of_a_container_is_no_address(listens, container):
    listens("0.0.0.0", "172.18.0.2", container)
    address, words = reach("http://localhost/hashing")
    assert address == "http://localhost/hashing" and "--server.address" not in words  # it listens already


def test_a_certificate_for_localhost_is_none_for_the_number(listens):
    listens("0.0.0.0", "192.168.7.5")
    address, words = reach("https://localhost/hashing")
    assert address == "https://localhost/hashing" and "only on this computer" in words
