"""Draw real files of public repositories for wild.py, by a rule that was fixed before any of them was inspected.

    python benchmarks/wild_draw.py CLONES FOLDER

CLONES holds one clone of each repository of `REPOSITORIES`, named owner+name. Of each, in this order, two files are
drawn by one generator of seed 48: of its newest commit, the files with one of `ENDINGS`, of 500 bytes to 4 MiB, outside
hidden folders, and not in the first set, sorted by path. They are written to FOLDER, and their names and sources to
benchmarks/wild2.json; the files themselves are not part of this repository.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

SEED, A_REPOSITORY = 48, 2
ENDINGS = (
    ".csv",
    ".tsv",
    ".tab",
    ".data",
    ".dat",
    ".json",
    ".jsonl",
    ".xlsx",
    ".parquet",
    ".feather",
    ".sqlite",
    ".db",
)
LEAST, MOST = 500, 4 * 2**20
REPOSITORIES = (
    "fivethirtyeight/data",
    "vega/vega-datasets",
    "plotly/datasets",
    "selva86/datasets",
    "vincentarelbundock/Rdatasets",
    "guipsamora/pandas_exercises",
    "justmarkham/pandas-videos",
    "wesm/pydata-book",
    "curran/data",
    "datasets/gdp",
    "JeffSackmann/tennis_atp",
    "TheEconomist/big-mac-data",
    "statsmodels/statsmodels",
    "mwaskom/seaborn-data",
    "jbrownlee/Datasets",
    "numenta/NAB",
    "dotnet/machinelearning",
    "chadwickbureau/baseballdatabank",
    "datacarpentry/openrefine-socialsci",
    "rstudio/r-community-survey",
    "BuzzFeedNews/everything",
    "ageron/handson-ml2",
)
FIRST_SET = Path(__file__).with_name("wild.json")


def git(clone: Path, *words: str) -> bytes:
    """Return what a git command prints."""
    return subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True).stdout


def candidates(clone: Path, known: set[str]) -> list[str]:
    """Return the sorted paths of the files that may be drawn."""
    found = []
    for line in git(clone, "ls-tree", "-r", "-l", "-z", "HEAD").decode("utf-8").split("\0"):
        facts, _, path = line.partition("\t")
        if not path or not path.lower().endswith(ENDINGS) or any(part.startswith(".") for part in path.split("/")):
            continue
        _, kind, _, size = facts.split()
        if kind == "blob" and size.isdigit() and LEAST <= int(size) < MOST and path not in known:
            found.append(path)
    return sorted(found)


def main(clones: Path, folder: Path) -> None:
    """Draw the files and write them, and their list."""
    first = json.loads(FIRST_SET.read_text())
    generator, rows = random.Random(SEED), []
    folder.mkdir(parents=True, exist_ok=True)
    for repository in REPOSITORIES:
        clone = clones / repository.replace("/", "+")
        clone = clone / "repo" if (clone / "repo").exists() else clone
        listed = candidates(clone, {one["path"] for one in first if one["repo"] == repository})
        commit = git(clone, "rev-parse", "HEAD").decode().strip()
        for path in generator.sample(listed, min(A_REPOSITORY, len(listed))):
            content = git(clone, "show", f"HEAD:{path}")
            name = f"{repository.split('/')[0]}--{Path(path).name}"
            (folder / name).write_bytes(content)
            sha1 = hashlib.sha1(content, usedforsecurity=False).hexdigest()
            rows.append({"file": name, "repo": repository, "commit": commit, "path": path, "sha1": sha1})
            rows[-1]["bytes"] = len(content)
        print(f"{repository}: {len(listed)} candidates")
    text = json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
    Path(__file__).with_name("wild2.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
