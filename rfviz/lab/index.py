"""The pages that compute something, in the order of the navigation."""

from __future__ import annotations

from typing import Any

from rfviz.errors import ParameterError
from rfviz.lab.accuracy import facts as accuracy_facts
from rfviz.lab.accuracy.page import PAGE as ACCURACY
from rfviz.lab.binning import facts as binning_facts
from rfviz.lab.binning.page import PAGE as BINNING
from rfviz.lab.build_a_map.page import PAGE as BUILD_A_MAP
from rfviz.lab.decision_surfaces.page import PAGE as DECISION_SURFACES
from rfviz.lab.distance_saturation import facts as distance_saturation_facts
from rfviz.lab.distance_saturation.page import PAGE as DISTANCE_SATURATION
from rfviz.lab.facts import collect_facts
from rfviz.lab.guarantees import facts as guarantees_facts
from rfviz.lab.guarantees.page import PAGE as GUARANTEES
from rfviz.lab.hashing import facts as hashing_facts
from rfviz.lab.hashing.page import PAGE as HASHING
from rfviz.lab.kernel_approximation import facts as kernel_approximation_facts
from rfviz.lab.kernel_approximation.page import PAGE as KERNEL_APPROXIMATION
from rfviz.lab.kitchen_sinks import facts as kitchen_sinks_facts
from rfviz.lab.kitchen_sinks.page import PAGE as KITCHEN_SINKS
from rfviz.lab.maxout_pca import facts as maxout_pca_facts
from rfviz.lab.maxout_pca.page import PAGE as MAXOUT_PCA
from rfviz.lab.page import Page
from rfviz.lab.pixel_cooccurrence import facts as pixel_cooccurrence_facts
from rfviz.lab.pixel_cooccurrence.page import PAGE as PIXEL_COOCCURRENCE
from rfviz.lab.quick_inspection.page import PAGE as QUICK_INSPECTION
from rfviz.lab.speech.page import PAGE as SPEECH
from rfviz.lab.zoo.page import PAGE as ZOO

__all__ = ["FACTS", "PAGES", "find_page"]

PAGES: tuple[Page[Any, Any, Any], ...] = (
    ZOO,
    QUICK_INSPECTION,
    DISTANCE_SATURATION,
    MAXOUT_PCA,
    HASHING,
    KERNEL_APPROXIMATION,
    BUILD_A_MAP,
    BINNING,
    PIXEL_COOCCURRENCE,
    GUARANTEES,
    DECISION_SURFACES,
    ACCURACY,
    KITCHEN_SINKS,
    SPEECH,
)
#: What lessons can quote, by name.
FACTS = collect_facts(
    distance_saturation_facts,
    maxout_pca_facts,
    hashing_facts,
    kernel_approximation_facts,
    binning_facts,
    pixel_cooccurrence_facts,
    guarantees_facts,
    accuracy_facts,
    kitchen_sinks_facts,
)


def find_page(slug: str) -> Page[Any, Any, Any]:
    """Return the page of a path.

    Raises
    ------
    ParameterError
        If no page of that name computes anything.
    """
    for page in PAGES:
        if page.slug == slug:
            return page
    known = ", ".join(page.slug for page in PAGES)
    raise ParameterError("page", "must be the name of a page that computes", slug, f"Known: {known}.")
