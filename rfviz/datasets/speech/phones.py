"""The phones of TIMIT, and how they are folded to 48 for training and to 39 for scoring (Lee and Hon, 1989)."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["PHONES_39", "PHONES_48", "SILENCE", "TIMIT_PHONES", "fold", "fold_48"]

#: What closures and pauses are folded to.
SILENCE = "sil"
_SAME = (
    "aa ae ah ao aw ax ay b ch d dh dx eh el en epi er ey f g hh ih ix iy jh k l m n ng ow oy p r s sh t th uh uw v "
    "w y z zh"
)
_TO_48 = {phone: phone for phone in _SAME.split()} | {
    "ax-h": "ax",
    "axr": "er",
    "bcl": "vcl",
    "dcl": "vcl",
    "gcl": "vcl",
    "pcl": "cl",
    "tcl": "cl",
    "kcl": "cl",
    "em": "m",
    "eng": "ng",
    "hv": "hh",
    "nx": "n",
    "ux": "uw",
    "h#": SILENCE,
    "pau": SILENCE,
}
_TO_39 = {
    "ao": "aa", "ax": "ah", "el": "l", "en": "n", "ix": "ih", "zh": "sh", "cl": SILENCE, "vcl": SILENCE, "epi": SILENCE,
}  # fmt: skip
#: The glottal stop, which is not scored.
_NOT_SCORED = "q"
#: All 61 symbols of the corpus.
TIMIT_PHONES = frozenset({*_TO_48, _NOT_SCORED})
PHONES_48 = tuple(sorted(set(_TO_48.values())))
PHONES_39 = tuple(sorted({_TO_39.get(phone, phone) for phone in PHONES_48}))


def fold_48(phone: str) -> str | None:
    """Return which of the 48 phones of training one of TIMIT's symbols is, None for the glottal stop."""
    return _TO_48.get(phone)


def fold(phones: Iterable[str]) -> list[str]:
    """Return phones, of the 61 or of the 48, as the 39 that are scored; the glottal stop is left out."""
    return [_TO_39.get(_TO_48.get(phone, phone), _TO_48.get(phone, phone)) for phone in phones if phone != _NOT_SCORED]
