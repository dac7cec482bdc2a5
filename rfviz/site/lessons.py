"""Lessons as pages: a prediction, then the answer, step by step; the facts in their texts are worked out beforehand."""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Sequence
from typing import Any

import plotly.graph_objects as go

from rfviz.errors import DataError
from rfviz.experiments.base import Chart
from rfviz.figures.axes import DRAWN_LINE, make_room
from rfviz.lab.address import parse_value
from rfviz.lab.facts import FACTS
from rfviz.lab.glossary import link_terms
from rfviz.lab.index import ASSETS, NAVIGATION, entry_of, find_page, picture_of
from rfviz.lab.markdown import html_of, line_of
from rfviz.lessons import LEVELS, Curve, Lesson, Step, fill_facts, find_lessons
from rfviz.progress import Progress
from rfviz.site.pages import Part, card, chart_box, chart_data, framed, main_charts
from rfviz.site.views import View, compute_view

__all__ = ["file_of", "lesson_page", "lessons_of", "lessons_page"]


def lessons_of(slugs: Collection[str]) -> tuple[Lesson, ...]:
    """Return the lessons on some pages, in their order."""
    found, _ = find_lessons(ASSETS / "lessons", FACTS, {entry.slug for entry in NAVIGATION})
    return tuple(lesson for lesson in found if lesson.page in slugs)


def file_of(lesson: Lesson) -> str:
    """Return the name of a lesson's file in the site."""
    return f"lesson--{lesson.slug}.html"


def lessons_page(lessons: Sequence[Lesson], parts: Sequence[Part]) -> str:
    """Return the page with a card for each lesson."""
    entry = entry_of("lessons")
    numbered = list(enumerate(lessons, 1))
    groups = {level: [_card(*one) for one in numbered if one[1].level == level] for level in LEVELS}
    cards = "".join(
        f'<h2>{level.capitalize()}</h2><ul class="cards">{"".join(found)}</ul>'
        for level, found in groups.items()
        if found
    )
    body = f"<h1>{entry.title}</h1><p>{html.escape(entry.question)}</p>{cards}"
    return framed(entry.title, body, parts, entry.question)


def _card(number: int, lesson: Lesson) -> str:
    return card(
        file_of(lesson),
        f"{number}. {lesson.title}",
        lesson.question or lesson.steps[0].question,
        picture_name(lesson),
        f"{lesson.minutes} min · {len(lesson.steps)} steps · on the page “{entry_of(lesson.page).title}”",
    )


def picture_name(lesson: Lesson) -> str:
    """Return the name of the pictures on a lesson's card: its own, or those of its page."""
    return lesson.slug if picture_of(lesson.slug) else lesson.page


def lesson_page(lesson: Lesson, following: Lesson | None, progress: Progress, parts: Sequence[Part]) -> str:
    """Return the page of a lesson.

    Parameters
    ----------
    following : Lesson or None
        The next one.

    Raises
    ------
    RfvizError
        If a chart or a fact cannot be computed.
    """
    told = set[str]()
    steps = "".join(_step(lesson, number, told, progress) for number in range(1, len(lesson.steps) + 1))
    onward = (
        f'<p>Next lesson: <a href="{file_of(following)}">{html.escape(following.title)}</a></p>' if following else ""
    )
    kept = "\n".join(f"- {_filled(sentence)}" for sentence in lesson.remember)
    remember = f"<h2>Remember</h2>{html_of(kept)}" if kept else ""
    end = (
        f'<section class="end"><h2 tabindex="-1">What you predicted</h2><p class="score"></p>{remember}{onward}'
        '<div class="buttons"><button type="button" class="again">Start again</button></div></section>'
    )
    entry = entry_of(lesson.page)
    about = (
        f'On the page <a href="{entry.slug}.html">{html.escape(entry.title)}</a>, where the laboratory has controls.'
    )
    head = f'<h1>{html.escape(lesson.title)}</h1><p class="note">{html.escape(lesson.source)}</p>'
    body = f'{head}<div class="lesson" data-lesson="{lesson.slug}">{steps}{end}</div><p class="beyond">{about}</p>'
    return framed(lesson.title, body, parts, lesson.question)


