"""The checker of claims, benchmarks/wild.py: it confirms what is true of files, and refutes what is not."""

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.upload import read_file
from rfviz.inspection.finding import records
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.questions import QUESTIONS as QUESTIONS_ASKED

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import _wild_drift  # noqa: E402, F401 - it adds kinds
import _wild_interactions  # noqa: E402, F401
import _wild_kernel  # noqa: E402, F401
import _wild_left_out  # noqa: E402, F401
from _wild_cells import read_cells  # noqa: E402
from _wild_facts import FACTS, Facts  # noqa: E402
from _wild_kinds import KINDS, check_findings  # noqa: E402
from _wild_verdicts import verdict_of  # noqa: E402
from wild_tables import PAGE, page  # noqa: E402

QUESTIONS = ("missing", "copies")


def written(folder):
    """Write three files, each in a way of its own; return them with what is known of them."""
    g = np.random.default_rng(0)
    x, n = g.normal(size=60).round(3), range(60)
    kinds = g.choice(["up", "down"], 60)
    plain = "\n".join(f"{x[i]},{'NA' if i % 9 == 0 else i % 7},{kinds[i]}" for i in [*n, 5, 8])
    bare = "\n".join(f"{i}\t{x[i]}\t{'?' if i % 6 == 0 else 'yes'}" for i in n)
    rows = [{"a": float(x[i]), "b": None if i < 20 else str(kinds[i]), "kind": str(kinds[i])} for i in n]
    texts = {"plain.csv": f"x,n,kind\n{plain}\n", "bare.tsv": f"i\tx\tword\n{bare}\n", "rows.json": json.dumps(rows)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    facts = (Facts(missing=("NA",), label="kind"), Facts(sep="\t", missing=("?",)), Facts(label="kind"))
    return dict(zip((folder / name for name in texts), facts, strict=True))


def findings_of(path, label, questions=QUESTIONS):
    upload = read_file(path)
    inspection = Inspection(upload.prepare(upload.suggestion.replace({"label": label or None})))
    found = [inspection.finding(key) for key in questions if key in {q.key for q in inspection.questions()}]
    return json.loads(json.dumps(records([finding for finding in found if finding is not None])))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    known = written(tmp_path_factory.mktemp("wild"))
    return [(path, facts, findings_of(path, facts.label)) for path, facts in known.items()]


def verdicts(path, facts, findings):
    return [check["verdict"] for check in check_findings(findings, [read_cells(path, facts)])[1]]


def test_true_claims_are_confirmed(files):
    for path, facts, findings in files:
        found = verdicts(path, facts, findings)
        assert len(found) >= 3
        assert set(found) == {"confirmed"}, path.name


def test_a_planted_false_claim_is_refuted_and_no_other(files):
    for path, facts, findings in files:
        n_claims = sum(len(finding["claims"]) for finding in findings)
        places = [(f, c) for f, finding in enumerate(findings) for c in range(len(finding["claims"]))]
        assert len(places) == n_claims
        for place, (f, c) in enumerate(places):
            planted = copy.deepcopy(findings)
            claim = planted[f]["claims"][c]
            claim["value"] += 1 if isinstance(claim["value"], int) else 0.01
            found = verdicts(path, facts, planted)
            assert found[place] == "refuted", claim
            assert found.count("refuted") == 1


def test_rows_are_compared_as_well(files):
    path, facts, findings = files[0]
    planted = copy.deepcopy(findings)
    copies = next(claim for finding in planted for claim in finding["claims"] if claim["what"] == "copies")
    assert copies["rows"] == [60, 61]
    copies["rows"] = [59, 61]
    assert verdicts(path, facts, planted).count("refuted") == 1


def test_an_unknown_kind_is_not_called_confirmed(files):
    path, facts, _ = files[0]
    claim = {"what": "miracles", "value": 3, "columns": [], "n_rows": 62, "least": None, "of": {}, "rows": []}
    assert verdicts(path, facts, [{"name": "missing", "claims": [claim]}]) == ["not checkable"]


def test_a_column_that_is_not_there_refutes(files):
    path, facts, findings = files[0]
    planted = copy.deepcopy(findings)
    share = next(claim for finding in planted for claim in finding["claims"] if claim["what"] == "missing share")
    share["columns"] = ["nowhere"]
    assert "refuted" in verdicts(path, facts, planted)


def written_groups(folder):
    """Write a table in which two columns tell the same groups apart, one gives the label away and one nearly does."""
    g, n = np.random.default_rng(6), 240
    image, kind = np.arange(n) % 5, np.arange(n) % 2
    slow = np.sin(np.arange(n) / 20) + 0.1 * g.normal(size=n)
    columns = {
        "depth": np.array([5.1, 9.2, 12.1, 14.8, 3.8])[image],
        "width": np.array([82.5, 78.1, 85.2, 64.3, 102.4])[image],
        "near": np.where(np.arange(n) % 16, kind, 1 - kind),  # a sixteenth is wrong
        "code": 3 * kind,
        "slow": slow,
        "seldom": np.where(g.random(n) < 0.4, slow + 0.5 * g.normal(size=n), np.nan),
        "kind": np.where(kind, "up", "down"),
    }
    pd.DataFrame(columns).to_csv(folder / "groups.csv", index=False, float_format="%.3f")
    return folder / "groups.csv", Facts(label="kind")


def test_groups_near_leaks_and_pairs_of_alike_rows_are_counted_again(tmp_path):
    path, facts = written_groups(tmp_path)
    findings = findings_of(path, facts.label, ("columns", "leaks", "dependence"))
    cells, checks = check_findings(findings, [read_cells(path, facts)])
    assert {check["verdict"] for check in checks} == {"confirmed"}
    told = {claim["what"]: (finding, claim) for finding in findings for claim in reversed(finding["claims"])}
    assert told["same groups"][1]["columns"] == ["depth", "width"] and told["near leaks"][1]["value"] == 1
    assert 0 < told["pairs of alike rows"][1]["value"] < told["dependent pairs"][1]["value"]
    wrong = [
        (what, {"value": told[what][1]["value"] + 1})
        for what in ("same groups", "near leaks", "pairs of alike rows", "dependent pairs", "uncorrelated pairs")
    ]
    for what, change in [*wrong, ("same groups", {"columns": ["depth", "slow"]})]:
        finding, claim = told[what]
        assert verdict_of(finding["name"], {**claim, **change}, cells, finding["claims"])[0] == "refuted", what


def test_the_page_holds_the_tables_of_both_lists():
    assert PAGE.read_text() == page()


def test_names_and_sources_of_the_files_are_listed():
    for name in ("wild.json", "wild2.json"):
        listed = json.loads((BENCHMARKS / name).read_text())
        assert len(listed) >= 40
        assert all(one["repo"] and one["path"] and len(one["sha1"]) == 40 for one in listed)
    known = {one["file"] for name in ("wild.json", "wild2.json") for one in json.loads((BENCHMARKS / name).read_text())}
    assert set(FACTS) <= known
    assert len(KINDS) > 40


# --- all kinds --------------------------------------------------------------------------------------------------------


def written_tables(folder):
    """Write a table of classes and one of numbers, with one of everything that the inspection tells."""
    g = np.random.default_rng(1)
    n, rows = 160, range(160)
    kind = np.repeat(["a", "b"], n // 2)[g.permutation(n)]
    x = g.normal(size=(n, 3)).round(4) + 3.0 * (kind == "b")[:, None] * [1.0, 0.6, 0.0]
    town = np.where(g.random(n) < 0.7, np.where(x[:, 2] > 0, "north", "south"), "east")
    age = np.where(np.arange(n) % 11 == 0, -999, g.integers(20, 60, n))
    noise = np.where(x[:, 0] > 1.5, 1.5, 0.2) * g.normal(size=n)
    y = (3.0 * x[:, 0] + x[:, 1] ** 2 + noise).round(3)
    y[[7, 90]] += 40.0
    kind[[3, 50]] = np.where(kind[[3, 50]] == "a", "b", "a")
    gap = np.where(np.arange(n) < 30, "", x[:, 2].round(2).astype(str))
    lines = [f"{i + 1},{x[i, 0]:.4f},{x[i, 1]:.4f},{gap[i]},{town[i]},{age[i]}" for i in rows]
    head = "number,length,width,depth,town,age"
    classes = [f"{line},{kind[i]}" for i, line in enumerate(lines)]
    numbers = [f"{line},{y[i]:.3f}" for i, line in enumerate(lines)]
    for name, label, table in (("classes.csv", "kind", classes), ("numbers.csv", "weight", numbers)):
        (folder / name).write_text("\n".join([f"{head},{label}", *table]) + "\n")
    return [(folder / "classes.csv", Facts(label="kind")), (folder / "numbers.csv", Facts(label="weight"))]


def altered(value):
    """Return a value that is clearly another one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return "another"
    if isinstance(value, int):
        return 2 * value + 3
    if isinstance(value, float):
        return (value + 0.5) % 1.0 if 0.0 <= value <= 1.0 else 3.0 * value + 1.0
    return [altered(value[0]), *value[1:]]


#: Rows that are drawn, or of which other draws differ by some: the exchange of one is not seen.
OF_DRAWS = {"judged rows", "share inside where noise is large", "least alike rows", "rows with several classes"}


@pytest.mark.slow
def test_altered_claims_of_all_kinds_are_refuted(tmp_path):
    """Alter the value, a column and a row of every claim that is confirmed."""
    kinds, missed = set(), []
    for path, facts in written_tables(tmp_path):
        cells = read_cells(path, facts)
        findings = findings_of(path, facts.label, list(dict.fromkeys(question.key for question in QUESTIONS_ASKED)))
        checks = check_findings(findings, [cells])[1]
        assert [check for check in checks if check["verdict"] == "refuted"] == []
        assert sum(check["verdict"] == "confirmed" for check in checks) >= 0.85 * len(checks)
        places = [(finding, place) for finding in findings for place in range(len(finding["claims"]))]
        for (finding, place), check in zip(places, checks, strict=True):
            claim = finding["claims"][place]
            if check["verdict"] != "confirmed":
                continue
            kinds.add(claim["what"])
            for name, other in alterations(claim, cells):
                claims = [*finding["claims"][:place], other, *finding["claims"][place + 1 :]]
                found = verdict_of(finding["name"], other, cells, claims)
                missed += (
                    [] if found[0] == "refuted" else [(claim["what"], name, claim["value"], other["value"], found)]
                )
    assert not missed, missed
    assert len(kinds) >= 60


def alterations(claim, cells):
    """Yield the claim with another value, another column and another row."""
    is_choice = isinstance(claim["value"], str) and claim["what"] == "unused"
    if claim["what"].startswith("p-value"):  # beyond 0.05 they depend on draws
        yield "value", {**claim, "value": 1e-4 if claim["value"] > 0.05 else 0.9}
    elif not is_choice and claim["value"] is not None:
        yield "value", {**claim, "value": altered(claim["value"])}
    if claim["columns"]:
        yield "column", {**claim, "columns": ["nowhere", *claim["columns"][1:]]}
    if claim["rows"] and claim["what"] not in OF_DRAWS and len(claim["rows"]) < cells.n_rows:
        free = next(row for row in range(cells.n_rows) if row not in claim["rows"])
        yield "row", {**claim, "rows": [free, *claim["rows"][1:]]}
