"""A room from the lecturer's side: its code, who has answered, what the class predicts, and all answers as a table.

The questions are those of lessons. A room is in the server's memory alone, and its key in the lecturer's window: a page
that is loaded again finds the room by it.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from rfviz.figures.axes import DRAWN_LINE, has_legend
from rfviz.lab.facts import FACTS
from rfviz.lessons import (
    ROOMS,
    Answer,
    Axis,
    Curve,
    Room,
    RoomError,
    Step,
    compare_curve,
    fill_facts,
    gap_words,
    right_heights,
)
from rfviz.ui.component import Component
from rfviz.ui.session import SessionValue, set_widget_value
from rfviz.ui.streamlit_private import has_open_dialog
from rfviz.ui.teaching.presenter import ROOM
from rfviz.ui.teaching.student_link import is_local, qr_code, reach
from rfviz.ui.web.room_route import join_address, room_address

__all__ = [
    "axes_of",
    "class_words",
    "draw_predictions",
    "room_bar",
    "room_menu",
    "room_of_session",
    "shares",
    "verdicts",
]

# Whether the code is to be shown when the page is drawn next.
_SHOWN = SessionValue("room-code", bool)
_GRADES = {"close": "Close.", "near": "Not far.", "off": "Not yet."}
# For the last row of a hall.
_CODE_CSS = """
.room-code { text-align: center; line-height: 1.2; }
.room-code p { margin: 1rem 0 0; font-size: clamp(1.25rem, 4vw, 2.25rem); overflow-wrap: anywhere; }
.room-code .big { margin: 0; font-size: clamp(2.5rem, 10vw, 5rem); }
.room-code code { padding: 0; background: none; color: inherit; font-size: inherit; letter-spacing: 0.12em; }
"""
_room = Component(
    "room",
    Path(__file__).with_name("room_panel.js"),
    html='<p class="room" role="status" aria-live="off"></p>',
    css=".room { margin: 0; font-size: 0.9375rem; } .room b { letter-spacing: 0.08em; }",
)


def room_of_session() -> Room | None:
    """Return the room that this lecturer has opened, as long as it is open."""
    room = ROOM.get()
    if room is None:
        return None
    if ROOMS.find(room.code) is not room:
        ROOM.pop()
        return None
    room.keep()
    return room


def room_menu(menu: str) -> None:
    """Draw what opens a room, or shows its code, gives its answers and closes it.

    Parameters
    ----------
    menu : str
        Key of the menu that this is drawn in, which closes before the code is shown.
    """
    room = room_of_session()
    st.markdown("**Room**")
    if room is None:
        st.caption(
            "Students answer the questions of a lesson from their phones. Nobody needs an account. The answers "
            "are anonymous, in memory, and gone when the room is closed."
        )
        st.button("Open a room", key="room-open", icon=":material/groups:", on_click=_open, args=(menu,))
        room_bar(None, "menu")
        return
    room_bar(room, "menu")
    with st.container(horizontal=True):
        st.button("Show the code", key="room-code-menu", icon=":material/qr_code_2:", on_click=_show_code, args=(menu,))
        st.download_button(
            "Answers",
            room.to_csv,
            f"answers-{room.code}.csv",
            "text/csv",
            key="room-answers",
            icon=":material/download:",
            on_click="ignore",
            help="All answers so far, as a table (CSV). Phones have numbers, not names.",
        )
        st.button(
            "Close the room",
            key="room-close",
            icon=":material/close:",
            on_click=_close,
            help="This deletes its answers; download them first.",
        )


def room_bar(room: Room | None, place: str) -> None:
    """Draw the code of a room and how many have answered, kept up to date by the browser; without one, look for it."""

    def found(key: Any) -> None:
        room = ROOMS.of_key(key) if isinstance(key, str) else None
        if room is not None:
            ROOM.set(room)

    told = None
    if room is not None:
        told = {
            "code": room.code,
            "key": room.key,
            "join": _join_words(),
            "address": f"{room_address(room.code)}/count",
        }
    _room.mount(f"rfviz-room:{place}", {"room": told}, {"key": found})


def room_code() -> None:
    """Show the code of the room in a dialog, once each time that this was asked for."""
    if _SHOWN.pop() and (room := room_of_session()) and not has_open_dialog():
        _code_dialog(room)


def _open(menu: str) -> None:
    try:
        ROOM.set(ROOMS.open())
    except RoomError as error:
        st.toast(str(error), icon="⚠️")
    else:
        _show_code(menu)


def _show_code(menu: str) -> None:
    _SHOWN.set(True)
    set_widget_value(menu, False)


def _close() -> None:
    room = ROOM.pop()
    if room is not None:
        ROOMS.close(room)


def _join_words() -> str:
    """Return the address of the page for phones as one says it aloud."""
    return _join_link()[0].partition("://")[2]


def _join_link(code: str = "") -> tuple[str, str]:
    """Return the address of the page for phones, and who can open it."""
    here = urlsplit(st.context.url or "")
    return reach(f"{here.scheme}://{here.netloc}{join_address(code)}")


@st.dialog("Answer from your phone", width="large")
def _code_dialog(room: Room) -> None:
    """Show the code for the whole room."""
    address, who = _join_link(room.code)
    picture = "" if is_local(address) else qr_code(address, "QR code of the room", "min(52vh, 100%)")
    words = f"<p>{html.escape(_join_words())}</p><p class='big'><code>{room.code}</code></p>"
    st.html(f"<style>{_CODE_CSS}</style><div class='room-code'>{picture}{words}</div>")
    if who:
        st.caption(f":material/lan: {who}")


# --- what the class predicts ------------------------------------------------------------------------------------------


def axes_of(curve: Curve, figure: go.Figure) -> tuple[Axis, Axis]:
    """Return the axes on which phones draw a curve: those of the page's chart, which has been given room for it."""
    layout: Any = figure.layout
    log = layout.yaxis.type == "log"
    low, high = (10**end if log else end for end in layout.yaxis.range)
    across = Axis(curve.across, curve.places[0], curve.places[-1], layout.xaxis.type == "log")
    return across, Axis(curve.up, low, high, log)


