"""What a quick inspection claims of real files, each claim computed again from cells parsed by other rules.

    python benchmarks/wild.py FOLDER [--only NAME] [--kept FOLDER] [--cpu-limit SECONDS] [--json FILE]

FOLDER holds files of wild.json or wild2.json, or any others. Each is inspected, the shortest first, in a process of its
own by `rfviz run quick-inspection --json`, which alone comes from the project; one with a label once more for what is
answered on request only. How a file is written, and which label it has, is known of it beforehand (_wild_facts.py). It
is parsed with pandas, openpyxl, json, sqlite3 or pyarrow (_wild_cells.py), and a function for each kind of claim
computes it anew (_wild_kinds.py, _wild_kernel.py, _wild_left_out.py, _wild_drift.py, _wild_interactions.py). What
depends on random draws counts as confirmed within a stated range of other draws; where that says little, it is called
consistent. `--kept` keeps what was found of each file, and the checks of it, and uses what is there. `--json` adds a
row to each file's entry in a list such as wild.json.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _report import markdown_table
from _wild_facts import FACTS, Facts

VERDICTS = ("confirmed", "consistent", "refuted", "not checkable")


# Imported once by the process that the others are forked from, which is itself small and new.
_PRELOADED = ["rfviz.cli", "rfviz.lab.quick_inspection.page", "rfviz.datasets.files.upload", "rfviz.result_files"]


@dataclass
class Inspected:
    """What came of a file: its findings, or the sentence that refuses it.

    Attributes
    ----------
    cpu_seconds : float
        Of processors, without the imports.
    version : str
        Of the project.
    """

    name: str
    cpu_seconds: float
    peak_mib: float
    version: str
    refused: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)


def inspect(path: Path, facts: Facts, cpu_limit: int) -> Inspected:
    """Inspect a file, and ask of one with a label what is only answered on request, which is not timed."""
    found = _answered(path, facts, cpu_limit)
    whats = {claim["what"] for finding in found.findings for claim in finding["claims"]}
    if "labelled rows" in whats:
        found.findings += _answered(path, facts, cpu_limit, "--only", "features").findings
    return found


def _answered(path: Path, facts: Facts, cpu_limit: int, *more: str) -> Inspected:
    """Run the command in a process of its own."""
    options = ["--label", facts.label] if facts.label else []
    options += ["--table", facts.table] if facts.table else []
    with TemporaryDirectory() as folder:
        output = Path(folder) / "said"
        command = ["run", "quick-inspection", "--json", "--data", str(path), *options, *more]
        process = _FORKED.Process(target=_run, args=(command, str(output), cpu_limit))
        process.start()
        process.join()
        said = output.read_text()
    status, (cpu, peak) = process.exitcode, _usage(said)
    told = Inspected(path.name, cpu, peak, _version())
    begin, end = said.find("{\n"), said.rfind("}") + 1
    if status == -signal.SIGXCPU:
        told.refused = f"stopped after {cpu_limit} s of a processor"
    elif status or begin < 0:
        lines = [line for line in said.splitlines() if line.strip()]
        told.refused = lines[-2] if len(lines) > 1 else "no sentence"
    else:
        told.findings = json.loads(said[begin:end])["findings"]
    return told


def _run(command: list[str], output: str, cpu_limit: int) -> None:
    """Run the command in this process; write what it says, and last its seconds of processors and its peak memory."""
    from rfviz.cli import main

    resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))
    before = resource.getrusage(resource.RUSAGE_SELF)
    file = os.open(output, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(file, stream)
    status = main(command)
    sys.stdout.flush()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
    os.write(file, f"\n{cpu} {usage.ru_maxrss / 1024}\n".encode())
    os._exit(status)


def _usage(said: str) -> tuple[float, float]:
    """Return the seconds of processors and the peak memory in MiB, or not a number if the process was stopped."""
    try:
        cpu, peak = map(float, said.strip().splitlines()[-1].split())
    except (IndexError, ValueError):
        return float("nan"), float("nan")
    return cpu, peak


_FORKED = multiprocessing.get_context("forkserver")


def _version() -> str:
    """Return the commit of the project, and whether anything in it was changed since."""
    place = Path(__file__).resolve().parents[1]
    command = ["git", "describe", "--always", "--dirty"]
    said = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    return said.stdout.strip() or os.environ.get("RFVIZ_VERSION", "unknown")


def kept(place: Path | None, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a file holds, or make it and write it there."""
    if place and place.exists():
        return json.loads(place.read_text())
    made = make()
    if place:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(made, default=str))
    return made


