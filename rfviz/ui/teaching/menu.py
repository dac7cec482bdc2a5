"""What a lecturer needs on every page: the presenter's view, parts that are hidden, lessons, and links for students.

All of it is part of the address: ``present=true``, ``hide=seed,sidebar``, and ``lesson=…&step=2``; ``embed=true`` is
Streamlit's own. Pages know nothing of it: :func:`rfviz.ui.layout.page_header` calls the three functions here.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import streamlit as st

from rfviz import datasets
from rfviz.features import registry
from rfviz.lab.address import current_name
from rfviz.lab.index import ASSETS, NAVIGATION
from rfviz.ui.component import Component
from rfviz.ui.session import SessionValue, widget_value
from rfviz.ui.state import PageState
from rfviz.ui.teaching.lecture_bar import is_lecturing, lecture_bar, lecture_menu, settle_lecture
from rfviz.ui.teaching.presenter import LESSON, ROOM, is_presenting, present

__all__ = ["PARTS", "begin", "lessons", "menu", "panel", "wants_sidebar"]

#: Parts of a page that can be hidden next to its controls, and what they are called.
PARTS = {"sidebar": "Sidebar", "presets": "Presets", "question": "Question", "details": "Folded parts",
         "share": "Share", "menu": "Menu “Teach”"}  # fmt: skip
# Whether the presenter's view shows all controls.
_ALL = SessionValue("all-controls", bool)
_keys = Component("keys", Path(__file__).with_name("keys.js"))
# Controls that a lecture does without, where no lesson says which it needs.
_MINOR = frozenset(
    {
        "seed",
        "normalise",
        "test",
        "odd",
        "relative",
        "constant",
        "creases",
        "C",
        "svm_gamma",
        "points",
        "receptive_field",
        "whole",
        "doubly",
        "loss",
        "alpha",
    }
)


def wants_sidebar() -> bool:
    """Return whether the sidebar is open at first: a lesson and the presenter's view need its room."""
    _settle_view()
    return not is_presenting() and "lesson" not in st.query_params


def begin(state: PageState) -> None:
    """Decide, before a page is drawn, what is hidden, how large it is, and what a lesson sets."""
    _settle_view()
    hidden = {current_name(name) for name in map(str.strip, st.query_params.get("hide", "").split(",")) if name}
    if "teach" in hidden:  # what the page itself calls the menu
        hidden = hidden - {"teach"} | {"menu"}
    state.possible = _possible
    step = here.begin(state) if (here := lessons()) else None
    if step or is_lecturing():
        hidden |= {"presets", "question"}
    if is_presenting() and not _ALL.get():
        hidden |= {"details", "share", *(() if step else _MINOR)}
        state.only = [*map(current_name, step.settings)] if step else None
    if st.context.is_embedded:
        hidden |= {"menu", "share"}
    state.hidden = frozenset(hidden)
    _dress(bool(step), "sidebar" in hidden)


def menu(state: PageState) -> None:
    """Draw the menu “Teach”: lessons on this page, the presenter's view, a room, a lecture, a link for students.

    The presenter's view has no sidebar, so there another menu leads to the other pages.
    """
    lecture_bar()
    if "menu" in state.hidden:
        return
    if is_presenting() and not is_lecturing():
        _pages(state)
    key = f"{state.page}:teach"
    with st.popover("Teach", icon=":material/school:", key=key, on_change="rerun") as opened:
        if opened.open:  # its parts are imported when it is opened
            from rfviz.ui.teaching import lesson_panel
            from rfviz.ui.teaching.room_panel import room_menu
            from rfviz.ui.teaching.student_link import student_link

            lesson_panel.links(state.page)
            st.toggle(
                "Presenter view",
                value=is_presenting(),
                key="rfviz:presenter",
                on_change=_switch,
                help="Large type, a taller chart, fewer controls; the sidebar closes. Arrow keys step through a "
                "lesson. Choose it again to leave.",
            )
            if is_presenting():
                st.toggle("All controls", value=_ALL.get(), key="rfviz:all", on_change=_show_all)
            room_menu(key)
            lecture_menu(state)
            student_link(state, PARTS)
    if ROOM.get() is not None:
        from rfviz.ui.teaching.room_panel import room_code

        room_code()


def lessons() -> ModuleType | None:
    """Return :mod:`rfviz.ui.teaching.lesson_panel` where a lesson or a room is on."""
    if not ("lesson" in st.query_params or LESSON.get() or ROOM.get() is not None):
        return None
    from rfviz.ui.teaching import lesson_panel  # not before: few pages are opened by a lesson

    return lesson_panel


def _pages(state: PageState) -> None:
    """Draw the menu of all pages, and links to those before and after this one."""
    slugs = [entry.slug for entry in NAVIGATION]
    place = slugs.index(state.page)
    around = [("arrow_back", "Previous", place - 1), ("arrow_forward", "Next", place + 1)]
    with st.popover("Pages", icon=":material/menu:", key=f"{state.page}:pages"):
        for icon, word, at in around:
            if 0 <= at < len(NAVIGATION):
                st.page_link(NAVIGATION[at].path, label=f"{word}: {NAVIGATION[at].title}", icon=f":material/{icon}:")
        for entry in NAVIGATION:
            st.page_link(entry.path, label=entry.title, icon=entry.icon, disabled=entry.slug == state.page)


def panel(state: PageState) -> None:
    """Draw the lesson that is on, if any, and listen to the keys that go through it, or through a lecture."""
    if here := lessons():
        here.panel(state, is_presenting())
    if "lesson" in st.query_params or is_lecturing():
        _keys.mount("rfviz:keys", height=1)


def _settle_view() -> None:
    """Keep the presenter's view and the lecture from page to page: a link in the navigation does not hold them."""
    asked = st.query_params.get("present")
    if asked is not None:
        present(asked.lower() in ("true", "1", "yes"))
    elif is_presenting():
        st.query_params["present"] = "true"
    settle_lecture()


def _switch() -> None:
    present(widget_value("rfviz:presenter"))
    if is_presenting():
        st.query_params["present"] = "true"
    else:
        st.query_params.pop("present", None)


def _show_all() -> None:
    _ALL.set(widget_value("rfviz:all"))


def _possible() -> frozenset[str]:
    """Return the names that some map, data set or page part has, though this page may not have them at present."""
    of_maps = {param.name for cls in registry().values() for param in cls.params}
    of_data = {f"data.{param.name}" for spec in datasets.specs().values() for param in spec.params}
    return frozenset({*of_maps, *of_data, *PARTS, *_MINOR})


def _dress(lesson: bool, no_sidebar: bool) -> None:
    """Add the style sheets for the way the page is shown."""
    few = is_presenting() and not _ALL.get()
    sheets = {
        "lesson": lesson,
        "presenter": is_presenting(),
        "few-controls": few,
        "no-sidebar": no_sidebar,
        "embedded": st.context.is_embedded,
    }
    rules = [(ASSETS / f"{name}.css").read_text(encoding="utf-8") for name, wanted in sheets.items() if wanted]
    if rules:
        st.html(f"<style>{''.join(rules)}</style>")
