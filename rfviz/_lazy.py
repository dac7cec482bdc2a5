"""Packages that import a module when one of its names is first asked for."""

from __future__ import annotations

import ast
import importlib
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["PARSING", "import_when_asked"]

#: Held while Python's parser makes a tree: Python 3.11 counts the depth of all threads' trees together, and raises a
#: SystemError where a collection of garbage lets another thread in meanwhile (CPython issue 106905).
PARSING = threading.Lock()


class _LazyPackage(ModuleType):
    """A package whose names come from modules that are imported when they are asked for."""

    _origins: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._origins:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(self._origins[name]), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing kernels/gaussian.py would put the module where the function of that name belongs.
        if not (isinstance(value, ModuleType) and name in self._origins):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._origins})


def import_when_asked(package: str) -> None:
    """Let a package import lazily what its ``if TYPE_CHECKING:`` imports from its modules.

    Type checkers and readers see the imports; Python carries out each of them when its name is first asked for. So a
    program pays for the parts of a package that it uses.
    """
    module = sys.modules[package]
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    with PARSING:
        tree = ast.parse(source)
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    vars(module)["_origins"] = {alias.name: str(node.module) for node in imports for alias in node.names}
    module.__class__ = _LazyPackage
