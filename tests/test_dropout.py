"""dropout's mask: the same fused and unfused, for any layout, device and number of threads."""

import subprocess

import numpy as np
import pytest

P = 0.3


def philox(seed, stream, n):
    """Philox4x32-10 of counters 0, 1, ...: docs/numerics.md."""
    blocks = np.arange((n + 3) // 4, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    c = [blocks & mask, blocks >> np.uint64(32),
         np.full_like(blocks, stream & 0xFFFFFFFF), np.full_like(blocks, stream >> 32)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        low, high = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(high >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), high & mask,
             (low >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), low & mask]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=1).reshape(-1)[:n]


def expected(x, seed):
    keep = philox(seed, 0, x.size).reshape(x.shape) >= int(P * 2**32)
    return np.where(keep, x * np.float32(1 / (1 - P)), 0)


@pytest.mark.parametrize("device", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("extra", [[], ["--no-fuse"], ["--no-fuse=ops"], ["--threads", "1"],
                                   ["--threads", "3"]])
@pytest.mark.parametrize("shape", [(37, 131), (4, 2048)])
def test_mask(kfuse, tmp_path, device, order, extra, shape):
    if device != "cpu" and "--threads" in extra:
        pytest.skip("threads are the CPU's")
    x = np.abs(np.random.default_rng(1).standard_normal(shape)).astype(np.float32) + 1
    np.save(tmp_path / "x.npy", np.asarray(x, order=order))
    subprocess.run([kfuse, "run", f"dropout(relu(x), {P}, seed=5)", f"x=@{tmp_path}/x.npy",
                    "-o", str(tmp_path / "out.npy"), "--device", device, *extra], check=True)
    out = np.load(tmp_path / "out.npy")
    want = expected(x, 5)
    assert np.array_equal(out == 0, want == 0)
    np.testing.assert_allclose(out, want, rtol=3e-7)


@pytest.mark.parametrize("device", ["cpu", "cuda-emulated"])
def test_transposed_in_the_text(kfuse, tmp_path, device):
    """The index is that of dropout's own result: transposing around it moves the mask along."""
    x = np.ones((33, 65), np.float32)
    np.save(tmp_path / "x.npy", x)
    subprocess.run([kfuse, "run", f"dropout(x.T, {P}, seed=9).T", f"x=@{tmp_path}/x.npy",
                    "-o", str(tmp_path / "out.npy"), "--device", device], check=True)
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), expected(x.T, 9).T, rtol=3e-7)
