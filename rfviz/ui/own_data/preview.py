"""The second step of bringing data: what the file holds, the choices, and what comes of them before they are used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from rfviz.datasets.base import Dataset
from rfviz.datasets.files import preparation as choices
from rfviz.datasets.files.images import Pictures
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, Column
from rfviz.datasets.files.upload import Preparation, Upload
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.errors import RfvizError
from rfviz.figures.images import data_uri
from rfviz.params import Param
from rfviz.ui.own_data import text
from rfviz.ui.own_data.session import Draft, SessionData
from rfviz.ui.plain import plain

__all__ = ["preview"]

_NOTHING = "(none)"
# Cells beyond which the result is not computed anew with every choice.
_QUICK_CELLS = 2_000_000
_THUMBNAILS, _MOST_COLUMNS = 12, 100


def preview(held: SessionData, draft: Draft, another: Callable[[], None], used: Callable[[str], None]) -> bool:
    """Show a file and the choices about it.

    Parameters
    ----------
    held : SessionData
        Where the data set is put.
    another : callable
        Called before the dialog is drawn again where the user wants another file.
    used : callable
        Called with the key of the data set once it is made.

    Returns
    -------
    bool
        Whether it is made, and the dialog can close.
    """
    head = st.container()
    taken = _of_parts(draft.upload, draft)
    with head, st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{plain(taken.name)}** · {taken.facts}")
        st.button("Another file", icon=":material/arrow_back:", type="tertiary", on_click=another, key="own-another")
    for note in taken.notes:
        st.caption(f":material/info: {plain(note)}")
    look, choose = st.columns([1.45, 1], gap="medium")
    with choose:
        with st.container(key="own-choices"):
            how = _choices(taken, draft.begun)
        quick = taken.pictures is None and taken.n_rows * max(len(taken.columns), 1) <= _QUICK_CELLS
        problem = _result(taken, how, draft) if quick else _outlook(taken, how)
        if problem:
            st.error(problem)
        pressed = st.button(
            "Use these data", type="primary", icon=":material/check:", disabled=bool(problem), key="own-use"
        )
        done = pressed and _use(held, taken, how, draft, used)
    with look:
        _look(taken, how)
    return done


def _of_parts(taken: Upload, draft: Draft) -> Upload:
    """Draw the choice of a table, of a file that holds several, and return the chosen one."""
    if taken.file is None:
        return taken
    part = st.selectbox("Table", taken.parts, index=taken.parts.index(taken.part), key="own-part", help=text.PART_HELP)
    if part != taken.part:
        try:
            with st.spinner("Looking at the table…"):
                taken = taken.other(part)
        except RfvizError as error:
            st.error(str(error))
            return taken
        draft.upload, draft.begun, draft.made_for = taken, taken.suggestion, None
    return taken


def _use(held: SessionData, taken: Upload, how: Preparation, draft: Draft, used: Callable[[str], None]) -> bool:
    try:
        dataset = _prepared(taken, how, draft)
    except RfvizError as error:
        st.error(str(error))
        return False
    # The other tables are read no more.
    used(held.put(replace(taken, file=None), how, dataset))
    return True


def _prepared(taken: Upload, how: Preparation, draft: Draft) -> Dataset:
    """Return the data set, from the draft where the choices have not changed since."""
    if draft.made is None or draft.made_for != how:
        bar = st.empty()

        def report(share: float | None, words: str) -> None:
            bar.progress(share or 0.0, text=words)

        draft.made, draft.made_for = taken.prepare(how, report), how
        bar.empty()
    return draft.made


def _result(taken: Upload, how: Preparation, draft: Draft) -> str:
    """Say what comes of the choices; why nothing does, where it does not."""
    try:
        dataset = _prepared(taken, how, draft)
    except RfvizError as error:
        return str(error)
    names = ", ".join(map(plain, dataset.target_names[:6])) + (", …" if len(dataset.target_names) > 6 else "")
    st.markdown(f"These choices give **{dataset.summary.rstrip('.')}**{f' ({names})' if names else ''}.")
    said = dataset.provenance.removeprefix(taken.source).lstrip("; .")
    heard = "; ".join(note.rstrip(".") for note in taken.notes)
    said = said.removeprefix(heard).lstrip("; .")
    if said:
        st.caption(plain(said[:1].upper() + said[1:]))
    return ""


def _outlook(taken: Upload, how: Preparation) -> str:
    """Draw the facts that are known before anything is decoded."""
    shape = taken.shape_of(how)
    if shape is None:
        st.caption(text.SLOW)
        return ""
    n = min(taken.n_rows, how.max_samples)
    drawn = f" of the {taken.n_rows:,}" if n < taken.n_rows else ""
    colour = " in colour" if len(shape) == 3 else " in grey"
    st.markdown(f"These choices give **{n:,}{drawn} images of {shape[0]} × {shape[1]} pixels{colour}**.")
    return ""


# --- what the file holds ----------------------------------------------------------------------------------------------


def _look(taken: Upload, how: Preparation) -> None:
    shape = taken.shape_of(how)
    if taken.pictures is not None and shape is not None:
        _thumbnails(taken.pictures, taken.n_rows, shape)
    if taken.columns:
        _columns_table(taken, how)
    label = taken.table.column(how.label)
    if label is not None and label.is_usable and _is_class(label):
        st.markdown(f"Rows of each value of **{plain(label.name)}**")
        counts = taken.balance(label.name).round(2)
        st.dataframe(
            counts,
            hide_index=True,
            height="content",
            key="own-balance",
            column_config={"share": st.column_config.ProgressColumn("share", format="percent", max_value=1.0)},
        )
    if taken.pictures is None:
        st.markdown("First rows")
        head = taken.table.head.iloc[:, :_MOST_COLUMNS]
        # Numbers that neither Arrow nor the browser holds exactly are shown as text.
        cells = head.astype(object).where(head.notna(), None).map(_shown)
        st.dataframe(cells, hide_index=True, height="content", key="own-head")
        if len(taken.columns) > _MOST_COLUMNS:
            st.caption(f"The first {_MOST_COLUMNS} of {len(taken.columns):,} columns.")


def _shown(cell: Any) -> Any:
    is_long = isinstance(cell, (int, np.integer)) and not isinstance(cell, bool) and abs(int(cell)) > 2**53
    return str(cell) if is_long else cell


def _columns_table(taken: Upload, how: Preparation) -> None:
    rows = [
        {
            "column": c.name,
            "type": c.kind,
            "used as": _part(taken, how, c),
            "values": c.span,
            "distinct": c.n_distinct,
            "missing": c.n_missing,
        }
        for c in taken.columns[: _MOST_COLUMNS * 5]
    ]
    st.dataframe(
        rows,
        hide_index=True,
        key="own-columns",
        height=min(38 + 35 * len(rows), 320),
        column_config={"values": st.column_config.Column("values", width="medium")},
    )
    if taken.pictures is None:
        notes = [f"**{plain(c.name)}**: {plain(c.note)}" for c in taken.columns if c.note]
        more = [f"{len(notes) - 3:,} more columns have a note"] if len(notes) > 4 else []
        st.caption(". ".join([*(notes[:3] if more else notes), *more, text.COLUMNS_NOTE]))


def _part(taken: Upload, how: Preparation, column: Column) -> str:
    if column.name == how.label:
        return "label"
    if column.name == how.order:
        return "order"
    if column.name in how.leave_out or not column.is_usable or taken.pictures is not None:
        return "—"
    if column.kind == CATEGORY:
        return "zeros and ones" if how.categories == "one-hot" else "—"
    return "number" if column.kind == NUMBER else "days"


def _is_class(column: Column) -> bool:
    return column.kind == CATEGORY or column.n_distinct <= choices.MOST_CLASSES


def _thumbnails(pictures: Pictures, n: int, shape: tuple[int, ...]) -> None:
    """Draw a few of n images, spread over all, in the size that they will have."""
    rows = np.unique(np.linspace(0, n - 1, _THUMBNAILS).astype(int))
    try:
        pixels = pictures.decode(rows, (shape[0], shape[1]), len(shape) == 3)
    except RfvizError as error:
        st.error(str(error))
        return
    figures = "".join(
        f'<figure><img src="{data_uri(image)}" alt="image {row + 1}"></figure>'
        for row, image in zip(rows, pixels, strict=True)
    )
    st.html(f'<div class="rfviz-gallery">{figures}</div>')


# --- the choices ------------------------------------------------------------------------------------------------------


def _choices(taken: Upload, begun: Preparation) -> Preparation:
    """Draw the controls of a file's preparation, and return it."""
    usable = [c for c in taken.columns if c.is_usable]
    ask = _Asker(taken, begun)
    values: dict[str, Any] = {
        "label": ask.column("label", "Label", [c.name for c in usable], text.LABEL_HELP),
        "order": ask.column("order", "Order", [c.name for c in usable if c.kind in (NUMBER, DATE)], text.ORDER_HELP),
    }
    column = taken.table.column(values["label"])
    if column is not None and column.kind != CATEGORY:
        values["target"] = ask.choice(choices.TARGET)
    if taken.pictures is None:
        others = [c.name for c in usable if c.name not in (values["label"], values["order"])]
        values["leave_out"] = tuple(ask.several(others))
        if any(c.n_missing for c in taken.columns):
            values["missing"] = ask.choice(choices.MISSING)
        if any(c.kind == CATEGORY and c.name in others for c in usable):
            values["categories"] = ask.choice(choices.CATEGORIES)
            most = max(c.n_distinct for c in usable if c.kind == CATEGORY and c.name in others)
            if values["categories"] == "one-hot" and most > choices.MOST_WORDS.default:
                values["most_words"] = ask.number(choices.MOST_WORDS)
        values["scale"] = ask.choice(choices.SCALE)
    else:
        values["side"] = ask.number(choices.SIDE)
        values["colour"] = ask.choice(choices.COLOUR)
    if taken.n_rows > 20:
        values |= ask.rows()
    return begun.replace(values)