def shares(step: Step, answers: Sequence[Answer], shown: bool) -> None:
    """Draw how many chose each option; which is right, if that is shown."""
    counts = Counter(answer for answer in answers if isinstance(answer, int))
    for index, option in enumerate(step.options):
        mark = ":green[:material/check_circle:] " if shown and option.right else ""
        share = counts[index] / max(len(answers), 1)
        st.progress(share, text=f"{mark}**{share:.0%}** {option.text}")


def class_words(step: Step, answers: Sequence[Answer], shown: bool) -> str:
    """Return what the class predicts, or, once the answer is shown, how near it came, in words."""
    n = len(answers)
    if not n:
        return "Nobody has answered."
    things = ("curve" if step.curve else "answer") + ("" if n == 1 else "s")
    if not shown:
        return f"{n} {things}."
    grades = Counter(_judged(step, answers))
    if step.curve is None:
        return f"{grades['close']} of {n} {things} right."
    return f"{n} {things}: {grades['close']} close, {grades['near']} not far, {grades['off']} not yet."


def verdicts(step: Step, answers: Mapping[str, Answer]) -> dict[str, str]:
    """Return what each phone is told of its answer, as Markdown."""
    if step.curve is None:
        right = step.options[step.answer].text
        words = [f"**Not this time.** {fill_facts(option.why, FACTS)} The answer: {right}" for option in step.options]
        words[step.answer] = f"**Right.** {right}"
        return {phone: words[answer] for phone, answer in answers.items() if isinstance(answer, int)}
    told = {}
    heights = right_heights(step.curve, FACTS)
    for phone, answer in answers.items():
        gap = compare_curve(step.curve, _points(answer), heights)
        if gap is not None:
            told[phone] = f"**{_GRADES[gap.grade]}** Your curve is {gap_words(step.curve, gap)}"
    return told


def draw_predictions(figure: go.Figure, curve: Curve, answers: Sequence[Answer]) -> None:
    """Draw the curves of a class into a figure, and their median."""
    drawn = [np.asarray(answer) for answer in answers if not isinstance(answer, int)]
    if not drawn:
        return
    gap, legend = np.full((1, 2), np.nan), has_legend(figure)
    x, y = np.concatenate([part for points in drawn for part in (points, gap)]).T
    faint = max(0.12, 0.7 / len(drawn) ** 0.5)
    name = f"{len(drawn)} prediction{'' if len(drawn) == 1 else 's'}"
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": DRAWN_LINE["color"], "width": 1.5},
        opacity=faint,
        name=name,
        hoverinfo="skip",
        showlegend=legend,
    )
    if len(drawn) > 2:
        places = np.array(curve.places)
        heights = [np.interp(places, *points.T, left=np.nan, right=np.nan) for points in drawn]
        kept = ~np.isnan(heights).all(axis=0)
        middle = np.nanmedian(np.array(heights)[:, kept], axis=0)
        figure.add_scatter(
            x=places[kept],
            y=middle,
            mode="lines",
            line=DRAWN_LINE,
            name="Their median",
            hoverinfo="skip",
            showlegend=legend,
        )


def _judged(step: Step, answers: Sequence[Answer]) -> list[str]:
    """Return the grade of each answer."""
    if step.curve is None:
        return ["close" if answer == step.answer else "off" for answer in answers]
    heights = right_heights(step.curve, FACTS)
    gaps = [compare_curve(step.curve, _points(answer), heights) for answer in answers]
    return [gap.grade for gap in gaps if gap is not None]


def _points(answer: Answer) -> list[tuple[float, float]]:
    return [] if isinstance(answer, int) else [(float(x), float(y)) for x, y in answer]
