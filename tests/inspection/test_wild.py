"""The checker of claims, benchmarks/wild.py: it confirms what is true of files, and refutes what is not."""

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from rfviz.datasets.files.upload import read_file
from rfviz.inspection.finding import records
from rfviz.inspection.inspection import Inspection

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import _wild_drift  # noqa: E402, F401 - it adds kinds
import _wild_interactions  # noqa: E402, F401
import _wild_left_out  # noqa: E402, F401
from _wild_cells import read_cells  # noqa: E402
from _wild_facts import FACTS, Facts  # noqa: E402
from _wild_kinds import KINDS, check_findings  # noqa: E402

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


def findings_of(path, label):
    upload = read_file(path)
    inspection = Inspection(upload.prepare(upload.suggestion.replace({"label": label or None})))
    found = [inspection.finding(key) for key in QUESTIONS]
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


def test_names_and_sources_of_the_files_are_listed():
    for name in ("wild.json", "wild2.json"):
        listed = json.loads((BENCHMARKS / name).read_text())
        assert len(listed) >= 40
        assert all(one["repo"] and one["path"] and len(one["sha1"]) == 40 for one in listed)
    known = {one["file"] for name in ("wild.json", "wild2.json") for one in json.loads((BENCHMARKS / name).read_text())}
    assert set(FACTS) <= known
    assert len(KINDS) > 40