class _Asker:
    """Controls of the dialog, under keys of their own for each file."""

    def __init__(self, taken: Upload, begun: Preparation) -> None:
        self._mark = f"{taken.digest[:8]}-{taken.part}"
        self._begun, self._n = begun, taken.n_rows

    def _key(self, name: str) -> str:
        return f"own-{name}-{self._mark}"

    def column(self, name: str, label: str, options: list[str], help: str) -> str | None:
        begun = getattr(self._begun, name)
        place = options.index(begun) + 1 if begun in options else 0
        chosen = st.selectbox(label, [_NOTHING, *options], index=place, key=self._key(name), help=help)
        return None if chosen == _NOTHING else chosen

    def choice(self, param: Param) -> str:
        titles = dict(zip(param.choices, param.titles, strict=True))
        return st.selectbox(
            param.label,
            param.choices,
            index=param.choices.index(getattr(self._begun, param.name)),
            format_func=titles.__getitem__,
            key=self._key(param.name),
            help=param.help,
        )

    def several(self, options: list[str]) -> list[str]:
        begun = [name for name in self._begun.leave_out if name in options]
        return st.multiselect(
            "Leave out", options, begun, key=self._key("leave"), help=text.LEAVE_OUT_HELP, placeholder="Nothing"
        )

    def number(self, param: Param) -> int:
        low, high = int(param.low or 0), None if param.high is None else int(param.high)
        return st.number_input(
            param.label, low, high, getattr(self._begun, param.name), step=1, key=self._key(param.name), help=param.help
        )

    def rows(self) -> dict[str, int]:
        """Ask how many rows are used, and which."""
        most = st.number_input(
            "Rows at most",
            10,
            1_000_000,
            min(max(self._begun.max_samples, 10), 1_000_000),
            step=100,
            key=self._key("rows"),
            help="Rows to keep, drawn at random but with every class in its proportion. Pages compare all pairs of "
            "rows, so that a few thousand are many.",
        )
        found = {"max_samples": most}
        if most < self._n:
            found["random_state"] = self.number(RANDOM_STATE)
        return found
