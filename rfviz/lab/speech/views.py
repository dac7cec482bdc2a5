"""The layout of the page on speech."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from rfviz.datasets.speech import RATE
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.speech.compute import MEASURES, SpeechResult, SpeechSource
from rfviz.experiments.speech.experiment import Speech
from rfviz.lab.speech import text
from rfviz.ui import layout
from rfviz.ui.page import View

__all__ = ["SpeechView"]


class SpeechView(View[SpeechSource, Speech, SpeechResult]):
    """An utterance with its sound and phones; errors and confusions below."""

    def refuse(self, settings: Speech, error: RfvizError) -> None:
        layout.refused(error)
        layout.details(self.state, self._texts())

    def draw(self, settings: Speech, result: SpeechResult, charts: Sequence[Chart]) -> None:
        corpus = result.frames.corpus
        utterance = corpus.test[min(settings.utterance, len(corpus.test) - 1)]
        with st.container(horizontal=True, vertical_alignment="center", key="speech-heard-row"):
            st.markdown(f"**{utterance.speaker}**: “{utterance.text or utterance.name}”", width="content")
            st.audio(utterance.samples, sample_rate=RATE, width=320)
        if not charts:
            is_going = self.live is not None and self.live.is_going
            st.info("No phones are recognised yet. " + ("The first come soon." if is_going else "Press Start."))
            st.caption(text.provenance(corpus))
            self.draw_details(settings, result, charts)
            return
        main, errors, confused = charts
        self.main_chart(settings, result, main)
        st.caption(text.provenance(corpus))
        with st.container(key="pair-speech"):
            against = "m" if settings.against == "features" else settings.against
            for chart, title in ((errors, f"**Error against {against}**"), (confused, "**Which phones are confused**")):
                with st.container():
                    st.markdown(title)
                    layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
                    if chart.words:
                        layout.explain(chart.words)
        self.draw_details(settings, result, charts)

    def share(self, settings: Speech, result: SpeechResult) -> None:
        """Draw the button once nothing is added any more."""
        if not (self.live and self.live.is_going):
            super().share(settings, result)

    def details(
        self, settings: Speech, result: SpeechResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        def numbers() -> None:
            if charts:
                errors = [name for pair in MEASURES.items() for name in pair]
                layout.numbers(charts[1].frame, dict.fromkeys(errors, "%.1f"), text.NUMBERS)

        return {"Numbers": numbers, **self._texts()}

    def _texts(self) -> Mapping[str, Callable[[], Any]]:
        return {
            "What the paper found": lambda: layout.explain(text.PAPER),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }
