"""Random numbers of the language: words by Philox4x32-10, distributions, and the same numbers fused
and unfused, transposed, in halves of a text, on both targets."""

import numpy as np
import pytest

from test_dropout import philox

stats = pytest.importorskip("scipy.stats")
DEVICES = ["cpu", "cuda-emulated"]


def evaluate(run, tmp_path, text, *extra, results=1):
    out = sum((["-o", f"out{i}.npy"] for i in range(results)), [])
    run("run", text, *out, *extra)
    found = [np.load(tmp_path / f"out{i}.npy") for i in range(results)]
    return found[0] if results == 1 else found


def words(seed, stream, n):
    return philox(seed, stream, n)


def wide(seed, stream, n):
    w = philox(seed, stream, 2 * n)
    return w[0::2] | w[1::2] << np.uint64(32)


@pytest.mark.parametrize("device", DEVICES)
def test_words(run, tmp_path, device):
    n = 4099
    half, double, whole, open_ = evaluate(
        run, tmp_path, f"rand({n}, seed=3, stream=4), rand({n}, seed=3, stream=4, dtype=float64), "
        f"randint(-5, 100, {n}, 3, 4), exponential({n}, 1.0, 3, 4)", "--device", device, results=4)
    w, b = words(3, 4, n), wide(3, 4, n)
    assert np.array_equal(half, (w >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24))
    assert np.array_equal(double, (b >> np.uint64(11)).astype(np.float64) * 2.0**-53)
    assert whole.dtype == np.int64
    assert np.array_equal(whole, [(int(v) * 105 >> 64) - 5 for v in b])
    np.testing.assert_allclose(open_, -np.log((w.astype(np.float64) + 0.5) * 2.0**-32), rtol=1e-6,
                               atol=1e-7)


@pytest.mark.parametrize("device", DEVICES)
def test_normal_is_box_muller(run, tmp_path, device):
    n = 1001
    b = wide(7, 0, n)
    u = ((b & np.uint64(0xFFFFFFFF)).astype(np.float64) + 0.5) * 2.0**-32
    angle = (b >> np.uint64(32)).astype(np.int64).astype(np.int32) * (np.pi * 2.0**-31)
    want = np.sqrt(-2 * np.log(u)) * np.cos(angle)
    got = evaluate(run, tmp_path, f"randn({n}, seed=7)", "--device", device)
    np.testing.assert_allclose(got, want, atol=2e-6)
    w = wide(7, 0, 2 * n).reshape(n, 2) >> np.uint64(11)
    want = np.sqrt(-2 * np.log((w[:, 0] + 0.5) * 2.0**-53)) * np.cos(2 * np.pi * w[:, 1] * 2.0**-53)
    got = evaluate(run, tmp_path, f"randn({n}, seed=7, dtype=f64)", "--device", device)
    np.testing.assert_allclose(got, want, atol=1e-14)


DISTRIBUTIONS = [
    ("rand(N)", stats.uniform()), ("rand(N, dtype=f64)", stats.uniform()),
    ("uniform(N, -3, 5, seed=2)", stats.uniform(-3, 8)), ("randn(N)", stats.norm()),
    ("randn(N, dtype=f64)", stats.norm()), ("normal(N, 2, 0.5, stream=9)", stats.norm(2, 0.5)),
    ("exponential(N, 3)", stats.expon(scale=3)),
    ("exponential(N, dtype=f64)", stats.expon()),
]


@pytest.mark.parametrize("text, distribution", DISTRIBUTIONS, ids=[d[0] for d in DISTRIBUTIONS])
def test_distribution(run, tmp_path, text, distribution):
    """Kolmogorov and Smirnov's test, moments, and no correlation of neighbours; the seed is fixed,
    so this always gives the same."""
    n = 400000
    x = evaluate(run, tmp_path, text.replace("N", str(n))).astype(np.float64)
    assert stats.kstest(x, distribution.cdf).pvalue > 0.01
    mean, var, skew, kurtosis = distribution.stats("mvsk")
    assert abs(x.mean() - mean) < 5 * np.sqrt(var / n)
    assert abs(x.var() / var - 1) < 5 * np.sqrt((kurtosis + 2) / n)
    assert abs(stats.skew(x) - skew) < 0.05 and abs(stats.kurtosis(x) - kurtosis) < 0.3
    for lag in (1, 2, 3, 4):
        assert abs(np.corrcoef(x[:-lag], x[lag:])[0, 1]) < 5 / np.sqrt(n)


