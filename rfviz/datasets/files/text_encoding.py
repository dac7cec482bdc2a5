"""The encoding of a text, which few files tell: UTF-8 where it fits, or else a guess, which is told.

Text in another script than the Latin one, whose letters stand together beyond ASCII, is left to a library to guess. In
a Latin script few letters are beyond ASCII, which misleads the library; there the alphabets of the languages decide.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from rfviz.datasets.files.content import File
from rfviz.datasets.wording import counted
from rfviz.errors import DataError, require

__all__ = ["Encoding", "encoding_of"]

_REMEDY = "Save it as 'CSV UTF-8'"
# Control characters that no text holds.
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 26, 27})
_MARKED = (  # that of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8, _UNKNOWN = "utf-8-sig", "\ufffd"
# Bytes of lines beyond ASCII that a guess is made from, and of the text in which they are looked for.
_TELLING, _LOOKED_AT, _BLOCK = 1 << 15, 1 << 24, 1 << 20
# Letters of words beyond ASCII; two of them may make one character, of which the second may be ASCII.
_WORDS, _BEYOND = re.compile(rb"[@-~\x80-\xff]{2,}"), re.compile(rb"[\x80-\xff]")
_MOSTLY, _FEW_ODD, _MOST_WORDS = 0.6, 0.25, 500
_USUAL = "cp1252"
# Other scripts, under the names of the library; the usual ones first, which are taken where it cannot tell.
_OTHER_SCRIPTS = (
    "cp1251",
    "koi8_r",
    "cp866",
    "cp1253",
    "cp1255",
    "cp1256",
    "gb18030",
    "big5",
    "cp932",
    "cp949",
    "euc_jp",
    "cp874",
)
# The letters beyond ASCII of languages that an encoding was made for.
_WESTERN = (
    "äöüß",
    "àâæçéèêëîïôœùûü",
    "áéíñóúü",
    "áàâãçéêíóôõúü",
    "àèéìîòóù",
    "äåöé",
    "åæøéö",
    "ëéïöüè",
    "àçéèíïóòúü",
    "äõöüšž",
)
_CENTRAL = ("áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "âăîşţ", "čćđšž", "äöüß")
# Letters of Icelandic mean others in Turkish, so they decide for neither.
_KNOWN = frozenset("ýþð")
_LATIN = {
    "cp1252": _WESTERN,
    "mac_roman": _WESTERN,
    "cp850": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp852": _CENTRAL,
    "cp1254": ("iâçğıîöşüû",),  # i of a capital one with a point
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
}
_TITLES = {
    "cp1252": "Windows-1252 (Western European)",
    "mac_roman": "Mac Roman (Western European)",
    "cp850": "code page 850 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859_2": "ISO 8859-2 (Central European)",
    "cp852": "code page 852 (Central European)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1257": "Windows-1257 (Baltic)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp866": "code page 866 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp874": "Windows-874 (Thai)",
    "big5": "Big5 (Chinese)",
    "gb18030": "GB 18030 (Chinese)",
    "cp949": "code page 949 (Korean)",
    "euc_jp": "EUC-JP (Japanese)",
    "cp932": "Shift JIS (Japanese)",
}
# Signs that a word may hold, as an apostrophe, a dash or a point.
_IN_WORDS = "’‘´`·–—-\xad\xa0"
_NO_LETTERS = frozenset("ªºµ")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f](?=[^\W\d_])")
# Signs that stand behind a word at most; before one, they are its first letter.
_BEFORE = re.compile(r"[©®¹³¼½¾¤¦¨¸¯](?=[^\W\d_])")
_CASE = re.compile(r"(?<=[a-zß-ž])[^\W\d_](?=[a-zß-ž])")


@dataclass(frozen=True)
class Encoding:
    """How bytes are letters.

    Attributes
    ----------
    name, errors : str
        As :func:`open` takes them.
    notes : tuple of str
        How it was found, where the file does not say it.
    """

    name: str
    errors: str = "strict"
    notes: tuple[str, ...] = ()


def encoding_of(file: File, n_bytes: int) -> Encoding:
    """Find the encoding of a text by its first `n_bytes`.

    Raises
    ------
    DataError
        If it is not text, or nothing fits.
    """
    start = file.head(4)
    marked = next((name for mark, name in _MARKED if start.startswith(mark)), _wide(file))
    if marked:
        title = marked[:6].upper()
        if _decodes(file, marked, n_bytes):
            said = f"The text is {title}, as its first bytes say."
            return Encoding(marked, notes=(said,))
        raise DataError(f"{file.name} begins like {title}, but is not. {_REMEDY}.")
    controls = sum(len(block) - len(block.translate(None, _CONTROLS)) for block in file.blocks(n_bytes))
    if controls:
        raise DataError(
            f"{file.name} is not text: it holds {controls:,} control characters, and a table holds none. "
            f"{_REMEDY}, without compression."
        )
    if _decodes(file, "utf-8", n_bytes):
        return Encoding(_UTF8)
    if n_wrong := _n_wrong(file, n_bytes):
        held = f"{counted(n_wrong, 'byte is', 'bytes are')} not UTF-8, as the others are, and"
        return Encoding(_UTF8, _BYTES_OF_1252, (f"{held} {'was' if n_wrong == 1 else 'were'} read as Windows-1252.",))
    guess = _guessed(_telling_lines(file))
    if not _decodes(file, guess, n_bytes):
        raise DataError(f"{file.name} is text in neither UTF-8 nor {_TITLES[guess]}. {_REMEDY}.")
    return Encoding(
        guess,
        notes=(
            f"The text is not UTF-8, so it was read as {_TITLES[guess]}, which is a guess. Where letters look wrong, "
            "save it as 'CSV UTF-8'.",
        ),
    )


def _wide(file: File) -> str:
    """Return UTF-16 without a mark at the start: every second byte of Latin text is zero; else nothing."""
    start = file.head(2000)
    for name, zeros, others in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if len(zeros) > 1 and zeros.count(0) > _MOSTLY * len(zeros) and not others.count(0):
            return name
    return ""


def _decodes(file: File, encoding: str, n_bytes: int) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in file.blocks(n_bytes):
            # Most blocks are ASCII, which is seen far faster than decoded. A character may begin in the block before.
            if encoding != "utf-8" or decoder.getstate()[0] or not block.isascii():
                decoder.decode(block)
        decoder.decode(b"", final=n_bytes >= file.n_bytes)
    except UnicodeDecodeError:
        return False
    return True


def _telling_lines(file: File) -> bytes:
    """Return lines beyond ASCII, each once; those that a block cuts are passed over."""
    found: dict[bytes, None] = {}
    size = 0
    for number, block in enumerate(file.blocks(_LOOKED_AT)):
        lines = block.splitlines()
        for line in (lines[number > 0 : -1] or lines) if len(block) == _BLOCK else lines[number > 0 :]:
            if not line.isascii() and line not in found:
                found[line] = None
                size += len(line)
        if size > _TELLING:
            break
    return b"\n".join(found)


def _n_wrong(file: File, n_bytes: int) -> int:
    """Return the number of bytes that are not UTF-8 in a text whose other characters are; 0 if few others are."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    n_beyond = n_wrong = 0
    for block in file.blocks(n_bytes):
        text = decoder.decode(block)
        n_wrong += text.count(_UNKNOWN)
        n_beyond += len(text) - len(text.encode("ascii", errors="ignore"))
    return max(n_wrong, 1) if n_beyond > 2 * n_wrong else 0


