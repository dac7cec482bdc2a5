"""Questions of the study: their format, and what the files of this repository hold."""

from collections import Counter

import pytest

from rfviz.lab.facts import FACTS
from rfviz.lab.index import ASSETS
from rfviz.lessons import LessonError, parse_items, read_items

FOLDER = ASSETS / "questions"
FILES = sorted(path for path in FOLDER.glob("*.md") if path.stem != "README")
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
GOOD = """## first-one

### A
What is $x$?
In words?

- [ ] No
- [x] Yes: $x$

### B
And now?

- [x] This
- [ ] That

### check
- twice(2) == 4

## second
### A
A?
- [x] Yes
- [ ] No
### B
B?
- [x] Yes
- [ ] No
### check
- twice(1) == 2
"""
KNOWN = {"twice": lambda x: 2 * x}


def right(form):
    return [option.right for option in form.options].index(True)


def test_a_file_is_read():
    first, second = parse_items(GOOD, "file.md", KNOWN)
    assert (first.name, second.name) == ("first-one", "second")
    assert first.forms["A"].text == "What is $x$?\nIn words?"
    assert [option.text for option in first.forms["A"].options] == ["No", "Yes: $x$"]
    assert (right(first.forms["A"]), right(first.forms["B"])) == (1, 0)
    assert [check.evaluate(KNOWN) for check in first.checks] == [True]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("## first-one\n", "", 1, "begins with a heading"),
        ("## first-one", "## First one", 1, "small letters"),
        ("## second", "## first-one", 19, "already"),
        ("### B\nAnd", "### C\nAnd", 1, "### A"),
        ("- twice(2) == 4", "", 16, "needs a statement"),
        ("- twice(2) == 4", "- thrice(2) == 4", 17, "thrice"),
        ("And now?", "", 10, "asks nothing"),
        ("- [ ] No\n- [x] Yes: $x$", "- [ ] No", 3, "two answers"),
        ("- [x] Yes: $x$", "- [x] Yes: $x", 3, "second dollar sign"),
        ("- [x] This", "- [ ] This", 10, "one “[x]”"),
    ],
)
def test_mistakes_are_one_sentence_with_the_line(old, new, line, said):
    assert old in GOOD
    with pytest.raises(LessonError) as raised:
        parse_items(GOOD.replace(old, new, 1), "file.md", KNOWN)
    text = str(raised.value)
    assert text.startswith(f"file.md, line {line}: ") and said in text and text.endswith(".") and "\n" not in text


def test_four_lessons_have_questions():
    assert [path.stem for path in FILES] == ["bandwidth", "hashing", "saturation", "why-root-m"]
    assert all((ASSETS / "lessons" / path.name).exists() for path in FILES)


@every_file
def test_questions_are_whole(path):
    items = read_items(path, FACTS)
    assert len(items) == 4
    for item in items:
        one, other = item.forms["A"], item.forms["B"]
        assert right(one) != right(other), f"{item.name}: who remembers the place of an answer is right again"
        for form in (one, other):
            assert len(form.options) == 4 and len({option.text for option in form.options}) == 4
            assert "{{" not in form.text and form.text.rstrip().endswith(("?", "…"))
    for name in "AB":  # neither the first answer, nor any other, is right more often than chance has it
        assert max(Counter(right(item.forms[name]) for item in items).values()) <= 2


@every_file
def test_right_answers_are_right(path):
    for item in read_items(path, FACTS):
        for check in item.checks:
            assert check.evaluate(FACTS) is True, f"{item.name}: {check.text}"
