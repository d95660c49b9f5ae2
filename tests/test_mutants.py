"""tests/mutants: each mutant's text stands once in its file. Whether it is found, run.py tells."""

import importlib.util

import pytest

from conftest import ROOT

SPEC = importlib.util.spec_from_file_location("mutants", ROOT / "tests" / "mutants" / "run.py")
mutants = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutants)


@pytest.mark.parametrize("row", mutants.MUTANTS, ids=lambda row: row[0])
def test_is_up_to_date(row):
    mutant = mutants.Mutant(*row)
    changed = mutant.changed()
    assert changed != mutant.file.read_text()
