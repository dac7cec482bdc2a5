"""What a quick inspection claims of real files, each claim computed again from cells parsed by other rules.

    python benchmarks/wild.py FOLDER [--only NAME] [--findings FOLDER] [--json FILE]

FOLDER holds files of wild.json and wild2.json, or any others. Each is inspected in a process of its own by
`rfviz run quick-inspection --json`, which alone comes from the project. How a file is written, and which label it has,
is known of it beforehand (_wild_facts.py). It is parsed with pandas, openpyxl, json, sqlite3 or pyarrow
(_wild_cells.py), and a function for each kind of claim computes it anew (_wild_kinds.py, _wild_left_out.py,
_wild_drift.py, _wild_interactions.py). What depends on random draws counts as confirmed within a stated range of other
draws; where that says little, it is called consistent. `--findings` keeps what was found, and uses what is there.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _report import markdown_table, write_json
from _wild_facts import FACTS, Facts

VERDICTS = ("confirmed", "consistent", "refuted", "not checkable")


@dataclass
class Inspected:
    """What came of a file: its findings, or the sentence that refuses it."""

    name: str
    seconds: float
    peak_mib: float
    refused: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)


def inspect(path: Path, facts: Facts) -> Inspected:
    """Inspect a file in a process of its own; this one is small, as peak memory is inherited."""
    command = [sys.executable, "-m", "rfviz.cli", "run", "quick-inspection", "--json", "--data", str(path)]
    command += ["--label", facts.label] if facts.label else []
    command += ["--table", facts.table] if facts.table else []
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        said = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, peak = time.perf_counter() - start, usage.ru_maxrss / 1024
    begin = said.find("{\n")
    if process.returncode or begin < 0:
        return Inspected(path.name, seconds, peak, said.strip().splitlines()[-1] if said.strip() else "no sentence")
    return Inspected(path.name, seconds, peak, findings=json.loads(said[begin:])["findings"])


def inspected(path: Path, kept: Path | None) -> Inspected:
    """Return what was found before, or find it now."""
    place = kept / f"{path.name}.json" if kept else None
    if place and place.exists():
        return Inspected(**json.loads(place.read_text()))
    found = inspect(path, FACTS.get(path.name, Facts()))
    if place:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(vars(found)))
    return found


def checked(path: Path, found: Inspected) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a row of the table, and the checks of all claims."""
    from _wild_cells import read_cells  # after all inspections, for the peak memory of these
    from _wild_kinds import check_findings

    facts = FACTS.get(path.name, Facts())
    row: dict[str, Any] = {"file": path.name, "read": "refused" if found.refused else "read"}
    if not facts.is_table:
        row["read"] += ", not a table"
        cells, checks = None, []
    else:
        readings = [read_cells(path, facts, either) for either in ((True, False) if facts.either else (True,))]
        cells, checks = check_findings(found.findings, readings)
    counts = Counter(check["verdict"] for check in checks)
    row["as read"] = _size(found.findings)
    row["as parsed"] = f"{cells.n_rows:,} × {len(cells.frame.columns)}" if cells else "–"
    row["claims"] = len(checks)
    row |= {verdict: counts[verdict] for verdict in VERDICTS}
    row |= {"seconds": round(found.seconds, 1), "peak MiB": round(found.peak_mib)}
    return row, checks


def _size(findings: list[dict[str, Any]]) -> str:
    """Return rows × columns, the label among these, as the findings claim them."""
    claims = {claim["what"]: claim for finding in findings for claim in reversed(finding["claims"])}
    of = claims.get("rows", claims.get("rows with gaps"))
    if of is None:
        return "–"
    has_label = "labelled rows" in claims or "unlabelled rows" in claims
    return f"{of['n_rows']:,} × {of['of'].get('columns', 0) + has_label}"


def main() -> None:
    """Inspect, check, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", help="the name of a file; may be repeated")
    parser.add_argument("--findings", type=Path, help="where findings are kept")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    others = {"README.md", "manifest.json"}
    paths = [path for path in sorted(given.folder.iterdir()) if path.name not in others and path.is_file()]
    paths = [path for path in paths if not given.only or path.name in given.only]
    found = {path: inspected(path, given.findings) for path in paths}
    rows, checks = [], []
    for path in paths:
        row, some = checked(path, found[path])
        rows.append(row)
        checks += [{"file": path.name, **check} for check in some]
    total: dict[str, Any] = dict.fromkeys(rows[0], "")
    numbers = ("claims", *VERDICTS, "seconds")
    total |= {"file": f"{len(rows)} files", **{name: round(sum(row[name] for row in rows), 1) for name in numbers}}
    total["read"] = f"{sum(row['read'].startswith('read') for row in rows)} read"
    total["peak MiB"] = max(row["peak MiB"] for row in rows)
    print(markdown_table([*rows, total]))
    for path in paths:
        if found[path].refused:
            print(f"\nRefused: {path.name}: {found[path].refused}")
    refuted = [check for check in checks if check["verdict"] == "refuted"]
    if refuted:
        print(f"\n{len(refuted)} refuted:\n")
        print(markdown_table([{k: _cut(v) for k, v in check.items() if k != "verdict"} for check in refuted]))
    left = [check for check in checks if check["verdict"] == "not checkable"]
    why = Counter((check["question"], check["what"], check["own"]) for check in left)
    if why:
        print("\nNot checkable:\n")
        print(markdown_table([{"question": q, "kind": k, "why": w, "claims": n} for (q, k, w), n in why.most_common()]))
    if given.json:
        refusals = {path.name: found[path].refused for path in paths if found[path].refused}
        write_json(given.json, {"files": rows, "total": total, "refused": refusals, "refuted": refuted})


def _cut(value: Any) -> str:
    text = str(value).replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= 90 else f"{text[:88]}…"


if __name__ == "__main__":
    main()
