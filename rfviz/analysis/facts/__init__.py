"""Facts that lessons quote and check: numbers worked out by the same analyses as the pages', under short names.

A lesson writes ``{{plateau(8):.2f}}`` and never the number itself, so that what it says is what is computed. A fact
takes numbers and words, gives a number, and is worked out once.
"""

from rfviz.analysis.facts import geometry, kernels, learning
from rfviz.analysis.facts.registry import FACTS

__all__ = ["FACTS", "geometry", "kernels", "learning"]
