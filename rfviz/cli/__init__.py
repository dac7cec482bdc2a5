"""The command ``rfviz``: start the laboratory, run a page without it, say what computes, list the feature maps.

Each command is a module of its own, which imports what it needs when it runs, so that ``rfviz --version`` answers at
once.
"""

from rfviz.cli.entry import main

__all__ = ["main"]
