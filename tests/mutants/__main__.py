"""Put each seeded fault into a copy of the code and run its tests: ``python -m tests.mutants [name …]``.

A fault that no test notices *escapes*: a test is missing. The status is 1 then.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]
# Tests that hang have noticed the fault, too.
_LIMIT_S = 600
# Exit codes of pytest: all passed; some failed; interrupted, as by an error while tests are collected.
_PASSED, _NOTICED = 0, (1, 2)


def copy_tree(target: Path) -> None:
    """Copy what git knows, and what it does not ignore, to a folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / name)


def run_tests(tree: Path, tests: Iterable[str]) -> tuple[int, str]:
    """Run tests in a copy of the code; return pytest's exit code, or 1 after the time limit, and the end of its output.

    No bytecode is written: two faults of one length within a second would be taken for each other.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, f"no end after {_LIMIT_S} s"
    return done.returncode, "\n".join(done.stdout.splitlines()[-8:]) + done.stderr[-500:]


def is_caught(tree: Path, fault: Fault) -> bool:
    """Return whether the tests of a fault notice it; the file is as before afterwards.

    Raises
    ------
    RuntimeError
        If pytest could not run them.
    """
    path = tree / fault.file
    text = path.read_text(encoding="utf-8")
    faulty = text.replace(fault.before, fault.after)
    if path.suffix == ".py":
        compile(faulty, fault.file, "exec")  # what is no Python would be noticed by any test
    path.write_text(faulty, encoding="utf-8")
    try:
        code, tail = run_tests(tree, fault.tests)
    finally:
        path.write_text(text, encoding="utf-8")
    if code not in (_PASSED, *_NOTICED):
        raise RuntimeError(f"{fault.name}: pytest ended with {code}\n{tail}")
    return code in _NOTICED


def main(names: list[str]) -> int:
    """Try the faults of these names, or all; return 1 if one escapes."""
    unknown = {*names} - {fault.name for fault in FAULTS}
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    chosen = [fault for fault in FAULTS if not names or fault.name in names]
    escaped = []
    with tempfile.TemporaryDirectory(prefix="rfviz-mutants-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        code, tail = run_tests(tree, sorted({test for fault in chosen for test in fault.tests}))
        if code != _PASSED:
            print(f"The tests must pass without any fault.\n{tail}", file=sys.stderr)
            return 2
        for fault in chosen:
            started = time.monotonic()
            caught = is_caught(tree, fault)
            if not caught:
                escaped.append(fault.name)
            verdict = "caught" if caught else "ESCAPED"
            print(f"{verdict:8} {time.monotonic() - started:6.1f} s  {fault.name}", flush=True)
    print(f"{len(chosen) - len(escaped)} of {len(chosen)} faults caught")
    return 1 if escaped else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="faults to try; all by default")
    sys.exit(main(parser.parse_args().names))
