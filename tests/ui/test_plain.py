"""Words that Markdown would make something of."""

import re

import pytest

from rfviz.ui.plain import plain


@pytest.mark.parametrize(
    "words",
    [
        "![x](http://example.invalid/a.png)",
        "[click](http://example.invalid)",
        "<b>bold</b>",
        "price ($) and cost ($)",
        ":red[hi]",
        ":material/lock:",
        ":smile:",
        "*stars*",
        "_under_",
        "__class__",
        "`code`",
        "~~gone~~",
        "# title",
        "a | b",
        "back\\slash",
        "http://example.invalid",
    ],
)
def test_every_sign_is_escaped_and_nothing_else_changes(words):
    safe = plain(words)
    assert safe != words and re.sub(r"\\(.)", r"\1", safe) == words
    assert not re.search(r"(?<!\\)[`*\[\]<>$~]|(?<!\\):(?=\w)|(?<!\\)!\[(?<!\\)", safe)


@pytest.mark.parametrize("words", ["n_components=5", "row 3: x, y", "γ = 0.5 (half)", "8×8", ""])
def test_ordinary_words_stay_as_they_are(words):
    assert plain(words) == words