def test_integers(run, tmp_path):
    n = 400000
    whole, coin = evaluate(run, tmp_path, f"randint(-2, 5, {n}), bernoulli({n}, 0.3)", results=2)
    counts = np.unique(whole, return_counts=True)
    assert list(counts[0]) == list(range(-2, 5))
    assert stats.chisquare(counts[1]).pvalue > 0.01
    assert set(np.unique(coin)) == {0, 1} and abs(coin.mean() - 0.3) < 0.005
    big, small = evaluate(run, tmp_path, "randint(-2**61, 2**62, 1000), "
                          "randint(0, 200, 1000, dtype=uint8)", results=2)
    assert abs(big.astype(float).mean() / 2.0**62 - 0.25) < 0.05 and small.dtype == np.uint8


@pytest.mark.parametrize("dtype, steps", [("f16", 2048), ("bf16", 256)])
def test_halves(run, tmp_path, dtype, steps):
    """Never 1, however it is rounded."""
    x = evaluate(run, tmp_path, f"cast(rand(100000, dtype={dtype}), f32)")
    assert x.max() == 1 - 1 / steps and np.array_equal(x * steps, np.round(x * steps))


EQUAL = "x = randn((37, 131), 5); y = randint(0, 9, (37, 131), 6); z = rand((37, 131), 7, 1, f64)"


@pytest.mark.parametrize("extra", [[], ["--no-fuse"], ["--no-fuse=ops"], ["--threads", "3"],
                                   ["--device", "cuda-emulated"]])
def test_equal_bits(run, tmp_path, extra):
    """f64's logarithm and cosine aren't the same text on CPU and GPU; everything else is."""
    names = ["x", "y", "z", "w"]
    wanted = [evaluate(run, tmp_path, f"{EQUAL}; w = randn_like(x, 8); {n}") for n in names]
    got = evaluate(run, tmp_path, f"{EQUAL}; w = randn_like(x, 8); x, y, z, w", *extra, results=4)
    for a, b in zip(got, wanted):
        assert np.array_equal(a, b)
    parts = evaluate(run, tmp_path, f"{EQUAL}; x.T, y[::-1, 3:], z[5:, ::2] * 2, x.reshape(131, 37)",
                     *extra, results=4)
    x, y, z, _ = wanted
    for a, b in zip(parts, [x.T, y[::-1, 3:], z[5:, ::2] * 2, x.reshape(131, 37)]):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("device", DEVICES)
def test_two_of_one_shape(run, tmp_path, device):
    """Two random arrays of one shape in one kernel, 32 and 64 bits, have words of their own."""
    run("check", "rand((70, 90), 1) + rand((70, 90), 2).T.T + randn((90, 70), 3).T", "--device",
        device)
    text = "rand(5000, seed=1) + 2 * rand(5000, seed=2), randn(5000, seed=1) * bernoulli(5000, 0.5, 1)"
    found = run("explain", text, "--device", device, json_output=True)
    assert found["fused"]["kernels"] == 1
    run("check", text, "--device", device)


@pytest.mark.parametrize("text", ["alpha_dropout(x, 0.3)", "feature_alpha_dropout(y, 0.3)"])
def test_alpha_dropout(run, tmp_path, text):
    """Keeps mean 0 and variance 1."""
    np.save(tmp_path / "x.npy", np.random.default_rng(1).standard_normal((1000, 300), np.float32))
    np.save(tmp_path / "y.npy", np.random.default_rng(1).standard_normal((300, 400, 5), np.float32))
    name = text[text.index("(") + 1]
    run("run", text, f"{name}=@{name}.npy", "-o", "out.npy")
    out = np.load(tmp_path / "out.npy")
    assert abs(out.mean()) < 0.02 and abs(out.var() - 1) < 0.03
    if name == "y":
        dropped = (out == out[:, :, :1]).all(-1)
        assert abs(dropped.mean() - 0.3) < 0.01


def test_recipes(run, tmp_path):
    """The command's arguments are the language's."""
    for recipe, text in [("randn(30, 7, seed=4, stream=2)", "randn((30, 7), 4, 2)"),
                         ("rand(30, dtype=f64, seed=4, stream=0)", "rand(30, seed=4, stream=0, dtype=f64)"),
                         ("randint(-3, 9, 30, seed=1, stream=0)", "randint(-3, 9, 30, 1)"),
                         ("randint(0, 5, (3, 4), dtype=i8, seed=1, stream=0)",
                          "randint(0, 5, (3, 4), 1, dtype=int8)")]:
        run("run", "x", f"x={recipe}", "-o", "a.npy")
        a, b = np.load(tmp_path / "a.npy"), evaluate(run, tmp_path, text)
        assert a.dtype == b.dtype and np.array_equal(a, b)
    run("run", "x", "x=randint(5, 5, 3)", code=2)
