"""Who may import whom: the layers of the design, read from the source, and what importing the package loads."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Layer of the package → the layers that it may import next to itself. A module belongs to the longest name that fits.
ALLOWED = {
    "rfviz._version": set(),
    "rfviz._blas": set(),
    "rfviz._lazy": set(),
    "rfviz.errors": set(),
    "rfviz.progress": set(),
    "rfviz.random_state": {"errors"},
    "rfviz.inputs": {"errors"},
    "rfviz.expressions": {"errors"},
    "rfviz.formula": {"errors", "expressions"},
    "rfviz.params": {"errors", "expressions", "formula"},
    "rfviz.backend": {"errors", "params"},
    "rfviz.cuda": {"errors", "backend"},
    "rfviz.kernels": {"errors", "params", "backend"},
    "rfviz.bounds": {"errors", "kernels"},
    "rfviz.theory": {"errors"},
    "rfviz.skeleton": {"errors", "params", "backend", "kernels"},
    "rfviz.features": {
        "errors",
        "params",
        "random_state",
        "formula",
        "backend",
        "cuda",
        "kernels",
        "bounds",
        "skeleton",
    },
    "rfviz.linear_model": {"errors", "params", "inputs", "random_state", "backend", "cuda"},
    "rfviz.datasets": {"errors", "params", "formula", "backend"},
    "rfviz.result_files": {"errors", "datasets", "features"},
    "rfviz.cache": {"errors", "backend", "result_files"},
    "rfviz.words": {"datasets"},
    "rfviz.lessons": {"errors", "expressions"},
    "rfviz.analysis": {"errors", "params", "backend", "kernels", "bounds", "skeleton", "features", "linear_model"}
    | {"datasets", "formula", "inputs"},
}
_COMPUTING = ALLOWED["rfviz.analysis"] | {"analysis", "words", "theory"}
ALLOWED |= {
    # The quick inspection, when it is called.
    "rfviz.distributed": {"errors", "features", "linear_model", "datasets", "cache", "lab"},
    # Starts the laboratory as a process of its own, and knows nothing of Streamlit.
    "rfviz.cli": {"errors", "params", "backend", "features", "datasets", "cache", "result_files", "inspection", "lab"}
    | {"site", "_blas"},
    "rfviz.__main__": {"cli"},
    # rfviz.inspect, when it is called.
    "rfviz": _COMPUTING | {"cache", "lab"},
    "rfviz.figures": _COMPUTING,
    "rfviz.experiments": _COMPUTING | {"cache", "result_files", "figures"},
    "rfviz.inspection": _COMPUTING | {"cache", "figures"},
    "rfviz.lab": _COMPUTING | {"cache", "result_files", "figures", "experiments", "inspection"},
    "rfviz.site": _COMPUTING | {"cache", "result_files", "figures", "experiments", "lab", "lessons", "expressions"},
    "rfviz.ui": _COMPUTING
    | {
        "cache",
        "result_files",
        "figures",
        "experiments",
        "lab",
        "lessons",
        "expressions",
        "_version",
        "_blas",
    },
    "pages": _COMPUTING | {"cache", "figures", "experiments", "lab", "ui", "lessons"},
    "app": {"lab", "ui", "_blas"},
}
# Files of a page that draw.
DRAWING = {"figures.py", "animation.py", "page.py"}
# Any module may read the version, which is a constant, say that it reports its progress, and import lazily.
EVERYWHERE = {"_version", "progress", "_lazy"}

# Heavy packages → the layers that may import them, at module level or later.
RESTRICTED = {
    "streamlit": {"rfviz.ui", "pages", "app"},
    "plotly": {"rfviz.figures", "rfviz.experiments", "rfviz.lab", "rfviz.site", "rfviz.ui"},
}
# Layers that handle arrays on a GPU, and may import CuPy inside a function; results above them are NumPy's.
ON_DEVICE = {"rfviz.backend", "rfviz.cuda", "rfviz.kernels", "rfviz.features", "rfviz.linear_model"}
# These load code from data; no file that a user gives may reach them.
UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}

FILES = sorted([*ROOT.glob("rfviz/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in FILES}


def layer_of(module):
    if module.split(".")[0] == "pages":
        return "pages"
    names = [name for name in ALLOWED if module == name or module.startswith(name + ".")]
    name = max(names, key=len, default="")
    return name if name != "rfviz" or module == "rfviz" else ""


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path, source=None):
    """Return each import of a module but those that only annotations need: (what, line, whether at module level)."""
    return list(_imports(path, parsed(path) if source is None else ast.parse(source)))


def _imports(path, tree):
    package = module_name(path) if path.stem == "__init__" else module_name(path).rpartition(".")[0]
    pending = [(tree, True)]
    while pending:
        node, at_top = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            pending += [(child, at_top) for child in node.orelse]
            continue
        within = at_top and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        pending += [(child, within) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            # "from rfviz import backend" imports the package rfviz.backend, "from rfviz.lab import script" a module.
            full = [name if (name := f"{origin}.{alias.name}") in MODULES else origin for alias in node.names]
            yield from ((name, node.lineno, at_top) for name in full)
        elif isinstance(node, ast.Call) and _is_import_module(node):
            yield node.args[0].value, node.lineno, at_top


def _is_import_module(call):
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    constant = bool(call.args) and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    return name in ("import_module", "__import__") and constant


def page_of(module):
    """Return the page that a module of ``rfviz.lab`` belongs to, empty for the framework and for all else."""
    parts = module.split(".")
    return parts[2] if len(parts) > 3 and parts[:2] == ["rfviz", "lab"] else ""


def violations(path, source=None):
    """Return what a file imports that its layer may not, in words."""
    module = module_name(path)
    own, page = layer_of(module), page_of(module)
    if not own:
        return [f"{module} belongs to no layer of tests/test_architecture.py; add it there"]
    view = bool(page) and path.name == "views.py"  # the one file of a page that knows Streamlit
    found = []
    for name, line, at_top in imports(path, source):
        where = f"{path.relative_to(ROOT)}:{line} imports {name}"
        wrongs = [_wrong_on_a_page(page, path.name, name) if page else "", _wrong_in_a_layer(own, view, name, at_top)]
        found += [where + wrong for wrong in wrongs if wrong]
    return found


def _wrong_on_a_page(page, file, name):
    if page_of(name) not in ("", page):
        return ", a part of another page"
    if name.split(".")[0] == "plotly" and file not in DRAWING:
        return f"; of a page only {', '.join(sorted(DRAWING))} may"
    return ""


def _wrong_in_a_layer(own, view, name, at_top):
    root = name.split(".")[0]
    if root == "rfviz":
        target, may = layer_of(name) or "rfviz", ALLOWED.get(own, set()) | EVERYWHERE | ({"ui"} if view else set())
        allowed = target in (own, "rfviz") or target.removeprefix("rfviz.") in may
        return "" if allowed else f", an arrow from {own} that the design does not have"
    if root in ("pages", "app", "tests", "benchmarks"):
        return ", which is no library"
    if root in RESTRICTED and own not in RESTRICTED[root] and not (view and root == "streamlit"):
        return f"; only {', '.join(sorted(RESTRICTED[root]))} may"
    if root in ("cupy", "cupyx") and (at_top or own not in ON_DEVICE):
        return "; CuPy is imported when a GPU is used, inside a function, below rfviz.analysis"
    if root in UNSAFE:
        return ", which can run code from data"
    return ""


def test_imports_follow_the_design():
    assert not [violation for path in FILES for violation in violations(path)]


def test_no_module_imports_itself_by_way_of_others():
    """Not even inside functions."""
    remaining = {module_name(path): {name for name, _, _ in imports(path)} for path in FILES}
    while free := {name for name, targets in remaining.items() if not targets & remaining.keys()}:
        remaining = {name: targets for name, targets in remaining.items() if name not in free}
    assert not remaining, f"a circle among {sorted(remaining)}"


def test_no_loading_of_pickled_data():
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant) and node.value.value is False, f"{path}:{node.value.lineno}"
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                assert called not in ("read_pickle", "eval", "exec"), f"{path}:{node.lineno} calls {called}"


DOOR = ROOT / "rfviz/ui/session.py"


def uses_of_the_session(tree):
    """Return the lines that reach for the session's state past its door."""
    reached = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "session_state"]
    taken = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "streamlit"
        if any(alias.name == "session_state" for alias in node.names)
    ]
    return [node.lineno for node in [*reached, *taken]]