def _step(lesson: Lesson, number: int, told: set[str], progress: Progress) -> str:
    step, last = lesson.steps[number - 1], len(lesson.steps)
    states = [_charts(lesson, number, shown, progress) for shown in (False, True)]
    before, after = ([_figure(step.curve, chart, place == 0) for place, chart in enumerate(state)] for state in states)
    drawing = {} if step.curve is None else {"drawing": _drawing(lesson, number, step.curve)}
    boxes = "".join(
        chart_box(chart, True, figure, **(drawing if place == 0 else {}))
        for place, (chart, figure) in enumerate(zip(states[0], before, strict=True))
    )
    held = ",".join(chart_data(chart, True, figure) for chart, figure in zip(states[1], after, strict=True))
    lead = "\n\n".join(filter(None, [lesson.lead if number == 1 else "", step.lead]))
    onward = "Finish" if number == last else "Next"
    return (
        f'<section class="step" {_answer(step)}><p class="note">Step {number} of {last}</p>'
        f'<h2 tabindex="-1">{html.escape(step.title)}</h2>{html_of(link_terms(_filled(lead), told))}'
        f'<div class="work"><div class="seen{" squares" if len(states[0]) > 1 else ""}">{boxes}</div>'
        f'<div class="asked">{_question(step, number)}'
        '<div class="buttons"><button type="button" class="back">Back</button>'
        '<button type="button" class="show">Show me</button>'
        f'<button type="button" class="next">{onward}</button></div>'
        f'<div class="reveal"><p class="verdict" role="status"></p>{_reveal(step, told)}</div></div></div>'
        f'<script type="application/json" class="after">[{held}]</script></section>'
    )


def _charts(lesson: Lesson, number: int, shown: bool, progress: Progress) -> Sequence[Chart]:
    """Return the charts at a step, before its answer or after: the one to draw on if the step names it."""
    page = find_page(lesson.page)
    values = {name: parse_value(text) for name, text in lesson.settings(number, shown).items()}
    view = View(page, lesson.title, "", file_of(lesson), f"rfviz run {page.slug}")
    view = compute_view(view, values, lambda share, _: progress(share, f"Lesson: {lesson.title}"), plays=False)
    if view.computed is None:
        raise DataError(view.reason)
    curve = lesson.steps[number - 1].curve
    if curve is not None and curve.chart:
        return [chart for chart in view.computed.charts if chart.name == curve.chart]
    return main_charts(view.computed.charts)


def _figure(curve: Curve | None, chart: Chart, is_first: bool) -> dict[str, Any]:
    """Return a chart's figure, with room for the curve that is to be drawn."""
    figure = chart.figure
    if curve is not None and is_first:
        figure = go.Figure(figure)
        make_room(figure, *zip(*_points(curve), strict=True))
    return figure.to_dict()


def _points(curve: Curve) -> list[tuple[float, float]]:
    return [(x, float(curve.truth.at(x, FACTS))) for x in curve.places]


def _drawing(lesson: Lesson, number: int, curve: Curve) -> dict[str, Any]:
    return {"id": f"{lesson.slug}-{number}", "ends": [curve.places[0], curve.places[-1]], "label": curve.label}


def _answer(step: Step) -> str:
    """Return the right answer, as attributes for the script that compares a prediction with it."""
    if step.curve is None:
        return f'data-right="{step.answer}"'
    told = {"points": _points(step.curve), "factors": step.curve.factors, "line": DRAWN_LINE}
    return f'data-curve="{html.escape(json.dumps(told))}"'


def _question(step: Step, number: int) -> str:
    asked = line_of(_filled(step.question))
    if step.curve is not None:
        how = "Draw in the chart, with the mouse or a finger. With the keyboard: Tab to the chart, then the arrow keys."
        return f"<p><strong>{asked}</strong></p><p>{how}</p>"
    options = "".join(
        f'<label><input type="radio" name="step-{number}" value="{place}"><span>{line_of(option.text)}</span></label>'
        + (f'<p class="why" hidden>{line_of(_filled(option.why))}</p>' if option.why else "")
        for place, option in enumerate(step.options)
    )
    return f"<fieldset><legend>{asked}</legend>{options}</fieldset>"


def _reveal(step: Step, told: set[str]) -> str:
    formula = f"$${step.formula}$$" if step.formula else ""
    trial = f"**Try it in the laboratory.** {_filled(step.suggestion)}" if step.suggestion else ""
    return html_of("\n\n".join(filter(None, [link_terms(_filled(step.reveal), told), formula, trial])))


def _filled(text: str) -> str:
    return fill_facts(text, FACTS)
