"""What ``pip install`` takes along, and what the package says of itself."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module, metadata
from pathlib import Path, PurePosixPath

import pandas as pd
import pytest

import rfviz
from rfviz.lab.folder import laboratory_folder

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
# For README, which is no part of an installation; and the scripts that make them and the images of the turning head.
PICTURES = re.compile(
    r"assets/([\w-]+(?<!-card)-(light|dark)\.png|screenshots\.py|bare_chart\.js|turning_head/\w+\.py)"
)


def _of(folder):
    """Return the files below a folder, as paths from the root; nothing that running Python leaves behind."""
    found = (path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file())
    return [path for path in found if "__pycache__" not in path.parts]


def test_laboratory_is_installed_whole():
    placed = {}
    for target, patterns in SETUPTOOLS["data-files"].items():
        for path in (match for pattern in patterns for match in ROOT.glob(pattern)):
            placed[path.relative_to(ROOT)] = PurePosixPath(target) / path.name
    needed = [Path("app.py"), *_of("pages"), *_of("assets"), *_of(".streamlit")]
    needed = [path for path in needed if not PICTURES.fullmatch(path.as_posix())]
    missing = [str(path) for path in needed if path not in placed]
    assert not missing, f"name them in [tool.setuptools.data-files] of pyproject.toml: {missing}"
    # Each keeps its place, which is how the pages find it.
    assert all(placed[path] == PurePosixPath("share/rfviz") / path.as_posix() for path in needed)


def test_files_of_the_package_that_are_no_code_are_installed():
    data = SETUPTOOLS["package-data"]
    for path in _of("rfviz"):
        if path.suffix != ".py":
            patterns = data.get(".".join(path.parent.parts), [])
            assert any(path.match(pattern) for pattern in patterns), f"{path}: name it in package-data"


def test_command_and_version():
    module, _, function = PROJECT["project"]["scripts"]["rfviz"].partition(":")
    assert callable(getattr(import_module(module), function))
    assert rfviz.__version__ == import_module("rfviz._version").__version__
    assert SETUPTOOLS["dynamic"]["version"] == {"attr": "rfviz._version.__version__"}


@pytest.mark.slow
def test_parts_are_loaded_when_used():
    code = (
        "import sys, rfviz; assert 'rfviz.features' not in sys.modules and 'numpy' not in sys.modules\n"
        "assert rfviz.features.RandomMaxout(7).n_components == 7 and 'rfviz.features' in sys.modules\n"
        "assert all(getattr(rfviz, name) is not None for name in rfviz.__all__)\n"
        "assert set(rfviz.__all__) <= set(dir(rfviz))\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"streamlit", "plotly", "cupy", "dask", "torch", "matplotlib"}
    with pytest.raises(AttributeError, match="'rfviz' has no attribute 'nonsense'"):
        _ = rfviz.nonsense


def _names(requirements):
    return {re.split("#", line)[0].strip() for line in requirements} - {""}


def test_requirements_of_a_checkout_are_those_of_the_laboratory():
    extras = PROJECT["project"]["optional-dependencies"]
    told = _names((ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
    own = [name for extra in ("plot", "files", "app") for name in extras[extra] if not name.startswith("rfviz")]
    assert told == {*PROJECT["project"]["dependencies"], *own}


@pytest.mark.slow
def test_library_needs_no_package_of_the_laboratory(tmp_path):
    pd.DataFrame({"a": range(50)}).to_parquet(tmp_path / "a.parquet")
    code = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {"plotly", "pyarrow", "PIL", "charset_normalizer", "streamlit", "segno", "markdown2"}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
import importlib.util
spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in {"plotly", "pyarrow"} else spec(name)
import rfviz
from rfviz import experiments
assert all(getattr(experiments, name) is not None for name in experiments.__all__)
result = experiments.DistanceSaturation(maps=[rfviz.features.RandomMaxout()]).run("circle")
assert len(result.to_frame()) and result.summary()
import pandas as pd
report = rfviz.inspect(pd.DataFrame({"a": [*range(49), 7], "b": list("xy") * 25}), label="b")
assert len(report.findings) > 3
for shown in (result.figure, lambda: report.figure("balance"), lambda: rfviz.inspect("a.parquet")):
    try:
        shown()
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        'A figure needs Plotly, which is not installed: pip install "rfviz[plot]".',
        'A figure needs Plotly, which is not installed: pip install "rfviz[plot]".',
        'a.parquet needs pyarrow, which is not installed: pip install "rfviz[files]", or save it as CSV.',
    ], done.stderr


# --- where the laboratory is ------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package and a laboratory, as it were; give its `code` and the list of what the installer wrote."""
    code = tmp_path / "lib" / "site-packages" / "rfviz" / "lab" / "folder.py"
    share = tmp_path / "share" / "rfviz"
    for path in (code, share / "app.py", share / "pages" / "home.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    listed = [metadata.PackagePath(name) for name in ("rfviz/cli/__init__.py", "../../share/rfviz/app.py")]
    for path in listed:
        path.dist = metadata.Distribution.at(tmp_path / "lib" / "site-packages" / "rfviz-0.dist-info")
    monkeypatch.setattr(metadata, "files", lambda name: listed)
    return code, share, listed


def test_checkout_comes_first(installed):
    assert laboratory_folder() == ROOT


def test_installed_laboratory_is_found_where_the_installer_put_it(installed):
    code, share, _ = installed
    assert laboratory_folder(code) == share.resolve()


def test_laboratory_that_is_not_there(installed, monkeypatch):
    code, share, listed = installed
    (share / "app.py").unlink()
    assert laboratory_folder(code) is None
    listed.clear()
    assert laboratory_folder(code) is None

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", unknown)
    assert laboratory_folder(code) is None


# --- what the package says of itself ----------------------------------------------------------------------------------


def test_version_is_one_everywhere():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[([\d.]+)\]", changes, re.MULTILINE)[1] == rfviz.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [rfviz.__version__]


def test_licence_is_one_everywhere():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("BSD 3-Clause License\n") and "The rfviz developers\n" in licence
    assert PROJECT["project"]["license"] == "BSD-3-Clause"
    assert "\nlicense: BSD-3-Clause\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_schemes_of_the_changes_and_the_citation_exist():
    names = rfviz.features.registry()
    noted = re.findall(r"notes: \"(.+)\"", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    cited = {word for note in noted for word in re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", note)}
    assert len(noted) == 5 and len(cited) >= 6 and cited <= set(names)
    models = re.findall(r"`([A-Z]\w+(?:Path|Classifier|Regressor))`", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert len(models) >= 5 and all(hasattr(rfviz.linear_model, name) for name in models)
