"""The page on speech: its sentences are true, its charts agree with the decoded phones, and it says what it lacks."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.speech import spoken
from tests.app_pages import opened
from tests.datasets.speech.test_timit import put
from tests.page_settings import computed

SLUG = "speech"
SMALL = {"speakers": 4, "sentences": 2, "m_max": 160, "epochs": 2}


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_the_explanation_has_the_numbers_of_the_charts(number):
    found = computed(SLUG, number)
    heard, errors, _ = found.charts
    frame, settings = errors.frame, found.settings
    rows = frame[(frame["features"] == (settings.shown or settings.labels[0])) & (frame["m"] == settings.m)]
    assert f"**{rows['phone error %'].item():.1f}%** on held-out speakers" in heard.words
    phones = heard.frame.groupby("phones")["phone"].apply(list)
    assert f"in {len(phones['true'])} phones" in heard.words


def test_the_page_says_that_it_is_synthetic_and_plays_it():
    at = opened(SLUG, SMALL)
    assert not at.error and any("This speech is synthetic" in one.value for one in at.caption)
    assert len(at.get("audio")) == 1


def test_timit_is_offered_where_it_is_and_is_not_called_synthetic(tmp_path):
    for number, voice in enumerate("abcdefgh"):
        noise = (np.random.default_rng(number).standard_normal(8000) * 3000).astype(np.int16)
        put(tmp_path / "timit", f"dr1-f{voice}aa0/si1", sound=noise)
    try:
        datasets.set_folder(tmp_path)
        at = opened(SLUG, {"speech": "timit", "m_max": 160, "epochs": 2})
        assert not at.error and not at.exception
        assert any("TIMIT (Garofolo" in one.value and "synthetic" not in one.value for one in at.caption)
        (tmp_path / "timit" / "dr1-faaa0" / "si1.phn").unlink()
        at.run()
        assert "dr1-faaa0/si1.wav has no phones: si1.phn is missing" in at.error[0].value and len(at.error) == 1
    finally:
        datasets.set_folder(None)


def test_a_missing_synthesiser_is_named_on_the_page(monkeypatch):
    monkeypatch.setattr(spoken, "find_spec", lambda name: None)
    spoken.speak.cache_clear()
    at = opened(SLUG, {"speakers": 20, "sentences": 1})
    assert "pip install espeakng-loader" in at.error[0].value and len(at.error) == 1
