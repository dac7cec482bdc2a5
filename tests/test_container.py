"""What an image holds, and what its files say of one another; none is built here."""

import re
from fnmatch import fnmatch
from pathlib import Path

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
