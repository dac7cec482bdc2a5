"""``rfviz maps``: list the feature maps."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["add_arguments", "describe"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz maps``."""
    parser.add_argument("--json", action="store_true", help="for programs: JSON instead of a table")
    parser.set_defaults(command=describe)


def describe(given: argparse.Namespace) -> int:
    """Print the facts about each feature map; see :func:`rfviz.cli.main` for errors."""
    from rfviz.features import registry

    if given.name == "schemes":
        print("rfviz schemes is deprecated. Use rfviz maps.", file=sys.stderr)
    if given.json:
        print(json.dumps([_entry(name, cls) for name, cls in registry().items()], indent=2))
        return 0
    print("n samples, m features, d columns, q the pool size, P grids or projections.")
    for name, cls in registry().items():
        print(f"\n{cls.label}  (rfviz.features.{name})")
        print(textwrap.fill(cls.summary, 100, initial_indent="  ", subsequent_indent="  "))
        print(f"  cost {cls.cost}; {cls.reference}")
    return 0


def _entry(name: str, cls: type[FeatureMap]) -> dict[str, Any]:
    told = {key: getattr(cls, key) for key in ("label", "summary", "formula", "cost", "reference")}
    params = [{"name": p.name, "default": p.default, "rule": p.rule, "help": p.help} for p in cls.params]
    return {"class": name, **told, "parameters": params}
