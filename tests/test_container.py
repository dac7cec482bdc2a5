"""What an image holds, and what its files say of one another; none is built here."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]


def lines(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line.strip().strip("/") for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_what_git_ignores_is_in_no_image():
    """Secrets and data sets of the machine that builds it among them."""
    left_out = [pattern.removeprefix("**/") for pattern in lines(".dockerignore")]
    for ignored in lines(".gitignore"):
        if not ignored.startswith("tests/"):
            assert any(fnmatch(ignored, pattern) for pattern in left_out), ignored
    assert {".git", "tests", ".streamlit/secrets.toml", "data"} <= set(left_out)


def test_what_the_image_is_made_of_is_there():
    for line in lines("Dockerfile"):
        if line.startswith("COPY "):
            assert all((ROOT / source).exists() for source in line.split()[1:-1]), line


def test_the_proxy_finds_the_laboratory():
    port = re.search(r"^EXPOSE (\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[1]
    services = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert f"reverse_proxy rfviz:{port}" in (ROOT / "Caddyfile").read_text(encoding="utf-8")
    assert re.search(r"^  rfviz:$", services, re.MULTILINE)
    for name in re.findall(r"RFVIZ_[A-Z_]+", services):
        assert any(name in path.read_text(encoding="utf-8") for path in (ROOT / "rfviz").rglob("*.py")), name


def test_a_new_container_has_the_name_of_the_one_before():
    """What the volume holds was computed on a machine of that name, see rfviz.result_files."""
    services = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert re.search(r"^    hostname: \w+$", services.split("  proxy:")[0], re.MULTILINE)
    assert re.search(r"^      - cache:/cache$", services, re.MULTILINE)


def locked(name):
    """Return the packages of a lock by name: the version, and the hashes."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "")
    entries = [line.split() for line in text.splitlines() if line.strip()]
    pins = [(entry[0].partition("=="), [part for part in entry if part.startswith("--hash=")]) for entry in entries]
    return {package.partition("[")[0]: (version, hashes) for (package, _, version), hashes in pins}


def test_each_package_of_the_image_is_one_file_by_its_hash():
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for name in ("requirements.lock", "requirements-gpu.lock"):
        assert f"--require-hashes -r {name}" in image
        for package, (version, hashes) in locked(name).items():
            assert re.fullmatch(r"[\w.]+", version), package
            assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes), package
    assert image.count("pip install") == image.count("--require-hashes") == 2


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-gpu.lock"])
def test_the_lock_is_of_these_requirements(name):
    """Otherwise: make lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    chosen = ("plot", "files", "app", "auth", "speech")
    asked = project["dependencies"] + [line for extra in chosen for line in extras[extra]]
    if name == "requirements-gpu.lock":
        asked = lines(name.replace("lock", "txt"))
    pins = locked(name)
    for requirement in (Requirement(line.partition("#")[0]) for line in asked):
        if requirement.name != "rfviz":
            assert requirement.specifier.contains(pins[requirement.name][0], prereleases=True), requirement
    both = locked("requirements.lock")
    assert all(both[package][0] == pin[0] for package, pin in pins.items() if package in both)


def test_each_protection_and_each_fault_is_shown_by_a_test_that_exists():
    rows = re.findall(r"`(tests/[\w/]+\.py)::(\w+)` \|$", (ROOT / "docs/class.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 15 + 12
    for path, name in rows:
        assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name
