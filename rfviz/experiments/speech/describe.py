"""Say what the charts of speech show."""

from __future__ import annotations

from collections.abc import Sequence

from rfviz.analysis.speech import Decoded, difference
from rfviz.experiments.speech.compute import MEASURES, Curve, Heard, SpeechResult
from rfviz.words import counted, number, per_cent, shown

__all__ = ["comparison", "confusion_alt", "errors_alt", "errors_words", "explanation", "heard_alt"]

# Standard errors beyond which chance makes a difference one time in twenty.
_CERTAIN = 2.0


def explanation(result: SpeechResult, curve: Curve, m: int, heard: Heard) -> str:
    """Return what one sees in the chart of an utterance, with its numbers."""
    decoded = curve.mean_at(m)
    with_what = f"With **m = {shown(m)}** features ({curve.label})" if curve.cls is not None else "On the raw features"
    own = f"In this utterance there are {_errors(heard)}."
    draws = f" (mean of {counted(len(curve.draws), 'draw')})" if len(curve.draws) > 1 else ""
    said = f"{with_what} the phone error is **{per_cent(decoded.phone_error)}**{draws} on held-out speakers. "
    raw = result.raw
    compared = "" if raw is None or curve.cls is None else comparison(decoded, raw.at(0)) + " "
    return said + compared + own


def comparison(decoded: Decoded, raw: Decoded) -> str:
    """Return how the phone error compares with that of the raw features, and whether chance would do."""
    more, errors = difference(decoded, raw)
    if abs(errors) < _CERTAIN:
        n = len(raw.errors)
        few = f"{n} utterances are too few" if n > 1 else "one utterance is too few"
        return f"With the raw features it is {per_cent(raw.phone_error)}; {few} to tell them apart."
    better = "random" if more < 0 else "raw"
    return (
        f"With the raw features it is {per_cent(raw.phone_error)}. The {better} ones are better by "
        f"{number(100 * abs(more))} points, which is {number(abs(errors), 2)} standard errors of the utterances."
    )


def _errors(heard: Heard) -> str:
    """Count the errors of an utterance by their kinds, each of which the chart shows."""
    taken, added, missed = heard.kinds
    kinds = ((taken, "taken for another"), (added, "added"), (missed, "missed"))
    said = ", ".join(f"{count} {word}" for count, word in kinds if count)
    errors = counted(heard.errors, "error") if heard.errors else "no errors"
    return f"{errors} in {counted(heard.length, 'phone')}{f': {said}' * bool(said)}"


def heard_alt(heard: Heard) -> str:
    """Return the chart of an utterance in a sentence, for readers who cannot see it."""
    return (
        f"Waveform, spectrogram, phones and their probabilities of “{heard.utterance.text or heard.utterance.name}”: "
        f"{_errors(heard)}. True: {' '.join(heard.true.phones)}. "
        f"Decoded: {' '.join(heard.decoded.phones)}."
    )


def errors_alt(result: SpeechResult, measure: str, against: str) -> str:
    """Return the chart of errors in a sentence."""
    ends = [(curve.label, _at_the_end(curve, measure)) for curve in result.curves]
    what = measure.removesuffix(" %").capitalize()
    return f"{what} against the number of {against}; at the end {', '.join(f'{k} {v}' for k, v in ends)}."


def errors_words(result: SpeechResult, measure: str, against: str) -> str:
    """Return which map has the least error at the largest m, and what its draws and utterances say of the second.

    Against projections, whose numbers differ at the same m, only the errors and projections of all are told. Empty
    before there are two maps.
    """
    maps = [curve for curve in result.curves if curve.cls is not None]
    if len(maps) < 2:
        return ""
    maps.sort(key=lambda curve: curve.to_frame()[measure].iloc[-1])
    draws = {len(curve.draws) for curve in maps}
    spread = "" if draws == {1} else " (mean ± s.d. of the draws)"
    m = maps[0].recognition.m_grid[-1]
    if against == "projections":
        ends = [f"{c.label} {_at_the_end(c, measure)} of {shown(c.projections[-1])}" for c in maps]
        return f"With m = {shown(m)} features, of as many projections as are named{spread}: {'; '.join(ends)}."
    ends = [f"{c.label} {_at_the_end(c, measure)}" for c in maps]
    return f"With m = {shown(m)} features{spread}: {'; '.join(ends)}. {_first_and_second(maps, m)}"


def _first_and_second(maps: Sequence[Curve], m: int) -> str:
    """Say whether the test utterances tell the two best maps apart."""
    best, second = (curve.mean_at(m) for curve in maps[:2])
    _, errors = difference(best, second)
    names = f"{maps[0].label} and {maps[1].label}"
    n = counted(len(best.errors), "test utterance")
    if abs(errors) < _CERTAIN:
        return f"{n.capitalize()} cannot tell the phone errors of {names} apart."
    return f"The phone errors of {names} differ by {number(abs(errors), 2)} standard errors of {n}."


def _at_the_end(curve: Curve, measure: str) -> str:
    """Write the error of the most features, with its standard deviation over the draws if there are several."""
    last = curve.to_frame().iloc[-1]
    spread = f" ± {last[MEASURES[measure]]:.1f}" if len(curve.draws) > 1 else ""
    return f"{per_cent(last[measure] / 100)}{spread}"


def confusion_alt(label: str, m: int) -> str:
    """Return the chart of confusions in a sentence."""
    return f"Which phone the test frames of each true phone are decoded as: {label}, m = {shown(m)}."
