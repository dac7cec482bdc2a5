"""Check that a tag may be released, and print what changed: ``python .ci/release.py v0.1.0``.

The version stands in ``rfviz/_version.py``; the tag, CITATION.cff and CHANGELOG.md must agree with it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def release_notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of the list of changes that belongs to a tag.

    Raises
    ------
    ValueError
        If the tag, the version, the citation and the list of changes do not agree: in one sentence.
    """
    version = _found(root / "rfviz" / "_version.py", r'^__version__ = "(.+)"$')
    if tag != f"v{version}":
        raise ValueError(f"The tag {tag} must be v{version}: rfviz/_version.py holds {version}.")
    cited = _found(root / "CITATION.cff", r"^version: (.+)$")
    if cited != version:
        raise ValueError(f"CITATION.cff holds {cited}, and rfviz/_version.py {version}. They must agree.")
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## \[{re.escape(version)}\] - (.+)\n((?:(?!## ).*\n?)*)", changes, re.MULTILINE)
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section “## [{version}] - <day>”. Write one.")
    day, text = section.groups()
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        raise ValueError(f"CHANGELOG.md says “{day}” of {version}. Write the day of the release, as in 2027-01-31.")
    if not text.strip():
        raise ValueError(f"CHANGELOG.md says nothing of {version}. Write what changed.")
    return text.strip() + "\n"


def _found(path: Path, pattern: str) -> str:
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError(f"{path.name} holds no version.")
    return match[1]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give one tag: python .ci/release.py v0.1.0")
    try:
        sys.stdout.reconfigure(encoding="utf-8")
        print(release_notes(sys.argv[1]), end="")
    except ValueError as error:
        sys.exit(str(error))
