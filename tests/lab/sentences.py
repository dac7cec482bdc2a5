"""Sentences held against the charts that they belong to: every number that is said must be one that is drawn.

A page's test takes its first chart at random settings, reads the arrays out of the Plotly figure, works out from these
what each phrase must say, and ends with :meth:`Sentence.says_nothing_else`: a number that no phrase accounts for is a
failure, too. Nothing of the page's own result is asked.
"""

import math
import re

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.lab.index import find_page
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset

_NUMBER = r"[−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|∞|–"
_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# What holds digits and is no measurement.
_NAMES = ("± 1 s.d.", "1/√m", "1 − κ", "Theorem 1", "Theorem 2", "Theorem 3", "Theorem 5", "1 − δ", "√(p(1−p)/m)")


def seeds(n, quick=4):
    """Return the seeds of n random settings, all but the first few of which are left to make test-all."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, n))]


def page_at(slug, values):
    """Compute a page for some settings, all others by default."""
    page, preset = find_page(slug), Preset(values)
    source = page.source(preset)
    settings = page.settings(preset, source)
    assert preset.unasked() == []
    return compute(page, source, settings, Cache())


def drawn(figure, name):
    """Return the x and y of the only trace of a figure whose name holds these words."""
    (one,) = [t for t in figure.data if t.name and name in t.name]
    return np.asarray(one.x, dtype=float), np.asarray(one.y, dtype=float)


class Rough:
    """A value that is said with few digits of its whole part: 76,000 for 76,272."""

    def __init__(self, value, digits=2):
        self.value, self.digits = float(value), digits


class About:
    """A value that the arrays of a chart give only nearly, within this much."""

    def __init__(self, value, within):
        self.value, self.within = float(value), float(within)


class Sentence:
    """What a chart is said to show, of which phrase after phrase is accounted for."""

    def __init__(self, words):
        self.words = words
        self._left = words.replace("**", "").replace("*", "")
        for name in _NAMES:
            self._left = self._left.replace(name, "")

    def __contains__(self, words):
        return words in self._left

    def says(self, phrase, *values):
        """Assert that a phrase is said, whose ``{}`` are numbers (these, as printed) or words (these, as they are)."""
        parts, expected = phrase.split("{}"), list(values)
        assert len(parts) == len(expected) + 1
        pattern = re.escape(parts[0])
        for value, part in zip(expected, parts[1:], strict=True):
            pattern += f"({re.escape(value) if isinstance(value, str) else _NUMBER})" + re.escape(part)
        found = [m for m in re.finditer(pattern, self._left) if self._fits(m.groups(), expected)]
        assert found, f"“{phrase}” with {[getattr(v, 'value', v) for v in expected]} is not in “{self.words}”"
        start, stop = found[0].span()
        self._left = self._left[:start] + re.sub(r"\d", "#", self._left[start:stop]) + self._left[stop:]

    def skips(self, *words):
        """Leave out words whose digits are no measurement: a formula, a name."""
        for some in words:
            self._left = self._left.replace(some, "")

    @staticmethod
    def _fits(texts, values):
        pairs = [(text, value) for text, value in zip(texts, values, strict=True) if not isinstance(value, str)]
        return all(is_printed_as(value, text) for text, value in pairs)

    def says_nothing_else(self):
        """Assert that no number is left over."""
        left = re.findall(rf"[^.;]*?(?:{_NUMBER})[^.;]*", self._left)
        assert not re.search(r"\d|∞", self._left), f"what is drawn accounts for no number in {left}"


def is_printed_as(value, text):
    """Return whether a number rounds to a text with its digits, up to the single precision of a chart."""
    digits, within = None, 0.0
    if isinstance(value, About):
        value, within = value.value, value.within
    if isinstance(value, Rough):
        value, digits = value.value, value.digits
    value = float(value)
    if text == "∞" or math.isinf(value):
        return text == "∞" and math.isinf(value)
    if text == "–" or math.isnan(value):
        return text == "–" and math.isnan(value)
    mantissa, _, power = text.replace("−", "-").replace(",", "").partition("·10")
    scale = 10.0 ** int(power.translate(_POWERS) or 0)
    unit = scale * 10.0 ** -len(mantissa.partition(".")[2])
    if digits is not None and value:
        unit = max(unit, 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1))
    if float(mantissa) == 0:  # what is there is not said to be nothing
        return abs(value) < 1e-7
    return abs(float(mantissa) * scale - value) <= within + 0.5 * unit * (1 + 1e-6) + 2e-7 * abs(value)
