"""The reference values of tests/reference by the command, from .npy file to .npy file: random
numbers and reductions. tests/test_reference.c does all of them through the library."""

import os
import pathlib

import pytest

DEVICE = os.environ.get("KFUSE_TEST_DEVICE", "cpu")

np = pytest.importorskip("numpy")
FOLDER = pathlib.Path(__file__).resolve().parent / "reference"


def value(line):
    head, numbers = line.split(" : ") if " : " in line else (line.rstrip(": "), "")
    name, dtype, shape, *tolerance = head.split(" ")
    words = numbers.split()
    wide = np.array([float(w) if dtype[0] == "f" else int(w) for w in words])
    shape = tuple(int(n) for n in shape.split(",")) if shape else ()
    limits = dict(zip(tolerance[::2], map(float, tolerance[1::2])))
    return name, dtype, wide.reshape(shape), limits


def cases(file):
    found = []
    for line in (FOLDER / file).read_text().splitlines():
        if line.startswith("= "):
            found.append((line[2:], [], []))
        elif line and line[0] != "#":
            found[-1][2 if line[0] == ">" else 1].append(value(line))
    return [pytest.param(*c, id=c[0]) for c in found]


@pytest.mark.parametrize("text, inputs, results", cases("random.txt") + cases("reductions.txt"))
def test_reference(run, tmp_path, text, inputs, results):
    arguments, out = [], []
    for name, dtype, a, _ in inputs:
        np.save(tmp_path / f"{name}.npy", a.astype(dtype))
        arguments.append(f"{name}=@{name}.npy")
    for i in range(len(results)):
        out += ["-o", f"out{i}.npy"]
    run("run", "--device", DEVICE, text, *arguments, *out)
    for i, (_, dtype, want, limits) in enumerate(results):
        got = np.load(tmp_path / f"out{i}.npy")
        assert got.dtype == dtype and got.shape == want.shape
        ulp = np.spacing(np.abs(want).astype(dtype)) if dtype[0] == "f" else 0
        with np.errstate(all="ignore"):
            room = (limits.get("ulp", 0) * ulp + limits.get("rel", 0) * np.abs(want)
                    + limits.get("abs", 0))
            near = np.abs(got.astype(want.dtype) - want) <= room
        exact = want.astype(dtype)
        assert np.all(near | (got == exact) | (np.isnan(want) & (got != got)))
