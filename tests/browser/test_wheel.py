"""The wheel, installed into an environment of its own, shows the laboratory from any folder."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.browser.conftest import running_app

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    """Build the wheel, install it and start it by its command, from an empty folder."""
    if not UV.exists():
        pytest.fail("uv, which builds and installs the wheel, is not there; make installs it")
    folder = tmp_path_factory.mktemp("wheel")

    def run(*arguments):
        done = subprocess.run([UV, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    run("venv", "--quiet", "--python", sys.executable, folder / "venv")
    (wheel,) = folder.glob("*.whl")
    run("pip", "install", "--quiet", "--no-deps", "--compile-bytecode", "--python", folder / "venv", wheel)
    # What it needs is here already; test_package.py compares the extra with requirements.txt.
    (packages,) = (folder / "venv").rglob("site-packages")
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    command = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "rfviz"
    with running_app(
        folder, starting=(str(command), "app", "--port"), cwd=folder, STREAMLIT_SERVER_HEADLESS="true"
    ) as started:
        yield started


def test_pages_of_the_wheel(server, visit):
    for slug in ("distance-saturation", "hashing", "quick-inspection"):
        visit(server, slug).wait_for_selector(".js-plotly-plot .main-svg")
    visit(server, "lessons").wait_for_selector("text=Which distances survive?")
