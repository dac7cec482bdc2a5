"""Which kernel a function, a pool, a density or a kernel makes that is written as a formula."""

from rfviz.experiments.build_a_map.experiment import BaseSpaces, BuildAMap

__all__ = ["BaseSpaces", "BuildAMap"]