def inspected(path: Path, folder: Path | None, cpu_limit: int = 3600) -> Inspected:
    """Return what was found before, or find it now."""
    place = folder / f"{path.name}.json" if folder else None
    return Inspected(**kept(place, lambda: vars(inspect(path, FACTS.get(path.name, Facts()), cpu_limit))))


def checked(path: Path, found: Inspected) -> dict[str, Any]:
    """Return a row of the table, and the checks of all claims."""
    # Not before all inspections, whose processes are forked from a small one.
    for name in ("_wild_kinds", "_wild_kernel", "_wild_left_out", "_wild_drift", "_wild_interactions"):
        importlib.import_module(name)
    from _wild_cells import read_cells
    from _wild_verdicts import check_findings

    start = time.process_time()
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
    row |= {"CPU seconds": round(found.cpu_seconds, 1), "peak MiB": round(found.peak_mib), "version": found.version}
    row["check, CPU seconds"] = round(time.process_time() - start, 1)
    row["not confirmed"] = Counter(
        f"{check['verdict']}: {check['question']}: {check['what']}"
        for check in checks
        if check["verdict"] != "confirmed"
    )
    row["why refused"] = found.refused
    return {"row": row, "checks": [{"file": path.name, **check} for check in checks]}


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
    _FORKED.set_forkserver_preload(_PRELOADED)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", help="the name of a file; may be repeated")
    parser.add_argument("--kept", type=Path, help="where findings and checks are kept")
    parser.add_argument("--cpu-limit", type=int, default=3600, help="seconds of a processor for each file")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    others = {"README.md", "manifest.json"}
    paths = [path for path in given.folder.iterdir() if path.name not in others and path.is_file()]
    paths = sorted(paths, key=lambda path: (path.stat().st_size, path.name))
    paths = [path for path in paths if not given.only or path.name in given.only]
    found = {path: inspected(path, given.kept and given.kept / "found", given.cpu_limit) for path in paths}
    rows, checks = [], []
    for path in paths:
        place = given.kept / "checked" / f"{path.name}.json" if given.kept else None
        one = kept(place, partial(checked, path, found[path]))
        rows.append(one["row"])
        checks += one["checks"]
    tell(rows, checks, {path.name: found[path].refused for path in paths if found[path].refused})
    if given.json:
        listed = json.loads(given.json.read_text()) if given.json.exists() else [{"file": row["file"]} for row in rows]
        of = {row["file"]: row for row in rows}
        listed = [entry | of.get(entry["file"], {}) for entry in listed]
        given.json.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n")


def tell(rows: list[dict[str, Any]], checks: list[dict[str, Any]], refused: dict[str, str]) -> None:
    """Print a table of the files, and which claims are not confirmed."""
    total: dict[str, Any] = dict.fromkeys(rows[0], "")
    numbers = ("claims", *VERDICTS, "CPU seconds", "check, CPU seconds")
    total |= {"file": f"{len(rows)} files", **{name: round(sum(row[name] for row in rows), 1) for name in numbers}}
    total["read"] = f"{sum(row['read'].startswith('read') for row in rows)} read"
    total["peak MiB"] = max(row["peak MiB"] for row in rows)
    shown = [name for name in total if name not in ("not confirmed", "why refused")]
    print(markdown_table([{name: row[name] for name in shown} for row in [*rows, total]]))
    for name, sentence in refused.items():
        print(f"\nRefused: {name}: {sentence}")
    refuted = [check for check in checks if check["verdict"] == "refuted"]
    if refuted:
        print(f"\n{len(refuted)} refuted:\n")
        print(markdown_table([{k: _cut(v) for k, v in check.items() if k != "verdict"} for check in refuted]))
    for verdict in ("not checkable", "consistent"):
        kinds = (
            (c["question"], c["what"], c["own"] if verdict == "not checkable" else "")
            for c in checks
            if c["verdict"] == verdict
        )
        if why := Counter(kinds):
            print(f"\n{verdict.capitalize()}:\n")
            some = [{"question": q, "kind": k, "why": w, "claims": n} for (q, k, w), n in why.most_common()]
            print(markdown_table(some))


def _cut(value: Any) -> str:
    text = str(value).replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= 90 else f"{text[:88]}…"


if __name__ == "__main__":
    main()
