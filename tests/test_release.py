"""A tag is released only if all that names its version agrees, by workflows that hold no secret and name no host."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import rfviz

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "release.py"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
release_notes = runpy.run_path(str(SCRIPT))["release_notes"]


@pytest.fixture
def files(tmp_path):
    """Return a function that writes the files of a release."""

    def write(version="1.2.0", cited="1.2.0", heading="## [1.2.0] - 2027-01-31", text="### Added\n\n- A map.\n"):
        (tmp_path / "rfviz").mkdir(exist_ok=True)
        (tmp_path / "rfviz" / "_version.py").write_text(f'__version__ = "{version}"\n')
        (tmp_path / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {cited}\n")
        later, earlier = "## [1.3.0] - unreleased\n\n- Later.", "## [1.1.0] - 2026-12-01\n\n- Old."
        (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n{later}\n\n{heading}\n\n{text}\n{earlier}\n")
        return tmp_path

    return write


def test_the_text_of_a_release_is_its_section_of_the_changes(files):
    assert release_notes("v1.2.0", files()) == "### Added\n\n- A map.\n"


@pytest.mark.parametrize(
    ("tag", "wrong", "said"),
    [
        ("v1.2.1", {}, "The tag v1.2.1 must be v1.2.0"),
        ("1.2.0", {}, "The tag 1.2.0 must be v1.2.0"),
        ("v1.2.0", {"cited": "1.1.0"}, "CITATION.cff holds 1.1.0"),
        ("v1.2.0", {"heading": "## [1.2.0] - unreleased"}, "says “unreleased” of 1.2.0"),
        ("v1.2.0", {"heading": "## [1.2.00] - 2027-01-31"}, "has no section"),
        ("v1.2.0", {"text": ""}, "says nothing of 1.2.0"),
    ],
)
def test_what_does_not_agree_is_no_release(files, tag, wrong, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        release_notes(tag, files(**wrong))


def test_the_command_refuses_a_tag_of_another_version_of_this_checkout():
    done = subprocess.run(
        [sys.executable, SCRIPT, "v0.0.0"], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"The tag v0.0.0 must be v{rfviz.__version__}: rfviz/_version.py holds {rfviz.__version__}.\n"


def steps(path):
    """Return the steps of all jobs, and the jobs themselves where they call a workflow."""
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in (job.get("steps") or [job])]


def test_workflows_run_what_a_newcomer_runs_and_pin_what_they_use():
    tests, release = steps(WORKFLOWS[1]), steps(WORKFLOWS[0])
    assert [path.name for path in WORKFLOWS] == ["release.yml", "tests.yml"]
    assert {"run": ".ci/run"} in tests and {"uses": "./.github/workflows/tests.yml"} in release
    assert any("make wheel site" in step.get("run", "") for step in release)
    assert any('python .ci/release.py "$GITHUB_REF_NAME"' in step.get("run", "") for step in release)
    for step in [*tests, *release]:
        pinned = r"\./.+\.yml|actions/[\w-]+@v\d+|pypa/gh-action-pypi-publish@release/v1"
        assert "uses" not in step or re.fullmatch(pinned, step["uses"])


def test_workflows_hold_no_secret_and_name_no_host():
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"secrets\.|password:|https?:|\.(?:org|com|io)\b", text)
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    jobs = yaml.safe_load(WORKFLOWS[0].read_text(encoding="utf-8"))["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"} and jobs["publish"]["needs"] == ["tests", "build"]


def test_the_page_of_the_package_needs_no_file_of_a_checkout():
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    assert not re.search(r"<img|<picture|!\[|\]\((?!https://)", text)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        compile(block, "docs/package.md", "exec")
    for extra in re.findall(r"rfviz\[(\w+)\]", text):
        assert re.search(rf"^{extra} = \[", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.slow
def test_the_lines_of_the_page_of_the_package_run():
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    first, second, _ = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", first + second], cwd=ROOT, capture_output=True, text=True, check=True)
    accuracy, summary = done.stdout.split("\n", 1)
    assert 0.85 < float(accuracy) <= 1 and "maxout" in summary.lower()
