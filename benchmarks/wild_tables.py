"""Write what wild.json and wild2.json hold into docs/wild.md, in place of all that follows its title of the tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from _report import markdown_table

HERE = Path(__file__).resolve().parent
PAGE, TITLE = HERE.parent / "docs" / "wild.md", "## What was found\n"
SETS = {"first": HERE / "wild.json", "second": HERE / "wild2.json"}
VERDICTS = ("confirmed", "consistent", "refuted", "not checkable")

Rows = list[dict[str, Any]]


def tables(sets: dict[str, Rows]) -> str:
    """Return the tables of all sets, then of each."""
    every = [row for rows in sets.values() for row in rows]
    parts = [markdown_table([_summary(name, rows) for name, rows in (*sets.items(), ("both", every))])]
    kinds = Counter[str]()
    for row in every:
        kinds.update(row["not confirmed"])
    named = [[*kind.split(": ", 2), n] for kind, n in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))]
    names = ("verdict", "question", "kind", "claims")
    parts += ["### Claims that are not confirmed", markdown_table(dict(zip(names, one, strict=True)) for one in named)]
    refused = [
        f"- {row['file']}: {row['why refused'].removeprefix('rfviz run: ')}" for row in every if row["why refused"]
    ]
    parts += ["### Refused", "\n".join(refused)]
    for name, rows in sets.items():
        parts += [f"## {name.capitalize()} set", markdown_table(map(_file, rows))]
    return "\n\n".join(parts) + "\n"


def _summary(name: str, rows: Rows) -> dict[str, Any]:
    read = [row for row in rows if row["read"] == "read"]
    checked = [row for row in read if row["confirmed"] is not None]
    claims = sum(row["claims"] for row in checked)
    counts = {verdict: sum(row[verdict] for row in checked) for verdict in VERDICTS}
    shares = {verdict: f"{n:,} ({n / claims:.1%})" if n else "0" for verdict, n in counts.items()}
    n_files = {"files": len(rows), "read": len(read), "checked": len(checked)}
    return {"set": name, **n_files, "claims": f"{claims:,}", **shares}


def _file(row: dict[str, Any]) -> dict[str, Any]:
    size = row["as read"] if row["read"] == "read" else row["read"]
    numbers = ("claims", *VERDICTS, "CPU seconds", "peak MiB")
    return {"file": row["file"], "repository": row["repo"], "as read": size} | {name: row[name] for name in numbers}


def page() -> str:
    """Return the page with the tables of both lists."""
    before, title, _ = PAGE.read_text().partition(TITLE)
    return f"{before}{title}\n{tables({name: json.loads(place.read_text()) for name, place in SETS.items()})}"


if __name__ == "__main__":
    PAGE.write_text(page())
