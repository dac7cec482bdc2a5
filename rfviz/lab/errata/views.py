"""The layout of the page on errors in the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from rfviz.experiments.base import Chart
from rfviz.experiments.errata.compute import Picture
from rfviz.experiments.errata.experiment import STATEMENT, Errata
from rfviz.experiments.errata.statements import ERRATA, PAPERS, Erratum
from rfviz.lab.errata import text
from rfviz.lab.index import entry_of
from rfviz.ui import layout
from rfviz.ui.links import page_link
from rfviz.ui.page import View

__all__ = ["ErrataView"]


class ErrataView(View[None, Errata, Picture]):
    """The picture of a statement, its reasons, and below them all errata by paper."""

    def draw(self, settings: Errata, result: Picture, charts: Sequence[Chart]) -> None:
        self.main_chart(settings, result, charts[0])
        erratum = settings.erratum
        st.markdown(text.of_erratum(erratum))
        _link(erratum)
        self.draw_details(settings, result, charts)

    def details(self, settings: Errata, result: Picture, charts: Sequence[Chart]) -> Mapping[str, Callable[[], Any]]:
        counts = {paper: sum(one.paper == paper for one in ERRATA.values()) for paper in PAPERS}
        return {
            **{f"{paper}: {counts[paper]} errata": partial(self.all_of, paper) for paper in PAPERS},
            "Numbers": lambda: layout.numbers(charts[0].frame),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }

    def all_of(self, paper: str) -> None:
        """Draw all errata of a paper, with the numbers of the default settings."""
        for number, (name, erratum) in enumerate(ERRATA.items()):
            if erratum.paper != paper:
                continue
            with st.container(border=True, key=f"erratum-{number}"):
                st.markdown(text.of_erratum(erratum, Errata()))
                if erratum.picture is not None:
                    st.button(
                        "Show its picture above",
                        key=f"errata:show-{number}",
                        icon=":material/arrow_upward:",
                        on_click=self.state.apply,
                        args=({STATEMENT.name: name},),
                    )
                _link(erratum)


def _link(erratum: Erratum) -> None:
    """Link to the page that shows it, if there is one."""
    if erratum.page:
        page_link(erratum.page, erratum.values, label=f"See it on the page “{entry_of(erratum.page).title}”")
