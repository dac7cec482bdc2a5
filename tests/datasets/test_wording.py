import pytest

from rfviz.datasets.wording import one_line, reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abc", "abc"), ("a\n\tb  c", "a b c"), ("\x1b[1mx\u202e", "[1mx"), ("x" * 11, "x" * 9 + "…"), (7, "7"), ("", "")],
)
def test_one_line(text, expected):
    assert one_line(text, 10) == expected


def test_reason():
    assert reason(ValueError("First.\nSecond")) == "First" and reason(KeyError()) == "KeyError"
    assert len(reason(ValueError("x" * 10**6))) == 120
