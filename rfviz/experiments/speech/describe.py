"""Say what the charts of speech show."""

from __future__ import annotations

from rfviz.analysis.speech import Decoded, difference
from rfviz.experiments.speech.compute import Curve, Heard, SpeechResult
from rfviz.words import counted, number, per_cent, shown

__all__ = ["comparison", "confusion_alt", "errors_alt", "explanation", "heard_alt"]

# Standard errors beyond which chance makes a difference one time in twenty.
_CERTAIN = 2.0


def explanation(result: SpeechResult, curve: Curve, m: int, heard: Heard) -> str:
    """Return what one sees in the chart of an utterance, with its numbers."""
    decoded = curve.at(m)
    with_what = f"With **m = {shown(m)}** features ({curve.label})" if curve.cls is not None else "On the raw features"
    own = f"In this utterance there are {_errors(heard)}."
    said = f"{with_what} the phone error is **{per_cent(decoded.phone_error)}** on held-out speakers. "
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


def errors_alt(result: SpeechResult, measure: str) -> str:
    """Return the chart of errors in a sentence."""
    ends = [(curve.label, curve.recognition.to_frame()[measure].iloc[-1]) for curve in result.curves]
    what = measure.removesuffix(" %").capitalize()
    return (
        f"{what} against the number of features; at the end "
        + ", ".join(f"{k} {per_cent(v / 100)}" for k, v in ends)
        + "."
    )


def confusion_alt(label: str, m: int) -> str:
    """Return the chart of confusions in a sentence."""
    return f"Which phone the test frames of each true phone are decoded as: {label}, m = {shown(m)}."
