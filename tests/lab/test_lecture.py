"""A lecture as text and as part of an address, and what is refused in a sentence."""

import base64
import random
import zlib

import pytest

from rfviz.errors import DataError
from rfviz.lab.lecture import View, line_of, pack, parse_lecture, unpack

PAGES = {"home", "hashing", "distance-saturation"}
# Signs that mean something in an address or a line, and some that nobody thinks of.
SIGNS = "abcXYZ019 |?&=#%+/:;,._-~\\\"'<>{}[]()üñ–“”漢字😀\u00a0\u2028"


def words(rng, most):
    return "".join(rng.choices(SIGNS, k=rng.randrange(most)))


def test_a_view_survives_being_written_down():
    rng = random.Random(0)
    for _ in range(500):
        page, note = rng.choice(sorted(PAGES)), words(rng, 40)
        query = {words(rng, 8) + "n": words(rng, 30) for _ in range(rng.randrange(6))}
        (read,) = parse_lecture(line_of(View(page, query, note)), PAGES)
        assert (read.page, dict(read.query), read.note) == (page, query, " ".join(note.split()))


def test_text_survives_an_address():
    rng = random.Random(0)
    for _ in range(200):
        text = words(rng, 300)
        packed = pack(text)
        assert unpack(packed) == text
        assert packed.replace("-", "").replace("_", "").isalnum()


def test_lines_are_views_in_their_order():
    views = parse_lecture("hashing?q=8 | First | with a bar\n\n  distance-saturation?zoom=a:x,1,2 \r\nhome", PAGES)
    assert [view.page for view in views] == ["hashing", "distance-saturation", "home"]
    assert [view.note for view in views] == ["First | with a bar", "", ""]
    assert dict(views[1].query) == {"zoom": "a:x,1,2"}


@pytest.mark.parametrize(
    "line",
    [
        "https://elsewhere.example/lab/hashing?q=8",
        "javascript:hashing?q=8",
        "//elsewhere.example/hashing/?q=8",
        "../../hashing?q=8&present=true&lecture=1-x&embed=true",
    ],
)
def test_an_address_is_a_page_of_this_laboratory_and_nothing_else(line):
    try:
        (view,) = parse_lecture(line, PAGES)
    except DataError as error:
        assert "Line 1 names no page" in str(error)
    else:
        assert line_of(view) == "hashing?q=8"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hashing\nnowhere?x=1", "Line 2 names no page of the laboratory: “nowhere”"),
        ("http://[::1/hashing", "Line 1 is no address"),
        ("hashing?" + "&".join(f"a{k}=1" for k in range(101)), "Line 1 is no address"),
        ("hashing?q=" + "1" * 2500, "Line 1 is too long"),
        ("hashing | " + "n" * 501, "Line 1 is too long"),
        ("hashing\n" * 61, "at most 60 views, and this one has 61"),
        ("x" * 100_001, "at most 100,000 characters"),
    ],
)
def test_what_is_no_lecture_is_refused_in_a_sentence(text, words):
    with pytest.raises(DataError, match=words.replace("?", r"\?")):
        parse_lecture(text, PAGES)


@pytest.mark.parametrize("packed", ["%%%", "ä", "AAAA", pack("hashing")[:-4], "A" * 100_000, "-", "abc"])
def test_a_link_that_is_not_whole_says_so(packed):
    with pytest.raises(DataError, match="copy the whole link again"):
        unpack(packed)


def test_a_link_unpacks_to_a_bounded_text():
    bomb = base64.urlsafe_b64encode(zlib.compress(b"x" * 50_000_000, 9)).decode().rstrip("=")
    with pytest.raises(DataError):
        parse_lecture(unpack(bomb), PAGES)


def test_a_lecture_too_long_for_a_link_says_what_to_do():
    text = "\n".join(f"hashing?q={k}&seed={k * 7919 % 104729} | {hash(str(k))} {hash(k * 3.7)}" for k in range(400))
    with pytest.raises(DataError, match="Save the lecture as a file"):
        pack(text)