def test_one_door_leads_to_the_session():
    found = {path for path in FILES if uses_of_the_session(parsed(path))}
    assert found == {DOOR}, "rfviz/ui/session.py says how else"
    assert uses_of_the_session(ast.parse("import streamlit\nx = streamlit.session_state['x']")) == [2]
    assert uses_of_the_session(ast.parse("from streamlit import session_state")) == [1]


def test_scripts_of_a_page_share_one_object():
    """A name of its own on the window would be another one that all other scripts must know."""
    shared = re.compile(r"window\.(\w+)[ ?]*=(?!=)")
    sources = [*ROOT.glob("rfviz/ui/**/*.js"), *ROOT.glob("rfviz/site/*.js"), *ROOT.glob("rfviz/ui/**/*.py")]
    names = {name for path in sources for name in shared.findall(path.read_text(encoding="utf-8"))}
    assert names == {"rfviz", "__streamlit"}, "the latter is Streamlit's own"
    assert shared.findall("window.__other ??= {}") == ["__other"] and not shared.findall(
        "window.a.b = 1; window.c == 2"
    )


FORBIDDEN = {
    "rfviz/kernels/x.py": ["from rfviz.features import base", "from rfviz import figures", "import streamlit"],
    "rfviz/features/x.py": [
        "import cupy",
        "if True:\n    import cupyx.scipy",
        "from ..analysis import y",
        "def f():\n    import plotly.express",
    ],
    "rfviz/backend/x.py": ["import cupy", "import rfviz.kernels"],
    "rfviz/figures/x.py": ["import streamlit as st", "from rfviz.ui import theme", "from joblib import load"],
    "rfviz/datasets/x.py": ["import pickle", "from rfviz.features import registry", "def f():\n import cupy"],
    "rfviz/analysis/x.py": ["import importlib\nimportlib.import_module('plotly')", "import pages"],
    "rfviz/errors.py": ["from rfviz.params import Param"],
    "rfviz/cli/x.py": [
        "def f():\n    import streamlit",
        "from rfviz.analysis import order",
        "def f():\n    from rfviz.ui.links import x",
    ],
    "rfviz/inspection/x.py": [
        "from rfviz.lab.page import Page",
        "from rfviz.lab.panel import Panel",
        "from rfviz.lab.quick_inspection.page import PAGE",
        "import streamlit as st",
        "import plotly.graph_objects as go",
    ],
    "rfviz/lab/hashing/compute.py": ["import plotly.graph_objects as go", "import streamlit as st"],
    "rfviz/lab/hashing/page.py": ["from rfviz.lab.zoo.text import x", "from rfviz.ui import layout"],
    "rfviz/new_thing.py": [""],
    "app.py": ["from rfviz.analysis import x"],
    "pages/x.py": ["import cupy", "from pages.y import z"],
}
FINE = {
    "rfviz/backend/x.py": ["def probe():\n    import cupy", "from ..errors import RfvizError"],
    "rfviz/features/x.py": ["from . import base", "from rfviz import kernels", "import numpy as np"],
    "rfviz/linear_model/x.py": ["if TYPE_CHECKING:\n    from rfviz.features import FeatureMap"],
    "rfviz/figures/x.py": ["import plotly.graph_objects as go", "from rfviz.analysis.points import normalise"],
    "rfviz/inspection/x.py": ["from rfviz.figures.template import styled", "from rfviz.cache import Cache"],
    "rfviz/cli/x.py": ["from rfviz.cli.run import run", "def f():\n    from rfviz.lab.folder import laboratory_folder"],
    "rfviz/lab/hashing/views.py": [
        "import streamlit as st",
        "from rfviz.ui import layout",
        "from rfviz.lab.hashing import x",
    ],
    "rfviz/lab/hashing/figures.py": ["import plotly.graph_objects as go"],
    "rfviz/ui/x.py": ["import streamlit as st", "from rfviz._version import __version__"],
}


def _examples(table):
    return [pytest.param(ROOT / path, source, id=f"{path}: {source}") for path in table for source in table[path]]


@pytest.mark.parametrize(("path", "source"), _examples(FORBIDDEN))
def test_forbidden_arrows_are_seen(path, source):
    assert violations(path, source)


@pytest.mark.parametrize(("path", "source"), _examples(FINE))
def test_allowed_arrows_pass(path, source):
    assert not violations(path, source)


def _loaded_by(statement):
    code = f"import sys; {statement}; print(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_openblas_is_told_before_numpy_is_there():
    assert "numpy" not in _loaded_by("import rfviz._blas")
