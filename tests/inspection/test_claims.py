"""Claims of findings: every number and every name in a sentence is one of them, and programs can read them."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.inspection import Inspection
from rfviz.inspection.questions import QUESTIONS

N = 240
# Numbers of the method, not of the data: they stand in every such sentence.
CONSTANTS = {"uncertainty": {2.5}, "columns": {0.99}, "dependence": {0.3, 0.5, 0.99}}


def tables():
    g = np.random.default_rng(0)
    x, z, w = g.normal(size=(3, N))
    plain = pd.DataFrame({"x": x, "z": z, "w": w})
    classes = plain.assign(kind=np.where(x + 0.3 * g.normal(size=N) > 0, "up", "down"))
    target = plain.assign(price=2.0 * x + z + 0.2 * g.normal(size=N))
    holes = classes.assign(x=np.where((x > 0) & (g.uniform(size=N) < 0.7), np.nan, x), empty=np.nan)
    holes.loc[3:9, "w"] = np.inf
    holes.loc[20:25, "kind"] = None
    odd = classes.assign(
        one=1,
        id=np.arange(N),
        twice=z,
        nearly=np.where(np.arange(N) == 7, 2, 1),
        box=np.where(x > 1, "x", None),
        w=np.where(np.arange(N) % 30 == 0, -999.0, w),
        word=g.choice(["yes", "Yes", "no"], N),
    )
    moved = target.assign(x=x + 3.0 * (np.arange(N) > 120), group=np.repeat(np.arange(24), 10).astype(str))
    walk = pd.DataFrame(np.cumsum(np.random.default_rng(1).normal(size=(N, 3)), axis=0), columns=list("xzw"))
    weak = plain.assign(z=0.25 * x + z)
    wrong = classes.assign(kind=np.where(np.arange(N) == 17, "up", np.where(x > 0, "up", "down")))
    wrong.loc[17, "x"] = -2.0
    return {
        "plain": (plain, None),
        "together": (plain.assign(x=np.sort(x), same=0.1 * z + np.sort(x), against=0.1 * w - np.sort(x)), None),
        "years": (plain.assign(Year=np.arange(1700, 1700 + N)), None),
        "classes": (classes, "kind"),
        "target": (target, "price"),
        "holes": (holes, "kind"),
        "odd": (odd, "kind"),
        "copies": (pd.concat([classes, classes[:30].assign(kind="up")], ignore_index=True), "kind"),
        "moved": (moved, "price"),
        "sorted by class": (classes.sort_values("kind", ignore_index=True), "kind"),
        "leak": (target.assign(vat=0.19 * target.price), "price"),
        "product": (plain.assign(y=x * z + 0.1 * g.normal(size=N)), "y"),
        "curve": (plain.assign(y=np.cos(2.0 * x) + 0.1 * g.normal(size=N)), "y"),
        "wrong label": (wrong, "kind"),
        "rare": (classes.assign(kind=np.where(np.arange(N) < 2, "rare", classes.kind)), "kind"),
        "ordered": (classes.assign(kind=np.clip(np.round(x + 3), 1, 5).astype(int).astype(str)), "kind"),
        "tail": (target.assign(price=np.exp(3.0 * x)), "price"),
        "squares": (plain.assign(z=x**2 + 0.1 * g.normal(size=N)), None),
        "walk": (walk, None),
        "noise": (plain.assign(kind=np.random.default_rng(2).choice(["a", "b"], N)), "kind"),
        "groups": (patients(), "kind"),
        "gaps of one half": (plain.assign(z=np.where((np.arange(N) > 120) & (x > -0.5), np.nan, z)), None),
        "eight": (plain.assign(kind=np.digitize(x, [-1.1, -0.7, -0.3, 0, 0.3, 0.7, 1.1]).astype(str)), "kind"),
        "wrong number": (plain[["x", "z"]].assign(y=x + 0.5 * w + 12.0 * (np.arange(N) == 9)), "y"),
        "few of one class": (plain.assign(kind=np.where(np.arange(N) % 20, "most", "few")), "kind"),
        "weak": (weak, None),
        "constant": (pd.DataFrame({"x": np.ones(50), "y": np.ones(50)}), None),
        "short": (classes[:12], "kind"),
    }


def patients():
    g = np.random.default_rng(3)
    patient = np.repeat(np.arange(24), 10)
    frame = pd.DataFrame(g.normal(size=(24, 3))[patient] + 0.05 * g.normal(size=(N, 3)), columns=list("xzw"))
    frame = frame.assign(patient=patient, kind=g.choice(["ill", "well"], 24)[patient])
    return frame.sample(frac=1.0, random_state=0, ignore_index=True)


TABLES = tables()


@pytest.fixture(scope="module", params=list(TABLES))
def found(request):
    """Return the findings of a table, with their questions."""
    frame, label = TABLES[request.param]
    upload = upload_of_frame(frame)
    inspection = Inspection(upload.prepare(upload.suggestion.replace({"label": label})), also="features")
    asked = [(question, inspection.finding(question)) for question in inspection.questions()]
    return [(question, finding) for question, finding in asked if finding is not None and finding.claims]


def test_every_claim_is_of_a_kind_that_its_question_explains(found):
    for question, finding in found:
        for claim in finding.claims:
            assert claim.what in question.kinds, f"{question.key} claims “{claim.what}”"
            assert claim.n_rows > 0, f"{claim.what}: on how many rows?"


#: Kinds of claims about the label, of whichever question.
ABOUT_LABEL = (
    "labelled rows",
    "unlabelled rows",
    "classes",
    "class size",
    "smallest target",
    "largest target",
    "separator in labels",
    "copies with other labels",
    "judged rows",
    "guess",
    "leaks",
    "near leaks",
    "contradicted labels",
    "recognised share",
    "contradicted targets",
    "largest deviation",
    "interval half-width",
    "share inside",
    "single class share",
    "share with the label",
    "neighbour share",
    "gain",
    "agreement",
    "predicted error",
    "gain over the mean",
    "is predictable",
    "gain over a guess",
    "guess score",
    "line score",
    "curve score",
    "joint score",
    "class shares",
)


def test_claims_about_the_label_name_it(found, request):
    label = TABLES[request.node.callspec.params["found"]][1]
    for question, finding in found:
        for claim in finding.claims:
            if claim.what in ABOUT_LABEL or (claim.what == "score" and question.key in ("structure", "groups")):
                assert label in claim.columns, (question.key, claim)


def test_programs_can_read_claims(found):
    for _, finding in found:
        records = [claim.record() for claim in finding.claims]
        assert json.loads(json.dumps(records, allow_nan=False)) == records


def test_a_sentence_says_no_number_and_no_name_that_is_not_claimed(found):
    for question, finding in found:
        names = re.findall("“([^”]*)”", finding.text)
        unclaimed = set(names) - names_of(finding.claims)
        assert not unclaimed, f"{question.key}: {finding.text}"
        bare = re.sub("“[^”]*”|'[^']*'", "", finding.text)
        for written in re.findall(r"(?<![\w.])[−-]?\d[\d,]*(?:\.\d+)?(?:e[+−-]\d+)?", bare):
            assert is_claimed(written, finding.claims, CONSTANTS.get(question.key, set())), (
                f"{question.key}: {written} in “{finding.text}” of {[claim.record() for claim in finding.claims]}"
            )


def flat(value):
    return [part for some in value for part in flat(some)] if isinstance(value, (list, tuple)) else [value]


def names_of(claims):
    said = [part for claim in claims for part in flat([claim.value, list(claim.of.values()), list(claim.columns)])]
    names = {str(part) for part in said if part is not None}
    return names | {name for part in names for name in re.findall("“([^”]*)”", part)}  # such as a half by a column


def is_claimed(written, claims, constants):
    """Whether a number is one of the claims, rounded as it is written: as a share, from 1 on, or a count of claims."""
    digits = written.replace(",", "").replace("−", "-")
    value, error = float(digits), 0.5 * 10.0 ** -len(digits.partition(".")[2].partition("e")[0])
    error *= 10.0 ** int(digits.partition("e")[2] or 0)
    known = set(constants)
    for claim in claims:
        numbers = flat([claim.value, claim.least, claim.n_rows, list(claim.of.values())])
        known |= {float(number) for number in numbers if isinstance(number, (int, float, np.number))}
        known |= {row + 1.0 for row in claim.rows[:20].tolist()} | {float(len(claim.rows))}
    for what in {claim.what for claim in claims}:
        some = claims.of(what)
        counts = {len(some), len(some) - 1, len(some) - 2, len(some) - 3, len(some.columns), len(some.columns) - 3}
        known |= set(map(float, counts)) | {float(sum(c.value for c in some if isinstance(c.value, (int, np.integer))))}
        known |= {c.value / c.n_rows for c in some if isinstance(c.value, (int, np.integer))}
    # Three significant digits, as most numbers are written, or as many as stand there; and shares in per cent.
    return any(
        abs(abs(value) - unit * abs(number)) <= max(error, 0.0006 * unit * abs(number)) * 1.0001
        for number in known
        for unit in (1.0, 100.0)
    )


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_a_question_explains_its_claims(question):
    assert question.kinds
    assert all(kind == kind.lower() and words.endswith(".") for kind, words in question.kinds.items())
