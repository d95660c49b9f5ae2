"""Division in float32 is rounded correctly, also where CUDA divides many elements by one number, in
double (kf_over_f32): any bits, and quotients half-way between two denormals."""

import os

import numpy as np
import pytest

DEVICE = os.environ.get("KFUSE_TEST_DEVICE")
DEVICES = [DEVICE] if DEVICE else ["cpu", "cuda-emulated"]
EVEN = [6, 10, -14, 98, 254, 1001 * 2.0**30]  # some multiples are half-way between two denormals
NUMBERS = EVEN + [3, 0.05, -7, 1.5, 1 / 3, 1e-40, 7.1e-39, -3e38, 1.1754944e-38, 0, np.inf, np.nan]
rng = np.random.default_rng(11)


def numerators(n):
    x = rng.integers(0, 2**32, n, dtype=np.uint32).view(np.float32)
    x[:6] = 0, -0.0, np.inf, -np.inf, np.nan, 1e-45
    odd = 2 * np.arange(n // 10) + 1
    ties = [np.float64(c) * odd * 2.0**-150 for c in EVEN]  # exact in float32, too
    assert all(np.array_equal(t, t.astype(np.float32)) for t in ties)
    return np.concatenate([x, *(t.astype(np.float32) for t in ties)])


def same(got, want):
    nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), nan)
    np.testing.assert_array_equal(got[~nan].view(np.uint32), want[~nan].view(np.uint32))


@pytest.mark.parametrize("device", DEVICES)
def test_by_numbers(run, tmp_path, device):
    x = numerators(4000)
    np.save(tmp_path / "x.npy", x)
    numbers = [c for c in NUMBERS if np.isfinite(c)]
    text = ", ".join(f"x / {c!r}" for c in numbers)
    out = sum((["-o", f"out{i}.npy"] for i in range(len(numbers))), [])
    run("run", text, "x=@x.npy", *out, "--device", device)
    for i, c in enumerate(numbers):
        with np.errstate(all="ignore"):
            same(np.load(tmp_path / f"out{i}.npy"), x / np.float32(c))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("text", ["x / d[:, None]", "x / max(abs(x) * 0 + d[:, None], axis=1)[:, None]"])
def test_by_one_of_a_row(run, tmp_path, device, text):
    d = np.array(NUMBERS, np.float32)
    x = np.tile(numerators(200), (d.size, 1))
    if "max" in text:
        x = np.where(np.isfinite(x), x, np.float32(1))
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "d.npy", d)
    run("run", text, "x=@x.npy", "d=@d.npy", "-o", "out.npy", "--device", device)
    with np.errstate(all="ignore"):
        same(np.load(tmp_path / "out.npy"), x / d[:, None])
