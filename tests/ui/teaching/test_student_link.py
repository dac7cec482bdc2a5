"""The address for students."""

from urllib.parse import parse_qs, urlsplit

import pytest

from rfviz.ui.teaching.student_link import is_local, link_of, qr_code


def test_address_holds_values_hidden_names_and_the_view():
    address = link_of("http://host/page", {"compare": "8,32", "data.n": "5"}, ["seed", "sidebar"], embed=True,
                      lesson={"lesson": "saturation", "step": "2"})  # fmt: skip
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("host", "/page")
    assert parse_qs(parts.query) == {
        "compare": ["8,32"], "data.n": ["5"], "hide": ["seed,sidebar"], "embed": ["true"], "lesson": ["saturation"],
        "step": ["2"],
    }  # fmt: skip
    assert "hide=seed,sidebar" in address  # legible


def test_a_plain_page_has_a_plain_address():
    assert link_of("page", {}, []) == "page"
    assert link_of("page", {}, [], present=True) == "page?present=true"


@pytest.mark.parametrize(
    ("address", "local"),
    [("http://localhost:8501/hashing", True), ("http://127.0.0.1/", True), ("http://[::1]:8501/", True),
     ("http://lab.example:8501/hashing", False), ("https://10.0.0.7/localhost", False), ("", False)],
)  # fmt: skip
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
