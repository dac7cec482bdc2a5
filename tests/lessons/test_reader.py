"""Files of lessons: what they say is read, and every mistake is one sentence with file and line."""

import pytest

from rfviz.lessons import (
    LessonError,
    facts_of,
    fill,
    fill_facts,
    find_lessons,
    latex_mistake,
    parse_lesson,
    read_lesson,
)

GOOD = r"""---
title: A title: with a colon
page: zoo
order: 7
minutes: 5
source: A paper, Figure 1
question: Why?
---

The lead, with $x^2$.

### set
- map: RandomMaxout
- compare: ,

## First step

What leads to it.

### question
Will $\{a\}$ grow?

### predict
- [ ] No
- [x] Yes

### set
- `pool_size`: 32
data.n_samples: 100

### reveal
It is {{twice(4) + 1:.2f}}, and {{ twice(1) }}.

### formula
$$\left(\frac{1}{2}\right) \begin{matrix} a \end{matrix}$$

### try
Drag it.

### check
- twice(2) == 4
- `twice(2) < 5`

## Second step

### question
And now?

### predict
* [X] This
* [ ] That

### reveal
Done.
"""
FACTS = {"twice": lambda x: 2 * x}


def read(text):
    return parse_lesson(text, "file", FACTS, {"zoo"})


def test_all_parts_are_read():
    lesson = read(GOOD)
    assert (lesson.slug, lesson.title, lesson.page) == ("file", "A title: with a colon", "zoo")
    assert (lesson.order, lesson.minutes, lesson.question) == (7, 5, "Why?")
    assert lesson.lead == "The lead, with $x^2$." and lesson.start == {"map": "RandomMaxout", "compare": ","}
    first, second = lesson.steps
    assert first.title == "First step" and first.lead == "What leads to it." and first.suggestion == "Drag it."
    assert [option.right for option in first.options] == [False, True] and first.answer == 1 and second.answer == 0
    assert first.settings == {"pool_size": "32", "data.n_samples": "100"} and not second.settings
    assert first.formula.startswith(r"\left(") and not first.formula.endswith("$")
    assert [check.evaluate(FACTS) for check in first.checks] == [True, True]
    assert first.line == GOOD.split("\n").index("## First step") + 1


def test_level_reasons_and_what_to_remember_are_read():
    text = GOOD.replace("order: 7", "order: 7\nlevel: advanced").replace(
        "- [ ] No\n", "- [ ] No\n  It is {{twice(1)}}.\n"
    )
    lesson = read(text.replace("## First", "### remember\n- One.\n- {{twice(2)}}.\n\n## First"))
    assert lesson.level == "advanced" and read(GOOD).level == "beginner"
    assert lesson.remember == ("One.", "{{twice(2)}}.") and lesson.start == read(GOOD).start
    wrong, right = lesson.steps[0].options
    assert (wrong.text, wrong.why, right.why) == ("No", "It is {{twice(1)}}.", "")
    assert fill_facts(wrong.why, FACTS) == "It is 2."


def test_settings_pile_up_step_by_step():
    lesson = read(GOOD)
    assert lesson.settings(1, False) == lesson.start
    assert lesson.settings(1, True) == lesson.settings(2, False) == {**lesson.start, **lesson.steps[0].settings}
    assert lesson.names == {"map", "compare", "pool_size", "data.n_samples"}


def test_facts_are_filled_in():
    text = read(GOOD).steps[0].reveal
    assert facts_of(text) == ["twice(4) + 1", "twice(1)"]
    assert fill(text, {"twice(4) + 1": 9.0, "twice(1)": 2}) == "It is 9.00, and 2."
    assert fill("{{n(1):,.0f}}", {"n(1)": 12345.0}) == "12,345"
    assert facts_of('{{f("a:b", 1):.1f}}') == ['f("a:b", 1)']


