"""Reference values of src/library's composites: a module and a file of values for each of its
files. table.py says how. Values come from PyTorch in float64; from SciPy, NumPy or a plain formula
in float64 for what PyTorch doesn't have."""

import importlib
import pathlib

from composites.table import Table


def write(folder, names=()):
    """All files, or those of some names."""
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        if path.stem in ("__init__", "table") or (names and path.stem not in names):
            continue
        table = Table(path.stem)
        importlib.import_module(f"composites.{path.stem}").rows(table)
        table.write(folder)
