"""The list of seeded faults is about the code as it is."""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]


def test_names_are_unique_and_there_are_enough():
    assert len(FAULTS) >= 44
    assert [name for name, n in Counter(fault.name for fault in FAULTS).items() if n > 1] == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_its_file_and_its_tests_exist(fault):
    code = (ROOT / fault.file).read_text(encoding="utf-8")
    assert code.count(fault.before) == 1
    faulty = code.replace(fault.before, fault.after)
    assert faulty != code
    if fault.file.endswith(".py"):
        compile(faulty, fault.file, "exec")
    assert fault.tests
    for entry in fault.tests:
        name, _, test = entry.partition("::")
        assert (ROOT / name).exists(), entry
        assert not test or f"def {test.partition('[')[0]}(" in (ROOT / name).read_text(encoding="utf-8"), entry
