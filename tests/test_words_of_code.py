"""Six turns of phrase that docstrings and comments should not have: each folder has a ceiling, which only falls."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "rfviz"
# Before these words in a sentence, "what is …" is a question that the sentence answers, not a noun in disguise.
_ASKING = re.compile(
    r"\b(?:says?|said|tells?|told|shows?|asks?|asked|knows?|decides?|explains?|describes?|whether|which|why|how)\b",
    re.I,
)
# Each with the remedy, a sentence that has the fault, and one that only looks like it.
FAULTS = {
    "None where": (
        re.compile(r"\b(?:[Nn]one|[Ee]mpty|[Rr]eturn (?:True|False)) where\b"),
        "“or None if …”, “empty if …”",
        "Return the file, None where there is none.",
        "LAPACK finds nothing where eigenvalues cluster.",
    ),
    "is no X": (
        re.compile(r"\b(?<!there )(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|\w+er than\b)\w", re.I),
        "“is not a …”",
        "If the answer is no JSON.",
        "There is no such column, the block is no longer than a row, and a fit is no more than a guess.",
    ),
    "so many": (
        re.compile(r"\bso (?:many|few|much|little|long)\b(?! as\b)(?![^.;:]*\bthat\b)", re.I),
        "“n” or the noun",
        "Return the rows of so many repetitions.",
        "So many rows agree that it would take minutes, and so long as none differs it does.",
    ),
    "who": (
        re.compile(
            r"\b(?:some|no|any|every)body\b|\bwhoever\b"
            r"|(?:^|[.;:(] |\b(?:of|by|to|for|from|with|if|where|those|that) )who\b(?![^.]*\?)",
            re.I,
        ),
        "the caller, the user, a thread",
        "A draw that nobody waits for.",
        "The user who reads it sees who has signed in.",
    ),
    "what is": (
        re.compile(r"\bwhat (?:is|are|was|were)\b(?![^.]*\?)", re.I),
        "a noun",
        "Return what is left of a row.",
        "Says what is odd in a table.",
    ),
    "from n on": (
        re.compile(r"\bfrom (?!here\b|now\b|then\b|there\b)[\w`.,]+(?: \w+)? on\b(?! (?:to|the|an?|its|each)\b)"),
        "“for n or more”",
        "Faster from 4,096 columns on.",
        "Copy a row from host on the way; from then on, it is on the device.",
    ),
}
# How often each folder has each fault, in the order above. A commit may lower a number, never raise it.
CEILINGS = {
    "lab": (0, 0, 1, 4, 4, 0),
}

_TRIPLE = r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
_STRINGS_AND_COMMENTS = re.compile(
    rf"(?P<doc>^[ ]*r?{_TRIPLE})|{_TRIPLE}"
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|(?P<comment>#[^\n]*(?:\n[ ]*#[^\n]*)*)",
    re.M | re.S,
)


def _texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings and comments with their first line; comments on successive lines are one."""
    for match in _STRINGS_AND_COMMENTS.finditer(source):
        if text := match["doc"] or match["comment"]:
            plain = re.sub(r'^[ ]*r?"""|"""$|^[ ]*#:?', " ", text, flags=re.M)
            yield source.count("\n", 0, match.start()) + 1, " ".join(plain.split())


def _found(fault: str, text: str) -> list[str]:
    """Return the places of a fault in a text, each with some words around it."""
    found = []
    for match in FAULTS[fault][0].finditer(text):
        sentence = re.split(r"(?<=[.;:]) ", text[: match.start()])[-1]
        if fault != "what is" or not _ASKING.search(sentence):
            found.append(text[max(match.start() - 30, 0) : match.end() + 30])
    return found


@cache
def _faults_of(folder: str) -> dict[str, list[str]]:
    files = sorted(ROOT.glob("*.py") if folder == "." else (ROOT / folder).rglob("*.py"))
    found: dict[str, list[str]] = {fault: [] for fault in FAULTS}
    for path in files:
        for line, text in _texts(path.read_text(encoding="utf-8")):
            for fault, places in found.items():
                places += [f"{path.relative_to(ROOT.parent)}:{line}: … {words} …" for words in _found(fault, text)]
    return found


FOLDERS = [".", *sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_folder_has_more_faults_than_it_had(folder):
    ceilings = CEILINGS.get(folder, (0,) * len(FAULTS))
    for (fault, places), ceiling in zip(_faults_of(folder).items(), ceilings, strict=True):
        remedy = FAULTS[fault][1]
        assert len(places) <= ceiling, f"“{fault}”: write {remedy}. One of these is new:\n" + "\n".join(places)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_pattern_finds_the_fault_and_leaves_plain_english_alone(fault):
    _, _, has_it, only_looks_like_it = FAULTS[fault]
    assert _found(fault, has_it)
    assert not _found(fault, only_looks_like_it)


def test_docstrings_and_comments_are_read_but_no_strings_that_a_user_sees():
    source = '"""Return what\n    is left."""\nname = "# what is shown"  # so\n# many\n'
    assert list(_texts(source)) == [(1, "Return what is left."), (3, "so many")]
