"""tests/reference: each committed file is what make.py makes, whatever else was made before it."""

import pathlib
import subprocess
import sys

import pytest

for module in ("mpmath", "scipy", "torch"):
    pytest.importorskip(module)


def test_files():
    make = pathlib.Path(__file__).resolve().parent / "reference" / "make.py"
    done = subprocess.run([sys.executable, make, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
