"""The wheel, installed into an environment of its own, shows the laboratory from any folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import running_app

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    """Build the wheel, install it with the extra "app" and start it by its command, from an empty folder."""
    if not UV.exists():
        pytest.fail("uv, which builds and installs the wheel, is not there; make installs it")
    folder = tmp_path_factory.mktemp("wheel")

    def run(*arguments):
        done = subprocess.run([UV, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    run("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    run("venv", "--quiet", "--python", sys.executable, folder / "venv")
    (wheel,) = folder.glob("*.whl")
    # Compiled now, as a first page would otherwise wait for it.
    run("pip", "install", "--quiet", "--compile-bytecode", "--python", folder / "venv", f"{wheel}[app]")
    command = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "rfviz"
    with running_app(
        folder, starting=(str(command), "app", "--port"), cwd=folder, STREAMLIT_SERVER_HEADLESS="true"
    ) as started:
        yield started


def test_pages_of_the_wheel(server, visit):
    for slug in ("distance-saturation", "hashing", "quick-inspection"):
        visit(server, slug).wait_for_selector(".js-plotly-plot .main-svg")
    visit(server, "lessons").get_by_role("heading", name="Lessons").first.wait_for()