def _guessed(telling: bytes) -> str:
    """Return the most likely encoding of a text that is not UTF-8."""
    if _is_other_script(telling) and (found := _guessed_script(telling)):
        return found
    oddities = {encoding: _oddities(telling, encoding) for encoding in _LATIN}
    best = min(oddities, key=oddities.__getitem__)
    # A text that is odd in every encoding was spoilt before.
    return best if oddities[best][0] <= _FEW_ODD * oddities[_USUAL][0] else _USUAL


def _guessed_script(telling: bytes) -> str:
    """Return the encoding that the library takes for the most likely; nothing if it finds none that makes sense."""
    require("charset_normalizer", "A text that is not in UTF-8", "or save it as UTF-8")
    import charset_normalizer

    words = b"\n".join(list(dict.fromkeys(_WORDS.findall(telling)))[:_MOST_WORDS])  # signs and numbers mislead it
    matches = list(charset_normalizer.from_bytes(words, cp_isolation=list(_OTHER_SCRIPTS)))
    likely = [match for match in matches if (match.chaos, match.coherence) == (matches[0].chaos, matches[0].coherence)]
    best = min(likely, key=lambda match: _OTHER_SCRIPTS.index(match.encoding), default=None)
    if best is None or not _is_one_script(str(best)):
        return ""
    # Korean is written without Chinese characters.
    is_chinese = best.encoding == "cp949" and re.search("[\u4e00-\u9fff]", str(best))
    return "gb18030" if is_chinese else best.encoding


def _is_other_script(telling: bytes) -> bool:
    """Return whether most words beyond ASCII hold little else."""
    words = [word for word in _WORDS.findall(telling) if not word.isascii()]
    beyond = [word for word in words if len(_BEYOND.findall(word)) >= max(2, len(word) / 2)]
    return sum(map(len, beyond)) > _MOSTLY * sum(map(len, words))


def _is_one_script(text: str) -> bool:
    """Return whether few words hold letters beyond ASCII next to small Latin ones, as a wrong guess would make them."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    mixed = [word for word in words if re.search("[a-z]", word)]
    return len(mixed) < 0.3 * len(words)


def _oddities(telling: bytes, encoding: str) -> tuple[int, bool]:
    """Return how often a text in an encoding is odd, and whether its letters are of several languages."""
    text = telling.decode(encoding, errors="replace")
    letters = [char.lower()[0] for char in text if not char.isascii() and char.isalpha() and char not in _NO_LETTERS]
    known = _KNOWN.union(*_LATIN[encoding])
    n_odd = text.count(_UNKNOWN) + sum(letter not in known for letter in letters)
    n_odd += sum(sign not in _IN_WORDS for sign in _INSIDE.findall(text))
    n_odd += len(_BEFORE.findall(text)) + sum(letter.isupper() for letter in _CASE.findall(text))
    return n_odd, not any(set(letters) <= set(language) for language in _LATIN[encoding])


def _as_1252(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes of an error as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return wrong.decode("cp1252", errors="replace"), error.end


_BYTES_OF_1252 = "rfviz-bytes-of-1252"
codecs.register_error(_BYTES_OF_1252, _as_1252)
