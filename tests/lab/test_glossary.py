"""The glossary: which words of a text are linked, and what stays as it is."""

import re

import pytest

from rfviz.lab.glossary import ANCHOR, definitions, link_terms, read_glossary
from rfviz.lab.index import ASSETS, NAVIGATION

TERMS = read_glossary((ASSETS / "glossary.md").read_text(encoding="utf-8"))


def names_in(text):
    return [name for _, name in re.findall(r"\[([^]]+)\]\(#term-([^)]+)\)", text)]


def test_every_term_is_told_once_and_shortly():
    forms = [form for term in TERMS for form in term.forms]
    assert len(forms) == len(set(forms)) and len(TERMS) == len(definitions()) >= 40
    wanted = {"kernel", "ridge", "plateau", "κ", "pool", "skeleton", "s.d.", "Hoeffding"}
    assert wanted <= {term.forms[0] for term in TERMS}
    for term in TERMS:
        assert term.definition.endswith((".", "?”")) and len(term.definition.split()) <= 35, term.forms[0]


def test_the_first_place_of_a_term_is_linked_in_any_form():
    told = set()
    text = link_terms("Kernels have a plateau; a kernel has s.d. 2, and κ = 1.", told)
    assert text == (
        "[Kernels](#term-kernel) have a [plateau](#term-plateau); a kernel has [s.d.](#term-s.d.) 2, "
        "and [κ](#term-κ) = 1."
    )
    assert link_terms("The plateau of a skeleton.", told) == "The plateau of a [skeleton](#term-skeleton)."
    assert told == {"kernel", "plateau", "s.d.", "κ", "skeleton"}


@pytest.mark.parametrize(
    "text",
    [
        "$kernel$ and $$\nkernel\n$$",
        "`kernel(X)`",
        "[a kernel](page)",
        "![kernel](picture)",
        "# kernel",
        '<i class="kernel">',
        "kernels-of and subkernel, kernel’s",
    ],
)
def test_code_formulas_links_and_parts_of_words_stay(text):
    assert link_terms(text, set()) == text


def test_the_longest_term_wins():
    assert names_in(link_terms("a random feature map", set())) == ["feature-map"]
    assert names_in(link_terms("the Gaussian kernel", set())) == ["gaussian-kernel"]


def test_links_lead_to_definitions():
    linked = [name for page in NAVIGATION for name in names_in(link_terms(page.question, set()))]
    assert len(linked) > 10 and all(f"{ANCHOR}{name}" in definitions() for name in linked)