def test_line_ends_of_other_systems():
    assert read(GOOD.replace("\n", "\r\n")).steps == read(GOOD).steps


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("---\ntitle", "title", 1, "three hyphens"),
        ("page: zoo", "page: nowhere", 3, "no page “nowhere”"),
        ("order: 7", "order: seven", 4, "whole number"),
        ("order: 7", "colour: red", 4, "“colour: red”"),
        ("title: A title: with a colon\n", "", 7, "must say title"),
        ("### set\n- map", "### reveal\n- map", 12, "before the first step"),
        ("order: 7", "level: hard", 4, "beginner, intermediate or advanced, not “hard”"),
        ("### set\n- map: RandomMaxout\n- compare: ,", "### remember\nThis.", 13, "one a line"),
        ("- [x] Yes", "- [x] Yes\n  For it does.", 26, "only a wrong answer has a reason"),
        ("- [ ] No\n", "- [ ] No\n  It is {{thrice(1)}}.\n", 25, "thrice, which is unknown"),
        ("### question\nWill", "### riddle\nWill", 20, "no block “riddle”"),
        ("### try\n", "### question\n", 37, "already"),
        ("It is {{twice(4) + 1:.2f}}, and {{ twice(1) }}.", "", 16, "### reveal"),
        ("- [ ] No\n", "- No\n", 24, "- [ ] text"),
        ("- [ ] No", "- [x] No", 23, "one “[x]”"),
        ("* [ ] That\n", "", 49, "two answers"),
        ("- `pool_size`: 32", "- pool_size = 32", 28, "a setting is written"),
        ("twice(4)", "thrice(4)", 32, "thrice, which is unknown"),
        ("- twice(2) == 4", "- twice(2", 41, "cannot be read"),
        (r"\frac{1}{2}", r"\frac{1}{2", 34, "leaves a brace open"),
        (r"Will $\{a\}$", r"Will $\{a\}", 20, "second dollar sign"),
    ],
)
def test_mistakes_are_one_sentence_with_the_line(old, new, line, said):
    assert GOOD.count(old) >= 1
    with pytest.raises(LessonError) as raised:
        read(GOOD.replace(old, new, 1))
    text = str(raised.value)
    assert text.startswith(f"file.md, line {line}: ") and said in text and text.endswith(".") and "\n" not in text


DRAW = "### draw\n- across: time\n- up: way\n- at: 1, 2, 5\n- truth: twice(x) + 1\n"
DRAWN = GOOD.replace("### predict\n- [ ] No\n- [x] Yes\n", DRAW)


def test_a_curve_to_draw_is_read():
    curve = read(DRAWN).steps[0].curve
    assert (curve.across, curve.up, curve.places, curve.factors) == ("time", "way", (1.0, 2.0, 5.0), False)
    assert curve.truth.at(5, FACTS) == 11
    assert read(DRAWN.replace("- up: way", "- up: way\n- compare: factors")).steps[0].curve.factors
    assert read(GOOD).steps[0].curve is None and not read(DRAWN).steps[0].options


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- up: way\n", "", "has the lines across, up, at, truth"),
        ("- up: way", "- up: way\n- compare: sums", "has the lines"),
        ("1, 2, 5", "1, 5, 2", "numbers or more that grow"),
        ("1, 2, 5", "1, 2", "numbers or more that grow"),
        ("1, 2, 5", "1, 2, inf", "numbers or more that grow"),
        ("1, 2, 5", "1, two, 5", "numbers or more that grow"),
        ("twice(x)", "thrice(x)", "thrice, which is unknown"),
        ("twice(x)", "twice(y)", "may not hold “y”"),
        (DRAW, DRAW + "### predict\n- [ ] No\n- [x] Yes\n", "either a block"),
        (DRAW, "", "either a block"),
    ],
)
def test_mistakes_of_a_curve_are_one_sentence(old, new, said):
    assert DRAWN.count(old) == 1
    with pytest.raises(LessonError) as raised:
        read(DRAWN.replace(old, new))
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_x_stands_nowhere_else():
    with pytest.raises(LessonError, match="may not hold “x”"):
        read(GOOD.replace("twice(2) == 4", "twice(x) == 4"))


def test_a_lesson_without_steps():
    with pytest.raises(LessonError, match="at least one step"):
        read(GOOD[: GOOD.index("## First")])


def test_a_folder_keeps_what_can_be_read(tmp_path):
    (tmp_path / "b.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "a.md").write_text(GOOD.replace("order: 7", "order: 9"), encoding="utf-8")
    (tmp_path / "c.md").write_text(GOOD.replace("order: 7", "order: 1\nlevel: intermediate"), encoding="utf-8")
    (tmp_path / "bad.md").write_text("nothing", encoding="utf-8")
    (tmp_path / "latin.md").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "README.md").write_text("how to", encoding="utf-8")
    lessons, mistakes = find_lessons(tmp_path, FACTS, {"zoo"})
    assert [lesson.slug for lesson in lessons] == ["b", "a", "c"]  # by level, then by order
    assert len(mistakes) == 2 and mistakes[0].startswith("bad.md, line 1") and "latin.md" in mistakes[1]
    with pytest.raises(LessonError, match=r"gone\.md"):
        read_lesson(tmp_path / "gone.md")


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (r"\left(\frac{1}{2}\right)", ""),
        (r"\{x\} \leftarrow y \rightarrow z", ""),
        ("{", "open"),
        ("}", "not open"),
        (r"\left( x", r"\right"),
        (r"\begin{cases} x", "cases"),
        (r"\begin{cases} x \end{matrix}", "matrix"),
        ("a $ b", "dollar"),
    ],
)
def test_formulas(formula, said):
    assert said in latex_mistake(formula) and bool(said) == bool(latex_mistake(formula))
